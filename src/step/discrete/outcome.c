// The results of a step: contact forces in newtons, which contacts stick, forces of limits and equalities, the report.
//
//   f = gamma/h on body A, in the contact frame (t1, t2, n)
#include "step/discrete/inside.h"

#include "step/contact/result.h"
#include "step/contact/surface.h"
#include "step/law/law.h"
#include "step/solve/solver.h"

#include <string.h>

// ---- outcomes of contacts ---------------------------------------------------------------------------

// With the smooth law a contact counts as sticking if its friction is below this share of the bound [-]: 1/sqrt(2), the friction at the stiction
// speed.
static const double SMOOTH_STICK = 0.70710678118654752;
// Friction at its bound differs from it by rounding. The squares of the two count as equal if they differ by less than this share [-].
static const double AT_BOUND = 1e-9;

// Is friction below its bound, mu times the normal impulse?
static int friction_is_below_bound(const hfContactLaw* law, const double* gamma) {
  double bound = law->mu[HF_SLIDING] * gamma[0] * (law->friction == HF_FRICTION_SMOOTH ? SMOOTH_STICK : 1);
  return sqr(gamma[1]) + sqr(gamma[2]) < sqr(bound) * (1 - AT_BOUND);
}

// Is the slip at the end of the step inside the stick region of the law?
static int slip_is_in_stick_region(const hfContactLaw* law, double h, const double* velocity, double fn) {
  double w[2], radius = hfi_contact_stick(law, h, HF_SLIDING, fn, velocity, w);
  return sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

// Whether friction holds the contact of block b. For the anchored law `slips` says so. For other laws the impulses decide, unless friction was
// bounded by another normal force than that of the contact: on the convex rung, or by rigid contact.
static int contact_sticks(const hfiDiscrete* s, const hfStepBlock* b, int slips, int rung) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfContactLaw* law = &p->contact[b->param];
  const double* gamma = s->impulse + b->row;
  if (b->dim < 3 || !(law->mu[HF_SLIDING] * gamma[0] > 0)) return 0;
  if (law->friction == HF_FRICTION_ANCHORED) return !(slips & 1 << HF_SLIDING);
  if (rung <= HF_RUNG_MERIT && !s->solver.policy.has_rigid_contacts) return friction_is_below_bound(law, gamma);
  double velocity[6];
  hfi_block_velocity(p, b, s->v1, velocity);
  return slip_is_in_stick_region(law, p->h, velocity, gamma[0] / p->h);
}

// Velocities of all rows at the end of the step, or NULL if the solver does not keep them.
static const double* row_velocities(const hfiDiscrete* s) {
  return s->solver.policy.has_row_velocities ? hfi_solver_row_velocities(s->solver.ladder) : NULL;
}

// Velocities of the rows of a contact. known: those of all rows, or NULL.
static inline const double* end_velocity(const hfiDiscrete* s, const hfStepBlock* b, const double* known, double* scratch) {
  if (known) return known + b->row;
  hfi_block_velocity(&s->assembly.problem, b, s->v1, scratch);
  return scratch;
}

// Computes what the memory keeps of a contact: its slip and, if anchored friction slides, its deformation.
static inline void compute_slip(const hfiDiscrete* s, const hfStepBlock* b, const double* known, hfiContactOutcome* o) {
  const hfStepProblem* p = &s->assembly.problem;
  double scratch[6];
  const double *velocity = end_velocity(s, b, known, scratch), *gamma = s->impulse + b->row;
  if (b->dim > 1) o->slip_speed = sqrt(sqr(velocity[1]) + sqr(velocity[2]));
  if (s->config.friction != HF_FRICTION_ANCHORED || b->dim == 1) return;
  const hfContactLaw* law = &p->contact[b->param];
  o->slips = hfi_contact_slips(law, p->h, b->dim, velocity, gamma);
  if (o->slips) hfi_contact_deformation(law, p->h, b->dim, gamma, o->xi);
}

static void compute_contact_outcomes(hfiDiscrete* s, hfStepReport* report) {
  const hfiWorld* w = s->world;
  int remembers = hfi_contacts_remember(s);
  const double* known = remembers ? row_velocities(s) : NULL;
  report->ncontact = w->near.ncontact;
  report->ndropped = w->near.ndropped;
  report->ncapped = s->assembly.ncapped + w->actuation.rows.ncapped;
  for (int i = 0; i < w->near.ncontact; ++i) {
    hfiContactOutcome* o = &s->outcome[i];
    o->sticks = o->slips = 0, o->slip_speed = 0;
    report->max_depth = max2(report->max_depth, w->near.contact[i].depth);
    if (s->block[i] < 0) continue;
    const hfStepBlock* b = &s->assembly.problem.block[s->block[i]];
    if (remembers) compute_slip(s, b, known, o);
    o->sticks = contact_sticks(s, b, o->slips, report->solve.rung);
    report->nstick += o->sticks;
  }
}

// ---- forces of other rows ---------------------------------------------------------------------------

// Forces (dim) of block b of the actuation's rows, which are the first blocks of the problem. For rigid rows they come from the impulses, because
// velocities do not determine them.
static void read_row_forces(const hfiDiscrete* s, int b, double* force) {
  const hfStepProblem* p = &s->assembly.problem;
  if (!s->solver.policy.has_rigid_rows) {
    hfi_rows_force(&s->world->actuation.rows, b, s->v1, force);
    return;
  }
  for (int r = 0; r < p->block[b].dim; ++r) force[r] = s->impulse[p->block[b].row + r] / p->h;
}

// Takes the forces of drives and targets from the impulses of their rows.
static void take_rigid_forces(hfiDiscrete* s) {
  hfActuation* a = &s->world->actuation;
  hfi_need_forces(a);
  for (int b = 0; b < a->rows.nblock; ++b) {
    double force[6];
    read_row_forces(s, b, force);
    hfi_actuation_take_force(a, a->rows.origin[b], force[0]);
  }
  hfi_transmit_forces(a);
}

// Velocities of the rows of an equality, which have no bounds: force = -kappa (s - s0).
static void read_equality_speeds(const hfiDiscrete* s, int b, const double* force, double* speed) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfSaturatedRow* row = p->saturated + p->block[b].param;
  if (s->solver.policy.has_rigid_rows) {
    hfi_block_velocity(p, &p->block[b], s->v1, speed);
    return;
  }
  for (int r = 0; r < p->block[b].dim; ++r) speed[r] = row[r].s0 - force[r] / row[r].kappa;
}

static void compute_constraint_forces(const hfiDiscrete* s, hfiConstraintForces* out) {
  const hfiRows* rows = &s->world->actuation.rows;
  for (int b = 0; b < rows->nblock; ++b) {
    int source = rows->origin[b].source, id = rows->origin[b].id, limit = source == HFI_ROW_TENDON_LOWER || source == HFI_ROW_TENDON_UPPER;
    double force[6];
    if (source != HFI_ROW_JOINT_LIMIT && source != HFI_ROW_EQUALITY && source != HFI_ROW_TENDON_FRICTION && !limit) continue;
    read_row_forces(s, b, force);
    if (source == HFI_ROW_JOINT_LIMIT) out->joint_limit[id] += force[0];
    else if (source == HFI_ROW_EQUALITY) {
      memcpy(out->equality + 6 * id, force, sizeof *force * (size_t)hfi_rows_block(rows, b)->dim);
      read_equality_speeds(s, b, force, out->equality_speed + 6 * id);
    }
    else out->tendon[id] += source == HFI_ROW_TENDON_UPPER ? -force[0] : force[0];
    if (limit) out->tendon_limit[id] += force[0];
  }
}

static int is_limit_or_equality(int source) {
  return source == HFI_ROW_JOINT_LIMIT || source == HFI_ROW_EQUALITY || source == HFI_ROW_TENDON_LOWER || source == HFI_ROW_TENDON_UPPER;
}

// From M (v1 - v0) = J^T gamma follows T1 - T0 = gamma.s1 - |v1 - v0|_M^2/2, so that gamma.s1 is an upper bound.
double hfi_discrete_row_work(const void* method) {
  const hfiDiscrete* s = method;
  const hfStepProblem* p = &s->assembly.problem;
  const hfiRows* rows = &s->world->actuation.rows;
  double work = 0;
  for (int b = 0; b < rows->nblock; ++b) {
    double force[6], speed[6], power = 0;
    if (!is_limit_or_equality(rows->origin[b].source)) continue;
    read_row_forces(s, b, force);
    hfi_block_velocity(p, &p->block[b], s->v1, speed);
    for (int r = 0; r < p->block[b].dim; ++r) power += force[r] * speed[r];
    work += p->h * max2(0, power);
  }
  return work;
}

// Adds the impulses of the impacts to those of the contacts.
static void add_impacts(hfiDiscrete* s) {
  for (int i = 0; i < s->world->near.ncontact; ++i) {
    const hfiRebound* impact = hfi_discrete_find_impact(s, &s->world->near.contact[i]);
    if (s->block[i] < 0 || !impact) continue;
    const hfStepBlock* b = &s->assembly.problem.block[s->block[i]];
    for (int r = 0; r < imin2(3, b->dim); ++r) s->impulse[b->row + r] += impact->gamma[r];
  }
}

void hfi_discrete_compute_outcome(hfiDiscrete* s, hfiStepOutput* out) {
  compute_contact_outcomes(s, out->report);
  hfi_actuation_end(&s->world->actuation, s->v1);
  if (s->solver.policy.has_rigid_rows) take_rigid_forces(s);
  if (out->constraint) compute_constraint_forces(s, out->constraint);
  if (s->impacts.count) add_impacts(s);
}

// ---- contacts as a sim reports them -----------------------------------------------------------------

hfContact hfi_discrete_contact(const hfiDiscrete* s, int i) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiContact* c = &s->world->near.contact[i];
  hfContact r = hfi_contact_result(c);
  if (s->block[i] < 0) return r;
  const hfStepBlock* b = &p->block[s->block[i]];
  const double* gamma = s->impulse + b->row;
  double scratch[6], force[6];
  const double* velocity = end_velocity(s, b, row_velocities(s), scratch);
  if (s->config.sleep) hfi_block_velocity(p, b, s->v1, scratch), velocity = scratch; // The solver has no velocities of islands that sleep.
  for (int k = 0; k < b->dim; ++k) force[k] = gamma[k] / p->h;
  hfi_contact_result_force(&r, c, b->dim, force);
  hfi_contact_result_velocity(&r, c, b->dim, velocity);
  r.mu = b->dim >= 3 ? p->contact[b->param].mu[HF_SLIDING] : 0;
  r.stick = s->outcome[i].sticks;
  return r;
}

hfContact hfi_discrete_evaluated_contact(const hfiDiscrete* s, int i) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiContact* c = &s->world->near.contact[i];
  hfContact r = hfi_contact_result(c);
  if (s->block[i] < 0) return r;
  hfVec3 va = hf_dynamics_point_velocity(d, c->body_a, c->p_W).v;
  hfVec3 v = v3_sub(va, hf_dynamics_point_velocity(d, c->body_b, c->p_W).v);
  r.vn = v3_dot(c->n, v);
  r.vt = v3_axpy(-r.vn, c->n, v);
  if (s->world->surfaces) {
    hfiSurfaceMotion motion = hfi_surface_motion(s->world->model, d->X_WB, c, 0);
    r.vt = v3_add(r.vt, hfi_across(c->n, v3_sub(motion.a, motion.b)));
  }
  r.fn = s->assembly.problem.contact[s->assembly.problem.block[s->block[i]].param].normal_force0;
  return r;
}

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
