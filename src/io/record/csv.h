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
  for (const char* c = text; *c; ++c) {
    if (*c == '"') hfi_output_bytes(out, "\"", 1); // a quote is doubled
    hfi_output_bytes(out, c, 1);
  }
  hfi_output_bytes(out, "\"", 1);
}

#endif
