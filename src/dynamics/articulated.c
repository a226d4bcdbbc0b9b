// Articulated trees in flight: velocity-dependent forces half at the start and half at the end of a step.
//
//   M(q0) v_m = M(q0) v0 - (h/2) bias(q0, v_m)             implicit: a fixed point, contracting with h |w|/2
//   q1        = q0 (+) h v_m
//   M(q1) v1  = M(q1) v_m - (h/2) bias(q1, v_m)            explicit: the mirror image of the first line
//
// The bias holds Coriolis, centrifugal and gravity forces. The step is symmetric in time, hence of second order.
// What free flight keeps exactly, the momentum about the centre of mass and the energy of the motion relative to it,
// is then put right: with the inertia I_c of the tree as one rigid body about its centre,
//
//   v = v_rigid(L) + v_inner,   v_rigid the motion of the root alone that has the momentum L: w = I_c^-1 L
//   T = L . I_c^-1 L/2 + T_inner
//
// replacing L sets the momentum and scaling v_inner, which has none, the energy.
#include "dynamics/flight.h"

#include <string.h>

enum { MAX_ITERATIONS = 40 };
static const double CONVERGED = 1e-14; // change of velocities, relative to the largest
static const double NEARLY = 1e-9;     // the same, good enough after MAX_ITERATIONS
static const double SMALL_CORRECTION = 0.05; // a larger correction of inner motion is no correction
static const double FAST = 0.3; // turn of a link in a step beyond which inertial forces are bounded [rad]

typedef struct Range { int begin, end; } Range;

static Range dofs_of(const hfModel* m, int t) {
  int first = hf_model_tree_dofadr(m)[t];
  Range r = {first, first + hf_model_tree_dofnum(m)[t]};
  return r;
}

// ---- what flight keeps ----------------------------------------------------------------------------

// Momentum of a tree about its reference point, from the velocities of the dynamics.
static hfForce tree_momentum(const hfiFlight* f, const hfDynamics* d, int t) {
  hfForce sum = fo_zero();
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l) sum = fo_add(sum, inertia_mul(&d->I[l], d->V[l]));
  return sum;
}

static double tree_kinetic(const hfiFlight* f, const hfDynamics* d, int t) {
  Range r = dofs_of(d->model, t);
  double twice = 0;
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l)
    twice += fo_dot(inertia_mul(&d->I[l], d->V[l]), d->V[l]);
  for (int i = r.begin; i < r.end; ++i) twice += hf_model_dof_armature(d->model)[i] * sqr(d->v[i]);
  return 0.5 * twice;
}

// Mass, first moment and inertia of the whole tree about its reference point.
static hfiInertia tree_inertia(const hfiFlight* f, const hfDynamics* d, int t) {
  hfiInertia sum = d->I[f->first_link[t]];
  for (int l = f->first_link[t] + 1; l < f->first_link[t + 1]; ++l) inertia_add(&sum, &d->I[l]);
  return sum;
}

static hfiInvariants measure(const hfiFlight* f, const hfDynamics* d, int t, const hfiInertia* I) {
  hfForce P = tree_momentum(f, d, t);
  hfiInvariants k = {.linear = P.f, .known = 1};
  k.angular = v3_axpy(-1 / I->m, v3_cross(I->h, P.f), P.n);
  k.kinetic = tree_kinetic(f, d, t) - 0.5 * v3_norm2(P.f) / I->m;
  return k;
}

static int has_free_root(const hfiFlight* f, const hfDynamics* d, int t) {
  const hfiLink* root = &d->link[f->first_link[t]];
  if (root->njoint != 1 || d->step[root->joint].type != HF_JOINT_FREE || d->narmature) return 0;
  for (int i = root->dof; i < root->dof + 6; ++i)
    if (hf_model_dof_armature(d->model)[i] != 0) return 0;
  return 1;
}

// ---- start ----------------------------------------------------------------------------------------

static int flies_articulated(const hfiFlight* f, int t, const int32_t* flies) { return flies[t] && f->articulated[t]; }

// The next velocities of a tree; returns the largest change over the largest velocity.
static double advance_middle(hfiFlight* f, const hfModel* m, int t, const double* next) {
  Range r = dofs_of(m, t);
  double largest = 0, change = 0;
  for (int i = r.begin; i < r.end; ++i) {
    largest = max2(largest, fabs(next[i]));
    change = max2(change, fabs(next[i] - f->middle[i]));
    f->middle[i] = next[i];
  }
  return largest > 0 ? change / largest : change;
}

// One iteration over all flying trees; p becomes M times the next velocities. Returns the number of trees that
// still change, and in f->change by how much.
static int iterate(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* p) {
  const hfModel* m = d->model;
  int changing = 0;
  double* next = d->work;
  hf_dynamics_velocity(d, f->middle);
  hf_dynamics_bias(d);
  for (int i = 0; i < m->nv; ++i) next[i] = f->base[i] - 0.5 * h * d->c[i];
  for (int i = 0; i < m->nv; ++i)
    if (flies_articulated(f, hf_model_dof_tree(m)[i], flies)) p[i] = next[i];
  hf_dynamics_solve(d, next);
  for (int t = 0; t < m->ntree; ++t) {
    if (!flies_articulated(f, t, flies)) continue;
    f->change[t] = advance_middle(f, m, t, next);
    changing += !(f->change[t] <= CONVERGED);
  }
  return changing;
}

static int any_flies(const hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t)
    if (flies_articulated(f, t, flies)) return 1;
  return 0;
}

int hfi_articulated_ends(const hfiFlight* f, const hfDynamics* d, const int32_t* flies) {
  return any_flies(f, d, flies) || f->nfast > 0;
}

// What the flying trees keep.
static void measure_flying(hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies) {
  for (int t = 0; t < d->model->ntree; ++t) {
    f->kept[t].known = 0;
    if (!flies_articulated(f, t, flies) || !has_free_root(f, d, t)) continue;
    hfiInertia I = tree_inertia(f, d, t);
    f->kept[t] = measure(f, d, t, &I);
    f->kept[t].linear = v3_axpy(h * I.m, d->gravity, f->kept[t].linear);
  }
}

// ---- fast trees -----------------------------------------------------------------------------------

// No link spins faster than the rates of all dofs together.
static double fastest_spin(const hfiFlight* f, const hfDynamics* d, double h, int t) {
  Range r = dofs_of(d->model, t);
  double w2 = 0, all = 0;
  for (int i = r.begin; i < r.end; ++i) all += fabs(d->v[i]);
  if (h * all <= FAST) return all;
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l) w2 = max2(w2, v3_norm2(d->V[l].w));
  return sqrt(w2);
}

// The energy of a tree that inertial forces do not change: kinetic, of a free one relative to its centre, of one
// that is fixed and flies with that of gravity.
static double inertial_energy(const hfiFlight* f, const hfDynamics* d, int t, int flies) {
  double T = tree_kinetic(f, d, t);
  hfiInertia I = tree_inertia(f, d, t);
  if (has_free_root(f, d, t)) return T - 0.5 * v3_norm2(tree_momentum(f, d, t).f) / I.m;
  return flies ? T - v3_dot(d->gravity, v3_axpy(I.m, d->p_WO[t], I.h)) : T;
}

static int find_fast(hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies) {
  f->nfast = 0;
  for (int t = 0; t < d->model->ntree; ++t) {
    f->fast[t] = f->articulated[t] && !(h * fastest_spin(f, d, h, t) <= FAST);
    if (!f->fast[t]) continue;
    f->bound[t] = inertial_energy(f, d, t, flies[t]);
    f->nfast++;
  }
  return f->nfast;
}

// Adds the motion of the root alone in which the centre has the velocity u and the tree turns with w.
static void add_rigid(const hfDynamics* d, const hfiLink* root, const hfiInertia* I, hfVec3 u, hfVec3 w, double* v) {
  hfVec3 at_root = v3_sub(u, v3_cross(w, v3_scale(1 / I->m, I->h))), w_B = m3_tmulv(d->X_WB[root->body].R, w);
  v3_store(v + root->dof, v3_add(v3_load(v + root->dof), at_root));
  v3_store(v + root->dof + 3, v3_add(v3_load(v + root->dof + 3), w_B));
}

// A fast tree ends with no more energy than inertial forces may leave it. The centre of a free one keeps its velocity.
static void bound_energy(const hfiFlight* f, const hfDynamics* d, int t, int flies, double* v) {
  const hfiLink* root = &d->link[f->first_link[t]];
  double T = tree_kinetic(f, d, t), now = inertial_energy(f, d, t, flies), excess = now - f->bound[t];
  int is_free = has_free_root(f, d, t);
  double scaled = is_free ? now : T; // the part that the scale acts on
  if (!(excess > 0)) return;
  double s = excess < scaled ? sqrt(1 - excess / scaled) : 0;
  hfiInertia I = tree_inertia(f, d, t);
  hfVec3 u = is_free ? v3_scale(1 / I.m, tree_momentum(f, d, t).f) : v3_zero();
  Range r = dofs_of(d->model, t);
  if (is_free) add_rigid(d, root, &I, v3_neg(u), v3_zero(), v);
  for (int i = r.begin; i < r.end; ++i) v[i] *= s;
  if (is_free) add_rigid(d, root, &I, u, v3_zero(), v);
}

// after <- v0 + kick, the kick at most FAST of the velocity.
static void add_bounded_kick(const double* kick, const double* Mkick, const double* v0, double energy, Range r,
                             double* after) {
  double kk = 0;
  for (int i = r.begin; i < r.end; ++i) kk += kick[i] * Mkick[i];
  double share = kk > 2 * sqr(FAST) * energy ? FAST * sqrt(2 * energy / kk) : 1;
  for (int i = r.begin; i < r.end; ++i) after[i] = v0[i] + (isfinite(share * kick[i]) ? share * kick[i] : 0);
}

// Inertial forces of fast trees that do not fly, bounded: p = M after + h (tau - gravity), where the velocities
// after them have no more energy than before.
static void bound_fast(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau,
                       const int32_t* flies, double* p) {
  const hfModel* m = d->model;
  const int32_t* tree = hf_model_dof_tree(m);
  double *kick = d->work, *Mkick = f->base, *after = f->middle;
  hf_dynamics_velocity(d, v0);
  hf_dynamics_bias(d);
  memcpy(Mkick, d->c, sizeof *v0 * (size_t)m->nv);
  memset(after, 0, sizeof *v0 * (size_t)m->nv);
  hf_dynamics_velocity(d, after);
  hf_dynamics_bias(d); // gravity
  for (int i = 0; i < m->nv; ++i) kick[i] = Mkick[i] = -h * (Mkick[i] - d->c[i]);
  hf_dynamics_solve(d, kick);
  for (int t = 0; t < m->ntree; ++t)
    if (f->fast[t] && !flies[t]) add_bounded_kick(kick, Mkick, v0, f->bound[t], dofs_of(m, t), after);
  hf_dynamics_velocity(d, after);
  for (int t = 0; t < m->ntree; ++t)
    if (f->fast[t] && !flies[t]) bound_energy(f, d, t, 0, after);
  hf_dynamics_multiply(d, after, kick);
  for (int i = 0; i < m->nv; ++i)
    if (f->fast[tree[i]] && !flies[tree[i]]) p[i] = kick[i] + h * (tau[i] - d->c[i]);
}

// Trees whose iteration has not converged fly no longer: their momentum is the explicit one again.
static void ground_unconverged(hfiFlight* f, hfDynamics* d, double h, const double* v0, int32_t* flies, double* p) {
  const hfModel* m = d->model;
  hf_dynamics_velocity(d, v0);
  hf_dynamics_bias(d);
  for (int t = 0; t < m->ntree; ++t) {
    if (!flies_articulated(f, t, flies) || f->change[t] <= NEARLY) continue;
    Range r = dofs_of(m, t);
    flies[t] = f->kept[t].known = 0;
    f->bound[t] = inertial_energy(f, d, t, 0);
    for (int i = r.begin; i < r.end; ++i) p[i] = f->base[i] - h * d->c[i];
  }
}

void hfi_articulated_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau,
                           int32_t* flies, double* p) {
  const hfModel* m = d->model;
  int fast = find_fast(f, d, h, flies);
  if (any_flies(f, d, flies)) {
    measure_flying(f, d, h, flies);
    for (int i = 0; i < m->nv; ++i) f->base[i] = p[i] + h * d->c[i];
    memcpy(f->middle, v0, sizeof *v0 * (size_t)m->nv);
    int changing = 1;
    for (int k = 0; k < MAX_ITERATIONS && changing; ++k) changing = iterate(f, d, h, flies, p);
    if (changing) ground_unconverged(f, d, h, v0, flies, p);
  }
  if (fast) bound_fast(f, d, h, v0, tau, flies, p);
}

// ---- motion ---------------------------------------------------------------------------------------

// The energy that fast trees in contact or under forces have after all impulses, at q0.
static void measure_fast(hfiFlight* f, hfDynamics* d, const int32_t* flies, const double* v) {
  if (!f->nfast) return;
  hf_dynamics_velocity(d, v);
  for (int t = 0; t < d->model->ntree; ++t)
    if (f->fast[t] && !flies[t]) f->bound[t] = inertial_energy(f, d, t, 0);
}

// A turn of a joint by Cayley's map of the velocities v: about w by 2 atan(h |w|/2).
static void move_freely(int type, const double* v, double h, double* q) {
  double by[6];
  int n = type == HF_JOINT_FREE ? 6 : 3;
  for (int i = 0; i < n; ++i) by[i] = v[i];
  hfVec3 w = v3_load(by + n - 3);
  double x = h * v3_norm(w);
  if (x > 1e-8) v3_store(by + n - 3, v3_scale(2 * atan(0.5 * x) / x, w));
  hfi_joint_integrate(type, q, by, h);
}

void hfi_articulated_move(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* v, double* q) {
  const hfModel* m = d->model;
  measure_fast(f, d, flies, v);
  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j], type = hf_model_jnt_type(m)[j], t = hf_model_dof_tree(m)[dof];
    double* qj = q + hf_model_jnt_qposadr(m)[j];
    if (!f->articulated[t]) continue;
    if (flies[t] && (type == HF_JOINT_FREE || type == HF_JOINT_BALL)) move_freely(type, v + dof, h, qj);
    else hfi_joint_integrate(type, qj, v + dof, h);
  }
}

// ---- end ------------------------------------------------------------------------------------------

// x with I x = b for a symmetric positive definite 3x3 I (xx yy zz xy xz yz).
static hfVec3 solve_sym3(const double* I, hfVec3 b) {
  hfVec3 x = v3(I[0], I[3], I[4]), y = v3(I[3], I[1], I[5]), z = v3(I[4], I[5], I[2]), yz = v3_cross(y, z);
  return v3_scale(1 / v3_dot(x, yz), v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y))));
}

// Inertia about the centre of mass.
static void centre_inertia(const hfiInertia* I, double* Ic) {
  hfVec3 h = I->h;
  double s = 1 / I->m, hh = v3_norm2(h);
  const double outer[6] = {hh - h.x * h.x, hh - h.y * h.y, hh - h.z * h.z, -h.x * h.y, -h.x * h.z, -h.y * h.z};
  for (int i = 0; i < 6; ++i) Ic[i] = I->I[i] - s * outer[i];
}

static void restore_invariants(hfiFlight* f, const hfDynamics* d, int t, double* v) {
  const hfiInvariants* want = &f->kept[t];
  const hfiLink* root = &d->link[f->first_link[t]];
  hfiInertia I = tree_inertia(f, d, t);
  hfiInvariants now = measure(f, d, t, &I);
  double Ic[6];
  centre_inertia(&I, Ic);
  hfVec3 w = solve_sym3(Ic, now.angular), w_want = solve_sym3(Ic, want->angular);
  double inner = now.kinetic - 0.5 * v3_dot(w, now.angular),
         inner_want = want->kinetic - 0.5 * v3_dot(w_want, want->angular);
  double s = inner > 0 && inner_want > 0 ? sqrt(inner_want / inner) : 1;
  if (!(fabs(s - 1) < SMALL_CORRECTION)) s = 1;
  Range r = dofs_of(d->model, t);
  add_rigid(d, root, &I, v3_scale(-1 / I.m, now.linear), v3_neg(w), v);
  for (int i = r.begin; i < r.end; ++i) v[i] *= s;
  add_rigid(d, root, &I, v3_scale(1 / I.m, want->linear), w_want, v);
}

// Second half of the inertial forces of flying trees.
static void kick_out(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v) {
  hf_dynamics_velocity(d, v);
  hf_dynamics_mass_matrix(d);
  hf_dynamics_factor(d);
  hf_dynamics_bias(d);
  hf_dynamics_solve(d, d->c);
  for (int i = 0; i < d->model->nv; ++i)
    if (flies_articulated(f, hf_model_dof_tree(d->model)[i], flies)) v[i] -= 0.5 * h * d->c[i];
}

void hfi_articulated_end(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, double* v) {
  const hfModel* m = d->model;
  if (any_flies(f, d, flies)) kick_out(f, d, h, flies, v);
  hf_dynamics_velocity(d, v);
  for (int t = 0; t < m->ntree; ++t)
    if (flies_articulated(f, t, flies) && f->kept[t].known) restore_invariants(f, d, t, v);
  if (!f->nfast) return;
  hf_dynamics_velocity(d, v);
  for (int t = 0; t < m->ntree; ++t)
    if (f->fast[t]) bound_energy(f, d, t, flies[t], v);
}
