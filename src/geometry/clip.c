// The overlap of a reference facet R and an incident facet I, seen along R's normal n.
//
// The overlap of two convex outlines has its corners at vertices of I inside R, at vertices of R inside I, and at crossings
// of their edges. Four points on the rim of a disc take the place of its vertices. Each corner is a candidate for a contact
// point. Candidates lie on I; their depth is measured from R's plane.
//
// Rounding errors must not change the set of points. Therefore a vertex counts as inside up to `near` beyond the outline,
// and a candidate that is within `near` of an earlier one is left out. Vertices of I are added first, then vertices of R,
// then crossings, so that a vertex is preferred to a crossing at the same place.
//
// Faces of round parts have up to 64 edges. Where the edges of an outline turn all the way round, out[k].r has one maximum over k for any
// vector r: an edge far from that maximum cannot exclude the point at r from the middle of the outline, and is not looked at. An edge
// of I can cross only an edge of R beyond which one of its ends lies and the other does not.
//
// Features: (1 + vertex, 0) for a vertex of A, (0, 1 + vertex) for one of B, (edge, edge) | HFI_EDGE_BIT for a crossing.
#include "geometry/clip.h"

#include "geometry/manifold.h"
#include "geometry/pairs.h"

#include <string.h>

enum {
  CANDIDATES = 4 * HFI_FACET_MAX,
  CELLS = 1024,
  MANY = 8 // In an outline of up to this many edges all of them are looked at, which takes less time than to choose.
};
// Below this cosine of the angle between the normals, the incident facet is seen almost edge-on: a point of R cannot be
// projected onto it [-].
static const double STEEP_COSINE = 0.05;
// Above this cosine, a tilted incident disc still looks like a circle [-].
static const double CIRCLE_COSINE = 0.999;

// Number of cells on the extent of the smaller shape: a cell is far longer than `near`, and a facet has fewer cells than CELLS [-].
static const double CELLS_PER_SIZE = 512;
// Neighbouring edges of an outline turn by at least this, or the order of their directions is not used: far above the rounding errors of
// directions [rad].
static const double LEAST_TURN = 1e-6;

// The outline of a polygon, seen along an axis, as half planes: a point x is inside where out[k].x <= offset[k] for all edges k.
typedef struct Outline {
  int count;
  hfVec3 out[HFI_FACET_MAX];
  double offset[HFI_FACET_MAX];
  int round;     // 1: many edges, each turned against the one before
  hfVec3 middle; // then: the mean of the vertices
  double inner;  // and a distance that no edge comes closer to it [m]
} Outline;

// A set of edges of an outline: bit k stands for edge k.
typedef uint64_t EdgeSet;
_Static_assert(HFI_FACET_MAX <= 64, "an EdgeSet has a bit for each edge");

typedef struct Clip {
  const hfiFacet *R, *I;
  hfVec3 n;      // R's normal
  double plane;  // n.x on R
  double near;   // [m]
  int R_is_A, count;
  Outline outline_R, outline_I;
  EdgeSet beyond[HFI_FACET_MAX]; // the edges of R beyond which each vertex of I lies, where R is a polygon and I has edges
  hfVec3 across;                 // a direction in R's plane, which is divided into cells
  double cells_per_metre;        // cells are longer than 4 near
  uint64_t taken[CELLS / 64];    // bit k: a candidate lies in cell k; cells CELLS apart share a bit
  hfiOverlapPoint candidate[CANDIDATES];
} Clip;

static int edge_count(const hfiFacet* f) { return f->kind == HFI_FACET_POLYGON ? f->count : f->kind == HFI_FACET_SEGMENT ? 1 : 0; }

static int next_edge(const Outline* o, int k) { return k + 1 < o->count ? k + 1 : 0; }
static int edge_before(const Outline* o, int k) { return k ? k - 1 : o->count - 1; }
static double beyond_edge(const Outline* o, int k, hfVec3 x) { return v3_dot(o->out[k], x) - o->offset[k]; }

// Sets `round`, `middle` and `inner`. `up` is the axis about which the outline runs counter-clockwise.
static void look_for_turns(const hfiFacet* f, hfVec3 up, Outline* o) {
  hfVec3 sum = v3_zero();
  for (int k = 0; k < f->count; ++k) {
    if (!(v3_dot(up, v3_cross(o->out[k], o->out[next_edge(o, k)])) > LEAST_TURN)) return;
    sum = v3_add(sum, f->vertex[k]);
  }
  o->middle = v3_scale(1.0 / f->count, sum);
  o->inner = -beyond_edge(o, 0, o->middle);
  for (int k = 1; k < f->count; ++k) o->inner = min2(o->inner, -beyond_edge(o, k, o->middle));
  o->round = 1;
}

// Computes the outline of a polygon seen along `axis`. Other facets have no outline.
static void make_outline(const hfiFacet* f, hfVec3 axis, Outline* o) {
  if (f->kind != HFI_FACET_POLYGON) return;
  hfVec3 up = v3_dot(f->normal, axis) < 0 ? v3_neg(axis) : axis;
  o->count = f->count, o->round = 0;
  for (int k = 0; k < f->count; ++k) {
    o->out[k] = v3_unit(v3_cross(v3_sub(hfi_facet_edge_end(f, k), f->vertex[k]), up));
    o->offset[k] = v3_dot(o->out[k], f->vertex[k]);
  }
  if (f->count > MANY) look_for_turns(f, up, o);
}

// The edge of a round outline that looks most along r, searched from edge k.
static int facing_edge(const Outline* o, hfVec3 r, int k) {
  double most = v3_dot(o->out[k], r), other;
  int start = k;
  for (int j = next_edge(o, k); (other = v3_dot(o->out[j], r)) > most; j = next_edge(o, j)) most = other, k = j;
  if (k != start) return k;
  for (int j = edge_before(o, k); (other = v3_dot(o->out[j], r)) > most; j = edge_before(o, j)) most = other, k = j;
  return k;
}

// The edges beyond which x lies by more than `near`, or one of them where `any` is set. `hint` is an edge near x, if one is known,
// and becomes one.
static EdgeSet edges_beyond(const Outline* o, double near, hfVec3 x, int any, int* hint) {
  EdgeSet set = 0;
  if (!o->round) {
    for (int k = 0; k < o->count && !(any && set); ++k) set |= (EdgeSet) !(beyond_edge(o, k, x) <= near) << k;
    return set;
  }
  hfVec3 r = v3_sub(x, o->middle);
  int left = o->count, first = *hint = facing_edge(o, r, *hint);
  for (int k = first; left && !(any && set) && v3_dot(o->out[k], r) > o->inner; k = next_edge(o, k), --left)
    set |= (EdgeSet) !(beyond_edge(o, k, x) <= near) << k;
  for (int k = edge_before(o, first); left && !(any && set) && v3_dot(o->out[k], r) > o->inner; k = edge_before(o, k), --left)
    set |= (EdgeSet) !(beyond_edge(o, k, x) <= near) << k;
  return set;
}

// Projects x along n onto the plane of the facet.
static hfVec3 project_onto(const hfiFacet* f, hfVec3 n, hfVec3 x) {
  return v3_axpy(v3_dot(f->normal, v3_sub(f->vertex[0], x)) / v3_dot(f->normal, n), n, x);
}

// Is x, seen along n, inside of the facet's outline or at most `near` outside of it?
static int is_inside(const hfiFacet* f, const Outline* o, hfVec3 n, double near, hfVec3 x, int* hint) {
  if (f->kind == HFI_FACET_DISC) return v3_norm(v3_sub(project_onto(f, n, x), f->vertex[0])) - f->radius <= near;
  return !edges_beyond(o, near, x, 1, hint);
}

static int has_edges(const Clip* c) { return c->R->kind == HFI_FACET_POLYGON && c->I->kind != HFI_FACET_DISC; }

// A direction across n that is hardly one of symmetry, so that few vertices share a cell.
static hfVec3 choose_direction(hfVec3 n) {
  hfVec3 askew = {0.3, 0.5, 0.8};
  return v3_unit(v3_axpy(-v3_dot(n, askew), n, askew));
}

// The cell `by` metres further than p. Cells are counted from R's first vertex, less a number that keeps most of them positive: where R is a
// floor of 1000 km they are not, and a remainder without sign is still a cell.
static int cell_of(const Clip* c, hfVec3 p, double by) {
  double place = v3_dot(c->across, v3_sub(p, c->R->vertex[0])) + by;
  return (int)((uint64_t)(int64_t)(place * c->cells_per_metre + 1e12) % CELLS);
}

static int is_taken(const Clip* c, int cell) { return c->taken[cell / 64] >> cell % 64 & 1; }

static void add_candidate(Clip* c, hfVec3 p, uint32_t feature) {
  if (c->count == CANDIDATES) return;
  double near2 = c->near * c->near;
  if (is_taken(c, cell_of(c, p, -2 * c->near)) || is_taken(c, cell_of(c, p, 2 * c->near)))
    for (int i = 0; i < c->count; ++i)
      if (v3_norm2(v3_sub(c->candidate[i].p, p)) <= near2) return;
  hfiOverlapPoint made = {p, c->plane - v3_dot(c->n, p), feature};
  int cell = cell_of(c, p, 0);
  c->taken[cell / 64] |= (uint64_t)1 << cell % 64;
  c->candidate[c->count++] = made;
}

static uint32_t vertex_feature(int of_A, int32_t id) { return of_A ? feature_id(1 + id, 0) : feature_id(0, 1 + id); }
static uint32_t crossing_feature(const Clip* c, int edge_R, int edge_I) {
  return c->R_is_A ? feature_id(HFI_EDGE_BIT | edge_R, HFI_EDGE_BIT | edge_I) : feature_id(HFI_EDGE_BIT | edge_I, HFI_EDGE_BIT | edge_R);
}

// Minus the part of the other plane's normal that lies in the disc: it points to the deepest rim point. Its length is the sine of the tilt.
static hfVec3 lean(const hfiFacet* disc, const hfiFacet* other) {
  return v3_sub(v3_scale(v3_dot(other->normal, disc->normal), disc->normal), other->normal);
}

int hfi_disc_lies(const hfiFacet* f, const hfiFacet* other) {
  if (f->kind != HFI_FACET_DISC) return 0;
  return hfi_rim_lies(f->radius, v3_norm(lean(f, other)), v3_dot(other->normal, v3_sub(f->vertex[0], other->vertex[0])));
}

// The vertices of a facet, or four rim points of a disc, with their ids.
typedef struct Corners {
  int count;
  const hfVec3* vertex;
  const int32_t* id;
  hfVec3 rim[4];
  int32_t rim_id[4];
} Corners;

// Where a disc does not lie flat on the plane of `other`, the first rim point is the one that is deepest below that plane; otherwise the four points are fixed to
// the disc. The two patterns have different ids.
static void list_corners(const hfiFacet* f, const hfiFacet* other, Corners* c) {
  c->count = f->count, c->vertex = f->vertex, c->id = f->id;
  if (f->kind != HFI_FACET_DISC) return;
  int turned = !hfi_disc_lies(f, other);
  hfVec3 u = turned ? v3_unit(lean(f, other)) : f->x, v = turned ? v3_cross(f->normal, u) : f->y;
  hfVec3 rim[4] = {u, v, v3_neg(u), v3_neg(v)};
  for (int k = 0; k < 4; ++k) {
    c->rim[k] = v3_axpy(f->radius, rim[k], f->vertex[0]);
    c->rim_id[k] = f->id[0] + (turned ? 4 : 0) + k;
  }
  c->count = 4, c->vertex = c->rim, c->id = c->rim_id;
}

// Adds the vertices of I inside R, then those of R inside I, projected onto I.
static void collect_vertices(Clip* c) {
  Corners of;
  int edges = has_edges(c), hint_R = 0, hint_I = 0;
  list_corners(c->I, c->R, &of);
  for (int k = 0; k < of.count; ++k) {
    if (edges) c->beyond[k] = edges_beyond(&c->outline_R, c->near, of.vertex[k], 0, &hint_R);
    int inside = edges ? !c->beyond[k] : is_inside(c->R, &c->outline_R, c->n, c->near, of.vertex[k], &hint_R);
    if (inside) add_candidate(c, of.vertex[k], vertex_feature(!c->R_is_A, of.id[k]));
  }
  if (c->I->kind == HFI_FACET_SEGMENT || fabs(v3_dot(c->I->normal, c->n)) < STEEP_COSINE) return;
  list_corners(c->R, c->I, &of);
  for (int k = 0; k < of.count; ++k)
    if (is_inside(c->I, &c->outline_I, c->n, c->near, of.vertex[k], &hint_I))
      add_candidate(c, project_onto(c->I, c->n, of.vertex[k]), vertex_feature(c->R_is_A, of.id[k]));
}

// Adds the crossings of the edges of I, a polygon or segment, with the edges of R, a polygon. Where an end of an edge is within
// `near` of the other edge's line, that end is a candidate already.
static void cross_polygon(Clip* c) {
  const Outline* o = &c->outline_R;
  for (int i = 0, hint = 0; i < edge_count(c->I); ++i) {
    int next = i + 1 < c->I->count ? i + 1 : 0;
    hfVec3 a = c->I->vertex[i], b = c->I->vertex[next];
    for (EdgeSet left = c->beyond[i] ^ c->beyond[next]; left; left &= left - 1) {
      int j = __builtin_ctzll(left);
      double da = beyond_edge(o, j, a), db = beyond_edge(o, j, b);
      if (!((da < 0) != (db < 0)) || fabs(da) <= c->near || fabs(db) <= c->near) continue;
      hfVec3 x = v3_axpy(da / (da - db), v3_sub(b, a), a);
      if (!(edges_beyond(o, c->near, x, 0, &hint) & ~((EdgeSet)1 << j))) add_candidate(c, x, crossing_feature(c, j, i));
    }
  }
}

// Parameters where the segment a + t (b - a) crosses the disc's rim. Returns 1 if it does at all.
static int cross_circle(const hfiFacet* disc, hfVec3 a, hfVec3 b, double t[2]) {
  hfVec3 d = v3_sub(b, a), r = v3_sub(a, disc->vertex[0]);
  double dd = v3_norm2(d), half = v3_dot(r, d), root = half * half - dd * (v3_norm2(r) - sqr(disc->radius));
  if (!(root > 0 && dd > 0)) return 0;
  t[0] = (-half - sqrt(root)) / dd;
  t[1] = (-half + sqrt(root)) / dd;
  return 1;
}

// Adds the crossings of the edges of a polygon or segment with the rim of a disc, seen along n in the disc's plane.
static void cross_disc(Clip* c, const hfiFacet* straight, const hfiFacet* disc) {
  double t[2];
  for (int i = 0; i < edge_count(straight); ++i) {
    hfVec3 a = straight->vertex[i], b = hfi_facet_edge_end(straight, i);
    if (!cross_circle(disc, project_onto(disc, c->n, a), project_onto(disc, c->n, b), t)) continue;
    for (int k = 0; k < 2; ++k) {
      if (!(t[k] > 0 && t[k] < 1)) continue;
      hfVec3 x = v3_axpy(t[k], v3_sub(b, a), a);
      if (straight == c->R) x = project_onto(c->I, c->n, x);
      add_candidate(c, x, straight == c->R ? crossing_feature(c, i, k) : crossing_feature(c, k, i));
    }
  }
}

// Adds the two crossings of the rims of two discs, computed in R's plane as if I were parallel to it.
static void cross_discs(Clip* c) {
  hfVec3 to = v3_sub(c->I->vertex[0], c->R->vertex[0]);
  to = v3_axpy(-v3_dot(c->n, to), c->n, to);
  double d = v3_norm(to), r = c->R->radius, along = 0.5 * (d + (r - c->I->radius) * (r + c->I->radius) / d), h2 = r * r - along * along;
  if (!(d > c->near && h2 > 0)) return; // one disc covers the other, or they are apart: the rims do not cross
  hfVec3 u = v3_scale(1 / d, to), v = v3_cross(c->n, u);
  for (int k = 0; k < 2; ++k) {
    hfVec3 x = v3_add(c->R->vertex[0], v3_add(v3_scale(along, u), v3_scale(k ? -sqrt(h2) : sqrt(h2), v)));
    add_candidate(c, project_onto(c->I, c->n, x), crossing_feature(c, k, k));
  }
}

// Adds the crossings of the two outlines. A disc that is tilted more than CIRCLE_COSINE allows touches with its deepest rim point
// alone.
static void collect_crossings(Clip* c) {
  double facing = fabs(v3_dot(c->I->normal, c->n));
  if (has_edges(c)) cross_polygon(c);
  else if (c->R->kind == HFI_FACET_DISC && c->I->kind != HFI_FACET_DISC) cross_disc(c, c->I, c->R);
  else if (c->R->kind == HFI_FACET_POLYGON && facing >= STEEP_COSINE) cross_disc(c, c->R, c->I);
  else if (c->R->kind == HFI_FACET_DISC && facing >= CIRCLE_COSINE) cross_discs(c);
}

// Chooses the candidates that become contact points: few are all kept as they are.
static void choose_candidates(Clip* c) {
  hfiThinning thin;
  if (c->count <= HFI_MAX_MANIFOLD) return;
  hfi_thinning_start(&thin, c->n, c->near);
  for (int i = 0; i < c->count; ++i) hfi_thinning_add(&thin, c->candidate[i].p, c->candidate[i].depth, c->candidate[i].feature);
  c->count = hfi_thinning_finish(&thin, c->candidate);
}

// Makes contact points of the candidates, at most HFI_MAX_MANIFOLD. R's normal points out of its shape, so that the normal from
// B into A is -n where R is A.
static int write_points(Clip* c, hfiContactPoint* points) {
  choose_candidates(c);
  for (int i = 0; i < c->count; ++i) {
    const hfiOverlapPoint* kept = c->candidate + i;
    hfVec3 n = c->R_is_A ? v3_neg(c->n) : c->n, p_Cb = c->R_is_A ? kept->p : v3_axpy(kept->depth, n, kept->p);
    put_point(points + i, p_Cb, n, kept->depth, kept->feature);
  }
  return c->count;
}

int hfi_clip_facets(const hfiFacet* A, const hfiFacet* B, int reference_is_A, hfiContactPoint* points) {
  Clip c;
  c.R = reference_is_A ? A : B;
  c.I = reference_is_A ? B : A;
  c.n = c.R->normal;
  c.plane = v3_dot(c.n, c.R->vertex[0]);
  c.near = HFI_FLAT_TILT * min2(A->size, B->size);
  c.R_is_A = reference_is_A;
  c.count = 0;
  c.across = choose_direction(c.n);
  c.cells_per_metre = CELLS_PER_SIZE / min2(A->size, B->size);
  memset(c.taken, 0, sizeof c.taken);
  make_outline(c.R, c.n, &c.outline_R);
  make_outline(c.I, c.n, &c.outline_I);
  collect_vertices(&c);
  collect_crossings(&c);
  return write_points(&c, points);
}

int hfi_clip_segments(const hfiFacet* A, const hfiFacet* B, hfVec3 n, hfiContactPoint* points) {
  hfVec3 u = v3_sub(A->vertex[1], A->vertex[0]), v = v3_sub(B->vertex[1], B->vertex[0]);
  double uu = v3_norm2(u), vv = v3_norm2(v);
  if (!(v3_norm2(v3_cross(u, v)) <= sqr(HFI_FACET_ANGLE) * uu * vv)) return 0;
  // s0, s1: the ends of B projected onto A; 0 and 1 are the ends of A
  double s0 = v3_dot(u, v3_sub(B->vertex[0], A->vertex[0])) / uu, s1 = v3_dot(u, v3_sub(B->vertex[1], A->vertex[0])) / uu;
  double lo = max2(0, min2(s0, s1)), hi = min2(1, max2(s0, s1));
  if (!(lo < hi)) return 0;
  for (int k = 0; k < 2; ++k) {
    hfVec3 a = v3_axpy(k ? hi : lo, u, A->vertex[0]);
    hfVec3 b = v3_axpy(clamp(v3_dot(v, v3_sub(a, B->vertex[0])) / vv, 0, 1), v, B->vertex[0]);
    put_point(points + k, b, n, v3_dot(v3_sub(b, a), n), feature_id(HFI_EDGE_BIT | k, HFI_EDGE_BIT | k));
  }
  return 2;
}
