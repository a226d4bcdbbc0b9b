// The model block: where its fields lie, and the checks of a block that comes from outside.
#ifndef HFI_MODEL_BLOCK_H
#define HFI_MODEL_BLOCK_H

#include <holdfast/model.h>

// ---- layout (layout.c) -----------------------------------------------------------------------------

enum { HFI_MODEL_VERSION = 21 };
// The largest count of a model.
enum { HFI_MOST_OBJECTS = 1 << 28 };

// Writable array of a field, while a model is being made.
#define X(type, name, rows, columns, overlay)                                                          \
  static inline type* hfi_set_##name(hfModel* m) {                                                     \
    return (type*)((uintptr_t)m + (uintptr_t)m->offset[HF_FIELD_##name]);                              \
  }
HF_MODEL_FIELDS(X)
#undef X

// The array of a field, whatever its type; that of an overlay may lie in its base.
static inline const void* hfi_field_array(const hfModel* m, hfModelField field) {
  return (const void*)((uintptr_t)m + (uintptr_t)m->offset[field]);
}
// Is the model an overlay, which lies in no block?
static inline int hfi_is_overlay(const hfModel* m) { return m->size == 0; }
// May the parameters of a world change the field?
int hfi_field_is_overlay(hfModelField field);
// Bytes of a field for the model's counts.
size_t hfi_field_bytes(const hfModel* model, hfModelField field);
// Fills offset[] and size from the counts; the fields follow the header, each aligned.
void hfi_layout(hfModel* header);
// Do the bytes begin like a model block, of this or of another version?
int hfi_begins_model(const void* bytes, size_t size);
// A zeroed block for the counts in *header, which it copies. NULL: out of memory.
hfModel* hfi_model_allocate(const hfModel* header);

// ---- blocks from outside (check_block.c, file.c) -------------------------------------------------------

// hf_model_validate with a refusal that begins with the name of the file in which the block stands.
hfStatus hfi_validate_block(const hfModel* block, size_t size, const char* name, hfError* error);
// A model from the bytes of a block, which need not be aligned; `name` stands for the file in messages.
// On refusal *model is untouched.
hfStatus hfi_model_from_block(hfModel** model, const void* bytes, size_t size, const char* name, hfError* error);

// ---- checks ----------------------------------------------------------------------------------------
//
// If a block passes them, no function reads or writes outside of its arrays.

// Checks that counts are not negative and at most HFI_MOST_OBJECTS.
hfStatus hfi_check_counts(const hfModel* header, hfError* error);
// Checks all fields that do not follow from others, of a block whose topology and height fields are right: hulls, ids,
// types, names and values.
hfStatus hfi_check_given_fields(const hfModel* m, hfError* error);
// Checks the tree of bodies, joints, dofs and geoms (check_topology.c). The few fields that describe it must be in
// range. The fields that follow from these are computed again in `copy`, a copy of the model, and must be the same.
hfStatus hfi_check_topology(const hfModel* m, hfModel* copy, hfError* error);
// Checks sizes and heights of height fields (check_shapes.c). Their ranges and regions are computed again in `copy` and
// must be the same.
hfStatus hfi_check_height_fields(const hfModel* model, hfModel* copy, hfError* error);
// Checks the vertices, faces and edges of the hulls of meshes (check_shapes.c).
hfStatus hfi_check_hulls(const hfModel* m, hfError* error);
// Checks the world-wide values: finite, within their bounds, and of a known method, friction law and friction rule
// (check_values.c).
hfStatus hfi_check_world(const hfWorld* world, hfError* error);
// Checks that no number is NaN, and that those that the builder bounds are within their bounds (check_values.c). Of an
// overlay it checks only the fields that belong to the overlay.
hfStatus hfi_check_values(const hfModel* m, hfError* error);

#endif
