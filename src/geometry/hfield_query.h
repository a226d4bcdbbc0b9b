// What the files of a height field's contacts share: the query, the contacts that it keeps and the cells that it spares.
#ifndef HFI_GEOMETRY_HFIELD_QUERY_H
#define HFI_GEOMETRY_HFIELD_QUERY_H

#include "geometry/hfield.h"
#include "geometry/shape_table.h"
#include "geometry/touch.h"

static const double HFI_INSIDE = 1e-7; // A point beyond an edge by less than this share of a cell is in the triangle [-].

enum {
  HFI_BELOW = 64,     // A cell is below all of A (hfi_field_sides).
  HFI_MOST_LOW = 128, // Most vertices of a mesh that are listed.
};

typedef enum hfiFieldPart { HFI_FACE, HFI_RIDGE, HFI_PEAK } hfiFieldPart;

// What a contact comes from.
typedef struct hfiFieldOrigin {
  hfiFieldPart kind;
  uint32_t id, own; // number of the part, of A's point
  hfVec3 middle;    // of a face
} hfiFieldOrigin;

typedef struct hfiFieldQuery {
  const hfiShape* A;
  hfPose X_BA;
  const hfiHeightField* f;
  double margin, cell; // cell: the smaller side of a cell
  double cone;         // sine of the angle by which a normal may be outside of a cone
  double core;         // how far the core of a round shape is below its surface; 0: the shape has corners
  hfiAabb box;         // of A, grown by the margin
  hfiAabb own;         // of A in its own frame, likewise
  double spread[3];    // half the extent of a flat cell along the axes of A
  int c0, c1, r0, r1;  // the cells that it is over
  int32_t nlow, low[HFI_MOST_LOW]; // vertices of a mesh that may touch faces; nlow -1: all may
  int count;
  hfiContactPoint* points; // (HFI_MAX_POINTS) n from B into A
  hfiFieldOrigin origin[HFI_MAX_POINTS];
} hfiFieldQuery;

// Keeps a new contact, unless it is one of those that are there, or there is no place for it.
void hfi_field_add(hfiFieldQuery* q, const hfiContactPoint* point, hfiFieldOrigin origin);
// Bits of the sides of A's box, grown by the margin, beyond which a cell lies: 1 << i along axis i of A, 8 << i against it, or HFI_BELOW.
// Where there is one, no part of the surface of the cell is within the margin of A.
int hfi_field_sides(const hfiFieldQuery* q, int c, int r);
// Sides of the cell that vertex (c, r) and the edges from there belong to.
int hfi_field_vertex_sides(const hfiFieldQuery* q, int c, int r);
// Finds the cells under A. Returns whether it comes near the field at all.
int hfi_field_find_cells(hfiFieldQuery* q);

// Whether all cells under A are one plane.
int hfi_field_is_flat(const hfiFieldQuery* q);
// A meets cells that are one plane as it meets a plane.
void hfi_field_touch_patch(hfiFieldQuery* q);
// Contacts with faces; with ridges; with peaks; with the field's sides and base; with the edges of these.
void hfi_field_touch_faces(hfiFieldQuery* q);
void hfi_field_touch_ridges(hfiFieldQuery* q);
void hfi_field_touch_peaks(hfiFieldQuery* q);
void hfi_field_touch_sides(hfiFieldQuery* q);
void hfi_field_touch_frame(hfiFieldQuery* q);

// The pose at p whose z axis is n.
static inline hfPose hfi_plane_pose(hfVec3 p, hfVec3 n) {
  hfPose X = {m3_identity(), p};
  hfVec3 t1, t2;
  v3_tangents(n, &t1, &t2);
  X.R = m3_from_cols(t1, t2, n);
  return X;
}

#endif
