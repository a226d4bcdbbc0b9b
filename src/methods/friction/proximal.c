// Proximal steps (docs/theory/friction-problems.md). Step k replaces Coulomb's law by one with springs that are
// anchored at the reactions r_k:
//
//   r_n = (r_k,n - rho u_n)+
//   r_t = r_k,t - rho u_t, shortened to the length mu r_n where it is longer
//
// Where r = r_k this is Coulomb's law, for any slope rho > 0. With u = W r + q it is the equation of a step with
// contacts of stiffness rho and anchored friction (step/law/contact_response.h), which always has a well-conditioned
// matrix:
//
//   f(r) = r - gamma(W r + q) = 0,   f'(r) = I + G W,   G = -dgamma/du
//
// Newton's method solves it, with steps halved until |f| decreases. rho is `multiplier`/c with the compliance c of
// the contact. A large multiplier needs few proximal steps and hard Newton iterations: it grows while Newton
// converges and falls where it does not.
#include "methods/friction/proximal.h"

#include "methods/friction/residual.h"
#include "step/law/contact_response.h"

#include <string.h>
// Newton's method has solved a proximal step when |f| is below this share of the tolerance, relative to |r| + |q|/c
// [-].
static const double NEWTON_RESIDUAL_SHARE = 1e-2;
// A halved step is accepted if |f| falls by at least this share of its length (Armijo's condition) [-].
static const double ARMIJO_SHARE = 1e-4;
// Factors by which the multiplier changes [-]: after easy steps,
static const double GROWTH_AFTER_EASY = 10;
// after steps of many iterations,
static const double GROWTH_AFTER_HARD = 2;
// after any step once one has failed,
static const double GROWTH_AFTER_FAILURES = 3;
// and after a failure.
static const double SHRINKAGE = 0.1;
// Below this multiplier a step hardly changes anything [-].
static const double SMALLEST_MULTIPLIER = 1e-6;
// No multiplier is larger [-].
static const double LARGEST_MULTIPLIER = 1e7;
// Rounding of u, about 1e-16 |q|, becomes an error of r of 1e-16 rho |q|: the multiplier times this is at most the
// tolerance [-],
static const double MULTIPLIER_ROUNDING_SHARE = 1e-14;
// unless the multiplier is below this [-].
static const double SAFE_MULTIPLIER = 10;
// A residual below this many tolerances counts as close to it [-].
static const double CLOSE_FACTOR = 1e3;
enum {
  EASY_ITERATIONS = 15, // A step of fewer Newton iterations was easy.
  MOST_HALVINGS = 8,    // Most halvings of a Newton step.
  MOST_STALLED = 25,    // Most steps that do not halve the residual, until the largest multiplier changes.
};

// Takes the arrays for problems of this size.
static void plan(hfiProximal* solver, hfiArena* arena, int32_t nodes, int32_t n, int32_t entries) {
  hfi_block_plan(&solver->K, arena, nodes, n);
  HFI_TAKE_EACH(arena, double, n, &solver->r, &solver->r0, &solver->r1, &solver->u);
  HFI_TAKE_EACH(arena, double, n, &solver->gamma, &solver->f, &solver->dr, &solver->b);
  solver->compliance = HFI_TAKE(arena, double, nodes);
  solver->rho = HFI_TAKE(arena, double, nodes);
  solver->response = HFI_TAKE(arena, hfiContactResponse, nodes);
  solver->place = HFI_TAKE(arena, size_t, entries);
  solver->stride = HFI_TAKE(arena, int32_t, entries);
}

// Opens room for the solver. Returns 0 if memory ran out; hfi_proximal_free must be called in any case.
int hfi_proximal_create(hfiProximal* solver, int32_t nodes, int32_t n, int32_t entries, const hfAllocator* allocator) {
  memset(solver, 0, sizeof *solver);
  solver->allocator = allocator;

  hfiArena size = hfi_arena(NULL, 0);
  plan(solver, &size, nodes, n, entries);
  hfiArena arena = hfi_arena_allocate(&size, allocator);
  solver->memory = arena.base;
  if (arena.base) plan(solver, &arena, nodes, n, entries);
  return arena.base != NULL;
}

void hfi_proximal_free(hfiProximal* solver) {
  if (solver->capacity) hfi_release(solver->K.value);
  hfi_release(solver->memory);
}

// ---- the matrix I + G W --------------------------------------------------------------------------

// Finds the order of elimination of I + G W and makes room for its factors. Returns 0 if memory ran out.
static int order_matrix(hfiProximal* solver, const hfiReduced* reduced) {
  hfiBlockMatrix* K = &solver->K;
  int32_t nodes = hfi_reduced_nodes(reduced);

  hfi_block_begin(K, nodes);
  for (int32_t i = 0; i < nodes; ++i) K->weight[i] = hfi_node_size(reduced, i);
  for (int32_t row = 0; row < reduced->n; ++row)
    for (int32_t e = reduced->W.start[row]; e < reduced->W.start[row + 1]; ++e)
      hfi_block_couple(K, hfi_row_node(reduced, row), hfi_row_node(reduced, reduced->W.col[e]));
  if (!hfi_block_order(K)) return 0;

  // room for its factors
  if (K->panel_start[nodes] > solver->capacity) {
    if (solver->capacity) hfi_release(K->value);
    solver->capacity = 0;
    K->value = hfi_allocate(solver->allocator, sizeof(double) * K->panel_start[nodes]);
    if (!K->value) return 0;
    solver->capacity = K->panel_start[nodes];
  }
  return 1;
}

// Finds the places of the entries of one row of W in the panels: writes solver->place and solver->stride. With the
// positions a of the row's node and b of a column's node in the order of elimination, a block of b < a is stored
// transposed.
static void place_row(hfiProximal* solver, const hfiReduced* reduced, int32_t row) {
  const hfiBlockMatrix* K = &solver->K;
  int32_t a = K->ordering.position[hfi_row_node(reduced, row)];

  for (int32_t e = reduced->W.start[row]; e < reduced->W.start[row + 1]; ++e) {
    int32_t node = hfi_row_node(reduced, reduced->W.col[e]);
    int32_t within = reduced->W.col[e] - hfi_node_row(reduced, node);
    int32_t b = K->ordering.position[node];

    const double* entry;
    if (a <= b) {
      // in the rows of a, which hold the diagonal block and then the columns of later nodes
      solver->stride[e] = hfi_block_stride(K, a);
      int32_t column = a < b ? K->size[a] + hfi_block_column(K, a, b) : 0;
      entry = hfi_block_rows(K, a) + within + column;
    } else {
      // transposed, in the lower part of b
      solver->stride[e] = 1;
      entry = hfi_block_lower(K, b) + within * K->width[b] + hfi_block_column(K, b, a);
    }
    solver->place[e] = (size_t)(entry - K->value);
  }
}

// Writes G of a node as a full matrix (3 x 3), row by row: normal, then two tangents. An equality has one row.
static void fill_derivative(const hfiProximal* solver, const hfiReduced* reduced, int32_t node, double G[9]) {
  memset(G, 0, 9 * sizeof *G);
  if (node >= reduced->ncontact) {
    G[0] = solver->rho[node];
    return;
  }

  const hfiContactResponse* response = &solver->response[node];
  G[0] = response->gnn;
  if (!(response->pi_mu > 0 && reduced->mu[node] > 0)) return;

  // a closed contact with friction
  G[3] = response->gtn[0];
  G[4] = response->gtt[0];
  G[5] = response->gtt[1];
  G[6] = response->gtn[1];
  G[7] = response->gtt[1];
  G[8] = response->gtt[2];
}

// Forms and factors I + G W. Returns 0 if a pivot failed.
static int factor(hfiProximal* solver, const hfiReduced* reduced) {
  double G[9];
  hfi_block_zero(&solver->K, 0, solver->K.nodes, 0);

  for (int32_t i = 0; i < hfi_reduced_nodes(reduced); ++i) {
    int32_t first = hfi_node_row(reduced, i);
    int32_t n = hfi_node_size(reduced, i);
    int32_t k = solver->K.ordering.position[i];

    // the identity
    for (int32_t a = 0; a < n; ++a) hfi_block_rows(&solver->K, k)[a * hfi_block_stride(&solver->K, k) + a] = 1;

    // the node's rows of G W: row a gets G_ac times row c of W, and place + a stride is where row a of the entry lies
    fill_derivative(solver, reduced, i, G);
    for (int32_t c = 0; c < n; ++c)
      for (int32_t e = reduced->W.start[first + c]; e < reduced->W.start[first + c + 1]; ++e)
        for (int32_t a = 0; a < n; ++a)
          solver->K.value[solver->place[e] + (size_t)(a * solver->stride[e])] += G[3 * a + c] * reduced->W.value[e];
  }
  return hfi_block_factor(&solver->K, 0) == 0;
}

// Solves dr = -(I + G W)^-1 f with the factors. Reads solver->f, writes solver->dr; solver->b is scratch.
static void solve_newton_step(hfiProximal* solver, const hfiReduced* reduced) {
  const hfiBlockMatrix* K = &solver->K;
  for (int32_t k = 0; k < K->nodes; ++k) {
    int32_t row = hfi_node_row(reduced, K->ordering.order[k]);
    for (int32_t a = 0; a < K->size[k]; ++a) solver->b[K->first[k] + a] = -solver->f[row + a];
  }

  hfi_block_solve(K, solver->b);

  for (int32_t k = 0; k < K->nodes; ++k) {
    int32_t row = hfi_node_row(reduced, K->ordering.order[k]);
    for (int32_t a = 0; a < K->size[k]; ++a) solver->dr[row + a] = solver->b[K->first[k] + a];
  }
}

// ---- one proximal step ---------------------------------------------------------------------------

// Reaction of a contact at velocity u, anchored at reaction r0: the law of a step of one second with stiffness rho.
static void respond(double mu, double rho, const double* r0, const double* u, double* gamma, hfiContactResponse* out) {
  hfContactLaw law = {
      .stiffness = rho,
      .depth = r0[0] / rho,
      .mu = {mu, 0, 0},
      .k_t = {rho, 0, 0},
      .xi0 = {-r0[1] / rho, -r0[2] / rho, 0, 0, 0},
      .friction = HF_FRICTION_ANCHORED,
  };
  hfi_contact_respond(&law, 1, 3, HF_COUPLING_TWO_WAY, 0, u, gamma, out);
}

// Computes u, gamma, f and the responses at reactions r. Returns |f|, the root of the sum of f^2/rho over all rows. r0
// are the anchors r_k of the head. A node is a contact (3 rows) or an equality (1 row, gamma = r_k - rho u).
static double evaluate(hfiProximal* solver, const hfiReduced* reduced, const double* r) {
  double sum = 0;
  hfi_reduced_velocity(reduced, r, solver->u);

  for (int32_t i = 0; i < hfi_reduced_nodes(reduced); ++i) {
    int32_t row = hfi_node_row(reduced, i);
    int32_t n = hfi_node_size(reduced, i);

    if (i < reduced->ncontact) {
      respond(reduced->mu[i], solver->rho[i], solver->r0 + row, solver->u + row, solver->gamma + row,
              &solver->response[i]);
    } else {
      solver->gamma[row] = solver->r0[row] - solver->rho[i] * solver->u[row];
    }

    for (int32_t a = row; a < row + n; ++a) {
      solver->f[a] = r[a] - solver->gamma[a];
      sum += solver->f[a] * solver->f[a] / solver->rho[i];
    }
  }
  return sqrt(sum);
}

// Returns |r0| + |q/c| in the norm of `evaluate`.
static double find_scale(const hfiProximal* solver, const hfiReduced* reduced) {
  double reactions = 0;
  double velocities = 0;
  for (int32_t row = 0; row < reduced->n; ++row) {
    int32_t node = hfi_row_node(reduced, row);
    double q = reduced->q[row] / solver->compliance[node];
    reactions += solver->r0[row] * solver->r0[row] / solver->rho[node];
    velocities += q * q / solver->rho[node];
  }
  return sqrt(reactions) + sqrt(velocities);
}

// Moves solver->r by the first of dr, dr/2, dr/4, ... that lowers |f|, which is *norm. Returns 0 when none does.
static int descend(hfiProximal* solver, const hfiReduced* reduced, double* norm) {
  double alpha = 1;
  for (int halving = 0; halving < MOST_HALVINGS; ++halving) {
    for (int32_t i = 0; i < reduced->n; ++i) solver->r1[i] = solver->r[i] + alpha * solver->dr[i];
    double end = evaluate(solver, reduced, solver->r1);

    if (end <= (1 - ARMIJO_SHARE * alpha) * *norm) {
      memcpy(solver->r, solver->r1, sizeof *solver->r * (size_t)reduced->n);
      *norm = end;
      return 1;
    }
    alpha *= 0.5;
  }
  return 0;
}

// Solves the proximal step from r0 by Newton's method. Leaves the answer in gamma and writes the number of iterations.
// Returns 0 if it did not converge.
static int solve_step(hfiProximal* solver, const hfiReduced* reduced, const hfFrictionConfig* config,
                      int32_t* iterations) {
  double tolerance = NEWTON_RESIDUAL_SHARE * config->tolerance * find_scale(solver, reduced);
  memcpy(solver->r, solver->r0, sizeof *solver->r * (size_t)reduced->n);
  double norm = evaluate(solver, reduced, solver->r);

  *iterations = 0;
  while (norm > tolerance && *iterations < config->max_iterations) {
    ++*iterations;

    if (!factor(solver, reduced)) return 0;
    solve_newton_step(solver, reduced);
    if (!descend(solver, reduced, &norm)) return 0;
  }
  return norm <= tolerance;
}

// ---- all steps -----------------------------------------------------------------------------------

// The progress of the steps so far.
typedef struct Progress {
  double multiplier;          // multiplier of this step
  double largest;             // largest multiplier at present
  double bound;               // largest multiplier at any time
  int failures;               // number of steps that Newton's method did not solve
  double best;                // least residual so far
  int stalled;                // steps since the least residual was halved
} Progress;

// Chooses the next multiplier. `solved` says whether Newton's method converged, in this number of iterations.
// If the residual stalls close to the tolerance, it may consist only of rounding errors of u, which rho amplifies.
// So the largest multiplier is lowered; if that does not help either, it starts again at its bound.
static void choose_multiplier(Progress* progress, int solved, int32_t iterations, double residual, double tolerance) {
  progress->failures += !solved;
  progress->stalled = residual <= 0.5 * progress->best ? 0 : progress->stalled + 1;
  if (progress->stalled == 0) progress->best = residual;

  if (progress->stalled >= MOST_STALLED && residual < CLOSE_FACTOR * tolerance) {
    double lower = fmax(SAFE_MULTIPLIER, SHRINKAGE * progress->largest);
    progress->largest = progress->largest > SAFE_MULTIPLIER ? lower : progress->bound;
    progress->stalled = 0;
  }

  double factor = GROWTH_AFTER_HARD;
  if (!solved) factor = SHRINKAGE;
  else if (progress->failures > 0) factor = GROWTH_AFTER_FAILURES;
  else if (iterations < EASY_ITERATIONS) factor = GROWTH_AFTER_EASY;
  progress->multiplier = fmin(progress->multiplier * factor, progress->largest);
}

// Returns the larger of the two residuals (hfiResidual) of r0. Writes solver->u.
static double residual_of(hfiProximal* solver, const hfiReduced* reduced) {
  hfi_reduced_velocity(reduced, solver->r0, solver->u);
  hfiResidual residual = hfi_friction_residual(reduced, solver->r0, solver->u);
  return fmax(residual.residual, residual.scaled_residual);
}

// Solves a problem by proximal steps from r (n), which becomes the best answer.
hfStatus hfi_proximal_solve(hfiProximal* solver, const hfiReduced* reduced, const hfFrictionConfig* config, double* r,
                            hfFrictionReport* report) {
  double tolerance = config->tolerance;
  int32_t nodes = hfi_reduced_nodes(reduced);

  if (!order_matrix(solver, reduced)) return HF_ERROR_MEMORY;
  for (int32_t row = 0; row < reduced->n; ++row) place_row(solver, reduced, row);
  for (int32_t i = 0; i < nodes; ++i) solver->compliance[i] = hfi_node_compliance(reduced, i);

  double bound = fmin(LARGEST_MULTIPLIER, fmax(SAFE_MULTIPLIER, tolerance / MULTIPLIER_ROUNDING_SHARE));
  Progress progress = {.multiplier = 1, .bound = bound};
  progress.largest = progress.bound;
  memcpy(solver->r0, r, sizeof *r * (size_t)reduced->n);
  double residual = residual_of(solver, reduced);
  progress.best = residual;

  for (int32_t k = 0; k < config->max_steps; ++k) {
    if (!(residual > tolerance && progress.multiplier >= SMALLEST_MULTIPLIER)) break;

    for (int32_t i = 0; i < nodes; ++i) solver->rho[i] = progress.multiplier / solver->compliance[i];

    int32_t iterations;
    int solved = solve_step(solver, reduced, config, &iterations);
    report->steps += 1;
    report->iterations += iterations;

    // a step that is not solved leaves r0 as it is
    if (solved) {
      memcpy(solver->r0, solver->gamma, sizeof *solver->r0 * (size_t)reduced->n);
      residual = residual_of(solver, reduced);
    }
    choose_multiplier(&progress, solved, iterations, residual, tolerance);
  }

  memcpy(r, solver->r0, sizeof *r * (size_t)reduced->n);
  return residual <= tolerance ? HF_OK : HF_NOT_CONVERGED;
}
