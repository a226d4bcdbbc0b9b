// The flat part of a shape that looks in a given direction. The points of a flat contact are the overlap of two facets.
#ifndef HFI_GEOMETRY_FACET_H
#define HFI_GEOMETRY_FACET_H

#include "step/geometry/shape.h"

enum { HFI_FACET_MAX = 64 };

// A direction counts as that of a face if it is within this angle of the face's normal, and as that of a straight side
// if it is within this angle of being across the side [rad]. The normal of a contact jumps by at most this angle when
// the contact changes from an edge to a face.
static const double HFI_FACET_ANGLE = 3e-3;

typedef enum hfiFacetKind {
  HFI_FACET_NONE,    // The shape is curved or pointed there.
  HFI_FACET_SEGMENT, // vertex[0..1]
  HFI_FACET_POLYGON, // vertex[0..count-1] counter-clockwise seen against the normal
  HFI_FACET_DISC     // about vertex[0]
} hfiFacetKind;

typedef struct hfiFacet {
  hfiFacetKind kind;
  int count;     // number of vertices
  hfVec3 normal; // outward normal; for a segment the direction that was asked for
  hfVec3 x, y;   // disc: axes fixed to the shape
  double radius; // disc [m]
  double size;   // extent of the shape, for tolerances [m]
  hfVec3 vertex[HFI_FACET_MAX];
  int32_t id[HFI_FACET_MAX]; // numbers of the vertices; for a disc the number of its first rim point
} hfiFacet;

// Where edge k of a polygon, or a segment, ends; it begins at vertex k.
static inline hfVec3 hfi_facet_edge_end(const hfiFacet* f, int k) { return f->vertex[k + 1 < f->count ? k + 1 : 0]; }

// The facet of a round shape along d is a line of its side, not a cap, if the sine of the angle between d and the
// normal of that line is at most this [-]. The limit is generous because a side that lies on a face keeps its two
// points as long as both are near: soft contact may tilt it by its depth over its length.
static const double HFI_SIDE_TILT = 0.7;

// The straight side of a shape of radius size[0] about |z| <= size[1], at the unit direction `out` from the axis.
void hfi_facet_side(const hfiShape* shape, const hfPose* X, hfVec3 out, hfiFacet* facet);

// Facet of the shape at pose X that looks most along the unit direction d, both in the frame of X's
// parent. A polygon of more than HFI_FACET_MAX vertices is thinned to every k-th.
void hfi_facet(const hfiShape* shape, const hfPose* X, hfVec3 d, hfiFacet* facet);

// The facet that is face `face` of a mesh.
void hfi_facet_of_face(const hfiShape* mesh, const hfPose* X, int32_t face, hfiFacet* facet);

// Reduces a facet to that edge or straight side which is nearest to being across d. The kind becomes NONE if no edge is
// within `angle` [rad] of being across.
void hfi_facet_edge(hfVec3 d, double angle, hfiFacet* facet);

#endif
