// Choosing the points of a flat contact.
#ifndef HFI_GEOMETRY_MANIFOLD_H
#define HFI_GEOMETRY_MANIFOLD_H

#include "geometry/shape.h"

// A disc tilted by less than this keeps rim points fixed to its own frame [rad]; the deepest point is
// then missed by at most (1 - cos 45) radius HFI_DISC_TILT.
static const double HFI_DISC_TILT = 1e-5;

// Does a disc lie on a plane, so that it has four points that are fixed to it? `tilt` is the sine of the angle between them, `gap` the distance of the
// disc's middle from the plane. It does not where it touches with nothing but the deepest point of its rim. While it lies that point goes round the rim
// when the tilt changes by some microradians, and points that went with it would come and go, or carry the disc now here, now there.
int hfi_rim_lies(double radius, double tilt, double gap);

// Reduces the depth of the deepest point, of a disc that lies or of sides along each other, to what it is deeper than the other points, of which
// the deepest has the depth `others`. They carry the shape, and the force of this point begins with zero where it joins them.
void hfi_share_depth(hfiContactPoint* point, double others, double slack);

typedef struct hfiOverlapPoint {
  hfVec3 p;
  double depth;
  uint32_t feature;
} hfiOverlapPoint;

// Streams candidates and keeps at most HFI_MAX_MANIFOLD: all of them when they are few, else the
// outermost along eight directions almost across the normal, with the deepest in place of the shallowest
// where it is deeper than those by more than `slack`.
typedef struct hfiThinning {
  hfVec3 direction[HFI_MAX_MANIFOLD];
  double slack;
  int count;
  hfiOverlapPoint first[HFI_MAX_MANIFOLD], outermost[HFI_MAX_MANIFOLD], deepest;
} hfiThinning;

// n: the contact normal in the candidates' frame, a frame that moves with one of the bodies.
void hfi_thinning_start(hfiThinning* thin, hfVec3 n, double slack);
void hfi_thinning_add(hfiThinning* thin, hfVec3 p, double depth, uint32_t feature);
int hfi_thinning_finish(const hfiThinning* thin, hfiOverlapPoint* kept); // (HFI_MAX_MANIFOLD)

#endif
