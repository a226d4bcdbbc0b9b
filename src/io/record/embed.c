// gzip by zlib (RFC 1952); base64 (RFC 4648): three bytes become four characters.
#include "io/record/embed.h"

#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

int hfi_gzip(const void* data, size_t size, hfiBytes* out) {
  enum { GZIP = 16, WINDOW = 15, MEMORY = 9, LEVEL = 6 }; // level 9 takes up to eight times as long, and meshes are no smaller with it
  unsigned char piece[65536];
  z_stream z = {0};
  if (size > UINT_MAX || deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP + WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  z.next_in = data, z.avail_in = (uInt)size;
  int status;
  do {
    z.next_out = piece, z.avail_out = sizeof piece;
    status = deflate(&z, Z_FINISH);
    hfi_bytes_put(out, piece, sizeof piece - z.avail_out);
  } while (status == Z_OK || status == Z_BUF_ERROR);
  deflateEnd(&z);
  return status == Z_STREAM_END && !out->failed;
}

void hfi_base64(const void* data, size_t size, hfiBytes* out) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char* in = data;
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    unsigned word = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) |
                    (left > 2 ? (unsigned)in[i + 2] : 0);
    char text[4] = {digit[word >> 18], digit[word >> 12 & 63], left > 1 ? digit[word >> 6 & 63] : '=',
                    left > 2 ? digit[word & 63] : '='};
    hfi_bytes_put(out, text, 4);
  }
}
