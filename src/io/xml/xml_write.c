// Printing XML: see xml_write.h.
//
// w: the writer, c: a character of a text.
#include "io/xml/xml_write.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Refuses with "path: message", unless something was refused before.
void hfi_xml_refuse(hfiXmlWriter* w, const char* format, ...) {
  if (w->status) return;
  char message[HF_MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  w->status = hfi_refuse(w->error, HF_ERROR_UNSUPPORTED, "%s: %s", w->path, message);
}

void hfi_xml_refuse_memory(hfiXmlWriter* w) {
  if (!w->status) w->status = hfi_refuse(w->error, HF_ERROR_MEMORY, "out of memory");
}

// Prints a formatted text of at most 1023 bytes as it is.
void hfi_xml_print(hfiXmlWriter* w, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!w->status) hfi_output_bytes(&w->out, text, strlen(text));
}

void hfi_xml_begin(hfiXmlWriter* w, int depth, const char* element) {
  hfi_xml_print(w, "%*s<%s", 2 * depth, "", element);
}

// The number of bytes, 1 to 4, of the UTF-8 character at the start of a text; 0 if there is none, or one that XML
// cannot contain.
static int character_length(const unsigned char* text) {
  if (text[0] < 0x80) return text[0] >= 0x20 || text[0] == '\n' || text[0] == '\r' || text[0] == '\t';

  int length = 2;
  if (text[0] >= 0xe0) length = 3;
  if (text[0] >= 0xf0) length = 4;
  uint32_t code = text[0] & (0x7fu >> length);
  for (int i = 1; i < length; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3f);
  }

  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int is_surrogate = code >= 0xd800 && code < 0xe000;
  int is_lead = text[0] >= 0xc0 && text[0] < 0xf8;
  int is_character = code >= least[length] && code <= 0x10ffff && !is_surrogate && code != 0xfffe && code != 0xffff;
  return is_lead && is_character ? length : 0;
}

// Refuses a text that no reader would accept.
static void check_text(hfiXmlWriter* w, const char* text) {
  for (const char* c = text; *c;) {
    int length = character_length((const unsigned char*)c);
    if (length == 0) {
      hfi_xml_refuse(w, "after \"%.*s\", a text has the byte 0x%02x, which XML cannot hold there", (int)(c - text),
                     text, (unsigned)(unsigned char)*c);
      return;
    }

    c += length;
  }
}

// What XML writes for a character of an attribute; NULL: the character. A parser reads a bare line end or tab as a
// blank.
static const char* find_entity(char c) {
  switch (c) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\n': return "&#10;";
  case '\r': return "&#13;";
  case '\t': return "&#9;";
  default: return NULL;
  }
}

// Prints a text, in which entities replace the characters that XML reserves.
void hfi_xml_print_text(hfiXmlWriter* w, const char* text) {
  check_text(w, text);
  for (; *text && !w->status; ++text) {
    const char* entity = find_entity(*text);
    if (entity)
      hfi_output_bytes(&w->out, entity, strlen(entity));
    else
      hfi_output_bytes(&w->out, text, 1);
  }
}

void hfi_xml_put_text(hfiXmlWriter* w, const char* attribute, const char* text) {
  hfi_xml_print(w, " %s=\"", attribute);
  hfi_xml_print_text(w, text);
  hfi_xml_print(w, "\"");
}

// Prints a number with the fewest digits, 15 to 17, that give the same number again.
static void print_number(hfiXmlWriter* w, double x) {
  char text[40];
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  hfi_xml_print(w, "%s", text);
}

void hfi_xml_print_numbers(hfiXmlWriter* w, const double* x, int count) {
  for (int i = 0; i < count && !w->status; ++i) {
    if (i) hfi_xml_print(w, " ");
    print_number(w, x[i]);
  }
}

// Prints numbers with the fewest digits, 6 to 9, that give the same numbers in single precision again.
void hfi_xml_print_floats(hfiXmlWriter* w, const float* x, int count) {
  char text[40];
  for (int i = 0; i < count && !w->status; ++i) {
    for (int digits = 6; digits <= 9; ++digits) {
      snprintf(text, sizeof text, "%.*g", digits, (double)x[i]);
      if (strtof(text, NULL) == x[i]) break;
    }
    hfi_xml_print(w, i ? " %s" : "%s", text);
  }
}

void hfi_xml_put_reals(hfiXmlWriter* w, const char* attribute, const double* x, int count) {
  hfi_xml_print(w, " %s=\"", attribute);
  hfi_xml_print_numbers(w, x, count);
  hfi_xml_print(w, "\"");
}

void hfi_xml_put_real(hfiXmlWriter* w, const char* attribute, double x, double unless) {
  if (x != unless) hfi_xml_put_reals(w, attribute, &x, 1);
}

void hfi_xml_put_int(hfiXmlWriter* w, const char* attribute, int x, int unless) {
  if (x != unless) hfi_xml_print(w, " %s=\"%d\"", attribute, x);
}

void hfi_xml_put_bool(hfiXmlWriter* w, const char* attribute, int x) {
  hfi_xml_print(w, " %s=\"%s\"", attribute, x ? "true" : "false");
}

void hfi_xml_text_element(hfiXmlWriter* w, int depth, const char* element, const char* text) {
  hfi_xml_begin(w, depth, element);
  hfi_xml_print(w, ">");
  hfi_xml_print_text(w, text);
  hfi_xml_print(w, "</%s>\n", element);
}

void hfi_xml_number_element(hfiXmlWriter* w, int depth, const char* element, const double* x, int count) {
  hfi_xml_begin(w, depth, element);
  hfi_xml_print(w, ">");
  hfi_xml_print_numbers(w, x, count);
  hfi_xml_print(w, "</%s>\n", element);
}
