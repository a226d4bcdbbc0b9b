// Newton's method on the sphere for the contact normal.
//
// The signed distance of two convex shapes is the maximum over unit n of g(n) = -h_A(-n) - h_B(n), h the
// support functions. With pa, pb the support points, grad g = pa - pb, and across n the Hessian is
// -(H + g I), H = H_A + H_B >= 0 the curvature of the support functions. So a step along the tangents t
// is delta = (H + g I)^-1 t.(pa - pb); at a maximum H + g I > 0, always so where the shapes are apart.
//
// Flat parts are kinks of h: where a witness lies inside an edge e, the maximum has n.e = 0 and Newton
// moves on that great circle; two such edges, or a face, fix n. Which edges count is a guess (edges.h):
// it is right where pa - pb is along n but for ways along the edges no longer than they are. Guesses are
// tried in turn until one is right; the direction of the largest separation wins.
#include "geometry/polish.h"

#include "geometry/shape_table.h"

enum { STEPS = 12 };
static const double kStationary = 1e-11; // distance of the witness lines relative to the sizes

static double curvature(const hfiShape* s, hfVec3 d, hfVec3 u, hfVec3 v) {
  return hfi_functions(s)->curvature ? hfi_functions(s)->curvature(s, d, u, v) : 0;
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
static hfVec3 sharpen(hfiCores* c, const hfiEdges* e, hfVec3 n) {
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

// Ways c along the edges that leave of w = pa - pb, some support points at n, only the part along n.
// Returns 1 where there are such and they are no longer than the edges.
static int close_ways(const hfiEdges* e, hfVec3 n, hfVec3 w, double scale, double c[2]) {
  hfVec3 r = v3_axpy(-v3_dot(n, w), n, w);
  c[0] = c[1] = 0;
  if (e->count == 1) c[0] = v3_dot(r, e->direction[0]);
  if (e->count == 2) { // r = c0 e0 + c1 e1
    double cosine = v3_dot(e->direction[0], e->direction[1]), r0 = v3_dot(r, e->direction[0]), r1 = v3_dot(r, e->direction[1]), det = 1 - cosine * cosine;
    c[0] = (r0 - cosine * r1) / det;
    c[1] = (r1 - cosine * r0) / det;
  }
  for (int i = 0; i < e->count; ++i) {
    if (!(fabs(c[i]) <= e->length[i])) return 0;
    r = v3_axpy(-c[i], e->direction[i], r);
  }
  return v3_norm(r) <= kStationary * scale;
}

typedef struct Polish {
  hfiCores* cores;
  const hfiSimplex* simplex;
  hfiClosest best;
  int sharpened; // a guess was taken
} Polish;

// Sharpens with the edges of the cores in `sides`. A direction that is not worse is taken if the guess is
// right or none was taken before; a better one always. Returns 1 where the guess is right.
static int try_edges(Polish* p, hfiEdgeRule rule, int sides) {
  hfiCores* c = p->cores;
  hfiEdges all = {0, {{0, 0, 0}, {0, 0, 0}}, {0, 0}}, b = all;
  if (sides & HFI_EDGES_OF_A) all = hfi_edges_find(c, p->simplex, p->best.n, rule, HFI_EDGES_OF_A);
  if (sides & HFI_EDGES_OF_B) b = hfi_edges_find(c, p->simplex, p->best.n, rule, HFI_EDGES_OF_B);
  int of_A = all.count;
  for (int i = 0; i < b.count; ++i) hfi_edges_add(&all, b.direction[i], b.length[i]);
  hfVec3 n = sharpen(c, &all, p->best.n);
  if (!v3_finite(n)) return 0;
  hfiSupportPoint at = hfi_support_pair(c, v3_neg(n));
  double gap = v3_dot(n, at.w), way[2];
  if (!(gap >= p->best.gap - 1e-15 * c->scale)) return 0;
  int right = close_ways(&all, n, at.w, c->scale, way);
  if (!right && p->sharpened && gap <= p->best.gap + 1e-15 * c->scale) return 0;
  p->sharpened = 1;
  p->best.n = n;
  p->best.gap = gap;
  if (!right) return 0;
  // the witnesses slide along their edges until they face each other
  p->best.pb = at.b;
  for (int i = of_A; i < all.count; ++i) p->best.pb = v3_axpy(way[i], all.direction[i], p->best.pb);
  return 1;
}

hfiClosest hfi_polish(hfiCores* c, const hfiSimplex* s, hfVec3 n) {
  enum { A = HFI_EDGES_OF_A, B = HFI_EDGES_OF_B };
  static const int kGuess[][2] = {{HFI_EDGES_AT_WITNESS, A | B}, {HFI_EDGES_AT_WITNESS, A}, {HFI_EDGES_AT_WITNESS, B}, {HFI_EDGES_AT_WITNESS, 0},
                                  {HFI_EDGES_CAP, A}, {HFI_EDGES_CAP, B}, {HFI_EDGES_ACROSS, A | B}, {HFI_EDGES_ACROSS, A}, {HFI_EDGES_ACROSS, B}};
  Polish p = {c, s, {n, hfi_simplex_a(s), hfi_simplex_b(s), hfi_separation(c, n)}, 0};
  int right = 0;
  for (size_t i = 0; i < sizeof kGuess / sizeof *kGuess && !right; ++i) right = try_edges(&p, (hfiEdgeRule)kGuess[i][0], kGuess[i][1]);
  p.best.pa = v3_axpy(p.best.gap, p.best.n, p.best.pb);
  return p.best;
}
