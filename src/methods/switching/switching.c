// The integrated scheme (grasp-switching, figure 4): one step of a sim.
//
//   state -> tracks -> { rigid phase up to an event, or compliant phase } until the step is over -> state
//
// Rigid while A is a P-matrix of full rank with a stable boundary layer, else compliant; back when the certificates
// hold again, with margins, after a dwell, and where the forces of both models agree (settle).
#include "methods/switching/switching.h"

#include "base/object.h"
#include "step/contact/result.h"

#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------

static int layer_stride(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_condim(m)[g] > 3) return 6;
  for (int p = 0; p < m->npair; ++p)
    if (hf_model_pair_condim(m)[p] > 3) return 6;
  return 3;
}

static void take_arrays(void* object, hfiArena* arena) {
  hfiSwitching* s = object;
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
  s->looked = HFI_TAKE(arena, double, (size_t)s->nx + tail);
  s->before = HFI_TAKE(arena, hfiTrack, contacts);
  s->kept = HFI_TAKE(arena, hfiTrack, contacts);
  s->layer = HFI_TAKE(arena, hfiLayerState, contacts);
  s->contact = HFI_TAKE(arena, hfContact, contacts);
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

static const double HOP_TOLERANCE = 1e-3; // Hops are solved to this share of the accuracy [-].

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
  c.allocator = s->rigid->accel->world->config.allocator;
  hfStatus status = hf_integrator_create(&s->arc, &ode, &c, error);
  if (status) return status;
  ode.nx += tail;
  ode.n += tail;
  ode.rhs = hfi_soft_rate;
  ode.plus = plus;
  ode.jacobian = hfi_soft_jacobian;
  ode.lift_jacobian = hfi_soft_lift_jacobian;
  ode.region = hfi_soft_region;
  c.method = s->config.integrator;
  c.max_steps = 2000;
  c.newton = HF_NEWTON_QUASI;
  c.tals = 1; // There is no line search to shorten updates, but the Jacobian is formed anew where a layer closes, opens, sticks or slips.
  c.jacobian = HF_JACOBIAN_ANALYTIC;
  status = hf_integrator_create(&s->soft, &ode, &c, error);
  if (status) return status;
  c.method = HF_METHOD_IMPLICIT_EULER;
  c.error_control = 0;
  c.newton_tolerance = HOP_TOLERANCE * c.accuracy;
  c.max_steps = 200;
  return hf_integrator_create(&s->hopper, &ode, &c, error);
}

static void free_switching(void* method) {
  hfiSwitching* s = method;
  if (!s) return;
  hf_integrator_free(s->arc);
  hf_integrator_free(s->soft);
  hf_integrator_free(s->hopper);
  hf_rigid_free(s->rigid);
  hfi_release(s);
}

// The fields of the configuration are checked already.
static hfStatus create_switching(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  const hfModel* model = world->model;
  hfiSwitching seed = {.model = model,
                       .config = config->switching,
                       .h = config->step,
                       .nx = model->nq + model->nv + model->na,
                       .stride = layer_stride(model)};
  if (config->accuracy > 0) seed.config.accuracy = config->accuracy;
  seed.config.rigid.max_contacts = world->config.max_contacts;
  seed.max_layers = imin2(seed.config.rigid.max_contacts, HFI_MAX_LAYERS);
  hfiSwitching* s = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "switching", error);
  if (!s) return HF_ERROR_MEMORY;
  hfStatus status = hfi_rigid_create(&s->rigid, world, &s->config.rigid, error);
  if (!status) s->base = hf_accel_ode(s->rigid->accel);
  if (!status) status = create_integrators(s, error);
  if (status == HF_OK)
    *method = s;
  else
    free_switching(s);
  return status;
}

// ---- the step ---------------------------------------------------------------------------------------

// Computes forces and accelerations at the end, by the contact model that acts there.
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
        hfi_accel_add_force(&r->accel->contact[i], s->layer[i].f, s->vdot);
    hfi_accel_finish(r->accel, s->vdot);
    s->energy.end = hfi_soft_energy(s);
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

// Advances the state by the step or, on trouble (status > 0), as far as it went: time says how far. The result depends on state and input
// alone.
static hfStatus advance(hfiSwitching* s, hfState* state, const hfInput* input, hfError* error) {
  const double t_end = state->time + s->h, sliver = 1e-9 * s->h;
  memset(&s->report, 0, sizeof s->report);
  memset(&s->integration, 0, sizeof s->integration);
  s->events = s->stalls = s->looks = 0;
  hf_accel_begin(s->rigid->accel, NULL, input);
  hfi_state_load(state, s->x);
  s->t = state->time;
  hfStatus status = hfi_switching_recall(s, state);
  s->energy = (hfiLayerEnergy){.start = s->phase == HFI_PHASE_SOFT ? -1 : 0}; // -1: not known before the first evaluation
  if (!s->model->nv) s->t = t_end; // Nothing moves, and there is no integrator.
  while (status == HF_OK && s->t < t_end - sliver)
    status = hfi_looks_are_used_up(s) ? HF_NOT_CONVERGED : (s->phase == HFI_PHASE_RIGID ? hfi_rigid_phase : hfi_soft_phase)(s, t_end, error);
  if (status < 0) return status;
  if (status == HF_OK) s->t = t_end;
  hfStatus end = take_results(s);
  hfi_state_store(state, s->x);
  state->time = s->t;
  if (hfi_switching_store(s, state) || s->rigid->dropped || s->rigid->ntrack > s->max_layers)
    end = end ? end : HF_OVERFLOW;
  s->integration.status = status;
  return status ? status : end;
}

// ---- results ----------------------------------------------------------------------------------------

static hfContact read_contact(const hfiSwitching* s, int i) {
  const hfRigid* r = s->rigid;
  const hfiContact* c = r->accel->contact[i].contact;
  const hfiTrack* t = &r->track[i];
  int soft = s->phase == HFI_PHASE_SOFT, dim = r->accel->contact[i].dim;
  const double *f = soft ? s->layer[i].f : t->f, *v = soft ? s->layer[i].s : r->point[i].s;
  hfContact out = hfi_contact_result(c);
  hfi_contact_result_velocity(&out, c, dim, v);
  if (!(soft ? f[0] > 0 : t->closed)) return out;
  hfi_contact_result_force(&out, c, dim, f);
  if (out.mu > 0) out.stick = soft ? !(s->layer[i].slips & 1) : t->mode[0] == HF_MODE_ROLLING;
  if (dim >= 3 && !soft && !out.stick) out.mu = c->material.mu_dynamic;
  return out;
}

// ---- for the table of methods -----------------------------------------------------------------------

static hfStatus step(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfiSwitching* s = method;
  const hfAccel* a = s->rigid->accel;
  int64_t dropped = hf_accel_statistics(a).dropped;
  hfStatus status = advance(s, state, in, error);
  if (status < 0) return status;
  hfi_accel_report(a, status, &s->integration, dropped, out->report);
  out->report->switching = s->report;
  s->ncontact = 0;
  for (int i = 0; i < a->ncontact; ++i)
    hfi_accel_keep_contact(read_contact(s, i), s->contact, &s->ncontact, out->report);
  hfi_accel_constraint_forces(a, out);
  memcpy(out->acceleration, s->vdot, sizeof *s->vdot * (size_t)s->model->nv);
  out->taken = 1;
  return out->report->status;
}

static int contact_count(const void* method) { return ((const hfiSwitching*)method)->ncontact; }

static hfContact contact(const void* method, int i) { return ((const hfiSwitching*)method)->contact[i]; }

// The springs of limits. The energy of layers is known at both ends of a step.
static hfiHeldEnergy held_energy(void* method, const double* q) {
  return (hfiHeldEnergy){.limits = hfi_accel_limit_energy(((const hfiSwitching*)method)->rigid->accel, q)};
}

static hfiLayerEnergy layer_energy(const void* method) {
  const hfiSwitching* s = method;
  return (hfiLayerEnergy){max2(0, s->energy.start), s->energy.end, s->energy.made};
}

static hfSwitch model_switch(const void* method, int i) {
  const hfiSwitching* s = method;
  assert(i >= 0 && i < s->report.nswitch);
  return s->record[imin2(i, HFI_MAX_SWITCHES - 1)];
}

static const hfRigidProblem* rigid_problem(const void* method) { return &((const hfiSwitching*)method)->rigid->problem; }

const hfiMethod hfi_method_switching = {
    .traits = HFI_INVERSE_DRIVES | HFI_COULOMB_FRICTION,
    .create = create_switching,
    .free = free_switching,
    .step = step,
    .contact_count = contact_count,
    .contact = contact,
    .energy = {.held = held_energy, .layers = layer_energy},
    .model_switch = model_switch,
    .rigid_problem = rigid_problem,
};
