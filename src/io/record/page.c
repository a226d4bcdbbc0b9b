// The page of reports and the live view, and bytes as text in it.
//
// The page lies between two symbols of an assembled file (cmake/HoldfastPage.cmake).
// gzip is by zlib (RFC 1952); base64 (RFC 4648): three bytes become four characters.
#include "io/record/page.h"

#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

extern const char hfi_page_begin[], hfi_page_end[];

const char* hfi_page(size_t* size) {
  *size = (size_t)(hfi_page_end - hfi_page_begin);
  return hfi_page_begin;
}

// Adds gzip(data) to out. Returns 0 if there is no memory. Level 9 takes up to eight times as long as level 6, and
// meshes are not smaller with it.
int hfi_gzip(const void* data, size_t size, hfiBytes* out) {
  enum { GZIP = 16, WINDOW = 15, MEMORY = 9, LEVEL = 6 }; // GZIP, added to the window, asks for the format of gzip
  unsigned char piece[65536];
  z_stream z = {0};
  if (size > UINT_MAX) return 0;
  if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP + WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  z.next_in = data;
  z.avail_in = (uInt)size;

  int status = Z_OK;
  do {
    z.next_out = piece;
    z.avail_out = sizeof piece;
    status = deflate(&z, Z_FINISH);
    hfi_bytes_put(out, piece, sizeof piece - z.avail_out);
  } while (status == Z_OK || status == Z_BUF_ERROR);

  deflateEnd(&z);
  return status == Z_STREAM_END && !out->failed;
}

// Adds the base64 text of data to out. "=" fills up the last four characters.
void hfi_base64(const void* data, size_t size, hfiBytes* out) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char* in = data;
  for (size_t i = 0; i < size; i += 3) {
    size_t remaining = size - i;
    unsigned word = (unsigned)in[i] << 16;
    if (remaining > 1) word |= (unsigned)in[i + 1] << 8;
    if (remaining > 2) word |= (unsigned)in[i + 2];

    char text[4] = {digit[word >> 18], digit[word >> 12 & 63], '=', '='};
    if (remaining > 1) text[2] = digit[word >> 6 & 63];
    if (remaining > 2) text[3] = digit[word & 63];
    hfi_bytes_put(out, text, 4);
  }
}
