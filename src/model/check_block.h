// Checks of a model block that comes from outside, such as a file. If a block passes them, no function reads or writes outside of its arrays.
#ifndef HFI_MODEL_CHECK_BLOCK_H
#define HFI_MODEL_CHECK_BLOCK_H

#include <holdfast/model.h>

// Checks the tree of bodies, joints, dofs and geoms (check_topology.c). The few fields that describe it must be in range. The fields that follow from
// these are computed again in `copy`, a copy of the model, and must be the same.
hfStatus hfi_check_topology(const hfModel* m, hfModel* copy, hfError* error);
// Checks the sizes and heights of height fields (check_shapes.c). Their ranges and regions are computed again in `copy` and must be the same.
hfStatus hfi_check_height_fields(const hfModel* model, hfModel* copy, hfError* error);
// Checks the vertices, faces and edges of the hulls of meshes (check_shapes.c).
hfStatus hfi_check_hulls(const hfModel* m, hfError* error);
// Checks the world-wide values: finite, within their bounds, and of a known method, friction law and friction rule (check_values.c).
hfStatus hfi_check_world(const hfWorld* world, hfError* error);
// Checks that no number is NaN, and that those that the builder bounds are within their bounds (check_values.c). Of an overlay it checks only the fields
// that belong to the overlay.
hfStatus hfi_check_values(const hfModel* m, hfError* error);

#endif
