// A small XML tree. Elements know their file and line, and whether a reader used them.
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
  const char* text; // text of an element without children, without blanks at both ends; NULL if there is none
  hfiAttr* attr;    // attributes, in the order of the file
  struct hfiElem *parent, *child, *last, *next;
  int line, depth;
  int used; // 1: a reader used the element; each of its attributes has a mark of its own
  int classless; // 1: no default class applies to this element, which a reader made
} hfiElem;

// Parses a text into a tree in the reader's store. Refuses, and returns NULL, if the XML is malformed, has entity
// declarations, or has more elements or depth than the limits in xml.c.
hfiElem* hfi_xml_parse(struct hfiReader* reader, const char* file, const char* text, size_t length);
// Like hfi_xml_parse, from a file. `from` is the element that asked for it, or NULL.
hfiElem* hfi_xml_load(struct hfiReader* reader, const char* path, const hfiElem* from);

// The first child, or the next sibling, of that name (NULL: of any name). Marks the element that it returns as used.
hfiElem* hfi_child(const hfiElem* elem, const char* name);
hfiElem* hfi_next(const hfiElem* elem, const char* name);
int hfi_is(const hfiElem* elem, const char* name);
// Marks an element, its attributes and all below it as used.
void hfi_xml_use_all(hfiElem* elem);

// Replaces `elem` by the children of `root`.
void hfi_xml_splice(hfiElem* elem, hfiElem* root);

// An element or attribute, and what it means for the motion that it was not used. A table ends with an element of NULL.
typedef struct hfiMeaning {
  const char* elem; // name, or "*"
  const char* attr; // NULL: the element itself, "*": any attribute
  int harmless;     // 1: no effect on the motion (a note), 0: the motion may differ (a warning)
  const char* text;
} hfiMeaning;
// Reports everything below `root` that was not used, each kind once.
void hfi_xml_report(struct hfiReader* reader, const hfiElem* root, const hfiMeaning* table);

#endif
