// The hull of a box, see box_hull.h.
#include "step/geometry/box_hull.h"

static const int32_t FACE_START[7] = {0, 4, 8, 12, 16, 20, 24};
// Corners of the faces -x, x, -y, y, -z and z, counter-clockwise seen from outside.
static const int32_t FACE_VERT[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int32_t EDGE_START[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
// Corners beside each corner, ascending.
static const int32_t EDGE_VERT[24] = {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6};

const hfiShape* hfi_with_hull(const hfiShape* s, hfiBoxHull* room) {
  if (s->type != HF_GEOM_BOX) return s;
  const double* h = s->size;
  for (int v = 0; v < 8; ++v) v3_store(room->vert + 3 * v, v3(v & 1 ? h[0] : -h[0], v & 2 ? h[1] : -h[1], v & 4 ? h[2] : -h[2]));
  for (int f = 0; f < 6; ++f) {
    double *plane = room->plane + 4 * f, side = f % 2 ? 1 : -1;
    plane[0] = f / 2 == 0 ? side : 0, plane[1] = f / 2 == 1 ? side : 0, plane[2] = f / 2 == 2 ? side : 0;
    plane[3] = h[f / 2];
  }
  room->hull = (hfiHull){8, 6, room->vert, FACE_START, FACE_VERT, room->plane, EDGE_START, EDGE_VERT, NULL};
  room->shape = *s;
  room->shape.hull = &room->hull;
  return &room->shape;
}
