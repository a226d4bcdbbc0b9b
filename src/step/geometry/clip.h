// Contact points of two facets.
#ifndef HFI_GEOMETRY_CLIP_H
#define HFI_GEOMETRY_CLIP_H

#include "step/geometry/facet.h"

// Contact points of the facets A and B. The normal of one of them, the reference, is along the normal of the contact.
// The points lie where the other facet, the incident one, and the reference overlap, seen along the reference's normal.
// They get that normal, directed from B into A. Returns their count; their gaps are not yet compared with a margin.
int hfi_clip_facets(const hfiFacet* A, const hfiFacet* B, int reference_is_A, hfiContactPoint* points);

// Is the facet f a disc that lies on the other one (hfi_rim_lies)?
int hfi_disc_lies(const hfiFacet* f, const hfiFacet* other);

// Contact points of two parallel segments across n, which points from B into A: the two ends of their overlap. Returns
// 0 where they are not parallel within HFI_FACET_ANGLE or do not overlap.
int hfi_clip_segments(const hfiFacet* A, const hfiFacet* B, hfVec3 n, hfiContactPoint* points);

#endif
