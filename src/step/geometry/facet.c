// Facets of the shapes, see facet.h.
#include "step/geometry/shape_table.h"

// Writes the line of the round side of a capsule or cylinder in the direction `out`, a unit vector across the axis.
void hfi_facet_side(const hfiShape* s, const hfPose* X, hfVec3 out, hfiFacet* f) {
  hfVec3 z = m3_col(X->R, 2);
  hfVec3 p = v3_axpy(s->size[0], out, X->p);

  f->kind = HFI_FACET_SEGMENT;
  f->count = 2;
  f->normal = out;
  f->vertex[0] = v3_axpy(-s->size[1], z, p);
  f->vertex[1] = v3_axpy(s->size[1], z, p);
  f->id[0] = 0;
  f->id[1] = 1;
}

// Writes the facet of a shape along d; of the kind NONE if it has no facet there.
void hfi_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  f->kind = HFI_FACET_NONE;
  f->size = max2(s->size[0], s->size[1]);
  if (hfi_functions(s)->facet) hfi_functions(s)->facet(s, X, d, f);
}

// Writes a face of a hull. Of a face with too many corners, only each second, third, ... corner is taken.
void hfi_facet_of_face(const hfiShape* s, const hfPose* X, int32_t face, hfiFacet* f) {
  const hfiHull* hull = s->hull;
  int32_t begin = hull->face_start[face];
  int32_t n = hull->face_start[face + 1] - begin;
  int32_t stride = (n + HFI_FACET_MAX - 1) / HFI_FACET_MAX;

  f->kind = HFI_FACET_POLYGON;
  f->count = 0;
  f->normal = m3_mulv(X->R, hfi_hull_normal(hull, face));

  // the size is the largest distance of a corner from the first one
  double size2 = 0;
  for (int32_t k = 0; k < n; k += stride) {
    int32_t corner = hull->face_vert[begin + k];
    f->id[f->count] = corner;
    f->vertex[f->count] = pose_point(*X, hfi_hull_vertex(hull, corner));
    size2 = max2(size2, v3_norm2(v3_sub(f->vertex[f->count], f->vertex[0])));
    f->count++;
  }
  f->size = sqrt(size2);
}

// Replaces a polygon by its edge farthest along d.
static void reduce_to_edge(hfVec3 d, hfiFacet* f) {
  int best = 0;
  double top = -INFINITY;
  for (int k = 0; k < f->count; ++k) {
    double height = v3_dot(d, v3_add(f->vertex[k], f->vertex[(k + 1) % f->count]));
    if (!(height > top)) continue;
    top = height;
    best = k;
  }

  // read both ends before the first is overwritten
  int next = (best + 1) % f->count;
  hfVec3 a = f->vertex[best];
  hfVec3 b = f->vertex[next];
  int32_t id_a = f->id[best];
  int32_t id_b = f->id[next];

  f->kind = HFI_FACET_SEGMENT;
  f->count = 2;
  f->normal = d;
  f->vertex[0] = a;
  f->vertex[1] = b;
  f->id[0] = id_a;
  f->id[1] = id_b;
}

// Reduces a facet to its edge farthest along d. The kind becomes NONE if that edge is not across d, up to `angle`.
void hfi_facet_edge(hfVec3 d, double angle, hfiFacet* f) {
  if (f->kind == HFI_FACET_POLYGON) reduce_to_edge(d, f);
  if (f->kind != HFI_FACET_SEGMENT) {
    f->kind = HFI_FACET_NONE;
    return;
  }

  hfVec3 e = v3_sub(f->vertex[1], f->vertex[0]);
  if (!(fabs(v3_dot(d, e)) <= angle * v3_norm(e))) f->kind = HFI_FACET_NONE;
}
