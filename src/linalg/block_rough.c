// Matrices with rough factors, and the iterations that solve K x = b with them: generalised conjugate residuals
// (Eisenstat, Elman and Schultz, SIAM J. Numer. Anal. 20, 1983), which need no symmetric K.
//
//   M      product of the rough factors, nearly K      k      the iteration, 0, 1, ...
//   r      residual b - K x                            p_k    direction of the step, M^-1 r
//   a      length of the step                          q_k    K p_k
//
// From x = 0 and r = b:
//
//   p_k = M^-1 r,   q_k = K p_k
//   c_j = (q_k, q_j)/(q_j, q_j),   q_k -= sum_j c_j q_j,   p_k -= sum_j c_j p_j   for j < k, so that q_k is
//                                                                                 orthogonal to all q_j
//   a = (r, q_k)/(q_k, q_k),       x += a p_k,   r -= a q_k                       so that |r| is least
//
// Inner products are weighted: (x, y) = sum_i weight_i x_i y_i. With the inverse masses as weights |r| is a norm of
// momenta.
//
// Threads share the branches of K (block_split.c). The "parts" of K are its branches and, after them, the trunk.
#include "linalg/block_rough.h"

#include "base/bits.h"
#include "base/compile.h"
#include "linalg/dense.h"
#include "linalg/weighted.h"

#include <string.h>

enum { MAX_ITERATIONS = 16 }; // Two to seven are usual. Complete factors take as long as about thirty iterations.

// Number of unknowns of the matrix, and first unknown of the trunk.
static int32_t count_unknowns(const hfiBlockMatrix* B) { return B->first[B->nodes]; }
static int32_t first_of_trunk(const hfiBlockMatrix* B) { return B->first[hfi_block_trunk(B)]; }

// ---- storage -----------------------------------------------------------------------------------------

// Returns how many numbers the panels of K alone have, and counts its couplings.
static size_t count_values(const hfiBlockMatrix* B, size_t* couplings) {
  size_t values = 0;
  size_t neighbours = 0;

  for (int32_t i = 0; i < B->nodes; ++i) {
    const uint64_t* row = B->ordering.last_bits + (size_t)i * (size_t)B->graph.words;
    for (int32_t w = 0; w < B->graph.words; ++w) neighbours += (size_t)hfi_count_bits(row[w]);
    values += (size_t)(B->weight[i] * (B->weight[i] + hfi_block_weigh(B, row)));
  }
  *couplings = neighbours / 2; // Each coupling was counted at both of its nodes.
  return values;
}

// Number of numbers of the diagonal block of position k.
static size_t count_diagonal(const hfiBlockMatrix* B, int32_t k) { return (size_t)(B->size[k] * B->size[k]); }

// Takes storage for the rough factors and for K; an arena without memory only counts. Before the call B has the pattern
// and the lists of complete factors.
// Afterwards its lists are new ones with room for the pattern of K alone.
static void take_storage(hfiBlockMatrix* B, hfiBlockRough* R, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes;
  size_t n = (size_t)count_unknowns(B);
  size_t trunk_unknowns = n - (size_t)first_of_trunk(B);
  int32_t trunk = hfi_block_trunk(B);
  size_t couplings;
  size_t values = count_values(B, &couplings);
  size_t trunk_values = 0;
  for (int32_t k = trunk; k < B->nodes; ++k) trunk_values += count_diagonal(B, k);

  // factors, and scratch of the iterations
  hfi_rough_plan(&R->factors, B, arena);
  R->vectors = HFI_TAKE(arena, double, (2 * MAX_ITERATIONS + 2) * n);
  for (int32_t p = 0; p <= B->branches.count; ++p) R->columns[p] = HFI_TAKE(arena, double, n);

  // what branches add to the trunk
  for (int32_t b = 0; b < B->branches.count; ++b) R->trunk_y[b] = HFI_TAKE(arena, double, trunk_unknowns);
  for (int32_t b = 0; b < B->branches.count; ++b) R->trunk_block[b] = HFI_TAKE(arena, double, trunk_values);
  R->trunk_start = HFI_TAKE(arena, size_t, B->nodes - trunk + 1);

  // K and its pattern
  B->value = HFI_TAKE(arena, double, values);
  B->panel_start = HFI_TAKE(arena, size_t, nodes + 1);
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &B->width, &B->start);
  HFI_TAKE_EACH(arena, int32_t, couplings, &B->later, &B->offset);
}

// Returns the length of the storage that hfi_block_make_rough needs, in numbers.
size_t hfi_block_count_rough(const hfiBlockMatrix* B) {
  hfiArena plan = hfi_arena(NULL, 0);
  hfiBlockMatrix matrix = *B;
  hfiBlockRough rough;
  take_storage(&matrix, &rough, &plan);
  return plan.used / sizeof(double) + 1;
}

// Sets the graph to the couplings of K, which last_bits has at both nodes, each at the node with the earlier position.
static void set_graph_to_later(hfiBlockMatrix* B) {
  const int32_t* position = B->ordering.position;

  for (int32_t i = 0; i < B->nodes; ++i)
    for (int32_t w = 0; w < B->graph.words; ++w) {
      size_t word = (size_t)i * (size_t)B->graph.words + (size_t)w;
      uint64_t kept = 0;
      for (uint64_t bits = B->ordering.last_bits[word]; bits; bits &= bits - 1) {
        uint64_t lowest = bits & -bits;
        if (position[64 * w + __builtin_ctzll(bits)] > position[i]) kept |= lowest;
      }
      B->graph.bits[word] = kept;
    }
}

// Gives B, which was just ordered, rough factors in the storage `room` (numbers). Keeps the pattern of complete factors
// in R->complete; the pattern of B becomes the pattern of K alone.
void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room, size_t numbers, hfiWorkers* workers) {
  hfiArena arena = hfi_arena(room, sizeof *room * numbers);
  R->complete = *B;
  R->is_complete = 0;
  R->workers = workers;

  // K alone
  take_storage(B, R, &arena);
  set_graph_to_later(B);
  hfi_block_place_panels(B);
  B->rough = R;

  // the diagonal blocks of the trunk that each branch has of its own
  int32_t trunk = hfi_block_trunk(B);
  size_t* start = R->trunk_start;
  start[0] = 0;
  for (int32_t k = trunk; k < B->nodes; ++k) start[k - trunk + 1] = start[k - trunk] + count_diagonal(B, k);
}

// ---- what branches add to the trunk while K is formed --------------------------------------------------

// Returns the block of a branch that stands for the diagonal block of a position of the trunk.
double* hfi_block_of_trunk(const hfiBlockMatrix* B, int32_t branch, int32_t position) {
  return B->rough->trunk_block[branch] + B->rough->trunk_start[position - hfi_block_trunk(B)];
}

// Sets all these blocks of a branch to zero.
void hfi_block_zero_trunk(hfiBlockMatrix* B, int32_t branch) {
  size_t count = B->rough->trunk_start[B->nodes - hfi_block_trunk(B)];
  memset(B->rough->trunk_block[branch], 0, sizeof(double) * count);
}

// Adds these blocks of all branches to K.
void hfi_block_add_trunk(hfiBlockMatrix* B) {
  for (int32_t b = 0; b < B->branches.count; ++b)
    for (int32_t k = hfi_block_trunk(B); k < B->nodes; ++k) {
      int32_t n = B->size[k];
      hfi_add_block(hfi_block_rows(B, k), hfi_block_stride(B, k), hfi_block_of_trunk(B, b, k), n, n, n);
    }
}

// ---- factors -----------------------------------------------------------------------------------------

// Copies the upper triangles of the diagonal blocks of a part to the lower ones.
static void fill_lower_triangles(void* matrix, int part) {
  const hfiBlockMatrix* B = matrix;
  for (int32_t k = B->branches.start[part]; k < B->branches.start[part + 1]; ++k) {
    double* K_kk = hfi_block_rows(B, k);
    int ld = hfi_block_stride(B, k);
    for (int i = 1; i < B->size[k]; ++i)
      for (int j = 0; j < i; ++j) K_kk[i * ld + j] = K_kk[j * ld + i];
  }
}

// Computes rough factors of K, or complete ones if rough factors fail, now or before. Returns 0, or k + 1 if a pivot of
// position k failed.
int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric) {
  hfiBlockRough* R = B->rough;
  B->factors.symmetric = symmetric;
  if (symmetric) hfi_workers_run(R->workers, B->branches.count + 1, fill_lower_triangles, B);
  if (!R->is_complete && hfi_rough_factor(&R->factors, B, symmetric, R->workers) == 0) return 0;
  return hfi_block_factor_again(B);
}

// Copies the panel of position k to the panel of the complete matrix C, which has these blocks and others.
static void copy_panel(const hfiBlockMatrix* B, hfiBlockMatrix* C, int32_t k) {
  int n = B->size[k];
  int w = B->width[k];
  int ld = n + w;
  int w_C = C->width[k];
  int ld_C = n + w_C;
  const double* rows = hfi_block_rows(B, k);
  const double* lower = hfi_block_lower(B, k);
  double* rows_C = hfi_block_rows(C, k);
  double* lower_C = hfi_block_lower(C, k);

  hfi_copy_block(rows_C, ld_C, rows, ld, n, n);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t from = B->offset[e];
    int32_t to = hfi_block_column(C, k, B->later[e]);
    int32_t m = B->size[B->later[e]];
    hfi_copy_block(rows_C + n + to, ld_C, rows + n + from, ld, n, m);
    if (!B->factors.symmetric) hfi_copy_block(lower_C + to, w_C, lower + from, w, n, m);
  }
}

// Copies K to the complete matrix and factors that. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor_again(hfiBlockMatrix* B) {
  hfiBlockMatrix* C = &B->rough->complete;
  B->rough->is_complete = 1;
  hfi_block_zero(C, 0, C->nodes, B->factors.symmetric);
  for (int32_t k = 0; k < B->nodes; ++k) copy_panel(B, C, k);
  return hfi_block_factor(C, B->factors.symmetric);
}

// ---- y = K x -----------------------------------------------------------------------------------------

// Copies the numbers of x for position k and for its later positions side by side to `columns`, in the order of the
// columns of its rows.
HFI_FORCE_INLINE void gather_columns(const hfiBlockMatrix* B, int32_t k, const double* x, double* columns, int six) {
  int n = six ? 6 : B->size[k];
  memcpy(columns, x + B->first[k], sizeof *x * (size_t)n);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e];
    int32_t m = six ? 6 : B->size[j];
    memcpy(columns + n + B->offset[e], x + B->first[j], sizeof *x * (size_t)m);
  }
}

// Adds the panel of position k to y = K x: its rows give y_k, and the blocks below its pivot add to y_j of its later
// positions j. If K is symmetric, those blocks are the transposed ones beside the pivot. trunk_y stands for y at the
// unknowns of the trunk. columns (n + w): scratch. six, a constant: 1 if all nodes have six unknowns.
HFI_FORCE_INLINE void multiply_panel(const hfiBlockMatrix* B, int32_t k, const double* x, double* y, double* trunk_y,
                                     double* columns, int six) {
  int n = six ? 6 : B->size[k];
  int w = B->width[k];
  int ld = n + w;
  const double* rows = hfi_block_rows(B, k);
  const double* x_k = x + B->first[k];
  double* y_k = y + B->first[k];
  gather_columns(B, k, x, columns, six);

  // y_k
  if (six) {
    double negative[6] = {0};
    hfi_six_subtract_dots(negative, rows, ld, columns, ld);
    for (int i = 0; i < 6; ++i) y_k[i] -= negative[i];
  } else
    for (int i = 0; i < n; ++i) y_k[i] += hfi_dot(rows + i * ld, columns, ld);

  // y_j of the later positions
  int32_t trunk = hfi_block_trunk(B);
  int ld_lower = B->factors.symmetric ? ld : w;
  const double* lower = B->factors.symmetric ? rows + n : rows + n * ld;
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e];
    double* y_j = (j < trunk ? y : trunk_y) + B->first[j];
    hfi_add_rows(y_j, 1.0, x_k, 1, lower + B->offset[e], ld_lower, n, six ? 6 : B->size[j]);
  }
}

// Sets y of part p to zero and adds the panels of the part to y = K x.
HFI_FORCE_INLINE void multiply_panels(const hfiBlockMatrix* B, int32_t p, const double* x, double* y, double* trunk_y,
                                      int six) {
  int32_t first = B->branches.start[p];
  int32_t end = B->branches.start[p + 1];
  memset(y + B->first[first], 0, sizeof *y * (size_t)(B->first[end] - B->first[first]));
  for (int32_t k = first; k < end; ++k) multiply_panel(B, k, x, y, trunk_y, B->rough->columns[p], six);
}

// What the parts of K share for y = K x.
typedef struct Product {
  const hfiBlockMatrix* B;
  const double* x;
  double* y;
} Product;

// Adds the panels of part p to y = K x. What a branch adds to the trunk goes to trunk_y of the branch.
static void multiply_part(void* data, int p) {
  const Product* product = data;
  const hfiBlockMatrix* B = product->B;
  double* trunk_y = product->y;

  if (p < B->branches.count) {
    int32_t trunk = first_of_trunk(B);
    trunk_y = B->rough->trunk_y[p] - trunk; // indexed as y is
    memset(trunk_y + trunk, 0, sizeof *trunk_y * (size_t)(count_unknowns(B) - trunk));
  }

  if (B->all_six)
    multiply_panels(B, p, product->x, product->y, trunk_y, 1);
  else
    multiply_panels(B, p, product->x, product->y, trunk_y, 0);
}

// Completes y = K x after the branches: adds the panels of the trunk, and what the branches add to its rows.
static void multiply_trunk(Product* product) {
  const hfiBlockMatrix* B = product->B;
  int32_t trunk = first_of_trunk(B);
  multiply_part(product, B->branches.count);
  for (int32_t b = 0; b < B->branches.count; ++b)
    hfi_axpy(product->y + trunk, 1.0, B->rough->trunk_y[b], count_unknowns(B) - trunk);
}

// y = K x
void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y) {
  Product product = {B, x, y};
  hfi_workers_run(B->rough->workers, B->branches.count, multiply_part, &product);
  multiply_trunk(&product);
}

// ---- the iteration -----------------------------------------------------------------------------------

// Iteration k of the method at the head of the file.
typedef struct ConjugateIteration {
  const hfiBlockMatrix* B;
  const double* weight; // (n) weights of the inner products
  const double* b;      // (n) the right-hand side
  int k;
  double* x;                         // (n) the solution so far
  double* r;                         // (n) b - K x, not set before the end of iteration 0
  double* p;                         // (MAX_ITERATIONS x n) p_j
  double* q;                         // (MAX_ITERATIONS x n) q_j
  double q_square[MAX_ITERATIONS];   // (q_j, q_j)
  double c[MAX_ITERATIONS];          // c_j, how much of the earlier directions is subtracted
  double a;                          // length of the step
  // What each part adds to inner products: (K p_k, q_j) for j < k, then (K p_k, K p_k), then (K p_k, r); and (r, r).
  double dots[HFI_MAX_BRANCHES + 1][MAX_ITERATIONS + 2];
  double r_square[HFI_MAX_BRANCHES + 1];
} ConjugateIteration;

// Returns vector j (n) of p or q.
static double* get_vector(const ConjugateIteration* it, double* vectors, int j) {
  return vectors + (size_t)j * (size_t)count_unknowns(it->B);
}

// The residual at the start of iteration k. In the first one it is b.
static const double* get_residual(const ConjugateIteration* it) { return it->k ? it->r : it->b; }

// The unknowns of a part: the first one, and how many.
static int32_t first_of_part(const hfiBlockMatrix* B, int p) { return B->first[B->branches.start[p]]; }
static int32_t size_of_part(const hfiBlockMatrix* B, int p) { return first_of_part(B, p + 1) - first_of_part(B, p); }

// Computes what the unknowns of part p add to the inner products with K p_k, which is in the place of q_k.
static void compute_dots(ConjugateIteration* it, int p) {
  int32_t first = first_of_part(it->B, p);
  int32_t n = size_of_part(it->B, p);
  const double* w = it->weight + first;
  const double* Kp = get_vector(it, it->q, it->k) + first;
  double* dots = it->dots[p];

  for (int j = 0; j < it->k; ++j) dots[j] = hfi_weighted_dot(w, Kp, get_vector(it, it->q, j) + first, n);
  dots[it->k] = hfi_weighted_dot(w, Kp, Kp, n);
  dots[it->k + 1] = hfi_weighted_dot(w, Kp, get_residual(it) + first, n);
}

// For branch b: completes p_k = M^-1 r, which is known for the trunk, then computes its part of K p_k and of the inner
// products.
static void compute_direction(void* data, int b) {
  ConjugateIteration* it = data;
  double* p_k = get_vector(it, it->p, it->k);
  double* q_k = get_vector(it, it->q, it->k);
  hfi_rough_end_solution(&it->B->rough->factors, it->B, b, p_k);
  multiply_part(&(Product){it->B, p_k, q_k}, b);
  compute_dots(it, b);
}

// For the unknowns of a part: subtracts the earlier directions from p_k and from q_k, which holds K p_k. Takes the
// step, and computes what the part adds to (r, r).
static void take_step(void* data, int part) {
  ConjugateIteration* it = data;
  int32_t first = first_of_part(it->B, part);
  int32_t n = size_of_part(it->B, part);
  double* p_k = get_vector(it, it->p, it->k) + first;
  double* q_k = get_vector(it, it->q, it->k) + first;
  double* x = it->x + first;
  double* r = it->r + first;

  for (int j = 0; j < it->k; ++j) {
    hfi_axpy(q_k, -it->c[j], get_vector(it, it->q, j) + first, n);
    hfi_axpy(p_k, -it->c[j], get_vector(it, it->p, j) + first, n);
  }

  // the first step begins at x = 0 and r = b
  if (it->k == 0) {
    hfi_scale(x, it->a, p_k, n);
    hfi_move(r, it->b + first, -it->a, q_k, n);
  } else {
    hfi_axpy(x, it->a, p_k, n);
    hfi_axpy(r, -it->a, q_k, n);
  }
  it->r_square[part] = hfi_weighted_dot(it->weight + first, r, r, n);
}

// Returns inner product number i of K p_k: the sum over the parts.
static double sum_dots(const ConjugateIteration* it, int i) {
  double sum = 0;
  for (int p = 0; p <= it->B->branches.count; ++p) sum += it->dots[p][i];
  return sum;
}

// Computes c, (q_k, q_k) and a from the inner products of K p_k. The q_j are orthogonal to each other and to r:
//
//   q_k = K p - sum_j c_j q_j   =>   (q_k, q_k) = (K p, K p) - sum_j c_j^2 (q_j, q_j),   (r, q_k) = (r, K p)
static void compute_coefficients(ConjugateIteration* it) {
  int k = it->k;
  it->q_square[k] = sum_dots(it, k);
  for (int j = 0; j < k; ++j) {
    it->c[j] = sum_dots(it, j) / it->q_square[j];
    it->q_square[k] -= it->c[j] * it->c[j] * it->q_square[j];
  }
  it->a = sum_dots(it, k + 1) / it->q_square[k];
}

// Makes iteration k. Returns (r, r) at its end.
static double iterate(ConjugateIteration* it) {
  const hfiBlockMatrix* B = it->B;
  hfiWorkers* workers = B->rough->workers;
  int trunk = B->branches.count; // as a part
  double* p_k = get_vector(it, it->p, it->k);
  double* q_k = get_vector(it, it->q, it->k);

  // p_k = M^-1 r, and K p_k in the place of q_k
  hfi_rough_begin_solution(&B->rough->factors, B, get_residual(it), p_k, workers);
  hfi_workers_run(workers, B->branches.count, compute_direction, it);
  multiply_trunk(&(Product){B, p_k, q_k});
  compute_dots(it, trunk);

  // the step
  compute_coefficients(it);
  hfi_workers_run(workers, B->branches.count + 1, take_step, it);

  double r_square = 0;
  for (int part = 0; part <= trunk; ++part) r_square += it->r_square[part];
  return r_square;
}

// Solves K x = b in place until |b - K x| <= tolerance |b|, or with complete factors if K has these. Returns 0, with b
// unchanged, if that takes too many iterations.
int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b) {
  if (B->rough->is_complete) {
    hfi_block_solve(&B->rough->complete, b);
    return 1;
  }

  int32_t n = count_unknowns(B);
  double b_square = hfi_weighted_dot(weight, b, b, n);
  double enough = tolerance * tolerance * b_square; // of |r|^2
  if (b_square == 0) return 1;

  ConjugateIteration it = {.B = B, .weight = weight, .b = b};
  it.x = B->rough->vectors;
  it.r = it.x + n;
  it.p = it.r + n;
  it.q = it.p + MAX_ITERATIONS * (size_t)n;

  for (; it.k < MAX_ITERATIONS; ++it.k) {
    if (!(iterate(&it) <= enough)) continue;
    memcpy(b, it.x, sizeof *b * (size_t)n);
    return 1;
  }
  return 0;
}
