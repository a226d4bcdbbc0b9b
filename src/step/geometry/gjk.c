// GJK (Gilbert, Johnson, Keerthi 1988): the point v of the convex set A - B nearest to the origin.
//
// A simplex of support points approaches v. In each round the support point w against v is added, and the simplex is
// reduced to its part (vertex, edge or triangle) that contains its point nearest to the origin. v.w/|v| is a lower
// bound of the distance and |v| an upper one; they meet at the answer. The newest point always belongs to the nearest
// part, so that only parts with this point are tried. Of the parts whose barycentric weights are positive the nearest
// one is taken, a choice that is robust against rounding and thin triangles.
#include "step/geometry/gjk.h"

enum { MOST_ITERATIONS = 64 };
// The direction of v is not reliable if |v| is below this share of the sizes [-].
static const double TOUCHING_SHARE = 1e-9;

// A part of a simplex: some of its points, and the weights of the point nearest to the origin.
typedef struct Part {
  int count, index[4];
  double weight[4];
  double d2; // squared distance from the origin [m^2]
} Part;

// Returns the sum of the weighted points of a simplex.
static hfVec3 weighted_point(const hfiSimplex* s, int count, const int* index, const double* weight) {
  hfVec3 v = v3_zero();
  for (int i = 0; i < count; ++i) v = v3_axpy(weight[i], s->point[index[i]].w, v);
  return v;
}

// Replaces *best by a part of the simplex if the part is nearer to the origin.
static void offer_part(Part* best, const hfiSimplex* s, int count, const int* index, const double* weight) {
  double d2 = v3_norm2(weighted_point(s, count, index, weight));
  if (!(d2 < best->d2)) return;

  best->count = count;
  best->d2 = d2;
  for (int i = 0; i < count; ++i) {
    best->index[i] = index[i];
    best->weight[i] = weight[i];
  }
}

// Offers the edge between points i and j if the origin projects into it.
static void try_edge(Part* best, const hfiSimplex* s, int i, int j) {
  hfVec3 a = s->point[i].w;
  hfVec3 ab = v3_sub(s->point[j].w, a);
  double along = -v3_dot(a, ab);
  if (!(along > 0)) return;

  double t = along / v3_norm2(ab);
  if (!(t > 0 && t < 1)) return;

  int index[2] = {i, j};
  double weight[2] = {1 - t, t};
  offer_part(best, s, 2, index, weight);
}

// Offers the triangle of points i, j and k if the origin projects into it. Most triangles are excluded before the
// divisions.
static void try_triangle(Part* best, const hfiSimplex* s, int i, int j, int k) {
  hfVec3 a = s->point[i].w;
  hfVec3 ab = v3_sub(s->point[j].w, a);
  hfVec3 ac = v3_sub(s->point[k].w, a);
  hfVec3 m = v3_cross(ab, ac);
  double area2 = v3_norm2(m);

  // u and v, the weights of points j and k, times area2 at first
  double scaled_u = v3_dot(v3_cross(ac, a), m);
  if (!(scaled_u > 0)) return;
  double scaled_v = v3_dot(v3_cross(a, ab), m);
  if (!(scaled_v > 0)) return;

  double u = scaled_u / area2;
  double v = scaled_v / area2;
  if (!(u > 0 && v > 0 && u + v < 1)) return;

  int index[3] = {i, j, k};
  double weight[3] = {1 - u - v, u, v};
  offer_part(best, s, 3, index, weight);
}

// Is the origin inside the tetrahedron? Then each point and the origin lie on the same side of the plane of the other
// three.
static int contains_origin(const hfiSimplex* s) {
  for (int k = 0; k < 4; ++k) {
    hfVec3 a = s->point[(k + 1) & 3].w;
    hfVec3 ab = v3_sub(s->point[(k + 2) & 3].w, a);
    hfVec3 ac = v3_sub(s->point[(k + 3) & 3].w, a);
    hfVec3 m = v3_cross(ab, ac);
    double of_point = v3_dot(m, v3_sub(s->point[k].w, a));
    double of_origin = -v3_dot(m, a);
    if (!(of_point * of_origin > 0)) return 0;
  }
  return 1;
}

// Reduces the simplex to its part nearest to the origin. Its last point is the newest; d2 is the squared distance
// without it. Returns the new squared distance, 0 if the simplex contains the origin. If rounding makes it no less than
// d2, the newest point is removed again.
static double reduce_simplex(hfiSimplex* s, double d2) {
  int last = s->count - 1;
  Part best = {.count = 1, .index = {last}, .weight = {1}, .d2 = v3_norm2(s->point[last].w)};
  if (last == 3 && contains_origin(s)) return 0;

  // the parts that contain the newest point
  for (int i = 0; i < last; ++i) {
    try_edge(&best, s, i, last);
    for (int j = i + 1; j < last; ++j) try_triangle(&best, s, i, j, last);
  }

  if (best.d2 > 0 && best.d2 >= d2) {
    s->count = last;
    return best.d2;
  }

  // the indices ascend
  for (int i = 0; i < best.count; ++i) {
    if (best.index[i] != i) s->point[i] = s->point[best.index[i]];
    s->weight[i] = best.weight[i];
  }
  s->count = best.count;
  return best.d2;
}

// Is w a point of the simplex already?
static int is_known(const hfiSimplex* s, hfVec3 w) {
  for (int i = 0; i < s->count; ++i)
    if (s->point[i].w.x == w.x && s->point[i].w.y == w.y && s->point[i].w.z == w.z) return 1;
  return 0;
}

// Returns the point of the simplex that is nearest to the origin.
static hfVec3 nearest_point(const hfiSimplex* s) {
  hfVec3 v = v3_zero();
  for (int i = 0; i < s->count; ++i) v = v3_axpy(s->weight[i], s->point[i].w, v);
  return v;
}

// Finds the distance of two cores up to the relative accuracy, and the unit normal *n from B into A if they are apart.
// Stops as soon as they are surely farther apart than `far` [m].
hfiGjkStatus hfi_gjk(hfiCores* c, double far, double accuracy, hfiSimplex* s, hfVec3* n) {
  // from B's origin to A's
  hfVec3 v = v3_neg(c->X_AB.p);
  if (!(v3_norm2(v) > 0)) v = v3(0, 0, 1);

  s->point[0] = hfi_support_pair(c, v3_neg(v));
  s->weight[0] = 1;
  s->count = 1;
  v = s->point[0].w;

  // v is the point of the simplex nearest to the origin, d2 = |v|^2; bound/|v| is a lower bound of the distance. The
  // origin is inside, or next to the surface, if d2 falls to touching2.
  double touching2 = sqr(TOUCHING_SHARE * c->scale);
  double d2 = v3_norm2(v);
  for (int k = 0; k < MOST_ITERATIONS && d2 > touching2; ++k) {
    hfiSupportPoint next = hfi_support_pair(c, v3_neg(v));
    double bound = v3_dot(v, next.w);
    if (bound > 0 && bound * bound > far * far * d2) return HFI_GJK_FAR;
    if (d2 - bound <= accuracy * d2 || is_known(s, next.w)) break;

    s->point[s->count++] = next;
    double reduced = reduce_simplex(s, d2);
    if (reduced > 0 && reduced >= d2) break;
    d2 = reduced;
    v = nearest_point(s);
  }
  if (d2 <= touching2) return HFI_GJK_TOUCHING;

  *n = v3_unit(v);
  return HFI_GJK_APART;
}
