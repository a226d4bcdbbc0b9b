// Limits of joints and tendons as rows of a step.
//
// A limit keeps a distance phi >= 0 (lower: q - range0, upper: range1 - q, ball: largest angle -
// angle, all less the margin) by a force >= 0 along s = dphi/dt:
//
//   phi > 0    s0 = -phi/h:     no force unless the step would cross the limit
//   phi <= 0   Kelvin-Voigt with the joint's stiffness and damping, or near-rigid (hfi_compliant_row)
//
// Where the model has MuJoCo's solref for a limit, its law holds on both sides of phi = 0 (step/law/solref.h), for the
// inverse mass that the joint or tendon has at the reference pose.
//
// A limit that is far away would carry no force and gets no row. A ball joint gets a row only if the step may reach
// the limit at twice the present speed plus HFI_FAST_SPEED. For a hinge, slide or tendon the step says how much is
// added to the speed: limit_speed, for a tendon times |J|, the largest speed that dofs of that speed give it. After
// solving the step the caller must ask hfi_limit_passed, and solve again with the rows of all limits if the solution
// is beyond one.
#include "step/actuation/inside.h"

#include "base/compile.h"
#include "base/finite.h"
#include "base/gather.h"
#include "step/law/solref.h"

// A near-rigid limit brings a joint that starts beyond it back within this time [s], but not faster than the world's
// release speed. A one-sided row cannot brake, so the joint leaves the limit with that speed.
static const double RELEASE_TIME = 0.02;

// Returns the row of a limit at distance phi, beyond it if phi <= 0. law: its stiffness and damping; w: its inverse
// mass.
static hfSaturatedRow make_limit_row(hfActuation* a, const hfiActuationStep* step, hfiCompliance law, double w,
                                     double phi) {
  hfSaturatedRow row = hfi_compliant_row(&a->rows, step, law, w, phi, max2(RELEASE_TIME, step->h));
  double u = a->model->world.release_speed;

  // a limit that is not reached yet pushes only what would cross it; one that was passed returns at u at most
  if (phi > 0) {
    row.s0 = -phi / step->h;
  } else if (law.k <= 0 && law.c <= 0 && row.s0 > u) {
    row.kappa *= hfi_strengthen_slowed_row(row.s0 / u);
    row.s0 = u;
  }

  row.lo = 0;
  return row;
}

// Whether a limit with this solref has MuJoCo's law in this step.
static int is_soft(const hfiActuationStep* step, const double* solref) {
  return hfi_limit_is_soft(solref, step->rigid_limits, step->soft_defaults);
}

// Returns the row of a limit with MuJoCo's law for the inverse mass w; speed: dphi/dt at the start of the step.
static hfSaturatedRow make_soft_limit_row(const hfModel* m, const hfiActuationStep* step, const double* solref,
                                          const double* solimp, double w, double phi, double speed) {
  if (solref[0] == 0) {
    solref = HFI_DEFAULT_SOLREF;
    solimp = HFI_DEFAULT_SOLIMP;
  }

  hfiSoftLaw law = hfi_soft_law(solref, solimp, w, m->world.timestep);
  hfiSoftStep soft = hfi_soft_step(&law, -phi, speed, step->h);
  return (hfSaturatedRow){soft.depth / step->h, step->h * soft.stiffness, 0, INFINITY};
}

// ---- joints -----------------------------------------------------------------------------------------

// Returns the mean inverse mass of the dofs of joint j at the reference pose, which MuJoCo takes for its limits; 0 if
// it is not known.
static double find_reference_inverse_mass(const hfActuation* a, int j) {
  int first = hf_model_jnt_dofadr(a->model)[j];
  int n = hfi_joint_nv(hf_model_jnt_type(a->model)[j]);
  double sum = 0;
  for (int i = first; i < first + n; ++i) sum += a->reference_mass.dof[i] / n;
  return sum;
}

// Returns the row of one limit of joint j, on its n dofs.
static hfSaturatedRow make_joint_limit_row(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int j,
                                           int n, const int32_t* dof, const hfiJointLimit* limit) {
  const hfModel* m = a->model;
  const double* solref = hf_model_jnt_limit_solref(m) + 2 * j;
  const double* solimp = hf_model_jnt_limit_solimp(m) + 5 * j;
  hfiCompliance law = hfi_joint_limit_given(m, j);
  int soft = is_soft(step, solref) && law.k == 0 && law.c == 0;

  double w = soft ? find_reference_inverse_mass(a, j) : 0;
  if (!(w > 0)) w = hfi_inverse_mass(d, a->dense, n, dof, limit->J);
  if (!soft || !(w > 0)) return make_limit_row(a, step, law, w, limit->phi);

  double speed = 0;
  for (int i = 0; i < n; ++i) speed += limit->J[i] * d->v[dof[i]];
  return make_soft_limit_row(m, step, solref, solimp, w, limit->phi, speed);
}

// Appends the row of one limit of joint j.
static void add_joint_limit(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int j,
                            const hfiJointLimit* limit) {
  int n = hfi_joint_nv(hf_model_jnt_type(a->model)[j]);
  int32_t first = hf_model_jnt_dofadr(a->model)[j];
  int32_t dof[3] = {first, first + 1, first + 2};
  hfSaturatedRow row = make_joint_limit_row(a, d, step, j, n, dof, limit);
  hfi_rows_append_row(&a->rows, (hfiRowOrigin){HFI_ROW_JOINT_LIMIT, j}, row, n, dof, limit->J);
}

// Whether a step that adds `more` to the speed of a joint may cover the distance phi.
static inline int is_in_reach(double phi, double speed, double more, double h) { return phi <= h * (more + 2 * speed); }

// Adds the row of one end of a hinge or slide at distance phi if the step may reach it. Otherwise lowers notes.free_way
// to phi. sign: dphi/dq, 1 at the lower end, -1 at the upper end. speed: |dq/dt|, for both ends alike.
static void add_range_end(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int j, double sign,
                      double phi, double speed) {
  if (is_in_reach(phi, speed, step->limit_speed, step->h)) {
    add_joint_limit(a, d, step, j, &(hfiJointLimit){phi, {sign}});
    return;
  }
  a->notes.free_way = min2(a->notes.free_way, phi);
}

// Adds the rows of both ends of a hinge or slide, at these distances from them.
HFI_NOINLINE static void add_range_ends(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int j,
                                   double below, double above, double speed) {
  add_range_end(a, d, step, j, 1, below, speed);
  add_range_end(a, d, step, j, -1, above, speed);
}

// Adds the limits of a ball joint that the step may reach.
HFI_NOINLINE static void add_ball_limits(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int j) {
  const hfModel* m = a->model;
  const double* v = d->v + hf_model_jnt_dofadr(m)[j];
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, step->q + hf_model_jnt_qposadr(m)[j], limit);

  double speed2 = 0;
  int n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
  for (int k = 0; k < n; ++k) speed2 += sqr(v[k]);

  for (int i = 0; i < count; ++i)
    if (is_in_reach(limit[i].phi, sqrt(speed2), HFI_FAST_SPEED, step->h)) add_joint_limit(a, d, step, j, &limit[i]);
}

// ---- tendons ----------------------------------------------------------------------------------------

// Returns the inverse mass of tendon t in the law of its limits: MuJoCo's law takes the one of the reference pose, if
// it is known.
static double find_tendon_inverse_mass(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int t) {
  int soft = is_soft(step, hf_model_tendon_limit_solref(a->model) + 2 * t);
  double w = a->reference_mass.tendon[t];
  return soft && w > 0 ? w : hfi_tendon_inverse_mass(a, d, t);
}

// Returns the row of one end of a tendon's range at distance phi, which changes at this speed. w: the inverse mass of
// find_tendon_inverse_mass.
static hfSaturatedRow make_tendon_limit_row(hfActuation* a, const hfiActuationStep* step, int t, double w, double phi,
                                       double speed) {
  const hfModel* m = a->model;
  const double* solref = hf_model_tendon_limit_solref(m) + 2 * t;
  const double* solimp = hf_model_tendon_limit_solimp(m) + 5 * t;
  if (!is_soft(step, solref)) return make_limit_row(a, step, (hfiCompliance){0, 0}, w, phi);
  return make_soft_limit_row(m, step, solref, solimp, w, phi, speed);
}

// Adds the rows of those ends of the range of tendon t that the step may reach. The others lower notes.free_way, the
// least distance to a limit without a row; it is divided by |J| to count the way of dofs.
static void add_tendon_limits(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int t) {
  const hfModel* m = a->model;
  const double* range = hf_model_tendon_range(m) + 2 * t;
  double length = a->tendons.length[t];
  double margin = hf_model_tendon_margin(m)[t];
  double below = length - range[0] - margin; // phi of the lower end
  double above = range[1] - length - margin; // phi of the upper end

  // the rate of the length, and the size of the row
  double speed = 0;
  double size2 = 0;
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k) {
    speed += a->tendons.J[k] * d->v[a->tendons.dof[k]];
    size2 += sqr(a->tendons.J[k]);
  }
  if (!(size2 > 0)) return; // no dof moves the tendon

  // which ends the step may reach, and how far dofs can move before the others
  double size = sqrt(size2); // |J|
  int lower = is_in_reach(below, fabs(speed), step->limit_speed * size, step->h);
  int upper = is_in_reach(above, fabs(speed), step->limit_speed * size, step->h);
  if (!lower) a->notes.free_way = min2(a->notes.free_way, below / size);
  if (!upper) a->notes.free_way = min2(a->notes.free_way, above / size);
  if (!(lower | upper)) return;

  double w = find_tendon_inverse_mass(a, d, step, t);
  if (!(w > 0)) return;
  if (lower) hfi_tendon_row(a, HFI_ROW_TENDON_LOWER, t, 1, make_tendon_limit_row(a, step, t, w, below, speed));
  if (upper) hfi_tendon_row(a, HFI_ROW_TENDON_UPPER, t, -1, make_tendon_limit_row(a, step, t, w, above, -speed));
}

// Adds the limits of all tendons that the step may reach.
HFI_NOINLINE static void add_limits_of_tendons(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  for (int t = 0; t < a->model->ntendon; ++t)
    if (hf_model_tendon_limited(a->model)[t]) add_tendon_limits(a, d, step, t);
}

// Returns which of the HFI_LANES joints from number k of the ranges on may reach an end in the step, as bits. The
// distance of the others from their nearer end lowers *free_way.
static inline int find_near_ends(const hfiRanges* r, int k, const hfiActuationStep* step, const double* v,
                                 hfiLanes* free_way) {
  hfiLanes q = hfi_gather_numbers(step->q, r->qposadr + k);
  hfiLanes speed = hfi_lanes_absolute(hfi_gather_numbers(v, r->dofadr + k));
  hfiLanes margin = hfi_lanes_load(r->margin + k);

  hfiLanes below = q - hfi_lanes_load(r->low + k) - margin;
  hfiLanes above = hfi_lanes_load(r->high + k) - q - margin;
  hfiLanes nearer = hfi_lanes_min(below, above);

  // those in reach do not count in free_way
  int near = hfi_lanes_at_most(nearer, step->h * (step->limit_speed + 2 * speed)); // as is_in_reach
  for (int i = 0; near && i < HFI_LANES; ++i)
    if (near >> i & 1) nearer[i] = INFINITY;

  *free_way = hfi_lanes_min(*free_way, nearer);
  return near;
}

// Adds the limits of hinges and slides that the step may reach, in a model in which no ball has a limit. The others
// lower notes.free_way. Most joints are far from both ends, so that several are examined at a time.
static void add_limits_of_ranges(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  const hfiRanges* r = &a->passive.ranges;
  hfiLanes free_way = hfi_lanes_of(a->notes.free_way);

  for (int k = 0; k < r->n; k += HFI_LANES) {
    int near = find_near_ends(r, k, step, d->v, &free_way);
    for (int i = k; near && i < r->n; ++i, near >>= 1) {
      if (!(near & 1)) continue;
      double q = step->q[r->qposadr[i]];
      double below = q - r->low[i] - r->margin[i]; // phi of the lower end, then of the upper end
      double above = r->high[i] - q - r->margin[i];
      add_range_ends(a, d, step, r->joint[i], below, above, fabs(d->v[r->dofadr[i]]));
    }
  }

  for (int i = 0; i < HFI_LANES; ++i) a->notes.free_way = min2(a->notes.free_way, free_way[i]);
}

// Adds the limits of all joints that the step may reach, in their order. Hinges and slides that are not in reach lower
// notes.free_way, the least distance to a limit without a row.
static void add_limits_of_joints(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  const hfModel* m = a->model;
  const int32_t* type = hf_model_jnt_type(m);
  const double* range = hf_model_jnt_range(m);

  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    if (!hfi_joint_is_scalar(type[j])) {
      add_ball_limits(a, d, step, j);
      continue;
    }

    double q = step->q[hf_model_jnt_qposadr(m)[j]];
    double speed = fabs(d->v[hf_model_jnt_dofadr(m)[j]]);
    double below = q - range[2 * j] - hf_model_jnt_margin(m)[j]; // phi of the lower end, then of the upper end
    double above = range[2 * j + 1] - q - hf_model_jnt_margin(m)[j];

    double nearer = min2(below, above);
    if (is_in_reach(nearer, speed, step->limit_speed, step->h)) add_range_ends(a, d, step, j, below, above, speed);
    else a->notes.free_way = min2(a->notes.free_way, nearer);
  }
}

// Appends the rows of all limits that the step may reach, and notes how far the others are.
void hfi_limit_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  if (a->model->world.disable_limit) return;
  if (a->passive.ranges.any_ball) add_limits_of_joints(a, d, step);
  else add_limits_of_ranges(a, d, step);
  if (a->model->ntendon) add_limits_of_tendons(a, d, step);
}

// Whether this end of the range of a joint or tendon has a row. Rows of both ends of a joint have the same source;
// `sign` tells them apart: phi grows with sign times the coordinate.
static int has_row(const hfActuation* a, hfiRowSource source, int id, double sign) {
  const hfiRows* rows = &a->rows;
  const hfStepProblem* p = rows->problem;

  for (int b = 0; b < rows->nblock; ++b) {
    hfiRowOrigin origin = rows->origin[b];
    if (origin.source != source || origin.id != id) continue;

    if (source != HFI_ROW_JOINT_LIMIT || p->J[p->piece[hfi_rows_block(rows, b)->piece].jac] == sign) return 1;
  }
  return 0;
}

// Whether velocity v takes a hinge or slide at q past a limit that has no row.
static int passes_limit(const hfActuation* a, int j, double q, double v, double h) {
  const double* range = hf_model_jnt_range(a->model) + 2 * j;
  double margin = hf_model_jnt_margin(a->model)[j];
  double below = q - range[0] - margin;
  double above = range[1] - q - margin;
  if (below + h * v < 0 && !has_row(a, HFI_ROW_JOINT_LIMIT, j, 1)) return 1;
  return above - h * v < 0 && !has_row(a, HFI_ROW_JOINT_LIMIT, j, -1);
}

// Whether a tendon passes a limit that has no row if the dofs have velocities v.
static int passes_tendon_limit(const hfActuation* a, int t, const double* v, double h) {
  const double* range = hf_model_tendon_range(a->model) + 2 * t;
  double margin = hf_model_tendon_margin(a->model)[t];
  double below = a->tendons.length[t] - range[0] - margin;
  double above = range[1] - a->tendons.length[t] - margin;

  double speed = 0; // rate of the length
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k)
    speed += a->tendons.J[k] * v[a->tendons.dof[k]];

  if (below + h * speed < 0 && !has_row(a, HFI_ROW_TENDON_LOWER, t, 1)) return 1;
  return above - h * speed < 0 && !has_row(a, HFI_ROW_TENDON_UPPER, t, -1);
}

// Whether velocities v1 (nv) over a step of length h from q (nq) take a joint or tendon past a limit that has no row.
// No joint does if none moves as far as the nearest such limit.
int hfi_limit_passed(const hfActuation* a, const double* q, const double* v1, double h) {
  const hfModel* m = a->model;
  double free_way = a->notes.free_way;
  if (!(free_way < INFINITY) || h * h * hfi_sum_squares(v1, m->nv) < sqr(free_way)) return 0;

  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j] || !hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) continue;
    if (passes_limit(a, j, q[hf_model_jnt_qposadr(m)[j]], v1[hf_model_jnt_dofadr(m)[j]], h)) return 1;
  }
  for (int t = 0; t < m->ntendon; ++t)
    if (hf_model_tendon_limited(m)[t] && passes_tendon_limit(a, t, v1, h)) return 1;
  return 0;
}
