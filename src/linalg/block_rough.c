// Matrices with rough factors, and the iterations that solve K x = b with them: generalised conjugate residuals
// (Eisenstat, Elman and Schultz, SIAM J. Numer. Anal. 20, 1983), which need no symmetric K. From x = 0 and r = b, for k
// = 0, 1, ...:
//
//   p_k = M^-1 r,   q_k = K p_k                                     M: product of the rough factors, nearly K
//   c_j = (q_k, q_j)/(q_j, q_j),   q_k -= sum_j c_j q_j,   p_k -= sum_j c_j p_j,   j < k     so that q_k is orthogonal to all q_j
//   a = (r, q_k)/(q_k, q_k),   x += a p_k,   r -= a q_k             so that |r| = |b - K x| is least
//
// Inner products are weighted: (x, y) = sum_i weight_i x_i y_i. With the inverse masses as weights |r| is a norm of
// momenta.
#include "linalg/block_rough.h"

#include "base/bits.h"
#include "base/compile.h"
#include "linalg/dense.h"
#include "linalg/weighted.h"

#include <string.h>

enum { MAX_ITERATIONS = 16 }; // Two to seven are usual. Complete factors take as long as about thirty iterations.

// ---- storage -----------------------------------------------------------------------------------------

// Returns how many numbers the panels of K alone have, and counts its couplings.
static size_t count_values(const hfiBlockMatrix* B, size_t* couplings) {
  size_t values = 0, neighbours = 0;
  for (int32_t i = 0; i < B->nodes; ++i) {
    const uint64_t* row = B->ordered + (size_t)i * (size_t)B->words;
    for (int32_t w = 0; w < B->words; ++w) neighbours += (size_t)hfi_count_bits(row[w]);
    values += (size_t)(B->weight[i] * (B->weight[i] + hfi_block_weigh(B, row)));
  }
  *couplings = neighbours / 2; // Each coupling was counted at both of its nodes.
  return values;
}

// Takes storage for the rough factors and for K. Before the call B has the pattern and the lists of complete factors.
// Afterwards its lists are new ones with room for the pattern of K alone.
static void take_storage(hfiBlockMatrix* B, hfiBlockRough* R, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes, couplings, values = count_values(B, &couplings), trunk_values = 0;
  int32_t trunk = B->branch_start[B->branches];
  for (int32_t k = trunk; k < B->nodes; ++k) trunk_values += (size_t)(B->size[k] * B->size[k]);
  hfi_rough_plan(&R->factors, B, arena);
  R->vectors = HFI_TAKE(arena, double, (2 * MAX_ITERATIONS + 2) * (size_t)B->first[B->nodes]);
  for (int32_t p = 0; p <= B->branches; ++p) R->columns[p] = HFI_TAKE(arena, double, B->first[B->nodes]);
  for (int32_t p = 0; p < B->branches; ++p) R->trunk_y[p] = HFI_TAKE(arena, double, B->first[B->nodes] - B->first[trunk]);
  for (int32_t p = 0; p < B->branches; ++p) R->trunk_block[p] = HFI_TAKE(arena, double, trunk_values);
  R->trunk_at = HFI_TAKE(arena, size_t, B->nodes - trunk + 1);
  B->value = HFI_TAKE(arena, double, values);
  B->at = HFI_TAKE(arena, size_t, nodes + 1);
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &B->width, &B->start);
  HFI_TAKE_EACH(arena, int32_t, couplings, &B->later, &B->offset);
}

size_t hfi_block_count_rough(const hfiBlockMatrix* B) {
  hfiArena plan = hfi_arena(NULL, 0);
  hfiBlockMatrix matrix = *B;
  hfiBlockRough rough;
  take_storage(&matrix, &rough, &plan);
  return plan.used / sizeof(double) + 1;
}

// Sets `graph` to the couplings of K, each at the node with the earlier position.
static void set_graph_to_later(hfiBlockMatrix* B) {
  for (int32_t i = 0; i < B->nodes; ++i)
    for (int32_t w = 0; w < B->words; ++w) {
      size_t at = (size_t)i * (size_t)B->words + (size_t)w;
      uint64_t kept = 0;
      for (uint64_t bits = B->ordered[at]; bits; bits &= bits - 1)
        if (B->position[64 * w + __builtin_ctzll(bits)] > B->position[i]) kept |= bits & -bits;
      B->graph[at] = kept;
    }
}

// Places the diagonal blocks of the trunk that each branch has of its own.
static void place_trunk_blocks(const hfiBlockMatrix* B, hfiBlockRough* R) {
  int32_t trunk = B->branch_start[B->branches];
  R->trunk_at[0] = 0;
  for (int32_t k = trunk; k < B->nodes; ++k) R->trunk_at[k - trunk + 1] = R->trunk_at[k - trunk] + (size_t)(B->size[k] * B->size[k]);
}

void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room, size_t numbers, hfiWorkers* workers) {
  hfiArena arena = hfi_arena(room, sizeof *room * numbers);
  R->complete = *B;
  R->is_complete = 0;
  R->workers = workers;
  take_storage(B, R, &arena);
  set_graph_to_later(B);
  hfi_block_place_panels(B);
  place_trunk_blocks(B, R);
  B->rough = R;
}

double* hfi_block_of_trunk(const hfiBlockMatrix* B, int32_t branch, int32_t position) {
  return B->rough->trunk_block[branch] + B->rough->trunk_at[position - B->branch_start[B->branches]];
}

void hfi_block_zero_trunk(hfiBlockMatrix* B, int32_t branch) {
  memset(B->rough->trunk_block[branch], 0, sizeof(double) * B->rough->trunk_at[B->nodes - B->branch_start[B->branches]]);
}

void hfi_block_add_trunk(hfiBlockMatrix* B) {
  for (int32_t b = 0; b < B->branches; ++b)
    for (int32_t k = B->branch_start[B->branches]; k < B->nodes; ++k)
      hfi_add_block(hfi_block_rows(B, k), hfi_block_stride(B, k), hfi_block_of_trunk(B, b, k), B->size[k], B->size[k], B->size[k]);
}

// ---- factors -----------------------------------------------------------------------------------------

// Copies the upper triangle of a diagonal block to the lower one.
static void fill_lower_triangle(double* K, int n, int ld) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) K[i * ld + j] = K[j * ld + i];
}

// Does so for all diagonal blocks of a part of the matrix.
static void fill_part(void* data, int part) {
  const hfiBlockMatrix* B = data;
  for (int32_t k = B->branch_start[part]; k < B->branch_start[part + 1]; ++k)
    fill_lower_triangle(hfi_block_rows(B, k), B->size[k], hfi_block_stride(B, k));
}

int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric) {
  hfiBlockRough* R = B->rough;
  B->symmetric = symmetric;
  if (symmetric) hfi_workers_run(R->workers, B->branches + 1, fill_part, B);
  if (!R->is_complete && hfi_rough_factor(&R->factors, B, symmetric, R->workers) == 0) return 0;
  return hfi_block_factor_again(B);
}

// Copies the panel of position k to that of the complete matrix C, which has these blocks and others.
static void copy_panel(const hfiBlockMatrix* B, hfiBlockMatrix* C, int32_t k) {
  int n = B->size[k], w = B->width[k], ld = n + w, wide = C->width[k];
  const double *rows = hfi_block_rows(B, k), *lower = hfi_block_lower(B, k);
  double *to_rows = hfi_block_rows(C, k), *to_lower = hfi_block_lower(C, k);
  hfi_copy_block(to_rows, n + wide, rows, ld, n, n);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t from = B->offset[e], column = hfi_block_column(C, k, B->later[e]), m = B->size[B->later[e]];
    hfi_copy_block(to_rows + n + column, n + wide, rows + n + from, ld, n, m);
    if (!B->symmetric) hfi_copy_block(to_lower + column, wide, lower + from, w, n, m);
  }
}

int hfi_block_factor_again(hfiBlockMatrix* B) {
  hfiBlockMatrix* C = &B->rough->complete;
  B->rough->is_complete = 1;
  hfi_block_zero(C, 0, C->nodes, B->symmetric);
  for (int32_t k = 0; k < B->nodes; ++k) copy_panel(B, C, k);
  return hfi_block_factor(C, B->symmetric);
}

// ---- the iteration -----------------------------------------------------------------------------------

// Copies the numbers of x for position k and for its later nodes side by side to `columns`, in the order of the columns
// of its rows.
HFI_FORCE_INLINE void gather_columns(const hfiBlockMatrix* B, int32_t k, const double* x, double* columns, int six) {
  int n = six ? 6 : B->size[k];
  memcpy(columns, x + B->first[k], sizeof *x * (size_t)n);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e], m = six ? 6 : B->size[j];
    memcpy(columns + n + B->offset[e], x + B->first[j], sizeof *x * (size_t)m);
  }
}

// Adds the panel of position k to y = K x: its rows give y_k, and the blocks below its pivot add to y_j of its later
// nodes. If K is symmetric, those blocks are the transposed ones beside the pivot. trunk_y is where y of the trunk is,
// as y for all other positions. columns: scratch
HFI_FORCE_INLINE void multiply_panel(const hfiBlockMatrix* B, int32_t k, const double* x, double* y, double* trunk_y,
                                     double* columns, int six) {
  int n = six ? 6 : B->size[k];
  int w = B->width[k];
  int ld = n + w;
  const double* rows = hfi_block_rows(B, k);
  const double* xk = x + B->first[k];
  double* yk = y + B->first[k];
  gather_columns(B, k, x, columns, six);

  // y_k
  if (six) {
    double minus[6] = {0};
    hfi_six_subtract_dots(minus, rows, ld, columns, ld);
    for (int i = 0; i < 6; ++i) yk[i] -= minus[i];
  } else
    for (int i = 0; i < n; ++i) yk[i] += hfi_dot(rows + i * ld, columns, ld);

  // y_j of the later positions
  int32_t trunk = B->branch_start[B->branches];
  int ld_lower = B->symmetric ? ld : w;
  const double* lower = B->symmetric ? rows + n : rows + n * ld;
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e];
    double* yj = (j < trunk ? y : trunk_y) + B->first[j];
    hfi_add_rows(yj, 1.0, xk, 1, lower + B->offset[e], ld_lower, n, six ? 6 : B->size[j]);
  }
}

// Adds the panels of a part of the matrix.
HFI_FORCE_INLINE void multiply_part(const hfiBlockMatrix* B, int32_t p, const double* x, double* y, double* trunk_y,
                                    int six) {
  int32_t first = B->branch_start[p], end = B->branch_start[p + 1];
  memset(y + B->first[first], 0, sizeof *y * (size_t)(B->first[end] - B->first[first]));
  for (int32_t k = first; k < end; ++k) multiply_panel(B, k, x, y, trunk_y, B->rough->columns[p], six);
}

typedef struct Product {
  const hfiBlockMatrix* B;
  const double* x;
  double* y;
} Product;

// Adds the panels of a branch, or of the trunk.
static void multiply_shared(void* data, int p) {
  const Product* product = data;
  const hfiBlockMatrix* B = product->B;
  int32_t trunk = B->first[B->branch_start[B->branches]];
  double* trunk_y = p < B->branches ? B->rough->trunk_y[p] - trunk : product->y;
  if (p < B->branches) memset(trunk_y + trunk, 0, sizeof *trunk_y * (size_t)(B->first[B->nodes] - trunk));
  if (B->all_six)
    multiply_part(B, p, product->x, product->y, trunk_y, 1);
  else
    multiply_part(B, p, product->x, product->y, trunk_y, 0);
}

// Adds the panels of the trunk, and what the branches add to its rows.
static void finish_product(Product* product) {
  const hfiBlockMatrix* B = product->B;
  int32_t trunk = B->first[B->branch_start[B->branches]];
  multiply_shared(product, B->branches);
  for (int32_t p = 0; p < B->branches; ++p) hfi_axpy(product->y + trunk, 1.0, B->rough->trunk_y[p], B->first[B->nodes] - trunk);
}

void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y) {
  Product product = {B, x, y};
  hfi_workers_run(B->rough->workers, B->branches, multiply_shared, &product);
  finish_product(&product);
}

// Iteration k of the method at the head of the file. p, q and square have numbers for all iterations.
typedef struct Iteration {
  const hfiBlockMatrix* B;
  const double* weight;
  int k;
  const double* b;
  double *x, *r, *p, *q;                                 // p and q of the first iteration; those of the next ones follow
  double square[MAX_ITERATIONS];                         // (q_j, q_j)
  double c[MAX_ITERATIONS], a;                           // how much of the earlier directions is subtracted, length of the step
  double dots[HFI_MAX_BRANCHES + 1][MAX_ITERATIONS + 2]; // what each part adds to (K p, q_j), j < k, to (K p, K p) and to (K p, r)
  double left[HFI_MAX_BRANCHES + 1];                     // what it adds to (r, r)
} Iteration;

// Direction j: p_j with p, q_j with q.
static double* direction(const Iteration* it, double* first, int j) { return first + (size_t)j * (size_t)it->B->first[it->B->nodes]; }

// The unknowns of a part: the first one, and how many.
static int32_t first_of_part(const hfiBlockMatrix* B, int p) { return B->first[B->branch_start[p]]; }
static int32_t size_of_part(const hfiBlockMatrix* B, int p) { return B->first[B->branch_start[p + 1]] - B->first[B->branch_start[p]]; }

// The residual at the start of iteration k. In the first one it is b, and r is not set yet.
static const double* residual(const Iteration* it) { return it->k ? it->r : it->b; }

// Computes what the unknowns of a part add to the inner products with q_k = K p_k.
static void multiply_part_dots(Iteration* it, int p) {
  int32_t first = first_of_part(it->B, p), n = size_of_part(it->B, p);
  const double *w = it->weight + first, *q = direction(it, it->q, it->k) + first;
  for (int j = 0; j < it->k; ++j) it->dots[p][j] = hfi_weighted_dot(w, q, direction(it, it->q, j) + first, n);
  it->dots[p][it->k] = hfi_weighted_dot(w, q, q, n);
  it->dots[p][it->k + 1] = hfi_weighted_dot(w, q, residual(it) + first, n);
}

// Completes p_k = M^-1 r of a branch, and computes its part of q_k = K p_k and the inner products. The product of a
// branch needs p_k of the branch and of the trunk.
static void multiply_branch(void* data, int p) {
  Iteration* it = data;
  hfi_rough_end_solution(&it->B->rough->factors, it->B, p, direction(it, it->p, it->k));
  multiply_shared(&(Product){it->B, direction(it, it->p, it->k), direction(it, it->q, it->k)}, p);
  multiply_part_dots(it, p);
}

// Subtracts the earlier directions from p_k and q_k, and takes the step, for the unknowns of a part.
static void step_part(void* data, int part) {
  Iteration* it = data;
  int32_t first = first_of_part(it->B, part), n = size_of_part(it->B, part);
  double *p = direction(it, it->p, it->k) + first, *q = direction(it, it->q, it->k) + first, *r = it->r + first;
  for (int j = 0; j < it->k; ++j) {
    hfi_axpy(q, -it->c[j], direction(it, it->q, j) + first, n);
    hfi_axpy(p, -it->c[j], direction(it, it->p, j) + first, n);
  }
  if (it->k == 0) {
    hfi_scale(it->x + first, it->a, p, n);
    hfi_move(r, it->b + first, -it->a, q, n);
  } else {
    hfi_axpy(it->x + first, it->a, p, n);
    hfi_axpy(r, -it->a, q, n);
  }
  it->left[part] = hfi_weighted_dot(it->weight + first, r, r, n);
}

// Inner product number i of q_k = K p_k: the sum over the parts.
static double sum_dots(const Iteration* it, int i) {
  double sum = 0;
  for (int p = 0; p <= it->B->branches; ++p) sum += it->dots[p][i];
  return sum;
}

// Finds c, (q_k, q_k) and a from the inner products of K p_k. The q_j are orthogonal to each other and to r:
//   q_k = K p - sum_j c_j q_j   =>   (q_k, q_k) = (K p, K p) - sum_j c_j^2 (q_j, q_j),   (r, q_k) = (r, K p)
static void find_step(Iteration* it) {
  int k = it->k;
  it->square[k] = sum_dots(it, k);
  for (int j = 0; j < k; ++j) {
    it->c[j] = sum_dots(it, j) / it->square[j];
    it->square[k] -= it->c[j] * it->c[j] * it->square[j];
  }
  it->a = sum_dots(it, k + 1) / it->square[k];
}

// Makes iteration k. Returns (r, r) at its end.
static double iterate(Iteration* it) {
  const hfiBlockMatrix* B = it->B;
  hfiWorkers* workers = B->rough->workers;
  double *p = direction(it, it->p, it->k), *q = direction(it, it->q, it->k), left = 0;
  hfi_rough_begin_solution(&B->rough->factors, B, residual(it), p, workers);
  hfi_workers_run(workers, B->branches, multiply_branch, it);
  finish_product(&(Product){B, p, q});
  multiply_part_dots(it, B->branches);
  find_step(it);
  hfi_workers_run(workers, B->branches + 1, step_part, it);
  for (int part = 0; part <= B->branches; ++part) left += it->left[part];
  return left;
}

int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b) {
  int32_t n = B->first[B->nodes];
  double *x = B->rough->vectors, *r = x + n, *p = r + n;
  double norm2 = hfi_weighted_dot(weight, b, b, n), enough = tolerance * tolerance * norm2;
  if (B->rough->is_complete) {
    hfi_block_solve(&B->rough->complete, b);
    return 1;
  }
  if (norm2 == 0) return 1;
  Iteration it = {.B = B, .weight = weight, .b = b, .x = x, .r = r, .p = p, .q = p + MAX_ITERATIONS * (size_t)n};
  for (; it.k < MAX_ITERATIONS; ++it.k) {
    if (!(iterate(&it) <= enough)) continue;
    memcpy(b, x, sizeof *b * (size_t)n);
    return 1;
  }
  return 0;
}
