// Principal pivoting with bounds (Dantzig and Cottle 1967, Keller 1973; Cottle, Pang, Stone,
// section 4.2; the bounds as in Baraff 1994), for P and positive semidefinite A.
//
//   w = A z + b,   lo <= z <= hi
//
// Of each pair (z_i, w_i) one member is basic and the other is nonbasic at a fixed value: either
// z_i is at a bound and w_i basic, or w_i is 0 (or -lambda or lambda, see below) and z_i basic. A
// pair is bad when w_i < 0 although z_i could grow (z_i < hi), or w_i > 0 although z_i could fall.
//
// One major cycle mends the worst bad pair r. It drives z_r (or w_r) in the direction that brings
// w_r towards 0, while all other nonbasic variables stay, until one of three things happens:
//
//   1. w_r reaches 0, or z_r its other bound. Pair r is good, and the next cycle begins.
//   2. Another basic variable x_j reaches the end of its range. It leaves and its complement enters: the
//      exchange (j, j), or, where T_jj = 0, the two exchanges (j, r) and (r, j), after which the
//      complement of the driving variable drives.
//   3. Nothing blocks. This is a ray: for positive semidefinite A there is no solution.
//
// Why it ends: for such A sum_i dz_i dw_i >= 0, and of every other pair one member is at rest, so
// that dz_r dw_r >= 0: z_r and w_r never turn back, and the bad pairs only become fewer.
//
// lambda: a bad w_i may not fall below -lambda (rise above lambda at an upper bound), where lambda
// is larger than every |w| at the start. Without that limit a ray would prove nothing.
//
// Ties go to r and then to the least index (Chang 1979). The variable of a pair that loses a tie may
// pass the end of its range by rounding. A good pair stays good then; its variable blocks after a
// step of zero if it would go further.
#include "methods/lcp/problem.h"
#include "methods/lcp/tableau.h"

#include <math.h>

// Data are of order one, so that these numbers need no scale. An entry of the tableau counts as
// zero below NOISE_FLOOR, or below NOISE_SHARE of the largest entry [-]: that is what about 100
// updates leave of an exact zero.
static const double NOISE_FLOOR = 1e-11;
static const double NOISE_SHARE = 1e-15;
// A pivot below this share of its column costs more than half of the digits [-].
static const double PIVOT_SHARE = 1e-9;
// Two steps whose lengths differ by less than this are equal [-].
static const double TIE_TOLERANCE = 1e-12;
// Free variables whose pivot is below this are dependent on others [-].
static const double FREE_PIVOT_TOLERANCE = 1e-11;
// A w below this share of the largest |w| counts as zero [-].
static const double GOOD_TOLERANCE = 1e-12;
// A w of rounding size is left as it is where mending it would take a longer step than this [-].
static const double LARGEST_STEP = 1e3;
// lambda over the largest |w|; any number above 1 will do [-].
static const double LAMBDA_SHARE = 2;
enum {
  MAX_FAILURES = 3,   // A failure counts only if this many fresh tableaus repeat it.
  REFRESH_AFTER = 50, // The tableau is computed anew after this many pivots and n more.
};

typedef struct Dantzig {
  const hfiLcp* p;
  hfiTableau t;      // ids: w_i = i, z_i = n + i
  signed char* role; // (2 n) hfiRole of every w and z: scratch of hfi_tableau_move
  signed char* bad;  // (n) +1: w_i must grow, -1: it must fall, 0: the pair is good, and stays so
  double* value;     // (2 n) of every w and z
  double unit;       // largest |w| at the start of a round, at least 1, the unit of the data
  double lambda;
  double noise;      // entries of the tableau below it count as zero
  int32_t since_refresh;
} Dantzig;

static int z_is_basic(const Dantzig* D, int32_t i) { return hfi_is_basic(&D->t, D->p->n + i); }
static double* z_of(Dantzig* D, int32_t i) { return &D->value[D->p->n + i]; }
static double* w_of(Dantzig* D, int32_t i) { return &D->value[i]; }

// Returns what bad[i] would be if pair i were judged now.
static signed char judge(Dantzig* D, int32_t i) {
  const hfiLcp* p = D->p;
  double w = *w_of(D, i);
  double z = *z_of(D, i);
  double small = GOOD_TOLERANCE * D->unit;

  if (p->lo[i] == p->hi[i]) return 0;
  if (w < -small && z < p->hi[i]) return 1;
  if (w > small && z > p->lo[i]) return -1;
  return 0;
}

// Marks a bad pair as good if it has become so. A good pair never becomes bad.
static void clear_if_good(Dantzig* D, int32_t i) {
  if (D->bad[i] != 0 && judge(D, i) != D->bad[i]) D->bad[i] = 0;
}

// Writes the tableau of the starting basis: every w basic, every z nonbasic.
static void fill_tableau(Dantzig* D) {
  const hfiLcp* p = D->p;
  hfi_tableau_reset(&D->t);
  D->since_refresh = 0;

  for (int32_t i = 0; i < p->n; ++i) {
    double* row = hfi_tableau_row(&D->t, i);
    for (int32_t j = 0; j < p->n; ++j) row[j] = p->A[(size_t)i * (size_t)p->n + (size_t)j];
    row[p->n] = p->b[i];
  }
}

// Computes the values of the basic variables from those of the nonbasic ones.
static void compute_values(Dantzig* D) {
  const hfiTableau* t = &D->t;
  for (int32_t i = 0; i < t->nrow; ++i) {
    const double* row = hfi_tableau_row(t, i);
    double sum = row[t->ncol];
    for (int32_t j = 0; j < t->ncol; ++j) sum += row[j] * D->value[t->col_var[j]];
    D->value[t->row_var[i]] = sum;
  }
}

// Has every pair one basic member? Only dependent free rows of an A that is not semidefinite can
// break this.
static int is_paired(const Dantzig* D) {
  for (int32_t i = 0; i < D->p->n; ++i)
    if (hfi_is_basic(&D->t, i) == z_is_basic(D, i)) return 0;
  return 1;
}

// Puts every z at the bound nearest to zero, or at zero (hfi_lcp_rest), and exchanges the free ones into the basis.
// Returns 0 if free rows are dependent in a way that this method cannot handle.
static int start(Dantzig* D) {
  const hfiLcp* p = D->p;
  fill_tableau(D);

  for (int32_t i = 0; i < p->n; ++i) {
    int is_free = p->lo[i] == -INFINITY && p->hi[i] == INFINITY;
    D->role[i] = is_free ? HFI_LEAVES : HFI_STAYS;
    D->role[p->n + i] = is_free ? HFI_ENTERS : HFI_STAYS;
    *w_of(D, i) = 0;
    *z_of(D, i) = hfi_lcp_rest(p, i);
  }

  hfi_tableau_move(&D->t, D->role, FREE_PIVOT_TOLERANCE);
  compute_values(D);
  return is_paired(D);
}

// Computes the tableau of the present basis from the data again.
// Returns 0 if the basis is singular to working precision.
static int refresh(Dantzig* D) {
  for (int32_t id = 0; id < 2 * D->p->n; ++id)
    D->role[id] = hfi_is_basic(&D->t, id) ? HFI_ENTERS : HFI_LEAVES;
  fill_tableau(D);
  if (hfi_tableau_move(&D->t, D->role, 0) != 0) return 0;
  compute_values(D);
  return 1;
}

// Finds the interval in which the basic variable of pair i may move.
static void find_range(Dantzig* D, int32_t i, double* lower, double* upper) {
  const hfiLcp* p = D->p;
  double z = *z_of(D, i);
  double w = *w_of(D, i);
  *lower = -INFINITY;
  *upper = INFINITY;

  if (z_is_basic(D, i)) {
    // w_i is 0, or it stopped at -lambda (or lambda) while the pair was bad. In the second case the
    // pair is good only where z_i is at its upper (lower) bound: a z_i that has come there must not
    // go back. A free z_i has no such bound; there z_i must stay >= 0 (<= 0), its value at the start,
    // as if it were split into z = y+ - y- with y+, y- >= 0.
    int is_free = p->lo[i] == -INFINITY && p->hi[i] == INFINITY;
    *lower = p->lo[i];
    *upper = p->hi[i];
    if (w < 0 && (is_free || z >= p->hi[i])) *lower = is_free ? 0 : p->hi[i];
    if (w > 0 && (is_free || z <= p->lo[i])) *upper = is_free ? 0 : p->lo[i];
    return;
  }

  // w_i >= 0 below hi, w_i <= 0 above lo; lambda bounds bad ones. The w_i of a fixed z_i is free.
  if (p->lo[i] == p->hi[i]) return;
  if (z < p->hi[i]) *lower = D->bad[i] > 0 ? -D->lambda : 0;
  if (z > p->lo[i]) *upper = D->bad[i] < 0 ? D->lambda : 0;
}

// A variable that reaches the end of its range and so stops the driving variable.
typedef struct Obstacle {
  double step;  // how far the driving variable can go
  double end;   // value of the obstacle then
  int32_t pair; // its pair; -1: nothing is in the way
  int is_z;    // it is z of the pair, not w
} Obstacle;

// Returns the basic variable of pair i, which moves at `rate`, as an obstacle.
static Obstacle find_obstacle(Dantzig* D, int32_t i, double rate) {
  double lower;
  double upper;
  find_range(D, i, &lower, &upper);

  double x = z_is_basic(D, i) ? *z_of(D, i) : *w_of(D, i);
  Obstacle o = {INFINITY, rate > 0 ? upper : lower, i, z_is_basic(D, i)};
  if (rate != 0) o.step = fmax((o.end - x) / rate, 0);
  return o;
}

// Returns the driving pair r as its own obstacle: w_r at zero, or z_r at a bound.
static Obstacle find_own_obstacle(Dantzig* D, int32_t r, int direction, double rate) {
  const hfiLcp* p = D->p;
  Obstacle zero = {INFINITY, 0, r, 0};
  Obstacle bound = {INFINITY, direction > 0 ? p->hi[r] : p->lo[r], r, 1};

  if (z_is_basic(D, r)) {
    // w_r drives and z_r follows
    zero.step = fabs(*w_of(D, r));
    bound = find_obstacle(D, r, rate);
  } else {
    bound.step = fabs(bound.end - *z_of(D, r));
    if (direction * rate > 0) zero.step = fabs(*w_of(D, r) / rate);
  }
  return zero.step <= bound.step ? zero : bound;
}

// Returns the first obstacle in the way of the driving variable of pair r, which is in column `col` and moves in
// `direction` (+1 or -1).
static Obstacle find_first_obstacle(Dantzig* D, int32_t r, int32_t col, int direction) {
  const hfiTableau* t = &D->t;
  int32_t n = t->nrow;
  Obstacle first = {INFINITY, 0, -1, 0};

  // Pair r comes first, so that it wins ties.
  for (int32_t k = 0; k <= n; ++k) {
    int32_t i = k == 0 ? r : k - 1;
    if (k > 0 && i == r) continue;

    int32_t row = hfi_row_of(t, z_is_basic(D, i) ? n + i : i);
    double rate = direction * hfi_tableau_row(t, row)[col];
    if (fabs(rate) <= D->noise) rate = 0;

    Obstacle o = i == r ? find_own_obstacle(D, r, direction, rate) : find_obstacle(D, i, rate);
    if (o.step < first.step - TIE_TOLERANCE * fmax(1, o.step)) first = o;
  }
  return first;
}

// Moves the driving variable of column `col` by `change`, and the basic variables with it.
static void advance(Dantzig* D, int32_t col, double change) {
  const hfiTableau* t = &D->t;
  D->value[t->col_var[col]] += change;
  for (int32_t i = 0; i < t->nrow; ++i) D->value[t->row_var[i]] += change * hfi_tableau_row(t, i)[col];
  for (int32_t i = 0; i < t->nrow; ++i) clear_if_good(D, i);
}

// Returns the entry of the tableau in the row of a basic and the column of a nonbasic variable.
static double entry(const Dantzig* D, int32_t basic, int32_t nonbasic) {
  return hfi_tableau_row(&D->t, hfi_row_of(&D->t, basic))[hfi_col_of(&D->t, nonbasic)];
}

// The obstacle, the basic variable of another pair j, leaves the basis at the end of its range, and
// its complement enters. The pivots are
//   one exchange     T_jj
//   two exchanges    T_jr, then T_rj - T_rr T_jj / T_jr
// One is made where its pivot is large enough, or where the second of two is too small as well.
// Returns 0 if both pivots are nothing but rounding.
static int exchange_obstacle(Dantzig* D, int32_t r, Obstacle o) {
  int32_t n = D->t.nrow;
  int32_t j = o.pair;
  int32_t leaves = o.is_z ? n + j : j;
  int32_t enters = o.is_z ? j : n + j;
  int w_drives = z_is_basic(D, r);
  int32_t driving = w_drives ? r : n + r;
  int32_t driven = w_drives ? n + r : r;
  D->value[leaves] = o.end;
  clear_if_good(D, j);

  // the pivots, and the least size that one exchange may have
  double single = entry(D, leaves, enters);
  double first = entry(D, leaves, driving);
  double second = entry(D, driven, enters) - entry(D, driven, driving) * single / first;
  double largest = 0;
  for (int32_t i = 0; i < n; ++i)
    largest = fmax(largest, fabs(hfi_tableau_row(&D->t, i)[hfi_col_of(&D->t, enters)]));
  double least = PIVOT_SHARE * largest;

  if (fabs(single) > least || (fabs(second) <= least && fabs(single) > D->noise)) {
    hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, leaves), hfi_col_of(&D->t, enters));
    return 1;
  }
  if (fabs(second) <= D->noise) return 0;
  hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, leaves), hfi_col_of(&D->t, driving));
  hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, driven), hfi_col_of(&D->t, enters));
  return 1;
}

// Ends a cycle whose driving pair was its own obstacle: the variable that stopped becomes, or stays, nonbasic.
static void end_cycle(Dantzig* D, Obstacle o) {
  int32_t n = D->p->n;
  int32_t stopped = o.is_z ? n + o.pair : o.pair;
  int32_t complement = o.is_z ? o.pair : n + o.pair;
  D->value[stopped] = o.end;
  clear_if_good(D, o.pair);
  if (hfi_is_basic(&D->t, stopped))
    hfi_tableau_exchange(&D->t, hfi_row_of(&D->t, stopped), hfi_col_of(&D->t, complement));
}

// Makes one major cycle, which mends pair r. Counts its pivots.
// Returns HF_OK, HF_NO_SOLUTION after a ray, or HF_NOT_CONVERGED.
static hfStatus mend_pair(Dantzig* D, int32_t r, int32_t max_pivots, int32_t* pivots) {
  int32_t n = D->p->n;
  while (D->bad[r] != 0) {
    int direction = D->bad[r];
    if (*pivots >= max_pivots) return HF_NOT_CONVERGED;
    if (D->since_refresh >= REFRESH_AFTER + n && !refresh(D)) return HF_NOT_CONVERGED;
    D->noise = fmax(NOISE_FLOOR, NOISE_SHARE * hfi_tableau_largest(&D->t));

    int32_t col = hfi_col_of(&D->t, z_is_basic(D, r) ? r : n + r);
    Obstacle first = find_first_obstacle(D, r, col, direction);

    // w_r is nothing but rounding
    if (fabs(*w_of(D, r)) <= D->noise && first.step > LARGEST_STEP) {
      D->bad[r] = 0;
      break;
    }
    if (first.pair < 0) return HF_NO_SOLUTION;

    advance(D, col, direction * first.step);
    ++*pivots;
    ++D->since_refresh;
    if (first.pair == r)
      end_cycle(D, first);
    else if (!exchange_obstacle(D, r, first))
      return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Judges every pair anew and sets unit and lambda. Returns whether a pair is bad.
static int mark_bad(Dantzig* D) {
  D->unit = 1;
  for (int32_t i = 0; i < D->p->n; ++i) D->unit = fmax(D->unit, fabs(*w_of(D, i)));
  D->lambda = LAMBDA_SHARE * D->unit;

  int any = 0;
  for (int32_t i = 0; i < D->p->n; ++i) {
    D->bad[i] = judge(D, i);
    any = any || D->bad[i] != 0;
  }
  return any;
}

// Returns the bad pair with the largest |w|, or -1. Any would do; this one takes the fewest pivots.
static int32_t find_worst(Dantzig* D) {
  int32_t worst = -1;
  for (int32_t i = 0; i < D->p->n; ++i)
    if (D->bad[i] != 0 && (worst < 0 || fabs(*w_of(D, i)) > fabs(*w_of(D, worst)))) worst = i;
  return worst;
}

// Makes major cycles until no pair is bad, or one fails.
static hfStatus mend_all(Dantzig* D, int32_t max_pivots, int32_t* pivots) {
  hfStatus status = HF_OK;
  int32_t r = find_worst(D);
  while (status == HF_OK && r >= 0) {
    status = mend_pair(D, r, max_pivots, pivots);
    r = find_worst(D);
  }
  return status;
}

// Copies z, and for each row whether it is at a bound or an equation.
static void read_solution(Dantzig* D, double* z, unsigned char* mode) {
  const hfiLcp* p = D->p;
  for (int32_t i = 0; i < p->n; ++i) {
    z[i] = hfi_clamp(*z_of(D, i), p->lo[i], p->hi[i]);

    mode[i] = HFI_BASIC;
    if (z_is_basic(D, i)) continue;
    if (z[i] == p->lo[i])
      mode[i] = HFI_AT_LO;
    else if (z[i] == p->hi[i])
      mode[i] = HFI_AT_HI;
  }
}

hfStatus hfi_dantzig_solve(const hfiLcp* p, int32_t max_pivots, double* z, unsigned char* mode,
                           int32_t* pivots, hfiArena* scratch) {
  Dantzig D = {.p = p, .t = hfi_tableau_take(scratch, p->n, p->n)};
  D.role = HFI_TAKE(scratch, signed char, 2 * p->n);
  D.bad = HFI_TAKE(scratch, signed char, p->n);
  D.value = HFI_TAKE(scratch, double, 2 * p->n);
  if (!scratch->base) return HF_OK; // The call only planned the scratch.

  *pivots = 0;
  hfStatus status = start(&D) ? HF_OK : HF_SINGULAR;

  // One round mends all pairs. More follow where a fresh tableau shows that rounding has spoilt one.
  int failures = 0;
  while (status != HF_SINGULAR && failures < MAX_FAILURES && mark_bad(&D)) {
    int32_t before = *pivots;
    status = mend_all(&D, max_pivots, pivots);
    if (*pivots == before || *pivots >= max_pivots || !refresh(&D)) break;
    if (status != HF_OK) ++failures;
  }

  read_solution(&D, z, mode);
  return status;
}
