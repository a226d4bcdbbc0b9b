// A height field: heights over a rectangular grid, each cell divided into two triangles, and the matter below them down
// to the base, z = -base. A view of arrays, without memory of its own.
//
//   x_c = -half_x + c dx,   y_r = -half_y + r dy,   dx = 2 half_x/(ncol - 1),   dy = 2 half_y/(nrow - 1)
//
// The diagonal of cell (c, r) runs from the vertex (c, r) to (c + 1, r + 1), as in MuJoCo. Of the cell number k = r
// (ncol - 1) + c the lower triangle has the number 2 k, the upper one 2 k + 1:
//
//   r + 1  +-------+
//     y    | upper/|
//     ^    |    /  |
//     |    |  /    |
//     |    |/ lower|
//   r      +-------+
//          c      c + 1  --> x
#ifndef HFI_MODEL_HEIGHT_FIELD_H
#define HFI_MODEL_HEIGHT_FIELD_H

#include <holdfast/model.h>
#include "math/vec3.h"

// A field has at least 2 rows and 2 columns, and at most this many vertices.
enum { HFI_MOST_HEIGHTS = 1 << 26 };

typedef struct hfiHeightField {
  int32_t nrow, ncol;
  double half[2], base; // [m]
  double dx, dy;
  double lowest, highest; // lowest and highest of the heights [m]
  const double* height;   // (nrow x ncol) rows along +y [m]
  const int32_t* region;  // (number of triangles) the same number for connected triangles that lie in one plane
} hfiHeightField;

hfiHeightField hfi_model_height_field(const hfModel* model, int hfield);

static inline int hfi_hfield_triangles(int nrow, int ncol) { return 2 * (nrow - 1) * (ncol - 1); }

static inline double hfi_hfield_height(const hfiHeightField* f, int c, int r) {
  return f->height[(size_t)r * (size_t)f->ncol + (size_t)c];
}

static inline hfVec3 hfi_hfield_vertex(const hfiHeightField* f, int c, int r) {
  return v3(c * f->dx - f->half[0], r * f->dy - f->half[1], hfi_hfield_height(f, c, r));
}

static inline int hfi_hfield_triangle(const hfiHeightField* f, int c, int r, int upper) {
  return 2 * (r * (f->ncol - 1) + c) + upper;
}

// Slopes dz/dx and dz/dy of a triangle, and its unit normal, which looks up.
void hfi_hfield_slopes(const hfiHeightField* f, int c, int r, int upper, double slope[2]);
hfVec3 hfi_hfield_normal(const hfiHeightField* f, int c, int r, int upper);
// Column and row of the cell at (x, y), or of the nearest cell if that is outside of the field; 0 for NaN.
void hfi_hfield_cell(const hfiHeightField* f, double x, double y, int* c, int* r);
// Height of the surface at (x, y), or at the nearest point of the rectangle.
double hfi_hfield_surface(const hfiHeightField* f, double x, double y);

// Lowest and highest of the heights.
void hfi_hfield_range(const double* height, int count, double range[2]);
// Fills region (number of triangles): the number of the first triangle of each region. `f` needs no region.
void hfi_hfield_regions(const hfiHeightField* f, int32_t* region);

#endif
