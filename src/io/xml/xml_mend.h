// Mending of texts that are not quite XML, but that MuJoCo reads nevertheless:
//
//   a declaration <?xml ... ?> after blanks and comments    XML wants it at the start of the file
//   a declaration that is not well formed                   XML wants version, encoding and standalone, in this order
//   a comment with "--" inside                              XML forbids that
//   attributes without a blank between them                 XML wants one
#ifndef HFI_IMPORT_XML_MEND_H
#define HFI_IMPORT_XML_MEND_H

#include <stddef.h>

// Returns a mended copy of a text, to be freed, and writes its length. Returns NULL, with the length unchanged, if
// nothing has to be mended. If there is no memory, what could not be mended stays as it is, and the parser refuses it.
char* hfi_xml_mend(const char* text, size_t* length);

static inline int hfi_xml_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

#endif
