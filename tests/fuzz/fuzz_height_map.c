// Reads height maps from memory: the first byte says whether they are PNG images or MuJoCo's binary format. Those that are accepted
// are normalised.
#include "import/height_map.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfiHeightMap map = {0};
  hfError error;
  if (size < 1) return 0;
  char* text = malloc(size); // of its own, so that a step beyond the end is seen
  if (!text) return 0;
  for (size_t i = 1; i < size; ++i) text[i - 1] = (char)data[i];
  hfStatus status = data[0] % 2 ? hfi_height_map_read_png(&map, text, size - 1, "fuzz", &error)
                                : hfi_height_map_read_binary(&map, text, size - 1, "fuzz", &error);
  if (status == HF_OK) hfi_height_map_normalise(&map);
  free(map.value);
  free(text);
  return 0;
}
