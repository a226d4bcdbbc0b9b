// Adding meshes and height fields.
#include "build/inside.h"

#include "base/error.h"
#include "model/height_field.h"

// ---- meshes ----------------------------------------------------------------------------------------

// Vertices and triangles of one mesh: a model has no larger counts.
enum { MOST_MESH_ELEMENTS = HFI_MOST_OBJECTS };

// Refuses triangles that name vertices which do not exist. `noun` is what the message calls a triangle.
static hfStatus check_triangles(const hfMeshDef* d, const char* noun, const int32_t* tri, int count, hfError* error) {
  for (int i = 0; i < 3 * count; ++i)
    if (tri[i] < 0 || tri[i] >= d->nvert)
      return HFI_REFUSE(d, HF_OBJECT_MESH, "%s %d names vertex %d of %d", noun, i / 3, tri[i], d->nvert);
  return HF_OK;
}

// Checks counts, arrays and triangles of a mesh. The hull itself is checked when it is built.
hfStatus hfi_check_mesh(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  const hfObjectKind kind = HF_OBJECT_MESH;
  const hfMeshDef* d = def;
  if (d->nvert < 4 || d->nhulltri < 4 || d->ntri < 0)
    return HFI_REFUSE(d, kind, "needs at least 4 vertices and 4 hull triangles");
  if (d->nvert > MOST_MESH_ELEMENTS || d->ntri > MOST_MESH_ELEMENTS || d->nhulltri > MOST_MESH_ELEMENTS)
    return HFI_REFUSE(d, kind, "has more than %d vertices or triangles", MOST_MESH_ELEMENTS);
  if (!d->vert || !d->hulltri || (d->ntri > 0 && !d->tri))
    return HFI_REFUSE(d, kind, "lacks its vertices or triangles");
  if (d->inertia < HF_MESH_INERTIA_CONVEX || d->inertia > HF_MESH_INERTIA_SHELL)
    return HFI_REFUSE(d, kind, "inertia %d does not exist", d->inertia);

  if (!hfi_all_finite(d->vert, 3 * d->nvert)) return HFI_REFUSE(d, kind, "a vertex is not finite");
  hfStatus status = check_triangles(d, "triangle", d->tri, d->ntri, error);
  return status == HF_OK ? check_triangles(d, "hull triangle", d->hulltri, d->nhulltri, error) : status;
}

// Copies vertices and triangles into the pool.
hfStatus hfi_own_mesh(hfBuilder* b, void* def, hfError* error) {
  hfMeshDef* d = def;
  d->vert = hfi_pool_copy(&b->pool, d->vert, sizeof *d->vert * 3 * (size_t)d->nvert);
  d->tri = hfi_pool_copy(&b->pool, d->tri, sizeof *d->tri * 3 * (size_t)d->ntri);
  d->hulltri = hfi_pool_copy(&b->pool, d->hulltri, sizeof *d->hulltri * 3 * (size_t)d->nhulltri);
  return d->vert && d->tri && d->hulltri ? HF_OK : hfi_refuse_memory(error);
}

// Builds the hull.
hfStatus hfi_admit_mesh(hfBuilder* b, void* entry, hfError* error) {
  (void)b;
  hfiMesh* mesh = entry;
  const hfMeshDef* d = &mesh->def;
  return hfi_hull_build(&mesh->hull, d->nvert, d->vert, d->nhulltri, d->hulltri, error);
}

void hfi_release_mesh(void* entry) { hfi_hull_release(&((hfiMesh*)entry)->hull); }

// ---- height fields ---------------------------------------------------------------------------------

// Checks the grid, its size, and that all heights are above the base.
hfStatus hfi_check_height_field(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  const hfObjectKind kind = HF_OBJECT_HFIELD;
  const hfHeightFieldDef* d = def;
  const double size[3] = {d->half_size[0], d->half_size[1], d->base};
  if (d->nrow < 2 || d->ncol < 2)
    return HFI_REFUSE(d, kind, "needs at least 2 rows and 2 columns, has %d and %d", d->nrow, d->ncol);
  if ((int64_t)d->nrow * d->ncol > HFI_MOST_HEIGHTS)
    return HFI_REFUSE(d, kind, "%d rows of %d heights are more than %d", d->nrow, d->ncol, HFI_MOST_HEIGHTS);
  if (!d->height) return HFI_REFUSE(d, kind, "lacks its heights");

  for (int i = 0; i < 3; ++i)
    if (!(size[i] > 0) || !isfinite(size[i]))
      return HFI_REFUSE(d, kind, "%s must be positive, is %g", i < 2 ? "half_size" : "base", size[i]);

  for (int i = 0; i < d->nrow * d->ncol; ++i) {
    int row = i / d->ncol;
    int column = i % d->ncol;
    if (!isfinite(d->height[i]))
      return HFI_REFUSE(d, kind, "the height in row %d, column %d is not finite", row, column);
    if (!(d->height[i] > -d->base))
      return HFI_REFUSE(d, kind, "the height %g in row %d, column %d is not above the base, %g", d->height[i], row,
                        column, -d->base);
  }

  return HF_OK;
}

hfStatus hfi_own_height_field(hfBuilder* b, void* def, hfError* error) {
  hfHeightFieldDef* d = def;
  d->height = hfi_pool_copy(&b->pool, d->height, sizeof *d->height * (size_t)(d->nrow * d->ncol));
  return d->height ? HF_OK : hfi_refuse_memory(error);
}
