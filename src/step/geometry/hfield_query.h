// The query for contacts with a height field, which the files hfield_*.c share: the contacts that it keeps and the
// cells that it skips.
#ifndef HFI_GEOMETRY_HFIELD_QUERY_H
#define HFI_GEOMETRY_HFIELD_QUERY_H

#include "step/geometry/hfield.h"
#include "step/geometry/shape_table.h"
#include "step/geometry/touch.h"

// A point beyond an edge by less than this share of a cell is in the triangle [-].
static const double HFI_INSIDE_SHARE = 1e-7;
// Parts that a sphere or ellipsoid misses by more than this share of its reach or of a cell are not examined [-].
static const double HFI_MISS_SHARE = 1e-6;

enum {
  HFI_BELOW = 64,     // Bit of hfi_field_sides: the cell is below all of A.
  HFI_MOST_LOW = 128, // A mesh with more low vertices than this has no list; all its vertices are tried.
  HFI_FEW_CELLS = 32, // The sides are kept for at most this many cells under A.
};

typedef enum hfiFieldPart { HFI_FACE, HFI_RIDGE, HFI_PEAK } hfiFieldPart;

// Which part of the field and which point of A made a contact.
typedef struct hfiFieldOrigin {
  hfiFieldPart kind;
  uint32_t id;      // number of the part; for a face, the number of its region
  uint32_t point_A; // number of A's point
  hfVec3 middle;    // for a face: the middle of its triangle [m]
} hfiFieldOrigin;

// The cells under A: columns c0 to c1 and rows r0 to r1.
typedef struct hfiFieldCells {
  int c0, c1, r0, r1;
  int keeps_sides; // 1: hfi_field_sides of these cells is in `sides`, row by row
  int any_is_near; // valid with keeps_sides; 1: some of these cells is on no side of A
  int32_t sides[HFI_FEW_CELLS];
} hfiFieldCells;

// The vertices of a mesh that may touch faces.
typedef struct hfiLowVertices {
  int32_t count; // -1: all vertices of the mesh may
  int32_t vertex[HFI_MOST_LOW];
} hfiLowVertices;

// The contacts that are kept.
typedef struct hfiFieldContacts {
  int count;
  hfiContactPoint* points; // (HFI_MAX_POINTS) in the field's frame, n from B into A
  hfiFieldOrigin origin[HFI_MAX_POINTS];
} hfiFieldContacts;

typedef struct hfiFieldQuery {
  const hfiShape* A;
  hfPose X_BA;
  const hfiHeightField* f;
  double margin;    // [m]
  double cell_size; // the smaller side of a cell [m]
  double cone_sine; // sine of the angle by which a normal may be outside of a cone [-]
  double core;      // how far the core of a round shape is below its surface; 0: the shape has corners [m]
  // radius of a sphere plus the margin [m]; 0: A is not a sphere, or is much larger than a cell, or its centre may be
  // in the matter
  double ball;
  hfiAabb box;      // box of A, grown by the margin
  hfiAabb box_A;    // box of A in A's own frame, grown by the margin
  double spread[3]; // half the extent of a flat cell along the axes of A [m]
  hfiFieldCells cells;
  hfiLowVertices low;
  hfiFieldContacts kept;
} hfiFieldQuery;

// Keeps a new contact. It is left out where a contact that is kept already is the same, or where all places are taken
// by deeper ones.
void hfi_field_add(hfiFieldQuery* q, const hfiContactPoint* point, hfiFieldOrigin origin);
// On which sides of A a cell lies, beyond A's own box grown by the margin: bit 1 << i for the side +i of A's frame, 8
// << i for -i, or HFI_BELOW alone. Where some bit is set, no part of the surface of the cell is within the margin of A.
int hfi_field_sides(const hfiFieldQuery* q, int c, int r);
// Place in q->cells.sides of cell (c, r).
static inline int hfi_field_place(const hfiFieldQuery* q, int c, int r) {
  int columns = q->cells.c1 - q->cells.c0 + 1;
  return (r - q->cells.r0) * columns + c - q->cells.c0;
}
// hfi_field_sides of the cell that has the vertex (c, r) and the edges from it towards larger c and r.
static inline int hfi_field_vertex_sides(const hfiFieldQuery* q, int c, int r) {
  int cell_c = imin2(c, q->cells.c1);
  int cell_r = imin2(r, q->cells.r1);
  if (q->cells.keeps_sides) return q->cells.sides[hfi_field_place(q, cell_c, cell_r)];
  return hfi_field_sides(q, cell_c, cell_r);
}
// How far p is below the surface, measured straight up [m]; negative where it is not in the matter.
double hfi_field_sunk_depth(const hfiFieldQuery* q, hfVec3 p);
// Finds the boxes of A and the cells under it. Returns 0 if A is not near the field.
int hfi_field_find_cells(hfiFieldQuery* q);

// Do all cells under A lie in one plane? If so, hfi_field_touch_flat finds A's contacts with it.
int hfi_field_is_flat(const hfiFieldQuery* q);
void hfi_field_touch_flat(hfiFieldQuery* q);
// Find A's contacts with each sort of part.
void hfi_field_touch_faces(hfiFieldQuery* q);
void hfi_field_touch_ridges(hfiFieldQuery* q);
void hfi_field_touch_peaks(hfiFieldQuery* q);
void hfi_field_touch_sides(hfiFieldQuery* q); // faces of the walls and the base
void hfi_field_touch_frame(hfiFieldQuery* q); // edges and corners of the walls and the base

// Does a sphere surely not reach a part at the distance d from its centre, where d^2 = square/scale? The answer is 0 if
// the part is nearly within reach: then the contact is computed.
static inline int hfi_field_is_beyond(const hfiFieldQuery* q, double square, double scale) {
  return square > q->ball * q->ball * (1 + HFI_MISS_SHARE) * scale;
}

// The pose at p whose z axis is n.
static inline hfPose hfi_plane_pose(hfVec3 p, hfVec3 n) {
  hfVec3 t1;
  hfVec3 t2;
  v3_tangents(n, &t1, &t2);
  return (hfPose){m3_from_cols(t1, t2, n), p};
}

#endif
