// Newton's method on the unit sphere for the contact normal of two convex shapes.
//
//   h_A, h_B  support functions          pa, pb  support points of A along -n and of B along n
//   g(n)      -h_A(-n) - h_B(n), the separation along the unit vector n
//   H         H_A + H_B >= 0, the curvature of the support functions across n
//
// The signed distance of the shapes is the maximum of g over all n. Its gradient is pa - pb, and its Hessian across n
// is -(H + g I). A Newton step along the tangents t is therefore
//
//   delta = (H + g I)^-1 t.(pa - pb)
//
// At a maximum H + g I > 0, which always holds where the shapes are apart.
//
// At the edges and faces of a shape its support function has kinks, and Newton's method needs to know them beforehand.
// If a witness point lies inside an edge e, the maximum has n.e = 0: n is on a great circle, and Newton's method moves
// on it. Two such edges, or a face, fix n. Which edges carry the contact has to be guessed (edges.h). A guess is right
// if pa - pb becomes parallel to n when the witnesses are moved along the edges, by no more than the length of an edge
// and, if there is only one on each shape, not beyond its ends. Guesses are tried in turn until one is right. If a
// curved shape is just beyond a side of a face, the edge there is the first guess; the corner at the rough witness is
// the last one. Of all directions that were tried, the one with the largest separation is taken.
#include "step/geometry/polish.h"

#include "step/geometry/shape_table.h"

enum { MOST_STEPS = 12 }; // Largest number of Newton steps, which converge quadratically: few are needed.
// The witnesses face each other if their distance across n is below this share of the sizes of the shapes [-].
static const double STATIONARY_SHARE = 1e-11;
// A witness counts as on an edge if it is beyond the end of the edge by at most this share of the sizes of the shapes
// [-].
static const double BEYOND_SHARE = 1e-9;
// EPA finds only an approximate normal. It may belong to a face if the cosine of the angle between it and the normal of
// the face is above this: the angle is then below 0.1 rad [-].
static const double NEAR_FACE_COSINE = 0.995;
// Separations that differ by less than this share of the sizes of the shapes count as equal [-].
static const double EQUAL_GAP_SHARE = 1e-15;
// Newton's method ends when a step is shorter than the first, or longer than the second angle [rad].
static const double LEAST_STEP = 1e-15;
static const double LONGEST_STEP = 1;
// H + g I counts as singular if its determinant is below this share of the product of its diagonal [-].
static const double LEAST_DETERMINANT_SHARE = 1e-12;
// The normal of a face is turned by this angle to find one edge or corner of the face [rad].
static const double TILT_ANGLE = 1e-9;

// The curvature across n along two tangents u and v: u.H u, u.H v and v.H v. With one tangent only `uu` is used.
typedef struct Curvature {
  double uu, uv, vv;
} Curvature;

// Adds the curvature of the support function of s at d to h. v: NULL if there is only the tangent u.
static void add_curvature(const hfiShape* s, hfVec3 d, hfVec3 u, const hfVec3* v, Curvature* h) {
  double (*curvature)(const hfiShape*, hfVec3, hfVec3, hfVec3) = hfi_functions(s)->curvature;
  if (!curvature) return;
  h->uu += curvature(s, d, u, u);
  if (!v) return;
  h->uv += curvature(s, d, u, *v);
  h->vv += curvature(s, d, *v, *v);
}

// Returns H along the tangents u and v at n. v: NULL if there is only the tangent u.
static Curvature pair_curvature(const hfiCores* c, hfVec3 n, hfVec3 u, const hfVec3* v) {
  Curvature h = {0, 0, 0};
  add_curvature(c->A, v3_neg(n), u, v, &h);

  if (!hfi_functions(c->B)->curvature) return h;
  hfMat3 R = c->X_AB.R;
  hfVec3 v_B = v ? m3_tmulv(R, *v) : v3_zero();
  add_curvature(c->B, m3_tmulv(R, n), m3_tmulv(R, u), v ? &v_B : NULL, &h);
  return h;
}

// Makes one Newton step from n. Returns its length [rad], or 0 if there is no maximum nearby. r is pa - pb, whose
// components r1 and r2 along the tangents are the gradient.
static double step_free(hfiCores* c, hfVec3* n) {
  hfVec3 r = hfi_support_pair(c, v3_neg(*n)).w;
  hfVec3 t1, t2;
  v3_tangents(*n, &t1, &t2);

  // H + g I = [a b; b d]
  Curvature h = pair_curvature(c, *n, t1, &t2);
  double g = v3_dot(*n, r);
  double a = h.uu + g;
  double b = h.uv;
  double d = h.vv + g;
  double det = a * d - b * b;
  if (!(a > 0 && det > LEAST_DETERMINANT_SHARE * a * d)) return 0;

  // (x, y) = (H + g I)^-1 (r1, r2)
  double r1 = v3_dot(t1, r);
  double r2 = v3_dot(t2, r);
  double x = (d * r1 - b * r2) / det;
  double y = (a * r2 - b * r1) / det;
  *n = v3_unit(v3_add(*n, v3_add(v3_scale(x, t1), v3_scale(y, t2))));
  return sqrt(x * x + y * y);
}

// Makes one Newton step from n on the great circle of all normals across `edge`. Returns its length [rad], or 0 if
// there is no maximum nearby. r is pa - pb, m is H + g along the circle.
static double step_on_circle(hfiCores* c, hfVec3 edge, hfVec3* n) {
  hfVec3 r = hfi_support_pair(c, v3_neg(*n)).w;
  hfVec3 t = v3_cross(edge, *n);
  double m = pair_curvature(c, *n, t, NULL).uu + v3_dot(*n, r);
  if (!(m > 0)) return 0;

  double x = v3_dot(t, r) / m;
  *n = v3_unit(v3_axpy(x, t, *n));
  return fabs(x);
}

// Returns the normal with the largest separation near n among those across all edges e:
//   two edges   they fix the normal up to its sign
//   one edge    Newton's method on the great circle n.e = 0
//   no edge     Newton's method on the sphere
static hfVec3 find_maximum(hfiCores* c, const hfiEdges* e, hfVec3 n) {
  if (e->count == 2) {
    hfVec3 m = v3_unit(v3_cross(e->direction[0], e->direction[1]));
    return v3_dot(m, n) < 0 ? v3_neg(m) : m;
  }

  if (e->count == 1) n = v3_unit(v3_axpy(-v3_dot(n, e->direction[0]), e->direction[0], n));
  for (int k = 0; k < MOST_STEPS; ++k) {
    double length = e->count ? step_on_circle(c, e->direction[0], &n) : step_free(c, &n);
    if (!(length > LEAST_STEP) || !(length < LONGEST_STEP)) break;
  }
  return n;
}

// Finds the distances c by which the witnesses must move along the edges so that w = pa - pb is along n. Returns 1 if
// they exist and none is longer than its edge: then the guess of the edges is right.
static int find_ways(const hfiEdges* e, hfVec3 n, hfVec3 w, double scale, double c[2]) {
  hfVec3 r = v3_axpy(-v3_dot(n, w), n, w); // the part of w across n
  c[0] = 0;
  c[1] = 0;

  // r = sum c_i e_i
  if (e->count == 1) c[0] = v3_dot(r, e->direction[0]);
  if (e->count == 2) {
    double cosine = v3_dot(e->direction[0], e->direction[1]);
    double det = 1 - cosine * cosine;
    double r0 = v3_dot(r, e->direction[0]);
    double r1 = v3_dot(r, e->direction[1]);
    c[0] = (r0 - cosine * r1) / det;
    c[1] = (r1 - cosine * r0) / det;
  }

  // what the edges leave of r must be rounding
  for (int i = 0; i < e->count; ++i) {
    if (!(fabs(c[i]) <= e->length[i])) return 0;
    r = v3_axpy(-c[i], e->direction[i], r);
  }
  return v3_norm(r) <= STATIONARY_SHARE * scale;
}

// Is the coordinate x along edge i between the ends of the edge?
static int is_on_edge(const hfiEdges* e, int i, double x, double slack) {
  return fabs(x - e->middle[i]) <= 0.5 * e->length[i] + slack;
}

// Are the witnesses on their edges after each has moved by way[i] along its edge? The first `of_A` edges belong to A.
static int are_on_edges(const hfiEdges* e, int of_A, const hfiSupportPoint* support, const double* way, double slack) {
  for (int i = 0; i < e->count; ++i) {
    hfVec3 d = e->direction[i];
    double x = i < of_A ? v3_dot(d, support->a) - way[i] : v3_dot(d, support->b) + way[i];
    if (!is_on_edge(e, i, x, slack)) return 0;
  }
  return 1;
}

// Finds the point of the outline of a polygon that is nearest to x, a point inside or outside of it. Returns the side
// that this point is on, or -1 if it is a corner.
static int nearest_side(const hfiFacet* f, hfVec3 x, hfVec3* nearest) {
  double best = INFINITY;
  int side = -1;
  *nearest = x;

  for (int k = 0; k < f->count; ++k) {
    hfVec3 a = f->vertex[k];
    hfVec3 d = v3_sub(hfi_facet_edge_end(f, k), a);
    double t = v3_dot(v3_sub(x, a), d) / v3_norm2(d);
    hfVec3 p = v3_axpy(clamp(t, 0, 1), d, a);
    double distance2 = v3_norm2(v3_sub(x, p));
    if (!(distance2 < best)) continue;

    best = distance2;
    *nearest = p;
    side = t > 0 && t < 1 ? k : -1;
  }
  return side;
}

// Is x, a point in the plane of a polygon, outside of the polygon by more than the slack?
static int is_beyond_side(const hfiFacet* f, hfVec3 x, double slack) {
  for (int k = 0; k < f->count; ++k) {
    hfVec3 a = f->vertex[k];
    hfVec3 out = v3_unit(v3_cross(v3_sub(hfi_facet_edge_end(f, k), a), f->normal));
    if (v3_dot(out, v3_sub(x, a)) > slack) return 1;
  }
  return 0;
}

// What the guesses share.
typedef struct Polish {
  hfiCores* cores;
  const hfiSimplex* simplex; // of GJK or EPA: it has the rough witnesses
  hfiClosest best;           // the contact with the largest separation so far
  int taken;                 // 1: the normal of some guess was taken
} Polish;

// Is the line between the witnesses of the simplex along n, and as long as the separation `gap`? Then n is right.
// find_ways cannot tell this if a face has more corners than the simplex, because the support point may be a corner far
// from the witness.
static int witnesses_face_each_other(const Polish* p, hfVec3 n, double gap) {
  hfVec3 rest = v3_axpy(-gap, n, v3_sub(hfi_simplex_a(p->simplex), p->best.pb));
  return v3_norm(rest) <= STATIONARY_SHARE * p->cores->scale;
}

// Tries a guess of edges, starting from the normal n. The first `of_A` edges belong to A. bounded: 1 if the witnesses
// must be between the ends of each edge. Takes a normal with a larger separation; takes one with the same separation
// only if the guess is right or if none was taken before. Writes p->best and p->taken. Returns 1 if the guess is right.
static int try_guess(Polish* p, const hfiEdges* e, int of_A, int bounded, hfVec3 n) {
  hfiCores* c = p->cores;

  // the best normal across these edges
  n = find_maximum(c, e, n);
  if (!v3_finite(n)) return 0;
  hfiSupportPoint support = hfi_support_pair(c, v3_neg(n));
  double gap = v3_dot(n, support.w);
  if (!(gap >= p->best.gap - EQUAL_GAP_SHARE * c->scale)) return 0;

  // the guess is right if the witnesses face each other, perhaps after they have moved along the edges
  double way[2];
  int moves = find_ways(e, n, support.w, c->scale, way) &&
              (!bounded || are_on_edges(e, of_A, &support, way, BEYOND_SHARE * c->scale));
  int right = moves || witnesses_face_each_other(p, n, gap);
  if (!right && p->taken && gap <= p->best.gap + EQUAL_GAP_SHARE * c->scale) return 0;

  p->taken = 1;
  p->best.n = n;
  p->best.gap = gap;
  if (!moves) return right;

  // The support points move along their edges until they face each other; hfi_polish computes pa from pb.
  p->best.pb = support.b;
  for (int i = of_A; i < e->count; ++i) p->best.pb = v3_axpy(way[i], e->direction[i], p->best.pb);
  return 1;
}

// Tries the edges that `rule` finds on the cores in `sides`. Returns 1 if the guess is right.
static int try_edges(Polish* p, hfiEdgeRule rule, int sides) {
  hfiCores* c = p->cores;
  hfiEdges all = {.count = 0};
  hfiEdges b = {.count = 0};
  if (sides & HFI_EDGES_OF_A) all = hfi_edges_find(c, p->simplex, p->best.n, rule, HFI_EDGES_OF_A);
  if (sides & HFI_EDGES_OF_B) b = hfi_edges_find(c, p->simplex, p->best.n, rule, HFI_EDGES_OF_B);

  int of_A = all.count;
  if (of_A == 1 && b.count == 2) {
    // The face of B fixes n. An edge of A along it may be turned a little, so it does not count.
    all = b;
    of_A = 0;
  } else {
    hfi_edges_join(&all, &b);
  }

  // without a face and without two parallel edges, the witnesses must be between the ends of their edges
  int single = of_A <= 1 && b.count <= 1 && all.count == of_A + b.count;
  return try_guess(p, &all, of_A, single, p->best.n);
}

// Tries the edge or corner of a face of one core (of_A 1: A, 0: B) that the other core, a curved one, touches if its
// support point is just beyond a side of the face. The normal is then so close to the normal of the face that no rule
// of edges.h finds the edge. Starts from the normal of the face turned by TILT_ANGLE, because along the normal itself
// all points of the face are support points. Returns 1 if the guess is right.
static int try_side(Polish* p, int of_A) {
  hfiCores* c = p->cores;

  // the face that looks along n
  const hfiShape* shape = of_A ? c->A : c->B;
  hfPose X = of_A ? pose_identity() : c->X_AB;
  hfVec3 outward = of_A ? v3_neg(p->best.n) : p->best.n;
  hfiFacet face;
  hfi_facet(shape, &X, outward, &face);
  if (face.kind != HFI_FACET_POLYGON || v3_dot(outward, face.normal) < NEAR_FACE_COSINE) return 0;

  // x, the support point of the curved shape in the plane of the face, must be beyond a side
  hfiSupportPoint support = hfi_support_pair(c, of_A ? face.normal : v3_neg(face.normal));
  hfVec3 x = of_A ? support.b : support.a;
  x = v3_axpy(-v3_dot(face.normal, v3_sub(x, face.vertex[0])), face.normal, x);
  if (!is_beyond_side(&face, x, BEYOND_SHARE * c->scale)) return 0;

  // the edge there; none if x is beyond a corner
  hfVec3 nearest;
  int side = nearest_side(&face, x, &nearest);
  hfiEdges edge = {.count = 0};
  if (side >= 0) {
    hfVec3 from = face.vertex[side];
    hfVec3 to = hfi_facet_edge_end(&face, side);
    hfVec3 d = v3_unit(v3_sub(to, from));
    hfi_edges_add(&edge, d, v3_norm(v3_sub(to, from)), 0.5 * v3_dot(d, v3_add(from, to)));
  }

  // the normal of the face, leaning towards x
  hfVec3 leaning = v3_unit(v3_axpy(TILT_ANGLE, v3_unit(v3_sub(x, nearest)), face.normal));
  if (of_A) return try_guess(p, &edge, edge.count, 1, v3_neg(leaning));
  return try_guess(p, &edge, 0, 1, leaning);
}

// Returns the corner of the simplex on one core that is nearest to the witness there, in A's frame.
static hfVec3 corner_at_witness(const hfiSimplex* s, int of_A) {
  hfVec3 witness = of_A ? hfi_simplex_a(s) : hfi_simplex_b(s);
  hfVec3 corner = witness;
  double best = INFINITY;

  for (int i = 0; i < s->count; ++i) {
    hfVec3 x = of_A ? s->point[i].a : s->point[i].b;
    double distance2 = v3_norm2(v3_sub(x, witness));
    if (!(distance2 < best)) continue;
    best = distance2;
    corner = x;
  }
  return corner;
}

// Tries the corner at the witness of a core that is not curved, alone, and with the edges of the other core. The rough
// witness may lie inside an edge beside the corner, or the support point of the rough normal at the other end of that
// edge: then no other guess finds the corner. So the core is that point alone until the normal is found. Writes p->best
// and returns 1 if the guess is right.
static int try_corner(Polish* p, int of_A) {
  static const hfiShape point = {HF_GEOM_SPHERE, {0}, NULL, NULL};
  hfiCores c = *p->cores;
  hfVec3 corner = corner_at_witness(p->simplex, of_A);
  int others = of_A ? HFI_EDGES_OF_B : HFI_EDGES_OF_A;
  hfiEdges edges = hfi_edges_find(p->cores, p->simplex, p->best.n, HFI_EDGES_AT_WITNESS, others);

  // in c, the corner takes the place of its core
  if (of_A) {
    c.A = &point;
    c.X_AB.p = v3_sub(c.X_AB.p, corner);
  } else {
    c.B = &point;
    c.X_AB.p = corner;
  }

  for (int with_edges = 0; with_edges <= (edges.count > 0); ++with_edges) {
    hfiEdges e = with_edges ? edges : (hfiEdges){.count = 0};
    hfVec3 n = find_maximum(&c, &e, p->best.n);
    if (!v3_finite(n)) continue;

    // the corner must be the support point of its core, and the separation not smaller than the best one
    hfiSupportPoint support = hfi_support_pair(&c, v3_neg(n));
    double gap = hfi_separation(p->cores, n);
    int is_support = v3_dot(n, support.w) <= gap + EQUAL_GAP_SHARE * c.scale;
    if (!is_support || !(gap >= p->best.gap - EQUAL_GAP_SHARE * c.scale)) continue;

    // the other witness must be on its edge
    double way[2];
    if (!find_ways(&e, n, support.w, c.scale, way)) continue;
    if (e.count == 1 && !are_on_edges(&e, of_A ? 0 : 1, &support, way, BEYOND_SHARE * c.scale)) continue;

    p->best = (hfiClosest){.n = n, .gap = gap, .pb = of_A ? v3_axpy(-gap, n, corner) : corner};
    return 1;
  }
  return 0;
}

static int are_equal(hfVec3 a, hfVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// A guess: the edges that a rule finds on the cores in `sides`, bits HFI_EDGES_OF_A and HFI_EDGES_OF_B.
typedef struct EdgeGuess {
  hfiEdgeRule rule;
  int sides;
} EdgeGuess;

// Returns the contact of the cores, from the rough normal n and the simplex of GJK or EPA, in A's frame. Tries guesses
// in turn until one is right.
hfiClosest hfi_polish(hfiCores* c, const hfiSimplex* s, hfVec3 n) {
  enum { A = HFI_EDGES_OF_A, B = HFI_EDGES_OF_B };
  static const EdgeGuess guess[] = {
      {HFI_EDGES_AT_WITNESS, A | B}, {HFI_EDGES_AT_WITNESS, A}, {HFI_EDGES_AT_WITNESS, B},
      {HFI_EDGES_AT_WITNESS, 0},     {HFI_EDGES_CAP, A},        {HFI_EDGES_CAP, B},
      {HFI_EDGES_ACROSS, A | B},     {HFI_EDGES_ACROSS, A},     {HFI_EDGES_ACROSS, B},
  };
  hfiClosest rough = {.n = n, .pa = hfi_simplex_a(s), .pb = hfi_simplex_b(s), .gap = hfi_separation(c, n)};
  Polish p = {.cores = c, .simplex = s, .best = rough, .taken = 0};
  int right = 0;

  // a curved shape just beyond a side of a face
  if (hfi_is_curved(c->A) != hfi_is_curved(c->B)) right = try_side(&p, hfi_is_curved(c->B));

  // the rules of edges.h
  hfVec3 tried[A + B + 1]; // for each choice of cores: the normal from which their edges at the witness were tried
  for (size_t i = 0; i < sizeof guess / sizeof *guess && !right; ++i) {
    hfiEdgeRule rule = guess[i].rule;
    int sides = guess[i].sides;

    // A hull has no cap, so the guess would be the same edges at the witness. From the same normal it would be wrong
    // again.
    const hfiShape* shape = sides == A ? c->A : c->B;
    int has_no_cap = shape->type == HF_GEOM_MESH;
    if (rule == HFI_EDGES_CAP && has_no_cap && are_equal(tried[sides], p.best.n)) continue;

    if (rule == HFI_EDGES_AT_WITNESS) tried[sides] = p.best.n;
    right = try_edges(&p, rule, sides);
  }

  // a corner, first of A, then of B
  if (!right && !hfi_is_curved(c->A)) right = try_corner(&p, 1);
  if (!right && !hfi_is_curved(c->B)) try_corner(&p, 0);

  p.best.pa = v3_axpy(p.best.gap, p.best.n, p.best.pb);
  return p.best;
}
