// PNG (W3C, Portable Network Graphics, third edition): chunks, the zlib stream of all IDAT chunks, filtered lines, and
// pixels of 1 to 16 bits in 1 to 4 channels. An interlaced image (Adam7) is seven small images one after the other.
//
//   filter   1: left   2: above   3: mean of both
//            4: Paeth, the nearest of left, above and upper left to left + above - upper left
//
// im: the image; a, b, c: the bytes to the left, above and to the upper left.
#include "io/mesh/png.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct Image {
  const char* file; // for messages
  hfError* error;
  int width, height; // width 0: the header was not read yet
  int depth;         // [bit]
  int colour;        // colour type of PNG
  int interlaced, channels;
  const uint8_t* palette; // (npalette x 3)
  int npalette;
  uint8_t* data; // (data_size) the contents of all IDAT chunks
  size_t data_size;
  uint8_t* grey; // (width x height) the result
} Image;

enum { COLOUR_GREY = 0, COLOUR_PALETTE = 3, COLOUR_TYPES = 7 };

static uint32_t read_word(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static hfStatus refuse(const Image* im, const char* why) {
  return hfi_refuse(im->error, HF_ERROR_PARSE, "%s: %s", im->file, why);
}

// ---- chunks ----------------------------------------------------------------------------------------

// Reads the header. Refuses sizes and formats that PNG does not have, and images that are too large.
static hfStatus read_header(Image* im, const uint8_t* p, uint32_t length) {
  enum { HEADER_BYTES = 13 };
  static const int channels[COLOUR_TYPES] = {1, 0, 3, 1, 2, 0, 4}; // number of channels by colour type
  if (length != HEADER_BYTES) return refuse(im, "the header of the PNG image is broken");

  // width, height, bits of a channel, colour type, methods of compression and filter, interlacing
  uint32_t width = read_word(p);
  uint32_t height = read_word(p + 4);
  im->depth = p[8];
  im->colour = p[9];
  im->interlaced = p[12];
  if (width < 1 || height < 1 || width > HFI_PNG_MOST_PIXELS || height > HFI_PNG_MOST_PIXELS / width)
    return hfi_refuse(im->error, HF_ERROR_PARSE, "%s: a PNG image of %u x %u pixels is empty or too large", im->file,
                      width, height);

  im->width = (int)width;
  im->height = (int)height;
  im->channels = im->colour < COLOUR_TYPES ? channels[im->colour] : 0;
  int is_small = im->depth == 1 || im->depth == 2 || im->depth == 4;
  int may_be_small = im->colour == COLOUR_GREY || im->colour == COLOUR_PALETTE;
  int has_depth = (is_small && may_be_small) || im->depth == 8 || (im->depth == 16 && im->colour != COLOUR_PALETTE);
  int has_known_methods = p[10] == 0 && p[11] == 0 && p[12] <= 1; // compression, filter, interlacing
  if (!im->channels || !has_depth || !has_known_methods)
    return refuse(im, "the header of the PNG image names an unknown format");
  return HF_OK;
}

// Appends the contents of an IDAT chunk.
static hfStatus append_data(Image* im, const uint8_t* p, uint32_t length) {
  uint8_t* grown = realloc(im->data, im->data_size + length + 1);
  if (!grown) return hfi_refuse(im->error, HF_ERROR_MEMORY, "out of memory");
  memcpy(grown + im->data_size, p, length);
  im->data = grown;
  im->data_size += length;
  return HF_OK;
}

// Reads the chunks that matter; the header comes first.
static hfStatus read_chunk(Image* im, const uint8_t* type, const uint8_t* p, uint32_t length) {
  if (!im->width && memcmp(type, "IHDR", 4) != 0) return refuse(im, "the PNG image has no header");
  if (memcmp(type, "IHDR", 4) == 0) return read_header(im, p, length);
  if (memcmp(type, "IDAT", 4) == 0) return append_data(im, p, length);

  if (memcmp(type, "PLTE", 4) == 0) {
    im->palette = p;
    im->npalette = (int)(length / 3);
  }
  return HF_OK;
}

// Reads all chunks up to IEND. A chunk: length, type, contents, and the checksum of type and contents.
static hfStatus read_chunks(Image* im, const uint8_t* p, size_t size) {
  enum { SIGNATURE_BYTES = 8, FRAME_BYTES = 12 }; // FRAME: length, type and checksum of a chunk
  static const uint8_t signature[SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (size < SIGNATURE_BYTES || memcmp(p, signature, SIGNATURE_BYTES) != 0) return refuse(im, "not a PNG image");

  for (size_t start = SIGNATURE_BYTES; start + FRAME_BYTES <= size;) {
    uint32_t length = read_word(p + start);
    if (length > size - start - FRAME_BYTES) return refuse(im, "the PNG image is cut short");

    const uint8_t* type = p + start + 4;
    uLong checksum = crc32(crc32(0, NULL, 0), type, (uInt)(length + 4));
    if (checksum != read_word(type + 4 + length)) return refuse(im, "a checksum of the PNG image is wrong");
    if (memcmp(type, "IEND", 4) == 0) return HF_OK;
    hfStatus status = read_chunk(im, type, type + 4, length);
    if (status != HF_OK) return status;
    start += FRAME_BYTES + (size_t)length;
  }
  return refuse(im, "the PNG image is cut short");
}

// ---- lines -----------------------------------------------------------------------------------------

// Of left (a), above (b) and upper left (c) the value that is nearest to a + b - c.
static int predict_paeth(int a, int b, int c) {
  int to_a = abs(b - c);
  int to_b = abs(a - c);
  int to_c = abs(a + b - 2 * c);
  if (to_a <= to_b && to_a <= to_c) return a;
  return to_b <= to_c ? b : c;
}

// Undoes the filter of a line of n bytes, which follow the number of the filter. above: the line before, or NULL; step:
// bytes of a pixel. Returns 0 if there is no such filter.
static int unfilter(uint8_t* line, const uint8_t* above, size_t n, size_t step) {
  int filter = line[0];
  // the bytes of the line behind the number of its filter, as in `above`
  uint8_t* x = line + 1;
  if (filter > 4) return 0;

  for (size_t i = 0; i < n; ++i) {
    int a = i >= step ? x[i - step] : 0;
    int b = above ? above[1 + i] : 0;
    int c = above && i >= step ? above[1 + i - step] : 0;

    switch (filter) {
    case 1: x[i] = (uint8_t)(x[i] + a); break;
    case 2: x[i] = (uint8_t)(x[i] + b); break;
    case 3: x[i] = (uint8_t)(x[i] + (a + b) / 2); break;
    case 4: x[i] = (uint8_t)(x[i] + predict_paeth(a, b, c)); break;
    default: break;
    }
  }
  return 1;
}

// The grey value of pixel i of an unfiltered line, 0 to 255: of 16 bits the upper byte, of a colour its red; -1 if the
// palette has no such colour.
static int get_grey(const Image* im, const uint8_t* line, int i) {
  int value = 0;
  int largest = 255;

  // behind the byte of the filter; several small pixels share a byte, the first one has its highest bits
  if (im->depth >= 8) {
    value = line[1 + (size_t)i * (size_t)im->channels * (size_t)(im->depth / 8)];
  } else {
    int bit = i * im->depth;
    largest = (1 << im->depth) - 1;
    value = line[1 + bit / 8] >> (8 - im->depth - bit % 8) & largest;
  }

  if (im->colour != COLOUR_PALETTE) return value * 255 / largest;
  return value < im->npalette ? im->palette[3 * value] : -1;
}

// One of the images that an interlaced one consists of, or the whole: pixels x0 + i dx, y0 + j dy.
typedef struct PngPass {
  int x0, y0, dx, dy;
} PngPass;

static int pass_columns(const Image* im, PngPass p) { return (im->width - p.x0 + p.dx - 1) / p.dx; }
static int pass_lines(const Image* im, PngPass p) { return (im->height - p.y0 + p.dy - 1) / p.dy; }
static size_t line_bytes(const Image* im, int columns) {
  return ((size_t)columns * (size_t)(im->channels * im->depth) + 7) / 8;
}

// Number of bytes of the unpacked lines of a pass.
static size_t pass_bytes(const Image* im, PngPass p) {
  int columns = pass_columns(im, p);
  int lines = pass_lines(im, p);
  return columns > 0 && lines > 0 ? (size_t)lines * (line_bytes(im, columns) + 1) : 0;
}

// Unfilters the lines of a pass, and puts their grey values where they belong.
static hfStatus read_pass(Image* im, PngPass p, uint8_t* raw) {
  int columns = pass_columns(im, p);
  size_t n = line_bytes(im, columns);
  size_t step = (size_t)(im->channels * im->depth + 7) / 8;

  for (int j = 0; j < pass_lines(im, p) && columns > 0; ++j) {
    uint8_t* line = raw + (size_t)j * (n + 1);
    if (!unfilter(line, j ? line - (n + 1) : NULL, n, step))
      return refuse(im, "a line of the PNG image has an unknown filter");
    for (int i = 0; i < columns; ++i) {
      int grey = get_grey(im, line, i);
      if (grey < 0) return refuse(im, "a pixel of the PNG image is not in its palette");
      size_t place = (size_t)(p.y0 + j * p.dy) * (size_t)im->width + (size_t)(p.x0 + i * p.dx);
      im->grey[place] = (uint8_t)grey;
    }
  }
  return HF_OK;
}

// Unpacks the zlib stream, whose size follows from the header, and reads its passes.
static hfStatus read_pixels(Image* im) {
  // first column and line of each pass, and the distance of its columns and lines in the image
  static const PngPass adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                   {0, 1, 1, 2}};
  static const PngPass whole[1] = {{0, 0, 1, 1}};
  const PngPass* pass = im->interlaced ? adam7 : whole;
  int passes = im->interlaced ? 7 : 1;
  size_t total = 0;
  for (int k = 0; k < passes; ++k) total += pass_bytes(im, pass[k]);

  uLongf unpacked = (uLongf)total;
  uint8_t* raw = calloc(total + 1, 1);
  im->grey = calloc((size_t)im->width * (size_t)im->height, 1);
  hfStatus status = raw && im->grey ? HF_OK : hfi_refuse(im->error, HF_ERROR_MEMORY, "out of memory");

  if (status == HF_OK) {
    int result = im->data ? uncompress(raw, &unpacked, im->data, (uLong)im->data_size) : Z_DATA_ERROR;
    if (result != Z_OK || unpacked != total) status = refuse(im, "the pixels of the PNG image cannot be unpacked");
  }

  size_t start = 0;
  for (int k = 0; k < passes && status == HF_OK; ++k) {
    status = read_pass(im, pass[k], raw + start);
    start += pass_bytes(im, pass[k]);
  }
  free(raw);
  return status;
}

// Decodes an image. *grey comes from malloc.
hfStatus hfi_png_read(const char* text, size_t size, const char* file, int* width, int* height, uint8_t** grey,
                      hfError* error) {
  Image im = {.file = file, .error = error};
  hfStatus status = read_chunks(&im, (const uint8_t*)text, size);
  if (status == HF_OK && !im.width) status = refuse(&im, "the PNG image has no header");
  if (status == HF_OK) status = read_pixels(&im);
  free(im.data);

  if (status != HF_OK) {
    free(im.grey);
    return status;
  }
  *width = im.width;
  *height = im.height;
  *grey = im.grey;
  return HF_OK;
}
