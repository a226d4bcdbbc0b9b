// offset[f] = align(offset[f-1] + bytes[f-1]): the fields of the table, one after the other.
#include "model/block.h"

#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Every field begins at a multiple of this [bytes].
enum { ALIGNMENT = 64 };
// The first bytes of every model block.
static const char MAGIC[8] = "HFMODEL";

static size_t align_up(size_t n) { return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// ---- fields ----------------------------------------------------------------------------------------

// What the table says of a field, beside its size.
typedef struct FieldRow {
  const char *name, *type;
  int overlay;
} FieldRow;

static const FieldRow FIELDS[] = {
#define X(type, name, rows, columns, overlay) {#name, #type, overlay},
    HF_MODEL_FIELDS(X)
#undef X
};

// The size of a field: numbers, and bytes of each.
typedef struct Extent {
  int64_t rows, columns;
  size_t width;
} Extent;

// The size of a field for the counts of m. Rows and columns of the table are expressions in the counts, which are local
// variables here.
static Extent field_extent(const hfModel* m, hfModelField field) {
#define X(name)                                                                                        \
  const int64_t name = m->name;                                                                        \
  (void)name;
  HF_MODEL_COUNTS(X)
#undef X

  switch (field) {
#define X(type, name, rows_, columns_, overlay)                                                        \
  case HF_FIELD_##name:                                                                                \
    return (Extent){rows_, columns_, sizeof(type)};
    HF_MODEL_FIELDS(X)
#undef X
  case HF_MODEL_FIELD_COUNT:
    break;
  }

  return (Extent){0, 0, 0};
}

int hfi_field_is_overlay(hfModelField field) { return FIELDS[field].overlay; }

size_t hfi_field_bytes(const hfModel* m, hfModelField field) {
  Extent e = field_extent(m, field);
  return (size_t)(e.rows * e.columns) * e.width;
}

// Returns shape and type of a field, for the counts of this model.
hfFieldInfo hf_model_field_info(const hfModel* model, hfModelField field) {
  assert(field >= 0 && field < HF_MODEL_FIELD_COUNT);
  Extent e = field_extent(model, field);
  return (hfFieldInfo){.name = FIELDS[field].name,
                       .type = FIELDS[field].type[0],
                       .rows = (int32_t)e.rows,
                       .columns = (int32_t)e.columns,
                       .overlay = FIELDS[field].overlay};
}

int hf_model_field_find(const char* name) {
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f)
    if (strcmp(FIELDS[f].name, name) == 0) return f;
  return -1;
}

// ---- blocks ----------------------------------------------------------------------------------------

// Fields follow each other in the order of the table.
void hfi_layout(hfModel* m) {
  size_t end = align_up(sizeof *m);
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    m->offset[f] = (int64_t)end;
    end = align_up(end + hfi_field_bytes(m, (hfModelField)f));
  }
  m->size = end;
}

int hfi_begins_model(const void* bytes, size_t size) {
  return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

// Allocates a block for the counts and the world of `header`. All numbers of its fields are zero, and the bytes between
// them, too. NULL: out of memory.
hfModel* hfi_model_allocate(const hfModel* header) {
  hfModel h = *header;
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  h.version = HFI_MODEL_VERSION;
  hfi_layout(&h);

  hfModel* m = aligned_alloc(ALIGNMENT, (size_t)h.size);
  if (!m) return NULL;

  memset(m, 0, (size_t)h.size);
  *m = h;
  return m;
}

void hf_model_free(hfModel* model) { free(model); }

int hf_model_is_overlay(const hfModel* model) { return hfi_is_overlay(model); }

// Copies field by field, because the fields of an overlay are in two places.
hfStatus hf_model_copy(hfModel** copy, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfModel header = *model;
  header.revision = 0;
  hfModel* m = hfi_model_allocate(&header);
  if (!m) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    size_t bytes = hfi_field_bytes(model, (hfModelField)f);
    memcpy((char*)m + m->offset[f], hfi_field_array(model, (hfModelField)f), bytes);
  }

  *copy = m;
  return HF_OK;
}
