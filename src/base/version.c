// The version of the library, as opposed to that of the headers (HF_VERSION).
#include <holdfast/version.h>

const char* hf_version(void) { return HF_VERSION; }
