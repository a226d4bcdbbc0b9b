// Lemke's complementary pivoting with the lexicographic rule (Lemke 1965; Cottle, Pang, Stone,
// The Linear Complementarity Problem, algorithm 4.4.5 and section 4.9).
//
//   v = M y + d y0 + q,   v, y, y0 >= 0,   v_k y_k = 0
//
// The artificial y0 enters first and takes the most negative row out; then the complement of what left
// last enters, until y0 leaves (a solution) or nothing blocks (a secondary ray). Ties are broken as if
// q were q + (e, e^2, ...), e -> 0: no basis can repeat, so the path is finite, and a pivot limit bounds
// it in practice. For copositive-plus M a ray proves that no solution exists.
//
//   d   covering vector, > 0 where q may be negative      y0   artificial variable
//   ids of the tableau: v_k = k, y_k = N + k, y0 = 2 N
//
// Rounding: the tableau is rebuilt from M and the basis after every `refresh_period` pivots and before a
// ray is believed.
#include "lcp/problem.h"
#include "lcp/reduce.h"
#include "lcp/tableau.h"

#include <math.h>

// On data of order one. A row moves when its rate exceeds 1e-11 of the largest rate, of 1 and of a few eps
// of the largest entry that eliminating the free variables met: smaller ones are what n = 100 updates leave
// of an exact zero. Two rows tie when both reach zero within 1e-12, and y0 at that value is zero.
static const double rate_tolerance = 1e-11;
static const double tie_tolerance = 1e-12;
static const double stable_share = 1e-7; // of the largest pivot among ties: smaller ones lose digits

typedef struct Lemke {
  hfiReduction r;
  hfiTableau t;      // (N x (N + 1)) and the constant
  signed char* role; // (2 N + 1)
  int32_t* tied;     // (N)
  double* y;         // (N)
  bool* is_basic;    // (N)
  int32_t since_refresh, refresh_period;
} Lemke;

static Lemke take_lemke(hfiArena* arena, int32_t n) {
  Lemke L = {0};
  int32_t N = 2 * n;
  L.r = hfi_reduction_take(arena, n);
  L.t = hfi_tableau_take(arena, N, N + 1);
  L.role = HFI_TAKE(arena, signed char, 2 * N + 1);
  L.tied = HFI_TAKE(arena, int32_t, N);
  L.y = HFI_TAKE(arena, double, N);
  L.is_basic = HFI_TAKE(arena, bool, N);
  return L;
}

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

// The same basis, from the data again. False: it is singular to working precision.
static bool refresh_tableau(Lemke* L) {
  int32_t N = L->r.size;
  for (int32_t id = 0; id < 2 * N + 1; ++id)
    L->role[id] = hfi_is_basic(&L->t, id) ? HFI_ENTERS : HFI_LEAVES;
  fill_tableau(L);
  return hfi_tableau_move(&L->t, L->role, 0) == 0;
}

// Coefficient of e^(j+1) in the value of `row`: +1 where v_j is basic, else minus its column.
static double perturbation(const hfiTableau* t, int32_t row, int32_t j) {
  if (hfi_is_basic(t, j)) return hfi_row_of(t, j) == row ? 1 : 0;
  return -hfi_tableau_row(t, row)[hfi_col_of(t, j)];
}

// The lexicographically smallest of the tied rows, each over its rate of decrease.
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
      if (ratio <= least + tie_tolerance * fmax(1, fabs(least))) tied[kept++] = tied[i];
    }
    count = kept;
  }
  return tied[0];
}

// Rows that reach zero together with the first one as the variable of `col` grows; 0: a ray.
static int32_t list_blocking(Lemke* L, int32_t col) {
  const hfiTableau* t = &L->t;
  double fastest = 1, step = INFINITY, steepest = 0;
  for (int32_t i = 0; i < t->nrow; ++i) fastest = fmax(fastest, fabs(hfi_tableau_row(t, i)[col]));
  double rate_min = fmax(rate_tolerance * fastest, L->r.noise);
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    if (row[col] < -rate_min) step = fmin(step, fmax(row[t->ncol], 0) / -row[col]);
  }
  int32_t count = 0;
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    if (!(row[col] < -rate_min)) continue;
    if (fmax(row[t->ncol], 0) + step * row[col] > tie_tolerance) continue;
    L->tied[count++] = i;
    steepest = fmax(steepest, -row[col]);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i)
    if (-hfi_tableau_row(t, L->tied[i])[col] >= stable_share * steepest) L->tied[kept++] = L->tied[i];
  return kept;
}

// Row to leave, y0 first among ties; -1: a ray.
static int32_t find_leaving_row(Lemke* L, int32_t col) {
  int32_t count = list_blocking(L, col), artificial = 2 * L->r.size;
  for (int32_t i = 0; i < count; ++i)
    if (L->t.row_var[L->tied[i]] == artificial) return L->tied[i];
  return count > 0 ? break_ties(L, col, count) : -1;
}

// The row that y0 must lift furthest; the last among equals is the lexicographic choice.
static int32_t find_first_row(const Lemke* L) {
  int32_t worst = -1;
  double least = -tie_tolerance;
  for (int32_t k = 0; k < L->r.size; ++k) {
    if (L->r.q[k] >= 0) continue; // the rows without cover are among these
    double ratio = L->r.q[k] / L->r.cover[k];
    if (ratio <= least) least = ratio, worst = k;
  }
  return worst;
}

static int32_t complement(int32_t id, int32_t N) { return id < N ? id + N : id - N; }

static bool artificial_is_zero(const Lemke* L) {
  int32_t artificial = 2 * L->r.size;
  if (!hfi_is_basic(&L->t, artificial)) return true;
  return hfi_tableau_row(&L->t, hfi_row_of(&L->t, artificial))[L->t.ncol] <= tie_tolerance;
}

static hfStatus follow_path(Lemke* L, int32_t max_pivots, int32_t* pivots) {
  int32_t N = L->r.size, row = find_first_row(L), entering = 2 * N;
  if (row < 0) return HF_OK;
  while (*pivots < max_pivots) {
    int32_t leaving = L->t.row_var[row];
    hfi_tableau_exchange(&L->t, row, hfi_col_of(&L->t, entering));
    ++*pivots;
    if (++L->since_refresh >= L->refresh_period && !refresh_tableau(L)) return HF_NOT_CONVERGED;
    if (artificial_is_zero(L)) return HF_OK;
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
  if (!scratch->base) return HF_OK;
  *pivots = 0;
  hfi_reduce(p, cover, &L.r);
  L.refresh_period = 50 + L.r.size;
  fill_tableau(&L);
  hfStatus status = follow_path(&L, max_pivots, pivots);
  read_solution(&L);
  hfi_reduction_recover(p, &L.r, L.y, L.is_basic, z, mode);
  return status;
}
