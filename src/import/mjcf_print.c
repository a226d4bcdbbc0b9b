// Printing the attributes of MJCF. The numbers that a reader gets are the numbers that were written, to the last bit.
#include "import/mjcf_write.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hfi_mjcf_refuse(hfiMjcfWriter* w, const char* format, ...) {
  if (w->status) return;
  char message[HF_MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  w->status = hfi_refuse(w->error, HF_ERROR_UNSUPPORTED, "%s: %s", w->path, message);
}

void hfi_mjcf_print(hfiMjcfWriter* w, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!w->status) hfi_output_bytes(&w->out, text, strlen(text));
}

void hfi_mjcf_begin(hfiMjcfWriter* w, int depth, const char* element) {
  hfi_mjcf_print(w, "%*s<%s", 2 * depth, "", element);
}

static void print_escaped(hfiMjcfWriter* w, const char* text) {
  for (; *text && !w->status; ++text) {
    const char* entity = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                         : *text == '\n' ? "&#10;" // a parser reads a bare line end or tab in an attribute as a blank
                         : *text == '\r' ? "&#13;"
                         : *text == '\t' ? "&#9;"
                                        : NULL;
    if (entity)
      hfi_output_bytes(&w->out, entity, strlen(entity));
    else
      hfi_output_bytes(&w->out, text, 1);
  }
}

void hfi_mjcf_put_text(hfiMjcfWriter* w, const char* attribute, const char* text) {
  hfi_mjcf_print(w, " %s=\"", attribute);
  print_escaped(w, text);
  hfi_mjcf_print(w, "\"");
}

// The shortest of 15 to 17 digits that gives the same number again.
static void print_number(hfiMjcfWriter* w, double x) {
  char text[40];
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  hfi_mjcf_print(w, "%s", text);
}

void hfi_mjcf_print_numbers(hfiMjcfWriter* w, const double* x, int count) {
  for (int i = 0; i < count && !w->status; ++i) {
    if (i) hfi_mjcf_print(w, " ");
    print_number(w, x[i]);
  }
}

void hfi_mjcf_put_reals(hfiMjcfWriter* w, const char* attribute, const double* x, int count) {
  hfi_mjcf_print(w, " %s=\"", attribute);
  hfi_mjcf_print_numbers(w, x, count);
  hfi_mjcf_print(w, "\"");
}

void hfi_mjcf_put_real(hfiMjcfWriter* w, const char* attribute, double x, double unless) {
  if (x != unless) hfi_mjcf_put_reals(w, attribute, &x, 1);
}

void hfi_mjcf_put_polynomial(hfiMjcfWriter* w, const char* attribute, double linear, const double poly[2]) {
  const double x[3] = {linear, poly[0], poly[1]};
  if (poly[0] != 0 || poly[1] != 0)
    hfi_mjcf_put_reals(w, attribute, x, 3);
  else
    hfi_mjcf_put_real(w, attribute, linear, 0);
}

void hfi_mjcf_put_int(hfiMjcfWriter* w, const char* attribute, int x, int unless) {
  if (x != unless) hfi_mjcf_print(w, " %s=\"%d\"", attribute, x);
}

void hfi_mjcf_put_bool(hfiMjcfWriter* w, const char* attribute, int x) {
  hfi_mjcf_print(w, " %s=\"%s\"", attribute, x ? "true" : "false");
}

void hfi_mjcf_put_pose(hfiMjcfWriter* w, const double pos[3], const double quat[4]) {
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) hfi_mjcf_put_reals(w, "pos", pos, 3);
  if (quat[0] != 1 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0) hfi_mjcf_put_reals(w, "quat", quat, 4);
}

void hfi_mjcf_put_range(hfiMjcfWriter* w, const char* limited, const char* range, int is_limited, const double x[2]) {
  int given = x[0] != 0 || x[1] != 0;
  if (is_limited || given) hfi_mjcf_put_bool(w, limited, is_limited);
  if (given) hfi_mjcf_put_reals(w, range, x, 2);
}

void hfi_mjcf_put_solver(hfiMjcfWriter* w, const char* ref_name, const char* imp_name, const double solref[2], const double solimp[5]) {
  if (solref[0] == 0) return;
  hfi_mjcf_put_reals(w, ref_name, solref, 2);
  hfi_mjcf_put_reals(w, imp_name, solimp, 5);
}

static const char* name_of(const hfiMjcfWriter* w, hfObjectKind kind, int id) {
  return w->name[kind == HF_OBJECT_INERTIAL ? HF_OBJECT_BODY : kind][id];
}

void hfi_mjcf_put_name(hfiMjcfWriter* w, hfObjectKind kind, int id) {
  const char* name = name_of(w, kind, id);
  if (name) hfi_mjcf_put_text(w, "name", name);
}

void hfi_mjcf_put_reference(hfiMjcfWriter* w, const char* attribute, hfObjectKind kind, int id) {
  if (id >= 0) hfi_mjcf_put_text(w, attribute, name_of(w, kind, id));
}
