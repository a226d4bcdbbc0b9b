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
static const double STABLE_PIVOT_SHARE = 1e-7;

enum { FIRST_REFRESH_PERIOD = 50 }; // The tableau is computed again after this many pivots and N more.

// The path and its storage.
typedef struct Lemke {
  hfiReduction r;
  hfiTableau t;           // (N x (N + 1)): columns y and y0, then the constant
  signed char* role;      // (2 N + 1)
  int32_t* tied;          // (N)
  double* y;              // (N)
  int* is_basic;          // (N)
  int32_t since_refresh;  // pivots since the tableau was computed from the data
  int32_t refresh_period; // pivots after which it is computed again
} Lemke;

// Takes storage for n rows; the standard problem has at most 2 n unknowns.
static Lemke take_lemke(hfiArena* arena, int32_t n) {
  Lemke lemke = {0};
  int32_t N = 2 * n;
  lemke.r = hfi_reduction_take(arena, n);
  lemke.t = hfi_tableau_take(arena, N, N + 1);
  lemke.role = HFI_TAKE(arena, signed char, 2 * N + 1);
  lemke.tied = HFI_TAKE(arena, int32_t, N);
  lemke.y = HFI_TAKE(arena, double, N);
  lemke.is_basic = HFI_TAKE(arena, int, N);
  return lemke;
}

// Writes the tableau of the starting basis: every v basic, every y and y0 nonbasic.
static void fill_tableau(Lemke* lemke) {
  int32_t N = lemke->r.size;
  lemke->t.nrow = N;
  lemke->t.ncol = N + 1;
  hfi_tableau_reset(&lemke->t);

  for (int32_t k = 0; k < N; ++k) {
    double* row = hfi_tableau_row(&lemke->t, k);
    for (int32_t l = 0; l < N; ++l) row[l] = lemke->r.M[(size_t)k * (size_t)N + (size_t)l];
    row[N] = lemke->r.cover[k];
    row[N + 1] = lemke->r.q[k];
  }

  lemke->since_refresh = 0;
}

// Computes the tableau of the present basis from the data again. Returns 0 if the basis is
// singular to working precision.
static int refresh_tableau(Lemke* lemke) {
  int32_t N = lemke->r.size;
  for (int32_t id = 0; id < 2 * N + 1; ++id)
    lemke->role[id] = hfi_is_basic(&lemke->t, id) ? HFI_ENTERS : HFI_LEAVES;
  fill_tableau(lemke);
  return hfi_tableau_move(&lemke->t, lemke->role, 0) == 0;
}

// Coefficient of e^(j+1) in the value of `row`. It is 1 if v_j is the basic variable of the row, and 0 if v_j is that
// of another row. Otherwise it is minus the entry in the column of v_j.
static double perturbation(const hfiTableau* tableau, int32_t row, int32_t j) {
  if (hfi_is_basic(tableau, j)) return hfi_row_of(tableau, j) == row ? 1 : 0;
  return -hfi_tableau_row(tableau, row)[hfi_col_of(tableau, j)];
}

// Returns the lexicographically smallest of the `count` tied rows, each divided by its rate of decrease.
// Shortens lemke->tied on the way.
static int32_t break_ties(const Lemke* lemke, int32_t col, int32_t count) {
  const hfiTableau* tableau = &lemke->t;
  int32_t* tied = lemke->tied;

  // component by component of the perturbation
  for (int32_t j = 0; j < tableau->nrow && count > 1; ++j) {
    double least = INFINITY;
    for (int32_t i = 0; i < count; ++i)
      least = fmin(least, perturbation(tableau, tied[i], j) / -hfi_tableau_row(tableau, tied[i])[col]);

    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
      double ratio = perturbation(tableau, tied[i], j) / -hfi_tableau_row(tableau, tied[i])[col];
      if (ratio <= least + TIE_TOLERANCE * fmax(1, fabs(least))) tied[kept++] = tied[i];
    }
    count = kept;
  }
  return tied[0];
}

// Lists in lemke->tied the rows that reach zero first as the variable of `col` grows, without pivots that are too
// small. Returns their number; 0 means a ray. row[col] is the rate of a basic variable, row[ncol] its value.
static int32_t list_blocking(Lemke* lemke, int32_t col) {
  const hfiTableau* tableau = &lemke->t;

  // a rate above the noise
  double fastest = 1;
  for (int32_t i = 0; i < tableau->nrow; ++i) fastest = fmax(fastest, fabs(hfi_tableau_row(tableau, i)[col]));
  double rate_min = fmax(RATE_TOLERANCE * fastest, lemke->r.noise);

  // the longest step
  double step = INFINITY;
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    const double* row = hfi_tableau_row(tableau, i);
    if (row[col] < -rate_min) step = fmin(step, fmax(row[tableau->ncol], 0) / -row[col]);
  }

  // the rows that are zero after it
  int32_t count = 0;
  double steepest = 0;
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    const double* row = hfi_tableau_row(tableau, i);
    if (!(row[col] < -rate_min)) continue;
    if (fmax(row[tableau->ncol], 0) + step * row[col] > TIE_TOLERANCE) continue;
    lemke->tied[count++] = i;
    steepest = fmax(steepest, -row[col]);
  }

  // those of them with a pivot that is large enough
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i) {
    double pivot = -hfi_tableau_row(tableau, lemke->tied[i])[col];
    if (pivot >= STABLE_PIVOT_SHARE * steepest) lemke->tied[kept++] = lemke->tied[i];
  }
  return kept;
}

// Returns the row that leaves the basis; the row of y0 if it is among the ties. -1: there is none, which means a ray.
static int32_t find_leaving_row(Lemke* lemke, int32_t col) {
  int32_t count = list_blocking(lemke, col);
  int32_t artificial = 2 * lemke->r.size;
  for (int32_t i = 0; i < count; ++i)
    if (lemke->t.row_var[lemke->tied[i]] == artificial) return lemke->tied[i];
  return count > 0 ? break_ties(lemke, col, count) : -1;
}

// Returns the row that needs the largest y0, -1 if none needs it. The last among equals is the
// lexicographic choice.
static int32_t find_first_row(const Lemke* lemke) {
  int32_t worst = -1;
  double least = -TIE_TOLERANCE;
  for (int32_t k = 0; k < lemke->r.size; ++k) {
    if (lemke->r.q[k] >= 0) continue; // Rows with cover 0 have q >= 0.

    double ratio = lemke->r.q[k] / lemke->r.cover[k];
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
static int artificial_is_zero(const Lemke* lemke) {
  int32_t artificial = 2 * lemke->r.size;
  if (!hfi_is_basic(&lemke->t, artificial)) return 1;
  return hfi_tableau_row(&lemke->t, hfi_row_of(&lemke->t, artificial))[lemke->t.ncol] <= TIE_TOLERANCE;
}

// Makes steps 1 to 3 and counts the pivots. Returns HF_OK, HF_NO_SOLUTION after a ray, or HF_NOT_CONVERGED.
static hfStatus follow_path(Lemke* lemke, int32_t max_pivots, int32_t* pivots) {
  int32_t N = lemke->r.size;
  int32_t row = find_first_row(lemke);
  int32_t entering = 2 * N; // y0
  if (row < 0) return HF_OK; // q >= 0: y = 0 is a solution

  while (*pivots < max_pivots) {
    // exchange
    // `row` leaves, `entering` takes its place
    int32_t leaving = lemke->t.row_var[row];
    hfi_tableau_exchange(&lemke->t, row, hfi_col_of(&lemke->t, entering));
    ++*pivots;

    ++lemke->since_refresh;
    if (lemke->since_refresh >= lemke->refresh_period && !refresh_tableau(lemke)) return HF_NOT_CONVERGED;

    if (artificial_is_zero(lemke)) return HF_OK;

    // a ray counts only if a fresh tableau shows it too
    entering = complement(leaving, N);
    row = find_leaving_row(lemke, hfi_col_of(&lemke->t, entering));
    if (row < 0 && lemke->since_refresh > 0) {
      if (!refresh_tableau(lemke)) return HF_NOT_CONVERGED;
      row = find_leaving_row(lemke, hfi_col_of(&lemke->t, entering));
    }
    if (row < 0) return HF_NO_SOLUTION;
  }
  return HF_NOT_CONVERGED;
}

// Reads y, and which y are basic.
static void read_solution(Lemke* lemke) {
  int32_t N = lemke->r.size;
  for (int32_t k = 0; k < N; ++k) {
    lemke->is_basic[k] = hfi_is_basic(&lemke->t, N + k);
    double* row = lemke->is_basic[k] ? hfi_tableau_row(&lemke->t, hfi_row_of(&lemke->t, N + k)) : NULL;
    lemke->y[k] = row ? fmax(0, row[N + 1]) : 0;
  }
}

// Solves a problem: writes z (n), mode (n) and the number of pivots. cover (n) may be NULL.
hfStatus hfi_lemke_solve(const hfiLcp* problem, const double* cover, int32_t max_pivots, double* z,
                         unsigned char* mode, int32_t* pivots, hfiArena* scratch) {
  Lemke lemke = take_lemke(scratch, problem->n);
  if (!scratch->base) return HF_OK; // The call only planned the scratch.

  *pivots = 0;
  hfi_reduce(problem, cover, &lemke.r);
  lemke.refresh_period = FIRST_REFRESH_PERIOD + lemke.r.size;
  fill_tableau(&lemke);
  hfStatus status = follow_path(&lemke, max_pivots, pivots);

  read_solution(&lemke);
  hfi_reduction_recover(problem, &lemke.r, lemke.y, lemke.is_basic, z, mode);
  return status;
}
