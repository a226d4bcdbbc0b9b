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

// Length of a hop across a jump of the forces, over the step of the sim [-].
static const double HOP_SHARE = 1e-4;
// Its length if the integrator has used up its steps [-].
static const double LONG_HOP_SHARE = 0.02;
// Largest number of hops in one integration.
enum { MOST_HOPS = 2000 };
// The rigid model takes over only with a P margin above this [-],
static const double RETURN_P_MARGIN = 1e-6;
// and with a margin of rank above this multiple of the configuration's [-].
static const double RETURN_RANK_FACTOR = 10;
// The time at which it takes over is found to this share of the step [-],
static const double RETURN_TIME_SHARE = 1e-3;
// with at most this many bisections.
enum { MOST_RETURN_BISECTIONS = 20 };
// A deformation keeps its length if this share of it lies in the tangent plane [-].
static const double LEAST_TANGENTIAL_SHARE = 0.1;
// The hash FNV-1a of 64 bits.
static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);
static const uint64_t HASH_FACTOR = UINT64_C(0x100000001b3);

// ---- layers in the state vector -----------------------------------------------------------------------

// Returns the deformation of layer k in the state vector x; zero for a contact without a layer.
hfiDeformation hfi_compliant_deformation(const hfiSwitching* s, const double* x, int k) {
  hfiDeformation deformation = {v3_zero(), v3_zero()};
  if (k < 0 || k >= s->layers.count) return deformation;

  const double* layer = x + s->nx + s->layers.stride * k;
  deformation.xi_B = v3_load(layer);
  if (s->layers.stride > 3) deformation.twist_B = v3_load(layer + 3);

  return deformation;
}

// Writes the deformation of layer k, or its rate, to the part of a vector that has the layers.
static void store_layer(const hfiSwitching* s, double* layers, int k, const hfiDeformation* deformation) {
  if (k < 0 || k >= s->layers.count) return;

  double* layer = layers + s->layers.stride * k;
  v3_store(layer, deformation->xi_B);
  if (s->layers.stride > 3) v3_store(layer + 3, deformation->twist_B);
}

// Copies the deformations of the tracks into the state vector s->x.
static void pack_layers(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  s->layers.count = imin2(rigid->tracks.count, s->layers.capacity);
  for (int k = 0; k < s->layers.count; ++k) store_layer(s, s->x + s->nx, k, &rigid->tracks.list[k].deformation);
}

// Copies the deformations back from s->x into the tracks.
static void unpack_layers(hfiSwitching* s) {
  for (int k = 0; k < s->layers.count; ++k)
    s->rigid->tracks.list[k].deformation = hfi_compliant_deformation(s, s->x, k);
}

// ---- the right-hand side ----------------------------------------------------------------------------

// The rest gap of contact i [m]: its track's, or for a contact without one the gap at which its layer is relaxed.
double hfi_compliant_rest_gap(const hfRigid* rigid, int i) {
  return rigid->point[i].match >= 0 ? hfi_point_track(rigid, i)->held : hfi_find_relaxed_gap(rigid, i);
}

// One step of the hash FNV-1a.
static uint64_t mix_hash(uint64_t hash, uint64_t x) { return (hash ^ x) * HASH_FACTOR; }

// Computes xdot, the right-hand side of a compliant phase (file's head), at x = (q, v, act, layers) and the time t.
// Also writes s->compliant.region of this point: a hash of which contacts press and which of their groups slip.
hfStatus hfi_compliant_rate(void* context, double t, const double* x, double* xdot) {
  hfiSwitching* s = context;
  hfRigid* rigid = s->rigid;
  const hfModel* model = s->model;
  const double* v = x + model->nq;
  const double* act = model->na ? v + model->nv : NULL;
  double* vdot = xdot + model->nv;
  double* layers = xdot + 2 * model->nv + model->na;

  ++s->evaluations;
  if (hfi_evaluations_are_used_up(s)) return HF_NOT_CONVERGED;

  // begin with (v, tau, actdot) and layers at rest; tau becomes vdot at the end
  hfStatus status = hfi_accel_gather_forces(rigid->accel, t, x, v, act, act ? xdot + 2 * model->nv : NULL);
  if (status) return status;

  memcpy(xdot, v, (size_t)model->nv * sizeof *v);
  memcpy(vdot, rigid->accel->tau, (size_t)model->nv * sizeof *vdot);
  memset(layers, 0, (size_t)hfi_switching_tail(s) * sizeof *layers);

  // add the forces of the layers to tau; their rates (store_layer skips a contact without a layer, k < 0); the hash
  uint64_t region = HASH_START;
  hfi_rigid_match_tracks(rigid);
  for (int i = 0; i < rigid->accel->ncontact; ++i) {
    int k = rigid->point[i].match;
    hfiDeformation deformation = hfi_compliant_deformation(s, x, k);
    hfiLayerState layer = hfi_layer_evaluate(rigid, i, hfi_compliant_rest_gap(rigid, i), &deformation, v);

    if (layer.f[0] > 0) {
      hfiContactKey key = hfi_contact_key(hfi_point_contact(rigid, i));
      region = mix_hash(mix_hash(mix_hash(region, key.pair), key.feature), (uint64_t)layer.slips);
      hfi_accel_add_force(&rigid->accel->contact[i], layer.f, vdot);
    }

    store_layer(s, layers, k, &layer.rate);
  }
  hfi_accel_find_vdot(rigid->accel, vdot);

  // the region belongs to this point
  s->compliant.region = region;
  memcpy(s->compliant.region_point, x, hfi_switching_bytes(s));
  return HF_OK;
}

// Returns the number of the smooth piece of the layers' laws at x; 0 if x cannot be evaluated.
uint64_t hfi_compliant_region(void* context, double t, const double* x) {
  hfiSwitching* s = context;
  int is_known = memcmp(s->compliant.region_point, x, hfi_switching_bytes(s)) == 0;

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

// Brings the accel, the tracks and the layers to s->x: deformations turn with the contacts, the tracks get the forces
// of the layers and count as open.
hfStatus hfi_compliant_update_point(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  const double* v = hfi_switching_v(s);
  hfStatus status = hfi_accel_gather_forces(rigid->accel, s->t, s->x, v, hfi_switching_act(s), NULL);
  if (status) return status;

  hfi_rigid_match_tracks(rigid);
  hfi_tracks_renew(s);
  for (int i = 0; i < rigid->accel->ncontact; ++i) {
    // after the renewal track i is the track of contact i
    hfiTrack* track = &rigid->tracks.list[i];
    const hfiContact* contact = hfi_point_contact(rigid, i);
    hfVec3 n_B = m3_tmulv(rigid->accel->dynamics->X_WB[contact->body_b].R, contact->n);

    track->closed = 0;
    track->deformation.xi_B = turn_into_plane(track->deformation.xi_B, n_B);

    s->layers.state[i] = hfi_layer_evaluate(rigid, i, track->held, &track->deformation, v);
    memcpy(track->f, s->layers.state[i].f, sizeof track->f);
  }
  return HF_OK;
}

// Energy of all layers at the point of the last update [J].
double hfi_compliant_energy(const hfiSwitching* s) {
  const hfRigid* rigid = s->rigid;
  double sum = 0;
  for (int i = 0; i < rigid->accel->ncontact; ++i) {
    const hfiTrack* track = hfi_point_track(rigid, i);
    sum += hfi_layer_energy(rigid, i, track->held, &track->deformation);
  }
  return sum;
}

// ---- from rigid to compliant --------------------------------------------------------------------------

// Begins a phase of this model, for this reason, and returns its entry in the record.
static hfSwitch* add_switch(hfiSwitching* s, int to_rigid, int reason) {
  hfSwitch* record = &s->result.record[imin2(s->result.report.nswitch++, HFI_MAX_SWITCHES - 1)];

  memset(record, 0, sizeof *record);
  record->time = s->t;
  record->rigid = to_rigid;
  record->reason = reason;

  s->phase = to_rigid ? HFI_PHASE_RIGID : HFI_PHASE_COMPLIANT;
  s->since = s->t;
  return record;
}

// Length of the difference of two forces of a contact [N].
static double force_distance(const double* a, const double* b) {
  return sqrt(sqr(a[0] - b[0]) + sqr(a[1] - b[1]) + sqr(a[2] - b[2]));
}

// Begins a compliant phase: each closed contact's layer starts with a rest gap and a deformation that give the force of
// its track. Records the switch with the jump of the forces that both ways to start make.
void hfi_switch_to_compliant(hfiSwitching* s, int reason) {
  hfRigid* rigid = s->rigid;
  const double* v = hfi_switching_v(s);
  hfSwitch* record = add_switch(s, 0, reason);
  record->certificate = rigid->problem.certificate;

  for (int i = 0; i < rigid->accel->ncontact; ++i) {
    hfiTrack* track = hfi_point_track(rigid, i);

    // an open contact has a relaxed layer, whose rest gap is the gap at which it would have met
    if (!track->closed) continue;

    // the normal direction: while compliant, held is the rest gap of the layer
    track->held = hfi_layer_start_normal(rigid, i, track, rigid->point[i].s);

    // the tangential ones in both ways to start, for the report of their jumps
    hfiDeformation both[2];
    for (int start = HF_START_EQUILIBRIUM; start <= HF_START_PAPER; ++start) {
      both[start] = hfi_layer_start_tangential(rigid, i, track, rigid->point[i].s, start);
      hfiLayerState layer = hfi_layer_evaluate(rigid, i, track->held, &both[start], v);
      double* jump = start == HF_START_PAPER ? &record->df_paper : &record->df_equilibrium;
      *jump = max2(*jump, force_distance(layer.f, track->f));
    }
    track->deformation = both[s->config.start];
  }

  // the energy in the layers at their start, which no work has made
  s->result.energy.made += hfi_compliant_energy(s);
  record->df = s->config.start == HF_START_PAPER ? record->df_paper : record->df_equilibrium;
}

// ---- from compliant to rigid --------------------------------------------------------------------------

// Sets from the layer of contact i whether its track is closed, its held gap, and the modes and directions of its
// friction groups. Returns 0 if that is not possible yet: a group of the layer slips, but the bodies do not, or the
// friction still acts along the slip.
static int set_modes_from_layer(hfiSwitching* s, int i) {
  const hfRigid* rigid = s->rigid;
  const hfiContact* contact = hfi_point_contact(rigid, i);
  const hfiLayerState* layer = &s->layers.state[i];
  const double stick_speed = rigid->config.stick_speed;
  hfiTrack* track = &rigid->tracks.list[i];

  // is the contact closed? delta: depth in the layer; it is held at its present gap
  track->closed = layer->f[0] > 0 || (layer->delta > -rigid->config.touch && layer->s[0] <= stick_speed);
  track->held = -contact->depth;

  // the mode of each friction group
  for (int g = 0; track->closed && g < hfi_group_count(rigid->point[i].dim); ++g) {
    hfVec3 slip = hfi_group_vector(contact, g, layer->s + hfi_group_first(g));
    hfVec3 trial = hfi_group_vector(contact, g, layer->w[g]); // w of layer.c: the friction acts against it

    int is_fast = v3_norm(slip) > stick_speed;
    int slides = s->config.return_modes == HF_RETURN_GROSS ? is_fast : layer->slips >> g & 1;

    track->mode[g] = slides ? HF_MODE_SLIDING : HF_MODE_ROLLING;
    // resolve.c looks again at a group that does not slide
    track->needs_mode[g] = !slides;
    if (!slides) continue;

    int acts_along_slip = s->config.return_modes == HF_RETURN_LAYER && v3_dot(slip, trial) < 0;
    if (!is_fast || acts_along_slip) return 0;
    track->d_W[g] = v3_unit(slip);
  }
  return 1;
}

// Returns the largest jump of a contact force from the layers to the rigid solution [N]. *largest is the largest force.
static double force_jump(const hfiSwitching* s, double* largest) {
  static const double none[6] = {0};
  const hfRigid* rigid = s->rigid;
  double jump = 0;

  *largest = 0;
  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    const double* rigid_force = rigid->point[i].track >= 0 ? rigid->tracks.list[rigid->point[i].track].f : none;
    const double* layer_force = s->layers.state[i].f;

    jump = max2(jump, force_distance(rigid_force, layer_force));
    *largest = max2(*largest, max2(force_distance(rigid_force, none), force_distance(layer_force, none)));
  }
  return jump;
}

// Sets the modes of all tracks from their layers and solves the rigid problem with them. Returns 1 if it may take over:
// it has a solution, is certified with margins, its rolling contacts are inside their cones, and no force jumps too
// much. *jump is the largest jump [N]; it is not set where the layers have no modes yet.
static int try_rigid_problem(hfiSwitching* s, double* jump) {
  hfRigid* rigid = s->rigid;
  const hfRigidCertificate* certificate = &rigid->problem.certificate;
  for (int i = 0; i < rigid->problem.ncontact; ++i)
    if (!set_modes_from_layer(s, i)) return 0;

  // forces and certificate with these modes
  rigid->follows_slip = 1;
  hfi_rigid_assemble(rigid);
  hfi_rigid_solve(rigid);
  hfi_rigid_certify(rigid);

  double largest;
  *jump = force_jump(s, &largest);

  // may it take over?
  if (rigid->problem.lcp.status != HF_OK || !certificate->holds || !hfi_rigid_cones_hold(rigid)) return 0;
  double least_rank_margin = RETURN_RANK_FACTOR * s->config.rank_margin;
  int has_margins = certificate->p_margin >= RETURN_P_MARGIN && certificate->rank_margin >= least_rank_margin;
  if (rigid->problem.n && !has_margins) return 0;
  return s->config.settle == 0 || *jump <= s->config.settle * largest;
}

// Returns 1 if the rigid model may take over at the present point of a compliant phase. With commit = 1 it does, and a
// rigid phase begins. Otherwise the tracks stay as they are.
static int switch_to_rigid(hfiSwitching* s, int commit) {
  hfRigid* rigid = s->rigid;
  double jump = 0;
  if (hfi_compliant_update_point(s)) return 0;

  if (!hfi_rigid_update_point(rigid, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s))) return 0;

  hfi_tracks_copy(&s->before, &rigid->tracks);
  int may = try_rigid_problem(s, &jump);
  if (!may || !commit) {
    hfi_tracks_copy(&rigid->tracks, &s->before);
    return may;
  }

  hfSwitch* record = add_switch(s, 1, HF_SWITCH_CERTIFIED);
  record->df = jump;
  record->certificate = rigid->problem.certificate;
  return 1;
}

// ---- integration ------------------------------------------------------------------------------------

// Prepares the integrator for (q, v, act) and the layers, with this first step [s].
static void prepare_integrator(hfiSwitching* s, hfIntegrator* integrator, double step) {
  int tail = hfi_switching_tail(s);

  s->compliant.region_point[0] = NAN; // No point was evaluated with the present tracks.
  hfi_integrator_resize(integrator, s->nx + tail, 2 * s->model->nv + s->model->na + tail);
  hf_integrator_set_next_step(integrator, step);
}

// Takes a hop over dt [s]: steps of implicit Euler across a jump of the forces, which happens where shapes meet with
// another feature. An integrator with error control would shorten its steps there without end. The contacts are held as
// they are, so that nothing jumps within the hop. The steps are implicit, because explicit ones would put bodies into
// stiff layers, which throw them out again.
//
// Returns `trouble`, the integrator's status, if nothing touches (there is no such jump then) or the hop fails, too.
static hfStatus take_hop(hfiSwitching* s, double dt, hfStatus trouble, hfError* error) {
  hfAccel* accel = s->rigid->accel;
  hfStatus status = hfi_accel_configure(accel, s->x);
  if (status) return status;
  if (accel->ncontact == 0) return trouble;

  hfi_accel_hold_contacts(accel);
  prepare_integrator(s, s->compliant.hop_integrator, dt);
  status = hf_integrator_advance(s->compliant.hop_integrator, &s->t, s->x, s->t + dt, error);
  hfi_add_integration(s, s->compliant.hop_integrator);

  hfi_accel_release_contacts(accel);
  ++s->result.report.nhop;
  return status > 0 ? trouble : status;
}

// Integrates s->x from s->t to t_end, with a first step of dt. Where the integrator cannot continue, takes a hop.
static hfStatus integrate_with_hops(hfiSwitching* s, double dt, double t_end, hfError* error) {
  hfIntegrator* integrator = s->compliant.integrator;
  prepare_integrator(s, integrator, dt);

  for (int hops = 0;; ++hops) {
    hfStatus status = hf_integrator_advance(integrator, &s->t, s->x, t_end, error);
    hfi_add_integration(s, integrator);
    if (status <= 0 || hops == MOST_HOPS) return status;

    // a jump of the forces
    double length = (status == HF_STEP_TOO_SMALL ? HOP_SHARE : LONG_HOP_SHARE) * s->h;
    status = take_hop(s, min2(length, t_end - s->t), status, error);
    if (status) return status;

    prepare_integrator(s, integrator, HOP_SHARE * s->h);
  }
}

// Integrates the phase over dt from its beginning (s->compliant.start, s->kept at the time `from`), or as far as that
// goes. Writes s->t, s->x and the tracks.
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

// Shortens the phase of length dt to the earliest time at which the rigid model may take over, and lets it.
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

// Advances a compliant phase to t_end, or only to where the rigid model may take over.
hfStatus hfi_advance_compliant_phase(hfiSwitching* s, double t_end, hfError* error) {
  double from = s->t;
  hfStatus status = hfi_compliant_update_point(s);
  if (status) return status;
  if (s->result.energy.start < 0) s->result.energy.start = hfi_compliant_energy(s);

  // the whole phase
  pack_layers(s);
  hfi_tracks_copy(&s->kept, &s->rigid->tracks);
  memcpy(s->compliant.start, s->x, hfi_switching_bytes(s));
  status = integrate_phase(s, from, t_end - from, error);
  if (status) return status;

  // could the rigid model have taken over?
  int is_long_enough = s->t - s->since >= s->config.dwell;
  int may_return = s->config.contact_mode == HF_CONTACT_MODEL_SWITCHING && !hfi_arc_is_exhausted(s) && is_long_enough;
  if (may_return && switch_to_rigid(s, 0)) return return_early(s, from, t_end - from, error);
  return HF_OK;
}
