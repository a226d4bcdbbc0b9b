// Models as files, which contain the block as it is. A block from outside is checked before it is used (check_block.c).
#include "model/block.h"

#include "base/error.h"
#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the block of a model to a file. An overlay is no block, so that a copy of it is written.
hfStatus hf_model_write(const hfModel* m, const char* path, hfError* error) {
  hfi_clear_error(error);
  if (!hf_model_is_overlay(m)) return hfi_write_file(path, m, (size_t)m->size, error);

  hfModel* block = NULL;
  hfStatus status = hf_model_copy(&block, m, error);
  if (status == HF_OK) status = hfi_write_file(path, block, (size_t)block->size, error);
  hf_model_free(block);
  return status;
}

// ---- blocks from outside ---------------------------------------------------------------------------

hfStatus hfi_validate_block(const hfModel* block, size_t size, const char* name, hfError* error) {
  hfError refusal;
  hfStatus status = hf_model_validate(block, size, &refusal);
  return status < 0 ? hfi_refuse(error, status, "%s: %s", name, refusal.message) : status;
}

// Allocates a block of this size with the alignment of a model.
static hfModel* allocate_block(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }

// Gives a block, as long as its header says, to the caller if it is a sound model, else frees it.
static hfStatus deliver_if_sound(hfModel** model, hfModel* block, const char* name, hfError* error) {
  hfStatus status = hfi_validate_block(block, (size_t)block->size, name, error);
  if (status == HF_OK) *model = block;
  else free(block);
  return status;
}

// Makes a model of the block in these bytes, after all its checks. `name` is what messages call it. The bytes are
// copied to memory of the right alignment.
hfStatus hfi_model_from_block(hfModel** model, const void* bytes, size_t size, const char* name, hfError* error) {
  hfModel header;
  if (size >= sizeof header) memcpy(&header, bytes, sizeof header);
  if (size < sizeof header || header.size < sizeof header || header.size > size)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", name);

  hfModel* block = allocate_block((size_t)header.size);
  if (!block) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  memcpy(block, bytes, (size_t)header.size);
  return deliver_if_sound(model, block, name, error);
}

// Returns the number of bytes between the present place in a file and its end; 0 if the file has no end, as a pipe.
static uint64_t count_bytes_ahead(FILE* file) {
  long here = ftell(file);
  long end = -1;
  if (here >= 0 && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end < here || fseek(file, here, SEEK_SET) != 0) return 0;
  return (uint64_t)(end - here);
}

// Reads the block that a file begins with into memory that the caller frees. On refusal *block is untouched.
static hfStatus read_block(hfModel** block, FILE* file, const char* path, hfError* error) {
  hfModel header;
  size_t got = fread(&header, 1, sizeof header, file);
  if (!hfi_begins_model(&header, got)) return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a model file", path);

  // memory is allocated only for a size that the file has
  int is_short = got < sizeof header || header.size < sizeof header;
  if (is_short || header.size - sizeof header > count_bytes_ahead(file))
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);

  hfModel* m = allocate_block((size_t)header.size);
  if (!m) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  *m = header;
  if (fread((char*)m + sizeof header, (size_t)header.size - sizeof header, 1, file) != 1) {
    free(m);
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);
  }

  *block = m;
  return HF_OK;
}

// Reads a model from a file and checks it. The file must begin with a whole block; what follows it is ignored.
hfStatus hf_model_read(hfModel** model, const char* path, hfError* error) {
  hfi_clear_error(error);
  FILE* file = fopen(path, "rb");
  if (!file) return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be opened", path);

  hfModel* block = NULL;
  hfStatus status = read_block(&block, file, path, error);
  fclose(file);
  return status == HF_OK ? deliver_if_sound(model, block, path, error) : status;
}
