// Contact points of two facets.
#ifndef HFI_GEOMETRY_CLIP_H
#define HFI_GEOMETRY_CLIP_H

#include "geometry/facet.h"

// Contact points of facets A and B of which one, the reference, has a normal along the contact's: they
// lie where the incident facet and the reference overlap, seen along the reference's normal. Returns
// their count; they are not yet tested against a margin. The normal is the reference's.
int hfi_clip_facets(const hfiFacet* A, const hfiFacet* B, int reference_is_A, hfiContactPoint* points);

// Two parallel segments across n (from B into A): the ends of their overlap. Returns 0 where they are
// not parallel within kFacetAngle or do not overlap.
int hfi_clip_segments(const hfiFacet* A, const hfiFacet* B, hfVec3 n, hfiContactPoint* points);

#endif
