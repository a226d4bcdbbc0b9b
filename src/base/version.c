// The version of the library, as opposed to that of the headers (HF_VERSION).
#include <holdfast/version.h>

#include "base/error.h"

const char* hf_version(void) { return HF_VERSION; }

// Refuses headers whose version does not fit the library. A negative patch fits every patch.
hfStatus hf_check_version(int major, int minor, int patch, hfError* error) {
  hfi_clear_error(error);
  int fits = HF_VERSION_MAJOR == 0 ? minor == HF_VERSION_MINOR : minor <= HF_VERSION_MINOR;
  if (major == HF_VERSION_MAJOR && fits && (patch < 0 || patch == HF_VERSION_PATCH)) return HF_OK;
  return hfi_refuse(error, HF_ERROR_VERSION,
                    "the program was compiled with headers of version %d.%d.%d, the library has version %s: compile it "
                    "again, or load the library that it was compiled for",
                    major, minor, patch < 0 ? 0 : patch, HF_VERSION);
}
