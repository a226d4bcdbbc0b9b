// Reading of text files with names and numbers.
#include "base/text.h"

#include "base/locale.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Goes to the next line that is not empty and not a comment. Returns 0 at the end of the text.
int hfi_text_next_line(hfiTextReader* r) {
  while (*r->at) {
    r->token = r->at;
    char* end = strchr(r->at, '\n');
    r->at = end ? end + 1 : r->at + strlen(r->at);
    if (end) *end = 0;
    ++r->line;
    if (r->token[strspn(r->token, " \t\r")] && *r->token != '#') return 1;
  }
  return 0;
}

// Reads a number from the present line.
hfStatus hfi_text_real(hfiTextReader* r, double* x) {
  char* end;
  *x = hfi_read_double(r->token, &end);
  if (end == r->token) return HFI_MALFORMED(r, "%s:%d: expected a number", r->path, r->line);
  r->token = end;
  return HF_OK;
}

// Reads an integer from the present line.
hfStatus hfi_text_int(hfiTextReader* r, int32_t* x) {
  char* end;
  errno = 0;
  long value = strtol(r->token, &end, 10);
  if (end == r->token || errno || value < INT32_MIN || value > INT32_MAX)
    return HFI_MALFORMED(r, "%s:%d: expected an integer", r->path, r->line);
  r->token = end;
  *x = (int32_t)value;
  return HF_OK;
}

// Refuses anything left on the present line but blanks.
hfStatus hfi_text_end_line(hfiTextReader* r) {
  if (r->token[strspn(r->token, " \t\r")])
    return HFI_MALFORMED(r, "%s:%d: more than expected", r->path, r->line);
  return HF_OK;
}

// Reads the name of the present line.
static hfStatus read_name(hfiTextReader* r, const char* name) {
  size_t length = strlen(name);
  if (strncmp(r->token, name, length) != 0 || (r->token[length] != ' ' && r->token[length] != 0))
    return HFI_MALFORMED(r, "%s:%d: expected \"%s\"", r->path, r->line, name);
  r->token += length;
  return HF_OK;
}

// Reads the name of the next line.
hfStatus hfi_text_expect(hfiTextReader* r, const char* name) {
  if (!hfi_text_next_line(r)) return HFI_MALFORMED(r, "%s:%d: file ends before \"%s\"", r->path, r->line, name);
  return read_name(r, name);
}

// Reads the name of the next line, if there is one; *at_end says whether the text has ended.
hfStatus hfi_text_expect_or_end(hfiTextReader* r, const char* name, int* at_end) {
  *at_end = !hfi_text_next_line(r);
  return *at_end ? HF_OK : read_name(r, name);
}

// Reads a line with a name and a number.
hfStatus hfi_text_count(hfiTextReader* r, const char* name, int32_t* count) {
  hfStatus status = hfi_text_expect(r, name);
  if (!status) status = hfi_text_int(r, count);
  return status ? status : hfi_text_end_line(r);
}

// Refuses a text that goes on.
hfStatus hfi_text_expect_end(hfiTextReader* r) {
  return hfi_text_next_line(r) ? HFI_MALFORMED(r, "%s:%d: more than expected", r->path, r->line) : HF_OK;
}

// Returns the whole file as a string that the caller frees, or NULL after a refusal.
static char* load(const char* path, size_t* size, hfError* error) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    hfi_refuse(error, HF_ERROR_FILE, "%s: %s", path, strerror(errno));
    return NULL;
  }

  // twice the room, again and again, until the file ends
  char* text = NULL;
  size_t used = 0;
  size_t capacity = 1 << 16;
  size_t got = 0;
  do {
    capacity *= 2;
    char* grown = realloc(text, capacity);
    if (!grown) break;
    text = grown;
    got = fread(text + used, 1, capacity - used - 1, file);
    used += got;
    text[used] = 0;
  } while (got > 0);

  int is_complete = text && feof(file);
  fclose(file);
  *size = used;
  if (is_complete) return text;

  hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be read", path);
  free(text);
  return NULL;
}

// Runs a pass over the text. Lines are cut in `copy`, which has room for the whole text.
static hfStatus run_pass(hfiTextReader* r, const char* text, char* copy, hfiTextPass* pass, void* object,
                         hfiArena* arena) {
  memcpy(copy, text, r->size + 1);
  r->at = copy;
  r->line = 0;
  return pass(r, object, arena);
}

// Reads the text twice: the first pass counts what arrays need, the second one fills the object in memory of that size,
// which *out gets.
static hfStatus parse(hfiTextReader* r, const char* text, char* copy, size_t size, hfiTextPass* pass,
                      hfiTextCheck* check, void** out) {
  // what the object needs
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_arena_take(&plan, 1, size);
  void* counted = calloc(1, size);
  if (!counted) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->path);
  hfStatus status = run_pass(r, text, copy, pass, counted, &plan);
  free(counted);
  if (status) return status;

  // the object
  void* memory = calloc(1, plan.used);
  if (!memory) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->path);
  hfiArena arena = hfi_arena(memory, plan.used);
  void* object = hfi_arena_take(&arena, 1, size);
  status = run_pass(r, text, copy, pass, object, &arena);

  hfError why = {HF_OK, ""};
  if (!status && check(object, &why)) status = HFI_MALFORMED(r, "%s: %s", r->path, why.message);
  if (status)
    free(memory);
  else
    *out = object;
  return status;
}

// Reads a file into an object of `size` bytes and what its arrays need, in one block that the caller frees.
hfStatus hfi_text_read(const char* path, size_t size, hfiTextPass* pass, hfiTextCheck* check, void** object,
                       hfError* error) {
  hfiTextReader r = {path, NULL, NULL, 0, 0, error};
  char* text = load(path, &r.size, error);
  if (!text) return HF_ERROR_FILE;

  char* copy = malloc(r.size + 1);
  hfStatus status;
  if (copy)
    status = parse(&r, text, copy, size, pass, check, object);
  else
    status = hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  free(copy);
  free(text);
  return status;
}
