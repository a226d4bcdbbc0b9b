// The hull of a box, see box_hull.h.
#include "step/geometry/box_hull.h"

static const int32_t FACE_START[7] = {0, 4, 8, 12, 16, 20, 24};
// Corners of the faces -x, x, -y, y, -z and z, counter-clockwise seen from outside.
static const int32_t FACE_VERT[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int32_t EDGE_START[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
// Corners beside each corner, ascending.
static const int32_t EDGE_VERT[24] = {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6};

// Returns the shape itself, or for a box a copy that has a hull. Both the copy and the hull are written to `room`.
const hfiShape* hfi_with_hull(const hfiShape* s, hfiBoxHull* room) {
  if (s->type != HF_GEOM_BOX) return s;
  const double* h = s->size;

  // corners
  for (int corner = 0; corner < 8; ++corner) {
    double x = corner & 1 ? h[0] : -h[0];
    double y = corner & 2 ? h[1] : -h[1];
    double z = corner & 4 ? h[2] : -h[2];
    v3_store(room->vert + 3 * corner, v3(x, y, z));
  }

  // planes of the faces -x, x, -y, y, -z and z
  for (int face = 0; face < 6; ++face) {
    double* plane = room->plane + 4 * face;
    int axis = face / 2;
    for (int i = 0; i < 3; ++i) plane[i] = 0;
    plane[axis] = face % 2 ? 1 : -1;
    plane[3] = h[axis];
  }

  room->hull = (hfiHull){.nvert = 8,
                         .nface = 6,
                         .vert = room->vert,
                         .face_start = FACE_START,
                         .face_vert = FACE_VERT,
                         .face_plane = room->plane,
                         .edge_start = EDGE_START,
                         .edge_vert = EDGE_VERT,
                         .index = NULL};
  room->shape = *s;
  room->shape.hull = &room->hull;
  return &room->shape;
}
