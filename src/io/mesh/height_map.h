// Heights of a height field from files.
#ifndef HFI_IMPORT_HEIGHT_MAP_H
#define HFI_IMPORT_HEIGHT_MAP_H

#include <holdfast/status.h>
#include <stddef.h>

// value (nrow x ncol) comes from malloc: rows along +y, from the bottom of an image. Initialise with zeros.
typedef struct hfiHeightMap {
  int nrow, ncol;
  float* value;
} hfiHeightMap;

// Reads a PNG image, or MuJoCo's binary format: nrow and ncol as int32, then nrow ncol floats. These take the contents
// of a file in memory; messages name `file`.
hfStatus hfi_height_map_read_png(hfiHeightMap* map, const char* text, size_t size, const char* file, hfError* error);
hfStatus hfi_height_map_read_binary(hfiHeightMap* map, const char* text, size_t size, const char* file, hfError* error);
hfStatus hfi_height_map_load(hfiHeightMap* map, const char* path, int is_png, hfError* error);
// v <- (v - min)/(max - min) in single precision, as MuJoCo does it; a flat map becomes zero.
void hfi_height_map_normalise(hfiHeightMap* map);

#endif
