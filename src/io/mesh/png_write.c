// Writing PNG (W3C, Portable Network Graphics, third edition): grey images of 8 bits, one IDAT chunk, lines without a
// filter.
#include "io/mesh/png.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_word(uint8_t* p, uint32_t x) {
  for (int i = 0; i < 4; ++i) p[i] = (uint8_t)(x >> (24 - 8 * i));
}

// Appends a chunk: its length, type and data, and the checksum of type and data. Returns the end.
static uint8_t* put_chunk(uint8_t* p, const char* type, const uint8_t* data, uint32_t size) {
  put_word(p, size);
  memcpy(p + 4, type, 4);
  if (size) memcpy(p + 8, data, size);
  put_word(p + 8 + size, (uint32_t)crc32(0, p + 4, size + 4));
  return p + 12 + size;
}

// Makes the lines of an image, from malloc. Each begins with the number of its filter, 0.
static uint8_t* make_lines(const uint8_t* grey, size_t width, size_t height) {
  uint8_t* lines = malloc((width + 1) * height);
  for (size_t y = 0; lines && y < height; ++y) {
    lines[y * (width + 1)] = 0;
    memcpy(lines + y * (width + 1) + 1, grey + y * width, width);
  }
  return lines;
}

// Adds a grey image to a file.
hfStatus hfi_png_write(hfiOutput* out, const uint8_t* grey, int width, int height, hfError* error) {
  static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
  enum { OVERHEAD_BYTES = 64 }; // enough for the signature, the header, and lengths, types and checksums of the chunks
  uLong raw = ((uLong)width + 1) * (uLong)height; // each line begins with a byte for its filter
  uLongf packed = compressBound(raw);
  uint8_t header[13] = {[8] = 8}; // 8 bits, grey
  uint8_t* lines = make_lines(grey, (size_t)width, (size_t)height);
  uint8_t* data = malloc(packed);
  uint8_t* file = malloc(packed + OVERHEAD_BYTES);

  hfStatus status = HF_OK;
  if (!lines || !data || !file || compress(data, &packed, lines, raw) != Z_OK)
    status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  if (status == HF_OK) {
    put_word(header, (uint32_t)width);
    put_word(header + 4, (uint32_t)height);
    memcpy(file, signature, sizeof signature);
    uint8_t* end = put_chunk(file + sizeof signature, "IHDR", header, sizeof header);
    end = put_chunk(end, "IDAT", data, (uint32_t)packed);
    end = put_chunk(end, "IEND", NULL, 0);
    hfi_output_bytes(out, file, (size_t)(end - file));
  }

  free(lines);
  free(data);
  free(file);
  return status;
}
