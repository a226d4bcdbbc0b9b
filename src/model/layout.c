// offset[f] = align(offset[f-1] + bytes[f-1]): the fields of the table, one after the other.
#include "model/block.h"

#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t align_up(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

typedef struct Extent {
  int64_t rows, columns;
  size_t width;
} Extent;

// rows and columns of the table are expressions in the counts, which are local variables here.
static Extent field_extent(const hfModel* m, hfModelField field) {
#define X(name)                                                                                    \
  const int64_t name = m->name;                                                                    \
  (void)name;
  HF_MODEL_COUNTS(X)
#undef X
  switch (field) {
#define X(type, name, rows_, columns_, overlay)                                                    \
  case HF_FIELD_##name: {                                                                          \
    Extent e = {rows_, columns_, sizeof(type)};                                                    \
    return e;                                                                                      \
  }
    HF_MODEL_FIELDS(X)
#undef X
  case HF_MODEL_FIELD_COUNT:
    break;
  }
  Extent none = {0, 0, 0};
  return none;
}

size_t hfi_field_bytes(const hfModel* m, hfModelField field) {
  Extent e = field_extent(m, field);
  return (size_t)(e.rows * e.columns) * e.width;
}

void hfi_layout(hfModel* m) {
  size_t at = align_up(sizeof *m);
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    m->offset[f] = (int64_t)at;
    at = align_up(at + hfi_field_bytes(m, (hfModelField)f));
  }
  m->size = at;
}

static const char MAGIC[8] = "HFMODEL"; // the first bytes of every model block

int hfi_begins_model(const void* bytes, size_t size) { return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0; }

hfModel* hfi_model_allocate(const hfModel* header) {
  hfModel h = *header;
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  h.version = HFI_MODEL_VERSION;
  hfi_layout(&h);
  hfModel* m = aligned_alloc(ALIGN, (size_t)h.size);
  if (!m) return NULL;
  memset(m, 0, (size_t)h.size);
  *m = h;
  return m;
}

void hf_model_free(hfModel* model) { free(model); }

int hf_model_is_overlay(const hfModel* model) { return model->size == 0; }

// Copies field by field, because the fields of an overlay are in two places.
hfStatus hf_model_copy(hfModel** copy, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfModel header = *model;
  header.revision = 0;
  hfModel* m = hfi_model_allocate(&header);
  if (!m) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f)
    memcpy((char*)m + m->offset[f], (const void*)((uintptr_t)model + (uintptr_t)model->offset[f]),
           hfi_field_bytes(model, (hfModelField)f));
  *copy = m;
  return HF_OK;
}

hfFieldInfo hf_model_field_info(const hfModel* model, hfModelField field) {
  assert(field >= 0 && field < HF_MODEL_FIELD_COUNT);
  static const struct {
    const char *name, *type;
    int overlay;
  } table[] = {
#define X(type, name, rows, columns, overlay) {#name, #type, overlay},
      HF_MODEL_FIELDS(X)
#undef X
  };
  Extent e = field_extent(model, field);
  hfFieldInfo info = {table[field].name, table[field].type[0], (int32_t)e.rows, (int32_t)e.columns,
                      table[field].overlay};
  return info;
}

int hf_model_field_find(const char* name) {
  static const char* const names[] = {
#define X(type, field, rows, columns, overlay) #field,
      HF_MODEL_FIELDS(X)
#undef X
  };
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f)
    if (strcmp(names[f], name) == 0) return f;
  return -1;
}
