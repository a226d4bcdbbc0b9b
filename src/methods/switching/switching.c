// The integrated scheme (grasp-switching, figure 4): one step of a sim.
//
//   state -> tracks -> { rigid phase up to an event, or compliant phase } until the step is over -> state
//
// Rigid while A is a P-matrix of full rank with a stable boundary layer, else compliant; back when the certificates
// hold again, with margins, after a dwell, and where the forces of both models agree (settle).
#include "methods/switching/inside.h"

#include "base/object.h"
#include "step/contact/contact.h"

#include <string.h>

// Weight of configurations and deformations against velocities in the error norm [1/s].
static const double SPATIAL_WEIGHT = 10;
// Hops are solved to this share of the accuracy [-].
static const double HOP_TOLERANCE_SHARE = 1e-3;
// The shortest step of an integrator over the step of the sim [-].
static const double SMALLEST_INTEGRATOR_STEP_SHARE = 1e-8;
// Most steps of an integrator in one call.
enum { MOST_ARC_STEPS = 1000, MOST_COMPLIANT_STEPS = 2000, MOST_HOP_STEPS = 200 };

// ---- creation ---------------------------------------------------------------------------------------

// Returns how many numbers a layer has: 3, or 6 if a geom or pair has friction against torsion or rolling.
static int choose_stride(const hfModel* model) {
  for (int g = 0; g < model->ngeom; ++g)
    if (hf_model_geom_condim(model)[g] > 3) return 6;
  for (int p = 0; p < model->npair; ++p)
    if (hf_model_pair_condim(model)[p] > 3) return 6;
  return 3;
}

// Plans or takes all arrays of the method.
static void take_arrays(void* object, hfiArena* arena) {
  hfiSwitching* s = object;
  const hfModel* model = s->model;
  size_t contacts = (size_t)s->config.rigid.max_contacts;
  size_t tail = (size_t)(s->layers.stride * s->layers.capacity);
  size_t state = (size_t)s->nx + tail;
  size_t tangent = (size_t)(2 * model->nv + model->na) + tail;

  // the state
  s->x = HFI_TAKE(arena, double, state);
  s->weight = HFI_TAKE(arena, double, tangent);

  // phases
  s->arc.start = HFI_TAKE(arena, double, s->nx);
  s->arc.trial = HFI_TAKE(arena, double, s->nx);
  s->compliant.start = HFI_TAKE(arena, double, state);
  s->compliant.rate = HFI_TAKE(arena, double, tangent);
  s->compliant.region_point = HFI_TAKE(arena, double, state);

  s->before.list = HFI_TAKE(arena, hfiTrack, contacts);
  s->kept.list = HFI_TAKE(arena, hfiTrack, contacts);
  s->layers.state = HFI_TAKE(arena, hfiLayerState, contacts);

  // results
  s->result.vdot = HFI_TAKE(arena, double, model->nv);
  s->result.contact = HFI_TAKE(arena, hfContact, contacts);
}

// x = x0 (+) u for (q, v, act): the charts of the accel serve.
static void plus_rigid(void* context, const double* x0, const double* u, double* x) {
  const hfiSwitching* s = context;
  s->base.plus(s->base.context, x0, u, x);
}

// The same with the layers behind (q, v, act), which add up.
static void plus_compliant(void* context, const double* x0, const double* u, double* x) {
  const hfiSwitching* s = context;
  const hfModel* model = s->model;

  plus_rigid(context, x0, u, x);
  for (int i = 0; i < hfi_switching_tail(s); ++i) x[s->nx + i] = x0[s->nx + i] + u[2 * model->nv + model->na + i];
}

// The rate xdot in the chart, given at its point u: the accel's.
static void lift(void* context, const double* u, double* xdot) {
  const hfiSwitching* s = context;
  s->base.lift(s->base.context, u, xdot);
}

// Creates the integrators of arcs, of compliant phases and of hops.
static hfStatus create_integrators(hfiSwitching* s, hfError* error) {
  const hfModel* model = s->model;
  int n = 2 * model->nv + model->na;
  int tail = s->layers.stride * s->layers.capacity;
  if (!model->nv) return HF_OK;

  // configurations and deformations weigh more than velocities
  for (int i = 0; i < n + tail; ++i) {
    int is_spatial = i < model->nv || i >= n;
    s->weight[i] = is_spatial ? SPATIAL_WEIGHT : 1;
  }

  // arcs
  hfOde ode = {
      .context = s,
      .nx = s->nx,
      .n = n,
      .rhs = hfi_arc_rate,
      .plus = plus_rigid,
      .lift = lift,
      .weight = s->weight,
  };
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = HF_METHOD_RK3;
  integrator.accuracy = s->config.accuracy;
  integrator.step = s->h;
  integrator.max_steps = MOST_ARC_STEPS;
  integrator.smallest_step = SMALLEST_INTEGRATOR_STEP_SHARE * s->h;
  integrator.tals = 0;
  integrator.allocator = s->rigid->accel->world->config.allocator;
  hfStatus status = hf_integrator_create(&s->arc.integrator, &ode, &integrator, error);
  if (status) return status;

  // compliant phases
  ode.nx += tail;
  ode.n += tail;
  ode.rhs = hfi_compliant_rate;
  ode.plus = plus_compliant;
  ode.jacobian = hfi_compliant_jacobian;
  ode.lift_jacobian = hfi_compliant_lift_jacobian;
  ode.region = hfi_compliant_region;
  integrator.method = s->config.integrator;
  integrator.max_steps = MOST_COMPLIANT_STEPS;
  integrator.newton = HF_NEWTON_QUASI;
  integrator.jacobian = HF_JACOBIAN_ANALYTIC;
  // There is no line search to shorten updates, but the Jacobian is formed anew where a layer closes, opens, sticks or
  // slips.
  integrator.tals = 1;
  status = hf_integrator_create(&s->compliant.integrator, &ode, &integrator, error);
  if (status) return status;

  // hops: short steps across a jump of the forces in a compliant phase
  integrator.method = HF_METHOD_IMPLICIT_EULER;
  integrator.error_control = 0;
  integrator.newton_tolerance = HOP_TOLERANCE_SHARE * integrator.accuracy;
  integrator.max_steps = MOST_HOP_STEPS;
  return hf_integrator_create(&s->compliant.hop_integrator, &ode, &integrator, error);
}

// Frees the method with its integrators; NULL is allowed.
static void free_switching(void* method) {
  hfiSwitching* s = method;
  if (!s) return;
  hf_integrator_free(s->arc.integrator);
  hf_integrator_free(s->compliant.integrator);
  hf_integrator_free(s->compliant.hop_integrator);
  hf_rigid_free(s->rigid);
  hfi_release(s);
}

// Creates the method over a world. The fields of the configuration are checked already.
static hfStatus create_switching(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  const hfModel* model = world->model;
  hfiSwitching seed = {
      .model = model,
      .config = config->switching,
      .h = config->step,
      .nx = model->nq + model->nv + model->na,
      .layers = {.stride = choose_stride(model)},
  };
  if (config->accuracy > 0) seed.config.accuracy = config->accuracy;
  seed.config.rigid.max_contacts = world->config.max_contacts;
  seed.layers.capacity = imin2(seed.config.rigid.max_contacts, HFI_MAX_LAYERS);
  hfiSwitching* s = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "switching", error);
  if (!s) return HF_ERROR_MEMORY;

  // the rigid problem with its accel, and the integrators
  hfStatus status = hfi_rigid_create(&s->rigid, world, &s->config.rigid, error);
  if (!status) {
    s->base = hf_accel_ode(s->rigid->accel);
    status = create_integrators(s, error);
  }
  if (status == HF_OK) *method = s;
  else free_switching(s);
  return status;
}

// ---- the end of a step ------------------------------------------------------------------------------

// Computes forces and accelerations at the end of a step in a compliant phase. Writes s->result.vdot, the layers and
// their energy.
static hfStatus compute_compliant_results(hfiSwitching* s) {
  hfAccel* accel = s->rigid->accel;
  hfStatus status = hfi_compliant_update_point(s);
  if (status) return status;

  memcpy(s->result.vdot, accel->tau, (size_t)s->model->nv * sizeof *s->result.vdot);
  for (int i = 0; i < accel->ncontact; ++i)
    if (s->layers.state[i].f[0] > 0) hfi_accel_add_force(&accel->contact[i], s->layers.state[i].f, s->result.vdot);

  hfi_accel_find_vdot(accel, s->result.vdot);
  s->result.energy.end = hfi_compliant_energy(s);
  return HF_OK;
}

// Computes forces and accelerations at the end of a step in a rigid phase, and the certificate there. Writes
// s->result.vdot, the tracks and the rigid problem.
static hfStatus compute_rigid_results(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  rigid->follows_slip = 1;
  if (!hfi_rigid_update_point(rigid, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s))) return HF_SINGULAR;

  hfi_tracks_renew(s);
  for (int k = 0; k < rigid->tracks.count; ++k) rigid->tracks.list[k].closed = rigid->tracks.list[k].closed > 0;

  hfi_rigid_assemble(rigid);
  hfi_rigid_solve(rigid);
  hfi_rigid_certify(rigid);

  memcpy(s->result.vdot, rigid->problem.vdot, (size_t)s->model->nv * sizeof *s->result.vdot);
  return rigid->problem.lcp.status == HF_OK ? HF_OK : HF_NO_SOLUTION;
}

// ---- the step ---------------------------------------------------------------------------------------

// Advances the state by the step or, on trouble (status > 0), as far as it went: time says how far. The result depends
// on state and input alone.
static hfStatus advance(hfiSwitching* s, hfState* state, const hfInput* input, hfError* error) {
  const double t_end = state->time + s->h;

  memset(&s->result.report, 0, sizeof s->result.report);
  memset(&s->result.integration, 0, sizeof s->result.integration);
  s->arc.events = 0;
  s->arc.stalls = 0;
  s->evaluations = 0;

  // the start; NULL: there are no anchors, because the tracks hold the deformations
  hf_accel_begin(s->rigid->accel, NULL, input);
  hfi_state_load(state, s->x);
  s->t = state->time;
  hfStatus status = hfi_switching_recall(s, state);
  // the energy of layers is not known (-1) before the first evaluation; without dofs there is nothing to integrate
  s->result.energy = (hfiLayerEnergy){.start = s->phase == HFI_PHASE_COMPLIANT ? -1 : 0};
  if (!s->model->nv) s->t = t_end;

  // phases
  while (status == HF_OK && s->t < t_end - HFI_INSTANT_SHARE * s->h) {
    if (hfi_evaluations_are_used_up(s)) status = HF_NOT_CONVERGED;
    else if (s->phase == HFI_PHASE_RIGID) status = hfi_advance_rigid_phase(s, t_end, error);
    else status = hfi_advance_compliant_phase(s, t_end, error);
  }
  if (status < 0) return status;
  if (status == HF_OK) s->t = t_end;

  // the end
  s->result.report.rigid = s->phase == HFI_PHASE_RIGID;
  int is_compliant = s->phase == HFI_PHASE_COMPLIANT;
  hfStatus results = is_compliant ? compute_compliant_results(s) : compute_rigid_results(s);
  hfi_state_store(state, s->x);
  state->time = s->t;

  int dropped = hfi_switching_store(s, state);
  int has_overflow = dropped || s->rigid->dropped || s->rigid->tracks.count > s->layers.capacity;
  if (results == HF_OK && has_overflow) results = HF_OVERFLOW;
  s->result.integration.status = status;
  return status ? status : results;
}

// ---- results ----------------------------------------------------------------------------------------

// Contact i at the end of the step, as a sim reports it. It has a force only if it presses or is closed.
static hfContact read_contact(const hfiSwitching* s, int i) {
  const hfRigid* rigid = s->rigid;
  const hfiContact* contact = hfi_point_contact(rigid, i);
  const hfiTrack* track = &rigid->tracks.list[i];
  const hfiLayerState* layer = &s->layers.state[i];
  int dim = rigid->accel->contact[i].dim;
  // as yet without velocity and force
  hfContact out = hfi_contact_result(contact);

  // a layer
  if (s->phase == HFI_PHASE_COMPLIANT) {
    hfi_contact_result_velocity(&out, contact, dim, layer->s);
    if (!(layer->f[0] > 0)) return out;

    hfi_contact_result_force(&out, contact, dim, layer->f);
    if (out.mu > 0) out.stick = !(layer->slips & 1);
    return out;
  }

  // a rigid contact
  hfi_contact_result_velocity(&out, contact, dim, rigid->point[i].s);
  if (!track->closed) return out;

  hfi_contact_result_force(&out, contact, dim, track->f);
  if (out.mu > 0) out.stick = track->mode[0] == HF_MODE_ROLLING;
  if (dim >= 3 && !out.stick) out.mu = contact->material.mu_dynamic;
  return out;
}

// ---- for the table of methods -----------------------------------------------------------------------

// One step of a sim: the motion, then report, contacts, forces and accelerations.
static hfStatus step(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfiSwitching* s = method;
  const hfAccel* accel = s->rigid->accel;
  int64_t dropped = hf_accel_statistics(accel).dropped;
  hfStatus status = advance(s, state, in, error);

  if (status < 0) return status;

  // report; dropped: how many contacts were dropped before this step
  hfi_accel_fill_report(accel, status, &s->result.integration, dropped, out->report);
  out->report->switching = s->result.report;

  // contacts
  s->result.ncontact = 0;
  for (int i = 0; i < accel->ncontact; ++i)
    hfi_accel_keep_contact(read_contact(s, i), s->result.contact, &s->result.ncontact, out->report);

  hfi_accel_write_constraint_forces(accel, out);
  memcpy(out->acceleration, s->result.vdot, sizeof *s->result.vdot * (size_t)s->model->nv);
  out->taken = 1;
  return out->report->status;
}

static int contact_count(const void* method) {
  const hfiSwitching* s = method;
  return s->result.ncontact;
}

static hfContact contact(const void* method, int i) {
  const hfiSwitching* s = method;
  return s->result.contact[i];
}

// The springs of limits. The energy of layers is known at both ends of a step.
static hfiHeldEnergy held_energy(void* method, const double* q) {
  return (hfiHeldEnergy){.limits = hfi_accel_limit_energy(((const hfiSwitching*)method)->rigid->accel, q)};
}

// Energy of the layers at both ends of the step, and what the switches of this step added [J].
static hfiLayerEnergy layer_energy(const void* method) {
  const hfiSwitching* s = method;
  return (hfiLayerEnergy){max2(0, s->result.energy.start), s->result.energy.end, s->result.energy.made};
}

static hfSwitch model_switch(const void* method, int i) {
  const hfiSwitching* s = method;
  assert(i >= 0 && i < s->result.report.nswitch);
  return s->result.record[imin2(i, HFI_MAX_SWITCHES - 1)];
}

static const hfRigidProblem* rigid_problem(const void* method) {
  return &((const hfiSwitching*)method)->rigid->problem;
}

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
