// The right-hand side in continuous time. hf_accel_rate evaluates it in this order:
//
// 1. hfi_accel_configure, only where q differs from the last one: poses, M and its factors, contacts with their rows and
//    laws, rows of the equalities and the factors of Je M^-1 Je^T. A difference quotient with respect to v finds these
//    in place.
// 2. gather_forces: a->tau = applied + actuators + springs + limits and friction losses - bias, at velocity v.
// 3. hfi_accel_contact_forces: adds J^T f of the contacts, whose forces f follow from depth and J v.
// 4. hfi_accel_finish: solves M vdot = tau + Je^T lambda with Je vdot = target - Jedot v (accel_equality.c).
#include "methods/continuous/accel.h"

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

static void take_problem(hfAccel* a, hfiArena* arena) {
  size_t nv = (size_t)a->model->nv, rows = 6 * (size_t)a->config.max_contacts;
  a->problem.M = HFI_TAKE(arena, double, nv * nv);
  a->problem.contact = HFI_TAKE(arena, hfAccelContact, a->config.max_contacts);
  a->problem.J = HFI_TAKE(arena, double, rows * nv);
  a->problem.Jdot_v = HFI_TAKE(arena, double, rows);
  a->problem.v = HFI_TAKE(arena, double, nv);
  a->problem.tau = HFI_TAKE(arena, double, nv);
}

static void take_equalities(hfAccel* a, hfiArena* arena) {
  const hfModel* m = a->model;
  int n = hfi_accel_max_equality(m);
  a->equality = HFI_TAKE(arena, hfiEquality, m->neq);
  a->Je = HFI_TAKE(arena, double, n * m->nv);
  a->JeM = HFI_TAKE(arena, double, n * m->nv);
  a->Ae = HFI_TAKE(arena, double, n * n);
  a->softened = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &a->softness, &a->error, &a->damping, &a->stiffness, &a->Jedot_v, &a->target, &a->lambda);
  a->eq_cols = HFI_TAKE(arena, int32_t, m->nv);
  a->eq_J = HFI_TAKE(arena, double, 6 * m->nv);
}

static void take_arrays(void* object, hfiArena* arena) {
  hfAccel* a = object;
  const hfModel* m = a->model;
  a->max_cols = 2 * hfi_longest_chain(m);
  int contacts = a->config.max_contacts, cols = contacts * a->max_cols;
  size_t square = (size_t)m->nv * (size_t)m->nv;
  a->v = HFI_TAKE(arena, double, m->nv);
  a->tau = HFI_TAKE(arena, double, m->nv);
  a->act = HFI_TAKE(arena, double, m->na);
  a->contact = HFI_TAKE(arena, hfiAccelContact, contacts);
  a->cols = HFI_TAKE(arena, int32_t, cols);
  a->J = HFI_TAKE(arena, double, 6 * (size_t)cols);
  a->start = HFI_TAKE(arena, hfiContact, contacts);
  a->anchor = HFI_TAKE(arena, hfiAnchor, contacts);
  a->held = HFI_TAKE(arena, hfiHeldContact, contacts);
  a->outcome = HFI_TAKE(arena, hfiContactOutcome, contacts);
  a->place = HFI_TAKE(arena, int32_t, contacts);
  a->weight = HFI_TAKE(arena, double, 2 * m->nv + m->na + 6 * contacts);
  a->landing = HFI_TAKE(arena, hfiLanding, contacts);
  a->stop = HFI_TAKE(arena, hfiStop, hfi_accel_max_stops(m));
  a->dof_index = HFI_TAKE(arena, int32_t, m->nv);
  take_equalities(a, arena);
  a->dtau_dq = HFI_TAKE(arena, double, square);
  a->dtau_dv = HFI_TAKE(arena, double, square);
  a->block = HFI_TAKE(arena, double, 7 * a->max_cols);
  HFI_TAKE_EACH(arena, double, m->nv, &a->column, &a->vdot, &a->v_rated);
  a->q_moved = HFI_TAKE(arena, double, m->nq);
  a->q_rated = HFI_TAKE(arena, double, m->nq);
  for (int side = 0; side < 2; ++side) a->moved[side] = HFI_TAKE(arena, hfiMoved, contacts);
  take_problem(a, arena);
}

static hfStatus check_config(const hfAccelConfig* config, hfError* error) {
  if (config->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "friction \"coulomb\" belongs to the rigid methods");
  if (config->max_contacts < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: max_contacts = %d is negative", config->max_contacts);
  if (!hfi_turn_is_allowed(config->theta_max))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "acceleration problem: theta_max = %g: allowed is %g to %g", config->theta_max, HFI_LEAST_TURN, HFI_LARGEST_TURN);
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
  hfAccel* a = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "an acceleration problem", error);
  if (!a) return HF_ERROR_MEMORY;
  for (int i = 0; i < a->model->nv; ++i) a->dof_index[i] = i;
  *accel = a;
  return HF_OK;
}

hfStatus hfi_accel_create_world(hfiWorld** world, const hfModel* model, int32_t max_contacts, int32_t scene_signals,
                                const hfAllocator* allocator, hfError* error) {
  hfiWorldConfig config = {.max_contacts = max_contacts, .scene_signals = scene_signals, .drive_law = -1, .allocator = *allocator};
  return hfi_world_create(world, model, &config, error);
}

hfStatus hf_accel_create(hfAccel** accel, const hfModel* model, const hfAccelConfig* config, hfError* error) {
  hfi_clear_error(error);
  assert(accel && model && config);
  hfStatus status = check_config(config, error);
  hfiWorld* world = NULL;
  if (status == HF_OK) status = hfi_accel_create_world(&world, model, config->max_contacts, config->scene_signals, &config->allocator, error);
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
  if (a->known && memcmp(q, a->world->q, (size_t)a->model->nq * sizeof *q) == 0) return HF_OK;
  hfDynamics* d = a->dynamics;
  a->known = 0;
  hfi_world_place(a->world, q, a->input);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_factor(d);
  for (int i = 0; i < a->model->nv; ++i)
    if (!(d->Dinv[i] > 0 && isfinite(d->Dinv[i]))) return HF_SINGULAR;
  hfi_accel_collide(a);
  hfi_update_tendons(a->actuation, d, q); // The equalities need lengths. gather_forces computes velocities.
  hfStatus status = hfi_accel_equalities(a, q);
  a->known = status == HF_OK;
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

// Computes the rates of activations. An activation at its limit does not go beyond it.
void hfi_accel_activation_rates(const hfAccel* a, const double* act, double* actdot) {
  const hfModel* m = a->model;
  for (int i = 0; i < m->nu; ++i) {
    int adr = hf_model_actuator_actadr(m)[i];
    const double* range = hf_model_actuator_actrange(m) + 2 * i;
    if (adr < 0) continue;
    if (hfi_is_motor(m, i)) {
      int count = hfi_count_bits(hf_model_actuator_states(m)[i]);
      memcpy(actdot + adr, a->actuation->rate + adr, sizeof *actdot * (size_t)count);
      continue;
    }
    double rate = a->actuation->rate[adr], now = act ? act[adr] : 0;
    if (hf_model_actuator_actlimited(m)[i] && ((now >= range[1] && rate > 0) || (now <= range[0] && rate < 0))) rate = 0;
    actdot[adr] = rate;
  }
}

// Remembers the point at which the forces were computed, for hfi_accel_visit.
static void mark_visit(hfAccel* a, double t, const double* v, const double* act) {
  a->visited = 1;
  a->t = t;
  memcpy(a->v, v, (size_t)a->model->nv * sizeof *v);
  if (act) memcpy(a->act, act, (size_t)a->model->na * sizeof *act);
  else memset(a->act, 0, (size_t)a->model->na * sizeof *a->act);
}

hfStatus hfi_accel_gather(hfAccel* a, double t, const double* q, const double* v, const double* act, double* actdot) {
  ++a->statistics.evaluations;
  a->visited = 0;
  a->now = t;
  hfStatus status = hfi_accel_configure(a, q);
  if (status) return status;
  if (a->world->surfaces && a->config.friction == HF_FRICTION_ANCHORED && !a->deforms) // Surfaces move on even if q does not change.
    for (int i = 0; i < a->ncontact; ++i) hfi_accel_follow(a, &a->contact[i]);
  gather_forces(a, t, q, v, act);
  if (actdot) hfi_accel_activation_rates(a, act, actdot);
  hfi_accel_equality_rates(a, v);
  return HF_OK;
}

void hfi_accel_finish(hfAccel* a, double* x) {
  for (int r = 0; r < a->nequality; ++r) a->lambda[r] = a->target[r] - a->Jedot_v[r];
  hfi_accel_solve(a, x, a->lambda);
}

hfStatus hf_accel_rate(hfAccel* a, double t, const double* q, const double* v, const double* act, double* vdot, double* actdot) {
  hfStatus status = hfi_accel_gather(a, t, q, v, act, actdot);
  if (status) return status;
  memcpy(vdot, a->tau, (size_t)a->model->nv * sizeof *vdot);
  hfi_accel_contact_forces(a, v, vdot);
  hfi_accel_finish(a, vdot);
  mark_visit(a, t, v, act);
  return HF_OK;
}

hfStatus hfi_accel_visit(hfAccel* a, double t, const double* x) {
  const hfModel* m = a->model;
  const double *v = x + m->nq, *act = v + m->nv;
  if (a->visited && a->known && a->t == t && memcmp(x, a->world->q, (size_t)m->nq * sizeof *x) == 0 &&
      memcmp(v, a->v, (size_t)m->nv * sizeof *v) == 0 && memcmp(act, a->act, (size_t)m->na * sizeof *v) == 0)
    return HF_OK;
  hfStatus status = hf_accel_rate(a, t, x, v, m->na ? act : NULL, a->vdot, NULL);
  --a->statistics.evaluations; // The caller asked for forces, not for a rate.
  return status;
}
