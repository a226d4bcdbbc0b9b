// The edges of an outline that a point is beyond.
//
//   out[k]   outward unit vector of edge k     offset[k]  out[k].x of the points x of its line
//   middle   a point inside of the outline     inner      distance from it to the nearest edge
//   r        x - middle
//
// A point is beyond edge k by out[k].x - offset[k] = out[k].r - (distance from the middle to edge k) <= out[k].r -
// inner. So only an edge with out[k].r > inner can have the point beyond it. Edges that face away from the point, or
// that face it too little, need not be examined.
//
// Faces of round parts have up to 64 edges. Where each edge turns against the one before, out[k].r rises from its least
// value to its greatest one and falls again while k goes round. The search therefore climbs to the edge that faces r
// most, and goes on from it in both directions as long as out[k].r > inner. Consecutive points are mostly near each
// other, so that the climb is short if it starts at the edge that faced the last point. If |r| <= inner, no edge has
// out[k].r > inner.
#include "step/geometry/outline.h"

#include "base/compile.h"

// Neighbouring edges of a round outline turn by at least this: far above the rounding errors of directions [rad].
static const double LEAST_TURN = 1e-6;

static int edge_after(const hfiOutline* o, int k) { return k + 1 < o->count ? k + 1 : 0; }
static int edge_before(const hfiOutline* o, int k) { return k ? k - 1 : o->count - 1; }

// The edge after edge k (ahead 1) or before it (ahead 0).
HFI_FORCE_INLINE int neighbour(const hfiOutline* o, int k, int ahead) {
  return ahead ? edge_after(o, k) : edge_before(o, k);
}

// Decides whether the outline is round, and if it is, computes its middle and `inner`. up: the axis about which the
// edges run counter-clockwise.
static void find_roundness(hfiOutline* o, const hfiFacet* polygon, hfVec3 up) {
  hfVec3 sum = v3_zero();
  for (int k = 0; k < polygon->count; ++k) {
    double turn = v3_dot(up, v3_cross(o->out[k], o->out[edge_after(o, k)]));
    if (!(turn > LEAST_TURN)) return;
    sum = v3_add(sum, polygon->vertex[k]);
  }

  o->middle = v3_scale(1.0 / polygon->count, sum);
  o->inner = INFINITY;
  for (int k = 0; k < polygon->count; ++k) o->inner = min2(o->inner, -hfi_outline_beyond(o, k, o->middle));
  o->is_round = o->inner > 0;
}

// Computes the outline of a polygon as seen along an axis.
void hfi_outline_make(hfiOutline* o, const hfiFacet* polygon, hfVec3 axis) {
  hfVec3 up = v3_dot(polygon->normal, axis) < 0 ? v3_neg(axis) : axis;

  o->count = polygon->count;
  o->is_round = 0;
  o->facing = 0;
  for (int k = 0; k < polygon->count; ++k) {
    hfVec3 edge = v3_sub(hfi_facet_edge_end(polygon, k), polygon->vertex[k]);
    o->out[k] = v3_unit(v3_cross(edge, up));
    o->offset[k] = v3_dot(o->out[k], polygon->vertex[k]);
  }
  if (polygon->count > HFI_FEW_EDGES) find_roundness(o, polygon, up);
}

// Goes from edge k to its neighbours on one side as long as they face r more. Returns the last one.
HFI_FORCE_INLINE int climb(const hfiOutline* o, hfVec3 r, int k, int ahead) {
  double largest = v3_dot(o->out[k], r);

  for (int next = neighbour(o, k, ahead);; next = neighbour(o, next, ahead)) {
    double facing = v3_dot(o->out[next], r);
    if (!(facing > largest)) return k;
    largest = facing;
    k = next;
  }
}

// Returns the edge of a round outline that faces r most.
static int find_facing(const hfiOutline* o, hfVec3 r) {
  int ahead = climb(o, r, o->facing, 1);
  return ahead != o->facing ? ahead : climb(o, r, o->facing, 0);
}

// Is x beyond edge k by more than `near`, or not a number?
HFI_FORCE_INLINE int is_beyond(const hfiOutline* o, int k, hfVec3 x, double near) {
  return !(hfi_outline_beyond(o, k, x) <= near);
}

// Goes round from edge k in one direction as long as edges face r enough. Returns the edges that x is beyond, or with
// `any` the first of them. The loop ends because the edges turn all the way round: some have out[k].r < 0 < inner.
HFI_FORCE_INLINE hfiEdgeSet find_edges_from(const hfiOutline* o, hfVec3 x, hfVec3 r, double near, int k, int ahead,
                                            int any) {
  hfiEdgeSet set = 0;
  while (v3_dot(o->out[k], r) > o->inner && !(any && set)) {
    set |= (hfiEdgeSet)is_beyond(o, k, x, near) << k;
    k = neighbour(o, k, ahead);
  }
  return set;
}

// Returns the edges that x is beyond by more than `near`, or with `any` one of them. Writes o->facing.
HFI_FORCE_INLINE hfiEdgeSet find_edges(hfiOutline* o, hfVec3 x, double near, int any) {
  if (!o->is_round) {
    hfiEdgeSet set = 0;
    for (int k = 0; k < o->count && !(any && set); ++k) set |= (hfiEdgeSet)is_beyond(o, k, x, near) << k;
    return set;
  }

  hfVec3 r = v3_sub(x, o->middle);
  if (v3_norm2(r) <= sqr(o->inner)) return 0;

  // from the edge that faces x most, in both directions
  o->facing = find_facing(o, r);
  hfiEdgeSet ahead = find_edges_from(o, x, r, near, o->facing, 1, any);
  if (any && ahead) return ahead;
  return ahead | find_edges_from(o, x, r, near, edge_before(o, o->facing), 0, any);
}

// Returns the edges that x is beyond by more than `near` [m].
hfiEdgeSet hfi_outline_edges_beyond(hfiOutline* o, hfVec3 x, double near) { return find_edges(o, x, near, 0); }

// Returns one edge that x is beyond by more than `near` [m], or -1.
int hfi_outline_edge_beyond(hfiOutline* o, hfVec3 x, double near) {
  hfiEdgeSet found = find_edges(o, x, near, 1);
  return found ? __builtin_ctzll(found) : -1;
}
