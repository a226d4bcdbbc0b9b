// One step of continuous time.
//
//   x = (q, v, act) -> integrator from t to t + h -> q, v, act, contact memory, time
//
// The integrator starts again in every step, with the whole step as its first try. So the result depends on state and input alone, not on the sim
// that steps. Results are those at the end of the step: contacts, limits and equalities with their forces, and the acceleration.
#include "methods/continuous/continuous.h"

#include "base/object.h"
#include "step/contact/result.h"
#include "linalg/dense.h"
#include "methods/ode/step.h"
#include "step/law/law.h"

#include <string.h>

static void take_arrays(void* object, hfiArena* arena) {
  hfiContinuous* c = object;
  const hfModel* m = c->world->model;
  c->x = HFI_TAKE(arena, double, m->nq + m->nv + m->na + 6 * c->world->config.max_contacts);
  c->vdot = HFI_TAKE(arena, double, m->nv);
  c->contact = HFI_TAKE(arena, hfContact, c->world->config.max_contacts);
}

hfStatus hfi_continuous_create(hfiContinuous** continuous, hfiWorld* world, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, double velocity_time, hfError* error) {
  hfiContinuous seed = {.world = world, .h = integrator->step};
  hfiContinuous* c = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "continuous time", error);
  if (!c) return HF_ERROR_MEMORY;
  hfStatus status = hfi_accel_create(&c->accel, world, accel, error);
  if (status == HF_OK && world->model->nv > 0) {
    c->accel->deforms = accel->friction == HF_FRICTION_ANCHORED && hfi_butcher(integrator->method)->gamma == 0;
    hfi_accel_weigh(c->accel, velocity_time);
    hfOde ode = hfi_accel_ode_with_memory(c->accel);
    hfIntegratorConfig config = *integrator;
    config.allocator = world->config.allocator;
    status = hf_integrator_create(&c->integrator, &ode, &config, error);
  }
  if (status == HF_OK) *continuous = c;
  else hfi_continuous_free(c);
  return status;
}

void hfi_continuous_free(hfiContinuous* c) {
  if (!c) return;
  hf_integrator_free(c->integrator);
  hf_accel_free(c->accel);
  hfi_release(c);
}

hfIntegratorReport hfi_continuous_report(const hfiContinuous* c) {
  hfIntegratorReport none = {0};
  return c->integrator ? hf_integrator_report(c->integrator) : none;
}

// Gives the integrator the equation with the deformations of the present contacts, and the accel the state whose memory it renews.
static void prepare_integrator(hfiContinuous* c, hfState* state) {
  const hfModel* m = c->world->model;
  hfAccel* a = c->accel;
  int n = 2 * m->nv + m->na, nx = m->nq + m->nv + m->na;
  a->keeper = state;
  a->nforgotten = 0;
  if (a->deforms) hfi_accel_read_deformations(a, c->x + nx);
  a->tail = c->x + nx;
  hfi_integrator_resize(c->integrator, nx + a->ntail, n + a->ntail);
}

hfStatus hfi_continuous_step(hfiContinuous* c, hfState* state, const hfInput* input, double h, hfError* error) {
  double t = state->time, start = t;
  hfStatus status = HF_OK;
  c->accel->span = h;
  hf_accel_begin(c->accel, state, input);
  hfi_state_load(state, c->x);
  if (c->integrator) {
    prepare_integrator(c, state);
    hf_integrator_set_next_step(c->integrator, c->first > 0 ? min2(c->first, h) : h);
    status = hf_integrator_advance(c->integrator, &t, c->x, start + h, error);
  } else t += h;
  if (status < 0) return status;
  hfi_state_store(state, c->x);
  state->time = t;
  // Computes results at the end. The contact memory was renewed after the integrator's last step.
  hfStatus end = hf_accel_rate(c->accel, t, hf_state_q(state), hf_state_v(state), state->na ? hf_state_act(state) : NULL, c->vdot, NULL);
  if (end == HF_OK && c->accel->nforgotten) end = HF_OVERFLOW;
  return status ? status : end;
}

// ---- results ----------------------------------------------------------------------------------------

hfContact hfi_accel_read_contact(const hfiAccelContact* c) {
  hfContact r = hfi_contact_result(c->at);
  hfi_contact_result_force(&r, c->at, c->dim, c->f);
  hfi_contact_result_velocity(&r, c->at, c->dim, c->s);
  if (c->dim >= 3) r.mu = c->law.mu[HF_SLIDING];
  r.stick = hfi_accel_contact_sticks(c);
  return r;
}

void hfi_accel_keep_contact(hfContact c, hfContact* list, int32_t* n, hfStepReport* report) {
  if (c.fn == 0 && c.depth <= 0) return;
  list[(*n)++] = c;
  report->ncontact = *n;
  report->nstick += c.stick;
  report->max_depth = max2(report->max_depth, c.depth);
}

void hfi_accel_constraint_forces(const hfAccel* a, hfiStepOutput* out) {
  hfiConstraintForces* f = out->constraint;
  if (!f) return;
  for (int i = 0; i < a->nstop; ++i) {
    const hfiStop* stop = &a->stop[i];
    if (stop->joint >= 0) f->joint_limit[stop->joint] += fabs(stop->force);
    if (stop->tendon >= 0) f->tendon[stop->tendon] += stop->force;
    if (stop->tendon >= 0 && stop->is_limit) f->tendon_limit[stop->tendon] += fabs(stop->force);
  }
  for (int i = 0, row = 0; i < a->model->neq; row += a->equality[i++].dim)
    for (int k = 0; k < a->equality[i].dim; ++k) {
      f->equality[6 * i + k] = a->lambda[row + k];
      f->equality_speed[6 * i + k] = hfi_dot(a->Je + (row + k) * a->model->nv, a->dynamics->v, a->model->nv);
    }
}

void hfi_accel_report(const hfAccel* a, hfStatus status, const hfIntegratorReport* integration, int64_t dropped,
                      hfStepReport* report) {
  report->continuous = *integration;
  report->solve.iterations = (int32_t)integration->iterations;
  report->solve.limited = (int32_t)integration->limited;
  report->ndropped = (int32_t)(hf_accel_statistics(a).dropped - dropped);
  report->status = status == HF_OK && report->ndropped ? HF_OVERFLOW : status;
}
