// Bodies that rock between round surfaces faster than a step can follow (docs/theory/rocking.md, "Thin things between
// round fingertips").
//
// Let a contact press on a body with the force f, and let the body rock along the tangent e: it turns by theta about
// the axis u = n x e through its pivot, the centre of mass of a free body or a joint of a link. The normal turns, too,
// so that the force gets a lever about the pivot and turns the body back with the torque K theta:
//
//   K = f (1 - r k) (1 + r k')/(k + k')
//
//   k   curvature along e of the body's surface    r  arm from the pivot to the contact, along its outward normal
//   k'  that of the other surface                  I  inertia of the body about u
//
// K > 0 is a spring. A step does not see it, because it pushes along the normal and at the point of its start; only the
// next step does. So steps of length h are stable only if h^2 K < 4 I, with K summed over the contacts of the body. If
// one contact has more than its share of that, h^2 K > STABLE I, the step gets a damper on the relative angular
// velocity of the two bodies about u. STABLE is STABLE_SHARE below. The slope is
//
//   kappa = h K - STABLE I/h
#include "step/discrete/inside.h"

#include "math/elementary.h"
#include "step/contact/curvature.h"

// A contact gets no damper if its h^2 K is at most this share of the inertia [-]: a body with eight such contacts is
// stable.
static const double STABLE_SHARE = 0.5;

// Bodies touch in a line if the sum of their curvatures along the line is below this share of the sum across it [-].
// They do not rock along it, because the ends of the line have contacts of their own. Sides that cross at 2e-4 rad
// reach this share; where they cross, the point of contact runs along them by millimetres if one of them turns a
// little.
static const double FLAT_SHARE = 1e-8;

// Surfaces are equally round along all tangents if the two principal values of the sum of their curvatures differ by
// less than this share [-].
static const double ROUND_SHARE = 1e-6;

// A dof rocks its link about an axis if the cosine between this axis and that of the dof is at least this [-].
static const double ROCKING_COSINE = 0.1;

void hfi_discrete_measure_roundness(hfiDiscrete* s) {
  for (int g = 0; g < s->world->model->ngeom; ++g) s->roundness[g] = hfi_largest_radius(s->world->model, g);
}

static int is_of_world(const hfDynamics* d, int body) { return hf_model_body_tree(d->model)[body] < 0; }

// Returns the arm from the centre of mass of a free body to a contact [m].
static hfVec3 find_arm(const hfDynamics* d, int body, const hfiContact* c) {
  const hfiLink* link = hfi_link_of(d, body);
  return v3_sub(c->p_W, pose_point(d->X_WB[link->body], link->com_B));
}

// Returns the velocity of a contact's point on a body when a dof has the rate 1 rad/s [m/s].
static hfVec3 find_velocity_by_dof(const hfDynamics* d, int dof, int body, const hfiContact* c) {
  const hfMotion* S = &d->S[dof];
  return v3_add(S->v, v3_cross(S->w, v3_sub(c->p_W, hfi_body_reference(d, body))));
}

// ---- quick test: K may be large -----------------------------------------------------------------------

// Lower bound of the inertia of a free body about any axis through its centre of mass, from the rows of the matrix
// (Gershgorin) [kg m^2].
static double bound_inertia(const hfDynamics* d, int body) {
  const double* I = hfi_link_of(d, body)->inertia_B;
  double xy = fabs(I[3]);
  double xz = fabs(I[4]);
  double yz = fabs(I[5]);
  return min2(I[0] - xy - xz, min2(I[1] - xy - yz, I[2] - xz - yz));
}

// Whether some dof of a link lets f rock it. If a dof turns the link about u with the share c of its rate, the arm is
// v/c, with the velocity v of the contact, and the inertia is 1/(c^2 inverse mass). So c^2 K is at most f (radius +
// |v|).
static int may_rock_link(const hfiDiscrete* s, const hfiContact* c, int body, double radius, double f) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiLink* link = hfi_link_of(d, body);
  double h2 = sqr(s->config.step);

  for (int dof = link->dof; dof < link->dof + link->ndof; ++dof) {
    if (!(v3_norm2(d->S[dof].w) > 0)) continue;
    double moved = radius + v3_norm(find_velocity_by_dof(d, dof, body, c));
    if (!(h2 * f * moved * s->assembly.inverse_mass[dof] <= STABLE_SHARE)) return 1;
  }
  return 0;
}

// Whether the force f of a contact may rock a body so that it needs a damper. radius: the largest radius of curvature
// of the two surfaces [m]. K is at most f (radius + |arm|).
static int may_rock(const hfiDiscrete* s, const hfiContact* c, int body, double radius, double f) {
  const hfDynamics* d = &s->world->dynamics;
  if (is_of_world(d, body)) return 0;
  if (!hfi_is_free_alone(d, body)) return may_rock_link(s, c, body, radius, f);

  double most = f * (radius + v3_norm(find_arm(d, body, c)));
  return !(sqr(s->config.step) * most <= STABLE_SHARE * bound_inertia(d, body));
}

// Returns the largest radius of curvature that a geom may have where contact c touches it [m].
static double find_radius(const hfiDiscrete* s, const hfiContact* c, int geom) {
  return max2(s->roundness[geom], hfi_rim_radius(&s->world->dynamics, c, geom));
}

static int has_side(int type) { return type == HF_GEOM_CAPSULE || type == HF_GEOM_CYLINDER; }

// Upper bound of 1/(k + k') at contact c [m]. Two sides with the radii r and r' whose axes are at the angle alpha have
// up to (r + r')/sin^2 alpha.
static double bound_radius(const hfiDiscrete* s, const hfiContact* c) {
  const hfDynamics* d = &s->world->dynamics;
  const int32_t* type = hf_model_geom_type(d->model);
  int a = c->geom_a;
  int b = c->geom_b;
  double radius = max2(find_radius(s, c, a), find_radius(s, c, b));
  if (!has_side(type[a]) || !has_side(type[b])) return radius;

  double sine2 = v3_norm2(v3_cross(m3_col(d->X_WG[a].R, 2), m3_col(d->X_WG[b].R, 2)));
  return max2(radius, (s->roundness[a] + s->roundness[b]) / max2(sine2, FLAT_SHARE));
}

// ---- the damper of one direction ----------------------------------------------------------------------

// One of the two bodies of a contact, which rocks along a tangent.
typedef struct Rocking {
  const hfiContact* c;
  int body;
  int side;        // 1 for body A, -1 for body B: the normal n points from B to A, the outward normal is -side n
  double f;        // force of the contact [N]
  hfVec3 e;        // the tangent
  hfVec3 u;        // the axis n x e
  double k_own;    // curvature k of this body along e [1/m]
  double k_other;  // curvature k' of the other body along e [1/m]
} Rocking;

// Returns kappa of a body with this arm [m] and inertia [kg m^2]; 0 if it needs no damper [N m s/rad].
static double find_slope(const Rocking* r, double arm, double inertia, double h) {
  double K = r->f * (1 - arm * r->k_own) * (1 + arm * r->k_other) / (r->k_own + r->k_other);
  return K > 0 ? max2(0, h * K - STABLE_SHARE * inertia / h) : 0;
}

// Returns the inertia of a free body about the axis u through its centre of mass [kg m^2].
static double find_inertia(const hfDynamics* d, int body, hfVec3 u) {
  const hfiLink* link = hfi_link_of(d, body);
  const double* I = link->inertia_B;
  hfVec3 x = m3_tmulv(d->X_WB[link->body].R, u);
  double diagonal = I[0] * x.x * x.x + I[1] * x.y * x.y + I[2] * x.z * x.z;
  return diagonal + 2 * (I[3] * x.x * x.y + I[4] * x.x * x.z + I[5] * x.y * x.z);
}

// Returns the slope of a free body, which turns about its centre of mass.
static double find_free_slope(const hfiDiscrete* s, const Rocking* r) {
  const hfDynamics* d = &s->world->dynamics;
  double arm = -r->side * v3_dot(r->c->n, find_arm(d, r->body, r->c));
  return find_slope(r, arm, find_inertia(d, r->body, r->u), s->config.step);
}

// Returns the slope of a link: the largest one of the dofs of its joint that turn it about u. share: how much of a
// dof's rate turns the link about u. The arm is the velocity of the contact along e over this rate.
static double find_link_slope(const hfiDiscrete* s, const Rocking* r) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiLink* link = hfi_link_of(d, r->body);
  double slope = 0;

  for (int dof = link->dof; dof < link->dof + link->ndof; ++dof) {
    double share = v3_dot(d->S[dof].w, r->u);
    if (fabs(share) < ROCKING_COSINE) continue;
    double arm = -r->side * v3_dot(r->e, find_velocity_by_dof(d, dof, r->body, r->c)) / share;
    double inertia = 1 / (s->assembly.inverse_mass[dof] * sqr(share));
    slope = max2(slope, find_slope(r, arm, inertia, s->config.step));
  }
  return slope;
}

static double find_body_slope(const hfiDiscrete* s, const Rocking* r) {
  const hfDynamics* d = &s->world->dynamics;
  if (is_of_world(d, r->body)) return 0;
  return hfi_is_free_alone(d, r->body) ? find_free_slope(s, r) : find_link_slope(s, r);
}

// The curvatures of the two surfaces of a contact, and the force with which it presses.
typedef struct Pressing {
  const hfiContact* c;
  double f; // [N]
  hfiCurvature a, b;
} Pressing;

// Finds the damper for the tangent e = x t1 + y t2, about the axis *u = n x e. Returns its slope, the larger one of the
// two bodies.
static double find_damper(const hfiDiscrete* s, const Pressing* p, double x, double y, hfVec3* u) {
  const hfiContact* c = p->c;
  hfVec3 e = v3_axpy(x, c->t1, v3_scale(y, c->t2));
  double k_a = hfi_curvature_along(&p->a, x, y);
  double k_b = hfi_curvature_along(&p->b, x, y);
  *u = v3_cross(c->n, e);

  Rocking of_a = {.c = c, .body = c->body_a, .side = 1, .f = p->f, .e = e, .u = *u, .k_own = k_a, .k_other = k_b};
  Rocking of_b = {.c = c, .body = c->body_b, .side = -1, .f = p->f, .e = e, .u = *u, .k_own = k_b, .k_other = k_a};
  return max2(find_body_slope(s, &of_a), find_body_slope(s, &of_b));
}

// ---- the directions of a contact ----------------------------------------------------------------------

// Returns a principal direction of a curvature, as the angle from t1 [rad].
static double find_principal_angle(const hfiCurvature* c) { return 0.5 * hfi_atan2(2 * c->c12, c->c11 - c->c22); }

static int is_round(const hfiCurvature* c) {
  return hfi_hypot(c->c11 - c->c22, 2 * c->c12) < ROUND_SHARE * (c->c11 + c->c22);
}

// Adds the inertia about u = n x e of a free body, as a quadratic form of the tangent e.
static void add_inertia(const hfDynamics* d, int body, const hfiContact* c, hfiCurvature* sum) {
  if (is_of_world(d, body) || !hfi_is_free_alone(d, body)) return;
  hfVec3 u1 = v3_cross(c->n, c->t1);
  hfVec3 u2 = v3_cross(c->n, c->t2);
  double i1 = find_inertia(d, body, u1);
  double i2 = find_inertia(d, body, u2);
  sum->c11 += i1;
  sum->c22 += i2;
  sum->c12 += 0.5 * (find_inertia(d, body, v3_add(u1, u2)) - i1 - i2);
}

// Returns the angle from t1 of a tangent along which free bodies rock most or least [rad]: a principal direction of the
// sum of the curvatures, or of the inertias if the surfaces are equally round along all tangents. The tangents t1 and
// t2 themselves would not do, because they depend on the axes of the world.
static double find_rocking_angle(const hfDynamics* d, const hfiContact* c, const hfiCurvature* sum) {
  if (!is_round(sum)) return find_principal_angle(sum);
  hfiCurvature inertia = {0, 0, 0};
  add_inertia(d, c->body_a, c, &inertia);
  add_inertia(d, c->body_b, c, &inertia);
  return find_principal_angle(&inertia);
}

// Finds the dampers of contact c, which presses with the normal force f [N]: their axes u in the world and their slopes
// [N m s/rad]. Candidates are the two directions of find_rocking_angle; at a rim only the tangent along which the rim
// is curved. Returns the number of dampers, 0 to 2.
static int find_dampers(const hfiDiscrete* s, const hfiContact* c, double f, hfVec3 u[2], double slope[2]) {
  const hfDynamics* d = &s->world->dynamics;
  Pressing p = {.c = c, .f = f};
  hfiTouched a = hfi_contact_curvature(d, c, c->geom_a, &p.a);
  hfiTouched b = hfi_contact_curvature(d, c, c->geom_b, &p.b);
  if (a == HFI_TOUCHED_EDGE || b == HFI_TOUCHED_EDGE) return 0; // no curvature, hence no rocking, is known at an edge

  // If the contact is `curved`, the step knows the path of a rim that rolls fast.
  int rims = (a == HFI_TOUCHED_RIM) + (b == HFI_TOUCHED_RIM);
  if (rims == 2 || (rims && c->curved)) return 0;

  hfiCurvature sum = {p.a.c11 + p.b.c11, p.a.c12 + p.b.c12, p.a.c22 + p.b.c22};
  const hfiCurvature* rim = a == HFI_TOUCHED_RIM ? &p.a : &p.b;
  hfiSine turn = hfi_sine(rims ? find_principal_angle(rim) : find_rocking_angle(d, c, &sum));
  // two perpendicular tangents x t1 + y t2; a rim uses the first one only
  const double principal[2][2] = {{turn.cos, turn.sin}, {-turn.sin, turn.cos}};

  int count = 0;
  for (int i = 0; i < 2 - rims; ++i) {
    double x = principal[i][0];
    double y = principal[i][1];
    // along a line of contact (FLAT_SHARE) nothing rocks
    if (!(hfi_curvature_along(&sum, x, y) > FLAT_SHARE * (sum.c11 + sum.c22))) continue;
    slope[count] = find_damper(s, &p, x, y, &u[count]);
    count += slope[count] > 0;
  }
  return count;
}

// Returns the force of a contact at the start of the step, without the short force of an impact [N].
static double find_elastic_force(const hfContactLaw* law) {
  return min2(law->normal_force0, law->stiffness * max2(0, law->depth));
}

// Adds the dampers of all contacts to the step problem. None are added for rigid contacts, which are no springs. A
// quick test with bounds (may_rock) comes before curvatures are computed.
void hfi_discrete_damp_rocking(hfiDiscrete* s) {
  const hfiNear* near = &s->world->near;
  const hfStepProblem* p = &s->assembly.problem;
  if (s->solver.policy.has_rigid_contacts) return;

  for (int i = 0; i < near->ncontact; ++i) {
    const hfiContact* c = &near->contact[i];
    double radius = bound_radius(s, c);
    if (s->block[i] < 0 || !(radius > 0)) continue;

    double f = find_elastic_force(&p->contact[p->block[s->block[i]].param]);
    if (!(f > 0)) continue;
    if (!may_rock(s, c, c->body_a, radius, f) && !may_rock(s, c, c->body_b, radius, f)) continue;

    hfVec3 u[2];
    double slope[2];
    int n = find_dampers(s, c, f, u, slope);
    if (n) hfi_assembly_add_damper(&s->assembly, &s->world->dynamics, c, n, u, slope);
  }
}
