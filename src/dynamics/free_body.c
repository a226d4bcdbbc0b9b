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
// The matrix has the positive definite symmetric part I, so every iterate exists, and every iterate keeps
// the energy whatever Lm is: bounded even where the iteration does not converge (t w >> 1).
//
// The turn that belongs to it is Cayley's, R1 = R0 cay(t wm), the rotation about wm by 2 atan(t |wm|/2):
// then R1 I w1 = R0 I w0, and the angular momentum in the world is kept exactly as well.
//
// In the middle the body has the orientation R_m; the step problem is written in its axes there, with the
// velocity of the centre of mass that it had at the start. An impulse in the world then changes the angular
// momentum in the world by just itself, however fast the body spins: a torque is not turned with the body.
#include "dynamics/flight.h"

#include <string.h>

enum { MAX_ITERATIONS = 60 };
static const double TOLERANCE = 1e-15; // change of w1 over |w0| at which iterating stops: rounding

// ---- spin -----------------------------------------------------------------------------------------

// x with (I - [l]) x = b by Cramer's rule; [l] y = l x y
static hfVec3 solve_gyroscopic(const double* I, hfVec3 l, hfVec3 b) {
  hfVec3 x = v3(I[0], I[3] - l.z, I[4] + l.y); // columns
  hfVec3 y = v3(I[3] + l.z, I[1], I[5] - l.x);
  hfVec3 z = v3(I[4] - l.y, I[5] + l.x, I[2]);
  hfVec3 yz = v3_cross(y, z);
  double det = v3_dot(x, yz);
  return v3_scale(1 / det, v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y))));
}

hfVec3 hfi_spin_freely(const double* I, hfVec3 w0, double h) {
  hfVec3 L0 = sym3_mulv(I, w0), w1 = w0;
  double size2 = v3_norm2(w0), rate2 = min2(1, h * h * size2); // an iteration leaves less than |h w| of the error
  for (int k = 0; k < MAX_ITERATIONS; ++k) {
    hfVec3 l = v3_scale(0.5 * h, sym3_mulv(I, v3_scale(0.5, v3_add(w0, w1))));
    hfVec3 next = solve_gyroscopic(I, l, v3_add(L0, v3_cross(l, w0)));
    double change2 = v3_norm2(v3_sub(next, w1));
    w1 = next;
    if (change2 * rate2 <= sqr(TOLERANCE) * size2) break;
  }
  return v3_finite(w1) ? w1 : w0; // where |w|^2 overflows
}

// cay(t w): the rotation by 2 atan(t |w|/2) about w.
static hfQuat turn_by(hfVec3 w, double t) {
  hfQuat q = {1, 0.5 * t * w.x, 0.5 * t * w.y, 0.5 * t * w.z};
  return q_unit(q);
}

static hfVec3 mean(hfVec3 a, hfVec3 b) { return v3_scale(0.5, v3_add(a, b)); }

// ---- which trees ----------------------------------------------------------------------------------

static int is_free_body(const hfDynamics* d, int l) {
  const hfiLink* link = &d->link[l];
  return !link->parent && link->njoint == 1 && d->step[link->joint].type == HF_JOINT_FREE &&
         hf_model_tree_dofnum(d->model)[link->tree] == 6;
}

void hfi_flight_init(hfiFlight* f, const hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  f->body = HFI_TAKE(arena, hfiFreeBody, m->ntree);
  f->articulated = HFI_TAKE(arena, int32_t, m->ntree);
  f->start = HFI_TAKE(arena, double, m->nv);
  f->middle = HFI_TAKE(arena, double, m->nv);
  f->base = HFI_TAKE(arena, double, m->nv);
  f->first_link = HFI_TAKE(arena, int32_t, m->ntree + 1);
  f->change = HFI_TAKE(arena, double, m->ntree);
  f->fast = HFI_TAKE(arena, int32_t, m->ntree);
  f->bound = HFI_TAKE(arena, double, m->ntree);
  f->momentum = HFI_TAKE(arena, hfVec3, m->ntree);
  f->gain = HFI_TAKE(arena, double, m->ntree);
  f->pull = HFI_TAKE(arena, hfVec3, m->ntree);
  f->kept = HFI_TAKE(arena, hfiInvariants, m->ntree);
  f->nbody = 0;
  if (!arena->base) return;
  for (int t = 0; t < m->ntree; ++t) f->articulated[t] = 1;
  f->first_link[m->ntree] = d->nlink;
  for (int l = d->nlink - 1; l > 0; --l) f->first_link[d->link[l].tree] = l;
  for (int l = 1; l < d->nlink; ++l) {
    if (!is_free_body(d, l)) continue;
    hfiFreeBody body = {.link = l, .tree = d->link[l].tree};
    f->articulated[body.tree] = 0;
    f->body[f->nbody++] = body;
  }
}

// ---- the step -------------------------------------------------------------------------------------

// Dof axes and inertia of the link at orientation R, its origin where it is.
static void place_link(hfDynamics* d, const hfiLink* link, const hfMat3* R) {
  hfPose X = {*R, d->X_WB[link->body].p};
  for (int k = 0; k < 3; ++k) {
    hfMotion S = {m3_col(*R, k), v3_zero()};
    d->S[link->dof + 3 + k] = S;
  }
  hfi_place_inertia(&d->I[d->body_link[link->body]], link->mass, link->com_B, link->inertia_B, &X, d->p_WO[link->tree]);
}

// Velocity of the centre of mass that the coordinates v of a body with axes R stand for.
static hfVec3 centre_velocity(const hfiLink* link, const hfMat3* R, const double* v) {
  return v3_add(v3_load(v), m3_mulv(*R, v3_cross(v3_load(v + 3), link->com_B)));
}

int hfi_flight_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0) {
  int turned = 0;
  memcpy(f->start, v0, sizeof *v0 * (size_t)d->model->nv);
  for (int i = 0; i < f->nbody; ++i) {
    hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    hfVec3 w0 = v3_load(v0 + link->dof + 3);
    b->spun_B = w0;
    b->off_centre = v3_norm2(link->com_B) > 0;
    b->q_m = d->q_WB[link->body];
    b->R_m = d->X_WB[link->body].R;
    if (v3_norm2(w0) == 0) continue;
    b->spun_B = hfi_spin_freely(link->inertia_B, w0, 0.5 * h);
    b->q_m = q_mul(b->q_m, turn_by(mean(w0, b->spun_B), 0.5 * h));
    b->R_m = m3_from_quat(b->q_m);
    place_link(d, link, &b->R_m);
    turned++;
    if (b->off_centre) {
      hfVec3 v = centre_velocity(link, &d->X_WB[link->body].R, v0 + link->dof);
      v3_store(f->start + link->dof, v3_sub(v, m3_mulv(b->R_m, v3_cross(b->spun_B, link->com_B))));
    }
    v3_store(f->start + link->dof + 3, b->spun_B);
  }
  return turned;
}

void hfi_flight_bias(const hfiFlight* f, hfDynamics* d) {
  for (int i = 0; i < f->nbody; ++i) {
    const hfiLink* link = &d->link[f->body[i].link];
    const hfiInertia* I = &d->I[f->body[i].link];
    v3_store(d->c + link->dof, v3_scale(-I->m, d->gravity));
    hfVec3 moment = v3_neg(v3_cross(I->h, d->gravity));
    for (int k = 3; k < 6; ++k) d->c[link->dof + k] = v3_dot(moment, d->S[link->dof + k].w);
  }
}

// In flight the turn is that of free spin before and after the impulses of the middle, and the centre moves by
// the mean of its velocities at both ends. In contact body and centre move by their velocities of the middle,
// by which the contacts are solved.
static void end_body(const hfiFlight* f, const hfDynamics* d, const hfiFreeBody* b, double h, int flies, double* q,
                     double* v) {
  const hfiLink* link = &d->link[b->link];
  const hfPose* X0 = &d->X_WB[link->body];
  hfVec3 w = v3_load(v + 3), w1 = hfi_spin_freely(link->inertia_B, w, 0.5 * h);
  hfVec3 u = b->off_centre ? centre_velocity(link, &b->R_m, v) : v3_load(v), moved = u; // of the centre
  hfQuat q1;
  if (flies) {
    const double* v0 = f->start + link->dof;
    moved = mean(b->off_centre ? centre_velocity(link, &b->R_m, v0) : v3_load(v0), u);
    q1 = q_mul(b->q_m, turn_by(mean(w, w1), 0.5 * h));
  } else {
    q1 = q_mul(q_exp(v3_scale(h, m3_mulv(b->R_m, w))), d->q_WB[link->body]);
  }
  q1 = q_unit(q1);
  hfVec3 p = v3_axpy(h, moved, X0->p);
  if (b->off_centre) {
    hfMat3 R1 = m3_from_quat(q1);
    p = v3_add(p, v3_sub(m3_mulv(X0->R, link->com_B), m3_mulv(R1, link->com_B)));
    v3_store(v, v3_sub(u, m3_mulv(R1, v3_cross(w1, link->com_B))));
  }
  v3_store(q, p), q_store(q + 3, q1);
  v3_store(v + 3, w1);
}

void hfi_flight_end(const hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies, double* q, double* v) {
  for (int i = 0; i < f->nbody; ++i) {
    const hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    end_body(f, d, b, h, flies[b->tree], q + d->step[link->joint].qposadr, v + link->dof);
  }
}

void hfi_flight_solution(const hfiFlight* f, const hfDynamics* d, double h, const double* v1, double* v) {
  if (v != v1) memcpy(v, v1, sizeof *v * (size_t)d->model->nv);
  for (int i = 0; i < f->nbody; ++i) {
    const hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    double* vj = v + link->dof;
    hfVec3 w1 = v3_load(vj + 3), w = hfi_spin_freely(link->inertia_B, w1, -0.5 * h);
    hfMat3 R1 = m3_from_quat(q_mul(q_exp(v3_scale(h, m3_mulv(b->R_m, w))), d->q_WB[link->body]));
    hfVec3 u = centre_velocity(link, &R1, vj);
    v3_store(vj, v3_sub(u, m3_mulv(b->R_m, v3_cross(w, link->com_B))));
    v3_store(vj + 3, w);
  }
}
