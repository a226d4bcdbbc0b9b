// Exchange step of a dictionary  x_B = T x_N + c.
//
// Row r:  x_r = T_rs x_s + sum_{j != s} T_rj x_j + c_r.  Solved for x_s and put into the other
// rows, with p = T_rs:
//
//   T_rs' = 1/p   T_rj' = -T_rj/p   T_is' = T_is/p   T_ij' = T_ij - T_is T_rj / p
//
// and the constant column transforms as any T_.j.
#include "methods/lcp/tableau.h"
#include "linalg/dense.h"

#include <math.h>

// A pivot on the diagonal goes first if it is at least this share of the largest pivot [-].
static const double DIAGONAL_PIVOT_SHARE = 0.1;

// Takes storage.
hfiTableau hfi_tableau_take(hfiArena* arena, int32_t nrow, int32_t ncol) {
  hfiTableau t = {nrow, ncol, NULL, NULL, NULL, NULL};
  t.T = HFI_TAKE(arena, double, (size_t)nrow * (size_t)(ncol + 1));
  t.row_var = HFI_TAKE(arena, int32_t, nrow);
  t.col_var = HFI_TAKE(arena, int32_t, ncol);
  t.place = HFI_TAKE(arena, int32_t, nrow + ncol);
  return t;
}

// Sets the labels of the starting basis.
void hfi_tableau_reset(hfiTableau* tableau) {
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    tableau->row_var[i] = i;
    tableau->place[i] = i;
  }

  for (int32_t j = 0; j < tableau->ncol; ++j) {
    tableau->col_var[j] = tableau->nrow + j;
    tableau->place[tableau->nrow + j] = -1 - j;
  }
}

// Swaps the labels of the basic variable of `row` and the nonbasic one of `col`.
static void swap_labels(hfiTableau* tableau, int32_t row, int32_t col) {
  int32_t leaves = tableau->row_var[row];
  int32_t enters = tableau->col_var[col];

  tableau->row_var[row] = enters;
  tableau->col_var[col] = leaves;
  tableau->place[enters] = row;
  tableau->place[leaves] = -1 - col;
}

// Swaps the basic variable of `row` with the nonbasic one of `col`, by the formulas of the file's head.
void hfi_tableau_exchange(hfiTableau* tableau, int32_t row, int32_t col) {
  // the pivot row: T_rs' = 1/p, T_rj' = -T_rj/p
  double* pivot_row = hfi_tableau_row(tableau, row);
  double inverse = 1 / pivot_row[col];
  for (int32_t j = 0; j <= tableau->ncol; ++j) pivot_row[j] *= -inverse;
  pivot_row[col] = inverse;

  // the other rows: T_is' = T_is/p, T_ij' = T_ij + T_is T_rj'
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    double* x = hfi_tableau_row(tableau, i);
    double factor = x[col];
    if (i == row || factor == 0) continue;

    hfi_axpy(x, factor, pivot_row, tableau->ncol + 1);
    x[col] = factor * inverse;
  }

  swap_labels(tableau, row, col);
}

// Do row and column belong to one pair w_i, z_i, whose ids are i and nrow + i?
static int is_diagonal(const hfiTableau* tableau, int32_t row, int32_t col) {
  int32_t d = tableau->col_var[col] - tableau->row_var[row];
  return d == tableau->nrow || d == -tableau->nrow;
}

// Returns the largest entry in absolute value, without the constants.
double hfi_tableau_largest(const hfiTableau* tableau) {
  double lane[4] = {0, 0, 0, 0}; // Four running maxima are an order that vector units can follow.
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    const double* row = hfi_tableau_row(tableau, i);
    int32_t j = 0;
    for (; j + 4 <= tableau->ncol; j += 4)
      for (int l = 0; l < 4; ++l) lane[l] = fabs(row[j + l]) > lane[l] ? fabs(row[j + l]) : lane[l];

    // the rest of the row
    for (; j < tableau->ncol; ++j) lane[0] = fabs(row[j]) > lane[0] ? fabs(row[j]) : lane[0];
  }
  return fmax(fmax(lane[0], lane[1]), fmax(lane[2], lane[3]));
}

// An entry on which an exchange may pivot.
typedef struct Pivot {
  double size;
  int32_t row, col; // -1: none
} Pivot;

// Finds the largest eligible pivot above `least`, on the diagonal only if `diagonal` is set.
static Pivot find_pivot(const hfiTableau* tableau, const signed char* role, double least, int diagonal) {
  Pivot best = {least, -1, -1};
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    if (role[tableau->row_var[i]] != HFI_LEAVES) continue;

    for (int32_t j = 0; j < tableau->ncol; ++j) {
      double size = fabs(hfi_tableau_row(tableau, i)[j]);
      if (!(size > best.size) || role[tableau->col_var[j]] != HFI_ENTERS) continue;
      if (!diagonal || is_diagonal(tableau, i, j)) best = (Pivot){size, i, j};
    }
  }
  return best;
}

// The index i of the pair w_i, z_i to which a variable belongs.
static int32_t pair_of(const hfiTableau* tableau, int32_t id) { return id < tableau->nrow ? id : id - tableau->nrow; }

// After the exchange of w_i (`left`) against z_j (`entered`), exchanges w_j against z_i, if that pivot is at least
// a tenth of `size`.
static void exchange_mirror(hfiTableau* tableau, const signed char* role, int32_t left, int32_t entered, double size) {
  int32_t w = pair_of(tableau, entered);
  int32_t z = pair_of(tableau, left) + tableau->nrow;
  if (z >= tableau->nrow + tableau->ncol || role[w] != HFI_LEAVES || role[z] != HFI_ENTERS) return;
  if (!hfi_is_basic(tableau, w) || hfi_is_basic(tableau, z)) return;

  int32_t row = hfi_row_of(tableau, w);
  int32_t col = hfi_col_of(tableau, z);
  if (fabs(hfi_tableau_row(tableau, row)[col]) >= DIAGONAL_PIVOT_SHARE * size) hfi_tableau_exchange(tableau, row, col);
}

// Exchanges variables by their roles (role[id]), the largest pivot first. Returns the number of entering variables that
// stay nonbasic, because no pivot exceeds the tolerance.
int32_t hfi_tableau_move(hfiTableau* tableau, const signed char* role, double tolerance) {
  for (;;) {
    Pivot best = find_pivot(tableau, role, tolerance, 0);
    if (best.row < 0) break;

    // a pivot on the diagonal (w_i against z_i; the last argument asks for it), if it is large enough
    Pivot diagonal = find_pivot(tableau, role, DIAGONAL_PIVOT_SHARE * best.size, 1);
    if (diagonal.row >= 0) {
      hfi_tableau_exchange(tableau, diagonal.row, diagonal.col);
      continue;
    }

    // or the largest, with its mirror
    int32_t leaves = tableau->row_var[best.row];
    int32_t enters = tableau->col_var[best.col];
    hfi_tableau_exchange(tableau, best.row, best.col);
    exchange_mirror(tableau, role, leaves, enters, best.size);
  }

  // what is left
  int32_t remaining = 0;
  for (int32_t j = 0; j < tableau->ncol; ++j) remaining += role[tableau->col_var[j]] == HFI_ENTERS;
  return remaining;
}
