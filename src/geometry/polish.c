// Newton's method on the sphere for the contact normal.
//
// The signed distance of two convex shapes is the maximum over unit n of g(n) = -h_A(-n) - h_B(n), h the
// support functions. With pa, pb the support points, grad g = pa - pb, and across n the Hessian is
// -(H + g I), H = H_A + H_B >= 0 the curvature of the support functions. So a step along the tangents t
// is delta = (H + g I)^-1 t.(pa - pb); at a maximum H + g I > 0, always so where the shapes are apart.
//
// Flat parts are kinks of h: where a witness lies inside an edge e, the maximum has n.e = 0 and Newton
// moves on that great circle; two such edges, or a face, fix n. The edges are read off the witness
// points: box and cylinder coordinates that are not at their end, differences of a mesh's vertices. For a
// cylinder the witness may mislead (all of EPA's points on one end of its side, or on a chord of its
// rim): there the edges across n, and the cap's normal near n, are tried as well.
#include "geometry/polish.h"

enum { STEPS = 12 };
static const double kInside = 1e-6;     // relative distance from its end that makes a coordinate free
static const double kAcross = 1e-3;     // |n.e| below which an edge e may be the one
static const double kCapCosine = 0.99;  // |n.axis| above which a cap may be the face
static const double kDependent = 1e-7;  // sine below which two edge directions are one

typedef struct Edges {
  int count;
  hfVec3 direction[2]; // independent, unit
} Edges;

static void add_edge(Edges* e, hfVec3 d) {
  double length = v3_norm(d);
  if (!(length > 0) || e->count == 2) return;
  d = v3_scale(1 / length, d);
  if (e->count == 1 && !(v3_norm(v3_cross(d, e->direction[0])) > kDependent)) return;
  e->direction[e->count++] = d;
}

typedef enum Guess { AT_WITNESS, ACROSS_NORMAL, CAP } Guess;

// Edges of the shape, at rotation R in A's frame: those on which its witness x (own frame) slides
// freely; from ACROSS_NORMAL on also those across n; with CAP a cylinder's cap that looks along n.
static void find_edges(const hfiShape* s, hfMat3 R, hfVec3 x, hfVec3 n, Guess guess, Edges* e) {
  double inside = 1 - kInside;
  int column_free[3] = {0, 0, 0};
  if (s->type == HF_GEOM_BOX)
    for (int i = 0; i < 3; ++i) column_free[i] = fabs(v3_get(x, i)) < inside * s->size[i];
  else if (s->type == HF_GEOM_CYLINDER || s->type == HF_GEOM_CAPSULE) column_free[2] = fabs(x.z) < inside * s->size[1];
  if (s->type == HF_GEOM_CYLINDER && guess == CAP && fabs(v3_dot(m3_col(R, 2), n)) > kCapCosine) column_free[0] = column_free[1] = 1;
  int straight = s->type == HF_GEOM_BOX ? 7 : s->type == HF_GEOM_CYLINDER || s->type == HF_GEOM_CAPSULE ? 4 : 0; // columns along edges
  for (int i = 0; i < 3; ++i) {
    hfVec3 column = m3_col(R, i);
    if (column_free[i] || (guess == ACROSS_NORMAL && (straight >> i & 1) && fabs(v3_dot(column, n)) < kAcross)) add_edge(e, column);
  }
}

// Edges of the two shapes' meshes: between the vertices that carry weight.
static void find_mesh_edges(const hfiSimplex* s, int of_A, Edges* e) {
  int first = -1;
  for (int i = 0; i < s->count; ++i) {
    if (!(s->weight[i] > kInside)) continue;
    if (first < 0) first = i;
    else add_edge(e, of_A ? v3_sub(s->point[i].a, s->point[first].a) : v3_sub(s->point[i].b, s->point[first].b));
  }
}

// u^T H v of the core's support function at the unit direction d, all in the shape's frame.
static double curvature(const hfiShape* s, hfVec3 d, hfVec3 u, hfVec3 v) {
  if (s->type == HF_GEOM_ELLIPSOID) { // h = |E d|
    hfVec3 e = v3_load(s->size);
    hfVec3 Ed = v3_mul(e, d), Eu = v3_mul(e, u), Ev = v3_mul(e, v);
    double h = v3_norm(Ed);
    return (v3_dot(Eu, Ev) - v3_dot(Ed, Eu) * v3_dot(Ed, Ev) / (h * h)) / h;
  }
  if (s->type == HF_GEOM_CYLINDER) { // h = r sqrt(dx^2 + dy^2) + half |dz|
    double across = sqrt(d.x * d.x + d.y * d.y);
    if (!(across > 0)) return 0;
    return s->size[0] * (d.x * u.y - d.y * u.x) * (d.x * v.y - d.y * v.x) / (across * across * across);
  }
  return 0;
}

static double pair_curvature(const hfiCores* c, hfVec3 n, hfVec3 u, hfVec3 v) {
  hfMat3 R = c->X_AB.R;
  return curvature(c->A, v3_neg(n), u, v) + curvature(c->B, m3_tmulv(R, n), m3_tmulv(R, u), m3_tmulv(R, v));
}

// One step from n; returns its length, or 0 where there is no maximum nearby.
static double step_free(hfiCores* c, hfVec3* n) {
  hfVec3 t1, t2, r = hfi_support_pair(c, v3_neg(*n)).w;
  v3_tangents(*n, &t1, &t2);
  double g = v3_dot(*n, r), a = pair_curvature(c, *n, t1, t1) + g, b = pair_curvature(c, *n, t1, t2), d = pair_curvature(c, *n, t2, t2) + g;
  double r1 = v3_dot(t1, r), r2 = v3_dot(t2, r), det = a * d - b * b;
  if (!(a > 0 && det > 1e-12 * a * d)) return 0;
  double x = (d * r1 - b * r2) / det, y = (a * r2 - b * r1) / det;
  *n = v3_unit(v3_add(*n, v3_add(v3_scale(x, t1), v3_scale(y, t2))));
  return sqrt(x * x + y * y);
}

static double step_on_circle(hfiCores* c, hfVec3 edge, hfVec3* n) {
  hfVec3 r = hfi_support_pair(c, v3_neg(*n)).w, t = v3_cross(edge, *n);
  double m = pair_curvature(c, *n, t, t) + v3_dot(*n, r);
  if (!(m > 0)) return 0;
  double x = v3_dot(t, r) / m;
  *n = v3_unit(v3_axpy(x, t, *n));
  return fabs(x);
}

// n on the circle or at the point that the edges leave, stationary there.
static hfVec3 sharpen(hfiCores* c, const Edges* e, hfVec3 n) {
  if (e->count == 2) {
    hfVec3 m = v3_unit(v3_cross(e->direction[0], e->direction[1]));
    return v3_dot(m, n) < 0 ? v3_neg(m) : m;
  }
  if (e->count == 1) n = v3_unit(v3_axpy(-v3_dot(n, e->direction[0]), e->direction[0], n));
  for (int k = 0; k < STEPS; ++k) {
    double length = e->count ? step_on_circle(c, e->direction[0], &n) : step_free(c, &n);
    if (!(length > 1e-15) || !(length < 1)) break;
  }
  return n;
}

typedef struct Polish {
  hfiCores* cores;
  const hfiSimplex* simplex;
  hfiClosest best;
  int edges_A, edges_B; // number of edges of the attempt that gave the best
  int sharpened;        // an attempt was taken
} Polish;

enum { OF_A = 1, OF_B = 2 };

// Sharpens with the edges of the shapes in `sides`. The first direction that is not worse is taken, a
// later one only if it is better. Returns 1 if it was.
static int attempt(Polish* p, Guess guess, int sides) {
  hfiCores* c = p->cores;
  Edges a = {0, {{0, 0, 0}}}, b = a;
  if (sides & OF_A) find_edges(c->A, m3_identity(), hfi_simplex_a(p->simplex), p->best.n, guess, &a);
  if (sides & OF_A && c->A->type == HF_GEOM_MESH) find_mesh_edges(p->simplex, 1, &a);
  if (sides & OF_B) find_edges(c->B, c->X_AB.R, pose_inv_point(c->X_AB, hfi_simplex_b(p->simplex)), p->best.n, guess, &b);
  if (sides & OF_B && c->B->type == HF_GEOM_MESH) find_mesh_edges(p->simplex, 0, &b);
  Edges all = a;
  for (int i = 0; i < b.count; ++i) add_edge(&all, b.direction[i]);
  hfVec3 n = sharpen(c, &all, p->best.n);
  double gap = v3_finite(n) ? hfi_separation(c, n) : -INFINITY;
  if (!(gap >= p->best.gap + (p->sharpened ? 1e-15 : -1e-15) * c->scale)) return 0;
  p->sharpened = 1;
  p->best.n = n;
  p->best.gap = gap;
  p->edges_A = a.count;
  p->edges_B = b.count;
  return 1;
}

hfiClosest hfi_polish(hfiCores* c, const hfiSimplex* s, hfVec3 n) {
  Polish p = {c, s, {n, hfi_simplex_a(s), hfi_simplex_b(s), hfi_separation(c, n)}, 2, 2, 0};
  int round = c->A->type == HF_GEOM_CYLINDER || c->B->type == HF_GEOM_CYLINDER;
  // of two nearly parallel edges only one may count: their cross product is then far from n
  if (!attempt(&p, AT_WITNESS, OF_A | OF_B) || round) {
    attempt(&p, AT_WITNESS, OF_A);
    attempt(&p, AT_WITNESS, OF_B);
  }
  if (round) {
    attempt(&p, ACROSS_NORMAL, OF_A | OF_B);
    attempt(&p, CAP, OF_A | OF_B);
  }
  hfiClosest r = p.best;
  // a shape that touches with a corner or a curved part has one support point there: the witness
  hfiSupportPoint at = hfi_support_pair(c, v3_neg(r.n));
  if (p.edges_B == 0) { r.pb = at.b; r.pa = v3_axpy(r.gap, r.n, r.pb); }
  else if (p.edges_A == 0) { r.pa = at.a; r.pb = v3_axpy(-r.gap, r.n, r.pa); }
  else r.pa = v3_axpy(r.gap, r.n, r.pb);
  return r;
}
