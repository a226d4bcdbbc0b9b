// Controls from a table over time, zero-order hold: row i acts for t_i <= t < t_(i+1).
//
// The text is CSV: a first line `time,NAME,…` with names of actuators, then one line of numbers for
// each row, times increasing. Blanks around fields, blank lines and lines that start with # are
// skipped. A field may stand in quotes (RFC 4180), as the names with commas that logs have. An actuator without
// a name is called #ID, as in logs. A byte order mark before the first line, as spreadsheets write it, is skipped.
//
// A log of states can be played back: its controls are in the columns u[NAME], and those of q, v, f, s and p are not
// used. Its times are those of the ends of steps, so that row i acts for t_(i-1) <= t < t_i.
#include <holdfast/actuation.h>

#include "base/error.h"
#include "base/locale.h"
#include "math/vec3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_USED = -1 };

struct hfControlTable {
  int32_t ncol, nrow, capacity; // ncol: all columns of the file
  int32_t is_log;               // 1: a log of states, whose rows act before their time
  int32_t* actuator;            // (ncol) actuator of each column; NOT_USED for column 0, which is time, and for columns of a log that are no controls
  double* value;                // (nrow x ncol)
};

void hf_control_table_free(hfControlTable* t) {
  if (!t) return;
  free(t->actuator);
  free(t->value);
  free(t);
}

// ---- fields -----------------------------------------------------------------------------------------

typedef struct Reader {
  const char *at, *name; // position in the text, name of the file
  int line;
  hfError* error;
} Reader;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int ends_line(char c) { return c == '\n' || c == 0; }

// Reads a field in quotes and moves behind it. The text inside of the quotes is the field.
static void read_quoted(Reader* r, const char** field, int* length) {
  const char* p = *field = r->at + 1;
  while (!ends_line(*p) && !(p[0] == '"' && p[1] != '"')) p += p[0] == '"' ? 2 : 1;
  *length = (int)(p - *field);
  r->at = *p == '"' ? p + 1 : p;
}

// Reads the next field of the line, without the blanks around it. Returns 0 at the end of the line.
static int next_field(Reader* r, const char** field, int* length) {
  if (ends_line(*r->at)) return 0;
  while (is_blank(*r->at)) r->at++;
  if (*r->at == '"') {
    read_quoted(r, field, length);
    while (is_blank(*r->at)) r->at++;
    if (*r->at == ',') r->at++;
    return 1;
  }
  const char* start = r->at;
  while (!ends_line(*r->at) && *r->at != ',') r->at++;
  const char* end = r->at;
  while (end > start && is_blank(end[-1])) end--;
  if (*r->at == ',') r->at++;
  *field = start, *length = (int)(end - start);
  return 1;
}

static void skip_line(Reader* r) {
  while (!ends_line(*r->at)) r->at++;
  if (*r->at == '\n') r->at++, r->line++;
}

// Moves to the next line that is neither blank nor a comment. Returns 0 at the end of the text.
static int next_line(Reader* r) {
  for (;; skip_line(r)) {
    const char* p = r->at;
    while (is_blank(*p)) p++;
    if (*p == 0) return 0;
    if (*p != '\n' && *p != '#') return 1;
  }
}

// ---- lines ------------------------------------------------------------------------------------------

// Is the field this name? Two quotes in the field stand for one in the name.
static int is_name(const char* field, int length, const char* name) {
  const char* end = field + length;
  for (; field < end && *name == *field; ++name) field += field[0] == '"' && end - field > 1 && field[1] == '"' ? 2 : 1;
  return field == end && *name == 0;
}

// Finds an actuator by its name, or by #ID if it has none. Returns -1 if there is no such actuator.
static int find_actuator(const hfModel* m, const char* field, int length) {
  for (int i = 0; i < m->nu; ++i) {
    char id[16];
    const char* name = hf_model_name(m, HF_OBJECT_ACTUATOR, i);
    if (!*name) snprintf(id, sizeof id, "#%d", i);
    if (is_name(field, length, *name ? name : id)) return i;
  }
  return -1;
}

// For a column of a log, SYMBOL[NAME]: returns the symbol and replaces the field by the name. Returns 0 for any other
// field.
static char log_symbol(const char** field, int* length) {
  const char* f = *field;
  if (*length < 4 || !strchr("qvufsp", f[0]) || f[1] != '[' || f[*length - 1] != ']') return 0;
  *field += 2, *length -= 3;
  return f[0];
}

// Counts the columns of the header and finds whether it is that of a log: a log has a column u[NAME], and no actuator
// is called "u[NAME]".
static int count_columns(Reader r, const hfModel* m, int32_t* is_log) {
  const char* field;
  int length, count = 0;
  for (*is_log = 0; next_field(&r, &field, &length); ++count)
    if (find_actuator(m, field, length) < 0 && log_symbol(&field, &length) == 'u') *is_log = 1;
  return count;
}

// Finds the actuator of a column; NOT_USED for a column of a log that is no control.
static hfStatus read_column(const hfControlTable* t, const hfModel* m, const Reader* r, const char* field, int length, int32_t* actuator) {
  const char* name = field;
  int name_length = length;
  char symbol = t->is_log ? log_symbol(&name, &name_length) : 'u';
  *actuator = NOT_USED;
  if (symbol && symbol != 'u') return HF_OK;
  if (!symbol)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: a log has columns `u[NAME]`, `q[NAME]` and the like, and no column `%.*s`", r->name, r->line, length, field);
  *actuator = name_length > 0 ? find_actuator(m, name, name_length) : -1;
  if (*actuator < 0) return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: there is no actuator `%.*s`", r->name, r->line, name_length, name);
  for (int k = 1; k < t->ncol; ++k)
    if (t->actuator[k] == *actuator)
      return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: actuator `%.*s` has two columns", r->name, r->line, name_length, name);
  return HF_OK;
}

static hfStatus read_header(hfControlTable* t, const hfModel* m, Reader* r) {
  const char* field;
  int length;
  int has_line = next_line(r);
  t->actuator = malloc(sizeof *t->actuator * (size_t)(count_columns(*r, m, &t->is_log) + 1));
  if (!t->actuator) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->name);
  if (!has_line || !next_field(r, &field, &length) || length != 4 || memcmp(field, "time", 4) != 0)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: the first column must be `time`", r->name, r->line);
  t->actuator[0] = NOT_USED;
  for (t->ncol = 1; next_field(r, &field, &length); ++t->ncol) {
    hfStatus status = read_column(t, m, r, field, length, &t->actuator[t->ncol]);
    if (status != HF_OK) return status;
  }
  skip_line(r);
  return HF_OK;
}

static hfStatus make_room(hfControlTable* t, Reader* r) {
  if (t->nrow < t->capacity) return HF_OK;
  int32_t capacity = t->capacity ? 2 * t->capacity : 64;
  double* grown = realloc(t->value, sizeof *grown * (size_t)capacity * (size_t)t->ncol);
  if (!grown) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->name);
  t->value = grown, t->capacity = capacity;
  return HF_OK;
}

static hfStatus read_row(hfControlTable* t, Reader* r) {
  hfStatus status = make_room(t, r);
  if (status != HF_OK) return status;
  double* row = t->value + (size_t)t->nrow * (size_t)t->ncol;
  const char* field;
  int length, n = 0;
  for (; next_field(r, &field, &length); ++n) {
    char* end;
    double x = hfi_read_double(field, &end);
    if (length == 0 || end != field + length || !isfinite(x))
      return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: `%.*s` is not a finite number", r->name, r->line, length, field);
    if (n < t->ncol) row[n] = x;
  }
  if (n != t->ncol)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: %d numbers where the first line has %d columns", r->name, r->line, n, (int)t->ncol);
  if (t->nrow > 0 && row[0] <= row[-t->ncol]) return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: times must increase", r->name, r->line);
  t->nrow++;
  skip_line(r);
  return HF_OK;
}

// ---- interface --------------------------------------------------------------------------------------

hfStatus hf_control_table_parse(hfControlTable** table, const hfModel* m, const char* text, const char* name, hfError* error) {
  hfi_clear_error(error);
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (strncmp(text, byte_order_mark, 3) == 0) text += 3;
  Reader r = {text, name, 1, error};
  hfControlTable* t = calloc(1, sizeof *t);
  hfStatus status = t ? read_header(t, m, &r) : hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", name);
  while (status == HF_OK && next_line(&r)) status = read_row(t, &r);
  if (status == HF_OK) *table = t;
  else hf_control_table_free(t);
  return status;
}

// Reads the whole file, with a zero at its end. Returns NULL, with a refusal in *error, if that fails.
static char* read_file(const char* path, hfError* error) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  size_t used = 0, capacity = 0, got = 1;
  if (!file) { hfi_refuse(error, HF_ERROR_FILE, "%s: %s", path, strerror(errno)); return NULL; }
  while (got > 0) {
    if (used + 1 >= capacity) {
      capacity = capacity ? 2 * capacity : 65536;
      char* grown = realloc(text, capacity);
      if (!grown) { free(text), fclose(file), hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path); return NULL; }
      text = grown;
    }
    used += got = fread(text + used, 1, capacity - 1 - used, file);
  }
  text[used] = 0;
  int failed = ferror(file) || strlen(text) != used;
  fclose(file);
  if (!failed) return text;
  free(text), hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be read as text", path);
  return NULL;
}

hfStatus hf_control_table_read(hfControlTable** table, const hfModel* m, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfError local;
  hfError* e = error ? error : &local;
  char* text = read_file(path, e);
  if (!text) return e->status;
  hfStatus status = hf_control_table_parse(table, m, text, path, e);
  free(text);
  return status;
}

void hf_control_table_controls(const hfControlTable* t, double time, double* ctrl) {
  int lo = -1, hi = t->nrow; // Row lo is the last one whose time has come.
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (t->value[(size_t)mid * (size_t)t->ncol] <= time) lo = mid;
    else hi = mid;
  }
  int row = t->is_log && hi < t->nrow ? hi : lo;
  if (row < 0) return;
  for (int k = 1; k < t->ncol; ++k)
    if (t->actuator[k] != NOT_USED) ctrl[t->actuator[k]] = t->value[(size_t)row * (size_t)t->ncol + (size_t)k];
}
