// The overlap of a reference facet R and an incident facet I, seen along R's normal n.
//
// The overlap of two convex outlines has its corners at vertices of I inside R, at vertices of R inside I, and at
// crossings of their edges. Four points on the rim of a disc take the place of its vertices. Each corner is a candidate
// for a contact point. Candidates lie on I; their depth is measured from R's plane. At most HFI_MAX_MANIFOLD of them
// become contact points.
//
// Rounding errors must not change the set of points. Therefore a vertex counts as inside up to `near` beyond the
// outline, and a candidate that is within `near` of an earlier one is left out. Vertices of I are added first, then
// vertices of R, then crossings, so that a vertex is preferred to a crossing at the same place.
//
// Features: (1 + vertex, 0) for a vertex of A, (0, 1 + vertex) for one of B, (edge, edge) | HFI_EDGE_BIT for a
// crossing.
#include "step/geometry/clip.h"

#include "math/index.h"

#include "step/geometry/manifold.h"
#include "step/geometry/outline.h"
#include "step/geometry/pairs.h"

#include <string.h>

enum { MOST_CANDIDATES = 4 * HFI_FACET_MAX };
enum { CELLS = 1024 }; // number of bits for cells; a multiple of 64

// Below this cosine of the angle between the normals, the incident facet is seen almost edge-on: a point of R cannot be
// projected onto it [-].
static const double STEEP_COSINE = 0.05;
// Above this cosine, a tilted incident disc still looks like a circle [-].
static const double CIRCLE_COSINE = 0.999;
// Number of cells on the extent of the smaller shape: a cell is far longer than 4 near [-].
static const double CELLS_PER_SIZE = 512;
// Cells farther than this many from the first one count as one cell [-].
static const double LAST_CELL = 1e9;

// A quick test whether any candidate is near a point. A line across n is divided into cells longer than 4 near. The bit
// of a cell is set if a candidate projects into the cell. If the bits of the cells at 2 near on either side of a point
// are not set, no candidate is near the point. Otherwise the point must be compared with the candidates, which may be
// far away nevertheless: across the line, or in another cell, because cells that are CELLS apart share a bit.
typedef struct Cells {
  hfVec3 origin;              // origin of the line: a vertex of the smaller facet, so that all candidates are near it
  hfVec3 direction;           // direction of the line
  double per_metre;           // number of cells in a metre [1/m]
  uint64_t taken[CELLS / 64]; // one bit for each cell
} Cells;

typedef struct Clip {
  const hfiFacet* R;
  const hfiFacet* I;
  hfVec3 n;     // R's normal
  double plane; // n.x on R [m]
  double near;  // points nearer to each other than this are one [m]
  int R_is_A;   // 1: R is the facet of A, 0: of B
  // valid if R is a polygon
  hfiOutline outline_R;
  int8_t cut[HFI_FACET_MAX];        // an edge of R that each vertex of I is beyond, or -1
  hfiEdgeSet beyond[HFI_FACET_MAX]; // all edges of R that a vertex of I is beyond, if its bit in `known` is set
  uint64_t known;
  // the candidates
  Cells cells;
  int count;
  hfiOverlapPoint candidate[MOST_CANDIDATES];
} Clip;

// Do both facets have straight edges?
static int has_edges(const Clip* c) { return c->R->kind == HFI_FACET_POLYGON && c->I->kind != HFI_FACET_DISC; }

// Returns the number of straight edges of a facet.
static int edge_count(const hfiFacet* f) {
  if (f->kind == HFI_FACET_POLYGON) return f->count;
  return f->kind == HFI_FACET_SEGMENT ? 1 : 0;
}

// Projects x along n onto the plane of the facet.
static hfVec3 project_onto(const hfiFacet* f, hfVec3 n, hfVec3 x) {
  return v3_axpy(v3_dot(f->normal, v3_sub(f->vertex[0], x)) / v3_dot(f->normal, n), n, x);
}

// ---- candidates -----------------------------------------------------------------------------------

// A direction across n that is unlikely to be one of symmetry, so that few vertices share a cell.
static hfVec3 choose_direction(hfVec3 n) {
  hfVec3 askew = {0.3, 0.5, 0.8};
  return v3_unit(v3_axpy(-v3_dot(n, askew), n, askew));
}

// Empties all cells. smaller: the smaller one of the two facets.
static void start_cells(Cells* cells, hfVec3 n, const hfiFacet* smaller) {
  cells->origin = smaller->vertex[0];
  cells->direction = choose_direction(n);
  cells->per_metre = CELLS_PER_SIZE / smaller->size;
  memset(cells->taken, 0, sizeof cells->taken);
}

// The place of p on the line [m].
static double place_on_line(const Cells* cells, hfVec3 p) { return v3_dot(cells->direction, v3_sub(p, cells->origin)); }

// The bit of the cell at a place on the line.
static int cell_at(const Cells* cells, double place) {
  int cell = hfi_index_between(place * cells->per_metre, -(int)LAST_CELL, (int)LAST_CELL);
  return (int)((uint32_t)cell % CELLS);
}

static int is_taken(const Cells* cells, int cell) { return cells->taken[cell / 64] >> cell % 64 & 1; }
static void take_cell(Cells* cells, int cell) { cells->taken[cell / 64] |= (uint64_t)1 << cell % 64; }

// Is a candidate within `near` of p, which lies at `place`? Its place differs by at most `near`, so that it shares a
// cell with one of two places beside p.
static int has_candidate_near(const Clip* c, hfVec3 p, double place) {
  int before = cell_at(&c->cells, place - 2 * c->near);
  int after = cell_at(&c->cells, place + 2 * c->near);
  if (!is_taken(&c->cells, before) && !is_taken(&c->cells, after)) return 0;

  for (int i = 0; i < c->count; ++i)
    if (v3_norm2(v3_sub(c->candidate[i].p, p)) <= sqr(c->near)) return 1;
  return 0;
}

// Adds a candidate at p, unless an earlier one is near or there is no room.
static void add_candidate(Clip* c, hfVec3 p, uint32_t feature) {
  double place = place_on_line(&c->cells, p);
  if (c->count == MOST_CANDIDATES || has_candidate_near(c, p, place)) return;
  take_cell(&c->cells, cell_at(&c->cells, place));
  c->candidate[c->count++] = (hfiOverlapPoint){p, c->plane - v3_dot(c->n, p), feature};
}

// The feature of a vertex of A (of_A 1) or B.
static uint32_t vertex_feature(int of_A, int32_t id) { return of_A ? feature_id(1 + id, 0) : feature_id(0, 1 + id); }

// The feature of the crossing of two edges.
static uint32_t crossing_feature(const Clip* c, int edge_R, int edge_I) {
  if (c->R_is_A) return feature_id(HFI_EDGE_BIT | edge_R, HFI_EDGE_BIT | edge_I);
  return feature_id(HFI_EDGE_BIT | edge_I, HFI_EDGE_BIT | edge_R);
}

// ---- vertices -------------------------------------------------------------------------------------

// Minus the projection of the other plane's normal onto the disc. It points to the deepest rim point, and its length is
// the sine of the tilt.
static hfVec3 tilt_of(const hfiFacet* disc, const hfiFacet* other) {
  return v3_sub(v3_scale(v3_dot(other->normal, disc->normal), disc->normal), other->normal);
}

int hfi_disc_lies(const hfiFacet* f, const hfiFacet* other) {
  return f->kind == HFI_FACET_DISC && hfi_rim_lies(v3_norm(tilt_of(f, other)));
}

// The vertices of a facet, or four rim points of a disc, with their ids.
typedef struct Corners {
  int count;
  const hfVec3* vertex;
  const int32_t* id;
  hfVec3 rim[4];
  int32_t rim_id[4];
} Corners;

// Lists the corners of a facet. Where a disc does not lie flat on the plane of `other`, the first rim point is the one
// that is deepest below that plane; otherwise the four points are fixed to the disc. The two patterns have different
// ids.
static void list_corners(const hfiFacet* f, const hfiFacet* other, Corners* corners) {
  corners->count = f->count;
  corners->vertex = f->vertex;
  corners->id = f->id;
  if (f->kind != HFI_FACET_DISC) return;

  // directions from the centre to the rim points
  int is_turned = !hfi_disc_lies(f, other);
  hfVec3 u = is_turned ? v3_unit(tilt_of(f, other)) : f->x;
  hfVec3 v = is_turned ? v3_cross(f->normal, u) : f->y;
  hfVec3 out[4] = {u, v, v3_neg(u), v3_neg(v)};
  for (int k = 0; k < 4; ++k) {
    corners->rim[k] = v3_axpy(f->radius, out[k], f->vertex[0]);
    corners->rim_id[k] = f->id[0] + (is_turned ? 4 : 0) + k;
  }
  corners->count = 4;
  corners->vertex = corners->rim;
  corners->id = corners->rim_id;
}

// Is x, seen along n, inside of the disc or at most `near` outside of it?
static int is_in_disc(const Clip* c, const hfiFacet* disc, hfVec3 x) {
  return v3_norm(v3_sub(project_onto(disc, c->n, x), disc->vertex[0])) - disc->radius <= c->near;
}

// Finds an edge of the polygon R that vertex k of I, at x, is beyond, and where R has few edges all of them. Writes
// c->cut, beyond and known.
static void find_cut(Clip* c, int k, hfVec3 x) {
  if (c->R->count > HFI_FEW_EDGES) {
    c->cut[k] = (int8_t)hfi_outline_edge_beyond(&c->outline_R, x, c->near);
    return;
  }

  hfiEdgeSet set = hfi_outline_edges_beyond(&c->outline_R, x, c->near);
  c->beyond[k] = set;
  c->cut[k] = (int8_t)(set ? __builtin_ctzll(set) : -1);
  c->known |= (uint64_t)1 << k;
}

// Adds the vertices of I inside R.
static void collect_incident_vertices(Clip* c) {
  Corners corners;
  list_corners(c->I, c->R, &corners);

  for (int k = 0; k < corners.count; ++k) {
    hfVec3 x = corners.vertex[k];
    int is_inside;
    if (c->R->kind == HFI_FACET_DISC) {
      is_inside = is_in_disc(c, c->R, x);
    } else {
      find_cut(c, k, x);
      is_inside = c->cut[k] < 0;
    }
    if (is_inside) add_candidate(c, x, vertex_feature(!c->R_is_A, corners.id[k]));
  }
}

// Adds the vertices of R inside I, projected onto I. A segment has no inside.
static void collect_reference_vertices(Clip* c) {
  if (c->I->kind == HFI_FACET_SEGMENT || fabs(v3_dot(c->I->normal, c->n)) < STEEP_COSINE) return;

  hfiOutline outline;
  if (c->I->kind == HFI_FACET_POLYGON) hfi_outline_make(&outline, c->I, c->n);
  Corners corners;
  list_corners(c->R, c->I, &corners);

  for (int k = 0; k < corners.count; ++k) {
    hfVec3 x = corners.vertex[k];
    int is_inside;
    if (c->I->kind == HFI_FACET_DISC) is_inside = is_in_disc(c, c->I, x);
    else is_inside = hfi_outline_edge_beyond(&outline, x, c->near) < 0;
    if (is_inside) add_candidate(c, project_onto(c->I, c->n, x), vertex_feature(c->R_is_A, corners.id[k]));
  }
}

// ---- crossings ------------------------------------------------------------------------------------

// Adds the crossing of edge i of I, from a to b, with edge j of R, if there is one. Where an end is within `near` of
// the other edge's line, that end is a candidate already.
static void cross_edges(Clip* c, int i, hfVec3 a, hfVec3 b, int j) {
  double beyond_a = hfi_outline_beyond(&c->outline_R, j, a);
  double beyond_b = hfi_outline_beyond(&c->outline_R, j, b);
  int are_on_two_sides = (beyond_a < 0) != (beyond_b < 0);
  if (!are_on_two_sides || fabs(beyond_a) <= c->near || fabs(beyond_b) <= c->near) return;

  // the crossing with the line must be within the other edges of R
  hfVec3 x = v3_axpy(beyond_a / (beyond_a - beyond_b), v3_sub(b, a), a);
  hfiEdgeSet others = hfi_outline_edges_beyond(&c->outline_R, x, c->near) & ~((hfiEdgeSet)1 << j);
  if (!others) add_candidate(c, x, crossing_feature(c, j, i));
}

// Returns the edges of R that vertex k of I is beyond. Computes them when they are first asked for.
static hfiEdgeSet find_edges_beyond(Clip* c, int k) {
  uint64_t bit = (uint64_t)1 << k;
  if (!(c->known & bit)) {
    int is_inside = c->cut[k] < 0;
    c->beyond[k] = is_inside ? 0 : hfi_outline_edges_beyond(&c->outline_R, c->I->vertex[k], c->near);
    c->known |= bit;
  }
  return c->beyond[k];
}

// Is vertex `next` of I beyond the edge of R that is known to cut off vertex k? Then the edge of I between the two is
// all outside.
static int is_beyond_cut_of(const Clip* c, int k, int next) {
  return c->cut[k] >= 0 && hfi_outline_beyond(&c->outline_R, c->cut[k], c->I->vertex[next]) > c->near;
}

// Adds the crossings of the edges of I, a polygon or segment, with the edges of R, a polygon. An edge of I can cross
// only those edges of R that one of its ends is beyond and the other is not. Most edges are seen to be inside or
// outside of R before all these are found.
static void cross_polygon(Clip* c) {
  for (int i = 0; i < edge_count(c->I); ++i) {
    int next = i + 1 < c->I->count ? i + 1 : 0;
    if (c->cut[i] < 0 && c->cut[next] < 0) continue;
    if (is_beyond_cut_of(c, i, next) || is_beyond_cut_of(c, next, i)) continue;

    // takes edge by edge from the set
    hfiEdgeSet set = find_edges_beyond(c, i) ^ find_edges_beyond(c, next);
    for (; set; set &= set - 1) {
      int edge_R = __builtin_ctzll(set);
      cross_edges(c, i, c->I->vertex[i], c->I->vertex[next], edge_R);
    }
  }
}

// Finds the parameters where the line a + t (b - a) crosses the rim of a disc. Returns 0 if it does not.
static int cross_circle(const hfiFacet* disc, hfVec3 a, hfVec3 b, double t[2]) {
  // |r + t d|^2 = radius^2
  hfVec3 d = v3_sub(b, a);
  hfVec3 r = v3_sub(a, disc->vertex[0]);
  double dd = v3_norm2(d);
  double rd = v3_dot(r, d);
  double discriminant = rd * rd - dd * (v3_norm2(r) - sqr(disc->radius));
  if (!(discriminant > 0 && dd > 0)) return 0;

  t[0] = (-rd - sqrt(discriminant)) / dd;
  t[1] = (-rd + sqrt(discriminant)) / dd;
  return 1;
}

// Adds the crossings of the edges of a polygon or segment with the rim of a disc, seen along n in the disc's plane.
static void cross_disc(Clip* c, const hfiFacet* straight, const hfiFacet* disc) {
  for (int i = 0; i < edge_count(straight); ++i) {
    hfVec3 a = straight->vertex[i];
    hfVec3 b = hfi_facet_edge_end(straight, i);
    double t[2]; // parameters of the two crossings
    if (!cross_circle(disc, project_onto(disc, c->n, a), project_onto(disc, c->n, b), t)) continue;

    for (int k = 0; k < 2; ++k) {
      if (!(t[k] > 0 && t[k] < 1)) continue;

      hfVec3 x = v3_axpy(t[k], v3_sub(b, a), a);
      if (straight == c->R) add_candidate(c, project_onto(c->I, c->n, x), crossing_feature(c, i, k));
      else add_candidate(c, x, crossing_feature(c, k, i));
    }
  }
}

// Adds the corners of the overlap of two discs whose rims cross, and the middles of the two arcs between them, computed
// in R's plane as if I were parallel to it. Without the middles, a disc whose centre of mass is above the overlap, but
// beyond the straight line between the corners, would tip over this line onto the arc, and be pushed back a step later.
static void cross_discs(Clip* c) {
  // the line from R's centre to I's, of length d
  hfVec3 line = v3_sub(c->I->vertex[0], c->R->vertex[0]);
  line = v3_axpy(-v3_dot(c->n, line), c->n, line);
  double d = v3_norm(line);

  // the rims cross at `along` on this line, at `beside` on both sides of it
  double r = c->R->radius;
  double along = 0.5 * (d + (r - c->I->radius) * (r + c->I->radius) / d);
  double beside2 = r * r - along * along;
  if (!(d > c->near && beside2 > 0)) return; // One disc covers the other, or they are apart: the rims do not cross.

  hfVec3 u = v3_scale(1 / d, line);
  hfVec3 v = v3_cross(c->n, u);
  double beside = sqrt(beside2);
  const double place[4][2] = {{along, beside}, {along, -beside}, {r, 0}, {d - c->I->radius, 0}};
  for (int k = 0; k < 4; ++k) {
    hfVec3 x = v3_add(c->R->vertex[0], v3_add(v3_scale(place[k][0], u), v3_scale(place[k][1], v)));
    add_candidate(c, project_onto(c->I, c->n, x), crossing_feature(c, k, k));
  }
}

// Adds the crossings of the two outlines. A disc that is tilted more than CIRCLE_COSINE allows touches with its deepest
// rim point alone.
static void collect_crossings(Clip* c) {
  double facing = fabs(v3_dot(c->I->normal, c->n));
  int R_is_disc = c->R->kind == HFI_FACET_DISC;
  int I_is_disc = c->I->kind == HFI_FACET_DISC;

  if (has_edges(c)) cross_polygon(c);
  else if (R_is_disc && !I_is_disc) cross_disc(c, c->I, c->R);
  else if (c->R->kind == HFI_FACET_POLYGON && facing >= STEEP_COSINE) cross_disc(c, c->R, c->I);
  else if (R_is_disc && facing >= CIRCLE_COSINE) cross_discs(c);
}

// ---- contact points -------------------------------------------------------------------------------

// Chooses the candidates that become contact points: few are all kept as they are, of many the outermost. If the
// deepest one is not among them, the deepest point of the pair joins them later (touch.c): with its whole depth it
// would come and go here when the depths change by rounding errors.
static void choose_candidates(Clip* c) {
  if (c->count <= HFI_MAX_MANIFOLD) return;

  hfiThinning thin;
  hfi_thinning_start(&thin, c->n, c->near);
  for (int i = 0; i < c->count; ++i) {
    const hfiOverlapPoint* x = c->candidate + i;
    hfi_thinning_add(&thin, x->p, x->depth, x->feature);
  }
  c->count = hfi_thinning_outermost(&thin, c->candidate);
}

// Makes contact points of the candidates, at most HFI_MAX_MANIFOLD. R's normal points out of its shape, so that the
// normal from B into A is -n where R is A.
static int write_points(Clip* c, hfiContactPoint* points) {
  choose_candidates(c);
  for (int i = 0; i < c->count; ++i) {
    const hfiOverlapPoint* kept = c->candidate + i;
    hfVec3 n = c->R_is_A ? v3_neg(c->n) : c->n;
    hfVec3 p_Cb = c->R_is_A ? kept->p : v3_axpy(kept->depth, n, kept->p);
    put_point(points + i, p_Cb, n, kept->depth, kept->feature);
  }
  return c->count;
}

// Finds the contact points of two facets, in the frame of the facets, on their overlap. Returns their number, at most
// HFI_MAX_MANIFOLD.
int hfi_clip_facets(const hfiFacet* A, const hfiFacet* B, int reference_is_A, hfiContactPoint* points) {
  const hfiFacet* smaller = A->size < B->size ? A : B;

  // member by member: an initialiser would also clear the candidates
  Clip c;
  c.R = reference_is_A ? A : B;
  c.I = reference_is_A ? B : A;
  c.n = c.R->normal;
  c.plane = v3_dot(c.n, c.R->vertex[0]);
  c.near = HFI_FLAT_TILT * smaller->size;
  c.R_is_A = reference_is_A;
  c.count = 0;
  c.known = 0;
  start_cells(&c.cells, c.n, smaller);
  if (c.R->kind == HFI_FACET_POLYGON) hfi_outline_make(&c.outline_R, c.R, c.n);

  collect_incident_vertices(&c);
  collect_reference_vertices(&c);
  collect_crossings(&c);
  return write_points(&c, points);
}

// Finds the contact points at the ends of the overlap of two nearly parallel segments. n: normal from B into A. Returns
// 2, or 0 if they do not overlap or are not nearly parallel.
int hfi_clip_segments(const hfiFacet* A, const hfiFacet* B, hfVec3 n, hfiContactPoint* points) {
  hfVec3 u = v3_sub(A->vertex[1], A->vertex[0]);
  hfVec3 v = v3_sub(B->vertex[1], B->vertex[0]);
  double uu = v3_norm2(u);
  double vv = v3_norm2(v);
  if (!(v3_norm2(v3_cross(u, v)) <= sqr(HFI_FACET_ANGLE) * uu * vv)) return 0;

  // s0, s1: the ends of B projected onto A; 0 and 1 are the ends of A
  double s0 = v3_dot(u, v3_sub(B->vertex[0], A->vertex[0])) / uu;
  double s1 = v3_dot(u, v3_sub(B->vertex[1], A->vertex[0])) / uu;
  double lo = max2(0, min2(s0, s1));
  double hi = min2(1, max2(s0, s1));
  if (!(lo < hi)) return 0;

  for (int k = 0; k < 2; ++k) {
    hfVec3 a = v3_axpy(k ? hi : lo, u, A->vertex[0]);
    hfVec3 b = v3_axpy(clamp(v3_dot(v, v3_sub(a, B->vertex[0])) / vv, 0, 1), v, B->vertex[0]);
    put_point(points + k, b, n, v3_dot(v3_sub(b, a), n), feature_id(HFI_EDGE_BIT | k, HFI_EDGE_BIT | k));
  }
  return 2;
}
