// Thinning of the chunks of a recording, for reports of long runs.
#ifndef HFI_RECORD_THIN_H
#define HFI_RECORD_THIN_H

#include "base/bytes.h"

// Drops every second frame and every second state, and the controls between states. bytes: whole chunks
// and nothing else.
void hfi_chunks_thin(hfiBytes* bytes);

#endif
