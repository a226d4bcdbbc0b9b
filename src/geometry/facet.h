// The flat part of a shape that looks in a direction: what a flat contact is clipped from.
#ifndef HFI_GEOMETRY_FACET_H
#define HFI_GEOMETRY_FACET_H

#include "geometry/shape.h"

enum { HFI_FACET_MAX = 64 };

// Directions closer than this to a face's normal, or to the plane across a straight side, count as
// along it [rad]. The normal of a contact jumps by at most this where a face takes over from an edge.
static const double HFI_FACET_ANGLE = 3e-3;

typedef enum hfiFacetKind {
  HFI_FACET_NONE,    // curved or pointed there
  HFI_FACET_SEGMENT, // vertex[0..1]
  HFI_FACET_POLYGON, // vertex[0..count-1] counter-clockwise seen against the normal
  HFI_FACET_DISC     // about vertex[0]
} hfiFacetKind;

typedef struct hfiFacet {
  int kind, count;
  hfVec3 normal;       // outward; of a segment: the direction asked for
  hfVec3 x, y;         // disc: axes fixed to the shape
  double radius;       // disc [m]
  double size;         // extent of the shape, for tolerances [m]
  hfVec3 vertex[HFI_FACET_MAX];
  int32_t id[HFI_FACET_MAX]; // of the vertices; of a disc: of its first rim point
} hfiFacet;

// Where edge k of a polygon, or a segment, ends; it begins at vertex k.
static inline hfVec3 hfi_facet_edge_end(const hfiFacet* f, int k) { return f->vertex[k + 1 < f->count ? k + 1 : 0]; }

// A round side looks along d rather than a cap while the sine of d's tilt is up to this. A side on a face stays
// two points as long as both are near: soft contact may tilt it by its depth over its length.
static const double HFI_SIDE_TILT = 0.7;

// The straight side of a shape of radius size[0] about |z| <= size[1], at the unit direction `out` from the axis.
void hfi_facet_side(const hfiShape* shape, const hfPose* X, hfVec3 out, hfiFacet* facet);

// Facet of the shape at pose X that looks most along the unit direction d, both in the frame of X's
// parent. A polygon of more than HFI_FACET_MAX vertices is thinned to every k-th.
void hfi_facet(const hfiShape* shape, const hfPose* X, hfVec3 d, hfiFacet* facet);

// The facet that is face `face` of a mesh.
void hfi_facet_of_face(const hfiShape* mesh, const hfPose* X, int32_t face, hfiFacet* facet);

// Reduces such a facet to its edge or straight side that is nearest to being across d; kind NONE where there is
// none within `angle` [rad].
void hfi_facet_edge(hfVec3 d, double angle, hfiFacet* facet);

#endif
