// Lemke's complementary pivoting with the lexicographic rule (Lemke 1965; Cottle, Pang, Stone,
// The Linear Complementarity Problem, algorithm 4.4.5 and section 4.9), for the standard problem
//
//   v = M y + d y0 + q,   v, y, y0 >= 0,   v_k y_k = 0
//
//   y, v   unknowns and slacks of the standard problem (reduce.c), N of each
//   y0     artificial variable          d   covering vector, > 0 where q may be negative
//   ids of the tableau: v_k = k, y_k = N + k, y0 = 2 N
//
// 1. y0 enters the basis, as large as the most negative row needs, and that row leaves.
// 2. The complement of the variable that left last enters. While it grows, the basic variable that
//    reaches zero first leaves.
// 3. Repeat step 2. If y0 leaves, a solution is found. If no basic variable falls, the path ends in
//    a secondary ray; for copositive-plus M a ray proves that no solution exists.
//
// Ties in step 2 are broken as if q were q + (e, e^2, ...) with e -> 0. Then no basis can repeat,
// and the path is finite; a limit on pivots bounds it in practice.
//
// Rounding: the tableau is computed again from M and the basis after every `refresh_period` pivots,
// and before a ray is believed.
#include "methods/lcp/problem.h"
#include "methods/lcp/reduce.h"
#include "methods/lcp/tableau.h"

#include <math.h>

// Data are of order one, so that these numbers need no scale. A basic variable counts as constant
// if its rate is below this share of the largest rate, or of 1 [-]: about 100 updates leave as much
// of an exact zero.
static const double RATE_TOLERANCE = 1e-11;
// Two basic variables tie if both come within this distance of zero; y0 below it is zero [-].
static const double TIE_TOLERANCE = 1e-12;
// Among ties, pivots below this share of the largest are left out because they lose digits [-].
static const double STABLE_SHARE = 1e-7;

typedef struct Lemke {
  hfiReduction r;
  hfiTableau t;      // (N x (N + 1)): columns y and y0, then the constant
  signed char* role; // (2 N + 1)
  int32_t* tied;     // (N)
  double* y;         // (N)
  int* is_basic;    // (N)
  int32_t since_refresh, refresh_period;
} Lemke;

// Takes storage for n rows; the standard problem has at most 2 n unknowns.
static Lemke take_lemke(hfiArena* arena, int32_t n) {
  Lemke L = {0};
  int32_t N = 2 * n;
  L.r = hfi_reduction_take(arena, n);
  L.t = hfi_tableau_take(arena, N, N + 1);
  L.role = HFI_TAKE(arena, signed char, 2 * N + 1);
  L.tied = HFI_TAKE(arena, int32_t, N);
  L.y = HFI_TAKE(arena, double, N);
  L.is_basic = HFI_TAKE(arena, int, N);
  return L;
}

// Writes the tableau of the starting basis: every v basic, every y and y0 nonbasic.
static void fill_tableau(Lemke* L) {
  int32_t N = L->r.size;
  L->t.nrow = N;
  L->t.ncol = N + 1;
  hfi_tableau_reset(&L->t);
  for (int32_t k = 0; k < N; ++k) {
    double* row = hfi_tableau_row(&L->t, k);
    for (int32_t l = 0; l < N; ++l) row[l] = L->r.M[(size_t)k * (size_t)N + (size_t)l];
    row[N] = L->r.cover[k];
    row[N + 1] = L->r.q[k];
  }
  L->since_refresh = 0;
}

// Computes the tableau of the present basis from the data again. Returns 0 if the basis is
// singular to working precision.
static int refresh_tableau(Lemke* L) {
  int32_t N = L->r.size;
  for (int32_t id = 0; id < 2 * N + 1; ++id)
    L->role[id] = hfi_is_basic(&L->t, id) ? HFI_ENTERS : HFI_LEAVES;
  fill_tableau(L);
  return hfi_tableau_move(&L->t, L->role, 0) == 0;
}

// Coefficient of e^(j+1) in the value of `row`: +1 if v_j is the basic variable of the row, 0 if it
// is that of another row, else minus the entry in the column of v_j.
static double perturbation(const hfiTableau* t, int32_t row, int32_t j) {
  if (hfi_is_basic(t, j)) return hfi_row_of(t, j) == row ? 1 : 0;
  return -hfi_tableau_row(t, row)[hfi_col_of(t, j)];
}

// Returns the lexicographically smallest of the `count` tied rows, each divided by its rate of decrease.
// Shortens L->tied on the way.
static int32_t break_ties(const Lemke* L, int32_t col, int32_t count) {
  const hfiTableau* t = &L->t;
  int32_t* tied = L->tied;

  for (int32_t j = 0; j < t->nrow && count > 1; ++j) {
    double least = INFINITY;
    for (int32_t i = 0; i < count; ++i)
      least = fmin(least, perturbation(t, tied[i], j) / -hfi_tableau_row(t, tied[i])[col]);

    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
      double ratio = perturbation(t, tied[i], j) / -hfi_tableau_row(t, tied[i])[col];
      if (ratio <= least + TIE_TOLERANCE * fmax(1, fabs(least))) tied[kept++] = tied[i];
    }
    count = kept;
  }
  return tied[0];
}

// Lists in L->tied the rows that reach zero first as the variable of `col` grows.
// Returns their number; 0 means a ray.
static int32_t list_blocking(Lemke* L, int32_t col) {
  const hfiTableau* t = &L->t;

  // a rate above the noise
  double fastest = 1;
  for (int32_t i = 0; i < t->nrow; ++i) fastest = fmax(fastest, fabs(hfi_tableau_row(t, i)[col]));
  double rate_min = fmax(RATE_TOLERANCE * fastest, L->r.noise);

  // the longest step
  double step = INFINITY;
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    if (row[col] < -rate_min) step = fmin(step, fmax(row[t->ncol], 0) / -row[col]);
  }

  // the rows that are zero after it
  int32_t count = 0;
  double steepest = 0;
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    if (!(row[col] < -rate_min)) continue;
    if (fmax(row[t->ncol], 0) + step * row[col] > TIE_TOLERANCE) continue;
    L->tied[count++] = i;
    steepest = fmax(steepest, -row[col]);
  }

  // those of them with a pivot that is large enough
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i)
    if (-hfi_tableau_row(t, L->tied[i])[col] >= STABLE_SHARE * steepest) L->tied[kept++] = L->tied[i];
  return kept;
}

// Returns the row that leaves the basis; the row of y0 if it is among the ties. -1: there is none, which means a ray.
static int32_t find_leaving_row(Lemke* L, int32_t col) {
  int32_t count = list_blocking(L, col);
  int32_t artificial = 2 * L->r.size;
  for (int32_t i = 0; i < count; ++i)
    if (L->t.row_var[L->tied[i]] == artificial) return L->tied[i];
  return count > 0 ? break_ties(L, col, count) : -1;
}

// Returns the row that needs the largest y0, -1 if none needs it. The last among equals is the
// lexicographic choice.
static int32_t find_first_row(const Lemke* L) {
  int32_t worst = -1;
  double least = -TIE_TOLERANCE;
  for (int32_t k = 0; k < L->r.size; ++k) {
    if (L->r.q[k] >= 0) continue; // Rows with cover 0 have q >= 0.
    double ratio = L->r.q[k] / L->r.cover[k];
    if (ratio <= least) {
      least = ratio;
      worst = k;
    }
  }
  return worst;
}

// Returns the id of the other variable of the pair v_k, y_k.
static int32_t complement(int32_t id, int32_t N) { return id < N ? id + N : id - N; }

// Is y0 zero, in the basis or outside of it?
static int artificial_is_zero(const Lemke* L) {
  int32_t artificial = 2 * L->r.size;
  if (!hfi_is_basic(&L->t, artificial)) return 1;
  return hfi_tableau_row(&L->t, hfi_row_of(&L->t, artificial))[L->t.ncol] <= TIE_TOLERANCE;
}

// Makes steps 1 to 3 and counts the pivots. Returns HF_OK, HF_NO_SOLUTION after a ray, or HF_NOT_CONVERGED.
static hfStatus follow_path(Lemke* L, int32_t max_pivots, int32_t* pivots) {
  int32_t N = L->r.size;
  int32_t row = find_first_row(L);
  int32_t entering = 2 * N;
  if (row < 0) return HF_OK;

  while (*pivots < max_pivots) {
    int32_t leaving = L->t.row_var[row];
    hfi_tableau_exchange(&L->t, row, hfi_col_of(&L->t, entering));
    ++*pivots;
    ++L->since_refresh;
    if (L->since_refresh >= L->refresh_period && !refresh_tableau(L)) return HF_NOT_CONVERGED;
    if (artificial_is_zero(L)) return HF_OK;

    // a ray counts only if a fresh tableau shows it too
    entering = complement(leaving, N);
    row = find_leaving_row(L, hfi_col_of(&L->t, entering));
    if (row < 0 && L->since_refresh > 0) {
      if (!refresh_tableau(L)) return HF_NOT_CONVERGED;
      row = find_leaving_row(L, hfi_col_of(&L->t, entering));
    }
    if (row < 0) return HF_NO_SOLUTION;
  }
  return HF_NOT_CONVERGED;
}

// Reads y, and which y are basic.
static void read_solution(Lemke* L) {
  int32_t N = L->r.size;
  for (int32_t k = 0; k < N; ++k) {
    L->is_basic[k] = hfi_is_basic(&L->t, N + k);
    L->y[k] = L->is_basic[k] ? fmax(0, hfi_tableau_row(&L->t, hfi_row_of(&L->t, N + k))[N + 1]) : 0;
  }
}

hfStatus hfi_lemke_solve(const hfiLcp* p, const double* cover, int32_t max_pivots, double* z,
                         unsigned char* mode, int32_t* pivots, hfiArena* scratch) {
  Lemke L = take_lemke(scratch, p->n);
  if (!scratch->base) return HF_OK; // The call only planned the scratch.

  *pivots = 0;
  hfi_reduce(p, cover, &L.r);
  L.refresh_period = 50 + L.r.size;
  fill_tableau(&L);
  hfStatus status = follow_path(&L, max_pivots, pivots);

  read_solution(&L);
  hfi_reduction_recover(p, &L.r, L.y, L.is_basic, z, mode);
  return status;
}
