// Makes a tree from the events of the parser expat. Entity declarations are refused: neither MJCF nor URDF needs them,
// and with them a small file could expand to a very large one.
//
// p: what is known while a text is parsed, e: an element. The functions on_... are called by expat.
#include "io/xml/xml.h"

#include "io/xml/reader.h"
#include "io/xml/xml_mend.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_DEPTH = 1000,       // largest depth of nested elements, because readers recurse
  MAX_ELEMENTS = 2000000, // largest number of elements in one file
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

// A copy of a part of a text in the store, with a zero at its end.
static char* copy_text(hfiReader* r, const char* s, size_t length) {
  char* copy = HFI_NEW(r, char, length + 1);
  if (copy) memcpy(copy, s, length);
  return copy;
}

static void stop(Parse* p) { XML_StopParser(p->expat, XML_FALSE); }

// Copies the attributes, which expat gives as names and values in turn.
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

// Makes an element the last child of its parent.
static void append(hfiElem* parent, hfiElem* elem) {
  elem->parent = parent;
  if (!parent) return;
  if (parent->last)
    parent->last->next = elem;
  else
    parent->child = elem;
  parent->last = elem;
}

// expat has read a start tag: appends a new element to the innermost open one.
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
    hfi_fail(p->reader, elem, HF_ERROR_PARSE, "the file has more than %d elements", MAX_ELEMENTS);
  if (p->reader->status) {
    stop(p);
    return;
  }

  p->open = elem;
  p->text_length = 0;
}

// expat has read some text: appends it to the text of the innermost open element.
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

// expat has read an end tag: an element without children gets its text, without blanks at both ends.
static void XMLCALL on_end(void* data, const char* name) {
  (void)name;
  Parse* p = data;
  if (p->reader->status) {
    stop(p);
    return;
  }

  size_t begin = 0;
  size_t end = p->text_length;
  while (begin < end && hfi_xml_is_blank(p->text[begin])) ++begin;
  while (end > begin && hfi_xml_is_blank(p->text[end - 1])) --end;
  if (end > begin && !p->open->child) p->open->text = copy_text(p->reader, p->text + begin, end - begin);

  p->text_length = 0;
  p->open = p->open->parent;
}

// expat has read the declaration of an entity, which is refused.
static void XMLCALL on_entity(void* data, const char* name, int is_parameter, const char* value, int value_length,
                              const char* base, const char* system_id, const char* public_id, const char* notation) {
  (void)is_parameter;
  (void)value;
  (void)value_length;
  (void)base;
  (void)system_id;
  (void)public_id;
  (void)notation;

  Parse* p = data;
  if (!p->reader->status) {
    hfiElem place = {.name = "!ENTITY", .file = p->file, .line = (int)XML_GetCurrentLineNumber(p->expat)};
    hfi_fail(p->reader, &place, HF_ERROR_PARSE, "entity declarations are not accepted (\"%.60s\")", name);
  }
  stop(p);
}

// Whether a text is something else than XML: its first characters begin neither an XML document nor the mark of an
// encoding.
static int begins_as_other(const char* text, size_t length) {
  const char* first = text;
  const char* end = text + length;
  while (first < end && *first && strchr(" \t\r\n", *first)) ++first;
  return first < end && *first != '<' && (unsigned char)*first < 0xef;
}

// Whether the name of a file ends as files of meshes do, in small letters or in capitals.
static int is_mesh_name(const char* file) {
  static const char* const endings[] = {".stl", ".obj", ".ply", ".msh", ".STL", ".OBJ", ".PLY"};
  const char* ending = strrchr(file, '.');

  for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; ++i)
    if (strcmp(ending, endings[i]) == 0) return 1;
  return 0;
}

// The message about a file that does not begin as XML.
static const char* name_other(const char* text, size_t length) {
  static const struct {
    const char *begin, *what; // the first bytes of such files (io/record/chunk.h, model/state.c)
  } kinds[] = {
      {"HFRECORD",
       "this is a recording and no model: hf_recording_read reads it and hf_recording_model is its model "
       "(Recording(PATH).model in Python)"},
      {"HFSTATE", "this is a state and no model: hf_state_read reads it (State.restore in Python)"},
  };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    size_t size = strlen(kinds[i].begin);
    if (length >= size && memcmp(text, kinds[i].begin, size) == 0) return kinds[i].what;
  }
  return "this is no XML file: MJCF, URDF, SDFormat and COLLADA files begin with <";
}

// Refuses a text for the error that expat has found. If the root is complete, what follows is only noted.
static void report_error(Parse* p, const char* text, size_t length) {
  enum XML_Error code = XML_GetErrorCode(p->expat);
  hfiElem place = {.file = p->file, .line = (int)XML_GetCurrentLineNumber(p->expat)};

  // an end tag too many, or bytes that are not text
  if (p->root && !p->open && code == XML_ERROR_INVALID_TOKEN) {
    hfi_note(p->reader, &place, HF_WARNING, "the file goes on behind the end of <%.60s>: not read", p->root->name);
    return;
  }

  const char* what = XML_ErrorString(code);
  if (code == XML_ERROR_NO_MEMORY)
    hfi_fail(p->reader, &place, HF_ERROR_MEMORY, "malformed XML: %s", what);
  else if (!p->root && is_mesh_name(p->file))
    hfi_fail(p->reader, &place, HF_ERROR_PARSE,
             "this is a mesh and no model: name it in the <asset> of a scene, <mesh name=\"m\" file=\"%s\"/>, and show "
             "it by a geom, <geom type=\"mesh\" mesh=\"m\"/>",
             p->file);
  else if (!p->root && begins_as_other(text, length))
    hfi_fail(p->reader, &place, HF_ERROR_PARSE, "%s", name_other(text, length));
  else if (p->open)
    hfi_fail(p->reader, &place, HF_ERROR_PARSE, "malformed XML: %s, inside %s", what, p->open->name);
  else
    hfi_fail(p->reader, &place, HF_ERROR_PARSE, "malformed XML: %s", what);
}

// Gives the text to expat in pieces, because expat takes its size as an int.
static void feed(Parse* p, const char* text, size_t length) {
  static const size_t PIECE_BYTES = 1 << 20;
  size_t done = 0;
  do {
    size_t piece = length - done < PIECE_BYTES ? length - done : PIECE_BYTES;
    enum XML_Status status = XML_Parse(p->expat, text + done, (int)piece, done + piece == length);
    done += piece;
    if (status == XML_STATUS_OK || p->reader->status) continue;
    report_error(p, text, length);
    return;
  } while (done < length && !p->reader->status);
}

// Parses a text into a tree. Texts that are not quite XML are mended first. NULL after a refusal.
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

  char* mended = hfi_xml_mend(text, &length);
  feed(&p, mended ? mended : text, length);
  free(mended);
  XML_ParserFree(p.expat);
  free(p.text);

  return reader->status ? NULL : p.root;
}

// Parses a file. from: the element that asked for it, or NULL.
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

// The first element from `elem` on that has this name (NULL: any), which counts as used.
static hfiElem* find_from(hfiElem* elem, const char* name) {
  while (elem && name && strcmp(elem->name, name) != 0) elem = elem->next;
  if (elem) elem->used = 1;
  return elem;
}

hfiElem* hfi_child(const hfiElem* elem, const char* name) { return find_from(elem->child, name); }
hfiElem* hfi_next(const hfiElem* elem, const char* name) { return find_from(elem->next, name); }

void hfi_xml_use_all(hfiElem* elem) {
  elem->used = 1;
  for (hfiAttr* a = elem->attr; a; a = a->next) a->used = 1;
  for (hfiElem* child = elem->child; child; child = child->next) hfi_xml_use_all(child);
}

int hfi_is(const hfiElem* elem, const char* name) { return strcmp(elem->name, name) == 0; }

// Replaces an element by the children of `root`, in their order; the parent of the element becomes theirs.
void hfi_xml_splice(hfiElem* elem, hfiElem* root) {
  hfiElem* parent = elem->parent;
  hfiElem** link = &parent->child;

  // the link that leads to the element
  hfiElem* before = NULL; // the child before the element; NULL: the element is the first child
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

// The row of a table for an element or for one of its attributes, or NULL.
static const hfiMeaning* find_meaning(const hfiMeaning* table, const char* elem, const char* attr) {
  for (; table->elem; ++table) {
    if (strcmp(table->elem, "*") != 0 && strcmp(table->elem, elem) != 0) continue;
    if (!attr && !table->attr) return table;
    if (attr && table->attr && (strcmp(table->attr, "*") == 0 || strcmp(table->attr, attr) == 0)) return table;
  }
  return NULL;
}

// Whether an attribute declares a prefix of names, as xmlns:drake does. It has nothing to do with the model.
static int declares_names(const char* name) { return strcmp(name, "xmlns") == 0 || strncmp(name, "xmlns:", 6) == 0; }

// Reports an attribute that was not used, with what this means.
static void report_attribute(hfiReader* r, const hfiElem* elem, const hfiAttr* attr, const hfiMeaning* table) {
  if (declares_names(attr->name)) return;
  const hfiMeaning* m = find_meaning(table, elem->name, attr->name);
  if (m && !m->text) return;

  if (m)
    hfi_note(r, elem, m->harmless ? HF_NOTE : HF_WARNING, "<%.60s %.60s=…>: %s", elem->name, attr->name, m->text);
  else
    hfi_note(r, elem, HF_WARNING, "<%.60s %.60s=…>: unknown attribute, not used", elem->name, attr->name);
}

// Reports everything at and below `root` that was not used. Of an element that was not used, what is in it is not
// reported.
void hfi_xml_report(hfiReader* reader, const hfiElem* root, const hfiMeaning* table) {
  if (!root->used) {
    const hfiMeaning* m = find_meaning(table, root->name, NULL);
    if (m && m->text) hfi_note(reader, root, m->harmless ? HF_NOTE : HF_WARNING, "<%.60s>: %s", root->name, m->text);
    if (!m) hfi_note(reader, root, HF_WARNING, "<%.60s>: unknown element, not used", root->name);
    return;
  }

  for (const hfiAttr* attr = root->attr; attr; attr = attr->next)
    if (!attr->used) report_attribute(reader, root, attr, table);
  for (const hfiElem* child = root->child; child; child = child->next)
    hfi_xml_report(reader, child, table);
}
