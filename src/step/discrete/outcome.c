// The results of a step: contact forces in newtons, which contacts stick, forces of limits and equalities, the report.
//
//   f = gamma/h on body A [N]: row 0 along the normal n, which points from B into A, then t1, t2. Body B gets -f.
#include "step/discrete/inside.h"

#include "step/contact/contact.h"
#include "step/contact/surface.h"
#include "step/law/law.h"
#include "step/solve/solver.h"

#include <string.h>

// ---- outcomes of contacts ---------------------------------------------------------------------------

// With the smooth law a contact counts as sticking if its friction is below this share of the bound [-]: 1/sqrt(2), the
// friction at the stiction speed.
static const double SMOOTH_STICK_SHARE = 0.70710678118654752;
// Friction at its bound differs from it by rounding. The squares of the two count as equal if they differ by less than
// this share [-].
static const double AT_BOUND_SHARE = 1e-9;

// Whether friction is below its bound, mu times the normal impulse.
static int friction_is_below_bound(const hfContactLaw* law, const double* gamma) {
  double share = law->friction == HF_FRICTION_SMOOTH ? SMOOTH_STICK_SHARE : 1;
  double bound = law->mu[HF_SLIDING] * gamma[0] * share;
  return sqr(gamma[1]) + sqr(gamma[2]) < sqr(bound) * (1 - AT_BOUND_SHARE);
}

// Whether the slip at the end of the step is inside the stick region of the law. fn: normal force [N].
static int slip_is_in_stick_region(const hfContactLaw* law, double h, const double* velocity, double fn) {
  double w[2];
  double radius = hfi_contact_stick(law, h, HF_SLIDING, fn, velocity, w);
  return sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

// Whether friction holds the contact of block b. For the anchored law `slips` says so. For other laws the impulses
// decide, unless friction was bounded by another normal force than that of the contact: on the convex rung, or by rigid
// contact.
static int contact_sticks(const hfiDiscrete* s, const hfStepBlock* b, int slips, int rung) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfContactLaw* law = &p->contact[b->param];
  const double* gamma = s->impulse + b->row;
  if (b->dim < 3 || !(law->mu[HF_SLIDING] * gamma[0] > 0)) return 0;

  if (law->friction == HF_FRICTION_ANCHORED) return !(slips & 1 << HF_SLIDING);
  if (rung <= HF_RUNG_MERIT && !s->solver.policy.has_rigid_contacts) return friction_is_below_bound(law, gamma);

  double velocity[HFI_MAX_BLOCK_ROWS];
  hfi_block_velocity(p, b, s->v1, velocity);
  return slip_is_in_stick_region(law, p->h, velocity, gamma[0] / p->h);
}

// Returns the velocities of all rows at the end of the step, or NULL if the solver does not keep them.
static const double* find_row_velocities(const hfiDiscrete* s) {
  return s->solver.policy.has_row_velocities ? hfi_solver_row_velocities(s->solver.ladder) : NULL;
}

// Returns the velocities of the rows of a contact. known: those of all rows, or NULL; scratch (dim) holds them then.
static inline const double* find_end_velocity(const hfiDiscrete* s, const hfStepBlock* b, const double* known,
                                              double* scratch) {
  if (known) return known + b->row;
  hfi_block_velocity(&s->assembly.problem, b, s->v1, scratch);
  return scratch;
}

// Computes what the memory keeps of the contact of block b: its slip speed and, if friction is anchored, which groups
// slide and the deformation of these. known: velocities of all rows, or NULL.
static inline void compute_slip(const hfiDiscrete* s, const hfStepBlock* b, const double* known, hfiContactOutcome* o) {
  const hfStepProblem* p = &s->assembly.problem;
  const double* gamma = s->impulse + b->row;
  double scratch[HFI_MAX_BLOCK_ROWS];
  const double* velocity = find_end_velocity(s, b, known, scratch);

  if (b->dim == 1) return;
  o->slip_speed = sqrt(sqr(velocity[1]) + sqr(velocity[2]));
  if (s->config.friction != HF_FRICTION_ANCHORED) return;

  const hfContactLaw* law = &p->contact[b->param];
  o->slips = hfi_contact_slips(law, p->h, b->dim, velocity, gamma);
  if (o->slips) hfi_contact_deformation(law, p->h, b->dim, gamma, o->xi);
}

// Computes s->outcome of all contacts, and in the report the counts of contacts and the largest overlap. Slip is
// computed only if contacts remember something. A contact without a block, which moves nothing, keeps an outcome of 0.
static void compute_contact_outcomes(hfiDiscrete* s, hfStepReport* report) {
  const hfiWorld* w = s->world;
  const hfiNear* near = &w->near;
  int remembers = hfi_contacts_remember(s);
  const double* known = remembers ? find_row_velocities(s) : NULL;

  report->ncontact = near->ncontact;
  report->ndropped = near->ndropped;
  report->ncapped = s->assembly.ncapped + w->actuation.rows.ncapped;
  for (int i = 0; i < near->ncontact; ++i) {
    hfiContactOutcome* o = &s->outcome[i];
    o->sticks = 0;
    o->slips = 0;
    o->slip_speed = 0;
    report->max_depth = max2(report->max_depth, hfi_contact_overlap(&near->contact[i]));
    if (s->block[i] < 0) continue;

    const hfStepBlock* b = &s->assembly.problem.block[s->block[i]];
    if (remembers) compute_slip(s, b, known, o);
    o->sticks = contact_sticks(s, b, o->slips, report->solve.rung);
    report->nstick += o->sticks;
  }
}

// ---- forces of other rows -----------------------------------------------------------------------------

// Reads the forces (dim) of block b of the actuation's rows, which are the first blocks of the problem. For rigid rows
// they come from the impulses, because velocities do not determine them.
static void read_row_forces(const hfiDiscrete* s, int b, double* force) {
  const hfStepProblem* p = &s->assembly.problem;
  if (!s->solver.policy.has_rigid_rows) {
    hfi_rows_force(&s->world->actuation.rows, b, s->v1, force);
    return;
  }
  for (int r = 0; r < p->block[b].dim; ++r) force[r] = s->impulse[p->block[b].row + r] / p->h;
}

// Gives the actuation the forces of drives and targets, from the impulses of their rows.
static void take_rigid_forces(hfiDiscrete* s) {
  hfActuation* a = &s->world->actuation;
  hfi_need_forces(a);
  for (int b = 0; b < a->rows.nblock; ++b) {
    double force[HFI_MAX_BLOCK_ROWS];
    read_row_forces(s, b, force);
    hfi_actuation_take_force(a, a->rows.origin[b], force[0]);
  }
  hfi_transmit_forces(a);
}

// Reads the velocities (dim) of the rows of an equality, which have no bounds: force = -kappa (s - s0).
static void read_equality_speeds(const hfiDiscrete* s, int b, const double* force, double* speed) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfSaturatedRow* row = p->saturated + p->block[b].param;
  if (s->solver.policy.has_rigid_rows) {
    hfi_block_velocity(p, &p->block[b], s->v1, speed);
    return;
  }
  for (int r = 0; r < p->block[b].dim; ++r) speed[r] = row[r].s0 - force[r] / row[r].kappa;
}

// Adds the forces of limits, friction losses of tendons and equalities to `out` [N or N m]. A force of a tendon is
// positive along growing length; the force of a limit is positive away from the limit.
static void compute_constraint_forces(const hfiDiscrete* s, hfiConstraintForces* out) {
  const hfiRows* rows = &s->world->actuation.rows;

  for (int b = 0; b < rows->nblock; ++b) {
    int id = rows->origin[b].id;
    double force[HFI_MAX_BLOCK_ROWS];
    switch (rows->origin[b].source) {
    case HFI_ROW_JOINT_LIMIT:
      read_row_forces(s, b, force);
      out->joint_limit[id] += force[0];
      break;
    case HFI_ROW_TENDON_LOWER:
      read_row_forces(s, b, force);
      out->tendon[id] += force[0];
      out->tendon_limit[id] += force[0];
      break;
    case HFI_ROW_TENDON_UPPER: // Its row velocity is minus the rate of the length.
      read_row_forces(s, b, force);
      out->tendon[id] -= force[0];
      out->tendon_limit[id] += force[0];
      break;
    case HFI_ROW_TENDON_FRICTION:
      read_row_forces(s, b, force);
      out->tendon[id] += force[0];
      break;
    case HFI_ROW_EQUALITY:
      read_row_forces(s, b, force);
      memcpy(out->equality + 6 * id, force, sizeof *force * (size_t)hfi_rows_block(rows, b)->dim);
      read_equality_speeds(s, b, force, out->equality_speed + 6 * id);
      break;
    default: break;
    }
  }
}

static int is_limit_or_equality(hfiRowSource source) {
  return source == HFI_ROW_JOINT_LIMIT || source == HFI_ROW_EQUALITY || source == HFI_ROW_TENDON_LOWER ||
         source == HFI_ROW_TENDON_UPPER;
}

// Returns an upper bound on the energy that limits and equalities gave in the step: gamma.s1 where it is positive [J].
// From M (v1 - v0) = J^T gamma follows T1 - T0 = gamma.s1 - |v1 - v0|_M^2/2, so that gamma.s1 is an upper bound.
double hfi_discrete_row_work(const void* method) {
  const hfiDiscrete* s = method;
  const hfStepProblem* p = &s->assembly.problem;
  const hfiRows* rows = &s->world->actuation.rows;
  double work = 0;

  for (int b = 0; b < rows->nblock; ++b) {
    if (!is_limit_or_equality(rows->origin[b].source)) continue;
    double force[HFI_MAX_BLOCK_ROWS];
    double speed[HFI_MAX_BLOCK_ROWS];
    read_row_forces(s, b, force);
    hfi_block_velocity(p, &p->block[b], s->v1, speed);

    double power = 0;
    for (int r = 0; r < p->block[b].dim; ++r) power += force[r] * speed[r];
    work += p->h * max2(0, power);
  }
  return work;
}

// Adds the impulses of the impacts to those of the contacts.
static void add_impacts(hfiDiscrete* s) {
  for (int i = 0; i < s->world->near.ncontact; ++i) {
    const double* gamma = hfi_discrete_find_impact(s, i);
    if (!gamma) continue;
    const hfStepBlock* b = &s->assembly.problem.block[s->block[i]];
    for (int r = 0; r < imin2(3, b->dim); ++r) s->impulse[b->row + r] += gamma[r];
  }
}

// Writes s->outcome, forces of the actuation, out->constraint and the report. Impacts are added to s->impulse.
void hfi_discrete_compute_outcome(hfiDiscrete* s, hfiStepOutput* out) {
  compute_contact_outcomes(s, out->report);
  hfi_actuation_end(&s->world->actuation, s->v1);
  if (s->solver.policy.has_rigid_rows) take_rigid_forces(s);
  if (out->constraint) compute_constraint_forces(s, out->constraint);
  if (s->impacts.any) add_impacts(s);
}

// ---- contacts as a sim reports them -------------------------------------------------------------------

// Returns contact i with the forces and row velocities at the end of the step. The frame (n, t1, t2) and depth are
// those of its start.
hfContact hfi_discrete_contact(const hfiDiscrete* s, int i) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  hfContact result = hfi_contact_result(c);
  if (s->block[i] < 0) return result;

  // the solver has no velocities of islands that sleep
  const hfStepBlock* b = &p->block[s->block[i]];
  double scratch[HFI_MAX_BLOCK_ROWS];
  const double* known = s->config.sleep ? NULL : find_row_velocities(s);
  const double* velocity = find_end_velocity(s, b, known, scratch);

  // impulses over h: newtons on body A
  double force[HFI_MAX_BLOCK_ROWS];
  for (int r = 0; r < b->dim; ++r) force[r] = s->impulse[b->row + r] / p->h;
  hfi_contact_result_force(&result, c, b->dim, force);
  hfi_contact_result_velocity(&result, c, b->dim, velocity);
  result.mu = b->dim >= 3 ? p->contact[b->param].mu[HF_SLIDING] : 0;
  result.stick = s->outcome[i].sticks;
  return result;
}

// Returns contact i without a step: with the velocity of its point in the present state, A relative to B, and the
// normal force of its law there. Friction is not known.
hfContact hfi_discrete_evaluated_contact(const hfiDiscrete* s, int i) {
  const hfDynamics* d = &s->world->dynamics;
  const hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  hfContact result = hfi_contact_result(c);
  if (s->block[i] < 0) return result;

  // the velocity of body A relative to body B, and what moving surfaces add to it
  hfVec3 va = hf_dynamics_point_velocity(d, c->body_a, c->p_W).v;
  hfVec3 v = v3_sub(va, hf_dynamics_point_velocity(d, c->body_b, c->p_W).v);
  result.vn = v3_dot(c->n, v);
  result.vt = v3_axpy(-result.vn, c->n, v);
  if (s->world->surfaces) {
    hfiSurfaceMotion motion = hfi_surface_motion(s->world->model, d->X_WB, c, 0);
    result.vt = v3_add(result.vt, hfi_across(c->n, v3_sub(motion.a, motion.b)));
  }

  result.fn = p->contact[p->block[s->block[i]].param].normal_force0;
  return result;
}

// Sums over the contacts of the last step that overlap [J].
double hfi_discrete_overlap_energy(const void* method) {
  const hfiDiscrete* s = method;
  double released = hfi_energy_at_release_speed(s->world->model);
  double sum = 0;

  for (int i = 0; i < s->world->near.ncontact; ++i) {
    hfContact c = hfi_discrete_contact(s, i);
    if (c.depth > 0) sum += s->solver.policy.has_rigid_contacts ? released : 0.5 * c.fn * c.depth;
  }
  return sum;
}
