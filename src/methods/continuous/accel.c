// The right-hand side in continuous time. hf_accel_rate evaluates it in this order:
//
// 1. hfi_accel_configure, only where q differs from the last one: poses, M and its factors, contacts with their rows
//    and laws, rows of the equalities and the factors of Je M^-1 Je^T. A difference quotient with respect to v finds
//    these in place.
// 2. sum_forces: accel->tau = applied + actuators + springs + limits and friction losses - bias, at velocity v.
// 3. hfi_accel_add_contact_forces: adds J^T f of the contacts, whose forces f follow from depth and J v.
// 4. hfi_accel_find_vdot: solves M vdot = tau + Je^T lambda with Je vdot = target - Jedot v (accel_equality.c).
//
// accel->stage says what is fresh. The files of this folder call the hfAccel accel.
#include "methods/continuous/inside.h"

#include "base/object.h"
#include "model/actuator.h"
#include "step/law/tals.h"

#include <string.h>

// Returns the default options.
hfAccelConfig hf_accel_config_default(void) {
  hfAccelConfig c = {
      .friction = HF_FRICTION_REGULARISED,
      .max_contacts = 256,
      .scene_signals = 1,
      .static_speed = 10,
      .theta_max = HFI_PI / 3,
  };
  return c;
}

// ---- creation -------------------------------------------------------------------------------------

// Takes the arrays of the problem in dense form.
static void take_problem(hfAccel* accel, hfiArena* arena) {
  size_t nv = (size_t)accel->model->nv;
  size_t rows = 6 * (size_t)accel->config.max_contacts;

  accel->dense.problem.M = HFI_TAKE(arena, double, nv * nv);
  accel->dense.problem.contact = HFI_TAKE(arena, hfAccelContact, accel->config.max_contacts);
  accel->dense.problem.J = HFI_TAKE(arena, double, rows * nv);
  accel->dense.problem.Jdot_v = HFI_TAKE(arena, double, rows);
  accel->dense.problem.v = HFI_TAKE(arena, double, nv);
  accel->dense.problem.tau = HFI_TAKE(arena, double, nv);
}

// Takes the arrays of the equalities.
static void take_equalities(hfiEqualityRows* rows, const hfModel* model, hfiArena* arena) {
  int n = hfi_accel_max_equality(model);

  rows->object = HFI_TAKE(arena, hfiEquality, model->neq);
  rows->J = HFI_TAKE(arena, double, n * model->nv);
  rows->JM = HFI_TAKE(arena, double, n * model->nv);
  rows->A = HFI_TAKE(arena, double, n * n);
  rows->softened = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &rows->softness, &rows->error, &rows->damping, &rows->stiffness);
  HFI_TAKE_EACH(arena, double, n, &rows->Jdot_v, &rows->target, &rows->lambda);
  rows->cols = HFI_TAKE(arena, int32_t, model->nv);
  rows->block = HFI_TAKE(arena, double, 6 * model->nv);
}

// Plans or takes all arrays of an accel.
static void take_arrays(void* object, hfiArena* arena) {
  hfAccel* accel = object;
  const hfModel* model = accel->model;
  const int contacts = accel->config.max_contacts;
  const size_t square = (size_t)model->nv * (size_t)model->nv;

  // the point
  accel->point.v = HFI_TAKE(arena, double, model->nv);
  accel->point.act = HFI_TAKE(arena, double, model->na);
  accel->tau = HFI_TAKE(arena, double, model->nv);
  accel->vdot = HFI_TAKE(arena, double, model->nv);

  // contacts, their rows and what is remembered of them
  accel->contact = HFI_TAKE(arena, hfiAccelContact, contacts);
  accel->rows.max_cols = 2 * hfi_longest_chain(model);
  accel->rows.cols = HFI_TAKE(arena, int32_t, contacts * accel->rows.max_cols);
  accel->rows.J = HFI_TAKE(arena, double, 6 * (size_t)contacts * (size_t)accel->rows.max_cols);
  accel->rows.block = HFI_TAKE(arena, double, 7 * accel->rows.max_cols);
  accel->anchors.contact = HFI_TAKE(arena, hfiContact, contacts);
  accel->anchors.anchor = HFI_TAKE(arena, hfiAnchor, contacts);
  accel->anchors.outcome = HFI_TAKE(arena, hfiContactOutcome, contacts);
  accel->hold.list = HFI_TAKE(arena, hfiHeldContact, contacts);
  accel->deformations.place = HFI_TAKE(arena, int32_t, contacts);

  // stops and equalities
  accel->stops.list = HFI_TAKE(arena, hfiStop, hfi_accel_max_stops(model));
  accel->stops.dof_index = HFI_TAKE(arena, int32_t, model->nv);
  take_equalities(&accel->equalities, model, arena);

  // the equation, its Jacobian and the dense problem
  accel->equation.weight = HFI_TAKE(arena, double, 2 * model->nv + model->na + 6 * contacts);
  accel->equation.landing = HFI_TAKE(arena, hfiLanding, contacts);
  accel->slopes.dtau_dq = HFI_TAKE(arena, double, square);
  accel->slopes.dtau_dv = HFI_TAKE(arena, double, square);
  accel->slopes.column = HFI_TAKE(arena, double, model->nv);
  accel->dense.motion.q = HFI_TAKE(arena, double, model->nq);
  accel->dense.motion.v = HFI_TAKE(arena, double, model->nv);
  accel->dense.motion.q_moved = HFI_TAKE(arena, double, model->nq);
  for (int side = 0; side < 2; ++side) accel->dense.motion.rows[side] = HFI_TAKE(arena, hfiMovedRows, contacts);
  take_problem(accel, arena);
}

// Refuses options that no accel has.
static hfStatus check_config(const hfAccelConfig* config, hfError* error) {
  if (config->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "acceleration problem: friction \"coulomb\" belongs to the rigid methods");

  if (config->max_contacts < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: max_contacts = %d is negative",
                      config->max_contacts);

  if (!hfi_turn_is_allowed(config->theta_max))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: theta_max = %g: allowed is %g to %g",
                      config->theta_max, HFI_LEAST_TURN, HFI_LARGEST_TURN);
  return HF_OK;
}

// Creates an accel over a world of the caller.
hfStatus hfi_accel_create(hfAccel** result, hfiWorld* world, const hfAccelConfig* config, hfError* error) {
  hfStatus status = check_config(config, error);
  if (status != HF_OK) return status;

  hfAccel seed = {
      .model = world->model,
      .world = world,
      .dynamics = &world->dynamics,
      .actuation = &world->actuation,
      .config = *config,
  };
  seed.config.max_contacts = world->config.max_contacts;
  hfAccel* accel =
      hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "an acceleration problem", error);
  if (!accel) return HF_ERROR_MEMORY;

  // a friction loss of dof i acts on the one dof that stands here
  for (int i = 0; i < accel->model->nv; ++i) accel->stops.dof_index[i] = i;
  *result = accel;
  return HF_OK;
}

// Creates a world for an accel that shares it with nothing else.
hfStatus hfi_accel_create_world(hfiWorld** world, const hfModel* model, int32_t max_contacts, int32_t scene_signals,
                                const hfAllocator* allocator, hfError* error) {
  hfiWorldConfig config = {
      .max_contacts = max_contacts,
      .scene_signals = scene_signals,
      .drive_law = -1, // each servo has the law of its own
      .allocator = *allocator,
  };
  return hfi_world_create(world, model, &config, error);
}

// Creates an accel with a world of its own.
hfStatus hf_accel_create(hfAccel** accel, const hfModel* model, const hfAccelConfig* config, hfError* error) {
  hfi_clear_error(error);
  assert(accel && model && config);
  hfiWorld* world = NULL;

  hfStatus status = check_config(config, error);
  if (status == HF_OK)
    status = hfi_accel_create_world(&world, model, config->max_contacts, config->scene_signals, &config->allocator,
                                    error);

  if (status == HF_OK) status = hfi_accel_create(accel, world, config, error);

  if (status == HF_OK) (*accel)->owns_world = 1;
  else hfi_world_free(world);
  return status;
}

void hf_accel_free(hfAccel* accel) {
  if (!accel) return;
  if (accel->owns_world) hfi_world_free(accel->world);
  hfi_release(accel);
}

hfAccelStatistics hf_accel_statistics(const hfAccel* accel) { return accel->statistics; }

// ---- stages ---------------------------------------------------------------------------------------

// Brings the world to q: poses, M and its factors, contacts with their laws, rows of the equalities. Does nothing if
// the world is at q already. HF_SINGULAR: M or the equalities have no factors.
hfStatus hfi_accel_configure(hfAccel* accel, const double* q) {
  hfDynamics* dynamics = accel->dynamics;
  int is_there = accel->stage >= HFI_ACCEL_AT_POSITIONS &&
                 memcmp(q, accel->world->q, (size_t)accel->model->nq * sizeof *q) == 0;
  if (is_there) return HF_OK;
  // until all is computed, nothing of the accel is valid
  accel->stage = HFI_ACCEL_NOWHERE;

  // mass matrix
  hfi_world_place(accel->world, q, accel->input);
  hf_dynamics_update_mass_matrix(dynamics);
  hf_dynamics_factor(dynamics);
  for (int i = 0; i < accel->model->nv; ++i)
    if (!(dynamics->mass.Dinv[i] > 0 && isfinite(dynamics->mass.Dinv[i]))) return HF_SINGULAR;

  // contacts and equalities
  hfi_accel_find_contacts(accel);
  hfi_update_tendons(accel->actuation, dynamics, q); // The equalities need lengths. sum_forces computes velocities.
  hfStatus status = hfi_accel_update_equalities(accel, q);

  if (status == HF_OK) accel->stage = HFI_ACCEL_AT_POSITIONS;
  ++accel->statistics.collisions;
  return status;
}

// Computes accel->tau: all forces except those of contacts and equalities, less the bias, at (q, v) and the time t.
static void sum_forces(hfAccel* accel, double t, const double* q, const double* v, const double* act) {
  hfDynamics* dynamics = accel->dynamics;

  // bias
  hf_dynamics_set_velocity(dynamics, v);
  hf_dynamics_update_bias(dynamics);

  // controls, and what depends on them
  hfi_world_load(accel->world, t, accel->input);
  hf_actuation_update(accel->actuation, dynamics, q);
  hf_actuation_forces(accel->actuation, act, accel->world->ctrl, 0); // 0: at an instant, not over a step
  hf_actuation_passive(accel->actuation, dynamics, q, accel->tau);

  // the sum: tau has the passive forces, `drive` the forces of actuators on the dofs; c is the bias
  const double* drive = hf_actuation_joint_force(accel->actuation);
  for (int i = 0; i < accel->model->nv; ++i) accel->tau[i] += drive[i] - dynamics->c[i];
  hfi_world_add_applied(accel->world, accel->input, accel->tau);
  hfi_accel_add_stops(accel, q, v, accel->tau);
  if (accel->world->has_adhesion) hfi_world_add_adhesion(accel->world, accel->tau);
}

// Copies the rates of the activations at the last point to actdot (na). act (na): the activations there; NULL: all are
// zero. An activation at its limit does not go beyond it.
void hfi_accel_copy_activation_rates(const hfAccel* accel, const double* act, double* actdot) {
  const hfModel* model = accel->model;
  for (int i = 0; i < model->nu; ++i) {
    // where its activations begin; negative: it has none
    int adr = hf_model_actuator_actadr(model)[i];

    if (adr < 0) continue;
    // the states of a motor
    if (hfi_is_motor(model, i)) {
      int count = hfi_count_bits(hf_model_actuator_states(model)[i]);
      memcpy(actdot + adr, accel->actuation->rate + adr, sizeof *actdot * (size_t)count);
      continue;
    }

    // a rate that would carry the activation beyond its range becomes zero
    const double* range = hf_model_actuator_actrange(model) + 2 * i;
    double rate = accel->actuation->rate[adr];
    double now = act ? act[adr] : 0;
    int leaves = (now >= range[1] && rate > 0) || (now <= range[0] && rate < 0);
    actdot[adr] = hf_model_actuator_actlimited(model)[i] && leaves ? 0 : rate;
  }
}

// Computes everything at a point except the forces of contacts. Writes accel->tau, the rates of the equalities and, if
// actdot is not NULL, the rates of activations.
hfStatus hfi_accel_gather_forces(hfAccel* accel, double t, const double* q, const double* v, const double* act,
                          double* actdot) {
  ++accel->statistics.evaluations;
  hfi_accel_lower_stage(accel, HFI_ACCEL_AT_POSITIONS);

  accel->point.t = t;
  hfStatus status = hfi_accel_configure(accel, q);
  if (status) return status;

  // surfaces move on even if q does not change
  if (accel->world->surfaces && accel->config.friction == HF_FRICTION_ANCHORED && !accel->deformations.is_active)
    for (int i = 0; i < accel->ncontact; ++i) hfi_accel_follow_anchor(accel, &accel->contact[i]);

  sum_forces(accel, t, q, v, act);
  if (actdot) hfi_accel_copy_activation_rates(accel, act, actdot);
  hfi_accel_update_equality_rates(accel, v);
  return HF_OK;
}

// x <- the accelerations under the forces x (nv), with the equalities of the point gathered last.
void hfi_accel_find_vdot(hfAccel* accel, double* x) {
  hfiEqualityRows* rows = &accel->equalities;

  for (int r = 0; r < rows->count; ++r) rows->lambda[r] = rows->target[r] - rows->Jdot_v[r];
  hfi_accel_solve(accel, x, rows->lambda);
}

// The accelerations vdot and the rates of activations at a point; steps 1 to 4 of the file's head.
hfStatus hf_accel_rate(hfAccel* accel, double t, const double* q, const double* v, const double* act, double* vdot,
                       double* actdot) {
  hfStatus status = hfi_accel_gather_forces(accel, t, q, v, act, actdot);
  if (status) return status;

  memcpy(vdot, accel->tau, (size_t)accel->model->nv * sizeof *vdot);
  hfi_accel_add_contact_forces(accel, v, vdot);
  hfi_accel_find_vdot(accel, vdot);

  // remembered for hfi_accel_update_forces
  accel->stage = HFI_ACCEL_AT_POINT;
  memcpy(accel->point.v, v, (size_t)accel->model->nv * sizeof *v);
  if (act) memcpy(accel->point.act, act, (size_t)accel->model->na * sizeof *act);
  else memset(accel->point.act, 0, (size_t)accel->model->na * sizeof *accel->point.act);
  return HF_OK;
}

// Computes the forces at x = (q, v, act), unless that was the last point. It counts no evaluation, because the caller
// asks for forces and not for a rate.
hfStatus hfi_accel_update_forces(hfAccel* accel, double t, const double* x) {
  const hfModel* model = accel->model;
  const double* v = x + model->nq;
  const double* act = v + model->nv;
  int is_last_point = accel->stage == HFI_ACCEL_AT_POINT && accel->point.t == t &&
                      memcmp(x, accel->world->q, (size_t)model->nq * sizeof *x) == 0 &&
                      memcmp(v, accel->point.v, (size_t)model->nv * sizeof *v) == 0 &&
                      memcmp(act, accel->point.act, (size_t)model->na * sizeof *v) == 0;
  if (is_last_point) return HF_OK;

  hfStatus status = hf_accel_rate(accel, t, x, v, model->na ? act : NULL, accel->vdot, NULL);
  --accel->statistics.evaluations;
  return status;
}
