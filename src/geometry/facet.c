// Facets of the shapes, see facet.h.
//
// A box gives one of its faces, a mesh the face whose normal is nearest to d (of equal ones the first), a
// cylinder the cap on d's side or, where d is nearer to across its axis, its straight side, a capsule its side.
#include "geometry/facet.h"

// Sine of the tilt of d up to which the side looks along it rather than the cap. A side on a face stays two
// points as long as both are near: soft contact may tilt it by its depth over its length.
static const double kSideTilt = 0.7;

// Corner k of a box's face `axis`, side s, counter-clockwise seen from outside.
static int box_corner(int axis, int up, int k) {
  static const int kAround[4] = {0, 1, 3, 2}; // bit 0 along axis + 1, bit 1 along axis + 2
  int turn = kAround[up ? k : 3 - k];
  int b = (axis + 1) % 3, c = (axis + 2) % 3;
  return (up ? 1 << axis : 0) | (turn & 1 ? 1 << b : 0) | (turn & 2 ? 1 << c : 0);
}

static void box_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  hfVec3 local = m3_tmulv(X->R, d);
  double a[3] = {fabs(local.x), fabs(local.y), fabs(local.z)};
  int axis = a[2] >= a[0] && a[2] >= a[1] ? 2 : a[1] >= a[0] ? 1 : 0, up = v3_get(local, axis) > 0;
  f->kind = HFI_FACET_POLYGON;
  f->count = 4;
  f->normal = v3_scale(up ? 1 : -1, m3_col(X->R, axis));
  f->size = max2(s->size[0], max2(s->size[1], s->size[2]));
  for (int k = 0; k < 4; ++k) {
    int corner = box_corner(axis, up, k);
    hfVec3 x = v3(corner & 1 ? s->size[0] : -s->size[0], corner & 2 ? s->size[1] : -s->size[1], corner & 4 ? s->size[2] : -s->size[2]);
    f->vertex[k] = pose_point(*X, x);
    f->id[k] = corner;
  }
}

static void mesh_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  const hfiHull* hull = s->hull;
  hfVec3 local = m3_tmulv(X->R, d);
  double best = -INFINITY, size2 = 0;
  int32_t face = 0;
  for (int32_t i = 0; i < hull->nface; ++i) {
    double c = v3_dot(local, v3_load(hull->face_plane + 4 * i));
    if (c > best) { best = c; face = i; }
  }
  int32_t begin = hull->face_start[face], n = hull->face_start[face + 1] - begin;
  int32_t stride = (n + HFI_FACET_MAX - 1) / HFI_FACET_MAX;
  f->kind = HFI_FACET_POLYGON;
  f->count = 0;
  f->normal = m3_mulv(X->R, v3_load(hull->face_plane + 4 * face));
  for (int32_t k = 0; k < n; k += stride) {
    f->id[f->count] = hull->face_vert[begin + k];
    f->vertex[f->count] = pose_point(*X, v3_load(hull->vert + 3 * hull->face_vert[begin + k]));
    size2 = max2(size2, v3_norm2(v3_sub(f->vertex[f->count], f->vertex[0])));
    f->count++;
  }
  f->size = sqrt(size2);
}

// The straight side of a round shape: a cylinder's at the azimuth of d, of a capsule what its ends have
// farthest along d. Its ends are the supports of the shape's two ends at any tilt.
static void side_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  hfVec3 z = m3_col(X->R, 2), across = v3_unit(v3_axpy(-v3_dot(d, z), z, d));
  hfVec3 out = s->type == HF_GEOM_CAPSULE ? d : across, p = v3_axpy(s->size[0], out, X->p);
  f->kind = HFI_FACET_SEGMENT;
  f->count = 2;
  f->normal = out;
  f->vertex[0] = v3_axpy(-s->size[1], z, p);
  f->vertex[1] = v3_axpy(s->size[1], z, p);
  f->id[0] = 0;
  f->id[1] = 1;
}

static void cap_facet(const hfiShape* s, const hfPose* X, int up, hfiFacet* f) {
  hfVec3 z = m3_col(X->R, 2);
  f->kind = HFI_FACET_DISC;
  f->count = 1;
  f->normal = up ? z : v3_neg(z);
  f->x = m3_col(X->R, 0);
  f->y = m3_col(X->R, 1);
  f->radius = s->size[0];
  f->vertex[0] = v3_axpy(up ? s->size[1] : -s->size[1], z, X->p);
  f->id[0] = up ? 0 : 8; // of the rim points: + 0..3 fixed, + 4..7 turned
}

void hfi_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  double along = v3_dot(d, m3_col(X->R, 2));
  f->kind = HFI_FACET_NONE;
  f->size = max2(s->size[0], s->size[1]);
  if (s->type == HF_GEOM_BOX) box_facet(s, X, d, f);
  else if (s->type == HF_GEOM_MESH) mesh_facet(s, X, d, f);
  else if (s->type == HF_GEOM_CYLINDER && fabs(along) > kSideTilt) cap_facet(s, X, along > 0, f);
  else if (s->type == HF_GEOM_CYLINDER || (s->type == HF_GEOM_CAPSULE && fabs(along) <= kSideTilt)) side_facet(s, X, d, f);
}

// Replaces a polygon by its edge farthest along d, if that edge is across d.
static void reduce_to_edge(hfVec3 d, hfiFacet* f) {
  int best = 0;
  double top = -INFINITY;
  for (int k = 0; k < f->count; ++k) {
    double height = v3_dot(d, v3_add(f->vertex[k], f->vertex[(k + 1) % f->count]));
    if (height > top) { top = height; best = k; }
  }
  int next = (best + 1) % f->count;
  hfVec3 a = f->vertex[best], b = f->vertex[next];
  int32_t ia = f->id[best], ib = f->id[next];
  f->kind = fabs(v3_dot(d, v3_sub(b, a))) <= kFacetAngle * v3_norm(v3_sub(b, a)) ? HFI_FACET_SEGMENT : HFI_FACET_NONE;
  f->count = 2;
  f->normal = d;
  f->vertex[0] = a, f->vertex[1] = b;
  f->id[0] = ia, f->id[1] = ib;
}

void hfi_facet_edge(const hfPose* X, hfVec3 d, hfiFacet* f) {
  if (f->kind == HFI_FACET_POLYGON) reduce_to_edge(d, f);
  else if (f->kind == HFI_FACET_DISC || fabs(v3_dot(d, m3_col(X->R, 2))) > kFacetAngle) f->kind = HFI_FACET_NONE;
}
