// Reading the commands of a client: see command.h.
#include "io/live/command.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// How many numbers each kind of command has.
static const int8_t number_counts[HFI_COMMAND_KINDS] = {
    [HFI_COMMAND_PLAY] = 1,  [HFI_COMMAND_SEEK] = 1,  [HFI_COMMAND_CONTROL] = 1,
    [HFI_COMMAND_JOINT] = 1, [HFI_COMMAND_DRAG] = 7,  [HFI_COMMAND_FIELD] = 2,
    [HFI_COMMAND_SCALE] = 1, [HFI_COMMAND_OPTION] = 1};

// Reads a command: 8 bytes of kind and index, then its numbers. Refuses wrong sizes and numbers that are not finite.
hfStatus hfi_command_read(hfiCommand* command, const void* bytes, size_t size, hfError* error) {
  enum { HEAD_BYTES = 8 };
  hfiCommand c = {0};
  if (size < HEAD_BYTES) return hfi_refuse(error, HF_ERROR_PARSE, "a command of %zu bytes is too short", size);

  memcpy(&c, bytes, HEAD_BYTES);
  if (c.kind == 0 || c.kind >= HFI_COMMAND_KINDS)
    return hfi_refuse(error, HF_ERROR_PARSE, "there is no command %u", c.kind);

  int count = number_counts[c.kind];
  size_t wanted = HEAD_BYTES + sizeof(double) * (size_t)count;
  if (size != wanted)
    return hfi_refuse(error, HF_ERROR_PARSE, "command %u has %zu bytes, not %zu", c.kind, wanted, size);
  memcpy(c.x, (const char*)bytes + HEAD_BYTES, wanted - HEAD_BYTES);
  for (int i = 0; i < count; ++i)
    if (!isfinite(c.x[i])) return hfi_refuse(error, HF_ERROR_PARSE, "command %u: number %d is not finite", c.kind, i);

  *command = c;
  return HF_OK;
}
