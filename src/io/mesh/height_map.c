// Height maps, see height_map.h.
#include "io/mesh/height_map.h"

#include "base/error.h"
#include "io/mesh/png.h"
#include "io/xml/reader.h"
#include "model/height_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MAP_BYTES = 1 << 30 };

// Refuses a map with fewer than 2 rows or columns, or with too many heights.
static hfStatus check_size(const char* file, long nrow, long ncol, hfError* error) {
  if (nrow >= 2 && ncol >= 2 && nrow <= HFI_MOST_HEIGHTS / ncol) return HF_OK;
  return hfi_refuse(error, HF_ERROR_PARSE,
                    "%s: a height field has at least 2 rows and 2 columns, and at most %d heights; "
                    "this one has %ld rows and %ld columns",
                    file, HFI_MOST_HEIGHTS, nrow, ncol);
}

// Makes room for the heights of a map.
static hfStatus allocate(hfiHeightMap* map, int nrow, int ncol, hfError* error) {
  map->value = malloc(sizeof *map->value * (size_t)nrow * (size_t)ncol);
  if (!map->value) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  map->nrow = nrow;
  map->ncol = ncol;
  return HF_OK;
}

// Reads the grey values of a PNG image.
hfStatus hfi_height_map_read_png(hfiHeightMap* map, const char* text, size_t size, const char* file, hfError* error) {
  int width = 0;
  int height = 0;
  uint8_t* grey = NULL;
  hfStatus status = hfi_png_read(text, size, file, &width, &height, &grey, error);
  if (status == HF_OK) status = check_size(file, height, width, error);
  if (status == HF_OK) status = allocate(map, height, width, error);

  // the first line of an image is its top
  for (int r = 0; r < height && status == HF_OK; ++r) {
    const uint8_t* line = grey + (size_t)(height - 1 - r) * (size_t)width;
    for (int c = 0; c < width; ++c) map->value[(size_t)r * (size_t)width + (size_t)c] = line[c];
  }
  free(grey);
  return status;
}

// Reads MuJoCo's binary format: nrow and ncol as int32, then nrow ncol floats.
hfStatus hfi_height_map_read_binary(hfiHeightMap* map, const char* text, size_t size, const char* file,
                                    hfError* error) {
  int32_t n[2] = {0, 0};
  if (size < sizeof n)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short: the numbers of rows and columns are missing", file);
  memcpy(n, text, sizeof n);
  hfStatus status = check_size(file, n[0], n[1], error);
  if (status != HF_OK) return status;

  size_t bytes = sizeof *map->value * (size_t)n[0] * (size_t)n[1];
  if (size != sizeof n + bytes)
    return hfi_refuse(error, HF_ERROR_PARSE,
                      "%s: %d rows of %d floats take %zu bytes, the file has %zu behind their numbers", file, n[0],
                      n[1], bytes, size - sizeof n);

  status = allocate(map, n[0], n[1], error);
  if (status != HF_OK) return status;
  memcpy(map->value, text + sizeof n, bytes);

  for (int i = 0; i < map->nrow * map->ncol; ++i) {
    if (isfinite(map->value[i])) continue;
    free(map->value);
    *map = (hfiHeightMap){0};
    return hfi_refuse(error, HF_ERROR_NONFINITE, "%s: the height in row %d, column %d is not finite", file, i / n[1],
                      i % n[1]);
  }
  return HF_OK;
}

// Reads the heights of a file, a PNG image or MuJoCo's binary format.
hfStatus hfi_height_map_load(hfiHeightMap* map, const char* path, int is_png, hfError* error) {
  size_t size = 0;
  if (!hfi_file_exists(path))
    return hfi_refuse(error, HF_ERROR_FILE,
                      "cannot read %s: there is no such file (--search FOLDER, search_path: look in more folders)",
                      path);

  char* text = hfi_slurp(path, MAX_MAP_BYTES, &size, error);
  if (!text) return error ? error->status : HF_ERROR_FILE;
  hfStatus status = HF_OK;
  if (is_png)
    status = hfi_height_map_read_png(map, text, size, path, error);
  else
    status = hfi_height_map_read_binary(map, text, size, path, error);
  free(text);
  return status;
}

// Maps the heights to 0 ... 1, in single precision as MuJoCo does it. A flat map becomes zero.
void hfi_height_map_normalise(hfiHeightMap* map) {
  static const float FLAT_RANGE = 1e-14f; // A map whose heights differ by less is flat, as in MuJoCo.
  int count = map->nrow * map->ncol;
  float lowest = map->value[0];
  float highest = map->value[0];
  for (int i = 1; i < count; ++i) {
    lowest = fminf(lowest, map->value[i]);
    highest = fmaxf(highest, map->value[i]);
  }

  float range = highest - lowest;
  for (int i = 0; i < count; ++i) {
    map->value[i] -= lowest;
    if (range > FLAT_RANGE) map->value[i] /= range;
  }
}
