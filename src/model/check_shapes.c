// Checks of the hulls of meshes and of the height fields of a model block (block.h).
#include "model/block.h"

#include "base/error.h"
#include "model/height_field.h"

#include <math.h>
#include <string.h>

// ---- hulls -----------------------------------------------------------------------------------------

// Are these `count` runs of entries sound? Run i has the entries start[i] to start[i + 1] - 1. It must have at least
// `least` entries, and all entries must be in [0, limit). room: number of entries that exist.
static int runs_are_sound(const int32_t* start, int count, int least, const int32_t* entry, int64_t room, int limit) {
  if (start[0] != 0) return 0;
  for (int i = 0; i < count; ++i)
    if (start[i + 1] < start[i] || start[i + 1] - start[i] < least || start[i + 1] > room) return 0;
  for (int i = 0; i < start[count]; ++i)
    if (entry[i] < 0 || entry[i] >= limit) return 0;
  return 1;
}

// Are the arrays of the hull of mesh i inside of those of the model, and do they name vertices that it has?
static int hull_is_sound(const hfModel* m, int i) {
  int64_t vert = hf_model_mesh_vertadr(m)[i];
  int64_t nvert = hf_model_mesh_vertnum(m)[i];
  int64_t face = hf_model_mesh_faceadr(m)[i];
  int64_t nface = hf_model_mesh_facenum(m)[i];
  int64_t facevert = hf_model_mesh_facevertadr(m)[i];
  int64_t edge = hf_model_mesh_edgeadr(m)[i];
  if (vert < 0 || nvert < 1 || vert + nvert > m->nhullvert) return 0;
  if (face < 0 || nface < 1 || face + nface > m->nhullface) return 0;
  if (facevert < 0 || facevert > m->nhullfacevert || edge < 0 || edge > m->nhulledge) return 0;

  const int32_t* facestart = hf_model_hull_facestart(m) + face + i;
  const int32_t* edgestart = hf_model_hull_edgestart(m) + vert + i;
  return runs_are_sound(facestart, (int)nface, 3, hf_model_hull_facevert(m) + facevert, m->nhullfacevert - facevert,
                        (int)nvert) &&
         runs_are_sound(edgestart, (int)nvert, 0, hf_model_hull_edgevert(m) + edge, m->nhulledge - edge, (int)nvert);
}

hfStatus hfi_check_hulls(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->nmesh; ++i)
    if (!hull_is_sound(m, i))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the hull of mesh %d is out of range", i);
  return HF_OK;
}

// ---- height fields ---------------------------------------------------------------------------------

// Are the sizes and heights of field i those of a field? height, tri: where its heights and triangles must begin,
// because fields follow each other without gaps.
static int height_field_is_sound(const hfModel* m, int i, int64_t height, int64_t tri) {
  int64_t nrow = hf_model_hfield_nrow(m)[i];
  int64_t ncol = hf_model_hfield_ncol(m)[i];
  if (nrow < 2 || ncol < 2 || nrow * ncol > HFI_MOST_HEIGHTS) return 0;
  if (hf_model_hfield_adr(m)[i] != height || hf_model_hfield_regionadr(m)[i] != tri) return 0;
  if (height + nrow * ncol > m->nhfieldheight || tri + 2 * (nrow - 1) * (ncol - 1) > m->nhfieldtri) return 0;

  const double* size = hf_model_hfield_size(m) + 3 * i;
  const double* z = hf_model_hfield_height(m) + height;
  for (int k = 0; k < 3; ++k)
    if (!(size[k] > 0) || !isfinite(size[k])) return 0;
  for (int64_t k = 0; k < nrow * ncol; ++k)
    if (!(z[k] > -size[2]) || !isfinite(z[k])) return 0;

  return 1;
}

// Is a field the same in both?
static int is_same(const hfModel* m, const hfModel* copy, hfModelField field) {
  return memcmp(hfi_field_array(m, field), hfi_field_array(copy, field), hfi_field_bytes(m, field)) == 0;
}

// Refuses height fields that are out of range, that do not use up the arrays of heights and triangles, or whose ranges
// and regions are not those of their heights. These are computed again in `copy`, a copy of the block.
hfStatus hfi_check_height_fields(const hfModel* m, hfModel* copy, hfError* error) {
  int64_t height = 0; // first height of field i
  int64_t tri = 0;    // its first triangle

  for (int i = 0; i < m->nhfield; ++i) {
    if (!height_field_is_sound(m, i, height, tri))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: height field %d is out of range", i);

    int count = hf_model_hfield_nrow(m)[i] * hf_model_hfield_ncol(m)[i];
    hfi_hfield_range(hf_model_hfield_height(m) + height, count, hfi_set_hfield_range(copy) + 2 * i);
    hfiHeightField view = hfi_model_height_field(copy, i);
    hfi_hfield_regions(&view, hfi_set_hfield_region(copy) + tri);
    height += count;
    tri += hfi_hfield_triangles(view.nrow, view.ncol);
  }

  int is_whole = height == m->nhfieldheight && tri == m->nhfieldtri;
  if (!is_whole || !is_same(m, copy, HF_FIELD_hfield_range) || !is_same(m, copy, HF_FIELD_hfield_region))
    return hfi_refuse(error, HF_ERROR_MODEL,
                      "model block: ranges or regions of height fields do not follow from their heights");

  return HF_OK;
}
