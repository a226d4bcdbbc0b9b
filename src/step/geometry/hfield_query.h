// The query for contacts with a height field, which the files hfield_*.c share: the contacts that it keeps and the cells that it skips.
#ifndef HFI_GEOMETRY_HFIELD_QUERY_H
#define HFI_GEOMETRY_HFIELD_QUERY_H

#include "step/geometry/hfield.h"
#include "step/geometry/shape_table.h"
#include "step/geometry/touch.h"

static const double HFI_INSIDE = 1e-7; // A point beyond an edge by less than this share of a cell is in the triangle [-].

static const double HFI_SURELY = 1e-6; // Parts that a sphere or ellipsoid misses by more than this share of its reach or of a cell are not examined [-].

enum {
  HFI_BELOW = 64,     // Bit of hfi_field_sides: the cell is below all of A.
  HFI_MOST_LOW = 128, // A mesh with more low vertices than this has no list; all its vertices are tried.
  HFI_FEW_CELLS = 32, // The sides are kept for at most this many cells under A.
};

typedef enum hfiFieldPart { HFI_FACE, HFI_RIDGE, HFI_PEAK } hfiFieldPart;

// Which part of the field and which point of A made a contact.
typedef struct hfiFieldOrigin {
  hfiFieldPart kind;
  uint32_t id;   // number of the part; for a face, the number of its region
  uint32_t own;  // number of A's point
  hfVec3 middle; // for a face: the middle of its triangle [m]
} hfiFieldOrigin;

typedef struct hfiFieldQuery {
  const hfiShape* A;
  hfPose X_BA;
  const hfiHeightField* f;
  double margin, cell; // cell: the smaller side of a cell
  double cone;         // sine of the angle by which a normal may be outside of a cone
  double core;         // how far the core of a round shape is below its surface; 0: the shape has corners
  double ball;         // radius of a sphere plus the margin [m]; 0: A is no sphere, or much larger than a cell, or its centre may be in the matter
  hfiAabb box;         // box of A, grown by the margin
  hfiAabb own;         // box of A in A's own frame, grown by the margin
  double spread[3];    // half the extent of a flat cell along the axes of A
  int c0, c1, r0, r1;  // range of the cells under A
  int keeps_sides;     // 1: hfi_field_sides of these cells is in sides, row by row
  int is_near;         // valid with keeps_sides; 1: some of these cells is on no side of A
  int32_t sides[HFI_FEW_CELLS];
  int32_t nlow, low[HFI_MOST_LOW]; // vertices of a mesh that may touch faces; nlow -1: all may
  int count;
  hfiContactPoint* points; // (HFI_MAX_POINTS) n from B into A
  hfiFieldOrigin origin[HFI_MAX_POINTS];
} hfiFieldQuery;

// Keeps a new contact. It is left out where a contact that is kept already is the same, or where all places are taken by deeper ones.
void hfi_field_add(hfiFieldQuery* q, const hfiContactPoint* point, hfiFieldOrigin origin);
// On which sides of A a cell lies, beyond A's own box grown by the margin: bit 1 << i for the side +i of A's frame, 8 << i for -i, or
// HFI_BELOW alone. Where some bit is set, no part of the surface of the cell is within the margin of A.
int hfi_field_sides(const hfiFieldQuery* q, int c, int r);
// Place in q->sides of cell (c, r).
static inline int hfi_field_place(const hfiFieldQuery* q, int c, int r) { return (r - q->r0) * (q->c1 - q->c0 + 1) + c - q->c0; }
// hfi_field_sides of the cell that has the vertex (c, r) and the edges from it towards larger c and r.
static inline int hfi_field_vertex_sides(const hfiFieldQuery* q, int c, int r) {
  int cell_c = imin2(c, q->c1), cell_r = imin2(r, q->r1);
  return q->keeps_sides ? q->sides[hfi_field_place(q, cell_c, cell_r)] : hfi_field_sides(q, cell_c, cell_r);
}
// How far p is below the surface, measured straight up [m]; negative where it is not in the matter.
double hfi_field_sunk_depth(const hfiFieldQuery* q, hfVec3 p);
// Finds the boxes of A and the cells under it. Returns 0 if A is not near the field.
int hfi_field_find_cells(hfiFieldQuery* q);

// Whether all cells under A lie in one plane. If so, hfi_field_touch_flat finds A's contacts with it.
int hfi_field_is_flat(const hfiFieldQuery* q);
void hfi_field_touch_flat(hfiFieldQuery* q);
// Find A's contacts with each sort of part.
void hfi_field_touch_faces(hfiFieldQuery* q);
void hfi_field_touch_ridges(hfiFieldQuery* q);
void hfi_field_touch_peaks(hfiFieldQuery* q);
void hfi_field_touch_sides(hfiFieldQuery* q); // faces of the walls and the base
void hfi_field_touch_frame(hfiFieldQuery* q); // edges and corners of the walls and the base

// Does a sphere surely not reach a part at the distance d from its centre, where d^2 = square/scale? The answer is 0 if the part is nearly within
// reach: then the contact is computed.
static inline int hfi_field_is_beyond(const hfiFieldQuery* q, double square, double scale) { return square > q->ball * q->ball * (1 + HFI_SURELY) * scale; }

// The pose at p whose z axis is n.
static inline hfPose hfi_plane_pose(hfVec3 p, hfVec3 n) {
  hfPose X = {m3_identity(), p};
  hfVec3 t1, t2;
  v3_tangents(n, &t1, &t2);
  X.R = m3_from_cols(t1, t2, n);
  return X;
}

#endif
