// Choosing the points of a flat contact.
#ifndef HFI_GEOMETRY_MANIFOLD_H
#define HFI_GEOMETRY_MANIFOLD_H

#include "step/geometry/shape.h"

// A disc tilted by less than this keeps rim points fixed to its own frame [rad]; the deepest point is
// then missed by at most (1 - cos 45) radius HFI_DISC_TILT.
static const double HFI_DISC_TILT = 1e-5;

// Does a disc lie on a plane, with the sine `tilt` of the angle between them? Then four contact points are fixed to it,
// and the deepest point of its rim joins them with the depth that it has beyond theirs. While the disc lies, the
// deepest point runs around the rim when the tilt changes by some microradians. If all contact points followed it, they
// would come and go, and the disc would be supported now here, now there.
int hfi_rim_lies(double tilt);

// Reduces the depth of a point by `loss` [m]: its point on A moves along the normal.
static inline void lessen_depth(hfiContactPoint* point, double loss) {
  point->depth -= loss;
  point->p_WCa = v3_axpy(loss, point->n_W, point->p_WCa);
}

// Takes a share of its depth from a point. One that is open stays as it is.
static inline void lose_depth(hfiContactPoint* point, double share) {
  lessen_depth(point, share * max2(0, point->depth));
}

// Of two points that are nearer to each other than `reach`, the shallower one loses a share of its depth, which falls
// from `share` to zero with their distance. Two points at the same place are nearly one: a corner of one face that
// moves over an edge of the other becomes two crossings, and so does the side of a can that comes over a corner. If
// each of these had the whole depth, the shape would be pushed up there at twice the force, turn, be back, and so on
// for ever.
void hfi_join_near(hfiContactPoint* points, int count, double reach, double share);
// Two points of faces lie beside each other if their distance is below this share of the size of the smaller shape [-].
static const double HFI_BESIDE = 0.01;
// Two ends of a side on a face lie beside each other if their distance is below this share of that size [-]. It is
// small, because ends on thin jaws have to keep their depth.
static const double HFI_ENDS_BESIDE = 1e-3;

// Reduces the depth of the deepest point, of a disc that lies, of sides along each other or of a side on a rim, to the
// amount by which it is deeper than the other points. The deepest of the others has the depth `others`. They carry the
// shape, so the force of this point must begin with zero when it joins them.
void hfi_share_depth(hfiContactPoint* point, double others, double slack);

// A candidate for a point of a flat contact.
typedef struct hfiOverlapPoint {
  hfVec3 p;
  double depth; // [m]
  uint32_t feature;
} hfiOverlapPoint;

// Takes candidates one by one and keeps at most HFI_MAX_MANIFOLD. If there are few, it keeps all; otherwise the
// outermost along eight directions almost across the normal. If the deepest candidate is deeper than these by more than
// `slack`, it replaces the shallowest.
typedef struct hfiThinning {
  hfVec3 direction[HFI_MAX_MANIFOLD];
  double slack; // [m]
  int count;    // number of candidates so far
  hfiOverlapPoint first[HFI_MAX_MANIFOLD];     // the first candidates
  hfiOverlapPoint outermost[HFI_MAX_MANIFOLD]; // the outermost candidate along each direction
  hfiOverlapPoint deepest;
} hfiThinning;

// n: the contact normal in the candidates' frame, a frame that moves with one of the bodies.
void hfi_thinning_start(hfiThinning* thin, hfVec3 n, double slack);
void hfi_thinning_add(hfiThinning* thin, hfVec3 p, double depth, uint32_t feature);
// The outermost candidates alone, of at least one. Returns their number.
int hfi_thinning_outermost(const hfiThinning* thin, hfiOverlapPoint* kept); // (HFI_MAX_MANIFOLD)
// The points that are kept. Returns their number.
int hfi_thinning_finish(const hfiThinning* thin, hfiOverlapPoint* kept); // (HFI_MAX_MANIFOLD)

#endif
