// Trees that turn far within a step: inertial forces must not give them energy.
//
// The plain scheme solves A v1 = M v0 + h (tau - c(q0, v0)) + J^T gamma and moves to q1, where M is different.
// Inertial forces do no work: the energy that their kick -h M^-1 c gives at q0 is taken by the move from M(q0) to
// M(q1), up to an error of about turn^2 of the energy, where turn is the angle by which the fastest link turns in the
// step. In free flight, where forces are taken half at the start and half at the end, the error is about turn^3. A
// tree may gain the share NOTICED_SHARE of its energy in a step. So something has to be done from turn^2 =
// NOTICED_SHARE on, in flight from turn^3 = NOTICED_SHARE on:
//
//   turn [rad]  0        0.014 (0.058 in flight)      0.3
//               |--- slow ---|-------- moderate -------|--------- fast --------->
//   kick          as it is      as it is                  shortened, and without a gain of energy
//   end           as it is      T(q1, v1) <=              T(q1, v1) <= T(q0, v1)
//                                 T(q0, v1) - gain
//
//   gain = T(q0, v0 + kick) - T(q0, v0)
//
// A moderate tree ends with no more energy than the work done on it explains. Kick and move of a fast tree have nothing
// to do with its true motion any more, so neither of them may give energy.
//
// T is the kinetic energy; for a tree with a free root, that relative to its centre of mass. The momentum of such a
// tree is treated in the same way, but kept exactly. The bounds are met by scaling v1. A slide on something that turns
// counts as a turn. Impulses may make a tree faster within the step: see find_made_faster.
#include "step/dynamics/inside.h"

#include "linalg/dense.h"

#include <string.h>

// A tree that is not fast may gain this share of its energy in a step [-]: a fifth in a thousand steps.
static const double NOTICED_SHARE = 2e-4;
// A tree is slow while none of its links turns by more than this in a step: NOTICED_SHARE^(1/2) [rad].
static const double SLOW_TURN = 0.01414;
// The same in flight: NOTICED_SHARE^(1/3) [rad].
static const double SLOW_FLIGHT_TURN = 0.0585;
// A tree is fast when one of its links turns by more than this in a step [rad].
static const double FAST_TURN = 0.3;
// Inertial forces change the velocity of a fast tree by at most this share, in the norm of the kinetic energy [-].
static const double LARGEST_KICK_SHARE = 0.3;
// A slide that travels less than this in a step does not count as a turn [m].
static const double SHORT_SLIDE = 1e-3;

// ---- speed ----------------------------------------------------------------------------------------

// Whether the dof belongs to a slide.
static int is_slide(const hfModel* m, int dof) {
  return hf_model_jnt_type(m)[hf_model_dof_jnt(m)[dof]] == HF_JOINT_SLIDE;
}

// Returns the rate of the fastest slide of tree t on a link that turns, as a rate of turning [rad/s]. Such a slide
// changes the inertia about the axis of the turn, as a turn does. It counts as a turn by its travel over r, where m r^2
// = I is the inertia of the bodies that it carries about the axis of a dof k before it.
static double find_fastest_slide(const hfDynamics* d, double h, int t) {
  const hfModel* m = d->model;
  hfiRange r = hfi_tree_dofs(m, t);
  double fastest2 = 0;

  for (int i = r.begin; i < r.end; ++i) {
    if (!is_slide(m, i) || h * fabs(d->v[i]) <= SHORT_SLIDE) continue;

    const int32_t* before = hf_model_M_col(m) + hf_model_dof_Madr(m)[i];
    for (int k = 0; k < hf_model_dof_depth(m)[i]; ++k) {
      if (!(v3_norm2(d->S[before[k]].w) > 0)) continue;
      double ratio2 = sqr(d->v[i]) * hfi_diagonal_mass(d, i) / hfi_diagonal_mass(d, before[k]);
      fastest2 = max2(fastest2, ratio2);
    }
  }
  return sqrt(fastest2);
}

// Returns how far the fastest link of tree t turns in the step, or an upper bound that is at most SLOW_TURN [rad].
// Slides on links that turn count as turns, by_slides.
static double find_largest_turn(const hfiFlight* f, const hfDynamics* d, double h, int t) {
  hfiRange r = hfi_tree_dofs(d->model, t);
  double rates = 0;
  for (int i = r.begin; i < r.end; ++i) rates += fabs(d->v[i]);

  // no link spins faster than the rates of all dofs together
  if (h * rates <= SHORT_SLIDE) return h * rates;
  double by_slides = h * find_fastest_slide(d, h, t);
  if (h * rates <= SLOW_TURN) return max2(h * rates, by_slides);

  // the largest angular velocity of a link
  double w2 = 0;
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l) w2 = max2(w2, v3_norm2(d->V[l].w));
  return max2(h * sqrt(w2), by_slides);
}

// Returns the energy of tree t that inertial forces cannot change [J]:
//   free root                 kinetic energy relative to the centre of mass
//   fixed root, in flight     kinetic and potential energy, because the bias of a flying tree includes gravity
//   fixed root, otherwise     kinetic energy
static double find_inertial_energy(const hfiFlight* f, const hfDynamics* d, int t, int flies,
                                   const hfiTreeMotion* motion) {
  int is_free = hfi_tree_is_free(f, d, t);
  if (!is_free && !flies) return motion->kinetic;

  hfiInertia I = hfi_tree_inertia(f, d, t);
  if (is_free) return motion->kinetic - 0.5 * v3_norm2(motion->momentum.f) / I.m;
  return motion->kinetic - v3_dot(d->gravity, v3_axpy(I.m, d->p_WO[t], I.h));
}

// Whether all trees are surely slow at velocities v (nv), by a bound on the sum of the rates of each. Free bodies do
// not count: they are never fast.
static int all_are_slow(const hfiFlight* f, const hfModel* m, double h, const double* v) {
  if (f->nscalar + f->nturning == 0) return 1; // There are only free bodies.
  double largest_slow_rate = (f->has_carried_slide ? SHORT_SLIDE : SLOW_TURN) / h;

  // all trees together: (sum |v_i|)^2 <= nv sum v_i^2
  if (m->nv * hfi_dot(v, v, m->nv) <= largest_slow_rate * largest_slow_rate) return 1;

  // tree by tree
  for (int t = 0; t < m->ntree; ++t) {
    hfiRange r = hfi_tree_dofs(m, t);
    double sum = 0;
    for (int i = r.begin; f->articulated[t] && i < r.end; ++i) sum += fabs(v[i]);
    if (!(sum <= largest_slow_rate)) return 0;
  }
  return 1;
}

// Sets f->fast.speed and f->fast.slack of tree t by the velocities in d. A turn that is not a number is fast.
static void find_speed(hfiFlight* f, const hfDynamics* d, double h, int t, int flies) {
  double turn = f->articulated[t] ? find_largest_turn(f, d, h, t) : 0;
  double slow = flies ? SLOW_FLIGHT_TURN : SLOW_TURN;
  f->fast.speed[t] = turn > slow ? HFI_MODERATE : HFI_SLOW;
  if (!(turn <= FAST_TURN)) f->fast.speed[t] = HFI_FAST;

  f->fast.slack[t] = f->fast.speed[t] == HFI_FAST ? 0 : NOTICED_SHARE;
}

// Finds at v0 how fast each tree is, and sets all of f->fast: bound and momentum are those of v0, gain and pull are
// zero.
void hfi_fast_find(hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies) {
  f->fast.count = 0;
  if (all_are_slow(f, d->model, h, d->v)) {
    memset(f->fast.speed, 0, sizeof *f->fast.speed * (size_t)d->model->ntree);
    return;
  }

  for (int t = 0; t < d->model->ntree; ++t) {
    find_speed(f, d, h, t, flies[t]);
    if (!f->fast.speed[t]) continue;

    hfiTreeMotion motion = hfi_tree_motion(f, d, t);
    f->fast.bound[t] = find_inertial_energy(f, d, t, flies[t], &motion);
    f->fast.momentum[t] = motion.momentum.f;
    f->fast.gain[t] = 0;
    f->fast.pull[t] = v3_zero();
    f->fast.count++;
  }
}

// Sets the bound of tree t, which does not fly after all, to its inertial energy without gravity.
void hfi_fast_ground(hfiFlight* f, const hfDynamics* d, int t) {
  hfiTreeMotion motion = hfi_tree_motion(f, d, t);
  f->fast.bound[t] = find_inertial_energy(f, d, t, 0, &motion);
}

// ---- bounds ---------------------------------------------------------------------------------------

// Scales the velocities v (nv) of tree t if its inertial energy is above f->fast.bound, so that it meets the bound. d
// has the velocities v, too. A tree with a free root gets the momentum f->fast.momentum, or in flight keeps its own. A
// moderate tree, which has some slack, is left as it is if its energy exceeds the bound by no more than this share.
// flies: 1 if t flies.
static void bound_energy(const hfiFlight* f, const hfDynamics* d, int t, int flies, double* v) {
  hfiTreeMotion motion = hfi_tree_motion(f, d, t);
  double now = find_inertial_energy(f, d, t, flies, &motion);
  double excess = now - f->fast.bound[t];
  if (f->fast.slack[t] > 0 && excess <= f->fast.slack[t] * f->fast.bound[t]) return;

  // the factor s by which velocities are scaled; kinetic: the part of the energy that grows with its square
  int is_free = hfi_tree_is_free(f, d, t);
  double kinetic = is_free ? now : motion.kinetic;
  double s = 1;
  if (excess > 0) s = excess < kinetic ? sqrt(1 - excess / kinetic) : 0;

  // the velocity of the centre of mass is not scaled, but becomes that of the wanted momentum
  const hfiLink* root = &d->link[f->first_link[t]];
  hfiInertia I = hfi_tree_inertia(f, d, t);
  hfVec3 momentum = motion.momentum.f;
  hfVec3 want = flies ? momentum : f->fast.momentum[t];
  hfiRange r = hfi_tree_dofs(d->model, t);

  if (is_free) hfi_tree_add_rigid(d, root, &I, v3_scale(-1 / I.m, momentum), v3_zero(), v);
  for (int i = r.begin; i < r.end; ++i) v[i] *= s;
  if (is_free) hfi_tree_add_rigid(d, root, &I, v3_scale(1 / I.m, want), v3_zero(), v);
}

// Writes v_k = v0 + kick of the dofs r of one tree. The kick is shortened to |kick| <= LARGEST_KICK_SHARE sqrt(2
// energy), where |x|^2 = x . M x and `energy` is the energy of v0. Numbers that overflowed are left out. Returns 1 if
// the kick was shortened.
static int add_bounded_kick(const double* kick, const double* Mkick, const double* v0, double energy, hfiRange r,
                            double* v_k) {
  double kk = 0;
  for (int i = r.begin; i < r.end; ++i) kk += kick[i] * Mkick[i];
  int is_short = kk <= 2 * sqr(LARGEST_KICK_SHARE) * energy;
  double share = is_short ? 1 : LARGEST_KICK_SHARE * sqrt(2 * energy / kk);

  for (int i = r.begin; i < r.end; ++i) v_k[i] = v0[i] + (isfinite(share * kick[i]) ? share * kick[i] : 0);
  return !(share == 1);
}

// Sets gain and pull of a moderate tree: what its kick adds to its energy and momentum at q0.
//
//   T(v0 + kick) - T(v0) = (v0 + kick/2) . M kick
//
// If the root of the tree is free, the first three entries of M kick are the momentum along the world's axes. The
// energy of this momentum is not inertial energy.
static void measure_kick(hfiFlight* f, const hfDynamics* d, int t, const double* v0, const double* kick,
                         const double* Mkick) {
  hfiRange r = hfi_tree_dofs(d->model, t);
  double gain = 0;
  for (int i = r.begin; i < r.end; ++i) gain += (v0[i] + 0.5 * kick[i]) * Mkick[i];
  f->fast.gain[t] = gain;
  f->fast.pull[t] = v3_zero();
  if (!hfi_tree_is_free(f, d, t)) return;

  // a tree with a free root
  hfVec3 pull = v3_load(Mkick + r.begin);
  f->fast.gain[t] -= v3_dot(v3_axpy(0.5, pull, f->fast.momentum[t]), pull) / hfi_tree_inertia(f, d, t).m;
  f->fast.pull[t] = pull;
}

// Whether the inertial forces of tree t are bounded: it is not slow and does not fly.
static int is_bound(const hfiFlight* f, int t, const int32_t* flies) { return f->fast.speed[t] && !flies[t]; }

// Whether some tree is bound.
static int any_is_bound(const hfiFlight* f, int ntree, const int32_t* flies) {
  for (int t = 0; t < ntree && f->fast.count; ++t)
    if (is_bound(f, t, flies)) return 1;
  return 0;
}

// Computes the kicks of inertial forces on all trees, kick = -h M^-1 (c(v0) - c(0)), and Mkick = M kick, with c(0) in
// `weight`. Leaves the dynamics at v0.
static void compute_kicks(hfDynamics* d, double h, const double* v0, const double* weight, double* kick,
                          double* Mkick) {
  int nv = d->model->nv;

  // d->c is the bias at d->v
  if (memcmp(d->v, v0, sizeof *v0 * (size_t)nv) != 0) {
    hf_dynamics_set_velocity(d, v0);
    hf_dynamics_update_bias(d);
  }

  for (int i = 0; i < nv; ++i) {
    Mkick[i] = -h * (d->c[i] - weight[i]);
    kick[i] = Mkick[i];
  }
  hf_dynamics_solve(d, kick);
}

// Writes v_k of moderate and fast trees. v_k of a fast tree has no more energy than v0; the energy that the kick of a
// moderate tree adds is kept for the end of the step. A tree whose kick was shortened becomes fast. Returns 0 if no
// tree is fast: then nobody needs v_k.
static int add_kicks(hfiFlight* f, hfDynamics* d, const double* v0, const int32_t* flies, const double* kick,
                     const double* Mkick, double* v_k) {
  const hfModel* m = d->model;
  int nfast = 0;
  for (int t = 0; t < m->ntree; ++t) {
    if (!is_bound(f, t, flies)) continue;

    // a tree whose kick is too large becomes fast
    if (add_bounded_kick(kick, Mkick, v0, f->fast.bound[t], hfi_tree_dofs(m, t), v_k)) {
      f->fast.speed[t] = HFI_FAST;
      f->fast.slack[t] = 0;
    }

    if (f->fast.speed[t] == HFI_FAST) ++nfast;
    else measure_kick(f, d, t, v0, kick, Mkick);
  }
  if (!nfast) return 0;

  // the kick of a fast tree gives no energy
  hf_dynamics_set_velocity(d, v_k);
  for (int t = 0; t < m->ntree; ++t)
    if (is_bound(f, t, flies) && f->fast.speed[t] == HFI_FAST) bound_energy(f, d, t, 0, v_k);
  return 1;
}

// Bounds the inertial forces in the momentum p of fast trees. The plain scheme has p = M v0 + h (tau - c(v0)) with the
// bias c; c(0) is the bias of gravity, and the rest is due to inertial forces. Fast trees get
//
//   p = M v_k + h (tau - c(0)),   v_k = v0 - h M^-1 (c(v0) - c(0)), shortened, and without a gain of energy
//
// Uses f->base and f->middle, so that the middle of flying trees is no longer known.
void hfi_fast_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau, const int32_t* flies,
                    double* p) {
  const hfModel* m = d->model;
  const int32_t* tree = hf_model_dof_tree(m);

  // scratch
  double* kick = d->scratch.work;
  double* weight = d->scratch.work + m->nv;
  double* Mkick = f->base;
  double* v_k = f->middle;

  if (!any_is_bound(f, m->ntree, flies)) return;

  f->has_middle = 0;
  memset(v_k, 0, sizeof *v_k * (size_t)m->nv);

  hfi_gravity_bias(d, weight);
  compute_kicks(d, h, v0, weight, kick, Mkick);
  if (!add_kicks(f, d, v0, flies, kick, Mkick, v_k)) return;

  // p of the fast trees; nobody needs the kick any more
  double* Mv_k = kick;
  hf_dynamics_multiply(d, v_k, Mv_k);
  for (int i = 0; i < m->nv; ++i)
    if (f->fast.speed[tree[i]] == HFI_FAST && !flies[tree[i]]) p[i] = Mv_k[i] + h * (tau[i] - weight[i]);
}

// ---- the solution ---------------------------------------------------------------------------------

// The rates of those dofs of a tree that may turn its links or change their inertia.
typedef struct Rates {
  double turning; // sum over the dofs that turn something [rad/s]
  double sliding; // the fastest slide on something that may turn [m/s]
} Rates;

// Returns the rates of tree t at velocities v (nv).
static Rates find_rates(const hfModel* m, int t, const double* v) {
  hfiRange r = hfi_tree_dofs(m, t);
  Rates rates = {0, 0};
  for (int i = r.begin; i < r.end; ++i) {
    if (!is_slide(m, i)) rates.turning += fabs(v[i]);
    else if (hf_model_dof_depth(m)[i] > 0) rates.sliding = max2(rates.sliding, fabs(v[i]));
  }
  return rates;
}

// Whether, at these rates, a link may turn by more than `angle` in a step or a slide may travel far.
static int can_turn_far(Rates r, double h, double angle) {
  return !(h * r.turning <= angle && h * r.sliding <= SHORT_SLIDE);
}

// Whether turning or sliding has become more than twice as fast.
static int are_more_than_doubled(Rates r, Rates before) {
  return r.turning > 2 * before.turning || r.sliding > 2 * before.sliding;
}

// Makes tree t, which impulses make turn by this angle, moderate or fast from now on. Its move changes T by about turn
// times T, which the kick of the next step takes back. So a moderate tree may exceed its bound by this much.
static void make_faster(hfiFlight* f, int t, double turn) {
  int is_moderate = turn <= FAST_TURN;
  if (f->fast.speed[t] == HFI_SLOW) {
    f->fast.count++;
    f->fast.gain[t] = 0;
    f->fast.pull[t] = v3_zero();
  }

  f->fast.speed[t] = is_moderate ? HFI_MODERATE : HFI_FAST;
  f->fast.slack[t] = is_moderate ? turn : 0;
}

// Finds the trees that the impulses of the step made fast, and slow trees that they made moderate by more than doubling
// their rates, and makes them faster. v (nv): the solution of the step problem. The kick of the latter counts as zero,
// because they were slow before.
static void find_made_faster(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* v) {
  const hfModel* m = d->model;
  int has_velocity = 0;
  if (all_are_slow(f, m, h, v)) return;

  for (int t = 0; t < m->ntree; ++t) {
    if (!f->articulated[t] || flies[t] || f->fast.speed[t] == HFI_FAST) continue;
    Rates rates = find_rates(m, t, v);
    double slower_turn = f->fast.speed[t] ? FAST_TURN : SLOW_TURN;
    if (!can_turn_far(rates, h, slower_turn)) continue;
    if (!f->fast.speed[t] && !are_more_than_doubled(rates, find_rates(m, t, f->start))) continue;

    if (!has_velocity) hf_dynamics_set_velocity(d, v);
    has_velocity = 1;
    double turn = find_largest_turn(f, d, h, t);

    if (!(turn <= slower_turn)) make_faster(f, t, turn);
  }
}

// Sets bound and momentum of the trees that are not slow to those of the solution v (nv) at q0. For a moderate tree
// they are less the gain and the pull that its kick has added.
void hfi_fast_solution(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* v) {
  find_made_faster(f, d, h, flies, v);
  if (!f->fast.count) return;

  hf_dynamics_set_velocity(d, v);
  for (int t = 0; t < d->model->ntree; ++t) {
    if (!is_bound(f, t, flies)) continue;

    hfiTreeMotion motion = hfi_tree_motion(f, d, t);
    f->fast.bound[t] = find_inertial_energy(f, d, t, 0, &motion);
    f->fast.momentum[t] = motion.momentum.f;

    // the kick of a fast tree has added nothing
    if (f->fast.speed[t] == HFI_FAST) continue;
    f->fast.bound[t] -= f->fast.gain[t];
    f->fast.momentum[t] = v3_sub(f->fast.momentum[t], f->fast.pull[t]);
  }
}

// Bounds the velocities v (nv) of the trees that are not slow. Needs the dynamics at q1; leaves its velocities at
// v.
void hfi_fast_end(hfiFlight* f, hfDynamics* d, const int32_t* flies, double* v) {
  if (!f->fast.count) return;

  hf_dynamics_set_velocity(d, v);
  for (int t = 0; t < d->model->ntree; ++t)
    if (f->fast.speed[t]) bound_energy(f, d, t, flies[t], v);
}
