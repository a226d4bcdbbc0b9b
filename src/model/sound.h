// Checks of a model block that comes from outside. With a block that passes them no function reads or writes outside of its arrays.
#ifndef HFI_MODEL_SOUND_H
#define HFI_MODEL_SOUND_H

#include <holdfast/model.h>

// The tree of bodies, joints, dofs and geoms: its few free fields are in range, and all others follow from them. `copy` is a copy
// of the model, in which they are computed again.
hfStatus hfi_check_topology(const hfModel* m, hfModel* copy, hfError* error);
// Vertices, faces and edges of the hulls of meshes.
// Sizes and runs of height fields; their ranges and regions are computed again in `copy` and compared.
hfStatus hfi_check_height_fields(const hfModel* model, hfModel* copy, hfError* error);
hfStatus hfi_check_hulls(const hfModel* m, hfError* error);
// World-wide values: finite, within their bounds, and of a known method, friction law and friction rule.
hfStatus hfi_check_world(const hfWorld* world, hfError* error);
// Numbers: none is NaN, and those that the builder bounds are within their bounds. In an overlay only its own fields.
hfStatus hfi_check_values(const hfModel* m, hfError* error);

#endif
