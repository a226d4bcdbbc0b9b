// The edges of an outline that a point is beyond.
//
//   out[k]   outward unit vector of edge k     offset[k]  out[k].x of the points x of its line
//   middle   a point inside of the outline     inner      distance from it to the nearest edge
//   r        x - middle
//
// A point is beyond edge k by out[k].x - offset[k] = out[k].r - (distance from the middle to edge k) <= out[k].r - inner. So only an edge with
// out[k].r > inner can have the point beyond it. Edges that face away from the point, or that face it too little, need not be examined.
//
// Faces of round parts have up to 64 edges. Where each edge turns against the one before, out[k].r rises from its least value to its greatest one and
// falls again while k goes round. The search therefore climbs to the edge that faces r most, and goes on from it in both directions as long as
// out[k].r > inner. Consecutive points are mostly near each other, so that the climb is short if it starts at the edge that faced the last point.
// If |r| <= inner, no edge has out[k].r > inner.
#include "step/geometry/outline.h"

#include "base/compile.h"

// Neighbouring edges of a round outline turn by at least this: far above the rounding errors of directions [rad].
static const double LEAST_TURN = 1e-6;

static int edge_after(const hfiOutline* o, int k) { return k + 1 < o->count ? k + 1 : 0; }
static int edge_before(const hfiOutline* o, int k) { return k ? k - 1 : o->count - 1; }
HFI_FORCE_INLINE int neighbour(const hfiOutline* o, int k, int ahead) {
  return ahead ? edge_after(o, k) : edge_before(o, k);
}

// Decides whether the outline is round. `up` is the axis about which it runs counter-clockwise.
static void look_for_turns(hfiOutline* o, const hfiFacet* f, hfVec3 up) {
  hfVec3 sum = v3_zero();
  for (int k = 0; k < f->count; ++k) {
    if (!(v3_dot(up, v3_cross(o->out[k], o->out[edge_after(o, k)])) > LEAST_TURN)) return;
    sum = v3_add(sum, f->vertex[k]);
  }
  o->middle = v3_scale(1.0 / f->count, sum);
  o->inner = INFINITY;
  for (int k = 0; k < f->count; ++k) o->inner = min2(o->inner, -hfi_outline_beyond(o, k, o->middle));
  o->is_round = o->inner > 0;
}

void hfi_outline_make(hfiOutline* o, const hfiFacet* f, hfVec3 axis) {
  hfVec3 up = v3_dot(f->normal, axis) < 0 ? v3_neg(axis) : axis;
  o->count = f->count, o->is_round = 0, o->facing = 0;
  for (int k = 0; k < f->count; ++k) {
    o->out[k] = v3_unit(v3_cross(v3_sub(hfi_facet_edge_end(f, k), f->vertex[k]), up));
    o->offset[k] = v3_dot(o->out[k], f->vertex[k]);
  }
  if (f->count > HFI_FEW_EDGES) look_for_turns(o, f, up);
}

// Goes from edge k to its neighbours on one side as long as they face r more, and returns the last one.
HFI_FORCE_INLINE int climb(const hfiOutline* o, hfVec3 r, int k, int ahead) {
  double most = v3_dot(o->out[k], r), other;
  for (int j = neighbour(o, k, ahead); (other = v3_dot(o->out[j], r)) > most; j = neighbour(o, j, ahead)) most = other, k = j;
  return k;
}

// The edge of a round outline that faces r most.
static int find_facing(const hfiOutline* o, hfVec3 r) {
  int ahead = climb(o, r, o->facing, 1);
  return ahead != o->facing ? ahead : climb(o, r, o->facing, 0);
}

HFI_FORCE_INLINE int is_beyond(const hfiOutline* o, int k, hfVec3 x, double near) {
  return !(hfi_outline_beyond(o, k, x) <= near);
}

// Goes round from edge k in one direction as long as edges face r enough. Returns the edges that x is beyond, or with `any` the first of them. The
// loop ends because the edges turn all the way round: some have out[k].r < 0 < inner.
HFI_FORCE_INLINE hfiEdgeSet look_round(const hfiOutline* o, hfVec3 x, hfVec3 r, double near, int k, int ahead,
                                       int any) {
  hfiEdgeSet set = 0;
  for (; v3_dot(o->out[k], r) > o->inner && !(any && set); k = neighbour(o, k, ahead)) set |= (hfiEdgeSet)is_beyond(o, k, x, near) << k;
  return set;
}

// The edges that x is beyond by more than `near`, or with `any` one of them.
HFI_FORCE_INLINE hfiEdgeSet find_edges(hfiOutline* o, hfVec3 x, double near, int any) {
  hfiEdgeSet set = 0;
  if (!o->is_round) {
    for (int k = 0; k < o->count && !(any && set); ++k) set |= (hfiEdgeSet)is_beyond(o, k, x, near) << k;
    return set;
  }
  hfVec3 r = v3_sub(x, o->middle);
  if (v3_norm2(r) <= sqr(o->inner)) return 0;
  o->facing = find_facing(o, r);
  set = look_round(o, x, r, near, o->facing, 1, any);
  return any && set ? set : set | look_round(o, x, r, near, edge_before(o, o->facing), 0, any);
}

hfiEdgeSet hfi_outline_edges_beyond(hfiOutline* o, hfVec3 x, double near) { return find_edges(o, x, near, 0); }

int hfi_outline_edge_beyond(hfiOutline* o, hfVec3 x, double near) {
  hfiEdgeSet one = find_edges(o, x, near, 1);
  return one ? __builtin_ctzll(one) : -1;
}
