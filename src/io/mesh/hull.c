// Convex hulls by qhull (its reentrant form; Barber, Dobkin, Huhdanpaa 1996). The option Qt asks for triangles.
//
// qhull writes messages to a FILE and handles errors with longjmp inside its own functions. The FILE here is a buffer,
// so that nothing is printed. Whether qhull succeeds or fails, its memory and ours are freed.
#include "io/mesh/mesh.h"

#include "base/error.h"

#include <holdfast/import.h>

#include <libqhull_r/qhull_ra.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies the triangles of qhull's result, or only counts them if tri is NULL. With the option Qt each facet has three
// vertices, whose order follows from `toporient`. Returns the number of triangles.
static int32_t copy_facets(qhT* qh, int32_t* tri) {
  int32_t count = 0;
  facetT* facet;
  vertexT *vertex, **vertexp;
  FORALLfacets {
    // facets that qhull has for other purposes than a hull
    if (facet->upperdelaunay) continue;
    int32_t corner[4];
    int32_t n = 0;
    FOREACHvertex_(facet->vertices) if (n < 4) corner[n++] = qh_pointid(qh, vertex->point);
    if (n != 3) continue;

    // the corners are put into the order in which the normal points outward
    int flip = facet->toporient ^ qh_ORIENTclock;
    if (tri) {
      tri[3 * count] = corner[0];
      tri[3 * count + 1] = flip ? corner[2] : corner[1];
      tri[3 * count + 2] = flip ? corner[1] : corner[2];
    }
    ++count;
  }
  return count;
}

// Cuts a text behind its first line.
static void keep_first_line(char* report) {
  char* end = strpbrk(report, "\r\n");
  if (end) *end = 0;
}

// Fills hulltri and nhulltri. *code is what qhull returns; its messages go to `report`.
static hfStatus run_qhull(hfiTriMesh* mesh, int max_vertices, FILE* report, int* code) {
  qhT* qh = calloc(1, sizeof *qh);
  if (!qh) return HF_ERROR_MEMORY;

  // TA: how many points qhull may add to the first four, which make a tetrahedron
  char command[64] = "qhull Qt";
  if (max_vertices > 3) snprintf(command, sizeof command, "qhull Qt TA%d", max_vertices - 4);

  qh_zero(qh, report);
  *code = qh_new_qhull(qh, 3, mesh->nvert, mesh->vert, False, command, NULL, report);
  hfStatus status = HF_OK;
  if (*code) status = *code == qh_ERRmem ? HF_ERROR_MEMORY : HF_ERROR_MODEL;
  if (!status) {
    mesh->nhulltri = copy_facets(qh, NULL);
    mesh->hulltri = malloc((size_t)mesh->nhulltri * 3 * sizeof *mesh->hulltri + 1);
    if (mesh->hulltri)
      copy_facets(qh, mesh->hulltri);
    else
      status = HF_ERROR_MEMORY;
  }

  int curlong = 0;
  int totlong = 0;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &curlong, &totlong);
  free(qh);
  return status;
}

// Computes the convex hull of a mesh: hulltri and nhulltri. max_vertices: of the hull, if above 3. what: name of the
// mesh, for messages.
hfStatus hfi_trimesh_hull(hfiTriMesh* mesh, int max_vertices, const char* what, hfError* error) {
  if (mesh->nvert < 4)
    return hfi_refuse(error, HF_ERROR_MODEL, "%s: %d points have no convex hull", what, (int)mesh->nvert);

  char text[512] = "";
  FILE* report = fmemopen(text, sizeof text, "w");
  if (!report) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", what);
  int code = 0;
  hfStatus status = run_qhull(mesh, max_vertices, report, &code);
  fclose(report);
  text[sizeof text - 1] = 0;
  keep_first_line(text);

  // refusals
  if (status == HF_ERROR_MEMORY) return hfi_refuse(error, status, "%s: out of memory", what);
  if (status && code == qh_ERRsingular)
    return hfi_refuse(error, status,
                      "%s: the points are flat and have no convex hull "
                      "(--skip-meshes, skip_meshes: leave such geoms out)",
                      what);
  if (status || mesh->nhulltri < 4)
    return hfi_refuse(error, HF_ERROR_MODEL, "%s: no convex hull (qhull error %d: %.200s)", what, code, text);

  // a mesh of points without triangles has its hull as its surface
  if (mesh->ntri == 0) {
    mesh->tri = malloc((size_t)mesh->nhulltri * 3 * sizeof *mesh->tri);
    if (!mesh->tri) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", what);
    memcpy(mesh->tri, mesh->hulltri, (size_t)mesh->nhulltri * 3 * sizeof *mesh->tri);
    mesh->ntri = mesh->nhulltri;
  }
  return HF_OK;
}

// Computes the triangles of the convex hull of points, which hf_hull_free frees.
hfStatus hf_hull_compute(const double* vert, int32_t nvert, int32_t max_vertices, int32_t** tri, int32_t* ntri,
                         hfError* error) {
  hfi_clear_error(error);
  hfiTriMesh mesh = {.nvert = nvert, .vert = malloc(sizeof *vert * 3 * (size_t)(nvert > 0 ? nvert : 1))};
  if (!mesh.vert) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  hfStatus status = HF_OK;
  for (int32_t i = 0; i < 3 * nvert && status == HF_OK; ++i) {
    mesh.vert[i] = vert[i];
    if (!isfinite(vert[i])) status = hfi_refuse(error, HF_ERROR_NONFINITE, "hull: coordinate %d is not finite", (int)i);
  }

  if (status == HF_OK) status = hfi_trimesh_hull(&mesh, max_vertices, "hull", error);
  if (status == HF_OK) {
    *tri = mesh.hulltri;
    *ntri = mesh.nhulltri;
    mesh.hulltri = NULL;
  }
  hfi_trimesh_release(&mesh);
  return status;
}

void hf_hull_free(int32_t* tri) { free(tri); }
