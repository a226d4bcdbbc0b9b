// See command.h.
#include "io/live/command.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const int8_t numbers[HFI_COMMAND_KINDS] = {
    [HFI_COMMAND_PLAY] = 1,  [HFI_COMMAND_SEEK] = 1,  [HFI_COMMAND_CONTROL] = 1,
    [HFI_COMMAND_JOINT] = 1, [HFI_COMMAND_DRAG] = 7,  [HFI_COMMAND_FIELD] = 2,
    [HFI_COMMAND_SCALE] = 1, [HFI_COMMAND_OPTION] = 1};

hfStatus hfi_command_read(hfiCommand* command, const void* bytes, size_t size, hfError* error) {
  hfiCommand c = {0};
  if (size < 8) return hfi_refuse(error, HF_ERROR_PARSE, "a command of %zu bytes is too short", size);

  memcpy(&c, bytes, 8);
  if (c.kind == 0 || c.kind >= HFI_COMMAND_KINDS)
    return hfi_refuse(error, HF_ERROR_PARSE, "there is no command %u", c.kind);

  size_t want = 8 + 8 * (size_t)numbers[c.kind];
  if (size != want) return hfi_refuse(error, HF_ERROR_PARSE, "command %u has %zu bytes, not %zu", c.kind, want, size);
  memcpy(c.x, (const char*)bytes + 8, want - 8);
  for (int i = 0; i < numbers[c.kind]; ++i)
    if (!isfinite(c.x[i])) return hfi_refuse(error, HF_ERROR_PARSE, "command %u: number %d is not finite", c.kind, i);

  *command = c;
  return HF_OK;
}
