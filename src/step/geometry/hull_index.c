// Index of a hull, see hull_index.h. Directions are divided as the six sides of a cube, each into a grid of squares.
//
// Each cell lists the vertices that are farthest along some direction of the cell. A direction of the cell is a sum,
// with weights >= 0, of the directions of its four corners. So if a vertex v is lower than its neighbour u along all
// four corners, it is lower along all directions of the cell and need not be listed. The listed vertices are connected
// by edges, because the farthest vertex changes from neighbour to neighbour while the direction turns. So a walk over
// the edges finds all of them, from the farthest vertex along the middle of the cell.
#include "step/geometry/hull_index.h"

// A vertex is lower if it is lower by this share of the size, far more than the difference up to which the support
// function takes heights for equal (mesh.c) [-].
static const double LOWER_SHARE = 1e-9;
// A cosine is surely larger than another if it is larger by this, far more than rounding [-].
static const double SURE_COSINE_DIFFERENCE = 1e-12;

// Returns the direction to the point (x, y), in squares from the corner, on a side of the cube. The side is across axis
// side / 2, on its negative half if `side` is odd.
static hfVec3 direction_at(int side, double x, double y) {
  double step = 2.0 / HFI_CELL_GRID;
  double d[3];
  d[side / 2] = side % 2 ? -1 : 1;
  d[(side / 2 + 1) % 3] = x * step - 1;
  d[(side / 2 + 2) % 3] = y * step - 1;
  return v3_load(d);
}

static int square_of(double x, double squares_per_length) {
  return imin2((int)(x * squares_per_length + 0.5 * HFI_CELL_GRID), HFI_CELL_GRID - 1);
}

// Returns the cell of a direction whose largest coordinate is z, along `axis`; x and y are those along the next two
// axes. Directions that are not finite have the first cell.
static const hfiDirectionCell* find_cell(const hfiHullIndex* index, int axis, double z, double x, double y) {
  double squares_per_length = 0.5 * HFI_CELL_GRID / fabs(z);
  if (!isfinite(squares_per_length * z) || !isfinite(x) || !isfinite(y)) return index->cell;

  int side = 2 * axis + (z < 0);
  int row = square_of(x, squares_per_length);
  int column = square_of(y, squares_per_length);
  return index->cell + (side * HFI_CELL_GRID + row) * HFI_CELL_GRID + column;
}

// Returns the cell that a direction of any length belongs to.
const hfiDirectionCell* hfi_hull_cell(const hfiHullIndex* index, hfVec3 d) {
  double x = fabs(d.x);
  double y = fabs(d.y);
  double z = fabs(d.z);

  if (z >= x && z >= y) return find_cell(index, 2, d.z, d.x, d.y);
  if (y >= x) return find_cell(index, 1, d.y, d.z, d.x);
  return find_cell(index, 0, d.x, d.y, d.z);
}

// Is vertex v lower than one of its neighbours along all four corners of a cell?
static int is_lower(const hfiHull* hull, int32_t v, const hfVec3 corner[4], double slack) {
  for (int32_t k = hull->edge_start[v]; k < hull->edge_start[v + 1]; ++k) {
    hfVec3 up = v3_sub(hfi_hull_vertex(hull, hull->edge_vert[k]), hfi_hull_vertex(hull, v));
    int c = 0;
    while (c < 4 && v3_dot(corner[c], up) > slack) ++c;
    if (c == 4) return 1;
  }
  return 0;
}

static int is_listed(const hfiDirectionCell* cell, int32_t v) {
  int i = 0;
  while (i < cell->count && cell->vertex[i] != v) ++i;
  return i < cell->count;
}

// Lists all vertices that a walk over edges reaches from the first one without visiting a lower vertex. The count
// becomes 0 if there are too many.
static void list_farthest(const hfiHull* hull, const hfVec3 corner[4], double slack, hfiDirectionCell* cell) {
  cell->count = 1;
  for (int i = 0; i < cell->count; ++i) {
    int32_t v = cell->vertex[i];
    for (int32_t k = hull->edge_start[v]; k < hull->edge_start[v + 1]; ++k) {
      int32_t neighbour = hull->edge_vert[k];
      if (is_listed(cell, neighbour) || is_lower(hull, neighbour, corner, slack)) continue;

      if (cell->count == HFI_CELL_VERTICES) {
        cell->count = 0;
        return;
      }
      cell->vertex[cell->count++] = neighbour;
    }
  }
}

// Makes the index of a hull. With an arena without memory it only plans the size.
void hfi_hull_index_init(hfiHullIndex* index, const hfiHull* hull, hfiArena* arena) {
  hfi_tree_init(&index->vertex, hull->nvert, 3, hull->vert, arena);
  hfi_tree_init(&index->face, hull->nface, 4, hull->face_plane, arena);
  if (!index->vertex.order) return;

  for (int k = 0; k < HFI_CELLS; ++k) {
    hfiDirectionCell* cell = &index->cell[k];
    int side = k / (HFI_CELL_GRID * HFI_CELL_GRID);
    int i = k / HFI_CELL_GRID % HFI_CELL_GRID;
    int j = k % HFI_CELL_GRID;

    hfiLinear along_middle = {direction_at(side, i + 0.5, j + 0.5), 0};
    cell->vertex[0] = hfi_tree_largest(&index->vertex, &along_middle, 0);
    cell->face = hfi_tree_largest(&index->face, &along_middle, 0);

    hfVec3 corner[4] = {direction_at(side, i, j), direction_at(side, i + 1, j), direction_at(side, i, j + 1),
                        direction_at(side, i + 1, j + 1)};
    list_farthest(hull, corner, LOWER_SHARE * index->vertex.scale[0], cell);
  }
}

// ---- faces ----------------------------------------------------------------------------------------------

// Returns the face with the largest n.x - share offset; the first one if several are equal. guess: any face, or -1.
static int32_t find_face(const hfiHull* hull, hfVec3 x, double share, int32_t guess) {
  if (hull->index) {
    hfiLinear f = {x, share};
    if (guess < 0) guess = hfi_hull_cell(hull->index, x)->face;
    return hfi_tree_largest(&hull->index->face, &f, guess);
  }

  double largest = -INFINITY;
  int32_t face = 0;
  for (int32_t i = 0; i < hull->nface; ++i) {
    const double* plane = hull->face_plane + 4 * i;
    double value = v3_dot(x, v3_load(plane)) - share * plane[3];
    if (!(value > largest)) continue;
    largest = value;
    face = i;
  }
  return face;
}

int32_t hfi_nearest_normal(const hfiHull* hull, hfVec3 d) { return find_face(hull, d, 0, -1); }

int32_t hfi_highest_face(const hfiHull* hull, hfVec3 x, int32_t guess) { return find_face(hull, x, 1, guess); }

// Returns the face whose normal is nearest to the unit direction d: the last one if it still is, otherwise by a search.
// Writes *last.
//
// Every other normal is at least at an angle t from the last direction, with cos t = second. So it is at least at
// t - delta from a direction that is turned by delta, and its cosine is at most cos t + sin t sin delta.
int32_t hfi_facing_face(const hfiHull* hull, hfVec3 d, hfiFacing* last) {
  if (!hull->index) return hfi_nearest_normal(hull, d);

  double sine = sqrt(max2(0, 1 - last->second * last->second));
  double turned = v3_norm(v3_sub(d, last->d));
  double largest_other = last->second + sine * turned + SURE_COSINE_DIFFERENCE;
  if (v3_dot(hfi_hull_normal(hull, last->face), d) > largest_other) return last->face;

  hfiLinear along = {d, 0};
  last->d = d;
  last->face = hfi_tree_two_largest(&hull->index->face, &along, hfi_hull_cell(hull->index, d)->face, &last->second);
  return last->face;
}
