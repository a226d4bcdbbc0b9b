// The normal of a contact in which parallel edges of two polyhedra meet.
#ifndef HFI_GEOMETRY_ROUNDED_H
#define HFI_GEOMETRY_ROUNDED_H

#include "geometry/facet.h"

// Turns the normal of `single`, an overlap of A and B in the direction of a face, where an edge of the other shape meets a
// parallel edge of that face. a, b: facets of A and B at that normal. Returns 1 where it did.
int hfi_round_edges(const hfiShape* A, const hfPose* X_A, const hfiFacet* a, const hfiShape* B, const hfPose* X_B,
                    const hfiFacet* b, hfiContactPoint* single);
// The deepest of n points gets this depth, and the others lose as much as it does.
void hfi_limit_depth(hfiContactPoint* points, int n, double depth);

#endif
