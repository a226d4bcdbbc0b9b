// Height fields, see height_field.h.
#include "model/height_field.h"

#include "base/disjoint_sets.h"
#include "math/index.h"

// Two neighbouring triangles lie in one plane if the far vertex of one is nearer to the plane of the other than this
// share of the field's cells and heights [-]. Heights come from files in single precision.
static const double REGION_FLATNESS_SHARE = 2e-7;

// Returns a view of height field i of a model.
hfiHeightField hfi_model_height_field(const hfModel* m, int i) {
  const double* size = hf_model_hfield_size(m) + 3 * i;
  const double* range = hf_model_hfield_range(m) + 2 * i;
  int nrow = hf_model_hfield_nrow(m)[i];
  int ncol = hf_model_hfield_ncol(m)[i];

  return (hfiHeightField){.nrow = nrow,
                          .ncol = ncol,
                          .half = {size[0], size[1]},
                          .base = size[2],
                          .dx = 2 * size[0] / (ncol - 1),
                          .dy = 2 * size[1] / (nrow - 1),
                          .lowest = range[0],
                          .highest = range[1],
                          .height = hf_model_hfield_height(m) + hf_model_hfield_adr(m)[i],
                          .region = hf_model_hfield_region(m) + hf_model_hfield_regionadr(m)[i]};
}

// Writes the slopes dz/dx and dz/dy [-] of the lower or upper triangle of the cell with the corner (c, r). The lower
// one has its right angle at (c + 1, r), the upper one at (c, r + 1).
void hfi_hfield_slopes(const hfiHeightField* f, int c, int r, int upper, double slope[2]) {
  double h00 = hfi_hfield_height(f, c, r);
  double h11 = hfi_hfield_height(f, c + 1, r + 1);
  double corner = upper ? hfi_hfield_height(f, c, r + 1) : hfi_hfield_height(f, c + 1, r);
  slope[0] = (upper ? h11 - corner : corner - h00) / f->dx;
  slope[1] = (upper ? corner - h00 : h11 - corner) / f->dy;
}

hfVec3 hfi_hfield_normal(const hfiHeightField* f, int c, int r, int upper) {
  double slope[2];
  hfi_hfield_slopes(f, c, r, upper, slope);
  return v3_unit(v3(-slope[0], -slope[1], 1));
}

// Writes the column c and the row r of the cell at (x, y) [m]. Places outside of the field belong to cells at its
// border.
void hfi_hfield_cell(const hfiHeightField* f, double x, double y, int* c, int* r) {
  *c = hfi_index_between((x + f->half[0]) / f->dx, 0, f->ncol - 2);
  *r = hfi_index_between((y + f->half[1]) / f->dy, 0, f->nrow - 2);
}

// Returns the height of the surface at (x, y) [m]. u, v: the place in its cell, from 0 to 1; above the diagonal u = v
// is the upper triangle.
double hfi_hfield_surface(const hfiHeightField* f, double x, double y) {
  int c, r;
  double slope[2];
  hfi_hfield_cell(f, x, y, &c, &r);
  double u = clamp((x + f->half[0]) / f->dx - c, 0, 1);
  double v = clamp((y + f->half[1]) / f->dy - r, 0, 1);
  hfi_hfield_slopes(f, c, r, v > u, slope);
  return hfi_hfield_height(f, c, r) + slope[0] * u * f->dx + slope[1] * v * f->dy;
}

// Writes the least and the greatest of `count` heights, of which there is at least one.
void hfi_hfield_range(const double* height, int count, double range[2]) {
  range[0] = range[1] = height[0];
  for (int i = 1; i < count; ++i) {
    range[0] = min2(range[0], height[i]);
    range[1] = max2(range[1], height[i]);
  }
}

// ---- regions ---------------------------------------------------------------------------------------

// A triangle: the column and row of its cell, and which of the two it is.
typedef struct FieldTriangle {
  int c, r, upper;
} FieldTriangle;

// Joins a triangle and its neighbour across an edge if the difference of their slopes moves a vertex by less than
// `tolerance` [m].
static void join_flat(const hfiHeightField* f, FieldTriangle a, FieldTriangle b, double tolerance, int32_t* region) {
  double p[2];
  double q[2];
  hfi_hfield_slopes(f, a.c, a.r, a.upper, p);
  hfi_hfield_slopes(f, b.c, b.r, b.upper, q);
  if (fabs(p[0] - q[0]) * f->dx <= tolerance && fabs(p[1] - q[1]) * f->dy <= tolerance)
    hfi_join_sets(region, hfi_hfield_triangle(f, a.c, a.r, a.upper), hfi_hfield_triangle(f, b.c, b.r, b.upper));
}

// Joins the two triangles of each cell, and those of neighbouring cells.
void hfi_hfield_regions(const hfiHeightField* f, int32_t* region) {
  int count = hfi_hfield_triangles(f->nrow, f->ncol);
  double tolerance = REGION_FLATNESS_SHARE * (min2(f->dx, f->dy) + f->highest - f->lowest);
  for (int t = 0; t < count; ++t) region[t] = t;

  for (int r = 0; r < f->nrow - 1; ++r)
    for (int c = 0; c < f->ncol - 1; ++c) {
      FieldTriangle lower = {c, r, 0};
      FieldTriangle upper = {c, r, 1};
      join_flat(f, lower, upper, tolerance, region);
      if (c > 0) join_flat(f, (FieldTriangle){c - 1, r, 0}, upper, tolerance, region);
      if (r > 0) join_flat(f, (FieldTriangle){c, r - 1, 1}, lower, tolerance, region);
    }

  for (int t = 0; t < count; ++t) region[t] = hfi_find_set(region, t);
}
