// Springs, dampers and gravity compensation.
//
// At a state (continuous time):
//   tau = -k (q - q_rest) - c v + sum_t J_t (k_t stretch_t - c_t ldot_t) + gravity compensation
// q - q_rest is a rotation vector for ball and free joints. A tendon spring is at rest on an
// interval; stretch is how far the length is outside of it.
//
// Over a step (q1 = q0 + h v): a joint's spring and damper are linear in v and go into the step's diagonal, diag = h
// (c + h k), tau = -k (q0 - q_rest). A turn of a ball joint changes its rotation vector by at most h w in any
// direction, so h^2 k bounds its stiffness. Tendons couple dofs and become rows.
#include "step/actuation/inside.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "model/spring.h"
#include <string.h>

// ---- joints -----------------------------------------------------------------------------------------

// Adds the spring of joint j over n dofs at the displacement x: the force -f(|x|) along x to tau and, unless diag is
// NULL, h^2 times the secant of f to diag.
static inline void add_spring(const hfModel* m, int j, int n, const double* x, double h, double* tau, double* diag) {
  double size = n == 1 ? x[0] : v3_norm(v3_load(x));
  double k = hfi_secant(hf_model_jnt_stiffness(m)[j], hf_model_jnt_stiffness_poly(m) + 2 * j, size);

  for (int i = 0; i < n; ++i) {
    tau[i] -= k * x[i];
    if (diag) diag[i] += h * h * max2(0, k);
  }
}

// Whether some joint has a spring.
static int has_joint_springs(const hfModel* m) {
  const double* k = hf_model_jnt_stiffness(m);
  const double* poly = hf_model_jnt_stiffness_poly(m);
  return hfi_dot(k, k, m->njnt) > 0 || hfi_dot(poly, poly, 2 * m->njnt) > 0;
}

// Whether the damping of some joint depends on its speed.
static int has_curved_dampers(const hfModel* m) {
  const double* poly = hf_model_dof_damping_poly(m);
  return hfi_dot(poly, poly, 2 * m->nv) > 0;
}

// Whether some dof has damping.
static int has_joint_dampers(const hfModel* m) {
  const double* c = hf_model_dof_damping(m);
  return hfi_dot(c, c, m->nv) > 0 || has_curved_dampers(m);
}

// Whether some dof has a friction loss.
static int has_friction_losses(const hfModel* m) {
  const double* loss = hf_model_dof_frictionloss(m);
  return hfi_dot(loss, loss, m->nv) > 0;
}

// ---- parameters ---------------------------------------------------------------------------------------

// Lists of ranges end with repetitions of the last joint, so that their length is a multiple of this, which is a
// multiple of HFI_LANES.
enum { RANGE_PADDING = 4 };

// Takes the arrays of the ranges from the arena.
void hfi_ranges_take(hfiRanges* r, const hfModel* m, hfiArena* arena) {
  int capacity = (m->njnt + RANGE_PADDING - 1) / RANGE_PADDING * RANGE_PADDING;
  HFI_TAKE_EACH(arena, int32_t, capacity, &r->joint, &r->qposadr, &r->dofadr);
  HFI_TAKE_EACH(arena, double, capacity, &r->low, &r->high, &r->margin);
}

// Writes joint j to place k of the ranges.
static void set_range(hfiRanges* r, const hfModel* m, int k, int j) {
  r->joint[k] = j;
  r->qposadr[k] = hf_model_jnt_qposadr(m)[j];
  r->dofadr[k] = hf_model_jnt_dofadr(m)[j];
  r->low[k] = hf_model_jnt_range(m)[2 * j];
  r->high[k] = hf_model_jnt_range(m)[2 * j + 1];
  r->margin[k] = hf_model_jnt_margin(m)[j];
}

// Lists the hinges and slides that have a range now, and finds whether a ball has one.
void hfi_ranges_update(hfiRanges* r, const hfModel* m) {
  r->n = 0;
  r->any_ball = 0;

  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    if (hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) set_range(r, m, r->n++, j);
    else r->any_ball = 1;
  }

  // full lanes: repetitions of the last joint
  for (int k = r->n; k % RANGE_PADDING; ++k) set_range(r, m, k, r->joint[r->n - 1]);
}

// Writes hfiPassive, ranges, servos and drag of the medium, unless they are fresh.
void hfi_update_passive(hfActuation* a) {
  const hfModel* m = a->model;
  hfiPassive* has = &a->passive;
  if (*a->fresh & HFI_FRESH_PARAMETERS && has->revision == m->revision) return;

  has->revision = m->revision;
  has->springs = has_joint_springs(m);
  has->bends = hfi_any_joint_bends(m);
  has->dampers = has_joint_dampers(m);
  has->curved_dampers = has_curved_dampers(m);
  has->losses = has_friction_losses(m);
  // gravity compensation ends with the springs and dampers, as in MuJoCo
  has->gravcomp = hfi_any_nonzero(hf_model_body_gravcomp(m) + 1, m->nbody - 1) &&
                  !(m->world.disable_spring && m->world.disable_damper);
  hfi_ranges_update(&has->ranges, m);
  hfi_update_servos(a);
  hfi_update_fluid(a);
  *a->fresh |= HFI_FRESH_PARAMETERS;
}

// Adds the springs of all joints at q (nq): tau -= k x, and diag += h^2 k unless diag is NULL. rest: (nq) rest
// positions.
static void add_joint_springs(const hfModel* m, const double* rest, const double* q, double h, double* tau,
                              double* diag) {
  if (m->world.disable_spring) return;

  for (int j = 0; j < m->njnt; ++j) {
    const double* poly = hf_model_jnt_stiffness_poly(m) + 2 * j;
    if (hf_model_jnt_stiffness(m)[j] == 0 && poly[0] == 0 && poly[1] == 0) continue;

    int type = hf_model_jnt_type(m)[j];
    int dof = hf_model_jnt_dofadr(m)[j];
    int adr = hf_model_jnt_qposadr(m)[j];
    int n = hfi_joint_nv(type);
    double x[6];

    if (hfi_joint_is_scalar(type)) {
      x[0] = q[adr] - rest[adr];
      add_spring(m, j, 1, x, h, tau + dof, diag ? diag + dof : NULL);
      continue;
    }

    // translation and rotation of a free joint are separate springs
    hfi_joint_difference(type, rest + adr, q + adr, 1, x);
    for (int i = 0; i < n; i += 3)
      add_spring(m, j, imin2(n, 3), x + i, h, tau + dof + i, diag ? diag + dof + i : NULL);
  }
}

// Adds the torques of joints that bend to tau (nv) and, unless diag is NULL, h^2 times a bound on their stiffness to
// diag: the sums of the rows of R^T k R, without their signs.
static void add_bends(const hfModel* m, const double* q, double h, double* tau, double* diag) {
  for (int j = 0; j < m->njnt && !m->world.disable_spring; ++j) {
    if (!hfi_joint_bends(m, j)) continue;

    int dof = hf_model_jnt_dofadr(m)[j];
    hfQuat turn;

    hfVec3 x = hfi_bend_of(m, j, q + hf_model_jnt_qposadr(m)[j], &turn);
    hfVec3 torque = q_rotate(q_conj(turn), v3_mul(v3_load(hf_model_jnt_bend(m) + 3 * j), x));
    hfMat3 K = hfi_bend_stiffness(m, j, turn);

    for (int i = 0; i < 3; ++i) {
      tau[dof + i] -= v3_get(torque, i);
      if (diag) diag[dof + i] += h * h * (fabs(K.m[3 * i]) + fabs(K.m[3 * i + 1]) + fabs(K.m[3 * i + 2]));
    }
  }
}

// Adds to tau (nv) gravity compensation of those joints for which it is a passive force, not actuation.
static void add_gravity_compensation(const hfActuation* a, double* tau) {
  const hfModel* m = a->model;
  if (!a->passive.gravcomp) return;
  for (int i = 0; i < m->nv; ++i)
    if (!hf_model_jnt_actgravcomp(m)[hf_model_dof_jnt(m)[i]]) tau[i] += a->gravcomp[i];
}

// Returns the secant of the damping of a dof at speed v [N s/m or N m s/rad].
static double find_damping(const hfModel* m, int dof, double v) {
  return hfi_secant(hf_model_dof_damping(m)[dof], hf_model_dof_damping_poly(m) + 2 * dof, fabs(v));
}

// ---- at a state -------------------------------------------------------------------------------------

// Returns the secant of a tendon's spring at its present stretch [N/m or N m/rad].
static double find_tendon_stiffness(const hfActuation* a, const hfDynamics* d, int t) {
  const double* rest = hfi_rest_lengths(d, t);
  const double* poly = hf_model_tendon_stiffness_poly(a->model) + 2 * t;
  double length = a->tendons.length[t];
  return hfi_secant(hf_model_tendon_stiffness(a->model)[t], poly, length - clamp(length, rest[0], rest[1]));
}

// Returns the secant of a tendon's damper at its present speed [N s/m or N m s/rad].
static double find_tendon_damping(const hfActuation* a, int t) {
  const double* poly = hf_model_tendon_damping_poly(a->model) + 2 * t;
  return hfi_secant(hf_model_tendon_damping(a->model)[t], poly, fabs(a->tendons.velocity[t]));
}

// Returns the force of a tendon's spring and damper along its length, at the length and rate of the last
// hf_actuation_update [N or N m].
double hfi_tendon_passive_force(const hfActuation* a, const hfDynamics* d, int t) {
  const hfModel* m = a->model;
  const double* rest = hfi_rest_lengths(d, t);
  double length = a->tendons.length[t];
  double force = 0;

  if (!m->world.disable_spring) force += find_tendon_stiffness(a, d, t) * (clamp(length, rest[0], rest[1]) - length);
  if (!m->world.disable_damper) force -= find_tendon_damping(a, t) * a->tendons.velocity[t];

  return force;
}

// Computes tau (nv): all passive forces at an instant, at q (nq) and the velocities in d.
void hf_actuation_passive(const hfActuation* a, const hfDynamics* d, const double* q, double* tau) {
  const hfModel* m = a->model;
  memset(tau, 0, (size_t)m->nv * sizeof *tau);

  // joints
  add_joint_springs(m, hfi_rest_positions(d), q, 0, tau, NULL);
  if (a->passive.bends) add_bends(m, q, 0, tau, NULL);
  for (int i = 0; i < m->nv && !m->world.disable_damper; ++i) tau[i] -= find_damping(m, i, d->v[i]) * d->v[i];

  // tendons
  for (int t = 0; t < m->ntendon; ++t) {
    double force = hfi_tendon_passive_force(a, d, t);
    for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k)
      tau[a->tendons.dof[k]] += a->tendons.J[k] * force;
  }

  add_gravity_compensation(a, tau);
  hfi_add_fluid(a, d, 0, tau);
}

// ---- over a step ------------------------------------------------------------------------------------

// Returns the inverse mass J M^-1 J^T of a tendon [1/kg or 1/(kg m^2)].
double hfi_tendon_inverse_mass(const hfActuation* a, const hfDynamics* d, int t) {
  int start = a->tendons.start[t];
  int n = a->tendons.start[t + 1] - start;
  return hfi_inverse_mass(d, a->dense, n, a->tendons.dof + start, a->tendons.J + start);
}

// Returns the slope of a row of tendon t with h slope w = most, w its inverse mass: the steepest one that the row may
// have. Returns INFINITY if kappa is surely below it, which saves computing w; 0 if no dof moves the tendon. The factor
// of 2 leaves room for rounding.
double hfi_tendon_stiffest(const hfActuation* a, const hfDynamics* d, int t, double h, double kappa, double most) {
  int start = a->tendons.start[t];
  int n = a->tendons.start[t + 1] - start;
  double bound = hfi_largest_inverse_mass(d, n, a->tendons.dof + start, a->tendons.J + start);
  if (bound > 0 && 2 * h * kappa * bound <= most) return INFINITY;

  double w = hfi_tendon_inverse_mass(a, d, t);
  return w > 0 ? most / (h * w) : 0;
}

// Appends a row along sign times the length of tendon t. The block has the dofs of the tendon as columns.
void hfi_tendon_row(hfActuation* a, hfiRowSource source, int t, double sign, hfSaturatedRow row) {
  int start = a->tendons.start[t];
  int n = a->tendons.start[t + 1] - start;
  hfiRowSpace next = hfi_rows_next(&a->rows);

  next.row[0] = row;
  memcpy(next.cols, a->tendons.dof + start, (size_t)n * sizeof *a->tendons.dof);
  for (int k = 0; k < n; ++k) next.J[k] = sign * a->tendons.J[start + k];
  hfi_rows_append(&a->rows, (hfiRowOrigin){source, t}, 1, n);
}

// Appends the rows of a tendon spring, k (rest - l0 - h s) = -h k (s - (rest - l0)/h): one that pulls beyond the rest
// interval and one that pushes below it, or one row where the interval is a point. stiffest: largest slope of a row.
static void add_tendon_spring(hfActuation* a, const hfDynamics* d, int t, double h, double stiffest) {
  const double* rest = hfi_rest_lengths(d, t);
  double kappa = hfi_cap_slope(&a->rows, h * find_tendon_stiffness(a, d, t), stiffest);
  double length = a->tendons.length[t];
  hfSaturatedRow pull = {(rest[1] - length) / h, kappa, -INFINITY, 0};
  hfSaturatedRow push = {(rest[0] - length) / h, kappa, 0, INFINITY};

  if (rest[0] == rest[1]) {
    pull.hi = INFINITY; // one row pulls and pushes
  } else {
    hfi_tendon_row(a, HFI_ROW_TENDON_SPRING, t, 1, push);
  }
  hfi_tendon_row(a, HFI_ROW_TENDON_SPRING, t, 1, pull);
}

// Appends the row of a tendon's damper.
static void add_tendon_damper(hfActuation* a, int t, double stiffest) {
  hfSaturatedRow row = {0, hfi_cap_slope(&a->rows, find_tendon_damping(a, t), stiffest), -INFINITY, INFINITY};
  hfi_tendon_row(a, HFI_ROW_TENDON_DAMPER, t, 1, row);
}

// Appends the rows of spring and damper of a tendon that has them and can move something.
static void add_tendon(hfActuation* a, const hfDynamics* d, int t, double h) {
  const hfModel* m = a->model;
  double k = m->world.disable_spring ? 0 : find_tendon_stiffness(a, d, t);
  double c = m->world.disable_damper ? 0 : find_tendon_damping(a, t);
  if (!(k > 0 || c > 0)) return;

  double stiffest = hfi_tendon_stiffest(a, d, t, h, max2(h * k, c), HFI_STIFFEST_DRIVE);
  if (!(stiffest > 0)) return;
  if (k > 0) add_tendon_spring(a, d, t, h, stiffest);
  if (c > 0) add_tendon_damper(a, t, stiffest);
}

// diag += h c of all dofs. Constant dampers have a loop of their own, which compilers write with vectors.
static void add_dampers(const hfActuation* a, const hfDynamics* d, double h, double* diag) {
  const hfModel* m = a->model;
  const double* c = hf_model_dof_damping(m);

  if (a->passive.curved_dampers) {
    for (int i = 0; i < m->nv; ++i) diag[i] += h * max2(0, find_damping(m, i, d->v[i]));
    return;
  }

  for (int i = 0; i < m->nv; ++i) diag[i] += h * max2(0, c[i]);
}

// Adds everything passive over a step to tau (nv), diag (nv) and the rows.
void hfi_spring_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau, double* diag) {
  const hfModel* m = a->model;
  if (a->passive.springs) add_joint_springs(m, hfi_rest_positions(d), step->q, step->h, tau, diag);
  if (a->passive.bends) add_bends(m, step->q, step->h, tau, diag);
  if (a->passive.dampers && !m->world.disable_damper) add_dampers(a, d, step->h, diag);
  for (int t = 0; t < m->ntendon; ++t) add_tendon(a, d, t, step->h);
  add_gravity_compensation(a, tau);
  hfi_add_fluid(a, d, step->h, tau);
}
