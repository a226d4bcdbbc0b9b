// Articulated trees over a step (docs/theory/flight.md). A step calls, in this order,
//
//   hfi_articulated_begin   at q0, before the step problem is solved: changes the momentum p of the problem
//   hfi_articulated_move    with the solution v of the problem: q0 -> q1
//   hfi_articulated_end     at q1: changes v
//
// 1. A tree that flies takes half of its bias (Coriolis, centrifugal and gravity forces) at each end of the step:
//
//   M(q0) v_m = M(q0) v0 - (h/2) bias(q0, v_m)      begin: a fixed point, whose error falls by h |w|/2 an iteration
//   q1        = q0 (+) h v_m                        move: nothing acts on the tree, so that v_m is the solution
//   M(q1) v1  = M(q1) v_m - (h/2) bias(q1, v_m)     end: the first line run backwards
//
// The step is symmetric in time, hence of second order. Free flight keeps the angular momentum L about the centre of
// mass and the kinetic energy T relative to the centre. With the inertia I_c of the tree as one rigid body,
//
//   v = v_rigid + v_inner,        v_rigid: the root alone moves, and the tree turns with w = I_c^-1 L
//   T = L . I_c^-1 L/2 + T_inner,
//
// and v_inner has no momentum. So the end sets L by replacing v_rigid, and T by scaling v_inner.
//
// 2. For a fast tree both this scheme and the plain one (all of the bias at q0) are inaccurate. Whether it flies or
// not, it must not gain energy by inertial forces (fast.c).
#include "step/dynamics/inside.h"
#include "linalg/dense.h"
#include "math/elementary.h"

#include <string.h>

// The iteration for v_m takes at most this many steps.
enum { MAX_MIDDLE_ITERATIONS = 40 };
// v_m is found when the next iteration would change it by less than this share of its largest entry [-].
static const double CONVERGED_CHANGE_SHARE = 1e-14;
// The change of the next iteration is predicted from the last two: changes shrink by a constant ratio, at first by the
// turn of the step. The prediction is multiplied by this [-].
static const double PREDICTION_SAFETY_FACTOR = 10;
// A tree that changes by more than this in the last of MAX_MIDDLE_ITERATIONS does not fly [-].
static const double LARGEST_FINAL_CHANGE_SHARE = 1e-9;
// For turns below this, 2 atan(x/2) = x up to rounding [rad].
static const double SMALL_TURN = 1e-8;
// v_inner is scaled only if the factor differs from 1 by less than this [-]: a larger difference is not an error of
// order h^2.
static const double LARGEST_CORRECTION_SHARE = 0.05;

// ---- what flight keeps ----------------------------------------------------------------------------

// Returns momentum and energy of tree t, whose root is free, at velocities v, from its generalised momentum y = M v.
// I: its inertia about its reference point. The entries of the root's dofs in y are the momentum of all links, along
// the world's axes and about the root's own.
static hfiInvariants compute_invariants(const hfiFlight* f, const hfDynamics* d, int t, const hfiInertia* I,
                                        const double* v, const double* y) {
  const hfiLink* root = &d->link[f->first_link[t]];
  hfiRange r = hfi_tree_dofs(d->model, t);
  hfForce P = {m3_mulv(d->X_WB[root->body].R, v3_load(y + root->dof + 3)), v3_load(y + root->dof)};

  hfiInvariants k = {.linear = P.f, .known = 1};
  k.angular = v3_axpy(-1 / I->m, v3_cross(I->h, P.f), P.n);
  k.kinetic = 0.5 * (hfi_dot(v + r.begin, y + r.begin, r.end - r.begin) - v3_norm2(P.f) / I->m);
  return k;
}

// ---- start ----------------------------------------------------------------------------------------

// Whether tree t is articulated and nothing but gravity acts on it.
static int flies_articulated(const hfiFlight* f, int t, const int32_t* flies) { return flies[t] && f->articulated[t]; }

// Whether the bias of a flying tree, and its M, are the same at q0 and q1 and at any velocities. The armature of
// tendons may change M.
static int only_falls(const hfiFlight* f, const hfDynamics* d, int t, const int32_t* flies) {
  return flies[t] && f->translates[t] && d->mass.narmature == d->mass.nfixed_armature;
}
// Whether tree t flies and its inertial forces may change its velocities.
static int has_inertial_forces(const hfiFlight* f, const hfDynamics* d, int t, const int32_t* flies) {
  return flies_articulated(f, t, flies) && !only_falls(f, d, t, flies);
}

// Replaces f->middle of tree t by the velocities next (nv). Returns the largest change over the largest velocity [-].
static double replace_middle(hfiFlight* f, const hfModel* m, int t, const double* next) {
  hfiRange r = hfi_tree_dofs(m, t);
  double largest = 0;
  double change = 0;

  for (int i = r.begin; i < r.end; ++i) {
    largest = max2(largest, fabs(next[i]));
    change = max2(change, fabs(next[i] - f->middle[i]));
    f->middle[i] = next[i];
  }

  return largest > 0 ? change / largest : change;
}

// Upper bound on how far a link of a tree with a free root turns in the step at velocities f->middle [rad]; 1 if the
// root is not free.
static double turn_in_step(const hfiFlight* f, const hfModel* m, double h, int t) {
  hfiRange r = hfi_tree_dofs(m, t);
  if (!f->kept[t].known) return 1;

  double rates = 0;
  for (int i = r.begin + 3; i < r.end; ++i) rates += fabs(f->middle[i]);
  return h * rates;
}

// One iteration for v_m = f->middle of all flying trees, with the bias at v_m in d->c:
//
//   p = f->base - (h/2) bias(q0, v_m),   v_m <- M^-1 p
//
// Writes to f->change by how much v_m of each tree changed, as a share of its largest entry. Returns the number of
// trees that have not converged. p (nv) gets the momentum of each tree for its last v_m.
static int improve_middle(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* p) {
  const hfModel* m = d->model;
  double* next = d->scratch.work;
  int changing = 0;

  for (int t = 0; t < m->ntree; ++t) {
    if (!flies_articulated(f, t, flies)) continue;
    hfiRange r = hfi_tree_dofs(m, t);
    for (int i = r.begin; i < r.end; ++i) {
      p[i] = f->base[i] - 0.5 * h * d->c[i];
      next[i] = p[i];
    }
    hfi_solve_tree(d, t, next);

    // a tree has converged if the next change, predicted from the last two, is small enough; in the first iteration,
    // with `before` zero, from the turn of the step. A tree that only falls is exact after one.
    double before = f->change[t];
    double change = replace_middle(f, m, t, next);
    f->change[t] = change;
    if (only_falls(f, d, t, flies)) continue;
    double ratio = before > 0 ? change / before : turn_in_step(f, m, h, t);
    double next_change = PREDICTION_SAFETY_FACTOR * change * ratio;
    changing += !(change <= CONVERGED_CHANGE_SHARE || next_change <= CONVERGED_CHANGE_SHARE);
  }
  return changing;
}

// Computes the velocities of all links and the bias d->c at v (nv).
static void update_bias(hfDynamics* d, const double* v) {
  hf_dynamics_set_velocity(d, v);
  hf_dynamics_update_bias(d);
}

// Updates the bias of the flying trees only, if no armature of spatial tendons couples them to others.
static void update_flying_bias(const hfiFlight* f, hfDynamics* d, const double* v, const int32_t* flies) {
  if (d->mass.narmature > d->mass.nfixed_armature) {
    update_bias(d, v);
    return;
  }

  for (int t = 0; t < d->model->ntree; ++t) {
    if (!has_inertial_forces(f, d, t, flies)) continue;
    hfiRange r = hfi_tree_dofs(d->model, t);
    memcpy(d->v + r.begin, v + r.begin, sizeof *v * (size_t)(r.end - r.begin));
    hfi_tree_velocity(d, f->first_link[t], f->first_link[t + 1]);
    hfi_tree_bias(d, f->first_link[t], f->first_link[t + 1]);
  }
}

// Writes f->fall = M^-1 bias of the flying trees that translate.
static void find_fall(hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t) {
    if (!only_falls(f, d, t, flies)) continue;
    hfiRange r = hfi_tree_dofs(d->model, t);
    memcpy(f->fall + r.begin, d->c + r.begin, sizeof *d->c * (size_t)(r.end - r.begin));
    hfi_solve_tree(d, t, f->fall);
  }
}

// Writes the first guess of v_m to f->middle: v0 and, for a tree with a free root, half a step of fall, which changes
// no bias. For a tree that falls without turning this is v_m already.
static void guess_middle(hfiFlight* f, const hfDynamics* d, double h, const double* v0, const int32_t* flies) {
  memcpy(f->middle, v0, sizeof *v0 * (size_t)d->model->nv);

  for (int t = 0; t < d->model->ntree; ++t) {
    double* root = f->middle + hf_model_tree_dofadr(d->model)[t];
    if (!has_inertial_forces(f, d, t, flies) || !f->kept[t].known) continue;

    v3_store(root, v3_axpy(0.5 * h, d->gravity, v3_load(root)));
  }
}

// Finds v_m = f->middle of all flying trees, and their p = M v_m. On entry d->c is the bias at d->v, and f->base is the
// momentum without bias. Returns 0 if some tree has not converged.
static int find_middle(hfiFlight* f, hfDynamics* d, double h, const double* v0, const int32_t* flies, double* p) {
  const hfModel* m = d->model;
  guess_middle(f, d, h, v0, flies);

  // impacts may have changed the velocities of the start since the bias was computed
  if (memcmp(d->v, v0, sizeof *v0 * (size_t)m->nv) != 0) update_bias(d, v0);
  for (int t = 0; t < m->ntree; ++t) f->change[t] = 0;

  for (int k = 1; improve_middle(f, d, h, flies, p); ++k) {
    if (k == MAX_MIDDLE_ITERATIONS) return 0;
    update_flying_bias(f, d, f->middle, flies);
  }
  return 1;
}

// Whether some articulated tree flies.
static int any_articulated_flies(const hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t)
    if (flies_articulated(f, t, flies)) return 1;
  return 0;
}

// Whether some flying tree has inertial forces.
static int any_has_inertial_forces(const hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t)
    if (has_inertial_forces(f, d, t, flies)) return 1;
  return 0;
}

// Whether hfi_articulated_end has anything to do.
int hfi_articulated_needs_end(const hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  return f->fast.count > 0 || any_has_inertial_forces(f, d, flies);
}

// Writes f->kept: the momentum and energy that flying trees must have at the end of the step. They are those of the
// velocities v0 with the generalised momentum f->base, and gravity adds to the momentum.
static void store_invariants(hfiFlight* f, const hfDynamics* d, double h, const double* v0, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t) {
    f->kept[t].known = 0;
    if (!flies_articulated(f, t, flies) || !hfi_tree_is_free(f, d, t)) continue;

    hfiInertia I = hfi_tree_inertia(f, d, t);
    f->kept[t] = compute_invariants(f, d, t, &I, v0, f->base);
    f->kept[t].linear = v3_axpy(h * I.m, d->gravity, f->kept[t].linear);
  }
}

// Makes trees whose iteration has not converged not fly in this step: clears their `flies` and sets their p to the
// momentum of the plain scheme, M v0 - h bias(q0, v0).
static void ground_unconverged(hfiFlight* f, hfDynamics* d, double h, const double* v0, int32_t* flies, double* p) {
  const hfModel* m = d->model;
  update_bias(d, v0);
  for (int t = 0; t < m->ntree; ++t) {
    if (!flies_articulated(f, t, flies) || f->change[t] <= LARGEST_FINAL_CHANGE_SHARE) continue;

    hfiRange r = hfi_tree_dofs(m, t);
    flies[t] = 0;
    f->kept[t].known = 0;
    hfi_fast_ground(f, d, t);
    for (int i = r.begin; i < r.end; ++i) p[i] = f->base[i] - h * d->c[i];
  }
}

static int has_articulated(const hfiFlight* f) { return f->nscalar + f->nturning > 0; }

// Changes the momentum p of flying and of fast trees. On entry d->c is the bias at v0 and p = M v0 + h (tau - d->c).
// No tau acts on a tree that flies. Clears `flies` of trees that cannot fly.
void hfi_articulated_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau, int32_t* flies,
                           double* p) {
  const hfModel* m = d->model;
  f->has_middle = 0;
  if (!has_articulated(f)) return;

  hfi_fast_find(f, d, h, flies);
  if (any_articulated_flies(f, d, flies)) {
    for (int i = 0; i < m->nv; ++i) f->base[i] = p[i] + h * d->c[i];
    store_invariants(f, d, h, v0, flies);
    if (!find_middle(f, d, h, v0, flies, p)) ground_unconverged(f, d, h, v0, flies, p);
    find_fall(f, d, flies);
    f->has_middle = 1;
  }
  hfi_fast_begin(f, d, h, v0, tau, flies, p);
}

// ---- motion ---------------------------------------------------------------------------------------

// Moves a free or ball joint by h v, and turns it by Cayley's map: about w by 2 atan(h |w|/2) instead of h |w|. The
// step of a single link is then the implicit midpoint rule, which keeps the angular momentum in size and direction.
static void move_by_cayley(int type, const double* v, double h, double* q) {
  double rate[6];
  int n = type == HF_JOINT_FREE ? 6 : 3;
  for (int i = 0; i < n; ++i) rate[i] = v[i];

  hfVec3 w = v3_load(rate + n - 3);
  double turn = h * v3_norm(w);
  if (turn > SMALL_TURN) v3_store(rate + n - 3, v3_scale(2 * hfi_atan(0.5 * turn) / turn, w));
  hfi_joint_integrate(type, q, rate, h);
}

// Returns the time for which a dof moves [s]. stop (ntree or NULL): when each tree stops.
static inline double moving_time(const hfModel* m, double h, const double* stop, int dof) {
  return stop ? min2(h, stop[hf_model_dof_tree(m)[dof]]) : h;
}

// Moves the coordinates q (nq) of all articulated trees by the solution v of the step problem. Fast trees get their
// bounds first, because these need the dynamics at the start of the step.
void hfi_articulated_move(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* stop,
                          const double* v, double* q) {
  const hfModel* m = d->model;
  if (!has_articulated(f)) return;
  hfi_fast_solution(f, d, h, flies, v);

  // joints with one coordinate
  for (int i = 0; i < f->nscalar; ++i) {
    int dof = f->scalar[i][1];
    q[f->scalar[i][0]] += moving_time(m, h, stop, dof) * v[dof];
  }

  // balls and free joints
  for (int i = 0; i < f->nturning; ++i) {
    int j = f->turning[i];
    int dof = hf_model_jnt_dofadr(m)[j];
    int type = hf_model_jnt_type(m)[j];
    double* qj = q + hf_model_jnt_qposadr(m)[j];
    if (flies[hf_model_dof_tree(m)[dof]]) move_by_cayley(type, v + dof, h, qj);
    else hfi_joint_integrate(type, qj, v + dof, moving_time(m, h, stop, dof));
  }
}

// ---- end ------------------------------------------------------------------------------------------

// Returns x with I x = b for a symmetric positive definite 3x3 I (xx yy zz xy xz yz).
static hfVec3 solve_sym3(const double* I, hfVec3 b) {
  hfVec3 x = v3(I[0], I[3], I[4]);
  hfVec3 y = v3(I[3], I[1], I[5]);
  hfVec3 z = v3(I[4], I[5], I[2]);

  hfVec3 yz = v3_cross(y, z);
  return v3_scale(1 / v3_dot(x, yz), v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y))));
}

// Writes the inertia Ic (xx yy zz xy xz yz) about the centre of mass.
static void compute_centre_inertia(const hfiInertia* I, double* Ic) {
  hfVec3 h = I->h;
  double s = 1 / I->m;
  double hh = v3_norm2(h);
  const double outer[6] = {hh - h.x * h.x, hh - h.y * h.y, hh - h.z * h.z, -h.x * h.y, -h.x * h.z, -h.y * h.z};
  for (int i = 0; i < 6; ++i) Ic[i] = I->I[i] - s * outer[i];
}

// Gives the velocities v (nv) of tree t, which has flown to q1, the momentum and energy f->kept: replaces v_rigid and
// scales v_inner by s (the head of this file). f->kept is of the start, with the momentum that gravity adds. w and
// w_want: the angular velocity of v_rigid as it is and as it has to be. Overwrites f->base.
static void restore_invariants(hfiFlight* f, const hfDynamics* d, int t, double* v) {
  const hfiInvariants* want = &f->kept[t];
  const hfiLink* root = &d->link[f->first_link[t]];
  hfiInertia I = hfi_tree_inertia(f, d, t);
  double Ic[6];

  // momentum and energy that the tree has now
  hfi_multiply_tree(d, t, v, f->base);
  hfiInvariants now = compute_invariants(f, d, t, &I, v, f->base);
  compute_centre_inertia(&I, Ic);

  // v_rigid as it is and as it has to be, and the factor of v_inner
  hfVec3 w = solve_sym3(Ic, now.angular);
  hfVec3 w_want = solve_sym3(Ic, want->angular);
  double inner = now.kinetic - 0.5 * v3_dot(w, now.angular);
  double inner_want = want->kinetic - 0.5 * v3_dot(w_want, want->angular);
  double s = inner > 0 && inner_want > 0 ? sqrt(inner_want / inner) : 1;
  if (!(fabs(s - 1) < LARGEST_CORRECTION_SHARE)) s = 1;

  // v <- s (v - v_rigid) + the wanted v_rigid
  hfiRange r = hfi_tree_dofs(d->model, t);
  hfi_tree_add_rigid(d, root, &I, v3_scale(-1 / I.m, now.linear), v3_neg(w), v);
  for (int i = r.begin; i < r.end; ++i) v[i] *= s;
  hfi_tree_add_rigid(d, root, &I, v3_scale(1 / I.m, want->linear), w_want, v);
}

// Subtracts the second half of the bias from the velocities v (nv) of tree t. x (nv) is M^-1 bias.
static void subtract_half_bias(const hfModel* m, int t, double h, const double* x, double* v) {
  hfiRange r = hfi_tree_dofs(m, t);
  for (int i = r.begin; i < r.end; ++i) v[i] -= 0.5 * h * x[i];
}

// Subtracts the second half of the bias from the velocities v (nv) of flying trees that only translate.
void hfi_translation_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, double* v) {
  for (int t = 0; t < d->model->ntree; ++t)
    if (only_falls(f, d, t, flies)) subtract_half_bias(d->model, t, h, f->fall, v);
}

// Subtracts the second half of the bias from the velocities of those flying trees that have inertial forces:
// v <- v - (h/2) M^-1 bias(q1, v). Overwrites their bias in d->c.
static void subtract_second_half(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v) {
  update_flying_bias(f, d, v, flies);
  hfi_dynamics_need(d, HFI_FRESH_MASS);
  hfi_postpone_factors(d);

  for (int t = 0; t < d->model->ntree; ++t) {
    if (!has_inertial_forces(f, d, t, flies)) continue;
    hfi_solve_tree(d, t, d->c);
    subtract_half_bias(d->model, t, h, d->c, v);
  }
}

// Completes the velocities v (nv) of articulated trees that fly or are fast. Needs the dynamics at q1, and leaves its
// velocities at v if there are such trees.
void hfi_articulated_end(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v) {
  if (any_has_inertial_forces(f, d, flies)) subtract_second_half(f, d, h, flies, v);

  for (int t = 0; t < d->model->ntree; ++t)
    if (flies_articulated(f, t, flies) && f->kept[t].known) restore_invariants(f, d, t, v);

  hfi_fast_end(f, d, flies, v);
}
