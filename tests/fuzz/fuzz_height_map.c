// Reads height maps from memory. The first byte says what the others are:
//
//   0  MuJoCo's binary format
//   1  a PNG image
//   2  the parts of a PNG image: header (13 bytes), length of the palette, palette, unpacked lines. They are put together with
//      true checksums and a true zlib stream, so that mutations reach what stands behind these.
//
// Those that are accepted are normalised.
#include "io/mesh/height_map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static size_t put_word(uint8_t* out, uint32_t word) {
  for (int i = 0; i < 4; ++i) out[i] = (uint8_t)(word >> (24 - 8 * i));
  return 4;
}

static size_t put_chunk(uint8_t* out, const char* type, const uint8_t* data, size_t size) {
  size_t at = put_word(out, (uint32_t)size);
  memcpy(out + at, type, 4);
  if (size) memcpy(out + at + 4, data, size);
  uLong checksum = crc32(crc32(0, NULL, 0), out + at, (uInt)(size + 4));
  return at + 4 + size + put_word(out + at + 4 + size, (uint32_t)checksum);
}

// The PNG image of the parts in data; NULL where these are too short.
static uint8_t* build_png(const uint8_t* data, size_t size, size_t* length) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (size < 14 || size - 14 < data[13]) return NULL;
  size_t palette = data[13], lines = size - 14 - palette;
  uLongf packed = compressBound((uLong)lines);
  uint8_t *out = malloc(size + packed + 100), *stream = malloc(packed);
  if (!out || !stream || compress(stream, &packed, data + 14 + palette, (uLong)lines) != Z_OK) abort();
  memcpy(out, signature, sizeof signature);
  size_t at = sizeof signature;
  at += put_chunk(out + at, "IHDR", data, 13);
  at += put_chunk(out + at, "PLTE", data + 14, palette);
  at += put_chunk(out + at, "IDAT", stream, packed);
  at += put_chunk(out + at, "IEND", NULL, 0);
  free(stream);
  *length = at;
  return out;
}

// A copy of its own, so that a step beyond the end is seen.
static uint8_t* copy_of(const uint8_t* data, size_t size) {
  uint8_t* copy = malloc(size);
  if (!copy) abort();
  if (size) memcpy(copy, data, size);
  return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfiHeightMap map = {0};
  hfError error;
  if (size < 1) return 0;
  int kind = data[0] % 3;
  size_t length = size - 1;
  uint8_t* bytes = kind == 2 ? build_png(data + 1, size - 1, &length) : copy_of(data + 1, size - 1);
  if (!bytes) return 0;
  hfStatus status = kind == 0 ? hfi_height_map_read_binary(&map, (const char*)bytes, length, "fuzz", &error)
                              : hfi_height_map_read_png(&map, (const char*)bytes, length, "fuzz", &error);
  if (status == HF_OK) hfi_height_map_normalise(&map);
  free(map.value);
  free(bytes);
  return 0;
}
