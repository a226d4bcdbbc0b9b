// Reduction of the bounded LCP to a standard one.
//
//   fixed    lo = hi              z = lo, its row is dropped
//   free     -inf, inf            w = 0: exchanged into the basis and dropped
//   one-sided                     z = lo + y, v = w   or   z = hi - y, v = -w
//   boxed    lo, hi finite        from the bound nearer to zero, and w = v - u with a room unknown u:
//                                 v_y = w + u >= 0 against y,   v_u = (hi - lo) - y >= 0 against u
//   free, but dependent           z = y+ - y-, v+ = w, v- = -w
//
//   M = [ S T S   I ]   T: the matrix after the exchange (the Schur complement of the free block),
//       [  -I     0 ]   S: the signs. The additions are skew, so a positive semidefinite A gives a
//                       positive semidefinite M. docs/theory/lcp.md shows why Lemke's method solves
//                       every problem whose bounds are all finite.
#include "methods/lcp/reduce.h"

#include <math.h>

// Free variables are dependent if their pivot is below this; entries are equilibrated to one [-].
static const double FREE_PIVOT_TOLERANCE = 1e-11;
// Entries of M below this share of the largest one are rounding: a few times the machine epsilon
// [-].
static const double NOISE_SHARE = 1e-15;

// Takes storage for problems of n rows.
hfiReduction hfi_reduction_take(hfiArena* arena, int32_t n) {
  hfiReduction reduction = {0};
  size_t N = 2 * (size_t)n;
  reduction.M = HFI_TAKE(arena, double, N * N);
  reduction.q = HFI_TAKE(arena, double, N);
  reduction.cover = HFI_TAKE(arena, double, N);
  reduction.unknown = HFI_TAKE(arena, hfiUnknown, N);
  reduction.t = hfi_tableau_take(arena, n, n);
  reduction.rest = HFI_TAKE(arena, double, n);
  reduction.role = HFI_TAKE(arena, signed char, N);
  return reduction;
}

static int is_free(const hfiLcp* problem, int32_t i) {
  return problem->lo[i] == -INFINITY && problem->hi[i] == INFINITY;
}
static int is_fixed(const hfiLcp* problem, int32_t i) { return problem->lo[i] == problem->hi[i]; }
static int is_boxed(const hfiLcp* problem, int32_t i) { return isfinite(problem->lo[i]) && isfinite(problem->hi[i]); }

// Writes the tableau of w = A z + b and exchanges the free variables into its basis. Sets rest and noise.
static void exchange_free(const hfiLcp* problem, hfiReduction* reduction) {
  hfi_tableau_reset(&reduction->t);
  for (int32_t i = 0; i < problem->n; ++i) {
    double* row = hfi_tableau_row(&reduction->t, i);
    for (int32_t j = 0; j < problem->n; ++j) row[j] = problem->A[(size_t)i * (size_t)problem->n + (size_t)j];
    row[problem->n] = problem->b[i];

    reduction->rest[i] = hfi_lcp_rest(problem, i);
    reduction->role[i] = is_free(problem, i) ? HFI_LEAVES : HFI_STAYS;
    reduction->role[problem->n + i] = is_free(problem, i) ? HFI_ENTERS : HFI_STAYS;
  }

  hfi_tableau_move(&reduction->t, reduction->role, FREE_PIVOT_TOLERANCE);
  reduction->noise = NOISE_SHARE * hfi_tableau_largest(&reduction->t);
}

// Appends an unknown and returns its number.
static int32_t add_unknown(hfiReduction* reduction, hfiUnknown u) {
  reduction->unknown[reduction->size] = u;
  return reduction->size++;
}

// Lists the unknowns of one-sided and boxed variables.
static void list_offsets(const hfiLcp* problem, hfiReduction* reduction) {
  for (int32_t i = 0; i < problem->n; ++i) {
    if (is_free(problem, i) || is_fixed(problem, i)) continue;

    hfiUnknown u = {i, hfi_row_of(&reduction->t, i), hfi_col_of(&reduction->t, problem->n + i), -1, 1};
    if (reduction->rest[i] == problem->hi[i]) u.sign = -1;

    int32_t k = add_unknown(reduction, u);
    if (is_boxed(problem, i)) {
      u.partner = k;
      add_unknown(reduction, u);
    }
  }
}

// Lists the unknowns y+ and y- of free variables that no pivot could bring into the basis. Any free
// row that is left over goes with each.
static void list_splits(const hfiLcp* problem, hfiReduction* reduction) {
  int32_t next = 0;
  for (int32_t j = 0; j < problem->n; ++j) {
    int32_t id = reduction->t.col_var[j];
    if (id < problem->n || !is_free(problem, id - problem->n)) continue;

    while (reduction->t.row_var[next] >= problem->n || !is_free(problem, reduction->t.row_var[next])) ++next;

    hfiUnknown u = {id - problem->n, next++, j, -1, 1};
    add_unknown(reduction, u);
    u.sign = -1;
    add_unknown(reduction, u);
  }
}

// Returns the value of row `row` at y = 0: every nonbasic z is at rest, and an exchanged w is zero.
static double row_at_rest(const hfiReduction* reduction, int32_t row) {
  const double* T = hfi_tableau_row(&reduction->t, row);
  int32_t n = reduction->t.ncol;
  double sum = T[n];
  for (int32_t j = 0; j < n; ++j)
    if (reduction->t.col_var[j] >= n) sum += T[j] * reduction->rest[reduction->t.col_var[j] - n];
  return sum;
}

// Writes row k of M, q and reduction->cover. cover (n): the covering vector of the caller, NULL: ones.
static void fill_row(const hfiLcp* problem, const double* cover, hfiReduction* reduction, int32_t k) {
  const hfiUnknown* unknown = &reduction->unknown[k];
  double* M = reduction->M + (size_t)k * (size_t)reduction->size;

  // the row of a room unknown: v_u = (hi - lo) - y
  if (unknown->partner >= 0) {
    for (int32_t l = 0; l < reduction->size; ++l) M[l] = l == unknown->partner ? -1 : 0;
    reduction->q[k] = problem->hi[unknown->variable] - problem->lo[unknown->variable];
    reduction->cover[k] = 0; // q >= 0 here; without cover a box that is compact admits no secondary ray.
    return;
  }

  // the row of another unknown
  for (int32_t l = 0; l < reduction->size; ++l) {
    const hfiUnknown* v = &reduction->unknown[l];
    if (v->partner >= 0) M[l] = v->partner == k ? 1 : 0;
    else M[l] = unknown->sign * hfi_tableau_row(&reduction->t, unknown->row)[v->col] * v->sign;
  }
  reduction->q[k] = unknown->sign * row_at_rest(reduction, unknown->row);
  reduction->cover[k] = cover ? cover[reduction->t.row_var[unknown->row]] : 1;
}

// Makes the standard problem of a bounded one.
void hfi_reduce(const hfiLcp* problem, const double* cover, hfiReduction* reduction) {
  exchange_free(problem, reduction);
  reduction->size = 0;
  list_offsets(problem, reduction);
  list_splits(problem, reduction);
  for (int32_t k = 0; k < reduction->size; ++k) fill_row(problem, cover, reduction, k);
}

// Writes z and mode of all variables but the free ones in the basis.
static void recover_bounded(const hfiLcp* problem, const hfiReduction* reduction, const double* y,
                            const int* is_basic, double* z, unsigned char* mode) {
  // at rest
  for (int32_t i = 0; i < problem->n; ++i) {
    z[i] = reduction->rest[i];
    mode[i] = is_free(problem, i) ? HFI_BASIC : HFI_AT_LO;
  }

  for (int32_t k = 0; k < reduction->size; ++k) {
    const hfiUnknown* unknown = &reduction->unknown[k];
    int32_t i = unknown->variable;

    // a room unknown in the basis has v_u = 0: z_i is at its far bound
    if (unknown->partner >= 0) {
      if (is_basic[k]) {
        mode[i] = unknown->sign > 0 ? HFI_AT_HI : HFI_AT_LO;
        z[i] = unknown->sign > 0 ? problem->hi[i] : problem->lo[i];
      }
      continue;
    }

    // an offset
    z[i] += unknown->sign * y[k];
    if (is_free(problem, i)) continue;

    if (is_basic[k]) mode[i] = HFI_BASIC;
    else mode[i] = unknown->sign > 0 ? HFI_AT_LO : HFI_AT_HI;
    z[i] = hfi_clamp(z[i], problem->lo[i], problem->hi[i]);
  }
}

// Computes z (n) and mode (n) from the answer y of the standard problem.
void hfi_reduction_recover(const hfiLcp* problem, const hfiReduction* reduction, const double* y,
                           const int* is_basic, double* z, unsigned char* mode) {
  int32_t n = problem->n;
  recover_bounded(problem, reduction, y, is_basic, z, mode);

  // free variables follow from the variables that are known now
  for (int32_t row = 0; row < n; ++row) {
    int32_t id = reduction->t.row_var[row];
    if (id < n) continue;

    const double* T = hfi_tableau_row(&reduction->t, row);
    double sum = T[n];
    for (int32_t j = 0; j < n; ++j)
      if (reduction->t.col_var[j] >= n) sum += T[j] * z[reduction->t.col_var[j] - n];
    z[id - n] = sum;
  }
}
