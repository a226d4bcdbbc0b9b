// Free bodies over a step: half a step of free spin, all impulses in the middle, half a step of free spin.
//
// Free spin obeys the implicit midpoint of Euler's equation in body axes,
//
//   I (w1 - w0) = -t wm x I wm,   wm = (w0 + w1)/2,          t = h/2
//
// which keeps the energy w.I w and |I w| exactly. It is solved by iterating on Lm = I wm:
//
//   (I - t/2 [Lm]) w1 = I w0 + t/2 Lm x w0
//
// The matrix has the positive definite symmetric part I, so every iterate exists. Every iterate keeps the energy,
// whatever Lm is, so that the spin is bounded even if the iteration does not converge (t w >> 1).
//
// The turn that belongs to it is Cayley's, R1 = R0 cay(t wm), the rotation about wm by 2 atan(t |wm|/2):
// then R1 I w1 = R0 I w0, and the angular momentum in the world is kept exactly as well.
//
// In the middle the body has the orientation R_m; the step problem is written in its axes there, with the velocity of
// the centre of mass that it had at the start. Then an angular impulse in the world changes the angular momentum in
// the world by exactly itself, however fast the body spins: a torque is not turned with the body.
#include "step/dynamics/inside.h"

#include "base/finite.h"

#include <string.h>

// An iteration for a spin takes at most this many steps.
enum { MAX_SPIN_ITERATIONS = 60 };
// An iteration for a spin w stops if w changes by less than this share of its size: rounding [-].
static const double ROUNDED_SPIN_SHARE = 1e-15;
// Newton's method finds w1 for turns in a step up to this [rad].
static const double LARGEST_NEWTON_TURN = 0.02;
// Newton's method is given up if the square of a change is more than this share of the square of the last one [-].
static const double LARGEST_CHANGE_RATIO2 = 0.1;
// The square of the second change is at most about this times (first change/|w0|)^4 times the square of the first [-].
static const double SECOND_CHANGE_FACTOR2 = 100;

// ---- spin -----------------------------------------------------------------------------------------

// Returns x with (I - [l]) x = b by Cramer's rule; [l] y = l x y. I: xx yy zz xy xz yz.
static hfVec3 solve_gyroscopic(const double* I, hfVec3 l, hfVec3 b) {
  // the columns of the matrix
  hfVec3 x = v3(I[0], I[3] - l.z, I[4] + l.y);
  hfVec3 y = v3(I[3] + l.z, I[1], I[5] - l.x);
  hfVec3 z = v3(I[4] - l.y, I[5] + l.x, I[2]);

  hfVec3 yz = v3_cross(y, z);
  double det = v3_dot(x, yz);
  return v3_scale(1 / det, v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y))));
}

// Returns w1 after h of free spin, by iterating on Lm; l is h/2 Lm. Each iteration multiplies the error by less than
// |h w|, whose square is rate2 (1 at most).
static hfVec3 spin_by_momentum(const double* I, hfVec3 w0, double h) {
  hfVec3 L0 = sym3_mulv(I, w0);
  hfVec3 w1 = w0;
  double size2 = v3_norm2(w0);
  double rate2 = min2(1, h * h * size2);

  for (int k = 0; k < MAX_SPIN_ITERATIONS; ++k) {
    hfVec3 l = v3_scale(0.5 * h, sym3_mulv(I, v3_scale(0.5, v3_add(w0, w1))));
    hfVec3 next = solve_gyroscopic(I, l, v3_add(L0, v3_cross(l, w0)));
    double change2 = v3_norm2(v3_sub(next, w1));
    w1 = next;
    if (change2 * rate2 <= sqr(ROUNDED_SPIN_SHARE) * size2) break;
  }
  return v3_finite(w1) ? w1 : w0; // not finite: |w|^2 has overflowed
}

// Returns w1 after h of free spin, by Newton's method with the matrix of the start, for h |w| << 1:
//
//   F = I (w1 - w0) + (h/4) s x I s,  s = w0 + w1,   dF/dw1 = I + (h/2) ([w0] I - [I w0]) + O(h^2 w^2)
//
// Each iteration multiplies the error by (h w)^2 times the square of the ratio of the moments of inertia. If they
// differ too much, the iteration on Lm is used. size2: |w0|^2; the names before2, change2, next2 are squares, too.
static hfVec3 spin_by_newton(const double* I, hfVec3 w0, double h, double size2) {
  hfVec3 L0 = sym3_mulv(I, w0);
  hfVec3 u = v3_scale(0.5 * h, w0);
  hfVec3 l = v3_scale(0.5 * h, L0);

  // x, y, z: columns of dF/dw1; yz, zx, xy: the rows of its inverse times the determinant
  hfVec3 x = v3_add(v3(I[0], I[3] - l.z, I[4] + l.y), v3_cross(u, v3(I[0], I[3], I[4])));
  hfVec3 y = v3_add(v3(I[3] + l.z, I[1], I[5] - l.x), v3_cross(u, v3(I[3], I[1], I[5])));
  hfVec3 z = v3_add(v3(I[4] - l.y, I[5] + l.x, I[2]), v3_cross(u, v3(I[4], I[5], I[2])));
  hfVec3 yz = v3_cross(y, z);
  hfVec3 zx = v3_cross(z, x);
  hfVec3 xy = v3_cross(x, y);
  double scale = -1 / v3_dot(x, yz);

  // Newton steps, until the next one would be lost in rounding
  hfVec3 w1 = w0;
  hfVec3 F = v3_scale(h, v3_cross(w0, L0)); // at w1 = w0, where s = 2 w0
  double before2 = size2;
  for (int k = 0;; ++k) {
    hfVec3 change = v3_scale(scale, v3(v3_dot(F, yz), v3_dot(F, zx), v3_dot(F, xy)));
    double change2 = v3_norm2(change);
    if (!(change2 <= LARGEST_CHANGE_RATIO2 * before2)) return spin_by_momentum(I, w0, h);
    w1 = v3_add(w1, change);

    // The ratio of the next change to this one is about that of this one to the last. The second change is cubic in h.
    double next2 = change2 * change2 / before2;
    if (k == 0) next2 = SECOND_CHANGE_FACTOR2 * change2 * sqr(change2 / size2);
    if (next2 <= sqr(ROUNDED_SPIN_SHARE) * size2) break;
    before2 = change2;

    hfVec3 s = v3_add(w0, w1);
    F = v3_axpy(0.25 * h, v3_cross(s, sym3_mulv(I, s)), sym3_mulv(I, v3_sub(w1, w0)));
  }
  return w1;
}

// Angular velocity after h of torque-free motion by the implicit midpoint rule, in body axes. I: xx yy zz xy xz yz.
static hfVec3 spin_freely(const double* I, hfVec3 w0, double h) {
  double size2 = v3_norm2(w0);
  if (size2 == 0) return w0;
  return h * h * size2 < sqr(LARGEST_NEWTON_TURN) ? spin_by_newton(I, w0, h, size2) : spin_by_momentum(I, w0, h);
}

// cay(t w): the rotation by 2 atan(t |w|/2) about w.
static hfQuat cayley_rotation(hfVec3 w, double t) {
  hfQuat q = {1, 0.5 * t * w.x, 0.5 * t * w.y, 0.5 * t * w.z};
  return q_unit(q);
}

static hfVec3 mean(hfVec3 a, hfVec3 b) { return v3_scale(0.5, v3_add(a, b)); }

// ---- which trees ----------------------------------------------------------------------------------

// Whether a joint or a tendon adds armature to the six dofs from `first` on.
static int has_armature(const hfDynamics* d, int first) {
  int any = hfi_any_nonzero(hf_model_dof_armature(d->model) + first, 6);
  for (int k = 0; k < d->mass.narmature; ++k) {
    int row = d->mass.armature[k].row;
    any |= row >= first && row < first + 6;
  }
  return any;
}

// A body with armature is no free body: its centre of mass does not fall on a parabola, and armature has no angular
// momentum that turns with the body.
static int is_free_body(const hfDynamics* d, int l) {
  const hfiLink* link = &d->link[l];
  if (link->parent || link->njoint != 1 || d->kinematics.step[link->joint].type != HF_JOINT_FREE) return 0;
  return hf_model_tree_dofnum(d->model)[link->tree] == 6 && !has_armature(d, link->dof);
}

// Whether some dof before this one belongs to a joint that is not a slide.
static int has_turning_dof_before(const hfModel* m, int dof) {
  const int32_t* before = hf_model_M_col(m) + hf_model_dof_Madr(m)[dof];
  int turns = 0;

  for (int k = 0; k < hf_model_dof_depth(m)[dof]; ++k)
    turns |= hf_model_jnt_type(m)[hf_model_dof_jnt(m)[before[k]]] != HF_JOINT_SLIDE;
  return turns;
}

// Lists the joints of articulated trees by how their coordinates move: writes scalar, turning, translates and
// has_carried_slide (flight.h). Joints with one coordinate go to `scalar`, balls and free joints to `turning`.
static void classify_joints(hfiFlight* f, const hfModel* m) {
  f->nscalar = 0;
  f->nturning = 0;
  f->has_carried_slide = 0;
  for (int t = 0; t < m->ntree; ++t) f->translates[t] = f->articulated[t];

  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j];
    int tree = hf_model_dof_tree(m)[dof];
    int is_slide = hf_model_jnt_type(m)[j] == HF_JOINT_SLIDE;
    if (!f->articulated[tree]) continue;

    f->translates[tree] &= is_slide;
    if (!hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) {
      f->turning[f->nturning++] = j;
      continue;
    }

    if (is_slide) f->has_carried_slide |= has_turning_dof_before(m, dof);
    f->scalar[f->nscalar][0] = hf_model_jnt_qposadr(m)[j];
    f->scalar[f->nscalar++][1] = dof;
  }
}

// Takes all arrays and finds the first link of each tree.
void hfi_flight_init(hfiFlight* f, const hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  hfiFastTrees* fast = &f->fast;

  // kinds of trees and joints
  f->body = HFI_TAKE(arena, hfiFreeBody, m->ntree);
  f->articulated = HFI_TAKE(arena, int32_t, m->ntree);
  f->translates = HFI_TAKE(arena, int32_t, m->ntree);
  f->first_link = HFI_TAKE(arena, int32_t, m->ntree + 1);
  f->scalar = hfi_arena_take(arena, (size_t)m->njnt, sizeof *f->scalar);
  f->turning = HFI_TAKE(arena, int32_t, m->njnt);

  // a step
  HFI_TAKE_EACH(arena, double, m->nv, &f->start, &f->middle, &f->base, &f->fall);
  f->change = HFI_TAKE(arena, double, m->ntree);
  f->kept = HFI_TAKE(arena, hfiInvariants, m->ntree);
  fast->speed = HFI_TAKE(arena, int32_t, m->ntree);
  HFI_TAKE_EACH(arena, double, m->ntree, &fast->bound, &fast->gain, &fast->slack);
  HFI_TAKE_EACH(arena, hfVec3, m->ntree, &fast->momentum, &fast->pull);
  if (!arena->base) return;

  // constants
  f->first_link[m->ntree] = d->nlink;
  for (int l = d->nlink - 1; l > 0; --l) f->first_link[d->link[l].tree] = l;
  hfi_flight_classify(f, d);
}

// Finds the free bodies and lists the joints of articulated trees, for the present parameters. All trees become slow.
void hfi_flight_classify(hfiFlight* f, const hfDynamics* d) {
  f->nbody = 0;
  f->fast.count = 0;
  memset(f->fast.speed, 0, sizeof *f->fast.speed * (size_t)d->model->ntree);
  for (int t = 0; t < d->model->ntree; ++t) f->articulated[t] = 1;

  for (int l = 1; l < d->nlink; ++l) {
    if (!is_free_body(d, l)) continue;
    hfiFreeBody body = {.link = l, .tree = d->link[l].tree};
    f->articulated[body.tree] = 0;
    f->body[f->nbody++] = body;
  }
  classify_joints(f, d->model);
}

// ---- the step -------------------------------------------------------------------------------------

// Computes S of the rotations and the inertia of a free body's link at orientation R. Its origin stays. Velocities are
// then no longer fresh.
static inline void orient_link(hfDynamics* d, const hfiLink* link, const hfMat3* R) {
  hfPose X = {*R, d->X_WB[link->body].p};
  hfiInertia* I = &d->mass.I[d->body_link[link->body]];

  for (int k = 0; k < 3; ++k) d->S[link->dof + 3 + k] = (hfMotion){m3_col(*R, k), v3_zero()};

  d->fresh &= ~(uint32_t)HFI_FRESH_VELOCITY;
  hfi_place_inertia(I, link->mass, link->com_B, link->inertia_B, &X, d->p_WO[link->tree]);
}

// Returns the velocity of the centre of mass of a free body with axes R and dof velocities v (6) [m/s].
static inline hfVec3 centre_velocity(const hfiLink* link, const hfMat3* R, const double* v) {
  return v3_add(v3_load(v), m3_mulv(*R, v3_cross(v3_load(v + 3), link->com_B)));
}

// Turns the dof axes S and the inertia I of every free body into the middle of the step, and writes the velocities
// there to f->start. The poses X_WB and q_WB stay those of the start; q_m and R_m are of the middle. Returns the number
// of bodies that turned. Then M and its factors are no longer fresh; axes are not if a body turned far.
int hfi_flight_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0) {
  int turned = 0;
  memcpy(f->start, v0, sizeof *v0 * (size_t)d->model->nv);

  for (int i = 0; i < f->nbody; ++i) {
    hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    const hfMat3* R0 = &d->X_WB[link->body].R;
    hfVec3 w0 = v3_load(v0 + link->dof + 3);
    b->off_centre = v3_norm2(link->com_B) > 0;

    // without spin the middle is as the start; a body that rolls is not turned: impulses act at both ends of its step
    if (v3_norm2(w0) == 0 || b->rolls) {
      b->spun_B = w0;
      b->q_m = d->q_WB[link->body];
      b->R_m = *R0;
      continue;
    }

    // half a step of free spin
    b->spun_B = spin_freely(link->inertia_B, w0, 0.5 * h);
    b->q_m = q_mul(d->q_WB[link->body], cayley_rotation(mean(w0, b->spun_B), 0.5 * h));
    b->R_m = m3_from_quat(b->q_m);
    orient_link(d, link, &b->R_m);
    ++turned;
    if (h * h * v3_norm2(w0) > HFI_FAST_SPIN_TURN * HFI_FAST_SPIN_TURN) d->fresh &= ~(uint32_t)HFI_FRESH_AXES;

    // the centre of mass keeps its velocity, so that the velocity of the origin, which f->start has, changes
    if (b->off_centre) {
      hfVec3 v = centre_velocity(link, R0, v0 + link->dof);
      v3_store(f->start + link->dof, v3_sub(v, m3_mulv(b->R_m, v3_cross(b->spun_B, link->com_B))));
    }
    v3_store(f->start + link->dof + 3, b->spun_B);
  }

  if (turned) d->fresh &= ~(uint32_t)(HFI_FRESH_MASS | HFI_FRESH_FACTORS);
  return turned;
}

// Writes the bias d->c of all trees. The bias of a free body is its weight only.
void hfi_flight_bias(const hfiFlight* f, hfDynamics* d) {
  int keeps_steady = hfi_dynamics_is_fresh(d, HFI_FRESH_STEADY_BIAS);
  for (int t = 0; t < d->model->ntree; ++t) {
    if (!f->articulated[t] || (d->mass.steady[t] & keeps_steady)) continue;
    hfi_tree_bias(d, f->first_link[t], f->first_link[t + 1]);
  }
  d->fresh |= HFI_FRESH_STEADY_BIAS;
  hfi_add_tendon_bias(d, d->c);

  // the weight of free bodies
  for (int i = 0; i < f->nbody; ++i) {
    const hfiLink* link = &d->link[f->body[i].link];
    const hfiInertia* I = &d->mass.I[f->body[i].link];
    hfVec3 moment = v3_neg(v3_cross(I->h, d->gravity));
    v3_store(d->c + link->dof, v3_scale(-I->m, d->gravity));
    for (int k = 3; k < 6; ++k) d->c[link->dof + k] = v3_dot(moment, d->S[link->dof + k].w);
  }
}

// Returns x with I x = b for a symmetric positive definite I (xx yy zz xy xz yz).
static hfVec3 solve_inertia(const double* I, hfVec3 b) { return solve_gyroscopic(I, v3_zero(), b); }

// Returns the angular velocity in body axes at the end of a step in contact. In the middle, at R_m, the impulses left
// the angular velocity w; then the body turned to R1, not by free spin. The angular momentum keeps its direction in the
// world, and the energy its size:
//
//   I w1 = s R1^T R_m I w,   w1.I w1 = w.I w
static hfVec3 spin_in_contact(const double* I, const hfMat3* R_m, const hfMat3* R1, hfVec3 w) {
  hfVec3 L = sym3_mulv(I, w);
  hfVec3 L1 = m3_tmulv(*R1, m3_mulv(*R_m, L));
  hfVec3 w1 = solve_inertia(I, L1);

  // the factor s; w stays if it cannot be computed
  double before = v3_dot(w, L);
  double after = v3_dot(w1, L1);
  return after > 0 && isfinite(after) ? v3_scale(sqrt(before / after), w1) : w;
}

// Moves the coordinates q (7) of a free body over the step and makes v (6), the solution of the step problem, its
// velocities at the end. In v, and in the angular velocities here, w is along the body's axes; the linear part is along
// the world's. d->X_WB and d->q_WB are of the start of the step; q_m and R_m of the body are of its middle.
//
//   in flight   the spin w of v is of the middle, just after the impulses: half a step of free spin follows. The
//               velocity u of the centre in v is of the end, so that its mean over the step is u - h g/2. `flies` is 1.
//   in contact  the body turns and moves over the whole step with w and u, with which the contacts were solved.
//   it rolls    impulses act at both ends of the step, and it spins freely between them over the whole step; those of
//               the end are not added here.
static void end_body(const hfDynamics* d, const hfiFreeBody* b, double h, int flies, double* q, double* v) {
  const hfiLink* link = &d->link[b->link];
  const hfPose* X0 = &d->X_WB[link->body];
  hfVec3 w = v3_load(v + 3);
  hfVec3 u = b->off_centre ? centre_velocity(link, &b->R_m, v) : v3_load(v); // velocity of the centre of mass

  // rotation q1 at the end, and angular velocity w1 there
  hfVec3 w1 = w;
  hfQuat q1;
  if (b->rolls) {
    w1 = spin_freely(link->inertia_B, w, h);
    q1 = q_mul(b->q_m, cayley_rotation(mean(w, w1), h));
  } else if (flies) {
    w1 = spin_freely(link->inertia_B, w, 0.5 * h);
    q1 = q_mul(b->q_m, cayley_rotation(mean(w, w1), 0.5 * h));
  } else {
    q1 = q_mul(q_exp(v3_scale(h, m3_mulv(b->R_m, w))), d->q_WB[link->body]);
  }
  q1 = q_unit(q1);
  hfMat3 R1 = m3_from_quat(q1);
  if (!flies && !b->rolls) w1 = spin_in_contact(link->inertia_B, &b->R_m, &R1, w);

  // the centre moves with its mean velocity; from there follow origin and velocity of the origin
  hfVec3 mean_velocity = flies ? v3_axpy(-0.5 * h, d->gravity, u) : u;
  hfVec3 p = v3_axpy(h, mean_velocity, X0->p);
  if (b->off_centre) {
    p = v3_add(p, v3_sub(m3_mulv(X0->R, link->com_B), m3_mulv(R1, link->com_B)));
    v3_store(v, v3_sub(u, m3_mulv(R1, v3_cross(w1, link->com_B))));
  }

  v3_store(q, p);
  q_store(q + 3, q1);
  v3_store(v + 3, w1);
}

// Moves all free bodies to the end of the step (end_body), each by the time until it stops. q (nq), v (nv).
void hfi_flight_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, const double* stop,
                    double* q, double* v) {
  for (int i = 0; i < f->nbody; ++i) {
    const hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    double time = stop ? min2(h, stop[b->tree]) : h;
    end_body(d, b, time, flies[b->tree], q + d->kinematics.step[link->joint].qposadr, v + link->dof);
  }
}

// Returns the mean angular velocity of a body that rolls, in its axes, over a step of length h that starts with v (nv).
hfVec3 hfi_free_body_mean_spin(const hfDynamics* d, const hfiFreeBody* b, double h, const double* v) {
  const hfiLink* link = &d->link[b->link];
  hfVec3 w = v3_load(v + link->dof + 3);
  return mean(w, spin_freely(link->inertia_B, w, h));
}

// Returns the centre of mass of a free body at the start of the step, in the world [m].
hfVec3 hfi_free_body_centre(const hfDynamics* d, const hfiFreeBody* b) {
  const hfiLink* link = &d->link[b->link];
  return pose_point(d->X_WB[link->body], link->com_B);
}

// Returns the velocity of its centre of mass in a solution v (nv) of the step problem [m/s].
hfVec3 hfi_free_body_velocity(const hfDynamics* d, const hfiFreeBody* b, const double* v) {
  const hfiLink* link = &d->link[b->link];
  return centre_velocity(link, &b->R_m, v + link->dof);
}

// Returns the angular velocity w in the middle for which spin_in_contact ends with w1, and R1: w = s I^-1 R_m^T R1 I
// w1, where R1 depends on w. Each iteration multiplies the error by |h w|. q0: orientation at the start.
static hfVec3 find_middle_spin(const double* I, const hfiFreeBody* b, hfQuat q0, double h, hfVec3 w1, hfMat3* R1) {
  hfVec3 L1 = sym3_mulv(I, w1);
  hfVec3 w = w1;
  double energy = v3_dot(w1, L1);

  for (int k = 0; k < MAX_SPIN_ITERATIONS; ++k) {
    *R1 = m3_from_quat(q_unit(q_mul(q_exp(v3_scale(h, m3_mulv(b->R_m, w))), q0)));
    hfVec3 L = m3_tmulv(b->R_m, m3_mulv(*R1, L1));
    hfVec3 next = solve_inertia(I, L);
    double now = v3_dot(next, L);
    if (!(now > 0 && isfinite(now))) break;

    next = v3_scale(sqrt(energy / now), next);
    double change2 = v3_norm2(v3_sub(next, w));
    w = next;
    if (change2 <= sqr(ROUNDED_SPIN_SHARE) * v3_norm2(w)) break;
  }
  return w;
}

// Writes v (nv), the solution of the step problem with which free bodies in contact end the step at velocities v1 (nv).
// Other trees keep v1.
void hfi_flight_solution(const hfiFlight* f, const hfDynamics* d, double h, const double* v1, double* v) {
  if (v != v1) memcpy(v, v1, sizeof *v * (size_t)d->model->nv);

  for (int i = 0; i < f->nbody; ++i) {
    const hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    double* vj = v + link->dof;

    hfMat3 R1;
    hfVec3 w = find_middle_spin(link->inertia_B, b, d->q_WB[link->body], h, v3_load(vj + 3), &R1);
    hfVec3 u = centre_velocity(link, &R1, vj);
    v3_store(vj, v3_sub(u, m3_mulv(b->R_m, v3_cross(w, link->com_B))));
    v3_store(vj + 3, w);
  }
}
