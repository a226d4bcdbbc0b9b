// Principal pivoting with bounds (Dantzig and Cottle 1967, Keller 1973; Cottle, Pang, Stone, section
// 4.2; the bounds as in Baraff 1994), for P and positive semidefinite A.
//
//   w = A z + b.  Of each pair (z_i, w_i) one is basic and the other nonbasic at a fixed value:
//     z_i at a bound, w_i basic      or      w_i at 0 (or at -+lambda, see below), z_i basic
//
// A pair is bad when w_i has the wrong sign for its bound. Each major cycle takes the worst bad pair r
// and drives z_r (or w_r) in the direction that mends w_r, all other nonbasic variables held:
//
//   w_r reaches 0, or z_r its other bound        r is good, next cycle
//   another basic variable x_j reaches its end   it leaves and its complement enters: exchange (j, j),
//                                                or, where T_jj = 0, (j, r) and (r, j), after which the
//                                                complement of the driving variable drives
//   nothing blocks                               a ray: no solution for positive semidefinite A
//
// As sum_i dz_i dw_i >= 0 for such A and every other pair has one member at rest, dz_r dw_r >= 0: z_r
// and w_r never turn back and the bad pairs only become fewer. A bad w_i may not fall below -lambda
// (rise above lambda at an upper bound), lambda > max |w| at the start: without that limit a ray would
// prove nothing. Ties go to r and then to the least index (Chang 1979). A good pair that ties and
// overshoots by rounding stays good: it blocks at once when it moves on.
#include "lcp/problem.h"
#include "lcp/tableau.h"

#include <math.h>

// On data of order one. What is left of an exact zero after n = 100 updates is below 1e-11, or below a few
// eps of the largest entry of the tableau where an ill-conditioned block has made that large.
static const double noise_floor = 1e-11;
static const double noise_share = 1e-15;
static const double pivot_share = 1e-9; // of its column: a smaller pivot costs more than half the digits
static const double tie_tolerance = 1e-12;
static const double free_pivot_tolerance = 1e-11;
static const double good_tolerance = 1e-12; // w below this share of the largest has no sign
static const double largest_step = 1e3;     // that a w of rounding size may cause
static const double lambda_share = 2;       // lambda over the largest |w|: any number above 1 will do
enum { MAX_FAILURES = 3 };                  // a failure is believed when fresh tableaus repeat it

typedef struct Dantzig {
  const hfiLcp* p;
  hfiTableau t;      // ids: w_i = i, z_i = n + i
  signed char* role; // (2 n)
  signed char* bad;  // (n) +1: w_i must grow, -1: it must fall, 0: the pair is good, and stays so
  double* value;     // (2 n) of every w and z
  double unit;       // largest |w| at the start of a round, at least the unit of the data, 1
  double lambda;
  double noise;      // entries of the tableau below it are zero
  int32_t since_refresh;
} Dantzig;

static bool z_is_basic(const Dantzig* D, int32_t i) { return hfi_is_basic(&D->t, D->p->n + i); }
static double* z_of(Dantzig* D, int32_t i) { return &D->value[D->p->n + i]; }
static double* w_of(Dantzig* D, int32_t i) { return &D->value[i]; }

// What bad[i] would be if the pair were judged now.
static signed char judge(Dantzig* D, int32_t i) {
  const hfiLcp* p = D->p;
  double w = *w_of(D, i), z = *z_of(D, i), small = good_tolerance * D->unit;
  if (p->lo[i] == p->hi[i]) return 0;
  if (w < -small && z < p->hi[i]) return 1;
  if (w > small && z > p->lo[i]) return -1;
  return 0;
}

// Bad pairs may become good on the way, good ones never bad.
static void forgive(Dantzig* D, int32_t i) {
  if (D->bad[i] != 0 && judge(D, i) != D->bad[i]) D->bad[i] = 0;
}

static void measure_noise(Dantzig* D) {
  D->noise = fmax(noise_floor, noise_share * hfi_tableau_largest(&D->t));
}

static void fill_tableau(Dantzig* D) {
  const hfiLcp* p = D->p;
  hfi_tableau_reset(&D->t);
  for (int32_t i = 0; i < p->n; ++i) {
    double* row = hfi_tableau_row(&D->t, i);
    for (int32_t j = 0; j < p->n; ++j) row[j] = p->A[(size_t)i * (size_t)p->n + (size_t)j];
    row[p->n] = p->b[i];
  }
  D->since_refresh = 0;
}

// Basic variables from the nonbasic ones.
static void compute_values(Dantzig* D) {
  const hfiTableau* t = &D->t;
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    double sum = row[t->ncol];
    for (int32_t j = 0; j < t->ncol; ++j) sum += row[j] * D->value[t->col_var[j]];
    D->value[t->row_var[i]] = sum;
  }
}

// Every pair has one basic member. Only dependent free rows of an A that is not semidefinite break it.
static bool is_paired(const Dantzig* D) {
  for (int32_t i = 0; i < D->p->n; ++i)
    if (hfi_is_basic(&D->t, i) == z_is_basic(D, i)) return false;
  return true;
}

// Every z at rest, the free ones exchanged into the basis.
static bool start(Dantzig* D) {
  const hfiLcp* p = D->p;
  fill_tableau(D);
  for (int32_t i = 0; i < p->n; ++i) {
    bool is_free = p->lo[i] == -INFINITY && p->hi[i] == INFINITY;
    D->role[i] = is_free ? HFI_LEAVES : HFI_STAYS;
    D->role[p->n + i] = is_free ? HFI_ENTERS : HFI_STAYS;
    *w_of(D, i) = 0;
    *z_of(D, i) = hfi_lcp_rest(p, i);
  }
  hfi_tableau_move(&D->t, D->role, free_pivot_tolerance);
  compute_values(D);
  return is_paired(D);
}

// The same basis, from the data again. False: it is singular to working precision.
static bool refresh(Dantzig* D) {
  for (int32_t id = 0; id < 2 * D->p->n; ++id)
    D->role[id] = hfi_is_basic(&D->t, id) ? HFI_ENTERS : HFI_LEAVES;
  fill_tableau(D);
  if (hfi_tableau_move(&D->t, D->role, 0) != 0) return false;
  compute_values(D);
  return true;
}

// The interval in which the basic variable of pair i may move.
static void find_range(Dantzig* D, int32_t i, double* least, double* most) {
  const hfiLcp* p = D->p;
  double z = *z_of(D, i), w = *w_of(D, i);
  *least = -INFINITY, *most = INFINITY;
  if (z_is_basic(D, i)) {
    // With w_i held at -+lambda the pair is good at one bound, and z_i must not leave it; a free z_i
    // must stay on the side of its start, 0, that mends w_i, as the halves y+, y- of z = y+ - y- would.
    bool is_free = p->lo[i] == -INFINITY && p->hi[i] == INFINITY;
    *least = w < 0 && is_free ? 0 : (w < 0 && z >= p->hi[i] ? p->hi[i] : p->lo[i]);
    *most = w > 0 && is_free ? 0 : (w > 0 && z <= p->lo[i] ? p->lo[i] : p->hi[i]);
  } else if (p->lo[i] < p->hi[i]) { // w_i: at least 0 below hi, at most 0 above lo, bad ones to lambda
    if (z < p->hi[i]) *least = D->bad[i] > 0 ? -D->lambda : 0;
    if (z > p->lo[i]) *most = D->bad[i] < 0 ? D->lambda : 0;
  }
}

// Where the driving variable is stopped, and by which pair.
typedef struct Block {
  double step;
  double end;   // value at which the blocking variable stops
  int32_t pair; // -1: nothing blocks
  bool is_z;    // the blocking variable is z of the pair, not w
} Block;

// The stop set by the basic variable of pair i, moving at `rate`.
static Block find_stop(Dantzig* D, int32_t i, double rate) {
  double least, most;
  find_range(D, i, &least, &most);
  double x = z_is_basic(D, i) ? *z_of(D, i) : *w_of(D, i);
  Block stop = {INFINITY, rate > 0 ? most : least, i, z_is_basic(D, i)};
  if (rate != 0) stop.step = fmax((stop.end - x) / rate, 0);
  return stop;
}

// The stop the driving pair r sets itself: w_r at zero, or z_r at a bound.
static Block find_own_stop(Dantzig* D, int32_t r, int mend, double rate) {
  const hfiLcp* p = D->p;
  Block zero = {INFINITY, 0, r, false}, bound = {INFINITY, mend > 0 ? p->hi[r] : p->lo[r], r, true};
  if (z_is_basic(D, r)) { // w_r drives, z_r follows
    zero.step = fabs(*w_of(D, r));
    bound = find_stop(D, r, rate);
  } else {
    bound.step = fabs(bound.end - *z_of(D, r));
    if (mend * rate > 0) zero.step = fabs(*w_of(D, r) / rate);
  }
  return zero.step <= bound.step ? zero : bound;
}

static Block find_block(Dantzig* D, int32_t r, int32_t col, int mend) {
  const hfiTableau* t = &D->t;
  int32_t n = t->nrow;
  Block block = {INFINITY, 0, -1, false};
  for (int32_t k = 0; k <= n; ++k) { // r first, so that it wins ties
    int32_t i = k == 0 ? r : k - 1;
    if (k > 0 && i == r) continue;
    int32_t row = hfi_row_of(t, z_is_basic(D, i) ? n + i : i);
    double rate = mend * hfi_tableau_row(t, row)[col];
    if (fabs(rate) <= D->noise) rate = 0;
    Block stop = i == r ? find_own_stop(D, r, mend, rate) : find_stop(D, i, rate);
    if (stop.step < block.step - tie_tolerance * fmax(1, stop.step)) block = stop;
  }
  return block;
}

static void advance(Dantzig* D, int32_t col, double change) {
  const hfiTableau* t = &D->t;
  D->value[t->col_var[col]] += change;
  for (int32_t i = 0; i < t->nrow; ++i) D->value[t->row_var[i]] += change * hfi_tableau_row(t, i)[col];
  for (int32_t i = 0; i < t->nrow; ++i) forgive(D, i);
}

static double entry(const Dantzig* D, int32_t basic, int32_t nonbasic) {
  return hfi_tableau_row(&D->t, hfi_row_of(&D->t, basic))[hfi_col_of(&D->t, nonbasic)];
}

static double largest_in_column(const Dantzig* D, int32_t nonbasic) {
  double largest = 0;
  for (int32_t i = 0; i < D->t.nrow; ++i)
    largest = fmax(largest, fabs(hfi_tableau_row(&D->t, i)[hfi_col_of(&D->t, nonbasic)]));
  return largest;
}

// The basic variable of the blocking pair leaves at its end; its complement enters. False: no pivot.
//   single  T_jj                         double  T_jr, then T_rj - T_rr T_jj / T_jr
static bool exchange_blocking(Dantzig* D, int32_t r, Block block) {
  int32_t n = D->t.nrow, j = block.pair;
  int32_t leaves = block.is_z ? n + j : j, enters = block.is_z ? j : n + j;
  int32_t driving = z_is_basic(D, r) ? r : n + r, driven = z_is_basic(D, r) ? n + r : r;
  D->value[leaves] = block.end;
  forgive(D, j);
  double single = entry(D, leaves, enters), first = entry(D, leaves, driving);
  double second = entry(D, driven, enters) - entry(D, driven, driving) * single / first;
  double least = pivot_share * largest_in_column(D, enters);
  if (fabs(single) > least || (fabs(second) <= least && fabs(single) > D->noise)) {
    hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, leaves), hfi_col_of(&D->t, enters));
    return true;
  }
  if (fabs(second) <= D->noise) return false;
  hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, leaves), hfi_col_of(&D->t, driving));
  hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, driven), hfi_col_of(&D->t, enters));
  return true;
}

// The driving pair has stopped itself. The stopped variable becomes, or stays, the nonbasic one.
static void settle(Dantzig* D, Block block) {
  int32_t n = D->p->n, stopped = block.is_z ? n + block.pair : block.pair;
  int32_t other = block.is_z ? block.pair : n + block.pair;
  D->value[stopped] = block.end;
  forgive(D, block.pair);
  if (hfi_is_basic(&D->t, stopped))
    hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, stopped), hfi_col_of(&D->t, other));
}

// One major cycle: mends pair r.
static hfStatus mend(Dantzig* D, int32_t r, int32_t max_pivots, int32_t* pivots) {
  int32_t n = D->p->n;
  while (D->bad[r] != 0) {
    int direction = D->bad[r];
    if (*pivots >= max_pivots) return HF_NOT_CONVERGED;
    if (D->since_refresh >= 50 + n && !refresh(D)) return HF_NOT_CONVERGED;
    measure_noise(D);
    int32_t col = hfi_col_of(&D->t, z_is_basic(D, r) ? r : n + r);
    Block block = find_block(D, r, col, direction);
    if (fabs(*w_of(D, r)) <= D->noise && block.step > largest_step) { // w_r is rounding: nothing to mend
      D->bad[r] = 0;
      break;
    }
    if (block.pair < 0) return HF_NO_SOLUTION;
    advance(D, col, direction * block.step);
    ++*pivots, ++D->since_refresh;
    if (block.pair == r) settle(D, block);
    else if (!exchange_blocking(D, r, block)) return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Judges every pair afresh. Returns whether one is bad.
static bool mark_bad(Dantzig* D) {
  bool any = false;
  D->unit = 1;
  for (int32_t i = 0; i < D->p->n; ++i) D->unit = fmax(D->unit, fabs(*w_of(D, i)));
  D->lambda = lambda_share * D->unit;
  for (int32_t i = 0; i < D->p->n; ++i) {
    D->bad[i] = judge(D, i);
    any = any || D->bad[i] != 0;
  }
  return any;
}

// The bad pair with the largest |w|, -1: none. Any would do; this one takes the fewest pivots.
static int32_t find_worst(Dantzig* D) {
  int32_t worst = -1;
  for (int32_t i = 0; i < D->p->n; ++i)
    if (D->bad[i] != 0 && (worst < 0 || fabs(*w_of(D, i)) > fabs(*w_of(D, worst)))) worst = i;
  return worst;
}

static hfStatus mend_all(Dantzig* D, int32_t max_pivots, int32_t* pivots) {
  hfStatus status = HF_OK;
  for (int32_t r; status == HF_OK && (r = find_worst(D)) >= 0;) status = mend(D, r, max_pivots, pivots);
  return status;
}

static void read_solution(Dantzig* D, double* z, unsigned char* mode) {
  const hfiLcp* p = D->p;
  for (int32_t i = 0; i < p->n; ++i) {
    z[i] = hfi_clamp(*z_of(D, i), p->lo[i], p->hi[i]);
    if (z_is_basic(D, i)) mode[i] = HFI_BASIC;
    else mode[i] = z[i] == p->lo[i] ? HFI_AT_LO : (z[i] == p->hi[i] ? HFI_AT_HI : HFI_BASIC);
  }
}

hfStatus hfi_dantzig_solve(const hfiLcp* p, int32_t max_pivots, double* z, unsigned char* mode,
                           int32_t* pivots, hfiArena* scratch) {
  Dantzig D = {.p = p, .t = hfi_tableau_take(scratch, p->n, p->n)};
  D.role = HFI_TAKE(scratch, signed char, 2 * p->n);
  D.bad = HFI_TAKE(scratch, signed char, p->n);
  D.value = HFI_TAKE(scratch, double, 2 * p->n);
  if (!scratch->base) return HF_OK;
  *pivots = 0;
  hfStatus status = start(&D) ? HF_OK : HF_SINGULAR;
  // One round mends all; more follow where a fresh tableau shows that rounding has spoilt a pair.
  for (int failures = 0; status != HF_SINGULAR && failures < MAX_FAILURES && mark_bad(&D);) {
    int32_t before = *pivots;
    status = mend_all(&D, max_pivots, pivots);
    if (*pivots == before || *pivots >= max_pivots || !refresh(&D)) break;
    if (status != HF_OK) ++failures;
  }
  read_solution(&D, z, mode);
  return status;
}
