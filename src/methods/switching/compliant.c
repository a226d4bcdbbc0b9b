// The compliant phase: contacts are layers whose deformations are further unknowns beside (q, v, act). Also the changes
// from rigid to compliant contact and back.
//
//   xdot = (v, M^-1 (tau + J^T f), actdot, xidot of each layer)            forces and rates: layer.c
//
// When a compliant phase begins, the layers take over the rigid forces: f(delta, v_n) and f(xi, s) are solved for the
// deformations delta and xi, and the rest gap of each layer is set so that the configuration gives this delta. When a
// rigid phase begins, contacts that press are held at their present gap, with the modes of their layers or of the
// bodies' velocities. Neither change alters q or v.
#include "methods/switching/inside.h"

#include "methods/ode/ode.h"

#include <string.h>

static const double HOP = 1e-4;      // Length of a hop across a jump of the forces, over the step of the sim [-].
static const double LONG_HOP = 0.02; // Its length if the integrator has used up its steps [-].
enum { MOST_HOPS = 2000 };           // Largest number of hops in one integration.
static const double RETURN_P_MARGIN = 1e-6;       // The rigid model takes over only with a P margin above this [-],
static const double RETURN_RANK_FACTOR = 10;      // and with a margin of rank above this multiple of the configuration's [-].
static const double RETURN_TIME_SHARE = 1e-3;     // The time at which it takes over is found to this share of the step [-],
enum { MOST_RETURN_BISECTIONS = 20 };             // with at most this many bisections.
static const double LEAST_TANGENTIAL_SHARE = 0.1; // A deformation keeps its length if this share of it lies in the tangent plane [-].

// ---- layers in the state vector -----------------------------------------------------------------------

hfiDeformation hfi_compliant_deformation(const hfiSwitching* s, const double* x, int k) {
  hfiDeformation d = {v3_zero(), v3_zero()};
  if (k < 0 || k >= s->layers.count) return d;
  const double* layer = x + s->nx + s->layers.stride * k;
  d.xi_B = v3_load(layer);
  if (s->layers.stride > 3) d.twist_B = v3_load(layer + 3);
  return d;
}

// Writes the deformation of layer k, or its rate, to the part of a vector that has the layers.
static void store_layer(const hfiSwitching* s, double* layers, int k, const hfiDeformation* d) {
  if (k < 0 || k >= s->layers.count) return;
  double* layer = layers + s->layers.stride * k;
  v3_store(layer, d->xi_B);
  if (s->layers.stride > 3) v3_store(layer + 3, d->twist_B);
}

// Copies the deformations of the tracks into the state vector s->x.
static void pack_layers(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  s->layers.count = imin2(r->tracks.count, s->layers.most);
  for (int k = 0; k < s->layers.count; ++k) store_layer(s, s->x + s->nx, k, &r->tracks.list[k].deformation);
}

// Copies the deformations back from s->x into the tracks.
static void unpack_layers(hfiSwitching* s) {
  for (int k = 0; k < s->layers.count; ++k)
    s->rigid->tracks.list[k].deformation = hfi_compliant_deformation(s, s->x, k);
}

// ---- the right-hand side ----------------------------------------------------------------------------

double hfi_compliant_rest(const hfRigid* r, int i) {
  return r->point[i].match >= 0 ? hfi_point_track(r, i)->held : hfi_relaxed_gap(r, i);
}

// One step of the hash FNV-1a.
static uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * UINT64_C(0x100000001b3); }

hfStatus hfi_compliant_rate(void* context, double t, const double* x, double* xdot) {
  hfiSwitching* s = context;
  hfRigid* r = s->rigid;
  const hfModel* m = s->model;
  const double* v = x + m->nq;
  const double* act = m->na ? v + m->nv : NULL;
  double* vdot = xdot + m->nv;
  double* layers = xdot + 2 * m->nv + m->na;

  ++s->looks;
  if (hfi_looks_are_used_up(s)) return HF_NOT_CONVERGED;
  hfStatus status = hfi_accel_gather(r->accel, t, x, v, act, act ? xdot + 2 * m->nv : NULL);
  if (status) return status;
  memcpy(xdot, v, (size_t)m->nv * sizeof *v);
  memcpy(vdot, r->accel->tau, (size_t)m->nv * sizeof *vdot);
  memset(layers, 0, (size_t)hfi_switching_tail(s) * sizeof *layers);

  // forces and rates of the layers, and the piece of their laws
  uint64_t region = UINT64_C(0xcbf29ce484222325);
  hfi_rigid_match(r);
  for (int i = 0; i < r->accel->ncontact; ++i) {
    int k = r->point[i].match;
    hfiDeformation deformation = hfi_compliant_deformation(s, x, k);
    hfiLayerState layer = hfi_layer_evaluate(r, i, hfi_compliant_rest(r, i), &deformation, v);
    if (layer.f[0] > 0) {
      hfiContactKey key = hfi_contact_key(hfi_point_contact(r, i));
      region = mix(mix(mix(region, key.pair), key.feature), (uint64_t)layer.slips);
      hfi_accel_add_force(&r->accel->contact[i], layer.f, vdot);
    }
    store_layer(s, layers, k, &layer.rate);
  }
  hfi_accel_finish(r->accel, vdot);

  s->compliant.region = region;
  memcpy(s->compliant.looked, x, hfi_switching_bytes(s));
  return HF_OK;
}

uint64_t hfi_compliant_region(void* context, double t, const double* x) {
  hfiSwitching* s = context;
  int is_known = memcmp(s->compliant.looked, x, hfi_switching_bytes(s)) == 0;
  if (!is_known && hfi_compliant_rate(s, t, x, s->compliant.rate)) return 0;
  return s->compliant.region;
}

// ---- the present point --------------------------------------------------------------------------------

// Turns a deformation into the tangent plane of its contact and keeps its length: the plane turns as bodies roll.
static hfVec3 turn_into_plane(hfVec3 xi, hfVec3 n) {
  hfVec3 t = hfi_across(n, xi);
  double kept = v3_norm(t);
  double length = v3_norm(xi);
  return kept > LEAST_TANGENTIAL_SHARE * length ? v3_scale(length / kept, t) : t;
}

hfStatus hfi_compliant_look(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  const double* v = hfi_switching_v(s);
  hfStatus status = hfi_accel_gather(r->accel, s->t, s->x, v, hfi_switching_act(s), NULL);
  if (status) return status;

  hfi_rigid_match(r);
  hfi_tracks_renew(s);
  for (int i = 0; i < r->accel->ncontact; ++i) {
    hfiTrack* t = &r->tracks.list[i];
    const hfiContact* c = hfi_point_contact(r, i);
    hfVec3 n_B = m3_tmulv(r->accel->dynamics->X_WB[c->body_b].R, c->n);
    t->closed = 0;
    t->deformation.xi_B = turn_into_plane(t->deformation.xi_B, n_B);
    s->layers.state[i] = hfi_layer_evaluate(r, i, t->held, &t->deformation, v);
    memcpy(t->f, s->layers.state[i].f, sizeof t->f);
  }
  return HF_OK;
}

double hfi_compliant_energy(const hfiSwitching* s) {
  const hfRigid* r = s->rigid;
  double sum = 0;
  for (int i = 0; i < r->accel->ncontact; ++i) {
    const hfiTrack* t = hfi_point_track(r, i);
    sum += hfi_layer_energy(r, i, t->held, &t->deformation);
  }
  return sum;
}

// ---- from rigid to compliant --------------------------------------------------------------------------

// Begins a phase of this model, for this reason, and returns its entry in the record.
static hfSwitch* add_switch(hfiSwitching* s, int rigid, int reason) {
  hfSwitch* w = &s->record[imin2(s->report.nswitch++, HFI_MAX_SWITCHES - 1)];
  memset(w, 0, sizeof *w);
  w->time = s->t;
  w->rigid = rigid;
  w->reason = reason;
  s->phase = rigid ? HFI_PHASE_RIGID : HFI_PHASE_COMPLIANT;
  s->since = s->t;
  return w;
}

// Length of the difference of two forces of a contact [N].
static double force_distance(const double* a, const double* b) {
  return sqrt(sqr(a[0] - b[0]) + sqr(a[1] - b[1]) + sqr(a[2] - b[2]));
}

void hfi_switch_to_compliant(hfiSwitching* s, int reason) {
  hfRigid* r = s->rigid;
  const double* v = hfi_switching_v(s);
  hfSwitch* w = add_switch(s, 0, reason);
  w->certificate = r->problem.certificate;

  for (int i = 0; i < r->accel->ncontact; ++i) {
    hfiTrack* t = hfi_point_track(r, i);
    hfiDeformation both[2];
    // An open contact has a relaxed layer, whose rest gap is the gap at which it would have met.
    if (!t->closed) continue;
    t->held = hfi_layer_start_normal(r, i, t, r->point[i].s);

    // both ways to start, for the report of their jumps
    for (int start = HF_START_EQUILIBRIUM; start <= HF_START_PAPER; ++start) {
      both[start] = hfi_layer_start(r, i, t, r->point[i].s, start);
      hfiLayerState layer = hfi_layer_evaluate(r, i, t->held, &both[start], v);
      double* jump = start == HF_START_PAPER ? &w->df_paper : &w->df_equilibrium;
      *jump = max2(*jump, force_distance(layer.f, t->f));
    }
    t->deformation = both[s->config.start];
  }

  s->energy.made += hfi_compliant_energy(s);
  w->df = s->config.start == HF_START_PAPER ? w->df_paper : w->df_equilibrium;
}

// ---- from compliant to rigid --------------------------------------------------------------------------

// Sets the modes of the track of contact i from its layer. Returns 0 if the layer still changes its direction: its
// force does not oppose its slip.
static int take_modes(hfiSwitching* s, int i) {
  const hfRigid* r = s->rigid;
  const hfiContact* c = hfi_point_contact(r, i);
  const hfiLayerState* layer = &s->layers.state[i];
  const double stick_speed = r->config.stick_speed;
  hfiTrack* t = &r->tracks.list[i];
  t->closed = layer->f[0] > 0 || (layer->delta > -r->config.touch && layer->s[0] <= stick_speed);
  t->held = -c->depth;

  for (int g = 0; t->closed && g < hfi_group_count(r->point[i].dim); ++g) {
    hfVec3 slip = hfi_group_vector(c, g, layer->s + hfi_group_first(g));
    hfVec3 hold = hfi_group_vector(c, g, layer->w[g]);
    int is_fast = v3_norm(slip) > stick_speed;
    int slides = s->config.return_modes == HF_RETURN_GROSS ? is_fast : layer->slips >> g & 1;
    t->mode[g] = slides ? HF_MODE_SLIDING : HF_MODE_ROLLING;
    t->needs_mode[g] = !slides;
    if (!slides) continue;
    if (!is_fast || (s->config.return_modes == HF_RETURN_LAYER && v3_dot(slip, hold) < 0)) return 0;
    t->d_W[g] = v3_unit(slip);
  }
  return 1;
}

// Largest jump of a contact force from the layers to the rigid solution [N]. *largest is the largest force.
static double force_jump(const hfiSwitching* s, double* largest) {
  static const double none[6] = {0};
  const hfRigid* r = s->rigid;
  double jump = 0;
  *largest = 0;
  for (int i = 0; i < r->problem.ncontact; ++i) {
    const double* rigid = r->point[i].track >= 0 ? r->tracks.list[r->point[i].track].f : none;
    const double* layer = s->layers.state[i].f;
    jump = max2(jump, force_distance(rigid, layer));
    *largest = max2(*largest, max2(force_distance(rigid, none), force_distance(layer, none)));
  }
  return jump;
}

// Solves the rigid problem with the modes of the layers, and decides whether it may take over: it has a solution, is
// certified with margins, its rolling contacts are inside their cones, and no force jumps too much. *jump is the
// largest jump [N].
static int rigid_may_take_over(hfiSwitching* s, double* jump) {
  hfRigid* r = s->rigid;
  const hfRigidCertificate* c = &r->problem.certificate;
  for (int i = 0; i < r->problem.ncontact; ++i)
    if (!take_modes(s, i)) return 0;

  r->follow = 1;
  hfi_rigid_assemble(r);
  hfi_rigid_solve(r);
  hfi_rigid_certify(r);
  double largest;
  *jump = force_jump(s, &largest);

  if (r->problem.lcp.status != HF_OK || !c->holds || !hfi_rigid_cones_hold(r)) return 0;
  int has_margins = c->p_margin >= RETURN_P_MARGIN && c->rank_margin >= RETURN_RANK_FACTOR * s->config.rank_margin;
  if (r->problem.n && !has_margins) return 0;
  return s->config.settle == 0 || *jump <= s->config.settle * largest;
}

// Returns 1 if the rigid model may take over at the present point of a compliant phase. With commit = 1 it does.
static int switch_to_rigid(hfiSwitching* s, int commit) {
  hfRigid* r = s->rigid;
  double jump = 0;
  if (hfi_compliant_look(s)) return 0;
  if (!hfi_rigid_look(r, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s))) return 0;

  hfi_tracks_copy(&s->before, &r->tracks);
  int may = rigid_may_take_over(s, &jump);
  if (!may || !commit) {
    hfi_tracks_copy(&r->tracks, &s->before);
    return may;
  }

  hfSwitch* w = add_switch(s, 1, HF_SWITCH_CERTIFIED);
  w->df = jump;
  w->certificate = r->problem.certificate;
  return 1;
}

// ---- integration ------------------------------------------------------------------------------------

// Prepares the integrator for (q, v, act) and the layers, with this first step [s].
static void prepare_integrator(hfiSwitching* s, hfIntegrator* integrator, double step) {
  int tail = hfi_switching_tail(s);
  s->compliant.looked[0] = NAN; // No point was evaluated with the present tracks.
  hfi_integrator_resize(integrator, s->nx + tail, 2 * s->model->nv + s->model->na + tail);
  hf_integrator_set_next_step(integrator, step);
}

// Takes steps of implicit Euler over dt across a jump of the forces, which happens where shapes meet with another
// feature. An integrator with error control would shorten its steps there without end. The contacts are held as they
// are, so that nothing jumps within the hop, and the steps are implicit: a hop of explicit steps would put bodies into
// stiff layers, which throw them out again. If nothing touches, there is no such jump, and the integrator's trouble
// stays trouble.
static hfStatus hop(hfiSwitching* s, double dt, hfStatus trouble, hfError* error) {
  hfAccel* a = s->rigid->accel;
  hfStatus status = hfi_accel_configure(a, s->x);
  if (status) return status;
  if (a->ncontact == 0) return trouble;

  hfi_accel_hold(a);
  prepare_integrator(s, s->compliant.hopper, dt);
  status = hf_integrator_advance(s->compliant.hopper, &s->t, s->x, s->t + dt, error);
  hfi_add_integration(s, s->compliant.hopper);
  hfi_accel_let_go(a);
  ++s->report.nhop;
  return status > 0 ? trouble : status;
}

// Integrates s->x from s->t over dt to t_end. If the integrator cannot continue, takes a hop.
static hfStatus integrate_with_hops(hfiSwitching* s, double dt, double t_end, hfError* error) {
  hfIntegrator* integrator = s->compliant.integrator;
  prepare_integrator(s, integrator, dt);
  for (int hops = 0;; ++hops) {
    hfStatus status = hf_integrator_advance(integrator, &s->t, s->x, t_end, error);
    hfi_add_integration(s, integrator);
    if (status <= 0 || hops == MOST_HOPS) return status;

    double length = (status == HF_STEP_TOO_SMALL ? HOP : LONG_HOP) * s->h;
    status = hop(s, min2(length, t_end - s->t), status, error);
    if (status) return status;
    prepare_integrator(s, integrator, HOP * s->h);
  }
}

// Integrates the phase from its beginning (s->compliant.start, s->kept) over dt, or as far as that goes.
static hfStatus integrate_phase(hfiSwitching* s, double from, double dt, hfError* error) {
  hfStatus status = HF_OK;
  hfi_tracks_copy(&s->rigid->tracks, &s->kept);
  memcpy(s->x, s->compliant.start, hfi_switching_bytes(s));
  s->t = from;
  if (s->model->nv) status = integrate_with_hops(s, dt, from + dt, error);
  else s->t += dt;
  if (status >= 0) unpack_layers(s);
  return status;
}

// Shortens the phase to the earliest time at which the rigid model may take over.
static hfStatus return_early(hfiSwitching* s, double from, double dt, hfError* error) {
  double lo = max2(0, s->since + s->config.dwell - from);
  double hi = dt;
  for (int i = 0; i < MOST_RETURN_BISECTIONS && hi - lo > RETURN_TIME_SHARE * s->h; ++i) {
    double mid = 0.5 * (lo + hi);
    hfStatus status = integrate_phase(s, from, mid, error);
    if (status) return status;
    if (switch_to_rigid(s, 0)) hi = mid;
    else lo = mid;
  }

  hfStatus status = integrate_phase(s, from, hi, error);
  if (!status) switch_to_rigid(s, 1);
  return status;
}

hfStatus hfi_compliant_phase(hfiSwitching* s, double t_end, hfError* error) {
  double from = s->t;
  hfStatus status = hfi_compliant_look(s);
  if (status) return status;
  if (s->energy.start < 0) s->energy.start = hfi_compliant_energy(s);

  pack_layers(s);
  hfi_tracks_copy(&s->kept, &s->rigid->tracks);
  memcpy(s->compliant.start, s->x, hfi_switching_bytes(s));
  status = integrate_phase(s, from, t_end - from, error);
  if (status) return status;

  int may_return = s->config.contact_mode == HF_CONTACT_MODEL_SWITCHING && !hfi_arc_exhausted(s) &&
      s->t - s->since >= s->config.dwell;
  return may_return && switch_to_rigid(s, 0) ? return_early(s, from, t_end - from, error) : HF_OK;
}
