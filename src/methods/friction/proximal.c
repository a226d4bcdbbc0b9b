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
static const double NEWTON_SHARE = 1e-2;
// A halved step is accepted if |f| falls by at least this share of its length (Armijo's condition) [-].
static const double ARMIJO = 1e-4;
// Factors by which the multiplier changes [-]: after easy steps; after steps of many iterations; after any step once
// one has failed; after a failure.
static const double GROW_EASY = 10, GROW_HARD = 2, GROW_LATER = 3, SHRINK = 0.1;
// Bounds of the multiplier [-]. Below SMALLEST a step hardly changes anything. Rounding of u, about 1e-16 |q|,
// becomes an error of r of 1e-16 rho |q|: the multiplier times ROUNDING is at most the tolerance, unless the
// multiplier is below ALWAYS.
static const double SMALLEST = 1e-6, LARGEST = 1e7, ROUNDING = 1e-14, ALWAYS = 10;
// A residual below this many tolerances counts as close to it [-].
static const double CLOSE = 1e3;
enum { EASY_ITERATIONS = 15, MAX_HALVINGS = 8, MAX_STALLED = 25 };

// Takes the arrays for problems of this size.
static void plan(hfiProximal* S, hfiArena* arena, int32_t nodes, int32_t n, int32_t entries) {
  hfi_block_plan(&S->K, arena, nodes, n);
  HFI_TAKE_EACH(arena, double, n, &S->r, &S->r0, &S->r1, &S->u, &S->gamma, &S->f, &S->dr, &S->b);
  S->compliance = HFI_TAKE(arena, double, nodes);
  S->rho = HFI_TAKE(arena, double, nodes);
  S->response = HFI_TAKE(arena, hfiContactResponse, nodes);
  S->place = HFI_TAKE(arena, size_t, entries);
  S->stride = HFI_TAKE(arena, int32_t, entries);
}

// Opens room for the solver. Returns 0 if memory ran out; hfi_proximal_free must be called in any case.
int hfi_proximal_create(hfiProximal* S, int32_t nodes, int32_t n, int32_t entries, const hfAllocator* allocator) {
  memset(S, 0, sizeof *S);
  S->allocator = allocator;

  hfiArena size = hfi_arena(NULL, 0);
  plan(S, &size, nodes, n, entries);
  hfiArena arena = hfi_arena_allocate(&size, allocator);
  S->memory = arena.base;
  if (arena.base) plan(S, &arena, nodes, n, entries);
  return arena.base != NULL;
}

void hfi_proximal_free(hfiProximal* S) {
  if (S->capacity) hfi_release(S->K.value);
  hfi_release(S->memory);
}

// ---- the matrix I + G W --------------------------------------------------------------------------

// Finds the order of elimination of I + G W and makes room for its factors. Returns 0 if memory ran out.
static int order_matrix(hfiProximal* S, const hfiReduced* P) {
  hfiBlockMatrix* K = &S->K;
  int32_t nodes = hfi_reduced_nodes(P);

  hfi_block_begin(K, nodes);
  for (int32_t i = 0; i < nodes; ++i) K->weight[i] = hfi_node_size(P, i);
  for (int32_t row = 0; row < P->n; ++row)
    for (int32_t e = P->W.start[row]; e < P->W.start[row + 1]; ++e)
      hfi_block_couple(K, hfi_row_node(P, row), hfi_row_node(P, P->W.col[e]));
  if (!hfi_block_order(K)) return 0;

  if (K->at[nodes] > S->capacity) {
    if (S->capacity) hfi_release(K->value);
    S->capacity = 0;
    K->value = hfi_allocate(S->allocator, sizeof(double) * K->at[nodes]);
    if (!K->value) return 0;
    S->capacity = K->at[nodes];
  }
  return 1;
}

// Finds the places of the entries of one row of W in the panels, S->place and S->stride.
// A block that couples a node with one that is eliminated earlier is stored transposed.
static void place_row(hfiProximal* S, const hfiReduced* P, int32_t row) {
  const hfiBlockMatrix* K = &S->K;
  int32_t a = K->position[hfi_row_node(P, row)];

  for (int32_t e = P->W.start[row]; e < P->W.start[row + 1]; ++e) {
    int32_t node = hfi_row_node(P, P->W.col[e]);
    int32_t in = P->W.col[e] - hfi_node_row(P, node);
    int32_t b = K->position[node];

    const double* at;
    if (a <= b) {
      S->stride[e] = hfi_block_stride(K, a);
      at = hfi_block_rows(K, a) + in + (a < b ? K->size[a] + hfi_block_column(K, a, b) : 0);
    } else {
      S->stride[e] = 1;
      at = hfi_block_lower(K, b) + in * K->width[b] + hfi_block_column(K, b, a);
    }
    S->place[e] = (size_t)(at - K->value);
  }
}

// Writes G of a node as a full matrix (3 x 3).
static void fill_derivative(const hfiProximal* S, const hfiReduced* P, int32_t node, double G[9]) {
  memset(G, 0, 9 * sizeof *G);
  if (node >= P->ncontact) {
    G[0] = S->rho[node];
    return;
  }

  const hfiContactResponse* c = &S->response[node];
  G[0] = c->gnn;
  if (!(c->pi > 0 && P->mu[node] > 0)) return;

  // a closed contact with friction
  G[3] = c->gtn[0];
  G[4] = c->gtt[0];
  G[5] = c->gtt[1];
  G[6] = c->gtn[1];
  G[7] = c->gtt[1];
  G[8] = c->gtt[2];
}

// Forms and factors I + G W. Returns 0 if a pivot failed.
static int factor(hfiProximal* S, const hfiReduced* P) {
  double G[9];
  hfi_block_zero(&S->K, 0, S->K.nodes, 0);

  for (int32_t i = 0; i < hfi_reduced_nodes(P); ++i) {
    int32_t first = hfi_node_row(P, i);
    int32_t n = hfi_node_size(P, i);
    int32_t k = S->K.position[i];
    for (int32_t a = 0; a < n; ++a) hfi_block_rows(&S->K, k)[a * hfi_block_stride(&S->K, k) + a] = 1;

    // the node's rows of G W
    fill_derivative(S, P, i, G);
    for (int32_t c = 0; c < n; ++c)
      for (int32_t e = P->W.start[first + c]; e < P->W.start[first + c + 1]; ++e)
        for (int32_t a = 0; a < n; ++a)
          S->K.value[S->place[e] + (size_t)(a * S->stride[e])] += G[3 * a + c] * P->W.value[e];
  }
  return hfi_block_factor(&S->K, 0) == 0;
}

// Solves dr = -(I + G W)^-1 f with the factors. Reads S->f, writes S->dr; S->b is scratch.
static void solve_newton_step(hfiProximal* S, const hfiReduced* P) {
  const hfiBlockMatrix* K = &S->K;
  for (int32_t k = 0; k < K->nodes; ++k)
    for (int32_t a = 0; a < K->size[k]; ++a) S->b[K->first[k] + a] = -S->f[hfi_node_row(P, K->order[k]) + a];

  hfi_block_solve(K, S->b);

  for (int32_t k = 0; k < K->nodes; ++k)
    for (int32_t a = 0; a < K->size[k]; ++a) S->dr[hfi_node_row(P, K->order[k]) + a] = S->b[K->first[k] + a];
}

// ---- one proximal step ---------------------------------------------------------------------------

// Reaction of a contact at velocity u, anchored at reaction r0: the law of a step of one second with stiffness rho.
static void respond(double mu, double rho, const double* r0, const double* u, double* gamma, hfiContactResponse* out) {
  hfContactLaw law = {.stiffness = rho,
                      .depth = r0[0] / rho,
                      .mu = {mu, 0, 0},
                      .k_t = {rho, 0, 0},
                      .xi0 = {-r0[1] / rho, -r0[2] / rho, 0, 0, 0},
                      .friction = HF_FRICTION_ANCHORED};
  hfi_contact_respond(&law, 1, 3, HF_COUPLING_TWO_WAY, 0, u, gamma, out);
}

// Computes u, gamma, f and the responses at reactions r. Returns |f|, each node in units of sqrt(rho).
static double evaluate(hfiProximal* S, const hfiReduced* P, const double* r) {
  double sum = 0;
  hfi_reduced_velocity(P, r, S->u);

  for (int32_t i = 0; i < hfi_reduced_nodes(P); ++i) {
    int32_t row = hfi_node_row(P, i);
    int32_t n = hfi_node_size(P, i);

    if (i < P->ncontact)
      respond(P->mu[i], S->rho[i], S->r0 + row, S->u + row, S->gamma + row, &S->response[i]);
    else
      S->gamma[row] = S->r0[row] - S->rho[i] * S->u[row];

    for (int32_t a = row; a < row + n; ++a) {
      S->f[a] = r[a] - S->gamma[a];
      sum += S->f[a] * S->f[a] / S->rho[i];
    }
  }
  return sqrt(sum);
}

// Returns |r0| + |q/c| in the norm of `evaluate`.
static double scale_of(const hfiProximal* S, const hfiReduced* P) {
  double reactions = 0;
  double velocities = 0;
  for (int32_t row = 0; row < P->n; ++row) {
    int32_t node = hfi_row_node(P, row);
    double q = P->q[row] / S->compliance[node];
    reactions += S->r0[row] * S->r0[row] / S->rho[node];
    velocities += q * q / S->rho[node];
  }
  return sqrt(reactions) + sqrt(velocities);
}

// Moves S->r by the first of dr, dr/2, dr/4, ... that lowers |f|, which is *norm. Returns 0 when none does.
static int descend(hfiProximal* S, const hfiReduced* P, double* norm) {
  double alpha = 1;
  for (int halving = 0; halving < MAX_HALVINGS; ++halving) {
    for (int32_t i = 0; i < P->n; ++i) S->r1[i] = S->r[i] + alpha * S->dr[i];
    double end = evaluate(S, P, S->r1);

    if (end <= (1 - ARMIJO * alpha) * *norm) {
      memcpy(S->r, S->r1, sizeof *S->r * (size_t)P->n);
      *norm = end;
      return 1;
    }
    alpha *= 0.5;
  }
  return 0;
}

// Solves the proximal step from r0 by Newton's method. Leaves the answer in gamma and writes the number of iterations.
// Returns 0 if it did not converge.
static int solve_step(hfiProximal* S, const hfiReduced* P, const hfFrictionConfig* config, int32_t* iterations) {
  double tolerance = NEWTON_SHARE * config->tolerance * scale_of(S, P);
  memcpy(S->r, S->r0, sizeof *S->r * (size_t)P->n);
  double norm = evaluate(S, P, S->r);

  *iterations = 0;
  while (norm > tolerance && *iterations < config->max_iterations) {
    ++*iterations;
    if (!factor(S, P)) return 0;
    solve_newton_step(S, P);
    if (!descend(S, P, &norm)) return 0;
  }
  return norm <= tolerance;
}

// ---- all steps -----------------------------------------------------------------------------------

// The progress of the steps so far.
typedef struct progress {
  double multiplier;          // multiplier of this step
  double largest, bound;      // largest multiplier at present, and at any time
  int failures;               // number of steps that Newton's method did not solve
  double best;                // least residual so far
  int stalled;                // steps since the least residual was halved
} progress;

// Chooses the next multiplier. `solved` says whether Newton's method converged, in this number of iterations.
// If the residual stalls close to the tolerance, it may consist only of rounding errors of u, which rho amplifies.
// So the largest multiplier is lowered; if that does not help either, it starts again at its bound.
static void choose_multiplier(progress* p, int solved, int32_t iterations, double residual, double tolerance) {
  p->failures += !solved;
  p->stalled = residual <= 0.5 * p->best ? 0 : p->stalled + 1;
  if (p->stalled == 0) p->best = residual;

  if (p->stalled >= MAX_STALLED && residual < CLOSE * tolerance) {
    p->largest = p->largest > ALWAYS ? fmax(ALWAYS, SHRINK * p->largest) : p->bound;
    p->stalled = 0;
  }

  double factor = GROW_HARD;
  if (!solved)
    factor = SHRINK;
  else if (p->failures > 0)
    factor = GROW_LATER;
  else if (iterations < EASY_ITERATIONS)
    factor = GROW_EASY;
  p->multiplier = fmin(p->multiplier * factor, p->largest);
}

// Returns the larger of the two residuals (hfiResidual) of r0. Writes S->u.
static double residual_of(hfiProximal* S, const hfiReduced* P) {
  hfi_reduced_velocity(P, S->r0, S->u);
  hfiResidual e = hfi_friction_residual(P, S->r0, S->u);
  return fmax(e.residual, e.scaled_residual);
}

hfStatus hfi_proximal_solve(hfiProximal* S, const hfiReduced* P, const hfFrictionConfig* config, double* r,
                            hfFrictionReport* report) {
  double tolerance = config->tolerance;
  int32_t nodes = hfi_reduced_nodes(P);

  if (!order_matrix(S, P)) return HF_ERROR_MEMORY;
  for (int32_t row = 0; row < P->n; ++row) place_row(S, P, row);
  for (int32_t i = 0; i < nodes; ++i) S->compliance[i] = hfi_node_compliance(P, i);

  progress p = {.multiplier = 1, .bound = fmin(LARGEST, fmax(ALWAYS, tolerance / ROUNDING))};
  p.largest = p.bound;
  memcpy(S->r0, r, sizeof *r * (size_t)P->n);
  double residual = residual_of(S, P);
  p.best = residual;

  for (int32_t k = 0; k < config->max_steps; ++k) {
    if (!(residual > tolerance && p.multiplier >= SMALLEST)) break;
    for (int32_t i = 0; i < nodes; ++i) S->rho[i] = p.multiplier / S->compliance[i];

    int32_t iterations;
    int solved = solve_step(S, P, config, &iterations);
    report->steps += 1;
    report->iterations += iterations;

    // A step that is not solved leaves r0 as it is.
    if (solved) {
      memcpy(S->r0, S->gamma, sizeof *S->r0 * (size_t)P->n);
      residual = residual_of(S, P);
    }
    choose_multiplier(&p, solved, iterations, residual, tolerance);
  }

  memcpy(r, S->r0, sizeof *r * (size_t)P->n);
  return residual <= tolerance ? HF_OK : HF_NOT_CONVERGED;
}
