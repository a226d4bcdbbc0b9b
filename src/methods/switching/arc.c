// The rigid phase: arcs on which no mode changes, and the events between them. One call of hfi_advance_rigid_phase
// does this:
//
// 1. prepare: decide which contacts are closed; if some meet with speed, apply the impact; find the modes of the
//    friction groups without slip; compute forces and the certificate. Where that fails, the compliant phase begins.
// 2. Integrate the arc xdot = (v, vdot of the rigid problem, actdot) up to the end of the step, with all modes fixed
//    and the directions of sliding following v.
// 3. Evaluate the margin G at the end of the arc: the smallest of
//      s . d            of each sliding group; negative when the slip has turned back
//      mu f_n - |f_t|   of each rolling group; negative when the force has left its cone
//      gap - held       of each open contact; negative when it has met
//      the margins of the certificate: P-matrix, rank, stability
//    each plus its tolerance.
// 4. Where G < 0 an event happened within the arc. Shorten the arc to it, by parabolas and bisection; every trial
//    integrates anew from the start of the arc. The next call starts with step 1 just behind the event.
#include "methods/switching/inside.h"

#include "linalg/dense.h"

#include <string.h>
// ---- tolerances ---------------------------------------------------------------------------------------

// An open contact has met when its gap is below the held gap by more than this (the event), or above it by less (at the
// start of an arc) [m].
static const double MEETING_GAP = 1e-9;
// It is an event if a force leaves its friction cone by more than this share of the bound [-].
static const double EVENT_CONE_SLACK = 1e-8;
// The largest force of a problem counts as at least this large [N].
static const double LEAST_FORCE = 1e-12;
// It is an event if the slip has turned back by this share of the stick speed [-].
static const double REVERSAL_SHARE = 0.1;
// The margin of a certificate that fails is at most this, so that it is negative even if the number is zero [-].
static const double FAILED_MARGIN = -1e-12;
// An event is located within this share of the arc [-].
static const double LOCATION_SHARE = 1e-11;
// Rates of forces are measured over arcs of at least this share of the step [-].
static const double SHORTEST_MEASURED_ARC = 1e-6;
// Most trials that locate one event.
enum { MOST_TRIALS = 80 };

// ---- the right-hand side ----------------------------------------------------------------------------

// Assembles and solves the rigid problem at x = (q, v, act), with the modes of the tracks. Writes s->rigid->problem.
// HF_SINGULAR: the mass matrix is singular. HF_NO_SOLUTION: no forces satisfy the problem.
static hfStatus solve_at(hfiSwitching* s, double t, const double* x) {
  hfRigid* rigid = s->rigid;
  const double* v = x + s->model->nq;

  if (!hfi_rigid_update_point(rigid, t, x, v, s->model->na ? v + s->model->nv : NULL)) return HF_SINGULAR;

  hfi_rigid_assemble(rigid);
  hfi_rigid_solve(rigid);
  return rigid->problem.lcp.status == HF_OK ? HF_OK : HF_NO_SOLUTION;
}

// The right-hand side of an arc: xdot = (v, vdot of the rigid problem, actdot) at x = (q, v, act).
hfStatus hfi_arc_rate(void* context, double t, const double* x, double* xdot) {
  hfiSwitching* s = context;
  const hfModel* model = s->model;
  const double* v = x + model->nq;

  ++s->evaluations;
  hfStatus status = hfi_evaluations_are_used_up(s) ? HF_NOT_CONVERGED : solve_at(s, t, x);
  if (status) return status;

  memcpy(xdot, v, (size_t)model->nv * sizeof *xdot);
  memcpy(xdot + model->nv, s->rigid->problem.vdot, (size_t)model->nv * sizeof *xdot);
  if (model->na) hfi_accel_copy_activation_rates(s->rigid->accel, v + model->nv, xdot + 2 * model->nv);
  return HF_OK;
}

// ---- preparation ------------------------------------------------------------------------------------

// Sets the mode of friction group g of contact i. With `anew` the slip alone decides. Otherwise a group that rolls goes
// on rolling, and the direction of a group that slides follows its slip; while that is too slow to have a direction,
// the old one stays. needs_mode[g] = 1 asks resolve.c to find the mode of the group. That is done for groups that roll,
// and for groups whose slow slip has turned back: resolve.c then tries the opposite direction first.
static void update_group(hfiSwitching* s, int i, hfiTrack* track, int g, int anew) {
  hfVec3 slip = hfi_point_slip(s->rigid, i, g);
  double speed = v3_norm(slip);
  int has_direction = v3_norm2(track->d_W[g]) > 0;

  if (anew || (track->mode[g] == HF_MODE_SLIDING && !has_direction)) hfi_track_set_mode(s->rigid, track, g, slip);
  track->needs_mode[g] = track->mode[g] == HF_MODE_ROLLING;
  if (track->mode[g] == HF_MODE_ROLLING) return;

  if (speed > s->rigid->config.stick_speed) {
    track->d_W[g] = v3_scale(1 / speed, slip);
  } else if (v3_dot(slip, track->d_W[g]) <= 0) {
    track->needs_mode[g] = 1;
    track->d_W[g] = v3_neg(track->d_W[g]);
  }
}

// Decides which contacts are closed, and sets the modes of their friction groups. Returns how many contacts close with
// speed (vn < 0: the bodies come together), which takes an impact.
//
// A contact closes when its gap has fallen to the held gap of its track [m]. That is at first the gap of
// hfi_tracks_renew. It becomes zero where the contact is farther away than `touch`, and the present gap where that is
// smaller when the contact closes.
static int update_contacts(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  const double slow = rigid->config.stick_speed;

  int meeting = 0;
  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    hfiTrack* track = hfi_point_track(rigid, i);
    double gap = hfi_point_gap(rigid, i);
    double vn = rigid->point[i].s[0];
    int was_closed = track->closed > 0; // HFI_CLOSED_UNKNOWN counts as open

    // a contact closes where its gap reaches the held gap, and stays closed
    if (!was_closed && gap > max2(track->held, 0) + rigid->config.touch) track->held = 0;
    track->closed = was_closed || (gap <= track->held + MEETING_GAP && vn <= slow);
    if (!was_closed && track->closed) track->held = min2(track->held, gap);
    meeting += !was_closed && track->closed && vn < -slow;

    if (!track->closed) continue;
    // the modes of a contact that closes now are found anew
    for (int g = 0; g < hfi_group_count(rigid->point[i].dim); ++g) update_group(s, i, track, g, !was_closed);
  }
  return meeting;
}

// Finds modes and forces. Where the caller forces the rigid model although rows are dependent, the forces are shared
// among them.
static hfStatus resolve_modes(hfiSwitching* s, const hfiImpact* impact) {
  hfRigid* rigid = s->rigid;

  rigid->diagonal_share = 0;
  if (s->config.contact_mode == HF_CONTACT_MODEL_RIGID) {
    hfi_rigid_assemble(rigid);
    hfi_rigid_certify(rigid);
    if (!rigid->problem.certificate.full_rank) rigid->diagonal_share = HFI_DEPENDENT_ROWS_SHARE;
  }

  return hfi_rigid_find_modes(rigid, impact);
}

// Applies the impact of all closed contacts to the velocities. Contacts that it throws apart are open afterwards.
static hfStatus apply_impact(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  double* v = hfi_switching_v(s);
  hfiImpact impact = {v, s->config.restitution, s->config.rest_speed};

  // impulses, with every mode to be found
  for (int k = 0; k < rigid->tracks.count; ++k)
    for (int g = 0; g < 3; ++g) rigid->tracks.list[k].needs_mode[g] = 1;
  hfStatus status = resolve_modes(s, &impact);
  if (status) return status;

  // the velocities after it, and the contacts that stay closed: vn > 0 throws bodies apart
  memcpy(v, rigid->v_after, (size_t)s->model->nv * sizeof *v);
  if (!hfi_rigid_update_point(rigid, s->t, s->x, v, hfi_switching_act(s))) return HF_SINGULAR;
  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    hfiTrack* track = hfi_point_track(rigid, i);
    if (track->closed && rigid->point[i].s[0] > rigid->config.stick_speed) track->closed = 0;
    if (!track->closed) continue;
    for (int g = 0; g < hfi_group_count(rigid->point[i].dim); ++g) update_group(s, i, track, g, 1);
  }
  return HF_OK;
}

// Counts the contacts that changed between sliding and rolling, for the report.
static void count_transitions(hfiSwitching* s) {
  const hfiTracks* now = &s->rigid->tracks;

  for (int k = 0; k < now->count && k < s->before.count; ++k) {
    const hfiTrack* track = &now->list[k];
    const hfiTrack* old = &s->before.list[k];
    if (!track->closed || old->closed != 1) continue;

    s->result.report.nstick += old->mode[0] == HF_MODE_SLIDING && track->mode[0] == HF_MODE_ROLLING;
    s->result.report.nslide += old->mode[0] == HF_MODE_ROLLING && track->mode[0] == HF_MODE_SLIDING;
  }
}

// Opens the contacts that carry nothing and move apart. That changes no force.
static void open_contacts(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    hfiTrack* track = hfi_point_track(rigid, i);

    if (!track->closed || track->f[0] > 0 || rigid->point[i].s[0] <= rigid->config.stick_speed) continue;
    track->closed = 0;
    ++s->result.report.nseparate;
  }
}

// Finds closed contacts, modes and forces at the present point. On HF_NO_SOLUTION and HF_NOT_CONVERGED the tracks are
// those of before.
static hfStatus prepare_arc(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;
  // groups slide in the direction of their present slip
  rigid->follows_slip = 1;
  if (!hfi_rigid_update_point(rigid, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s))) return HF_SINGULAR;
  hfi_tracks_renew(s);
  hfi_tracks_copy(&s->before, &rigid->tracks);

  hfStatus status = HF_OK;
  if (update_contacts(s)) {
    ++s->result.report.nimpact;
    status = apply_impact(s);
  }

  if (!status) status = resolve_modes(s, NULL);
  // without a solution the tracks return to what they were; one of which nothing was known yet is open
  if (status) {
    for (int k = 0; k < s->before.count; ++k)
      if (s->before.list[k].closed == HFI_CLOSED_UNKNOWN) s->before.list[k].closed = 0;
    hfi_tracks_copy(&rigid->tracks, &s->before);
    return status;
  }

  count_transitions(s);
  open_contacts(s);
  return HF_OK;
}

// Notes why a certificate fails, and returns its margin [-], which is negative.
static double fail_certificate(int* reason, int why, double margin) {
  *reason = why;
  return min2(margin, FAILED_MARGIN);
}

// Computes the certificate of the assembled problem and returns its smallest margin. It is negative where the
// certificate does not hold; only then is *reason set.
static double certify(hfiSwitching* s, int* reason) {
  const hfRigidCertificate* certificate = &s->rigid->problem.certificate;
  hfi_rigid_certify(s->rigid);
  if (s->rigid->problem.n == 0) return 1;

  double rank_margin = certificate->rank_margin - s->config.rank_margin;
  if (!certificate->full_rank || !certificate->rolling || rank_margin < 0)
    return fail_certificate(reason, HF_SWITCH_RANK, rank_margin);
  if (!certificate->p_matrix) return fail_certificate(reason, HF_SWITCH_NOT_P, certificate->p_margin);
  if (!certificate->stable) return fail_certificate(reason, HF_SWITCH_UNSTABLE, -certificate->abscissa);
  return min2(certificate->p_margin, -certificate->abscissa);
}

// ---- margins ----------------------------------------------------------------------------------------

// Negative when the slip of a sliding group has reversed [m/s].
static double sliding_margin(const hfRigid* rigid, const hfiFrictionGroup* group) {
  hfVec3 d = hfi_group_track(rigid, group)->d_W[group->kind];
  return v3_dot(hfi_point_slip(rigid, group->contact, group->kind), d) + REVERSAL_SHARE * rigid->config.stick_speed;
}

// Negative when the force of a rolling group is outside of its friction cone; relative, so that it is of order one.
static double cone_margin(const hfRigid* rigid, const hfiFrictionGroup* group) {
  double norm = hfi_group_force(rigid, group);
  double bound = group->mu_static * hfi_group_track(rigid, group)->f[0];
  double scale = LEAST_FORCE;
  for (int i = 0; i < rigid->problem.n; ++i) scale = max2(scale, fabs(rigid->problem.x[i]));
  return (bound - norm) / (bound + norm + EVENT_CONE_SLACK * scale) + EVENT_CONE_SLACK;
}

// Negative when an open contact closes its gap; infinite while it moves apart [m].
static double meeting_margin(const hfRigid* rigid, int i) {
  const hfiPoint* point = &rigid->point[i];
  double held = point->match >= 0 ? hfi_point_track(rigid, i)->held : 0;
  return hfi_point_gap(rigid, i) - held + (point->s[0] < 0 ? MEETING_GAP : INFINITY);
}

// Returns the margin G at the point x and time t (step 3 of the file's head): negative beyond an event, infinite if no
// event is possible. Leaves forces and contacts at that point in s->rigid.
static double event_margin(hfiSwitching* s, double t, const double* x) {
  hfRigid* rigid = s->rigid;
  double least = INFINITY;
  if (solve_at(s, t, x)) return -1; // Without a solution the arc ends before this point.

  // contacts that are open or have no rows, then the friction groups of the others
  for (int i = 0; i < rigid->problem.ncontact; ++i)
    if (rigid->point[i].track < 0) least = min2(least, meeting_margin(rigid, i));

  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    if (group->mu_static == 0 && group->mu == 0) continue;
    least = min2(least, group->mode == HF_MODE_SLIDING ? sliding_margin(rigid, group) : cone_margin(rigid, group));
  }

  int reason; // not used: a margin does not say which certificate fails
  if (s->config.contact_mode == HF_CONTACT_MODEL_SWITCHING) least = min2(least, certify(s, &reason));
  return least;
}

// ---- the arc ----------------------------------------------------------------------------------------

// Integrates the arc from its start over dt into s->arc.trial. *reached is how much of dt it came through [s].
static hfStatus integrate_arc(hfiSwitching* s, double dt, double* reached, hfError* error) {
  double t = s->t;

  memcpy(s->arc.trial, s->arc.start, (size_t)s->nx * sizeof *s->arc.trial);
  hf_integrator_reset(s->arc.integrator);
  hf_integrator_set_next_step(s->arc.integrator, dt);

  hfStatus status = hf_integrator_advance(s->arc.integrator, &t, s->arc.trial, s->t + dt, error);
  hfi_add_integration(s, s->arc.integrator);

  *reached = t - s->t;
  return status;
}

// An arc that was tried.
typedef struct ArcTrial {
  double x; // its length [s]
  double f; // the margin G at its end; NAN where that is not known
} ArcTrial;

// Returns where to try next, as a share of the way from the latest trial t1 to t2 [-]. The two lie on both sides of an
// event; t3 is the trial that was given up last. The share is the root of the parabola x(f) through the three trials if
// that parabola is monotonous between t1 and t2, else 0.5. Names as in Chandrupatla 1997, A new hybrid
// quadratic/bisection algorithm.
static double next_share(ArcTrial t1, ArcTrial t2, ArcTrial t3) {
  double xi = (t1.x - t2.x) / (t3.x - t2.x);
  double phi = (t1.f - t2.f) / (t3.f - t2.f);
  int is_monotonous = sqr(phi) < xi && sqr(1 - phi) < 1 - xi; // 0 also where a margin is not known or infinite
  if (!is_monotonous) return 0.5;

  // Lagrange's form of the parabola, at f = 0
  double alpha = (t3.x - t1.x) / (t2.x - t1.x);
  double term_of_t2 = t1.f / (t2.f - t1.f) * t3.f / (t2.f - t3.f);
  double term_of_t3 = alpha * t1.f / (t3.f - t1.f) * t2.f / (t3.f - t2.f);
  return term_of_t2 + term_of_t3;
}

// Shortens the arc of length dt, at whose end the margin is G < 0, to its first event. Returns the length [s];
// s->arc.trial is then just behind the event. The margin at the start of the arc is not computed: until some trial has
// a positive one, the next is dt/2, dt/4, dt/16, dt/256 and so on, because many events come at once.
//
// The event lies between the trials t1 and t2 (next_share): G < 0 at one of them, and not at the other.
static double locate_event(hfiSwitching* s, double dt, double G, hfError* error) {
  ArcTrial t1 = {dt, G};   // the latest trial
  ArcTrial t2 = {0, NAN};  // the trial on the other side of the event: at first the start of the arc
  ArcTrial t3 = t2;        // the trial that was given up last
  double reached = dt;     // how far the latest integration came; less than its trial where it failed [s]
  double tolerance = LOCATION_SHARE * dt;

  for (int i = 0; i < MOST_TRIALS; ++i) {
    // the next trial, no nearer to the others than the tolerance
    double width = fabs(t2.x - t1.x);
    double share = next_share(t1, t2, t3);
    // until a trial lies before the event, t1.x/dt is halved, then squared: 1/2, 1/4, 1/16 and so on
    if (isnan(t2.f)) share = i ? 1 - t1.x / dt : 0.5;
    share = clamp(share, tolerance / width, 1 - tolerance / width);
    double length = t1.x + share * (t2.x - t1.x);

    // the interval is short enough, or the clock cannot tell the trials apart
    int is_same_time = s->t + length == s->t + t1.x || s->t + length == s->t + t2.x;
    if (width <= 2 * tolerance || is_same_time) break;

    // an arc that cannot be integrated counts as beyond the event: its margin is negative
    ArcTrial next = {length, -1};
    if (integrate_arc(s, next.x, &reached, error) == HF_OK) next.f = event_margin(s, s->t + next.x, s->arc.trial);

    // t1 and t2 stay on both sides of the event
    if ((next.f < 0) != (t1.f < 0)) {
      t3 = t2;
      t2 = t1;
    } else {
      t3 = t1;
    }
    t1 = next;
  }

  if (t1.f < 0) return reached;

  // the last trial lies before the event: go back to the one just behind it
  if (integrate_arc(s, t2.x, &reached, error) == HF_OK) event_margin(s, s->t + t2.x, s->arc.trial);
  return reached;
}

// ---- the phase --------------------------------------------------------------------------------------

// Measures how fast the contact forces changed over an arc of length dt [s]; a layer that starts from them needs that.
// s->kept are the tracks at the start of the arc, rigid->tracks those at its end. Friction is compared as a vector of
// the world, because the rows of a contact turn about its normal as it moves.
static void measure_force_rates(hfiSwitching* s, double dt) {
  hfRigid* rigid = s->rigid;
  if (dt < SHORTEST_MEASURED_ARC * s->h) return;

  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    int k = rigid->point[i].track;
    if (k < 0 || k >= s->kept.count) continue;
    hfiTrack* track = &rigid->tracks.list[k];
    const hfiTrack* old = &s->kept.list[k];
    hfVec3 friction_change = v3_sub(track->ft_W, old->ft_W);

    for (int j = 0; j < 6; ++j) {
      int is_sliding_row = j == 1 || j == 2;
      double change = is_sliding_row
          ? v3_dot(friction_change, hfi_contact_axis(hfi_point_contact(rigid, i), j))
          : track->f[j] - old->f[j];
      track->rate[j] = change / dt;
    }
  }
}

// Called if rows are dependent and the arc is over. Gives the tracks the forces that share the load among the rows,
// unless these leave a friction cone; the layers start from them. s->kept, which is no longer needed, holds the tracks
// meanwhile.
static void share_forces(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;

  hfi_tracks_copy(&s->kept, &rigid->tracks);
  rigid->diagonal_share = HFI_DEPENDENT_ROWS_SHARE;
  hfi_rigid_solve(rigid);
  rigid->diagonal_share = 0;

  int may_be_kept = rigid->problem.lcp.status == HF_OK && hfi_rigid_cones_hold(rigid);
  if (!may_be_kept) hfi_tracks_copy(&rigid->tracks, &s->kept);
}

// Begins the compliant phase at the present point. If the certificate of the problem assembled last fails, that is
// recorded as the reason. If the configuration allows only rigid phases, returns `status` instead.
static hfStatus leave_rigid(hfiSwitching* s, int reason, hfStatus status) {
  if (s->config.contact_mode == HF_CONTACT_MODEL_RIGID) return status;

  certify(s, &reason);
  if (reason == HF_SWITCH_RANK) share_forces(s);

  hfi_switch_to_compliant(s, reason);
  return HF_OK;
}

// Advances a rigid phase to the next event or to t_end, or begins a compliant phase (steps 1 to 4 of the file's head).
// Reads and writes s->t, s->x, the tracks and the report.
hfStatus hfi_advance_rigid_phase(hfiSwitching* s, double t_end, hfError* error) {
  int reason = HF_SWITCH_NO_SOLUTION;

  // modes and certificate at the start; leave_rigid begins a compliant phase, or in mode rigid returns its last
  // argument
  hfStatus status = prepare_arc(s);
  if (status == HF_SINGULAR) return status;
  if (status) return leave_rigid(s, HF_SWITCH_NO_SOLUTION, status);
  if (hfi_arc_is_exhausted(s)) return leave_rigid(s, HF_SWITCH_EVENTS, HF_NOT_CONVERGED);
  if (s->config.contact_mode == HF_CONTACT_MODEL_SWITCHING && certify(s, &reason) < 0)
    return leave_rigid(s, reason, HF_OK);

  // the whole arc; reached: how far it came [s], with a status > 0 not to its end
  double reached = 0;
  hfi_tracks_copy(&s->kept, &s->rigid->tracks);
  memcpy(s->arc.start, s->x, (size_t)s->nx * sizeof *s->x);
  status = integrate_arc(s, t_end - s->t, &reached, error);
  if (status < 0) return status;
  if (status > 0 && reached <= 0) return leave_rigid(s, HF_SWITCH_NO_SOLUTION, HF_NO_SOLUTION);

  // An arc that ends by itself ends where the rigid forces jump. Those of layers do not. This makes
  // hfi_arc_is_exhausted true, so that the next call begins a compliant phase.
  if (status > 0) s->arc.stalls = HFI_MAX_STALLS + 1;

  // up to the first event
  double G = event_margin(s, s->t + reached, s->arc.trial);
  if (G < 0) {
    reached = locate_event(s, reached, G, error);
    ++s->arc.events;
    s->arc.stalls += reached < HFI_INSTANT_SHARE * s->h;
  }

  // take over the arc; one that comes through without an event ends exactly at t_end
  measure_force_rates(s, reached);
  memcpy(s->x, s->arc.trial, (size_t)s->nx * sizeof *s->x);
  s->result.report.rigid_time += reached;
  s->t = G >= 0 && status == HF_OK ? t_end : s->t + reached;
  return HF_OK;
}
