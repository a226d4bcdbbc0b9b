// One step of continuous time.
//
//   x = (q, v, act) -> integrator from t to t + h -> q, v, act, contact memory, time
//
// The integrator starts afresh in every step, with the whole step as its first try: what comes out
// depends on state and input alone, whichever sim it was that stepped.
#include "continuous/continuous.h"

#include "base/error.h"
#include "contact/result.h"
#include "solve/law.h"

#include <stdlib.h>
#include <string.h>

struct hfiContinuous {
  const hfModel* model;
  hfAccel* accel;
  hfIntegrator* integrator;
  double *x, *vdot; // (nq + nv + na), (nv)
};

hfStatus hfi_continuous_create(hfiContinuous** continuous, const hfModel* model, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, hfError* error) {
  size_t nx = (size_t)(model->nq + model->nv + model->na), nv = (size_t)model->nv;
  hfiContinuous* c = calloc(1, sizeof *c + (nx + nv) * sizeof(double));
  if (!c) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  c->model = model;
  c->x = (double*)(c + 1);
  c->vdot = c->x + nx;
  hfStatus status = hf_accel_create(&c->accel, model, accel, error);
  if (status == HF_OK && nv > 0) {
    hfOde ode = hf_accel_ode(c->accel);
    status = hf_integrator_create(&c->integrator, &ode, integrator, error);
  }
  if (status == HF_OK) *continuous = c;
  else hfi_continuous_free(c);
  return status;
}

void hfi_continuous_free(hfiContinuous* c) {
  if (!c) return;
  hf_integrator_free(c->integrator);
  hf_accel_free(c->accel);
  free(c);
}

hfAccel* hfi_continuous_accel(hfiContinuous* c) { return c->accel; }
const double* hfi_continuous_vdot(const hfiContinuous* c) { return c->vdot; }
hfIntegratorReport hfi_continuous_report(const hfiContinuous* c) {
  hfIntegratorReport none = {0};
  return c->integrator ? hf_integrator_report(c->integrator) : none;
}

static void load_state(hfiContinuous* c, const hfState* s) {
  const hfModel* m = c->model;
  memcpy(c->x, hf_state_q(s), (size_t)m->nq * sizeof *c->x);
  memcpy(c->x + m->nq, hf_state_v(s), (size_t)m->nv * sizeof *c->x);
  memcpy(c->x + m->nq + m->nv, hf_state_act(s), (size_t)m->na * sizeof *c->x);
}

static void store_state(const hfiContinuous* c, hfState* s) {
  const hfModel* m = c->model;
  memcpy(hf_state_mutable_q(s), c->x, (size_t)m->nq * sizeof *c->x);
  memcpy(hf_state_mutable_v(s), c->x + m->nq, (size_t)m->nv * sizeof *c->x);
  memcpy(hf_state_mutable_act(s), c->x + m->nq + m->nv, (size_t)m->na * sizeof *c->x);
}

hfStatus hfi_continuous_step(hfiContinuous* c, hfState* state, const hfInput* input, double h, hfError* error) {
  double t = state->time, start = t;
  hfStatus status = HF_OK;
  hf_accel_begin(c->accel, state, input);
  load_state(c, state);
  if (c->integrator) {
    hf_integrator_reset(c->integrator);
    hf_integrator_set_next_step(c->integrator, h);
    status = hf_integrator_advance(c->integrator, &t, c->x, start + h, error);
  } else t += h;
  if (status < 0) return status;
  store_state(c, state);
  state->time = t;
  // results at the end, and what contacts remember of the step
  hfStatus end = hf_accel_rate(c->accel, t, hf_state_q(state), hf_state_v(state), c->model->na ? hf_state_act(state) : NULL, c->vdot, NULL);
  if (end == HF_OK && hfi_accel_settle(c->accel, state, t - start)) end = HF_OVERFLOW;
  return status ? status : end;
}

// ---- results ----------------------------------------------------------------------------------------

hfContact hfi_accel_contact_result(const hfAccel* a, int i) {
  const hfiAccelContact* c = &a->contact[i];
  hfContact r = hfi_contact_result(&c->at);
  hfi_contact_result_force(&r, &c->at, c->dim, c->f);
  hfi_contact_result_velocity(&r, &c->at, c->dim, c->s);
  if (c->dim >= 3) r.mu = c->law.mu[HF_SLIDING], r.stick = c->stick >> HF_SLIDING & 1;
  return r;
}
