// Writes refusals. `error` may be NULL everywhere.
#ifndef HFI_BASE_ERROR_H
#define HFI_BASE_ERROR_H

#include "base/compile.h"
#include <holdfast/status.h>

// Every public function that takes an hfError begins with this, so that no message of an earlier call stays in it.
static inline void hfi_clear_error(hfError* error) {
  if (!error) return;
  error->status = HF_OK;
  error->message[0] = 0;
}

// Fills *error (if any) with status and the formatted message; returns status, so that a refusal is
// `return hfi_refuse(error, HF_ERROR_MODEL, "body \"%s\": ...", name);`.
HFI_COLD hfStatus hfi_refuse(hfError* error, hfStatus status, const char* format, ...) HF_PRINTF(3, 4);

#endif
