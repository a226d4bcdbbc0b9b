// <asset><hfield>: height fields, which are loaded when the first geom asks for them.
//
// m: the document, r: its reader, map: the heights as they are read.
#include "io/mesh/height_map.h"
#include "io/mjcf/mjcf.h"
#include "model/height_field.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Lists a height field. Attributes that are read when it is loaded count as used.
void hfi_mjcf_read_hfield(hfiMjcf* m, hfiElem* elem) {
  if (!hfi_mjcf_list_asset(m, elem, "height field", &m->assets.hfields)) return;
  static const char* const read_later[] = {"nrow", "ncol", "elevation", "size", "content_type"};
  for (size_t i = 0; i < sizeof read_later / sizeof *read_later; ++i) hfi_attr(elem, read_later[i]);
}

// Reads heights that are given in the model itself. The first row is at +y.
static hfStatus read_elevation(hfiMjcf* m, const hfiElem* elem, hfiHeightMap* map) {
  hfiReader* r = m->r;
  int nrow = 0;
  int ncol = 0;
  int count = 0;
  hfi_read_int(r, elem, "nrow", &nrow);
  hfi_read_int(r, elem, "ncol", &ncol);
  if (r->status) return r->status;
  if (nrow < 2 || ncol < 2 || nrow > HFI_MOST_HEIGHTS / ncol)
    return hfi_fail(r, elem, HF_ERROR_MODEL,
                    "a height field without a file needs nrow and ncol of at least 2, and at most %d heights; "
                    "they are %d and %d",
                    HFI_MOST_HEIGHTS, nrow, ncol);

  const double* elevation = hfi_read_list(r, elem, "elevation", &count);
  if (r->status) return r->status;
  if (elevation && count != nrow * ncol)
    return hfi_fail(r, elem, HF_ERROR_MODEL, "elevation has %d numbers, %d rows of %d need %d", count, nrow, ncol,
                    nrow * ncol);
  if (!elevation) hfi_note(r, elem, HF_NOTE, "neither file nor elevation is given: the height field is flat");

  map->value = calloc((size_t)nrow * (size_t)ncol, sizeof *map->value);
  if (!map->value) return hfi_fail(r, elem, HF_ERROR_MEMORY, "out of memory");
  map->nrow = nrow;
  map->ncol = ncol;

  // rows from the other end
  for (int row = 0; elevation && row < nrow; ++row)
    for (int column = 0; column < ncol; ++column)
      map->value[(nrow - 1 - row) * ncol + column] = (float)elevation[row * ncol + column];
  return HF_OK;
}

// Whether a file is an image, by content_type or else by its ending.
static int is_png(hfiMjcf* m, const hfiElem* elem, const char* file) {
  static const hfiKeyword types[] = {{"image/png", 1}, {"image/vnd.mujoco.hfield", 0}, {NULL, 0}};
  int png = strcasecmp(hfi_extension(file), "png") == 0;
  hfi_read_keyword(m->r, elem, "content_type", types, &png);
  return png;
}

// Reads the heights of a height field, from a file or from the model itself.
static hfStatus read_heights(hfiMjcf* m, const hfiElem* elem, hfiHeightMap* map) {
  const char* file = hfi_attr(elem, "file");
  if (!file) return read_elevation(m, elem, map);
  if (hfi_attr(elem, "elevation")) return hfi_fail(m->r, elem, HF_ERROR_MODEL, "both file and elevation are given");
  int png = is_png(m, elem, file);
  if (m->r->status) return m->r->status;
  return hfi_height_map_load(map, hfi_mjcf_asset_path(m, elem, file), png, &m->r->scratch);
}

// Adds the height field of a map to the builder. Returns its id or a status < 0.
static int add_height_field(hfiMjcf* m, const hfiMjcfAsset* asset, hfiHeightMap* map) {
  hfiReader* r = m->r;
  const hfiElem* elem = asset->elem;
  hfHeightFieldDef d = hf_height_field_def_default();
  double size[4] = {0, 0, 0, 0};
  int has_size = hfi_read_reals(r, elem, "size", 4, 4, size);
  if (!has_size && !r->status)
    hfi_fail(r, elem, HF_ERROR_MODEL, "size is missing: half lengths along x and y, elevation, base");
  for (int i = 0; i < 4; ++i)
    if (!r->status && !(size[i] > 0))
      hfi_fail(r, elem, HF_ERROR_MODEL, "size: number %d must be positive, is %g", i + 1, size[i]);

  // heights of 0 to 1, times the elevation
  double* height = HFI_NEW(r, double, (size_t)map->nrow * (size_t)map->ncol);
  if (r->status || !height) return r->status;
  hfi_height_map_normalise(map);
  for (int i = 0; i < map->nrow * map->ncol; ++i) height[i] = size[2] * (double)map->value[i];

  d.name = m->prefix[0] ? hfi_format(r, "%s%s", m->prefix, asset->name) : asset->name;
  d.where = hfi_where(r, elem);
  d.nrow = map->nrow;
  d.ncol = map->ncol;
  d.half_size[0] = size[0];
  d.half_size[1] = size[1];
  d.base = size[3];
  d.height = height;
  return hf_builder_add_height_field(r->builder, &d, &r->scratch);
}

// Loads a height field if nobody has asked for it yet. Returns its id in the builder, or a status < 0.
int hfi_mjcf_load_hfield(hfiMjcf* m, hfiMjcfAsset* a) {
  if (a->loaded) return a->id;
  hfiHeightMap map = {0};
  hfStatus status = read_heights(m, a->elem, &map);
  a->id = status == HF_OK ? add_height_field(m, a, &map) : (int)status;
  free(map.value);
  hfi_mjcf_note_loaded(m, a);
  return a->id;
}
