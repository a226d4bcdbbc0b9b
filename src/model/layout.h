// The layout of a model block: where each field of the table lies for given counts.
#ifndef HFI_MODEL_LAYOUT_H
#define HFI_MODEL_LAYOUT_H

#include <holdfast/model.h>

enum { HFI_MODEL_VERSION = 21 };

// Writable array of a field, while a model is being made.
#define X(type, name, rows, columns, overlay)                                                          \
  static inline type* hfi_set_##name(hfModel* m) {                                                     \
    return (type*)((uintptr_t)m + (uintptr_t)m->offset[HF_FIELD_##name]);                              \
  }
HF_MODEL_FIELDS(X)
#undef X

// Do the bytes begin like a model block, of this or of another version?
int hfi_begins_model(const void* bytes, size_t size);
// Bytes of a field for the model's counts.
size_t hfi_field_bytes(const hfModel* model, hfModelField field);
// Fills offset[] and size from the counts; the fields follow the header, each aligned.
void hfi_layout(hfModel* header);
// A zeroed block for the counts in *header, which it copies. NULL: out of memory.
hfModel* hfi_model_allocate(const hfModel* header);
// hf_model_validate with a refusal that begins with the name of the file in which the block stands.
hfStatus hfi_validate_block(const hfModel* block, size_t size, const char* name, hfError* error);
// A model from the bytes of a block, which need not be aligned; `name` stands for the file in messages. On refusal *model is untouched.
hfStatus hfi_model_from_block(hfModel** model, const void* bytes, size_t size, const char* name, hfError* error);

#endif
