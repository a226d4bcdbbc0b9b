// The right-hand side in continuous time. hf_accel_rate evaluates it in this order:
//
// 1. hfi_accel_configure, only where q differs from the last one: poses, M and its factors, contacts with their rows
//    and laws, rows of the equalities and the factors of Je M^-1 Je^T. A difference quotient with respect to v finds
//    these in place.
// 2. gather_forces: a->tau = applied + actuators + springs + limits and friction losses - bias, at velocity v.
// 3. hfi_accel_contact_forces: adds J^T f of the contacts, whose forces f follow from depth and J v.
// 4. hfi_accel_finish: solves M vdot = tau + Je^T lambda with Je vdot = target - Jedot v (accel_equality.c).
//
// What is fresh: a->stage.
#include "methods/continuous/inside.h"

#include "base/object.h"
#include "model/actuator.h"
#include "step/law/tals.h"

#include <string.h>

hfAccelConfig hf_accel_config_default(void) {
  hfAccelConfig c = {.friction = HF_FRICTION_REGULARISED,
                     .max_contacts = 256,
                     .scene_signals = 1,
                     .static_speed = 10,
                     .theta_max = HFI_PI / 3};
  return c;
}

// ---- creation -------------------------------------------------------------------------------------

// Takes the arrays of the problem in dense form.
static void take_problem(hfAccel* a, hfiArena* arena) {
  size_t nv = (size_t)a->model->nv;
  size_t rows = 6 * (size_t)a->config.max_contacts;
  a->problem.M = HFI_TAKE(arena, double, nv * nv);
  a->problem.contact = HFI_TAKE(arena, hfAccelContact, a->config.max_contacts);
  a->problem.J = HFI_TAKE(arena, double, rows * nv);
  a->problem.Jdot_v = HFI_TAKE(arena, double, rows);
  a->problem.v = HFI_TAKE(arena, double, nv);
  a->problem.tau = HFI_TAKE(arena, double, nv);
}

// Takes the arrays of the equalities.
static void take_equalities(hfiEqualityRows* e, const hfModel* m, hfiArena* arena) {
  int n = hfi_accel_max_equality(m);
  e->object = HFI_TAKE(arena, hfiEquality, m->neq);
  e->J = HFI_TAKE(arena, double, n * m->nv);
  e->JM = HFI_TAKE(arena, double, n * m->nv);
  e->A = HFI_TAKE(arena, double, n * n);
  e->softened = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &e->softness, &e->error, &e->damping, &e->stiffness, &e->Jdot_v, &e->target,
                &e->lambda);
  e->cols = HFI_TAKE(arena, int32_t, m->nv);
  e->block = HFI_TAKE(arena, double, 6 * m->nv);
}

static void take_arrays(void* object, hfiArena* arena) {
  hfAccel* a = object;
  const hfModel* m = a->model;
  const int contacts = a->config.max_contacts;
  const size_t square = (size_t)m->nv * (size_t)m->nv;

  // the point
  a->point.v = HFI_TAKE(arena, double, m->nv);
  a->point.act = HFI_TAKE(arena, double, m->na);
  a->tau = HFI_TAKE(arena, double, m->nv);
  a->vdot = HFI_TAKE(arena, double, m->nv);

  // contacts, their rows and what is remembered of them
  a->contact = HFI_TAKE(arena, hfiAccelContact, contacts);
  a->rows.max_cols = 2 * hfi_longest_chain(m);
  a->rows.cols = HFI_TAKE(arena, int32_t, contacts * a->rows.max_cols);
  a->rows.J = HFI_TAKE(arena, double, 6 * (size_t)contacts * (size_t)a->rows.max_cols);
  a->rows.block = HFI_TAKE(arena, double, 7 * a->rows.max_cols);
  a->anchors.contact = HFI_TAKE(arena, hfiContact, contacts);
  a->anchors.anchor = HFI_TAKE(arena, hfiAnchor, contacts);
  a->anchors.outcome = HFI_TAKE(arena, hfiContactOutcome, contacts);
  a->hold.list = HFI_TAKE(arena, hfiHeldContact, contacts);
  a->deformations.place = HFI_TAKE(arena, int32_t, contacts);

  // stops and equalities
  a->stops.list = HFI_TAKE(arena, hfiStop, hfi_accel_max_stops(m));
  a->stops.dof_index = HFI_TAKE(arena, int32_t, m->nv);
  take_equalities(&a->equalities, m, arena);

  // the equation, its Jacobian and the dense problem
  a->equation.weight = HFI_TAKE(arena, double, 2 * m->nv + m->na + 6 * contacts);
  a->equation.landing = HFI_TAKE(arena, hfiLanding, contacts);
  a->slopes.dtau_dq = HFI_TAKE(arena, double, square);
  a->slopes.dtau_dv = HFI_TAKE(arena, double, square);
  a->slopes.column = HFI_TAKE(arena, double, m->nv);
  a->motion.q = HFI_TAKE(arena, double, m->nq);
  a->motion.v = HFI_TAKE(arena, double, m->nv);
  a->motion.q_moved = HFI_TAKE(arena, double, m->nq);
  for (int side = 0; side < 2; ++side) a->motion.rows[side] = HFI_TAKE(arena, hfiMovedRows, contacts);
  take_problem(a, arena);
}

static hfStatus check_config(const hfAccelConfig* config, hfError* error) {
  if (config->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "acceleration problem: friction \"coulomb\" belongs to the rigid methods");
  if (config->max_contacts < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: max_contacts = %d is negative",
                      config->max_contacts);
  if (!hfi_turn_is_allowed(config->theta_max))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: theta_max = %g: allowed is %g to %g",
                      config->theta_max,
                      HFI_LEAST_TURN, HFI_LARGEST_TURN);
  return HF_OK;
}

hfStatus hfi_accel_create(hfAccel** accel, hfiWorld* world, const hfAccelConfig* config, hfError* error) {
  hfStatus status = check_config(config, error);
  if (status != HF_OK) return status;

  hfAccel seed = {.model = world->model,
                  .world = world,
                  .dynamics = &world->dynamics,
                  .actuation = &world->actuation,
                  .config = *config};
  seed.config.max_contacts = world->config.max_contacts;
  hfAccel* a = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "an acceleration problem",
                                 error);
  if (!a) return HF_ERROR_MEMORY;
  for (int i = 0; i < a->model->nv; ++i) a->stops.dof_index[i] = i;
  *accel = a;
  return HF_OK;
}

hfStatus hfi_accel_create_world(hfiWorld** world, const hfModel* model, int32_t max_contacts, int32_t scene_signals,
                                const hfAllocator* allocator, hfError* error) {
  hfiWorldConfig config = {.max_contacts = max_contacts, .scene_signals = scene_signals, .drive_law = -1,
                           .allocator = *allocator};
  return hfi_world_create(world, model, &config, error);
}

hfStatus hf_accel_create(hfAccel** accel, const hfModel* model, const hfAccelConfig* config, hfError* error) {
  hfi_clear_error(error);
  assert(accel && model && config);
  hfiWorld* world = NULL;

  hfStatus status = check_config(config, error);
  if (status == HF_OK)
    status = hfi_accel_create_world(&world, model, config->max_contacts, config->scene_signals, &config->allocator,
                                    error);
  if (status == HF_OK) status = hfi_accel_create(accel, world, config, error);
  if (status == HF_OK)
    (*accel)->owns_world = 1;
  else
    hfi_world_free(world);
  return status;
}

void hf_accel_free(hfAccel* a) {
  if (!a) return;
  if (a->owns_world) hfi_world_free(a->world);
  hfi_release(a);
}

hfAccelStatistics hf_accel_statistics(const hfAccel* a) { return a->statistics; }

// ---- stages ---------------------------------------------------------------------------------------

hfStatus hfi_accel_configure(hfAccel* a, const double* q) {
  hfDynamics* d = a->dynamics;
  if (a->stage >= HFI_ACCEL_AT_POSITIONS && memcmp(q, a->world->q, (size_t)a->model->nq * sizeof *q) == 0) return HF_OK;
  a->stage = HFI_ACCEL_NOWHERE;

  hfi_world_place(a->world, q, a->input);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_factor(d);
  for (int i = 0; i < a->model->nv; ++i)
    if (!(d->mass.Dinv[i] > 0 && isfinite(d->mass.Dinv[i]))) return HF_SINGULAR;

  hfi_accel_collide(a);
  hfi_update_tendons(a->actuation, d, q); // The equalities need lengths. gather_forces computes velocities.
  hfStatus status = hfi_accel_equalities(a, q);
  if (status == HF_OK) a->stage = HFI_ACCEL_AT_POSITIONS;
  ++a->statistics.collisions;
  return status;
}

// Computes a->tau: all forces except those of contacts and equalities, less the bias.
static void gather_forces(hfAccel* a, double t, const double* q, const double* v, const double* act) {
  hfDynamics* d = a->dynamics;
  hf_dynamics_set_velocity(d, v);
  hf_dynamics_update_bias(d);
  hfi_world_load(a->world, t, a->input);
  hf_actuation_update(a->actuation, d, q);
  hf_actuation_forces(a->actuation, act, a->world->ctrl, 0);
  hf_actuation_passive(a->actuation, d, q, a->tau);

  const double* drive = hf_actuation_joint_force(a->actuation);
  for (int i = 0; i < a->model->nv; ++i) a->tau[i] += drive[i] - d->c[i];
  hfi_world_add_applied(a->world, a->input, a->tau);
  hfi_accel_stops(a, q, v, a->tau);
  if (a->world->has_adhesion) hfi_world_add_adhesion(a->world, a->tau);
}

void hfi_accel_activation_rates(const hfAccel* a, const double* act, double* actdot) {
  const hfModel* m = a->model;
  for (int i = 0; i < m->nu; ++i) {
    int adr = hf_model_actuator_actadr(m)[i];
    if (adr < 0) continue;
    if (hfi_is_motor(m, i)) {
      int count = hfi_count_bits(hf_model_actuator_states(m)[i]);
      memcpy(actdot + adr, a->actuation->rate + adr, sizeof *actdot * (size_t)count);
      continue;
    }

    // an activation at its limit does not go beyond it
    const double* range = hf_model_actuator_actrange(m) + 2 * i;
    double rate = a->actuation->rate[adr];
    double now = act ? act[adr] : 0;
    int leaves = (now >= range[1] && rate > 0) || (now <= range[0] && rate < 0);
    actdot[adr] = hf_model_actuator_actlimited(m)[i] && leaves ? 0 : rate;
  }
}

hfStatus hfi_accel_gather(hfAccel* a, double t, const double* q, const double* v, const double* act, double* actdot) {
  ++a->statistics.evaluations;
  hfi_accel_leave(a, HFI_ACCEL_AT_POSITIONS);
  a->point.t = t;
  hfStatus status = hfi_accel_configure(a, q);
  if (status) return status;

  // surfaces move on even if q does not change
  if (a->world->surfaces && a->config.friction == HF_FRICTION_ANCHORED && !a->deformations.act)
    for (int i = 0; i < a->ncontact; ++i) hfi_accel_follow(a, &a->contact[i]);

  gather_forces(a, t, q, v, act);
  if (actdot) hfi_accel_activation_rates(a, act, actdot);
  hfi_accel_equality_rates(a, v);
  return HF_OK;
}

void hfi_accel_finish(hfAccel* a, double* x) {
  hfiEqualityRows* e = &a->equalities;
  for (int r = 0; r < e->count; ++r) e->lambda[r] = e->target[r] - e->Jdot_v[r];
  hfi_accel_solve(a, x, e->lambda);
}

hfStatus hf_accel_rate(hfAccel* a, double t, const double* q, const double* v, const double* act, double* vdot,
                       double* actdot) {
  hfStatus status = hfi_accel_gather(a, t, q, v, act, actdot);
  if (status) return status;
  memcpy(vdot, a->tau, (size_t)a->model->nv * sizeof *vdot);
  hfi_accel_contact_forces(a, v, vdot);
  hfi_accel_finish(a, vdot);

  // remembered for hfi_accel_visit
  a->stage = HFI_ACCEL_AT_POINT;
  memcpy(a->point.v, v, (size_t)a->model->nv * sizeof *v);
  if (act) memcpy(a->point.act, act, (size_t)a->model->na * sizeof *act);
  else memset(a->point.act, 0, (size_t)a->model->na * sizeof *a->point.act);
  return HF_OK;
}

hfStatus hfi_accel_visit(hfAccel* a, double t, const double* x) {
  const hfModel* m = a->model;
  const double* v = x + m->nq;
  const double* act = v + m->nv;
  int is_last_point = a->stage == HFI_ACCEL_AT_POINT && a->point.t == t &&
                      memcmp(x, a->world->q, (size_t)m->nq * sizeof *x) == 0 &&
                      memcmp(v, a->point.v, (size_t)m->nv * sizeof *v) == 0 &&
                      memcmp(act, a->point.act, (size_t)m->na * sizeof *v) == 0;
  if (is_last_point) return HF_OK;

  hfStatus status = hf_accel_rate(a, t, x, v, m->na ? act : NULL, a->vdot, NULL);
  --a->statistics.evaluations; // The caller asked for forces, not for a rate.
  return status;
}
