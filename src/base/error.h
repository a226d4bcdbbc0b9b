// Writes refusals. `error` may be NULL everywhere.
#ifndef HFI_BASE_ERROR_H
#define HFI_BASE_ERROR_H

#include <holdfast/status.h>

// Fills *error (if any) with status and the formatted message; returns status, so that a refusal is
// `return hfi_refuse(error, HF_ERROR_MODEL, "body \"%s\": ...", name);`.
hfStatus hfi_refuse(hfError* error, hfStatus status, const char* format, ...) HF_PRINTF(3, 4);

#endif
