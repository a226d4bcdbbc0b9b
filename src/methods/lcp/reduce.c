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

hfiReduction hfi_reduction_take(hfiArena* arena, int32_t n) {
  hfiReduction r = {0};
  size_t N = 2 * (size_t)n;
  r.M = HFI_TAKE(arena, double, N * N);
  r.q = HFI_TAKE(arena, double, N);
  r.cover = HFI_TAKE(arena, double, N);
  r.unknown = HFI_TAKE(arena, hfiUnknown, N);
  r.t = hfi_tableau_take(arena, n, n);
  r.rest = HFI_TAKE(arena, double, n);
  r.role = HFI_TAKE(arena, signed char, N);
  return r;
}

static int is_free(const hfiLcp* p, int32_t i) { return p->lo[i] == -INFINITY && p->hi[i] == INFINITY; }
static int is_fixed(const hfiLcp* p, int32_t i) { return p->lo[i] == p->hi[i]; }
static int is_boxed(const hfiLcp* p, int32_t i) { return isfinite(p->lo[i]) && isfinite(p->hi[i]); }

// Writes the tableau of w = A z + b and exchanges the free variables into its basis. Sets rest and noise.
static void exchange_free(const hfiLcp* p, hfiReduction* r) {
  hfi_tableau_reset(&r->t);
  for (int32_t i = 0; i < p->n; ++i) {
    double* row = hfi_tableau_row(&r->t, i);
    for (int32_t j = 0; j < p->n; ++j) row[j] = p->A[(size_t)i * (size_t)p->n + (size_t)j];
    row[p->n] = p->b[i];

    r->rest[i] = hfi_lcp_rest(p, i);
    r->role[i] = is_free(p, i) ? HFI_LEAVES : HFI_STAYS;
    r->role[p->n + i] = is_free(p, i) ? HFI_ENTERS : HFI_STAYS;
  }

  hfi_tableau_move(&r->t, r->role, FREE_PIVOT_TOLERANCE);
  r->noise = NOISE_SHARE * hfi_tableau_largest(&r->t);
}

// Appends an unknown and returns its number.
static int32_t add_unknown(hfiReduction* r, hfiUnknown u) {
  r->unknown[r->size] = u;
  return r->size++;
}

// Lists the unknowns of one-sided and boxed variables.
static void list_offsets(const hfiLcp* p, hfiReduction* r) {
  for (int32_t i = 0; i < p->n; ++i) {
    if (is_free(p, i) || is_fixed(p, i)) continue;
    hfiUnknown u = {i, hfi_row_of(&r->t, i), hfi_col_of(&r->t, p->n + i), -1, 1};
    if (r->rest[i] == p->hi[i]) u.sign = -1;
    int32_t k = add_unknown(r, u);
    if (is_boxed(p, i)) {
      u.partner = k;
      add_unknown(r, u);
    }
  }
}

// Lists the unknowns y+ and y- of free variables that no pivot could bring into the basis. Any free
// row that is left over goes with each.
static void list_splits(const hfiLcp* p, hfiReduction* r) {
  int32_t next = 0;
  for (int32_t j = 0; j < p->n; ++j) {
    int32_t id = r->t.col_var[j];
    if (id < p->n || !is_free(p, id - p->n)) continue;
    while (r->t.row_var[next] >= p->n || !is_free(p, r->t.row_var[next])) ++next;
    hfiUnknown u = {id - p->n, next++, j, -1, 1};
    add_unknown(r, u);
    u.sign = -1;
    add_unknown(r, u);
  }
}

// Returns the value of row `row` at y = 0: every nonbasic z is at rest, and an exchanged w is zero.
static double row_at_rest(const hfiReduction* r, int32_t row) {
  const double* T = hfi_tableau_row(&r->t, row);
  int32_t n = r->t.ncol;
  double sum = T[n];
  for (int32_t j = 0; j < n; ++j)
    if (r->t.col_var[j] >= n) sum += T[j] * r->rest[r->t.col_var[j] - n];
  return sum;
}

// Writes row k of M, q and cover.
static void fill_row(const hfiLcp* p, const double* cover, hfiReduction* r, int32_t k) {
  const hfiUnknown* u = &r->unknown[k];
  double* M = r->M + (size_t)k * (size_t)r->size;

  // the row of a room unknown: v_u = (hi - lo) - y
  if (u->partner >= 0) {
    for (int32_t l = 0; l < r->size; ++l) M[l] = l == u->partner ? -1 : 0;
    r->q[k] = p->hi[u->variable] - p->lo[u->variable];
    r->cover[k] = 0; // q >= 0 here; without cover a box that is compact admits no secondary ray.
    return;
  }

  for (int32_t l = 0; l < r->size; ++l) {
    const hfiUnknown* v = &r->unknown[l];
    if (v->partner >= 0)
      M[l] = v->partner == k ? 1 : 0;
    else
      M[l] = u->sign * hfi_tableau_row(&r->t, u->row)[v->col] * v->sign;
  }
  r->q[k] = u->sign * row_at_rest(r, u->row);
  r->cover[k] = cover ? cover[r->t.row_var[u->row]] : 1;
}

void hfi_reduce(const hfiLcp* p, const double* cover, hfiReduction* r) {
  exchange_free(p, r);
  r->size = 0;
  list_offsets(p, r);
  list_splits(p, r);
  for (int32_t k = 0; k < r->size; ++k) fill_row(p, cover, r, k);
}

// Writes z and mode of all variables but the free ones in the basis.
static void recover_bounded(const hfiLcp* p, const hfiReduction* r, const double* y,
                            const int* is_basic, double* z, unsigned char* mode) {
  for (int32_t i = 0; i < p->n; ++i) {
    z[i] = r->rest[i];
    mode[i] = is_free(p, i) ? HFI_BASIC : HFI_AT_LO;
  }

  for (int32_t k = 0; k < r->size; ++k) {
    const hfiUnknown* u = &r->unknown[k];
    int32_t i = u->variable;

    // A room unknown in the basis has v_u = 0: z_i is at its far bound.
    if (u->partner >= 0) {
      if (is_basic[k]) {
        mode[i] = u->sign > 0 ? HFI_AT_HI : HFI_AT_LO;
        z[i] = u->sign > 0 ? p->hi[i] : p->lo[i];
      }
      continue;
    }

    z[i] += u->sign * y[k];
    if (is_free(p, i)) continue;
    if (is_basic[k])
      mode[i] = HFI_BASIC;
    else
      mode[i] = u->sign > 0 ? HFI_AT_LO : HFI_AT_HI;
    z[i] = hfi_clamp(z[i], p->lo[i], p->hi[i]);
  }
}

void hfi_reduction_recover(const hfiLcp* p, const hfiReduction* r, const double* y,
                           const int* is_basic, double* z, unsigned char* mode) {
  int32_t n = p->n;
  recover_bounded(p, r, y, is_basic, z, mode);

  // Free variables follow from the variables that are known now.
  for (int32_t row = 0; row < n; ++row) {
    int32_t id = r->t.row_var[row];
    if (id < n) continue;
    const double* T = hfi_tableau_row(&r->t, row);
    double sum = T[n];
    for (int32_t j = 0; j < n; ++j)
      if (r->t.col_var[j] >= n) sum += T[j] * z[r->t.col_var[j] - n];
    z[id - n] = sum;
  }
}
