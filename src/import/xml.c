// Makes a tree from the events of the parser expat. Entity declarations are refused: neither MJCF nor URDF needs them, and
// with them a small file could expand to a very large one.
#include "import/xml.h"

#include "import/reader.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_DEPTH = 1000,       // largest depth of nested elements, because readers recurse
  MAX_ELEMENTS = 2000000, // in one file
  MAX_XML_BYTES = 256 << 20,
};

typedef struct Parse {
  hfiReader* reader;
  XML_Parser expat;
  const char* file;
  hfiElem *root, *open; // open: the innermost element whose end was not yet read
  char* text;           // text of the innermost element so far
  size_t text_length, text_capacity;
  int count;
} Parse;

static char* copy_text(hfiReader* r, const char* s, size_t length) {
  char* copy = HFI_NEW(r, char, length + 1);
  if (copy) memcpy(copy, s, length);
  return copy;
}

static void stop(Parse* p) { XML_StopParser(p->expat, XML_FALSE); }

static void add_attributes(Parse* p, hfiElem* elem, const char** attributes) {
  hfiAttr** tail = &elem->attr;
  for (int i = 0; attributes[i]; i += 2) {
    hfiAttr* attr = HFI_NEW(p->reader, hfiAttr, 1);
    if (!attr) return;
    attr->name = copy_text(p->reader, attributes[i], strlen(attributes[i]));
    attr->value = copy_text(p->reader, attributes[i + 1], strlen(attributes[i + 1]));
    if (!attr->name || !attr->value) return;
    *tail = attr;
    tail = &attr->next;
  }
}

static void append(hfiElem* parent, hfiElem* elem) {
  elem->parent = parent;
  if (!parent) return;
  if (parent->last)
    parent->last->next = elem;
  else
    parent->child = elem;
  parent->last = elem;
}

static void XMLCALL on_start(void* data, const char* name, const char** attributes) {
  Parse* p = data;
  if (p->reader->status) {
    stop(p);
    return;
  }
  hfiElem* elem = HFI_NEW(p->reader, hfiElem, 1);
  if (elem) elem->name = copy_text(p->reader, name, strlen(name));
  if (p->reader->status) {
    stop(p);
    return;
  }
  elem->file = p->file;
  elem->line = (int)XML_GetCurrentLineNumber(p->expat);
  elem->depth = p->open ? p->open->depth + 1 : 0;
  append(p->open, elem);
  if (!p->root) p->root = elem;
  add_attributes(p, elem, attributes);
  if (elem->depth >= MAX_DEPTH)
    hfi_fail(p->reader, elem, HF_ERROR_PARSE, "elements are nested more than %d deep", MAX_DEPTH);
  if (++p->count > MAX_ELEMENTS)
    hfi_fail(p->reader, elem, HF_ERROR_PARSE, "more than %d elements", MAX_ELEMENTS);
  if (p->reader->status) {
    stop(p);
    return;
  }
  p->open = elem;
  p->text_length = 0;
}

static void XMLCALL on_text(void* data, const char* s, int length) {
  Parse* p = data;
  if (p->reader->status) return;
  if (p->text_length + (size_t)length > p->text_capacity) {
    size_t capacity = 2 * (p->text_length + (size_t)length);
    char* text = realloc(p->text, capacity);
    if (!text) {
      hfi_fail(p->reader, p->open, HF_ERROR_MEMORY, "out of memory");
      stop(p);
      return;
    }
    p->text = text;
    p->text_capacity = capacity;
  }
  memcpy(p->text + p->text_length, s, (size_t)length);
  p->text_length += (size_t)length;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void XMLCALL on_end(void* data, const char* name) {
  (void)name;
  Parse* p = data;
  if (p->reader->status) {
    stop(p);
    return;
  }
  size_t begin = 0, end = p->text_length;
  while (begin < end && is_blank(p->text[begin])) ++begin;
  while (end > begin && is_blank(p->text[end - 1])) --end;
  if (end > begin && !p->open->child)
    p->open->text = copy_text(p->reader, p->text + begin, end - begin);
  p->text_length = 0;
  p->open = p->open->parent;
}

static void XMLCALL on_entity(void* data, const char* name, int is_parameter, const char* value,
                              int value_length, const char* base, const char* system_id,
                              const char* public_id, const char* notation) {
  (void)is_parameter;
  (void)value;
  (void)value_length;
  (void)base;
  (void)system_id;
  (void)public_id;
  (void)notation;
  Parse* p = data;
  if (!p->reader->status) {
    hfiElem place = {
        .name = "!ENTITY", .file = p->file, .line = (int)XML_GetCurrentLineNumber(p->expat)};
    hfi_fail(p->reader, &place, HF_ERROR_PARSE, "entity declarations are not accepted (\"%.60s\")",
             name);
  }
  stop(p);
}

// Is this no XML? Its first characters begin neither an XML document nor the mark of an encoding.
static int begins_as_other(const char* text, size_t length) {
  const char *at = text, *end = text + length;
  while (at < end && strchr(" \t\r\n", *at) && *at) ++at;
  return at < end && *at != '<' && (unsigned char)*at < 0xef;
}

// Gives the text to expat in pieces, because expat takes its size as an int.
static void feed(Parse* p, const char* text, size_t length) {
  size_t done = 0;
  do {
    size_t piece = length - done < (1u << 20) ? length - done : 1u << 20;
    enum XML_Status status = XML_Parse(p->expat, text + done, (int)piece, done + piece == length);
    done += piece;
    if (status == XML_STATUS_OK || p->reader->status) continue;
    enum XML_Error code = XML_GetErrorCode(p->expat);
    hfiElem place = {.file = p->file, .line = (int)XML_GetCurrentLineNumber(p->expat)};
    if (p->root && !p->open && code == XML_ERROR_INVALID_TOKEN) { // an end tag too many, or bytes that are no text

      hfi_note(p->reader, &place, HF_WARNING, "the file goes on behind the end of <%.60s>: not read", p->root->name);
      return;
    }
    if (!p->root && code != XML_ERROR_NO_MEMORY && begins_as_other(text, length))
      hfi_fail(p->reader, &place, HF_ERROR_PARSE, "this is no XML file: MJCF, URDF, SDFormat and COLLADA files begin with <");
    hfi_fail(p->reader, &place, code == XML_ERROR_NO_MEMORY ? HF_ERROR_MEMORY : HF_ERROR_PARSE,
             "malformed XML: %s%s%s", XML_ErrorString(code), p->open ? ", inside " : "",
             p->open ? p->open->name : "");
  } while (done < length && !p->reader->status);
}

static const char* find_text(const char* from, const char* end, const char* what) {
  size_t n = strlen(what);
  for (; from + n <= end; ++from)
    if (memcmp(from, what, n) == 0) return from;
  return NULL;
}

// ---- the declaration ----------------------------------------------------------------------------

// Finds an XML declaration that is not at the start of the text but has only blanks and comments before it. Returns NULL if there is none.
static const char* late_declaration(const char* text, const char* end) {
  const char* s = text;
  while (s < end) {
    if (is_blank(*s)) ++s;
    else if (end - s >= 4 && memcmp(s, "<!--", 4) == 0) {
      const char* stop = find_text(s, end, "-->");
      if (!stop) return NULL;
      s = stop + 3;
    } else
      break;
  }
  return s > text && end - s >= 6 && memcmp(s, "<?xml", 5) == 0 && is_blank(s[5]) ? s : NULL;
}

// XML requires the declaration to be at the start of a file; MuJoCo does not, and neither do we. Returns a copy of the text, to be freed, in which a
// later declaration is blank. Returns NULL if there is none, or no memory.
static char* without_declaration(const char* text, size_t length) {
  const char *end = text + length, *begin = late_declaration(text, end);
  const char* stop = begin ? find_text(begin, end, "?>") : NULL;
  char* copy = stop ? malloc(length + 1) : NULL;
  if (!copy) return NULL;
  memcpy(copy, text, length);
  for (const char* s = begin; s < stop + 2; ++s)
    if (*s != '\n') copy[s - text] = ' ';
  return copy;
}

// ---- comments -----------------------------------------------------------------------------------

// Finds the next comment at or after `from` that is outside of CDATA sections, without its marks. Returns 0 if there is none.
static int find_comment(const char* from, const char* end, const char** begin, const char** stop) {
  while ((from = find_text(from, end, "<!")) != NULL) {
    if (from + 9 <= end && memcmp(from, "<![CDATA[", 9) == 0) {
      if (!(from = find_text(from, end, "]]>"))) return 0;
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

static int has_loose_dashes(const char* begin, const char* stop) {
  return find_text(begin, stop, "--") != NULL || (stop > begin && stop[-1] == '-');
}

// XML forbids "--" inside a comment; MuJoCo reads it, and so do we. Returns a copy of the text, to be freed, in which the dashes of such comments are
// blank. Returns NULL if there is no such comment, or no memory.
static char* without_dashes(const char* text, size_t length) {
  const char *end = text + length, *begin, *stop;
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

// Copies the tag that begins at s and inserts a blank after each quoted value that is directly followed by a name. Returns the end of the tag.
static const char* copy_tag(Copy* c, const char* s, const char* end) {
  char quote = 0;
  for (; s < end; ++s) {
    extend(c, s, 1);
    if (quote && *s == quote) {
      quote = 0;
      if (s + 1 < end && begins_name(s[1])) extend(c, " ", 1);
    } else if (!quote && (*s == '"' || *s == '\''))
      quote = *s;
    else if (!quote && *s == '>')
      return s + 1;
  }
  return end;
}

// Copies the text to `out`, which may be NULL, and inserts a blank between attributes where it is missing. Returns the length of the copy.
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

// XML requires a blank between attributes; MuJoCo does not, and neither do we. Returns a copy with these blanks, to be freed. Returns NULL if no
// blank is missing, or if there is no memory.
static char* with_blanks(const char* text, size_t* length) {
  size_t size = copy_with_blanks(text, *length, NULL);
  char* copy = size > *length ? malloc(size + 1) : NULL;
  if (copy) *length = copy_with_blanks(text, *length, copy);
  return copy;
}

hfiElem* hfi_xml_parse(hfiReader* reader, const char* file, const char* text, size_t length) {
  if (reader->status) return NULL;
  Parse p = {.reader = reader, .file = hfi_format(reader, "%s", file)};
  p.expat = XML_ParserCreate(NULL);
  if (!p.expat) {
    hfi_fail(reader, NULL, HF_ERROR_MEMORY, "%s: out of memory", file);
    return NULL;
  }
  XML_SetUserData(p.expat, &p);
  XML_SetElementHandler(p.expat, on_start, on_end);
  XML_SetCharacterDataHandler(p.expat, on_text);
  XML_SetEntityDeclHandler(p.expat, on_entity);
  char* bare = without_declaration(text, length);
  if (bare) text = bare;
  char* blanked = without_dashes(text, length);
  char* spaced = with_blanks(blanked ? blanked : text, &length);
  feed(&p, spaced ? spaced : blanked ? blanked : text, length);
  free(spaced);
  free(blanked);
  free(bare);
  XML_ParserFree(p.expat);
  free(p.text);
  return reader->status ? NULL : p.root;
}

hfiElem* hfi_xml_load(hfiReader* reader, const char* path, const hfiElem* from) {
  if (reader->status) return NULL;
  size_t size = 0;
  char* text = hfi_slurp(path, MAX_XML_BYTES, &size, &reader->scratch);
  if (!text) {
    hfi_keep(reader, from, (int)reader->scratch.status);
    return NULL;
  }
  hfiElem* root = hfi_xml_parse(reader, path, text, size);
  free(text);
  return root;
}

static hfiElem* find_from(hfiElem* elem, const char* name) {
  while (elem && name && strcmp(elem->name, name) != 0) elem = elem->next;
  if (elem) elem->used = 1;
  return elem;
}

hfiElem* hfi_child(const hfiElem* elem, const char* name) { return find_from(elem->child, name); }
hfiElem* hfi_next(const hfiElem* elem, const char* name) { return find_from(elem->next, name); }
int hfi_is(const hfiElem* elem, const char* name) { return strcmp(elem->name, name) == 0; }

void hfi_xml_splice(hfiElem* elem, hfiElem* root) {
  hfiElem* parent = elem->parent;
  hfiElem** link = &parent->child;
  hfiElem* before = NULL;
  while (*link != elem) {
    before = *link;
    link = &before->next;
  }
  for (hfiElem* child = root->child; child; child = child->next) child->parent = parent;
  if (root->child) {
    *link = root->child;
    root->last->next = elem->next;
    if (parent->last == elem) parent->last = root->last;
  } else {
    *link = elem->next;
    if (parent->last == elem) parent->last = before;
  }
}

// ---- what was not used --------------------------------------------------------------------------

static const hfiMeaning* find_meaning(const hfiMeaning* table, const char* elem, const char* attr) {
  for (; table->elem; ++table) {
    if (strcmp(table->elem, "*") != 0 && strcmp(table->elem, elem) != 0) continue;
    if (!attr && !table->attr) return table;
    if (attr && table->attr && (strcmp(table->attr, "*") == 0 || strcmp(table->attr, attr) == 0))
      return table;
  }
  return NULL;
}

// Whether an attribute declares a prefix of names, as xmlns:drake does. It has nothing to do with the model.
static int declares_names(const char* name) { return strcmp(name, "xmlns") == 0 || strncmp(name, "xmlns:", 6) == 0; }

static void report_attribute(hfiReader* r, const hfiElem* elem, const hfiAttr* attr,
                             const hfiMeaning* table) {
  if (declares_names(attr->name)) return;
  const hfiMeaning* m = find_meaning(table, elem->name, attr->name);
  if (m && !m->text) return;
  if (m)
    hfi_note(r, elem, m->harmless ? HF_NOTE : HF_WARNING, "<%.60s %.60s=…>: %s", elem->name,
             attr->name, m->text);
  else
    hfi_note(r, elem, HF_WARNING, "<%.60s %.60s=…>: unknown attribute, not used", elem->name,
             attr->name);
}

void hfi_xml_report(hfiReader* reader, const hfiElem* root, const hfiMeaning* table) {
  if (!root->used) {
    const hfiMeaning* m = find_meaning(table, root->name, NULL);
    if (m && m->text)
      hfi_note(reader, root, m->harmless ? HF_NOTE : HF_WARNING, "<%.60s>: %s", root->name,
               m->text);
    if (!m) hfi_note(reader, root, HF_WARNING, "<%.60s>: unknown element, not used", root->name);
    return;
  }
  for (const hfiAttr* attr = root->attr; attr; attr = attr->next)
    if (!attr->used) report_attribute(reader, root, attr, table);
  for (const hfiElem* child = root->child; child; child = child->next)
    hfi_xml_report(reader, child, table);
}
