// The impulses gamma of contacts that are struck at one instant (docs/theory/impacts.md): the minimum of
//
//   gamma.W gamma/2 - c.gamma,   W = J M^-1 J^T,   gamma_i in K_i
//
//   c    change of the row velocities that is aimed at
//   K_i  gamma_i >= 0 for a normal row, |gamma_i| <= bound_i for two rows of friction
//
// J^T gamma is unique, even if gamma is not: a box that lands on four corners has four normal impulses and three rows
// that differ. It does not depend on the order of the contacts.
//
// With gamma = S y and H = S W S the problem is y.H y/2 - (S c).y, and S is chosen such that |H| <= 1:
//
//   S_i^2 = 1/(load_i trace(W_ii)),   load_i: the most contacts that act on a tree of contact i
//
// because |sum of n vectors|^2 <= n (sum of |vector|^2) for the n contacts of a tree.
//
// Conjugate gradients on the contacts inside of K, and steps along the gradient, projected on K, where a contact at its
// bound leaves it (Dostal, Optimal Quadratic Programming Algorithms, 2009, algorithm 5.8; Dostal and Kozubek, 2012, for
// discs). They begin at zero, and every step reduces the function.
//
//   g  gradient, H y - S c      d  direction      r = y - P(y - g)  projected step, P: projection on K
#include "step/discrete/impulses.h"

#include "linalg/dense.h"
#include "step/problem/algebra.h"

#include <string.h>

// The solution is exact enough if no projected step is longer than this share of the longest one at the start [-].
static const double EXACT_SHARE = 1e-12;
// Most steps of a solution. A few contacts need as many as they have rows, and some to find which are at their bounds.
enum { MOST_STEPS = 400 };

void hfi_impulses_init(hfiImpulses* f, const hfModel* m, int max_contacts, hfiArena* arena) {
  HFI_TAKE_EACH(arena, double, max_contacts, &f->bound, &f->scale);
  HFI_TAKE_EACH(arena, double, 2 * max_contacts, &f->change, &f->gamma, &f->gradient, &f->direction, &f->product);
  f->dv = HFI_TAKE(arena, double, m->nv);
}

// ---- rows ---------------------------------------------------------------------------------------------

static int count_rows(const hfiImpulses* f) { return f->kind == HFI_IMPULSE_NORMAL ? 1 : 2; }

// The first row of a block that takes part.
static int find_first_row(const hfiImpulses* f) { return f->kind == HFI_IMPULSE_NORMAL ? 0 : 1; }

// ---- products with W ----------------------------------------------------------------------------------

// Clears the entries of one tree in x (nv).
static void clear_tree(const hfStepProblem* p, int t, double* x) {
  memset(x + p->tree_start[t], 0, sizeof *x * (size_t)(p->tree_start[t + 1] - p->tree_start[t]));
}

// Computes dv = M^-1 J^T gamma for the trees of the island. Writes f->dv.
void hfi_impulses_find_change(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p) {
  const int rows = count_rows(f);
  const int first = find_first_row(f);

  for (int t = 0; t < f->ntree; ++t) clear_tree(p, f->tree[t], f->dv);
  for (int i = 0; i < f->count; ++i)
    for (int k = 0; k < rows; ++k)
      hfi_row_add_impulse(p, &p->block[f->block[i]], first + k, f->gamma[rows * i + k], f->dv);
  for (int t = 0; t < f->ntree; ++t) hfi_solve_tree(d, f->tree[t], f->dv);
}

// Writes f->product = H y. gamma and dv are scratch.
static void multiply(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p, const double* y) {
  const int rows = count_rows(f);
  const int first = find_first_row(f);

  for (int i = 0; i < f->count; ++i)
    for (int k = 0; k < rows; ++k) f->gamma[rows * i + k] = f->scale[i] * y[rows * i + k];
  hfi_impulses_find_change(f, d, p);

  for (int i = 0; i < f->count; ++i)
    for (int k = 0; k < rows; ++k) {
      double velocity = hfi_row_velocity(p, &p->block[f->block[i]], first + k, f->dv);
      f->product[rows * i + k] = f->scale[i] * velocity;
    }
}

// Returns the trace of W_ii, the inverse mass that the rows of a block have together. dv is scratch.
static double find_trace(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p, const hfStepBlock* b) {
  double trace = 0;
  for (int r = find_first_row(f), end = r + count_rows(f); r < end; ++r) {
    for (int k = 0; k < b->npiece; ++k) clear_tree(p, p->piece[b->piece + k].tree, f->dv);
    hfi_row_add_impulse(p, b, r, 1, f->dv);
    for (int k = 0; k < b->npiece; ++k) hfi_solve_tree(d, p->piece[b->piece + k].tree, f->dv);
    trace += hfi_row_velocity(p, b, r, f->dv);
  }
  return trace;
}

// Writes S. A contact that can move nothing has S = 0, and no impulse.
static void find_scale(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p) {
  for (int i = 0; i < f->count; ++i) {
    const hfStepBlock* b = &p->block[f->block[i]];
    double trace = find_trace(f, d, p, b);
    int load = 1;
    for (int k = 0; k < b->npiece; ++k) load = imax2(load, f->load[p->piece[b->piece + k].tree]);
    f->scale[i] = trace > 0 ? 1 / sqrt(load * trace) : 0;
  }
}

// ---- the set K ----------------------------------------------------------------------------------------

// Returns the bound of |y| of a contact with friction.
static double find_radius(const hfiImpulses* f, int i) { return f->scale[i] > 0 ? f->bound[i] / f->scale[i] : 0; }

// Whether contact i, with the impulse y, is inside of its set, so that it may move in every direction.
static int is_inside(const hfiImpulses* f, int i, const double* y) {
  if (f->kind == HFI_IMPULSE_NORMAL) return y[i] > 0;
  // rounding may leave a point of the rim inside
  const double almost = 1 - 1e-12;
  return sqr(y[2 * i]) + sqr(y[2 * i + 1]) < sqr(almost * find_radius(f, i));
}

// Projects the part z of contact i on its set.
static void project(const hfiImpulses* f, int i, double* z) {
  if (f->kind == HFI_IMPULSE_NORMAL) {
    z[0] = max2(0, z[0]);
    return;
  }
  double radius = find_radius(f, i);
  double norm = sqrt(sqr(z[0]) + sqr(z[1]));
  if (norm <= radius) return;
  z[0] *= radius / norm;
  z[1] *= radius / norm;
}

// Returns the largest step a with y - a d in the set of contact i; INFINITY if every step is. y is in the set.
static double find_longest_step(const hfiImpulses* f, int i, const double* y, const double* d) {
  if (f->kind == HFI_IMPULSE_NORMAL) return d[i] > 0 ? y[i] / d[i] : INFINITY;

  // |y - a d| = radius
  const double* yi = y + 2 * i;
  const double* di = d + 2 * i;
  double dd = sqr(di[0]) + sqr(di[1]);
  double yd = yi[0] * di[0] + yi[1] * di[1];
  double room = max2(0, sqr(find_radius(f, i)) - sqr(yi[0]) - sqr(yi[1]));
  return dd > 0 ? (yd + sqrt(yd * yd + dd * room)) / dd : INFINITY;
}

// ---- steps --------------------------------------------------------------------------------------------

// Projected steps of the contacts inside of K and of those at their bounds.
typedef struct ProjectedSteps {
  double inside;  // sum of r.g over the contacts inside
  double at_bound; // sum of |r|^2 over the others
  double longest; // largest |r|
} ProjectedSteps;

// Measures the projected steps r = y - P(y - g) of all contacts at the point y, whose gradient f->gradient is known.
static ProjectedSteps measure_steps(const hfiImpulses* f, const double* y) {
  const int rows = count_rows(f);
  ProjectedSteps steps = {0, 0, 0};

  for (int i = 0; i < f->count; ++i) {
    const double* g = f->gradient + rows * i;
    double z[2]; // P(y - g)
    for (int k = 0; k < rows; ++k) z[k] = y[rows * i + k] - g[k];
    project(f, i, z);

    double along = 0;
    double square = 0;
    for (int k = 0; k < rows; ++k) {
      double r = y[rows * i + k] - z[k];
      along += r * g[k];
      square += r * r;
    }
    if (is_inside(f, i, y)) steps.inside += along;
    else steps.at_bound += square;
    steps.longest = max2(steps.longest, sqrt(square));
  }
  return steps;
}

// Moves contacts by their projected steps P(y - g) - y: with inside = 0 those at their bounds, with 1 the others.
// Updates y and the gradient. f->direction is scratch.
static void step_projected(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p, int inside, double* y) {
  const int rows = count_rows(f);
  double* move = f->direction;

  for (int i = 0; i < f->count; ++i) {
    double z[2];
    for (int k = 0; k < rows; ++k) z[k] = y[rows * i + k] - f->gradient[rows * i + k];
    project(f, i, z);
    int moves = is_inside(f, i, y) == inside;
    for (int k = 0; k < rows; ++k) move[rows * i + k] = moves ? z[k] - y[rows * i + k] : 0;
  }

  multiply(f, d, p, move);
  for (int k = 0; k < rows * f->count; ++k) {
    y[k] += move[k];
    f->gradient[k] += f->product[k];
  }
}

// Writes the gradient of the contacts inside of K to f->direction, and zero for the others.
static void restart_direction(hfiImpulses* f, const double* y) {
  const int rows = count_rows(f);
  for (int i = 0; i < f->count; ++i) {
    int inside = is_inside(f, i, y);
    for (int k = 0; k < rows; ++k) f->direction[rows * i + k] = inside ? f->gradient[rows * i + k] : 0;
  }
}

// A step of conjugate gradients from y to y - step f->direction, which leads to the bound of K at most. Updates y,
// f->gradient and f->direction. At the bound a projected step of the contacts inside follows, and the directions begin
// again. Returns 0 if the direction changes no velocity; y then stays.
static int step_conjugate(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p, double* y) {
  const int rows = count_rows(f);
  const int n = rows * f->count;
  double* direction = f->direction;
  multiply(f, d, p, direction);
  double curvature = hfi_dot(direction, f->product, n);
  if (!(curvature > 0)) return 0;

  // longest: up to the first bound; step: to the minimum along the direction
  double longest = INFINITY;
  for (int i = 0; i < f->count; ++i)
    if (is_inside(f, i, y)) longest = min2(longest, find_longest_step(f, i, y, direction));
  double step = hfi_dot(f->gradient, direction, n) / curvature;
  int reaches_bound = !(step < longest);
  hfi_axpy(y, -min2(step, longest), direction, n);
  hfi_axpy(f->gradient, -min2(step, longest), f->product, n);
  for (int i = 0; i < f->count; ++i) project(f, i, y + rows * i); // rounding

  if (reaches_bound) {
    step_projected(f, d, p, 1, y);
    restart_direction(f, y);
    return 1;
  }

  // the next direction is conjugate to this one
  double share = 0;
  for (int i = 0; i < f->count; ++i)
    for (int k = rows * i; is_inside(f, i, y) && k < rows * (i + 1); ++k) share += f->gradient[k] * f->product[k];
  share /= curvature;
  for (int i = 0; i < f->count; ++i) {
    int inside = is_inside(f, i, y);
    for (int k = rows * i; k < rows * (i + 1); ++k) direction[k] = inside ? f->gradient[k] - share * direction[k] : 0;
  }
  return 1;
}

// Computes f->gamma and f->dv for the aim f->change. It begins at y = 0, where the gradient is -S c. y overwrites
// f->change, of which only this gradient is needed.
void hfi_impulses_solve(hfiImpulses* f, const hfDynamics* d, const hfStepProblem* p) {
  const int rows = count_rows(f);
  const int n = rows * f->count;
  double* y = f->change;

  find_scale(f, d, p);
  for (int i = 0; i < n; ++i) {
    f->gradient[i] = -f->scale[i / rows] * f->change[i];
    y[i] = 0;
  }
  restart_direction(f, y);

  double first = 0; // longest projected step at the beginning
  for (int k = 0; k < MOST_STEPS; ++k) {
    ProjectedSteps steps = measure_steps(f, y);
    if (k == 0) first = steps.longest;
    if (!(steps.longest > EXACT_SHARE * first)) break;

    // either the contacts inside of K have more to gain, or those at their bounds
    if (steps.at_bound <= steps.inside) {
      if (!step_conjugate(f, d, p, y)) break;
    } else {
      step_projected(f, d, p, 0, y);
      restart_direction(f, y);
    }
  }

  for (int i = 0; i < n; ++i) f->gamma[i] = f->scale[i / rows] * y[i];
  hfi_impulses_find_change(f, d, p);
}
