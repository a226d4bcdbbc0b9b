// Makes XML of texts that are not quite XML (xml_mend.h). The lines of the text keep their numbers, so that messages
// name the right ones.
//
// s: a place in the text, end: its end, stop: where a comment or declaration ends, c: the copy that is made.
#include "io/xml/xml_mend.h"

#include <stdlib.h>
#include <string.h>

// The first place of a text between two pointers, or NULL.
static const char* find_text(const char* from, const char* end, const char* what) {
  size_t n = strlen(what);
  for (; from + n <= end; ++from)
    if (memcmp(from, what, n) == 0) return from;
  return NULL;
}

// ---- the declaration ----------------------------------------------------------------------------

static const char* skip_blanks(const char* s, const char* end) {
  while (s < end && hfi_xml_is_blank(*s)) ++s;
  return s;
}

// Whether a declaration is written as XML asks: version, then perhaps encoding and standalone, each with a quoted
// value. s stands behind "<?xml", and `stop` at "?>".
static int is_well_formed(const char* s, const char* stop) {
  static const char* const names[] = {"version", "encoding", "standalone"};
  int next = 0; // the first name that may come

  for (;;) {
    const char* before_blanks = s;
    s = skip_blanks(s, stop);
    if (s == stop) return next > 0;

    // a name, after a blank; the version cannot be left out
    int k = next;
    while (k < 3 && ((size_t)(stop - s) < strlen(names[k]) || memcmp(s, names[k], strlen(names[k])) != 0)) ++k;
    if (s == before_blanks || k == 3 || (k > 0 && next == 0)) return 0;

    // = and a quoted value
    s = skip_blanks(s + strlen(names[k]), stop);
    if (s == stop || *s != '=') return 0;
    s = skip_blanks(s + 1, stop);
    int is_quoted = s < stop && (*s == '"' || *s == '\'');
    const char* close = is_quoted ? memchr(s + 1, *s, (size_t)(stop - s - 1)) : NULL;
    if (!close || close == s + 1) return 0;
    s = close + 1;
    next = k + 1;
  }
}

// Finds an XML declaration that no parser would take: one that is not well formed, or that is not at the start of the
// text but has only blanks and comments before it. Returns NULL if there is none.
static const char* find_odd_declaration(const char* text, const char* end) {
  const char* s = text;
  while (s < end) {
    if (hfi_xml_is_blank(*s)) {
      ++s;
      continue;
    }
    if (end - s < 4 || memcmp(s, "<!--", 4) != 0) break;
    const char* stop = find_text(s, end, "-->");
    if (!stop) return NULL;
    s = stop + 3;
  }

  if (end - s < 6 || memcmp(s, "<?xml", 5) != 0 || !(hfi_xml_is_blank(s[5]) || s[5] == '?')) return NULL;
  const char* stop = find_text(s, end, "?>");
  return s > text || (stop && !is_well_formed(s + 5, stop)) ? s : NULL;
}

// Returns a copy of the text, to be freed, in which an odd declaration is blank. Returns NULL if there is none, or no
// memory.
static char* without_declaration(const char* text, size_t length) {
  const char* end = text + length;
  const char* begin = find_odd_declaration(text, end);
  const char* stop = begin ? find_text(begin, end, "?>") : NULL;
  char* copy = stop ? malloc(length + 1) : NULL;
  if (!copy) return NULL;

  memcpy(copy, text, length);
  for (const char* s = begin; s < stop + 2; ++s)
    if (*s != '\n') copy[s - text] = ' ';
  return copy;
}

// ---- comments -----------------------------------------------------------------------------------

// Finds the next comment at or after `from` that is outside of CDATA sections, without its marks. Returns 0 if there is
// none.
static int find_comment(const char* from, const char* end, const char** begin, const char** stop) {
  while ((from = find_text(from, end, "<!")) != NULL) {
    if (from + 9 <= end && memcmp(from, "<![CDATA[", 9) == 0) {
      from = find_text(from, end, "]]>");
      if (!from) return 0;
    } else if (from + 4 <= end && memcmp(from, "<!--", 4) == 0) {
      *begin = from + 4;
      *stop = find_text(*begin, end, "-->");
      return *stop != NULL;
    } else {
      from += 2;
    }
  }

  return 0;
}

// Whether a comment has "--", or a dash at its end, which XML does not allow.
static int has_loose_dashes(const char* begin, const char* stop) {
  return find_text(begin, stop, "--") != NULL || (stop > begin && stop[-1] == '-');
}

// Returns a copy of the text, to be freed, in which the dashes of comments with "--" are blank. Returns NULL if there
// is no such comment, or no memory.
static char* without_dashes(const char* text, size_t length) {
  const char* end = text + length;
  const char* begin = NULL;
  const char* stop = NULL;
  char* copy = NULL;

  for (const char* from = text; find_comment(from, end, &begin, &stop); from = stop + 3) {
    if (!has_loose_dashes(begin, stop)) continue;
    if (!copy) {
      copy = malloc(length + 1);
      if (!copy) return NULL;
      memcpy(copy, text, length);
    }

    for (const char* c = begin; c < stop; ++c)
      if (*c == '-') copy[c - text] = ' ';
  }
  return copy;
}

// ---- blanks between attributes ------------------------------------------------------------------

// The characters that end the comment, section or instruction that begins at `s`; NULL for a tag with attributes.
static const char* end_mark(const char* s, const char* end) {
  static const char* const marks[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
    size_t n = strlen(marks[i][0]);
    if ((size_t)(end - s) >= n && memcmp(s, marks[i][0], n) == 0) return marks[i][1];
  }
  return NULL;
}

// Whether a name of an attribute may begin with this character.
static int begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A growing copy. If `out` is NULL, only its size is counted.
typedef struct Copy {
  char* out;
  size_t size;
} Copy;

static void extend(Copy* c, const char* from, size_t n) {
  if (c->out) memcpy(c->out + c->size, from, n);
  c->size += n;
}

// Copies the tag that begins at s and inserts a blank after each quoted value that is directly followed by a name.
// Returns the end of the tag.
static const char* copy_tag(Copy* c, const char* s, const char* end) {
  char quote = 0; // the mark that ends the present value; 0: outside of a value

  for (; s < end; ++s) {
    extend(c, s, 1);
    if (quote && *s == quote) {
      quote = 0;
      if (s + 1 < end && begins_name(s[1])) extend(c, " ", 1);
    } else if (!quote && (*s == '"' || *s == '\'')) {
      quote = *s;
    } else if (!quote && *s == '>') {
      return s + 1;
    }
  }
  return end;
}

// Copies the text to `out`, which may be NULL, and inserts a blank between attributes where it is missing. Returns the
// length of the copy.
static size_t copy_with_blanks(const char* text, size_t length, char* out) {
  Copy c = {out, 0};

  for (const char *s = text, *end = text + length; s < end;) {
    const char* mark = *s == '<' ? end_mark(s, end) : NULL;
    if (*s == '<' && !mark) {
      s = copy_tag(&c, s, end);
      continue;
    }

    const char* last = mark ? find_text(s, end, mark) : s;
    if (!last) last = end - 1; // It never ends; the parser will report that.
    extend(&c, s, (size_t)(last + 1 - s));
    s = last + 1;
  }
  return c.size;
}

// Returns a copy of the text, to be freed, with a blank between all attributes. Returns NULL if no blank is missing, or
// if there is no memory.
static char* with_blanks(const char* text, size_t* length) {
  size_t size = copy_with_blanks(text, *length, NULL);
  char* copy = size > *length ? malloc(size + 1) : NULL;
  if (copy) *length = copy_with_blanks(text, *length, copy);
  return copy;
}

// Replaces *text by a copy, if there is one.
static void replace(char** text, char* copy) {
  if (!copy) return;
  free(*text);
  *text = copy;
}

// Returns a copy of the text, to be freed, in which declaration, comments and attributes are as XML asks. Returns NULL
// if they are so already. *length becomes the length of the copy.
char* hfi_xml_mend(const char* text, size_t* length) {
  char* mended = NULL;
  replace(&mended, without_declaration(text, *length));
  replace(&mended, without_dashes(mended ? mended : text, *length));
  replace(&mended, with_blanks(mended ? mended : text, length));
  return mended;
}
