// Free bodies that rock between round surfaces faster than a step can follow (docs/theory/motion.md).
//
// A step pushes along the normal, and at the point, of its start. Let a contact press on a body with the force f. The body rocks by theta about
// its centre of mass, along the tangent e. With the curvatures k of its surface and k' of the other one along e, and the arm r from the
// centre to the contact along the normal, the line of the force passes the centre at the lever
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

// Curvature of a geom at a contact. Returns 0 where it has an edge there, which the contact does not leave.
static int curve(const hfiDiscrete* s, const hfiContact* c, int geom, curvature* out) {
  const hfModel* m = s->world->model;
  const double* size = hf_model_geom_size(m) + 3 * geom;
  const hfMat3* R = &s->world->dynamics.X_WG[geom].R;
  hfVec3 axis = m3_col(*R, 2);
  int type = hf_model_geom_type(m)[geom];
  double slope = fabs(v3_dot(axis, c->n)), k = 1 / size[0];
  *out = (curvature){0, 0, 0};
  if (hfi_shape_kinds[type].curvature == HFI_FLAT || (type == HF_GEOM_CYLINDER && slope > END)) return 1;
  if (type == HF_GEOM_ELLIPSOID) return curve_ellipsoid(size, m3_tmulv(*R, c->n), m3_tmulv(*R, c->t1), m3_tmulv(*R, c->t2), out);
  *out = (curvature){k, 0, k};
  if (type == HF_GEOM_SPHERE || (type == HF_GEOM_CAPSULE && slope > SIDE)) return 1;
  if (slope > SIDE) return 0;
  double x = v3_dot(axis, c->t1), y = v3_dot(axis, c->t2); // no curvature along the axis
  out->c11 -= k * x * x, out->c12 -= k * x * y, out->c22 -= k * y * y;
  return 1;
}

// ---- which contacts ---------------------------------------------------------------------------------

// A body that a contact rocks: 1 as A, -1 as B, its arm, its surface and that of the other one.
typedef struct rocker { int body, sign; double arm; const curvature *own, *other; } rocker;

static const hfiLink* link_of(const hfDynamics* d, int body) { return &d->link[d->body_link[body]]; }

// Whether a body is free and alone in its tree.
static int is_free(const hfiDiscrete* s, int body) {
  const hfModel* m = s->world->model;
  int t = hf_model_body_tree(m)[body];
  return t >= 0 && hf_model_tree_dofnum(m)[t] == 6 && hf_model_jnt_type(m)[hf_model_dof_jnt(m)[hf_model_tree_dofadr(m)[t]]] == HF_JOINT_FREE;
}

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

static hfVec3 centre_of(const hfDynamics* d, int body) {
  const hfiLink* link = link_of(d, body);
  return pose_point(d->X_WB[link->body], link->com_B);
}

// The largest radius of curvature of a geom where it is not straight, or 0 for shapes that are nowhere round [m].
static double largest_radius(const hfModel* m, int geom) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  int type = hf_model_geom_type(m)[geom];
  if (hfi_shape_kinds[type].curvature == HFI_FLAT) return 0;
  if (type != HF_GEOM_ELLIPSOID) return size[0];
  return sqr(max2(size[0], max2(size[1], size[2]))) / min2(size[0], min2(size[1], size[2]));
}

// Whether the force f of a contact whose surfaces have at most this radius may rock a body: K is at most f (radius + |arm|).
static int may_rock(const hfiDiscrete* s, const hfiContact* c, int body, double radius, double f) {
  const hfDynamics* d = &s->world->dynamics;
  if (!is_free(s, body)) return 0;
  double arm = v3_norm(v3_sub(c->p_W, centre_of(d, body)));
  return !(sqr(s->config.step) * f * (radius + arm) <= STABLE * least_inertia(d, body));
}

// The slope of the damper of a body that the force f rocks along the tangent (x, y) of a contact, about the axis u, or 0 [N m s/rad].
static double find_slope(const hfiDiscrete* s, const rocker* r, double f, double x, double y, hfVec3 u) {
  double own = along(r->own, x, y), other = along(r->other, x, y), h = s->config.step;
  double K = f * (1 - r->arm * own) * (1 + r->arm * other) / (own + other);
  if (!(K > 0)) return 0;
  return max2(0, h * K - STABLE * inertia_about(&s->world->dynamics, r->body, u) / h);
}

// The principal directions (x, y) and (-y, x) of a curvature.
static void find_principal(const curvature* c, double* x, double* y) {
  double angle = 0.5 * atan2(2 * c->c12, c->c11 - c->c22);
  *x = cos(angle), *y = sin(angle);
}

// The dampers of contact c, which presses with f: axes u in the world and slopes. Returns their number.
static int find_dampers(const hfiDiscrete* s, const hfiContact* c, double f, hfVec3 u[2], double slope[2]) {
  const hfDynamics* d = &s->world->dynamics;
  curvature a, b;
  if (!curve(s, c, c->geom_a, &a) || !curve(s, c, c->geom_b, &b)) return 0;
  curvature sum = {a.c11 + b.c11, a.c12 + b.c12, a.c22 + b.c22};
  double x, y, least = FLAT * (sum.c11 + sum.c22);
  int count = 0;
  find_principal(&sum, &x, &y);
  for (int k = 0; k < 2; ++k) {
    double ex = k ? -y : x, ey = k ? x : y;
    if (!(along(&sum, ex, ey) > least)) continue;
    u[count] = v3_cross(c->n, v3_axpy(ex, c->t1, v3_scale(ey, c->t2)));
    slope[count] = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
      rocker r = {sign > 0 ? c->body_a : c->body_b, sign, 0, sign > 0 ? &a : &b, sign > 0 ? &b : &a};
      if (!is_free(s, r.body)) continue;
      r.arm = -sign * v3_dot(c->n, v3_sub(c->p_W, centre_of(d, r.body)));
      slope[count] = max2(slope[count], find_slope(s, &r, f, ex, ey, u[count]));
    }
    count += slope[count] > 0;
  }
  return count;
}

void hfi_discrete_damp_rocking(hfiDiscrete* s) {
  const hfiWorld* w = s->world;
  const hfStepProblem* p = &s->assembly.problem;
  if (s->mlcp) return;
  for (int i = 0; i < w->ncontact && s->assembly.ndamper < HFI_MOST_DAMPERS; ++i) {
    const hfiContact* c = &w->contact[i];
    hfVec3 u[2];
    double slope[2], radius = max2(largest_radius(w->model, c->geom_a), largest_radius(w->model, c->geom_b));
    if (s->block[i] < 0 || !(radius > 0)) continue;
    double f = p->contact[p->block[s->block[i]].param].normal_force0;
    if (!(f > 0) || !(may_rock(s, c, c->body_a, radius, f) || may_rock(s, c, c->body_b, radius, f))) continue;
    int n = find_dampers(s, c, f, u, slope);
    if (n) hfi_assembly_add_damper(&s->assembly, &w->dynamics, c, n, u, slope);
  }
}
