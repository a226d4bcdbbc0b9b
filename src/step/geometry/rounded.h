// The normal of a contact in which parallel edges of two polyhedra meet.
#ifndef HFI_GEOMETRY_ROUNDED_H
#define HFI_GEOMETRY_ROUNDED_H

#include "step/geometry/facet.h"

// `single` is an overlap of A and B along the normal of a face. Turns this normal if an edge of the other shape meets a
// parallel edge of the face. a, b: facets of A and B at that normal. Returns 1 if it turned the normal.
int hfi_round_edges(const hfiShape* A, const hfPose* X_A, const hfiFacet* a, const hfiShape* B, const hfPose* X_B,
                    const hfiFacet* b, hfiContactPoint* single);
// Reduces the depths of the points by one amount, such that the deepest one gets this depth [m].
void hfi_limit_depth(hfiContactPoint* points, int count, double depth);

#endif
