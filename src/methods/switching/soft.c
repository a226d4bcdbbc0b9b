// The compliant phase: contacts are layers whose deformations are further unknowns beside (q, v, act). Also the changes
// from rigid to compliant contact and back.
//
//   xdot = (v, M^-1 (tau + J^T f), actdot, xidot of each layer)            forces and rates: layer.c
//
// When a compliant phase begins, the layers take over the rigid forces: f(delta, v_n) and f(xi, s) are solved for the
// deformations delta and xi, and the rest gap of each layer is set so that the configuration gives this delta. When a
// rigid phase begins, contacts that press are held at their present gap, with the modes of their layers or of the
// bodies' velocities. Neither change alters q or v.
#include "methods/switching/switching.h"

#include "methods/ode/step.h"

#include <string.h>

static const double HOP = 1e-4;      // Length of a hop across a jump of the forces, over the step of the sim [-].
static const double LONG_HOP = 0.02; // Its length if the integrator has used up its steps [-].
enum { HOPS = 2000 };                // Largest number of hops in one integration.
static const double RETURN_P_MARGIN = 1e-6; // The rigid model takes over only with a P margin above this [-].

// ---- the right-hand side ----------------------------------------------------------------------------

hfiDeformation hfi_soft_deformation(const hfiSwitching* s, const double* x, int k) {
  hfiDeformation d = {v3_zero(), v3_zero()};
  if (k < 0 || k >= s->nlayer) return d;
  const double* at = x + s->nx + s->stride * k;
  d.xi_B = v3_load(at);
  if (s->stride > 3) d.twist_B = v3_load(at + 3);
  return d;
}

// Writes the deformation of layer k, or its rate, to the part `at` of a vector.
static void store_layer(const hfiSwitching* s, double* at, int k, const hfiDeformation* d) {
  if (k < 0 || k >= s->nlayer) return;
  v3_store(at + s->stride * k, d->xi_B);
  if (s->stride > 3) v3_store(at + s->stride * k + 3, d->twist_B);
}

double hfi_soft_rest(const hfRigid* r, int i) {
  return r->point[i].match >= 0 ? r->track[r->point[i].match].held : hfi_relaxed_gap(r, i);
}

// One step of the hash FNV-1a.
static uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * UINT64_C(0x100000001b3); }

hfStatus hfi_soft_rate(void* context, double t, const double* x, double* xdot) {
  hfiSwitching* s = context;
  hfRigid* r = s->rigid;
  const hfModel* m = s->model;
  const double *v = x + m->nq, *act = m->na ? v + m->nv : NULL;
  double *vdot = xdot + m->nv, *layers = xdot + 2 * m->nv + m->na;
  ++s->looks;
  if (hfi_looks_are_used_up(s)) return HF_NOT_CONVERGED;
  hfStatus status = hfi_accel_gather(r->accel, t, x, v, act, act ? xdot + 2 * m->nv : NULL);
  if (status) return status;
  memcpy(xdot, v, (size_t)m->nv * sizeof *v);
  memcpy(vdot, r->accel->tau, (size_t)m->nv * sizeof *vdot);
  memset(layers, 0, (size_t)(s->stride * s->nlayer) * sizeof *layers);
  hfi_rigid_match(r);
  s->region = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < r->accel->ncontact; ++i) {
    hfiDeformation at = hfi_soft_deformation(s, x, r->point[i].match);
    hfiLayerState layer = hfi_layer_evaluate(r, i, hfi_soft_rest(r, i), &at, v);
    if (layer.f[0] > 0) {
      hfiContactKey key = hfi_contact_key(r->accel->contact[i].contact);
      s->region = mix(mix(mix(s->region, key.pair), key.feature), (uint64_t)layer.slips);
      hfi_accel_add_force(&r->accel->contact[i], layer.f, vdot);
    }
    store_layer(s, layers, r->point[i].match, &layer.rate);
  }
  hfi_accel_finish(r->accel, vdot);
  memcpy(s->looked, x, (size_t)(s->nx + s->stride * s->nlayer) * sizeof *x);
  return HF_OK;
}

uint64_t hfi_soft_region(void* context, double t, const double* x) {
  hfiSwitching* s = context;
  if (memcmp(s->looked, x, (size_t)(s->nx + s->stride * s->nlayer) * sizeof *x) != 0 && hfi_soft_rate(s, t, x, s->rate)) return 0;
  return s->region;
}

// ---- layers and tracks --------------------------------------------------------------------------------

// Turns a deformation into the tangent plane of its contact and keeps its length: the plane turns as bodies roll.
static hfVec3 turn_into_plane(hfVec3 xi, hfVec3 n) {
  hfVec3 t = hfi_across(n, xi);
  double kept = v3_norm(t), length = v3_norm(xi);
  return kept > 0.1 * length ? v3_scale(length / kept, t) : t;
}

// Copies the deformations of the tracks into the state vector s->x.
static void pack_layers(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  s->nlayer = imin2(r->ntrack, s->max_layers);
  for (int k = 0; k < s->nlayer; ++k) store_layer(s, s->x + s->nx, k, &r->track[k].deformation);
}

// Copies the deformations back from s->x into the tracks.
static void unpack_layers(hfiSwitching* s) {
  for (int k = 0; k < s->nlayer; ++k) s->rigid->track[k].deformation = hfi_soft_deformation(s, s->x, k);
}

hfStatus hfi_soft_look(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  const double* v = hfi_switching_v(s);
  hfStatus status = hfi_accel_gather(r->accel, s->t, s->x, v, hfi_switching_act(s), NULL);
  if (status) return status;
  hfi_rigid_match(r);
  hfi_tracks_renew(s);
  for (int i = 0; i < r->accel->ncontact; ++i) {
    hfiTrack* t = &r->track[i];
    const hfiContact* c = r->accel->contact[i].contact;
    t->closed = 0;
    hfVec3* xi_B = &t->deformation.xi_B;
    *xi_B = turn_into_plane(*xi_B, m3_tmulv(r->accel->dynamics->X_WB[c->body_b].R, c->n));
    s->layer[i] = hfi_layer_evaluate(r, i, t->held, &t->deformation, v);
    memcpy(t->f, s->layer[i].f, sizeof t->f);
  }
  return HF_OK;
}

double hfi_soft_energy(const hfiSwitching* s) {
  const hfRigid* r = s->rigid;
  double sum = 0;
  for (int i = 0; i < r->accel->ncontact; ++i) {
    const hfiTrack* t = &r->track[r->point[i].match];
    sum += hfi_layer_energy(r, i, t->held, &t->deformation);
  }
  return sum;
}

// ---- changes ----------------------------------------------------------------------------------------

static hfSwitch* add_switch(hfiSwitching* s, int rigid, int reason) {
  int last = imin2(s->report.nswitch++, HFI_MAX_SWITCHES - 1);
  hfSwitch* w = &s->record[last];
  memset(w, 0, sizeof *w);
  w->time = s->t;
  w->rigid = rigid;
  w->reason = reason;
  s->phase = rigid ? HFI_PHASE_RIGID : HFI_PHASE_SOFT;
  s->since = s->t;
  return w;
}

static double force_distance(const double* a, const double* b) {
  return sqrt(sqr(a[0] - b[0]) + sqr(a[1] - b[1]) + sqr(a[2] - b[2]));
}

void hfi_switch_to_soft(hfiSwitching* s, int reason) {
  hfRigid* r = s->rigid;
  const double* v = hfi_switching_v(s);
  hfSwitch* w = add_switch(s, 0, reason);
  w->certificate = r->problem.certificate;
  for (int i = 0; i < r->accel->ncontact; ++i) {
    hfiTrack* t = &r->track[r->point[i].match];
    hfiDeformation both[2];
    if (!t->closed) continue; // An open contact has a relaxed layer, whose rest gap is the gap at which it would have met.
    t->held = hfi_layer_start_normal(r, i, t, r->point[i].s);
    for (int start = HF_START_EQUILIBRIUM; start <= HF_START_PAPER; ++start) {
      both[start] = hfi_layer_start(r, i, t, r->point[i].s, start);
      hfiLayerState layer = hfi_layer_evaluate(r, i, t->held, &both[start], v);
      double* jump = start == HF_START_PAPER ? &w->df_paper : &w->df_equilibrium;
      *jump = max2(*jump, force_distance(layer.f, t->f));
    }
    t->deformation = both[s->config.start];
  }
  s->energy.made += hfi_soft_energy(s);
  w->df = s->config.start == HF_START_PAPER ? w->df_paper : w->df_equilibrium;
}

// Sets the modes of a track from its layer. Returns 0 if the layer still changes its direction: its force does not oppose its slip.
static int take_modes(hfiSwitching* s, int i, const hfiLayerState* layer, hfiTrack* t) {
  hfRigid* r = s->rigid;
  const hfiContact* c = r->accel->contact[i].contact;
  t->closed =
      layer->f[0] > 0 || (layer->delta > -r->config.touch && layer->s[0] <= r->config.stick_speed);
  t->held = -c->depth;
  for (int g = 0; t->closed && g < hfi_group_count(r->point[i].dim); ++g) {
    hfVec3 slip = hfi_group_vector(c, g, layer->s + hfi_group_first(g)), hold = hfi_group_vector(c, g, layer->w[g]);
    int fast = v3_norm(slip) > r->config.stick_speed;
    int slides = s->config.return_modes == HF_RETURN_GROSS ? fast : layer->slips >> g & 1;
    t->mode[g] = slides ? HF_MODE_SLIDING : HF_MODE_ROLLING;
    t->zero[g] = !slides;
    if (!slides) continue;
    if (!fast || (s->config.return_modes == HF_RETURN_LAYER && v3_dot(slip, hold) < 0)) return 0;
    t->d_W[g] = v3_unit(slip);
  }
  return 1;
}

// Largest jump of a contact force from the layers to the rigid solution [N]. *largest is the largest force.
static double force_jump(const hfiSwitching* s, double* largest) {
  const hfRigid* r = s->rigid;
  static const double none[6] = {0};
  double jump = 0;
  *largest = 0;
  for (int i = 0; i < r->problem.ncontact; ++i) {
    const double* f = r->point[i].track >= 0 ? r->track[r->point[i].track].f : none;
    jump = max2(jump, force_distance(f, s->layer[i].f));
    *largest = max2(*largest, max2(force_distance(f, none), force_distance(s->layer[i].f, none)));
  }
  return jump;
}

// Solves the rigid problem with the modes of the layers, and decides whether it may take over: it has a solution, is certified with
// margins, its rolling contacts are inside their cones, and no force jumps too much.
static int rigid_may_take_over(hfiSwitching* s, double* jump) {
  hfRigid* r = s->rigid;
  const hfRigidCertificate* c = &r->problem.certificate;
  double largest;
  for (int i = 0; i < r->problem.ncontact; ++i)
    if (!take_modes(s, i, &s->layer[i], &r->track[i])) return 0;
  r->follow = 1;
  hfi_rigid_assemble(r);
  hfi_rigid_solve(r);
  hfi_rigid_certify(r);
  *jump = force_jump(s, &largest);
  if (r->problem.lcp.status != HF_OK || !c->holds || !hfi_rigid_cones_hold(r)) return 0;
  if (r->problem.n &&
      (c->p_margin < RETURN_P_MARGIN || c->rank_margin < 10 * s->config.rank_margin))
    return 0;
  return s->config.settle == 0 || *jump <= s->config.settle * largest;
}

// Returns 1 if the rigid model may take over at the present point of a compliant phase. With commit = 1 it does.
static int switch_to_rigid(hfiSwitching* s, int commit) {
  hfRigid* r = s->rigid;
  double jump = 0;
  if (hfi_soft_look(s) || !hfi_rigid_look(r, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s)))
    return 0;
  hfi_tracks_copy(s->before, &s->nbefore, r->track, r->ntrack);
  int may = rigid_may_take_over(s, &jump);
  if (!may || !commit) {
    hfi_tracks_copy(r->track, &r->ntrack, s->before, s->nbefore);
    return may;
  }
  hfSwitch* w = add_switch(s, 1, HF_SWITCH_CERTIFIED);
  w->df = jump;
  w->certificate = r->problem.certificate;
  return 1;
}

// ---- the phase --------------------------------------------------------------------------------------

// Prepares the integrator for (q, v, act) and the layers, with this first step [s].
static void prepare_integrator(hfiSwitching* s, hfIntegrator* integrator, double step) {
  s->looked[0] = NAN; // No point was evaluated with the present tracks.
  int tail = s->stride * s->nlayer;
  hfi_integrator_resize(integrator, s->nx + tail, 2 * s->model->nv + s->model->na + tail);
  hf_integrator_set_next_step(integrator, step);
}

// Takes steps of implicit Euler across a jump of the forces, which happens where shapes meet with another feature. An integrator with error control would
// shorten its steps there without end. The contacts are held as they are, so that nothing jumps within the hop, and the steps are implicit: a hop of
// explicit steps would put bodies into stiff layers, which throw them out again. If nothing touches, there is no such jump, and the integrator's trouble stays
// trouble.
static hfStatus hop(hfiSwitching* s, double dt, hfStatus trouble, hfError* error) {
  hfAccel* a = s->rigid->accel;
  hfStatus status = hfi_accel_configure(a, s->x);
  if (status) return status;
  if (a->ncontact == 0) return trouble;
  hfi_accel_hold(a);
  prepare_integrator(s, s->hopper, dt);
  status = hf_integrator_advance(s->hopper, &s->t, s->x, s->t + dt, error);
  hfi_add_integration(s, s->hopper);
  hfi_accel_let_go(a);
  ++s->report.nhop;
  return status > 0 ? trouble : status;
}

// Integrates s->x from s->t over dt to t_end. If the integrator cannot continue, takes a hop.
static hfStatus integrate_with_hops(hfiSwitching* s, double dt, double t_end, hfError* error) {
  prepare_integrator(s, s->soft, dt);
  for (int hops = 0;; ++hops) {
    hfStatus status = hf_integrator_advance(s->soft, &s->t, s->x, t_end, error);
    hfi_add_integration(s, s->soft);
    if (status <= 0 || hops == HOPS) return status;
    status = hop(s, min2((status == HF_STEP_TOO_SMALL ? HOP : LONG_HOP) * s->h, t_end - s->t), status, error);
    if (status) return status;
    prepare_integrator(s, s->soft, HOP * s->h);
  }
}

// Integrates the phase from its beginning (s->soft_start, s->kept) over dt, or as far as that goes.
static hfStatus integrate_soft(hfiSwitching* s, double from, double dt, hfError* error) {
  hfRigid* r = s->rigid;
  hfStatus status = HF_OK;
  hfi_tracks_copy(r->track, &r->ntrack, s->kept, s->nkept);
  memcpy(s->x, s->soft_start, (size_t)(s->nx + s->stride * s->nlayer) * sizeof *s->x);
  s->t = from;
  if (s->model->nv) status = integrate_with_hops(s, dt, from + dt, error);
  else s->t += dt;
  if (status >= 0) unpack_layers(s);
  return status;
}

// Shortens the phase to the earliest time at which the rigid model may take over, to a thousandth of the step.
static hfStatus return_early(hfiSwitching* s, double from, double dt, hfError* error) {
  double lo = max2(0, s->since + s->config.dwell - from), hi = dt;
  for (int i = 0; i < 20 && hi - lo > 1e-3 * s->h; ++i) {
    double mid = 0.5 * (lo + hi);
    hfStatus status = integrate_soft(s, from, mid, error);
    if (status) return status;
    if (switch_to_rigid(s, 0))
      hi = mid;
    else
      lo = mid;
  }
  hfStatus status = integrate_soft(s, from, hi, error);
  if (!status) switch_to_rigid(s, 1);
  return status;
}

hfStatus hfi_soft_phase(hfiSwitching* s, double t_end, hfError* error) {
  double from = s->t;
  hfStatus status = hfi_soft_look(s);
  if (status) return status;
  if (s->energy.start < 0) s->energy.start = hfi_soft_energy(s);
  pack_layers(s);
  hfi_tracks_copy(s->kept, &s->nkept, s->rigid->track, s->rigid->ntrack);
  memcpy(s->soft_start, s->x, (size_t)(s->nx + s->stride * s->nlayer) * sizeof *s->x);
  status = integrate_soft(s, from, t_end - from, error);
  int may = s->config.contact_mode == HF_CONTACT_MODEL_SWITCHING && !hfi_arc_exhausted(s) &&
            s->t - s->since >= s->config.dwell;
  if (!status && may && switch_to_rigid(s, 0))
    status = return_early(s, from, t_end - from, error);
  return status;
}
