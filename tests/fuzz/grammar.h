// Takes bytes as instructions for writing well-formed XML. A fuzzer finds malformed XML by itself, but hardly ever two valid
// elements. Each byte opens an element, adds an attribute, or closes an element.
#ifndef HF_FUZZ_GRAMMAR_H
#define HF_FUZZ_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Grammar {
  const char* root;
  const char* const *elements, *const *attributes, *const *values; // each ends with NULL
} Grammar;

enum { XML_SIZE = 1 << 15, XML_DEPTH = 30 };

typedef struct Writer {
  char* text;
  size_t used;
  const char* open[XML_DEPTH];
  int depth, in_tag;
} Writer;

static void put(Writer* w, const char* s) {
  size_t length = strlen(s);
  if (w->used + length + 256 > XML_SIZE) return;
  memcpy(w->text + w->used, s, length);
  w->used += length;
}

static const char* pick(const char* const* words, uint8_t byte) {
  size_t count = 0;
  while (words[count]) ++count;
  return words[byte % count];
}

static void end_tag(Writer* w) {
  if (w->in_tag) put(w, ">");
  w->in_tag = 0;
}

static void close_element(Writer* w) {
  end_tag(w);
  put(w, "</");
  put(w, w->open[--w->depth]);
  put(w, ">\n");
}

static void open_element(Writer* w, const char* name) {
  if (w->depth == XML_DEPTH || w->used + 512 > XML_SIZE) return;
  end_tag(w);
  put(w, "<");
  put(w, name);
  w->open[w->depth++] = name;
  w->in_tag = 1;
}

// An attribute twice in one tag is malformed: it is left out.
static void add_attribute(Writer* w, const char* name, const char* value) {
  char head[80];
  if (!w->in_tag || w->used + 512 > XML_SIZE) return;
  snprintf(head, sizeof head, " %s=\"", name);
  w->text[w->used] = 0;
  const char* tag = strrchr(w->text, '<');
  if (tag && strstr(tag, head)) return;
  put(w, head);
  put(w, value);
  put(w, "\"");
}

// Writes a document of at most XML_SIZE bytes; returns its length.
static size_t write_xml(const Grammar* g, const uint8_t* data, size_t size, char* text) {
  Writer w = {.text = text};
  open_element(&w, g->root);
  for (size_t i = 0; i + 2 < size; i += 3) {
    switch (data[i] % 4) {
    case 0: open_element(&w, pick(g->elements, data[i + 1])); break;
    case 1:
      if (w.depth > 1 && data[i + 1] % 2) close_element(&w);
      break;
    default: add_attribute(&w, pick(g->attributes, data[i + 1]), pick(g->values, data[i + 2]));
    }
  }
  while (w.depth > 0) close_element(&w);
  return w.used;
}

// Imports the input: the text itself where it begins with '<', otherwise the document that the bytes are instructions for.
// Files are looked for in tests/data/import.
static void import_document(const Grammar* g, const char* file, const hfImportConfig* config, const uint8_t* data, size_t size) {
  static char text[XML_SIZE];
  hfModel* model = NULL;
  hfError error;
  const char* input = (const char*)data;
  size_t length = size;
  if (input[0] != '<') {
    length = write_xml(g, data, size, text);
    input = text;
  }
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  hf_model_parse(&model, input, length, file, HF_DATA_FOLDER, config, diagnostics, &error);
  hf_diagnostics_free(diagnostics);
  hf_model_free(model);
}

#endif
