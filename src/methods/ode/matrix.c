// I - gamma h J and its factors. A new step size needs new factors but no new Jacobian; for the sizes
// of mechanisms an LU costs less than one evaluation of f, so factors are never used for another h.
//
// Coordinates i and j are in the same part where J_ij or J_ji is not zero: bodies that nothing connects are in
// different parts. Each part has factors of its own, in the order of its coordinates.
#include "methods/ode/matrix.h"

#include "linalg/dense.h"

// Takes the arrays for n coordinates.
void hfi_stage_matrix_plan(hfiStageMatrix* matrix, int n, hfiArena* arena) {
  matrix->n = n;
  matrix->J = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  matrix->LU = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  HFI_TAKE_EACH(arena, int32_t, n, &matrix->pivot, &matrix->parent, &matrix->part, &matrix->order);
  matrix->start = HFI_TAKE(arena, int32_t, n + 1);
  matrix->b = HFI_TAKE(arena, double, n);
}

// ---- parts ------------------------------------------------------------------------------------------

// The first coordinate of the part of i, by a forest of parents. Shortens the way to it.
static int find_root(int32_t* parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

// Joins the parts of i and j. The root of a part is its first coordinate.
static void join_parts(int32_t* parent, int i, int j) {
  int root_i = find_root(parent, i);
  int root_j = find_root(parent, j);
  if (root_i < root_j) parent[root_j] = root_i;
  else parent[root_i] = root_j;
}

// Lists the coordinates part by part, and writes where each part starts.
static void list_parts(hfiStageMatrix* matrix) {
  // the part of each coordinate, and how many each part has
  matrix->parts = 0;
  for (int i = 0; i <= matrix->n; ++i) matrix->start[i] = 0;
  for (int i = 0; i < matrix->n; ++i) {
    int root = find_root(matrix->parent, i);
    matrix->part[i] = root == i ? matrix->parts++ : matrix->part[root];
    ++matrix->start[matrix->part[i] + 1];
  }

  // a counting sort, which moves each start to the next one
  for (int k = 0; k < matrix->parts; ++k) matrix->start[k + 1] += matrix->start[k];
  for (int i = 0; i < matrix->n; ++i) matrix->order[matrix->start[matrix->part[i]]++] = i;
  for (int k = matrix->parts; k > 0; --k) matrix->start[k] = matrix->start[k - 1];
  matrix->start[0] = 0;
}

// Finds the parts of J.
static void find_parts(hfiStageMatrix* matrix) {
  for (int i = 0; i < matrix->n; ++i) matrix->parent[i] = i;
  for (int i = 0; i < matrix->n; ++i) {
    const double* row = matrix->J + (size_t)i * (size_t)matrix->n;
    for (int j = 0; j < matrix->n; ++j)
      if (row[j] != 0) join_parts(matrix->parent, i, j);
  }
  list_parts(matrix);
}

// ---- factors ----------------------------------------------------------------------------------------

// Factors the part with these n coordinates. Returns 0, or non-zero where it is singular.
static int factor_part(const hfiStageMatrix* matrix, double gamma_h, const int32_t* coordinate, int n, double* LU,
                       int32_t* pivot) {
  for (int r = 0; r < n; ++r) {
    const double* row = matrix->J + (size_t)coordinate[r] * (size_t)matrix->n;
    for (int c = 0; c < n; ++c) LU[r * n + c] = -gamma_h * row[coordinate[c]];
    LU[r * n + r] += 1;
  }
  return hfi_lu(LU, n, n, pivot);
}

// Factors I - gamma_h J part by part, unless that was done already. Returns 0, or non-zero where it is singular.
int hfi_stage_matrix_factor(hfiStageMatrix* matrix, double gamma_h) {
  double* LU = matrix->LU;
  int failed = 0;
  if (matrix->factored == gamma_h) return 0;

  ++matrix->factorisations;
  find_parts(matrix);
  for (int k = 0; k < matrix->parts && !failed; ++k) {
    int first = matrix->start[k];
    int n = matrix->start[k + 1] - first;
    failed = factor_part(matrix, gamma_h, matrix->order + first, n, LU, matrix->pivot + first);
    LU += (size_t)n * (size_t)n;
  }
  matrix->factored = failed ? 0 : gamma_h;
  return failed;
}

// b <- (I - gamma_h J)^-1 b, part by part.
void hfi_stage_matrix_solve(const hfiStageMatrix* matrix, double* b) {
  const double* LU = matrix->LU;
  for (int k = 0; k < matrix->parts; ++k) {
    int first = matrix->start[k];
    int n = matrix->start[k + 1] - first;
    const int32_t* coordinate = matrix->order + first;

    for (int i = 0; i < n; ++i) matrix->b[i] = b[coordinate[i]];
    hfi_lu_solve(LU, n, n, matrix->pivot + first, matrix->b);
    for (int i = 0; i < n; ++i) b[coordinate[i]] = matrix->b[i];
    LU += (size_t)n * (size_t)n;
  }
}
