// Principal pivoting with bounds (Dantzig and Cottle 1967, Keller 1973; Cottle, Pang, Stone,
// section 4.2; the bounds as in Baraff 1994), for P and positive semidefinite A.
//
//   w = A z + b,   lo <= z <= hi
//
// Of each pair (z_i, w_i) one member is basic and the other is nonbasic at a fixed value: either
// z_i is at a bound and w_i basic, or w_i is 0 (or -lambda or lambda, see below) and z_i basic. A
// pair is bad when w_i < 0 although z_i could grow (z_i < hi), or w_i > 0 although z_i could fall.
//
// One major cycle repairs the worst bad pair r. It drives z_r (or w_r) in the direction that brings
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
// A w of rounding size is left as it is where repairing it would take a longer step than this [-].
static const double LARGEST_ROUNDING_STEP = 1e3;
// lambda over the largest |w|; any number above 1 will do [-].
static const double LAMBDA_SHARE = 2;
enum {
  MOST_FAILED_ROUNDS = 3,   // A failure counts only if this many fresh tableaus repeat it.
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

static int z_is_basic(const Dantzig* solver, int32_t i) { return hfi_is_basic(&solver->t, solver->p->n + i); }
static double* z_of(Dantzig* solver, int32_t i) { return &solver->value[solver->p->n + i]; }
static double* w_of(Dantzig* solver, int32_t i) { return &solver->value[i]; }

// Returns what bad[i] would be if pair i were judged now.
static signed char find_badness(Dantzig* solver, int32_t i) {
  const hfiLcp* problem = solver->p;
  double w = *w_of(solver, i);
  double z = *z_of(solver, i);
  double small = GOOD_TOLERANCE * solver->unit;

  if (problem->lo[i] == problem->hi[i]) return 0;
  if (w < -small && z < problem->hi[i]) return 1;
  if (w > small && z > problem->lo[i]) return -1;
  return 0;
}

// Marks a bad pair as good if it has become so. A good pair never becomes bad.
static void clear_if_good(Dantzig* solver, int32_t i) {
  if (solver->bad[i] != 0 && find_badness(solver, i) != solver->bad[i]) solver->bad[i] = 0;
}

// Writes the tableau of the starting basis: every w basic, every z nonbasic.
static void fill_tableau(Dantzig* solver) {
  const hfiLcp* problem = solver->p;
  hfi_tableau_reset(&solver->t);
  solver->since_refresh = 0;

  for (int32_t i = 0; i < problem->n; ++i) {
    double* row = hfi_tableau_row(&solver->t, i);
    for (int32_t j = 0; j < problem->n; ++j) row[j] = problem->A[(size_t)i * (size_t)problem->n + (size_t)j];
    row[problem->n] = problem->b[i];
  }
}

// Computes the values of the basic variables from those of the nonbasic ones.
static void compute_values(Dantzig* solver) {
  const hfiTableau* tableau = &solver->t;
  for (int32_t i = 0; i < tableau->nrow; ++i) {
    const double* row = hfi_tableau_row(tableau, i);
    double sum = row[tableau->ncol];
    for (int32_t j = 0; j < tableau->ncol; ++j) sum += row[j] * solver->value[tableau->col_var[j]];
    solver->value[tableau->row_var[i]] = sum;
  }
}

// Has every pair one basic member? Only dependent free rows of an A that is not semidefinite can
// break this.
static int is_paired(const Dantzig* solver) {
  for (int32_t i = 0; i < solver->p->n; ++i)

    if (hfi_is_basic(&solver->t, i) == z_is_basic(solver, i)) return 0;
  return 1;
}

// Puts every z at the bound nearest to zero, or at zero (hfi_lcp_rest), and exchanges the free ones into the basis.
// Returns 0 if free rows are dependent in a way that this method cannot handle.
static int start_basis(Dantzig* solver) {
  const hfiLcp* problem = solver->p;
  fill_tableau(solver);

  for (int32_t i = 0; i < problem->n; ++i) {
    int is_free = problem->lo[i] == -INFINITY && problem->hi[i] == INFINITY;
    solver->role[i] = is_free ? HFI_LEAVES : HFI_STAYS;
    solver->role[problem->n + i] = is_free ? HFI_ENTERS : HFI_STAYS;
    *w_of(solver, i) = 0;
    *z_of(solver, i) = hfi_lcp_rest(problem, i);
  }

  hfi_tableau_move(&solver->t, solver->role, FREE_PIVOT_TOLERANCE);
  compute_values(solver);
  return is_paired(solver);
}

// Computes the tableau of the present basis from the data again.
// Returns 0 if the basis is singular to working precision.
static int recompute_tableau(Dantzig* solver) {
  // every variable goes where it is now
  for (int32_t id = 0; id < 2 * solver->p->n; ++id)
    solver->role[id] = hfi_is_basic(&solver->t, id) ? HFI_ENTERS : HFI_LEAVES;

  fill_tableau(solver);
  if (hfi_tableau_move(&solver->t, solver->role, 0) != 0) return 0;
  compute_values(solver);
  return 1;
}

// Writes the interval in which the basic variable of pair i may move: z_i between its bounds, or w_i where the pair
// stays good, or, while it is bad, within lambda. A basic z_i whose w_i stopped at +-lambda has a smaller interval.
static void find_range(Dantzig* solver, int32_t i, double* lower, double* upper) {
  const hfiLcp* problem = solver->p;
  double z = *z_of(solver, i);
  double w = *w_of(solver, i);
  *lower = -INFINITY;
  *upper = INFINITY;

  if (z_is_basic(solver, i)) {
    *lower = problem->lo[i];
    *upper = problem->hi[i];

    // a free z_i keeps its sign while w_i is at -lambda (or, mirrored, at lambda), as if it were split into
    // z = y+ - y- with y+, y- >= 0
    int is_free = problem->lo[i] == -INFINITY && problem->hi[i] == INFINITY;
    if (is_free) {
      if (w < 0) *lower = 0;
      if (w > 0) *upper = 0;
      return;
    }

    // with w_i at -lambda the pair is good only at the upper bound of z_i: once there, z_i must not go back
    if (w < 0 && z >= problem->hi[i]) *lower = problem->hi[i];
    // mirrored
    if (w > 0 && z <= problem->lo[i]) *upper = problem->lo[i];
    return;
  }

  // a good w_i is >= 0 below hi and <= 0 above lo; lambda bounds bad ones; the w_i of a fixed z_i may have any value
  if (problem->lo[i] == problem->hi[i]) return;
  if (z < problem->hi[i]) *lower = solver->bad[i] > 0 ? -solver->lambda : 0;
  if (z > problem->lo[i]) *upper = solver->bad[i] < 0 ? solver->lambda : 0;
}

// A variable that reaches the end of its range and so stops the driving variable.
typedef struct Obstacle {
  double step;  // how far the driving variable can go
  double end;   // value of the obstacle then
  int32_t pair; // its pair; -1: nothing is in the way
  int is_z;    // it is z of the pair, not w
} Obstacle;

// Returns the basic variable of pair i as an obstacle. rate: how fast it moves with the driving variable; at 0 its step
// is infinite.
static Obstacle find_obstacle(Dantzig* solver, int32_t i, double rate) {
  double lower;
  double upper;
  find_range(solver, i, &lower, &upper);

  double x = z_is_basic(solver, i) ? *z_of(solver, i) : *w_of(solver, i);
  Obstacle obstacle = {INFINITY, rate > 0 ? upper : lower, i, z_is_basic(solver, i)};
  if (rate != 0) obstacle.step = fmax((obstacle.end - x) / rate, 0);
  return obstacle;
}

// Returns the driving pair r as its own obstacle: w_r at zero, or z_r at a bound.
static Obstacle find_own_obstacle(Dantzig* solver, int32_t r, int direction, double rate) {
  const hfiLcp* problem = solver->p;
  Obstacle zero = {INFINITY, 0, r, 0};
  Obstacle bound = {INFINITY, direction > 0 ? problem->hi[r] : problem->lo[r], r, 1};

  if (z_is_basic(solver, r)) {
    // w_r drives and z_r follows
    zero.step = fabs(*w_of(solver, r));
    bound = find_obstacle(solver, r, rate);
  } else {
    bound.step = fabs(bound.end - *z_of(solver, r));
    if (direction * rate > 0) zero.step = fabs(*w_of(solver, r) / rate);
  }
  return zero.step <= bound.step ? zero : bound;
}

// Returns the first obstacle in the way of the driving variable of pair r, which is in column `col` and moves in
// `direction` (+1 or -1).
static Obstacle find_first_obstacle(Dantzig* solver, int32_t r, int32_t col, int direction) {
  const hfiTableau* tableau = &solver->t;
  int32_t n = tableau->nrow;
  Obstacle first = {INFINITY, 0, -1, 0};

  // Pair r comes first, so that it wins ties.
  for (int32_t k = 0; k <= n; ++k) {
    int32_t i = k == 0 ? r : k - 1;
    if (k > 0 && i == r) continue;

    int32_t row = hfi_row_of(tableau, z_is_basic(solver, i) ? n + i : i);
    double rate = direction * hfi_tableau_row(tableau, row)[col];
    if (fabs(rate) <= solver->noise) rate = 0;

    Obstacle obstacle = i == r ? find_own_obstacle(solver, r, direction, rate) : find_obstacle(solver, i, rate);
    if (obstacle.step < first.step - TIE_TOLERANCE * fmax(1, obstacle.step)) first = obstacle;
  }
  return first;
}

// Moves the driving variable of column `col` by `change`, and the basic variables with it.
static void move_driving_variable(Dantzig* solver, int32_t col, double change) {
  const hfiTableau* tableau = &solver->t;

  solver->value[tableau->col_var[col]] += change;
  for (int32_t i = 0; i < tableau->nrow; ++i)
    solver->value[tableau->row_var[i]] += change * hfi_tableau_row(tableau, i)[col];
  for (int32_t i = 0; i < tableau->nrow; ++i) clear_if_good(solver, i);
}

// Returns the entry of the tableau in the row of a basic and the column of a nonbasic variable.
static double entry(const Dantzig* solver, int32_t basic, int32_t nonbasic) {
  return hfi_tableau_row(&solver->t, hfi_row_of(&solver->t, basic))[hfi_col_of(&solver->t, nonbasic)];
}

// The obstacle, the basic variable of another pair j, leaves the basis at the end of its range, and
// its complement enters. The pivots are
//   one exchange     T_jj
//   two exchanges    T_jr, then T_rj - T_rr T_jj / T_jr
// One is made where its pivot is large enough, or where the second of two is too small as well.
// Returns 0 if both pivots are nothing but rounding.
static int exchange_obstacle(Dantzig* solver, int32_t r, Obstacle obstacle) {
  int32_t n = solver->t.nrow;
  int32_t j = obstacle.pair;
  // ids: w_i is i, z_i is n + i. Of pair r the nonbasic member drives, the basic one is driven
  int32_t leaves = obstacle.is_z ? n + j : j;
  int32_t enters = obstacle.is_z ? j : n + j;
  int w_drives = z_is_basic(solver, r);
  int32_t driving = w_drives ? r : n + r;
  int32_t driven = w_drives ? n + r : r;

  solver->value[leaves] = obstacle.end;
  clear_if_good(solver, j);

  // the pivots, and the least size that one exchange may have
  double single = entry(solver, leaves, enters);
  double first = entry(solver, leaves, driving);
  double second = entry(solver, driven, enters) - entry(solver, driven, driving) * single / first;
  double largest = 0;
  for (int32_t i = 0; i < n; ++i)
    largest = fmax(largest, fabs(hfi_tableau_row(&solver->t, i)[hfi_col_of(&solver->t, enters)]));
  double least = PIVOT_SHARE * largest;

  // one exchange
  if (fabs(single) > least || (fabs(second) <= least && fabs(single) > solver->noise)) {
    hfi_tableau_exchange(&solver->t, hfi_row_of(&solver->t, leaves), hfi_col_of(&solver->t, enters));
    return 1;
  }

  // two exchanges
  if (fabs(second) <= solver->noise) return 0;

  hfi_tableau_exchange(&solver->t, hfi_row_of(&solver->t, leaves), hfi_col_of(&solver->t, driving));
  hfi_tableau_exchange(&solver->t, hfi_row_of(&solver->t, driven), hfi_col_of(&solver->t, enters));
  return 1;
}

// Ends a cycle whose driving pair was its own obstacle: the variable that stopped becomes, or stays, nonbasic.
static void end_cycle(Dantzig* solver, Obstacle obstacle) {
  int32_t n = solver->p->n;
  int32_t stopped = obstacle.is_z ? n + obstacle.pair : obstacle.pair;
  int32_t complement = obstacle.is_z ? obstacle.pair : n + obstacle.pair;

  solver->value[stopped] = obstacle.end;
  clear_if_good(solver, obstacle.pair);
  if (hfi_is_basic(&solver->t, stopped))
    hfi_tableau_exchange(&solver->t, hfi_row_of(&solver->t, stopped), hfi_col_of(&solver->t, complement));
}

// Makes one major cycle, which repairs pair r. Counts its pivots.
// Returns HF_OK, HF_NO_SOLUTION after a ray, or HF_NOT_CONVERGED.
static hfStatus repair_pair(Dantzig* solver, int32_t r, int32_t max_pivots, int32_t* pivots) {
  int32_t n = solver->p->n;
  while (solver->bad[r] != 0) {
    int direction = solver->bad[r];
    if (*pivots >= max_pivots) return HF_NOT_CONVERGED;
    if (solver->since_refresh >= REFRESH_AFTER + n && !recompute_tableau(solver)) return HF_NOT_CONVERGED;
    solver->noise = fmax(NOISE_FLOOR, NOISE_SHARE * hfi_tableau_largest(&solver->t));

    // the first obstacle
    // the nonbasic member of pair r drives: w_r where z_r is basic, else z_r
    int32_t col = hfi_col_of(&solver->t, z_is_basic(solver, r) ? r : n + r);
    Obstacle first = find_first_obstacle(solver, r, col, direction);

    // w_r is nothing but rounding
    if (fabs(*w_of(solver, r)) <= solver->noise && first.step > LARGEST_ROUNDING_STEP) {
      solver->bad[r] = 0;
      break;
    }
    // a ray
    if (first.pair < 0) return HF_NO_SOLUTION;

    // move to it
    move_driving_variable(solver, col, direction * first.step);
    ++*pivots;
    ++solver->since_refresh;
    // case 1 of the head, then case 2
    if (first.pair == r) end_cycle(solver, first);
    else if (!exchange_obstacle(solver, r, first)) return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Judges every pair anew and sets unit and lambda. Returns whether a pair is bad.
static int mark_bad_pairs(Dantzig* solver) {
  solver->unit = 1;
  for (int32_t i = 0; i < solver->p->n; ++i) solver->unit = fmax(solver->unit, fabs(*w_of(solver, i)));
  solver->lambda = LAMBDA_SHARE * solver->unit;

  int any = 0;
  for (int32_t i = 0; i < solver->p->n; ++i) {
    solver->bad[i] = find_badness(solver, i);
    any = any || solver->bad[i] != 0;
  }
  return any;
}

// Returns the bad pair with the largest |w|, or -1. Any would do; this one takes the fewest pivots.
static int32_t find_worst(Dantzig* solver) {
  int32_t worst = -1;
  for (int32_t i = 0; i < solver->p->n; ++i)
    if (solver->bad[i] != 0 && (worst < 0 || fabs(*w_of(solver, i)) > fabs(*w_of(solver, worst)))) worst = i;
  return worst;
}

// Makes major cycles until no pair is bad, or one fails.
static hfStatus repair_all_pairs(Dantzig* solver, int32_t max_pivots, int32_t* pivots) {
  hfStatus status = HF_OK;
  int32_t r = find_worst(solver);
  while (status == HF_OK && r >= 0) {
    status = repair_pair(solver, r, max_pivots, pivots);
    r = find_worst(solver);
  }
  return status;
}

// Copies z, and for each row whether it is at a bound or an equation.
static void read_solution(Dantzig* solver, double* z, unsigned char* mode) {
  const hfiLcp* problem = solver->p;
  for (int32_t i = 0; i < problem->n; ++i) {
    z[i] = hfi_clamp(*z_of(solver, i), problem->lo[i], problem->hi[i]);

    mode[i] = HFI_BASIC;
    if (z_is_basic(solver, i)) continue;

    if (z[i] == problem->lo[i]) mode[i] = HFI_AT_LO;
    else if (z[i] == problem->hi[i]) mode[i] = HFI_AT_HI;
  }
}

// Solves a problem: writes z (n), mode (n) and the number of pivots. HF_SINGULAR: free rows are dependent.
hfStatus hfi_dantzig_solve(const hfiLcp* problem, int32_t max_pivots, double* z, unsigned char* mode,
                           int32_t* pivots, hfiArena* scratch) {
  Dantzig solver = {.p = problem, .t = hfi_tableau_take(scratch, problem->n, problem->n)};
  solver.role = HFI_TAKE(scratch, signed char, 2 * problem->n);
  solver.bad = HFI_TAKE(scratch, signed char, problem->n);
  solver.value = HFI_TAKE(scratch, double, 2 * problem->n);
  if (!scratch->base) return HF_OK; // The call only planned the scratch.

  *pivots = 0;
  hfStatus status = start_basis(&solver) ? HF_OK : HF_SINGULAR;

  // One round repairs all pairs. More follow where a fresh tableau shows that rounding has spoilt one.
  int failures = 0;
  while (status != HF_SINGULAR && failures < MOST_FAILED_ROUNDS && mark_bad_pairs(&solver)) {
    int32_t before = *pivots;
    status = repair_all_pairs(&solver, max_pivots, pivots);
    if (*pivots == before || *pivots >= max_pivots || !recompute_tableau(&solver)) break;
    if (status != HF_OK) ++failures;
  }

  read_solution(&solver, z, mode);
  return status;
}
