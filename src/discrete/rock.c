// Bodies that rock between round surfaces faster than a step can follow (docs/theory/motion.md).
//
// A step pushes along the normal, and at the point, of its start. Let a contact press on a body with the force f. The body rocks by theta about
// its pivot, the centre of mass of a free body or a joint of a link, along the tangent e. With the curvatures k of its surface and k' of the
// other one along e, and the arm r from the pivot to the contact along the normal, the line of the force passes the pivot at the lever
//
//   (1 - r k) (1 + r k')/(k + k') theta,     K = f (1 - r k) (1 + r k')/(k + k')
//
// For K > 0 this is a spring, which the next step finds: it turns a body of inertia I stably as long as h^2 K < 4 I in the sum over its
// contacts. Beyond a share of that the step has it as a damper between the two bodies, with the slope
//
//   kappa = h K - STABLE I/h
#include "discrete/discrete.h"

#include "model/shape.h"

#include <string.h>

// The share of the inertia up to which h^2 K of one contact may come without a damper: a body with eight such contacts is stable [-].
static const double STABLE = 0.5;
// Where the cosine of normal and axis is below this, the side of a capsule or a cylinder touches; above the other, the end of a cylinder [-].
static const double SIDE = 0.02, END = 0.9998;

// Bodies touch in a line, which has other contacts at its ends, where their curvature along it is below this share of that across it [-].
static const double FLAT = 1e-3;

// A dof rocks its link about an axis if the cosine of the two is at least this [-].
static const double LEAST_SHARE = 0.1;

// ---- curvature --------------------------------------------------------------------------------------

// Curvature of a surface in the tangent plane of a contact: along t1, across, along t2 [1/m].
typedef struct curvature { double c11, c12, c22; } curvature;

static double along(const curvature* c, double x, double y) { return c->c11 * x * x + 2 * c->c12 * x * y + c->c22 * y * y; }

// The curvature of an ellipsoid with the half axes E where its normal is n. Across n the inverse of the curvature is the Hessian of the support
// function s = |E n|, H = E^2/s - (E^2 n)(E^2 n)^T/s^3 (docs/theory/collision.md).
static int curve_ellipsoid(const double* size, hfVec3 n, hfVec3 t1, hfVec3 t2, curvature* out) {
  hfVec3 E2 = v3(sqr(size[0]), sqr(size[1]), sqr(size[2])), En = v3_mul(E2, n);
  double s = sqrt(v3_dot(n, En)), a = v3_dot(t1, En), b = v3_dot(t2, En);
  double h11 = v3_dot(t1, v3_mul(E2, t1)) / s - a * a / (s * s * s), h22 = v3_dot(t2, v3_mul(E2, t2)) / s - b * b / (s * s * s);
  double h12 = v3_dot(t1, v3_mul(E2, t2)) / s - a * b / (s * s * s), det = h11 * h22 - h12 * h12;
  if (!(det > 0)) return 0;
  *out = (curvature){h22 / det, -h12 / det, h11 / det};
  return 1;
}

// Curvature of a geom at a contact. A mesh may stand for something round: it counts as the ball that holds it, the least curvature that it can
// have as a whole, so that a damper is rather too strong. Returns 0 where it has an edge there, which the contact does not leave.
static int curve(const hfiDiscrete* s, const hfiContact* c, int geom, curvature* out) {
  const hfModel* m = s->world->model;
  const double* size = hf_model_geom_size(m) + 3 * geom;
  const hfMat3* R = &s->world->dynamics.X_WG[geom].R;
  hfVec3 axis = m3_col(*R, 2);
  int type = hf_model_geom_type(m)[geom];
  double slope = fabs(v3_dot(axis, c->n)), k = 1 / (type == HF_GEOM_MESH ? hf_model_geom_rbound(m)[geom] : size[0]);
  *out = (curvature){k, 0, k};
  if (type == HF_GEOM_SPHERE || type == HF_GEOM_MESH) return 1;
  *out = (curvature){0, 0, 0};
  if (hfi_shape_kinds[type].curvature == HFI_FLAT || (type == HF_GEOM_CYLINDER && slope > END)) return 1;
  if (type == HF_GEOM_ELLIPSOID) return curve_ellipsoid(size, m3_tmulv(*R, c->n), m3_tmulv(*R, c->t1), m3_tmulv(*R, c->t2), out);
  *out = (curvature){k, 0, k};
  if (type == HF_GEOM_CAPSULE && slope > SIDE) return 1;
  if (slope > SIDE) return 0;
  double x = v3_dot(axis, c->t1), y = v3_dot(axis, c->t2); // no curvature along the axis
  out->c11 -= k * x * x, out->c12 -= k * x * y, out->c22 -= k * y * y;
  return 1;
}

static double largest_radius(const hfModel* m, int geom) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  int type = hf_model_geom_type(m)[geom];
  if (type == HF_GEOM_MESH) return hf_model_geom_rbound(m)[geom];
  if (hfi_shape_kinds[type].curvature == HFI_FLAT) return 0;
  if (type != HF_GEOM_ELLIPSOID) return size[0];
  return sqr(max2(size[0], max2(size[1], size[2]))) / min2(size[0], min2(size[1], size[2]));
}

void hfi_discrete_measure_roundness(hfiDiscrete* s) {
  for (int g = 0; g < s->world->model->ngeom; ++g) s->roundness[g] = largest_radius(s->world->model, g);
}

// ---- free bodies ------------------------------------------------------------------------------------

static const hfiLink* link_of(const hfDynamics* d, int body) { return &d->link[d->body_link[body]]; }

// Inertia of a free body about the axis u through its centre of mass [kg m^2].
static double inertia_about(const hfDynamics* d, int body, hfVec3 u) {
  const hfiLink* link = link_of(d, body);
  const double* I = link->inertia_B;
  hfVec3 x = m3_tmulv(d->X_WB[link->body].R, u);
  return I[0] * x.x * x.x + I[1] * x.y * x.y + I[2] * x.z * x.z + 2 * (I[3] * x.x * x.y + I[4] * x.x * x.z + I[5] * x.y * x.z);
}

// A lower bound of that about any axis, from the rows of the matrix (Gershgorin).
static double least_inertia(const hfDynamics* d, int body) {
  const double* I = link_of(d, body)->inertia_B;
  double xy = fabs(I[3]), xz = fabs(I[4]), yz = fabs(I[5]);
  return min2(I[0] - xy - xz, min2(I[1] - xy - yz, I[2] - xz - yz));
}

// From the centre of mass of a free body to a contact.
static hfVec3 arm_of(const hfDynamics* d, int body, const hfiContact* c) {
  const hfiLink* link = link_of(d, body);
  return v3_sub(c->p_W, pose_point(d->X_WB[link->body], link->com_B));
}

// Whether a body is free and alone in its tree.
static int is_alone(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  return hf_model_tree_dofnum(m)[hf_model_body_tree(m)[body]] == 6 && hf_model_jnt_type(m)[link_of(d, body)->joint] == HF_JOINT_FREE;
}

// ---- links ------------------------------------------------------------------------------------------

// Velocity of a contact on a body at 1 rad/s of a dof [m].
static hfVec3 velocity_by(const hfDynamics* d, int dof, int body, const hfiContact* c) {
  const hfMotion* S = &d->S[dof];
  return v3_add(S->v, v3_cross(S->w, v3_sub(c->p_W, hfi_body_reference(d, body))));
}

// Whether some dof of a link lets f rock it: along the tangents K share^2 is at most f (radius + velocity).
static int may_rock_link(const hfiDiscrete* s, const hfiContact* c, int body, double radius, double f) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiLink* link = link_of(d, body);
  for (int dof = link->dof; dof < link->dof + link->ndof; ++dof) {
    if (!(v3_norm2(d->S[dof].w) > 0)) continue;
    double moved = radius + v3_norm(velocity_by(d, dof, body, c));
    if (!(sqr(s->config.step) * f * moved * s->assembly.inverse_mass[dof] <= STABLE)) return 1;
  }
  return 0;
}

// ---- bodies that rock -------------------------------------------------------------------------------

// Whether the force f of a contact whose surfaces have at most this radius may rock a body: K is at most f (radius + |arm|).
static int may_rock(const hfiDiscrete* s, const hfiContact* c, int body, double radius, double f) {
  const hfDynamics* d = &s->world->dynamics;
  if (hf_model_body_tree(d->model)[body] < 0) return 0;
  if (!is_alone(d, body)) return may_rock_link(s, c, body, radius, f);
  return !(sqr(s->config.step) * f * (radius + v3_norm(arm_of(d, body, c))) <= STABLE * least_inertia(d, body));
}

// A contact, the force with which it presses, and what it rocks along the tangent e, about u = n x e: a body (side 1: A, -1: B) with the
// curvature `own`, on one with `other`.
typedef struct rocking {
  const hfiContact* c;
  double f;
  hfVec3 e, u;
  int side;
  double own, other;
} rocking;

// The slope of the damper of a body that rocks with this arm along its outward normal [m] and this inertia [kg m^2], or 0 [N m s/rad].
static double find_slope(const rocking* r, double arm, double inertia, double h) {
  double K = r->f * (1 - arm * r->own) * (1 + arm * r->other) / (r->own + r->other);
  return K > 0 ? max2(0, h * K - STABLE * inertia / h) : 0;
}

// The same of a link: the largest of its dofs that turn it about u.
static double find_link_slope(const hfiDiscrete* s, const rocking* r, int body) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiLink* link = link_of(d, body);
  double slope = 0;
  for (int dof = link->dof; dof < link->dof + link->ndof; ++dof) {
    double share = v3_dot(d->S[dof].w, r->u);
    if (fabs(share) < LEAST_SHARE) continue;
    double arm = -r->side * v3_dot(r->e, velocity_by(d, dof, body, r->c)) / share;
    slope = max2(slope, find_slope(r, arm, 1 / (s->assembly.inverse_mass[dof] * sqr(share)), s->config.step));
  }
  return slope;
}

// The same of any body.
static double find_body_slope(const hfiDiscrete* s, const rocking* r) {
  const hfDynamics* d = &s->world->dynamics;
  int body = r->side > 0 ? r->c->body_a : r->c->body_b;
  if (hf_model_body_tree(d->model)[body] < 0) return 0;
  if (!is_alone(d, body)) return find_link_slope(s, r, body);
  return find_slope(r, -r->side * v3_dot(r->c->n, arm_of(d, body, r->c)), inertia_about(d, body, r->u), s->config.step);
}

// ---- dampers ----------------------------------------------------------------------------------------

// The larger slope of the two bodies along the tangent x t1 + y t2, about the axis u.
static double find_damper(const hfiDiscrete* s, const hfiContact* c, const curvature k[2], double f, double x, double y, hfVec3* u) {
  hfVec3 e = v3_axpy(x, c->t1, v3_scale(y, c->t2));
  double a = along(&k[0], x, y), b = along(&k[1], x, y);
  *u = v3_cross(c->n, e);
  rocking of_a = {c, f, e, *u, 1, a, b}, of_b = {c, f, e, *u, -1, b, a};
  return max2(find_body_slope(s, &of_a), find_body_slope(s, &of_b));
}

// The dampers of contact c, which presses with f: axes u in the world and slopes. Returns their number.
static int find_dampers(const hfiDiscrete* s, const hfiContact* c, double f, hfVec3 u[2], double slope[2]) {
  curvature k[2];
  if (!curve(s, c, c->geom_a, &k[0]) || !curve(s, c, c->geom_b, &k[1])) return 0;
  curvature sum = {k[0].c11 + k[1].c11, k[0].c12 + k[1].c12, k[0].c22 + k[1].c22};
  double angle = 0.5 * atan2(2 * sum.c12, sum.c11 - sum.c22), x = cos(angle), y = sin(angle); // a principal direction
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    double ex = i ? -y : x, ey = i ? x : y;
    if (!(along(&sum, ex, ey) > FLAT * (sum.c11 + sum.c22))) continue;
    slope[count] = find_damper(s, c, k, f, ex, ey, &u[count]);
    count += slope[count] > 0;
  }
  return count;
}

// The force of a contact at the start of the step without what an impact adds: that does not last [N].
static double elastic_force(const hfContactLaw* law) { return min2(law->normal_force0, law->stiffness * max2(0, law->depth)); }

void hfi_discrete_damp_rocking(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  const hfStepProblem* p = &s->assembly.problem;
  if (s->mlcp) return;
  for (int i = 0; i < w->ncontact; ++i) {
    const hfiContact* c = &w->contact[i];
    hfVec3 u[2];
    double slope[2], radius = max2(s->roundness[c->geom_a], s->roundness[c->geom_b]);
    if (s->block[i] < 0 || !(radius > 0)) continue;
    double f = elastic_force(&p->contact[p->block[s->block[i]].param]);
    if (!(f > 0) || !(may_rock(s, c, c->body_a, radius, f) || may_rock(s, c, c->body_b, radius, f))) continue;
    int n = find_dampers(s, c, f, u, slope);
    if (n) hfi_assembly_add_damper(&s->assembly, &w->dynamics, c, n, u, slope);
  }
}
