// Bodies that the force of a connect turns faster than a step can follow (docs/theory/tension.md, "Light links under
// tension").
//
// A connect pulls at body 1 with the force f, and at body 2 with -f, at the arms r_1 and r_2 from their centres of
// mass. When a body turns by theta, the lever of the force about its centre changes, which turns the body back with
// the torque K theta:
//
//   K_1 = (f.r_1) 1 - (f r_1^T + r_1 f^T)/2,   K_2 = -(f.r_2) 1 + (f r_2^T + r_2 f^T)/2   (the geometric stiffness)
//
// This is a spring. A step does not see it, because it pushes along the directions of its start; only the next step
// does. So steps of length h are stable only if h^2 K < 4 I, with K summed over the connects of the body. If one
// connect has more than its share of that, h^2 K > UNDAMPED_SHARE I, the step is solved again with a damper between the
// two bodies, on their relative angular velocity:
//
//   kappa = (h K - UNDAMPED_SHARE I/h) max(1, 2 h^2 K/(m L^2)) <= HFI_STIFFEST_DRIVE I/h
//           about axes across f, TWIST_SHARE times that about f
//
//   K  its largest eigenvalue, (f.r + |f| |r|)/2             I  least inertia across f
//   m  geometric mean of the masses of two free bodies      L  distance of their centres
//
// A damper against the world would change the angular momentum of bodies that only hold each other. A damper between
// the two bodies does not, but it does not damp bodies that turn together: the waves of a taut chain, whose links move
// across it with the mass m. The second factor is for these: in a wave as fast as 2/h the angles of neighbours differ
// by only about m L^2/(h^2 K) of the angle by which the links turn.
#include "step/actuation/inside.h"

#include "math/elementary.h"

#include <string.h>

// A connect gets no damper if its h^2 K is at most this share of the inertia [-].
static const double UNDAMPED_SHARE = 1;

// The damper about the pull itself is this share of the damper across it [-]. A pull turns no body back about its own
// direction, but the links of a bent chain would pull the chain apart if they could spin about their axes without
// damping.
static const double TWIST_SHARE = 0.01;

// Returns the link of a body that is free and alone in its tree, which forces turn about its centre of mass; NULL for
// other bodies.
static const hfiLink* find_free_link(const hfDynamics* d, int body) {
  return hf_model_body_tree(d->model)[body] >= 0 && hfi_is_free_alone(d, body) ? hfi_link_of(d, body) : NULL;
}

// Returns the least inertia of a free body about those axes through its centre of mass that are across the unit vector
// u [kg m^2].
static double find_least_inertia(const hfDynamics* d, const hfiLink* link, hfVec3 u) {
  const double* I = link->inertia_B;
  hfMat3 R = d->X_WB[link->body].R;
  hfVec3 t1;
  hfVec3 t2;
  v3_tangents(u, &t1, &t2);

  // the smaller eigenvalue of I across u
  hfVec3 x = m3_tmulv(R, t1);
  hfVec3 y = m3_tmulv(R, t2);
  hfVec3 Ix = sym3_mulv(I, x);
  hfVec3 Iy = sym3_mulv(I, y);
  double xx = v3_dot(x, Ix);
  double xy = v3_dot(y, Ix);
  double yy = v3_dot(y, Iy);
  return 0.5 * (xx + yy - hfi_hypot(xx - yy, 2 * xy));
}

// One of the two bodies at which a connect pulls. A body that is not free counts as one with K = 0.
typedef struct Side {
  const hfiLink* link; // NULL: not free
  hfVec3 centre;       // centre of mass [m]
  double K;            // largest eigenvalue of the geometric stiffness [N m/rad]
  double inertia;      // least inertia across the pull [kg m^2]
} Side;

// Returns the side of a body at whose point p the force |f| u pulls; f: |f|.
static Side find_side(const hfDynamics* d, int body, hfVec3 p, double f, hfVec3 u) {
  Side s = {.link = find_free_link(d, body), .inertia = INFINITY};
  if (!s.link) return s;

  s.centre = pose_point(d->X_WB[s.link->body], s.link->com_B);
  hfVec3 arm = v3_sub(p, s.centre);
  s.K = 0.5 * f * (v3_dot(u, arm) + v3_norm(arm));
  s.inertia = find_least_inertia(d, s.link, u);
  return s;
}

// Returns the second factor of kappa, for the waves of a chain [-].
static double find_wave_factor(const Side* x, const Side* y, double h) {
  if (!x->link || !y->link) return 1;
  double mass = sqrt(x->link->mass * y->link->mass);
  double distance2 = v3_norm2(v3_sub(x->centre, y->centre));
  return max2(1, 2 * h * h * max2(x->K, y->K) / (mass * distance2));
}

// Returns by how much K of a side is above its share of the inertia, as a slope; 0 for a body that is not free [N m
// s/rad].
static double find_excess_slope(const Side* side, double h) {
  return side->link ? h * side->K - UNDAMPED_SHARE * side->inertia / h : 0;
}

// Returns kappa of a connect that pulls at its first body with the force |f| u; 0 if it needs no damper [N m s/rad].
static double find_slope(const hfDynamics* d, const hfiEquality* e, double f, hfVec3 u, double h) {
  Side x = find_side(d, e->body[0], e->p_W[0], f, u);
  Side y = find_side(d, e->body[1], e->p_W[1], f, v3_neg(u));
  double slope = max2(find_excess_slope(&x, h), find_excess_slope(&y, h));
  if (!(slope > 0)) return 0;
  return min2(slope * find_wave_factor(&x, &y, h), HFI_STIFFEST_DRIVE * min2(x.inertia, y.inertia) / h);
}

// Whether a connect pulls at a free body. Other connects need no damper.
static int pulls_free_body(const hfDynamics* d, int equality) {
  for (int side = 0; side < 2; ++side)
    if (find_free_link(d, hfi_equality_body(d->model, equality, side))) return 1;
  return 0;
}

// Finds the connects that pull too strongly at free bodies in a step from q (nq) that ends at velocities v1 (nv), and
// notes the damper that each needs. Returns their number; 0 if there are dampers already.
int hfi_find_tensions(hfActuation* a, const hfDynamics* d, const double* q, const double* v1) {
  hfiRowNotes* notes = &a->notes;
  if (notes->ntension) return 0;

  for (int b = 0; b < a->rows.nblock; ++b) {
    hfiRowOrigin origin = a->rows.origin[b];
    if (origin.source != HFI_ROW_EQUALITY || hfi_rows_block(&a->rows, b)->dim != 3) continue;
    if (!pulls_free_body(d, origin.id)) continue;

    // the force f u of the connect on body 1
    double force[3];
    hfi_rows_force(&a->rows, b, v1, force);
    double f = v3_norm(v3_load(force));
    if (!(f > 0)) continue;

    hfiEquality e = hfi_equality_evaluate(a, d, origin.id, q);
    hfVec3 u = v3_scale(1 / f, v3_load(force));
    double kappa = find_slope(d, &e, f, u, a->h);
    if (kappa > 0) notes->tension[notes->ntension++] = (hfiTension){origin.id, u, kappa};
  }
  return notes->ntension;
}

// Appends the rows of the dampers, three for each: on the relative angular velocity of the two bodies about two axes
// across the pull and about the pull. Their Jacobian is that of the rotation of a weld in this frame. With e.turn
// as the matrix of its axes, rows 3 to 5 of six are w_1 - w_2 about u1, u2 and the pull.
void hfi_tension_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  for (const hfiTension *t = a->notes.tension, *end = t + a->notes.ntension; t < end; ++t) {
    hfiRowSpace next = hfi_rows_next(&a->rows);
    hfiEquality e = hfi_equality_evaluate(a, d, t->equality, step->q);
    hfVec3 u1;
    hfVec3 u2;
    v3_tangents(t->axis, &u1, &u2);

    e.dim = 6;
    e.turn = m3_transpose(m3_from_cols(u1, u2, t->axis));
    int ncol = hfi_equality_jacobian(a, d, t->equality, &e, next.cols, next.J);
    if (ncol == 0) continue;

    // only the rows of the rotation
    memmove(next.J, next.J + 3 * ncol, sizeof *next.J * (size_t)(3 * ncol));
    for (int i = 0; i < 3; ++i) {
      double share = i < 2 ? 1 : TWIST_SHARE;
      next.row[i] = (hfSaturatedRow){0, t->kappa * share, -INFINITY, INFINITY};
    }
    hfi_rows_append(&a->rows, (hfiRowOrigin){HFI_ROW_TENSION, t->equality}, 3, ncol);
  }
}
