// Fields of CSV files.
#ifndef HFI_RECORD_CSV_H
#define HFI_RECORD_CSV_H

#include "base/output.h"

#include <holdfast/model.h>
#include <stdio.h>
#include <string.h>

// Writes ",TEXT", in quotes where CSV requires them (RFC 4180).
static inline void hfi_csv_text(hfiOutput* out, const char* text) {
  hfi_output_bytes(out, ",", 1);
  if (!strpbrk(text, ",\"\r\n")) {
    hfi_output_bytes(out, text, strlen(text));
    return;
  }
  hfi_output_bytes(out, "\"", 1);
  for (const char* c = text; *c; ++c) hfi_output_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  hfi_output_bytes(out, "\"", 1);
}

// The name of an object; one without a name is called "#ID", which is written to `buffer`. The world is "world".
static inline const char* hfi_csv_name(const hfModel* m, hfObjectKind kind, int id, char buffer[24]) {
  const char* name = hf_model_name(m, kind, id);
  if (*name) return name;
  if (kind == HF_OBJECT_BODY && id == 0) return "world";
  snprintf(buffer, 24, "#%d", id);
  return buffer;
}

#endif
