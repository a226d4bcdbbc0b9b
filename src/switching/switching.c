// The integrated scheme (grasp-switching, figure 4): one step of a sim.
//
//   state -> tracks -> { rigid phase up to an event, or compliant phase } until the step is over -> state
//
// Rigid while A is a P-matrix of full rank with a stable boundary layer, else compliant; back when the certificates
// hold again, with margins, after a dwell, and where the forces of both models agree (settle).
#include "switching/switching.h"

#include "base/error.h"
#include "contact/result.h"

#include <stdlib.h>
#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------

static hfStatus check_config(const hfSwitchConfig* c, hfError* error) {
  const struct {
    const char* name;
    double value;
    int strict;
  } fields[] = {{"accuracy", c->accuracy, 1},       {"dwell", c->dwell, 0},
                {"settle", c->settle, 0},           {"p_margin", c->p_margin, 0},
                {"rank_margin", c->rank_margin, 0}, {"restitution", c->restitution, 0},
                {"rest_speed", c->rest_speed, 0}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    if (!(fields[i].value >= 0) || (fields[i].strict && fields[i].value == 0) ||
        isinf(fields[i].value))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "switching.%s = %g must be %s", fields[i].name,
                        fields[i].value, fields[i].strict ? "positive" : "zero or positive");
  if (c->restitution > 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "switching.restitution = %g must not exceed 1",
                      c->restitution);
  if (c->integrator != HF_METHOD_RK3 && c->integrator != HF_METHOD_IMPLICIT_EULER &&
      c->integrator != HF_METHOD_SDIRK)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "switching.integrator must be rk3, implicit-euler or sdirk");
  return HF_OK;
}

static int layer_stride(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_condim(m)[g] > 3) return 6;
  for (int p = 0; p < m->npair; ++p)
    if (hf_model_pair_condim(m)[p] > 3) return 6;
  return 3;
}

static void slice(hfiSwitching* s, hfiArena* arena) {
  const hfModel* m = s->model;
  size_t contacts = (size_t)s->config.rigid.max_contacts,
         tail = (size_t)(s->stride * s->max_layers);
  s->x = HFI_TAKE(arena, double, (size_t)s->nx + tail);
  s->soft_start = HFI_TAKE(arena, double, (size_t)s->nx + tail);
  s->start = HFI_TAKE(arena, double, s->nx);
  s->trial = HFI_TAKE(arena, double, s->nx);
  s->weight = HFI_TAKE(arena, double, (size_t)(2 * m->nv + m->na) + tail);
  s->vdot = HFI_TAKE(arena, double, m->nv);
  s->rate = HFI_TAKE(arena, double, (size_t)(2 * m->nv + m->na) + tail);
  s->before = HFI_TAKE(arena, hfiTrack, contacts);
  s->kept = HFI_TAKE(arena, hfiTrack, contacts);
  s->layer = HFI_TAKE(arena, hfiLayerState, contacts);
}

// The charts of the accel serve (q, v, act); layers add up.
static void plus(void* context, const double* x0, const double* u, double* x) {
  const hfiSwitching* s = context;
  const hfModel* m = s->model;
  s->base.plus(s->base.context, x0, u, x);
  for (int i = 0; i < s->stride * s->nlayer; ++i)
    x[s->nx + i] = x0[s->nx + i] + u[2 * m->nv + m->na + i];
}

static void plus_rigid(void* context, const double* x0, const double* u, double* x) {
  const hfiSwitching* s = context;
  s->base.plus(s->base.context, x0, u, x);
}

static void lift(void* context, const double* u, double* xdot) {
  const hfiSwitching* s = context;
  s->base.lift(s->base.context, u, xdot);
}

static const double SPATIAL =
    10; // weight of configurations and deformations against velocities [1/s]

static hfStatus create_integrators(hfiSwitching* s, hfError* error) {
  const hfModel* m = s->model;
  int tail = s->stride * s->max_layers, n = 2 * m->nv + m->na;
  if (!m->nv) return HF_OK;
  for (int i = 0; i < n + tail; ++i) s->weight[i] = i < m->nv || i >= n ? SPATIAL : 1;
  hfOde ode = {.context = s,
               .nx = s->nx,
               .n = n,
               .rhs = hfi_arc_rate,
               .plus = plus_rigid,
               .lift = lift,
               .weight = s->weight};
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = HF_METHOD_RK3;
  c.accuracy = s->config.accuracy;
  c.step = s->h;
  c.max_steps = 1000;
  c.smallest_step = 1e-8 * s->h;
  c.tals = 0;
  hfStatus status = hf_integrator_create(&s->arc, &ode, &c, error);
  if (status) return status;
  ode.nx += tail;
  ode.n += tail;
  ode.rhs = hfi_soft_rate;
  ode.plus = plus;
  c.method = s->config.integrator;
  c.max_steps = 2000;
  c.newton = HF_NEWTON_QUASI;
  return hf_integrator_create(&s->soft, &ode, &c, error);
}

hfStatus hfi_switching_create(hfiSwitching** switching, const hfModel* model,
                              const hfSwitchConfig* config, double h, hfError* error) {
  hfStatus status = check_config(config, error);
  if (status) return status;
  hfiSwitching measured = {.model = model,
                           .config = *config,
                           .h = h,
                           .nx = model->nq + model->nv + model->na,
                           .stride = layer_stride(model)};
  if (model->world.disable_contact) measured.config.rigid.max_contacts = 0;
  measured.max_layers = imin2(measured.config.rigid.max_contacts, HFI_MAX_LAYERS);
  hfiArena plan = hfi_arena(NULL, 0);
  slice(&measured, &plan);
  hfiSwitching* s = malloc(sizeof *s);
  void* memory = calloc(1, plan.used + HFI_ALIGN);
  if (!s || !memory) {
    free(s);
    free(memory);
    return hfi_refuse(error, HF_ERROR_MEMORY, "switching: %zu bytes", plan.used);
  }
  *s = measured;
  s->memory = memory;
  size_t shift = (HFI_ALIGN - (uintptr_t)memory % HFI_ALIGN) % HFI_ALIGN;
  hfiArena arena = hfi_arena((char*)memory + shift, plan.used);
  slice(s, &arena);
  status = hf_rigid_create(&s->rigid, model, &s->config.rigid, error);
  if (!status) s->base = hf_accel_ode(s->rigid->accel);
  if (!status) status = create_integrators(s, error);
  if (status == HF_OK)
    *switching = s;
  else
    hfi_switching_free(s);
  return status;
}

void hfi_switching_free(hfiSwitching* s) {
  if (!s) return;
  hf_integrator_free(s->arc);
  hf_integrator_free(s->soft);
  hf_rigid_free(s->rigid);
  free(s->memory);
  free(s);
}

// ---- the step ---------------------------------------------------------------------------------------

void hfi_add_integration(hfiSwitching* s, const hfIntegrator* integrator) {
  hfIntegratorReport r = hf_integrator_report(integrator), *sum = &s->integration;
  if (r.smallest > 0 && (sum->smallest == 0 || r.smallest < sum->smallest))
    sum->smallest = r.smallest;
  sum->last = r.last;
  sum->error = r.error;
  sum->evaluations += r.evaluations, sum->jacobian_evaluations += r.jacobian_evaluations;
  sum->jacobians += r.jacobians, sum->factorisations += r.factorisations,
      sum->iterations += r.iterations;
  sum->steps += r.steps, sum->rejected += r.rejected, sum->failed += r.failed;
}

static void load_state(hfiSwitching* s, const hfState* state) {
  const hfModel* m = s->model;
  memcpy(s->x, hf_state_q(state), (size_t)m->nq * sizeof *s->x);
  memcpy(s->x + m->nq, hf_state_v(state), (size_t)m->nv * sizeof *s->x);
  memcpy(s->x + m->nq + m->nv, hf_state_act(state), (size_t)m->na * sizeof *s->x);
  s->t = state->time;
}

static void store_state(const hfiSwitching* s, hfState* state) {
  const hfModel* m = s->model;
  memcpy(hf_state_mutable_q(state), s->x, (size_t)m->nq * sizeof *s->x);
  memcpy(hf_state_mutable_v(state), s->x + m->nq, (size_t)m->nv * sizeof *s->x);
  memcpy(hf_state_mutable_act(state), s->x + m->nq + m->nv, (size_t)m->na * sizeof *s->x);
  state->time = s->t;
}

// Forces and accelerations at the end, by the model in force there.
static hfStatus take_results(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  const hfModel* m = s->model;
  const double* v = hfi_switching_v(s);
  hfStatus status = HF_OK;
  s->report.rigid = s->phase == HFI_PHASE_RIGID;
  if (s->phase == HFI_PHASE_SOFT) {
    status = hfi_soft_look(s);
    if (status) return status;
    memcpy(s->vdot, r->accel->tau, (size_t)m->nv * sizeof *s->vdot);
    for (int i = 0; i < r->accel->ncontact; ++i)
      if (s->layer[i].f[0] > 0)
        hfi_accel_add_force(r->accel, &r->accel->contact[i], s->layer[i].f, s->vdot);
    hfi_accel_finish(r->accel, s->vdot);
    return HF_OK;
  }
  r->follow = 1;
  if (!hfi_rigid_look(r, s->t, s->x, v, hfi_switching_act(s))) return HF_SINGULAR;
  hfi_tracks_renew(s);
  for (int k = 0; k < r->ntrack; ++k) r->track[k].closed = r->track[k].closed > 0;
  hfi_rigid_assemble(r);
  hfi_rigid_solve(r);
  hfi_rigid_certify(r);
  memcpy(s->vdot, r->problem.vdot, (size_t)m->nv * sizeof *s->vdot);
  return r->problem.lcp.status == HF_OK ? HF_OK : HF_NO_SOLUTION;
}

hfStatus hfi_switching_step(hfiSwitching* s, hfState* state, const hfInput* input, double h,
                            hfError* error) {
  const double t_end = state->time + h, sliver = 1e-9 * h;
  memset(&s->report, 0, sizeof s->report);
  memset(&s->integration, 0, sizeof s->integration);
  s->events = s->stalls = 0;
  hf_accel_begin(s->rigid->accel, NULL, input);
  load_state(s, state);
  hfStatus status = hfi_switching_recall(s, state);
  while (status == HF_OK && s->t < t_end - sliver)
    status = (s->phase == HFI_PHASE_RIGID ? hfi_rigid_phase : hfi_soft_phase)(s, t_end, error);
  if (status < 0) return status;
  if (status == HF_OK) s->t = t_end;
  hfStatus end = take_results(s);
  store_state(s, state);
  if (hfi_switching_store(s, state) || s->rigid->dropped || s->rigid->ntrack > s->max_layers)
    end = end ? end : HF_OVERFLOW;
  s->integration.status = status;
  return status ? status : end;
}

// ---- results ----------------------------------------------------------------------------------------

hfAccel* hfi_switching_accel(hfiSwitching* s) { return s->rigid->accel; }
hfIntegratorReport hfi_switching_integration(const hfiSwitching* s) { return s->integration; }
hfSwitchReport hfi_switching_report(const hfiSwitching* s) { return s->report; }
const hfRigidProblem* hfi_switching_problem(const hfiSwitching* s) { return &s->rigid->problem; }
const double* hfi_switching_vdot(const hfiSwitching* s) { return s->vdot; }

hfSwitch hfi_switching_switch(const hfiSwitching* s, int i) {
  assert(i >= 0 && i < s->report.nswitch);
  return s->record[imin2(i, HFI_MAX_SWITCHES - 1)];
}

hfContact hfi_switching_contact(const hfiSwitching* s, int i) {
  const hfRigid* r = s->rigid;
  const hfiContact* c = &r->accel->contact[i].at;
  const hfiTrack* t = &r->track[i];
  int soft = s->phase == HFI_PHASE_SOFT, dim = r->accel->contact[i].dim;
  const double *f = soft ? s->layer[i].f : t->f, *v = soft ? s->layer[i].s : r->point[i].s;
  hfContact out = hfi_contact_result(c);
  hfi_contact_result_velocity(&out, c, dim, v);
  if (!(soft ? f[0] > 0 : t->closed)) return out;
  hfi_contact_result_force(&out, c, dim, f);
  if (dim >= 3) out.stick = soft ? !(s->layer[i].slips & 1) : t->mode[0] == HF_MODE_ROLLING;
  if (dim >= 3 && !soft && !out.stick) out.mu = c->material.mu_dynamic;
  return out;
}
