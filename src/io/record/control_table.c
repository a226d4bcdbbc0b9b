// Controls from a table over time, zero-order hold: row i acts for t_i <= t < t_(i+1).
//
// The text is CSV: a first line `time,NAME,…` with names of actuators, then one line of numbers for
// each row, times increasing. Blanks around fields, blank lines and lines that start with # are
// skipped. A field may stand in quotes (RFC 4180), as the names with commas that logs have. An actuator without
// a name is called #ID, as in logs. A byte order mark before the first line, as spreadsheets write it, is skipped.
//
// A log of states can be played back: its controls are in the columns u[NAME], and those of q, v, f, s and p are not
// used. Its times are the ends of steps, so that row i acts for t_(i-1) <= t < t_i.
//
// r: the place in the text that is read, t: the table, m: the model.
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
  int32_t ncol; // all columns of the file, the time among them
  int32_t nrow;
  int32_t capacity;  // rows for which there is room
  int32_t is_log;    // 1: a log of states, whose rows act before their time
  int32_t* actuator; // (ncol) actuator of each column; NOT_USED for the time and for columns that are not controls
  double* value;     // (nrow x ncol)
};

void hf_control_table_free(hfControlTable* t) {
  if (!t) return;
  free(t->actuator);
  free(t->value);
  free(t);
}

// ---- fields -----------------------------------------------------------------------------------------

typedef struct Reader {
  const char* s; // the next character
  const char* name; // of the file
  int line;
  hfError* error;
} Reader;

// A part of the text: a field without the blanks around it, or the name in a field.
typedef struct CsvField {
  const char* text;
  int length;
} CsvField;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int ends_line(char c) { return c == '\n' || c == 0; }

static void skip_blanks(Reader* r) {
  while (is_blank(*r->s)) ++r->s;
}

// Reads a field in quotes and moves behind it. The field is the text inside of the quotes, where two quotes stand for
// one.
static CsvField read_quoted(Reader* r) {
  const char* start = r->s + 1;
  const char* end = start;
  while (!ends_line(*end)) {
    int is_quote = end[0] == '"';
    if (is_quote && end[1] != '"') break;
    end += is_quote ? 2 : 1;
  }

  r->s = *end == '"' ? end + 1 : end;
  return (CsvField){start, (int)(end - start)};
}

// Reads the next field of the line, and moves behind the comma that ends it. Returns 0 at the end of the line.
static int next_field(Reader* r, CsvField* field) {
  if (ends_line(*r->s)) return 0;
  skip_blanks(r);

  if (*r->s == '"') {
    *field = read_quoted(r);
    skip_blanks(r);
  } else {
    const char* start = r->s;
    while (!ends_line(*r->s) && *r->s != ',') ++r->s;
    const char* end = r->s;
    while (end > start && is_blank(end[-1])) --end;
    *field = (CsvField){start, (int)(end - start)};
  }

  if (*r->s == ',') ++r->s;
  return 1;
}

// Moves to the beginning of the next line.
static void skip_line(Reader* r) {
  while (!ends_line(*r->s)) ++r->s;
  if (*r->s != '\n') return;
  ++r->s;
  ++r->line;
}

// Moves to the next line that is neither blank nor a comment. Returns 0 at the end of the text.
static int next_line(Reader* r) {
  for (;; skip_line(r)) {
    const char* first = r->s;
    while (is_blank(*first)) ++first;
    if (*first == 0) return 0;
    if (*first != '\n' && *first != '#') return 1;
  }
}

// ---- the header -------------------------------------------------------------------------------------

// Whether a field is this name. Two quotes in the field stand for one in the name.
static int is_name(CsvField field, const char* name) {
  const char* c = field.text;
  const char* end = field.text + field.length;
  for (; c < end && *name == *c; ++name) {
    int is_double_quote = c[0] == '"' && end - c > 1 && c[1] == '"';
    c += is_double_quote ? 2 : 1;
  }
  return c == end && *name == 0;
}

// Finds an actuator by its name, or by #ID if it has none. Returns -1 if there is no such actuator.
static int find_actuator(const hfModel* m, CsvField field) {
  for (int i = 0; i < m->nu; ++i) {
    char id[16];
    const char* name = hf_model_name(m, HF_OBJECT_ACTUATOR, i);
    if (!*name) {
      snprintf(id, sizeof id, "#%d", i);
      name = id;
    }
    if (is_name(field, name)) return i;
  }
  return -1;
}

// Splits a field SYMBOL[NAME], as the columns of a log have it: returns the symbol, and NAME in *name. Returns 0 for
// any other field.
static char split_log_field(CsvField field, CsvField* name) {
  const char* f = field.text;
  *name = field;
  if (field.length < 4 || !strchr("qvufsp", f[0]) || f[1] != '[' || f[field.length - 1] != ']') return 0;
  *name = (CsvField){f + 2, field.length - 3};
  return f[0];
}

// Counts the columns of the header. Sets *is_log if it is that of a log: a log has a column u[NAME], and no actuator is
// called "u[NAME]".
static int count_columns(Reader r, const hfModel* m, int32_t* is_log) {
  CsvField field;
  CsvField name;
  int count = 0;
  *is_log = 0;
  for (; next_field(&r, &field); ++count)
    if (find_actuator(m, field) < 0 && split_log_field(field, &name) == 'u') *is_log = 1;
  return count;
}

// Finds the actuator of a column; NOT_USED for a column of a log that is not a control. Refuses an unknown name, and an
// actuator that has a column already.
static hfStatus read_column(const hfControlTable* t, const hfModel* m, const Reader* r, CsvField field,
                            int32_t* actuator) {
  CsvField name = field;
  *actuator = NOT_USED;
  if (t->is_log) {
    char symbol = split_log_field(field, &name);
    if (!symbol)
      return hfi_refuse(r->error, HF_ERROR_PARSE,
                        "%s:%d: a log has columns `u[NAME]`, `q[NAME]` and the like, and no column `%.*s`", r->name,
                        r->line, field.length, field.text);
    if (symbol != 'u') return HF_OK;
  }

  *actuator = name.length > 0 ? find_actuator(m, name) : -1;
  if (*actuator < 0)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: there is no actuator `%.*s`", r->name, r->line, name.length,
                      name.text);

  for (int k = 1; k < t->ncol; ++k)
    if (t->actuator[k] == *actuator)
      return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: actuator `%.*s` has two columns", r->name, r->line,
                        name.length, name.text);
  return HF_OK;
}

// Reads the first line: which actuator each column controls.
static hfStatus read_header(hfControlTable* t, const hfModel* m, Reader* r) {
  CsvField field;
  int has_line = next_line(r);
  int columns = count_columns(*r, m, &t->is_log);
  t->actuator = malloc(sizeof *t->actuator * (size_t)(columns + 1));
  if (!t->actuator) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->name);

  if (!has_line || !next_field(r, &field) || field.length != 4 || memcmp(field.text, "time", 4) != 0)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: the first column must be `time`", r->name, r->line);
  t->actuator[0] = NOT_USED;

  for (t->ncol = 1; next_field(r, &field); ++t->ncol) {
    hfStatus status = read_column(t, m, r, field, &t->actuator[t->ncol]);
    if (status != HF_OK) return status;
  }
  skip_line(r);
  return HF_OK;
}

// ---- rows -------------------------------------------------------------------------------------------

// Makes room for one more row.
static hfStatus make_room(hfControlTable* t, Reader* r) {
  if (t->nrow < t->capacity) return HF_OK;
  int32_t capacity = t->capacity ? 2 * t->capacity : 64;
  double* grown = realloc(t->value, sizeof *grown * (size_t)capacity * (size_t)t->ncol);
  if (!grown) return hfi_refuse(r->error, HF_ERROR_MEMORY, "%s: out of memory", r->name);

  t->value = grown;
  t->capacity = capacity;
  return HF_OK;
}

// Reads a line of numbers. Refuses anything else, and a time that is not after the one before.
static hfStatus read_row(hfControlTable* t, Reader* r) {
  hfStatus status = make_room(t, r);
  if (status != HF_OK) return status;

  double* row = t->value + (size_t)t->nrow * (size_t)t->ncol;
  CsvField field;
  int count = 0;
  for (; next_field(r, &field); ++count) {
    char* end;
    double x = hfi_read_double(field.text, &end);
    if (field.length == 0 || end != field.text + field.length || !isfinite(x))
      return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: `%.*s` is not a finite number", r->name, r->line,
                        field.length, field.text);
    if (count < t->ncol) row[count] = x;
  }

  if (count != t->ncol)
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: %d numbers where the first line has %d columns", r->name,
                      r->line, count, (int)t->ncol);
  // row[0] is the time
  const double* row_before = row - t->ncol;
  if (t->nrow > 0 && row[0] <= row_before[0])
    return hfi_refuse(r->error, HF_ERROR_PARSE, "%s:%d: times must increase", r->name, r->line);

  ++t->nrow;
  skip_line(r);
  return HF_OK;
}

// ---- interface --------------------------------------------------------------------------------------

// Makes a table of a text. name: of its file, for messages.
hfStatus hf_control_table_parse(hfControlTable** table, const hfModel* m, const char* text, const char* name,
                                hfError* error) {
  hfi_clear_error(error);
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (strncmp(text, byte_order_mark, 3) == 0) text += 3;

  hfControlTable* t = calloc(1, sizeof *t);
  if (!t) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", name);

  Reader r = {text, name, 1, error};
  hfStatus status = read_header(t, m, &r);
  while (status == HF_OK && next_line(&r)) status = read_row(t, &r);

  if (status == HF_OK)
    *table = t;
  else
    hf_control_table_free(t);
  return status;
}

// Reads the bytes of an open file up to its end, and adds a zero, which *size does not count. It may be a pipe, so its
// size is not known before. Returns NULL if there is no memory.
static char* read_bytes(FILE* file, size_t* size) {
  enum { FIRST_CAPACITY = 65536 };
  size_t capacity = FIRST_CAPACITY;
  char* text = malloc(capacity);
  *size = 0;

  while (text) {
    size_t got = fread(text + *size, 1, capacity - 1 - *size, file);
    *size += got;
    if (got == 0) break;
    if (*size + 1 < capacity) continue;

    capacity *= 2;
    char* grown = realloc(text, capacity);
    if (!grown) free(text);
    text = grown;
  }
  if (text) text[*size] = 0;
  return text;
}

// Reads a whole file as text. Returns NULL, with a refusal in *error, if that fails.
static char* read_file(const char* path, hfError* error) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    hfi_refuse(error, HF_ERROR_FILE, "%s: %s", path, strerror(errno));
    return NULL;
  }

  size_t size = 0;
  char* text = read_bytes(file, &size);
  int failed = ferror(file);
  fclose(file);
  if (!text) {
    hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
    return NULL;
  }

  int has_zero_byte = strlen(text) != size;
  if (!failed && !has_zero_byte) return text;
  free(text);
  hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be read as text", path);
  return NULL;
}

// Makes a table of a file.
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

// Sets the controls that act at a time. Actuators without a column, and all before the first row, keep theirs.
void hf_control_table_controls(const hfControlTable* t, double time, double* ctrl) {
  // bisection: `before` is the last row whose time has come, `after` the next one
  int before = -1;
  int after = t->nrow;
  while (after - before > 1) {
    int middle = (before + after) / 2;
    if (t->value[(size_t)middle * (size_t)t->ncol] <= time)
      before = middle;
    else
      after = middle;
  }

  int row = t->is_log && after < t->nrow ? after : before;
  if (row < 0) return;
  for (int k = 1; k < t->ncol; ++k)
    if (t->actuator[k] != NOT_USED) ctrl[t->actuator[k]] = t->value[(size_t)row * (size_t)t->ncol + (size_t)k];
}
