// Checks of the hulls of meshes and of the height fields of a model block (block.h).
#include "model/block.h"

#include "base/error.h"
#include "model/height_field.h"

#include <math.h>
#include <string.h>

// Checks `count` runs of entries. Run i has the entries start[i] to start[i + 1] - 1. It must have at least `least` entries, and all entries must
// be in [0, limit). room: number of entries that exist.
static int runs_are_valid(const int32_t* start, int count, int least, const int32_t* entry, int64_t room, int limit) {
  if (start[0] != 0) return 0;
  for (int i = 0; i < count; ++i)
    if (start[i + 1] < start[i] || start[i + 1] - start[i] < least || start[i + 1] > room) return 0;
  for (int i = 0; i < start[count]; ++i)
    if (entry[i] < 0 || entry[i] >= limit) return 0;
  return 1;
}

static int hull_is_valid(const hfModel* m, int i) {
  int64_t vertadr = hf_model_mesh_vertadr(m)[i], nvert = hf_model_mesh_vertnum(m)[i], faceadr = hf_model_mesh_faceadr(m)[i],
          nface = hf_model_mesh_facenum(m)[i], facevertadr = hf_model_mesh_facevertadr(m)[i], edgeadr = hf_model_mesh_edgeadr(m)[i];
  if (vertadr < 0 || nvert < 1 || vertadr + nvert > m->nhullvert || faceadr < 0 || nface < 1 || faceadr + nface > m->nhullface ||
      facevertadr < 0 || facevertadr > m->nhullfacevert || edgeadr < 0 || edgeadr > m->nhulledge)
    return 0;
  return runs_are_valid(hf_model_hull_facestart(m) + faceadr + i, (int)nface, 3, hf_model_hull_facevert(m) + facevertadr,
                        m->nhullfacevert - facevertadr, (int)nvert) &&
         runs_are_valid(hf_model_hull_edgestart(m) + vertadr + i, (int)nvert, 0, hf_model_hull_edgevert(m) + edgeadr,
                        m->nhulledge - edgeadr, (int)nvert);
}

hfStatus hfi_check_hulls(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->nmesh; ++i)
    if (!hull_is_valid(m, i)) return hfi_refuse(error, HF_ERROR_MODEL, "model block: the hull of mesh %d is out of range", i);
  return HF_OK;
}

// height, tri: where the heights and the triangles of field i must begin, because fields follow each other without gaps.
static int height_field_is_valid(const hfModel* m, int i, int64_t height, int64_t tri) {
  int64_t nrow = hf_model_hfield_nrow(m)[i], ncol = hf_model_hfield_ncol(m)[i];
  const double* size = hf_model_hfield_size(m) + 3 * i;
  if (nrow < 2 || ncol < 2 || nrow * ncol > HFI_MOST_HEIGHTS) return 0;
  if (hf_model_hfield_adr(m)[i] != height || hf_model_hfield_regionadr(m)[i] != tri) return 0;
  if (height + nrow * ncol > m->nhfieldheight || tri + 2 * (nrow - 1) * (ncol - 1) > m->nhfieldtri) return 0;
  for (int k = 0; k < 3; ++k)
    if (!(size[k] > 0) || !isfinite(size[k])) return 0;
  for (int64_t k = 0; k < nrow * ncol; ++k)
    if (!(hf_model_hfield_height(m)[height + k] > -size[2]) || !isfinite(hf_model_hfield_height(m)[height + k])) return 0;
  return 1;
}

hfStatus hfi_check_height_fields(const hfModel* m, hfModel* copy, hfError* error) {
  int64_t height = 0, tri = 0;
  for (int i = 0; i < m->nhfield; ++i) {
    if (!height_field_is_valid(m, i, height, tri))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: height field %d is out of range", i);
    hfi_hfield_range(hf_model_hfield_height(m) + height, hf_model_hfield_nrow(m)[i] * hf_model_hfield_ncol(m)[i],
                    hfi_set_hfield_range(copy) + 2 * i);
    hfiHeightField view = hfi_model_height_field(copy, i);
    hfi_hfield_regions(&view, hfi_set_hfield_region(copy) + tri);
    height += (int64_t)view.nrow * view.ncol, tri += hfi_hfield_triangles(view.nrow, view.ncol);
  }
  if (height != m->nhfieldheight || tri != m->nhfieldtri ||
      memcmp(hf_model_hfield_range(m), hf_model_hfield_range(copy), hfi_field_bytes(m, HF_FIELD_hfield_range)) != 0 ||
      memcmp(hf_model_hfield_region(m), hf_model_hfield_region(copy), hfi_field_bytes(m, HF_FIELD_hfield_region)) != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: ranges or regions of height fields do not follow from their heights");
  return HF_OK;
}
