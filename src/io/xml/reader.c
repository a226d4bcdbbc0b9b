// Refusals and notes with file and line, and reading numbers in attributes.
//
// r: the reader, s: the next character of a text. `what` and `name` say for messages which text it is.
#include "io/xml/reader.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* hfi_take(hfiReader* r, size_t count, size_t width) {
  if (r->status) return NULL;
  void* memory = count <= (size_t)-1 / 4 / width ? hfi_store_take(&r->store, count * width) : NULL;
  if (!memory) hfi_fail(r, NULL, HF_ERROR_MEMORY, "out of memory");
  return memory;
}

// A formatted text in the store; "" after a refusal.
const char* hfi_format(hfiReader* r, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);

  char* text = length < 0 ? NULL : HFI_NEW(r, char, (size_t)length + 1);
  if (!text) return "";
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

// The value of an attribute, or NULL. Does not mark it as used.
static const char* find_value(const hfiElem* elem, const char* name) {
  for (const hfiAttr* a = elem->attr; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->value;
  return NULL;
}

// Writes "file:line: <element name="x">: ", without the parts that are not known.
static void describe(const hfiElem* elem, char* out, size_t size) {
  out[0] = 0;
  if (!elem) return;

  const char* name = elem->name ? find_value(elem, "name") : NULL;
  if (!elem->name)
    snprintf(out, size, "%.400s:%d: ", elem->file, elem->line);
  else if (!name)
    snprintf(out, size, "%.400s:%d: <%.60s>: ", elem->file, elem->line, elem->name);
  else
    snprintf(out, size, "%.400s:%d: <%.60s name=\"%.100s\">: ", elem->file, elem->line, elem->name, name);
}

// Refuses with the place of the element before the message, unless something was refused before. Returns the status.
hfStatus hfi_fail(hfiReader* r, const hfiElem* elem, hfStatus status, const char* format, ...) {
  if (r->status) return r->status;
  char place[640];
  char message[HF_MESSAGE_SIZE];
  describe(elem, place, sizeof place);

  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);

  r->status = status;
  return hfi_refuse(r->error, status, "%s%s", place, message);
}

// Passes an id on, or refuses with the message in r->scratch if it is a status < 0. The place of the element comes
// before the message, unless it is there already because the definition had a `where`.
int hfi_keep(hfiReader* r, const hfiElem* elem, int id) {
  if (r->status) return r->status;
  if (id >= 0) return id;

  char place[640] = "";
  const char* message = r->scratch.message;
  int length = elem ? snprintf(place, sizeof place, "%.400s:%d: ", elem->file, elem->line) : 0;
  if (elem && strncmp(message, place, (size_t)length) == 0)
    place[0] = 0;
  else
    describe(elem, place, sizeof place);

  r->status = (hfStatus)id;
  hfi_refuse(r->error, (hfStatus)id, "%s%s", place, message);
  return id;
}

const char* hfi_where(hfiReader* r, const hfiElem* elem) {
  return hfi_format(r, "%s:%d", elem->file, elem->line);
}

// Adds a note or warning about an element to the diagnostics.
void hfi_note(hfiReader* r, const hfiElem* elem, hfSeverity severity, const char* format, ...) {
  if (r->status || !r->diagnostics) return;
  char message[HF_MESSAGE_SIZE];

  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  hfi_diagnostics_add(r->diagnostics, severity, elem->file, elem->line, message, "");
}

void hfi_note_first(hfiReader* r, const hfiElem* elem, hfSeverity severity, const char* subject, const char* first) {
  if (!r->status && r->diagnostics)
    hfi_diagnostics_add(r->diagnostics, severity, elem->file, elem->line, subject, first);
}

// ---- attributes ---------------------------------------------------------------------------------

// The value of an attribute, or NULL. Marks it as used.
const char* hfi_attr(const hfiElem* elem, const char* name) {
  for (hfiAttr* a = elem->attr; a; a = a->next)
    if (strcmp(a->name, name) == 0) {
      a->used = 1;
      return a->value;
    }
  return NULL;
}

static const char* skip_blanks(const char* s) {
  while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') ++s;
  return s;
}

const char* hfi_require(hfiReader* r, const hfiElem* elem, const char* name) {
  const char* value = hfi_attr(elem, name);
  if (value && *skip_blanks(value)) return value;
  hfi_fail(r, elem, HF_ERROR_PARSE, "attribute %s is %s", name, value ? "empty" : "missing");
  return "";
}

static int is_end(char c) { return c == 0 || c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The length of the word at s, cut to what a message shows.
static int word_length(const char* s) {
  int length = 0;
  while (!is_end(s[length]) && length < 40) ++length;
  return length;
}

// Reads the next number of *text. Returns 0 at the end of the text. Refuses what is not a finite number.
static int next_real(hfiReader* r, const hfiElem* elem, const char* what, const char** text, double* x) {
  const char* s = skip_blanks(*text);
  if (!*s || r->status) return 0;

  char* end = NULL;
  *x = strtod(s, &end);
  if (end == s || !is_end(*end)) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "%s: \"%.*s\" is not a number", what, word_length(s), s);
    return 0;
  }
  if (!isfinite(*x)) {
    hfi_fail(r, elem, HF_ERROR_NONFINITE, "%s: \"%.*s\" is not a finite number", what, word_length(s), s);
    return 0;
  }

  *text = end;
  return 1;
}

// Reads `least` to `most` numbers of a text. Returns how many there are, or 0 after a refusal.
static int read_text_reals(hfiReader* r, const hfiElem* elem, const char* what, const char* text, int least, int most,
                           double* x) {
  double value = 0;
  int count = 0;

  // The numbers are copied to x only when all of them are good, because a refusal leaves outputs untouched.
  const char* s = text;
  while (next_real(r, elem, what, &s, &value)) ++count;
  if (r->status) return 0;

  if (count < least || count > most) {
    if (least == most)
      hfi_fail(r, elem, HF_ERROR_PARSE, "%s: %d numbers where %d are needed", what, count, most);
    else
      hfi_fail(r, elem, HF_ERROR_PARSE, "%s: %d numbers where %d to %d are needed", what, count, least, most);
    return 0;
  }

  s = text;
  for (int i = 0; i < count; ++i) next_real(r, elem, what, &s, &x[i]);
  return count;
}

int hfi_read_reals(hfiReader* r, const hfiElem* elem, const char* name, int least, int most, double* x) {
  const char* text = r->status ? NULL : hfi_attr(elem, name);
  return text && *skip_blanks(text) ? read_text_reals(r, elem, name, text, least, most, x) : 0;
}

// Reads the two ends of a range, of which each may be infinite: it becomes -HFI_NO_END or HFI_NO_END, no end there.
// Returns 2, or 0 if there is no such attribute or it is refused.
int hfi_read_range(hfiReader* r, const hfiElem* elem, const char* name, double range[2]) {
  const char* text = r->status ? NULL : hfi_attr(elem, name);
  char* first = NULL;
  char* second = NULL;
  double x[2] = {0, 0};

  // finite numbers are read, and refused, like those of any attribute
  if (text) {
    x[0] = strtod(text, &first);
    x[1] = strtod(first, &second);
  }
  if (!isinf(x[0]) && !isinf(x[1])) return hfi_read_reals(r, elem, name, 2, 2, range);

  if (second == first || *skip_blanks(second) || !(x[0] < x[1])) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "%s: \"%.40s\" is no range", name, text);
    return 0;
  }

  range[0] = fmax(x[0], -HFI_NO_END);
  range[1] = fmin(x[1], HFI_NO_END);
  return 2;
}

// Reads a number that may be infinite: then it becomes HFI_UNLIMITED or its negative.
static int read_bound(hfiReader* r, const hfiElem* elem, const char* what, const char* text, double* x) {
  char* end = NULL;
  if (!text || r->status) return 0;
  double value = strtod(text, &end);
  if (!isinf(value) || *skip_blanks(end)) return read_text_reals(r, elem, what, text, 1, 1, x);
  *x = value > 0 ? HFI_UNLIMITED : -HFI_UNLIMITED;
  return 1;
}

int hfi_read_bound(hfiReader* r, const hfiElem* elem, const char* name, double* x) {
  const char* text = hfi_attr(elem, name);
  return text && *skip_blanks(text) ? read_bound(r, elem, name, text, x) : 0;
}

int hfi_text_bound(hfiReader* r, const hfiElem* elem, double* x) {
  return read_bound(r, elem, "its text", elem->text, x);
}

int hfi_is_range(double range[2]) {
  if (range[0] <= -HFI_UNLIMITED) range[0] = -HFI_NO_END;
  if (range[1] >= HFI_UNLIMITED) range[1] = HFI_NO_END;
  return range[0] < range[1] && (range[0] > -HFI_NO_END || range[1] < HFI_NO_END);
}

void hfi_drop_negative(hfiReader* r, const hfiElem* elem, const char* name, double* x) {
  if (*x >= 0) return;
  hfi_note(r, elem, HF_WARNING, "%s %g is negative: 0 is used, because it would drive what it has to brake", name, *x);
  *x = 0;
}

int hfi_text_reals(hfiReader* r, const hfiElem* elem, int least, int most, double* x) {
  if (r->status || !elem->text) return 0;
  return read_text_reals(r, elem, "its text", elem->text, least, most, x);
}

// Reads whole numbers. Returns how many there are, or 0 after a refusal.
int hfi_read_ints(hfiReader* r, const hfiElem* elem, const char* name, int least, int most, int* x) {
  enum { MOST_INTS = 8 };
  double value[MOST_INTS];
  int count = hfi_read_reals(r, elem, name, least, most, value);

  for (int i = 0; i < count; ++i)
    if (value[i] != floor(value[i]) || fabs(value[i]) > INT_MAX) {
      hfi_fail(r, elem, HF_ERROR_PARSE, "%s: %g is not an integer", name, value[i]);
      return 0;
    }

  for (int i = 0; i < count; ++i) x[i] = (int)value[i];
  return count;
}

// Reads all numbers of a text into the store: counts them, then reads them again. NULL after a refusal.
double* hfi_parse_list(hfiReader* r, const hfiElem* elem, const char* what, const char* text, int* count) {
  double value = 0;
  size_t n = 0;
  const char* s = text;
  while (next_real(r, elem, what, &s, &value)) ++n;
  if (!r->status && n > INT_MAX / 2) hfi_fail(r, elem, HF_ERROR_PARSE, "%s: too many numbers", what);

  double* x = HFI_NEW(r, double, n);
  s = text;
  for (size_t i = 0; x && i < n; ++i) next_real(r, elem, what, &s, &x[i]);
  *count = x ? (int)n : 0;
  return x;
}

double* hfi_read_list(hfiReader* r, const hfiElem* elem, const char* name, int* count) {
  const char* text = r->status ? NULL : hfi_attr(elem, name);
  *count = 0;
  return text ? hfi_parse_list(r, elem, name, text, count) : NULL;
}

// Reads a word of a table. Returns 0 if there is no such attribute, or after the refusal of another word.
int hfi_read_keyword(hfiReader* r, const hfiElem* elem, const char* name, const hfiKeyword* table, int* x) {
  const char* text = r->status ? NULL : hfi_attr(elem, name);
  if (!text) return 0;

  char known[256] = "";
  for (const hfiKeyword* k = table; k->word; ++k) {
    if (strcmp(k->word, text) == 0) {
      *x = k->value;
      return 1;
    }
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", k->word);
  }

  hfi_fail(r, elem, HF_ERROR_PARSE, "%s: \"%.40s\" is none of: %s", name, text, known);
  return 0;
}

int hfi_read_bool(hfiReader* r, const hfiElem* elem, const char* name, int* x) {
  static const hfiKeyword table[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
  return hfi_read_keyword(r, elem, name, table, x);
}
