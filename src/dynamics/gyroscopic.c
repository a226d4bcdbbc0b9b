// Implicit gyroscopic terms: what a step must add to its momentum so that spinning bodies on free and
// ball joints stay bounded at any step h.
//
// The bias contains the couple w x I w of every link, I about the link's centre of mass C (free joint)
// or about the anchor (ball joint). Explicit in w it pumps energy, growing with (h w)^2. Here it is
// replaced by its implicit midpoint in body axes,
//
//   I (w1 - w0) = -h wm x I wm,   wm = (w0 + w1)/2,
//
// which conserves the energy w.I w and |I w| exactly. It is solved by iterating on Lm = I wm:
//
//   (I - h/2 [Lm]) w1 = I w0 + h/2 Lm x w0
//
// The matrix has the positive definite symmetric part I, so every iterate exists, and every iterate
// conserves the energy whatever Lm is: bounded even where the iteration does not converge (h w >> 1).
//
// A free body turns about C while its coordinates are those of its origin, at -c from C: the bias then
// also contains m w x (w x c). Implicitly, C keeps its velocity as c turns to c1 = exp(h w1) c, which
// asks for the impulse m w1 x (c - c1) at C.
//
// The step problem keeps its symmetric mass matrix: p* = M v0 + h (tau - bias) + the impulse
//
//   J_w^T [I (w1 - w0) + h w0 x I w0]  +  J_C^T m [w1 x (c - c1) + h w0 x (w0 x c)].
#include "dynamics/dynamics.h"

enum { MAX_ITERATIONS = 20 };
static const double TOLERANCE = 1e-14; // change of w1 over |w0| at which iterating stops: rounding

// x with (I - [l]) x = b by Cramer's rule; [l] y = l x y
static hfVec3 solve_gyroscopic(const double* I, hfVec3 l, hfVec3 b) {
  hfVec3 x = v3(I[0], I[3] - l.z, I[4] + l.y); // columns
  hfVec3 y = v3(I[3] + l.z, I[1], I[5] - l.x);
  hfVec3 z = v3(I[4] - l.y, I[5] + l.x, I[2]);
  hfVec3 yz = v3_cross(y, z);
  double det = v3_dot(x, yz);
  return v3_scale(1 / det, v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y))));
}

// Angular velocity after h of torque-free motion, in body axes.
static hfVec3 spin_freely(const double* I, hfVec3 w0, double h) {
  hfVec3 L0 = sym3_mulv(I, w0), w1 = w0;
  for (int k = 0; k < MAX_ITERATIONS; ++k) {
    hfVec3 l = v3_scale(0.5 * h, sym3_mulv(I, v3_scale(0.5, v3_add(w0, w1))));
    hfVec3 next = solve_gyroscopic(I, l, v3_add(L0, v3_cross(l, w0)));
    double change2 = v3_norm2(v3_sub(next, w1));
    w1 = next;
    if (change2 <= sqr(TOLERANCE) * v3_norm2(w0)) break;
  }
  return w1;
}

// The joint that lets the link turn freely, or -1.
static int find_spin_joint(const hfDynamics* d, const hfiLink* link) {
  for (int j = link->joint; j < link->joint + link->njoint; ++j)
    if (d->step[j].kind->nbody) return j;
  return -1;
}

// I + m (|r|^2 1 - r r^T)
static void shift_inertia(double* I, double mass, hfVec3 r) {
  double rr = v3_norm2(r);
  I[0] += mass * (rr - r.x * r.x);
  I[1] += mass * (rr - r.y * r.y);
  I[2] += mass * (rr - r.z * r.z);
  I[3] -= mass * r.x * r.y;
  I[4] -= mass * r.x * r.z;
  I[5] -= mass * r.y * r.z;
}

// m [w1 x (c - c1) + h w0 x (w0 x c)] in body axes
static hfVec3 centring_impulse(const hfiLink* link, hfVec3 w0, hfVec3 w1, double h) {
  hfVec3 c = link->com_B, c1 = q_rotate(q_exp(v3_scale(h, w1)), c);
  return v3_scale(link->mass, v3_axpy(h, v3_cross(w0, v3_cross(w0, c)), v3_cross(w1, v3_sub(c, c1))));
}

void hf_dynamics_gyroscopic_impulse(const hfDynamics* d, double h, double* p) {
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    int joint = find_spin_joint(d, link);
    hfMat3 R = d->X_WB[link->body].R;
    hfVec3 w0 = m3_tmulv(R, d->V[l].w);
    if (joint < 0 || v3_norm2(w0) == 0) continue;
    int is_free = d->step[joint].kind->nworld > 0;
    double I[6];
    for (int i = 0; i < 6; ++i) I[i] = link->inertia_B[i];
    if (!is_free) shift_inertia(I, link->mass, v3_sub(link->com_B, d->step[joint].p_BA));
    hfVec3 w1 = spin_freely(I, w0, h), L0 = sym3_mulv(I, w0);
    hfForce P_B = {v3_axpy(h, v3_cross(w0, L0), v3_sub(sym3_mulv(I, w1), L0)),
                   is_free ? centring_impulse(link, w0, w1, h) : v3_zero()};
    hfForce P = {m3_mulv(R, P_B.n), m3_mulv(R, P_B.f)};
    hfi_jacobian_transpose_add(d, link->body, pose_point(d->X_WB[link->body], link->com_B), P, p);
  }
}
