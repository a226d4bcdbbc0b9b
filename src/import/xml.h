// A small XML tree: elements with file, line and marks of what was used.
#ifndef HFI_IMPORT_XML_H
#define HFI_IMPORT_XML_H

#include <stddef.h>

struct hfiReader;

typedef struct hfiAttr {
  const char *name, *value;
  struct hfiAttr* next;
  int used;
} hfiAttr;

typedef struct hfiElem {
  const char *name, *file;
  const char* text; // of an element without children, blanks trimmed; NULL: none
  hfiAttr* attr;    // in the order written
  struct hfiElem *parent, *child, *last, *next;
  int line, depth;
  int used; // its kind is known to the reader; its attributes are judged one by one
} hfiElem;

// Parses text into a tree in the reader's store. NULL and a refusal on malformed XML, entity
// declarations, or more depth and elements than the limits in xml.c.
hfiElem* hfi_xml_parse(struct hfiReader* reader, const char* file, const char* text, size_t length);
// The same from a file; `from` is the element that asked for it, or NULL.
hfiElem* hfi_xml_load(struct hfiReader* reader, const char* path, const hfiElem* from);

// First child, or next sibling, of that name; name NULL: of any. Marks what it returns as used.
hfiElem* hfi_child(const hfiElem* elem, const char* name);
hfiElem* hfi_next(const hfiElem* elem, const char* name);
int hfi_is(const hfiElem* elem, const char* name);

// Puts the children of `root` in place of `elem`.
void hfi_xml_splice(hfiElem* elem, hfiElem* root);

// What an element or attribute that was not used means. Tables end with an element of NULL.
typedef struct hfiMeaning {
  const char* elem; // name, or "*"
  const char* attr; // NULL: the element itself, "*": any attribute
  int harmless;     // 1: no effect on the motion (a note), 0: the motion may differ (a warning)
  const char* text;
} hfiMeaning;
// Reports everything below `root` that was not used, once a kind.
void hfi_xml_report(struct hfiReader* reader, const hfiElem* root, const hfiMeaning* table);

#endif
