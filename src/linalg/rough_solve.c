// Solution of K x = b with rough factors (rough_factor.c has the symbols):
//
//   solve_forward      z_k = T b_k,   b_j -= Z_kj^T z_k              k ascending
//   solve_backward     x_k = S^T (z_k - sum_j Y_kj x_j)              k descending
//
// The order of the parts: the branches forwards, at the same time; the trunk forwards and backwards; the branches
// backwards. What a branch subtracts from b of the trunk is summed for each branch alone (hfiRoughContributions.x).
//
// F->x holds b, then z, then x of each position, in single precision and padded.
#include "linalg/rough_kernels.h"

#include <string.h>

// ---- one position ------------------------------------------------------------------------------------

// z_k = T b_k,   b_j -= Z_kj^T z_k. trunk_x stands for F->x at the unknowns of the trunk, so that branches do not write
// the same numbers.
HFI_FORCE_INLINE void solve_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, const hfiRoughPart* part,
                                    int32_t k, float* trunk_x, int six) {
  int n = size_of(B, k, six);
  int length = row_length(B, k, six);
  int32_t trunk = hfi_block_trunk(B);
  float* x_k = F->x + first_unknown(F, k, six);

  // z_k, in the place of b_k
  float* z = part->sums;
  combine_rows(z, x_k, 1, F->T_transposed + F->pivot_start[k], n, length, PRODUCT);
  memcpy(x_k, z, sizeof *x_k * (size_t)length);

  // b_j of the later positions
  for (int32_t e = F->start[k]; e < F->end[k]; ++e) {
    int32_t j = F->later[e];
    float* x_j = (j < trunk ? F->x : trunk_x) + first_unknown(F, j, six);
    combine_rows(x_j, x_k, 1, F->Z + F->block_start[e], n, row_length(B, j, six), SUBTRACTED);
  }
}

// A row times x is summed in PAD partial sums, number c of the row in sum c % PAD. These are one vector or two,
// whatever the machine has, so that the order of additions is the same on all machines.
enum { VECTORS = PAD / HFI_FLOATS }; // vectors of the partial sums of one row

// sums_i += A_i x for n rows A_i of ld numbers, in partial sums
HFI_FORCE_INLINE void add_products(hfiFloats* sums, const float* A, const float* x, int n, int ld) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < ld; c += HFI_FLOATS)
      sums[i * VECTORS + c / HFI_FLOATS % VECTORS] += load(A + i * ld + c) * load(x + c);
}

// Adds the PAD partial sums of a row.
HFI_FORCE_INLINE float add_partial_sums(const float* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// x_k = S^T (z_k - sum_j Y_kj x_j). The partial sums of six rows stay in registers.
HFI_FORCE_INLINE void solve_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, const hfiRoughPart* part,
                                     int32_t k, int six) {
  int n = size_of(B, k, six);
  int length = row_length(B, k, six);
  float* x_k = F->x + first_unknown(F, k, six);

  // sum_j Y_kj x_j
  hfiFloats sums_of_six[6 * VECTORS];
  hfiFloats* sums = six ? sums_of_six : (hfiFloats*)part->sums;
  for (int i = 0; i < n * VECTORS; ++i) sums[i] = (hfiFloats){0};
  for (int32_t e = F->start[k]; e < F->end[k]; ++e) {
    int32_t j = F->later[e];
    add_products(sums, F->Y + F->block_start[e], F->x + first_unknown(F, j, six), n, row_length(B, j, six));
  }

  // z_k less that sum. Number i of the difference overwrites partial sums that are no longer needed.
  float* stored = part->sums;
  float* difference = part->sums;
  for (int i = 0; six && i < 6 * VECTORS; ++i) store(stored + i * HFI_FLOATS, sums[i]);
  for (int i = 0; i < n; ++i) difference[i] = x_k[i] - add_partial_sums(stored + i * PAD);

  combine_rows(x_k, difference, 1, F->S + F->pivot_start[k], n, length, PRODUCT);
}

// ---- one part ----------------------------------------------------------------------------------------

// Copies b to F->x for the positions of part p.
HFI_FORCE_INLINE void load_part(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, const double* b,
                                int six) {
  for (int32_t k = B->branches.start[p]; k < B->branches.start[p + 1]; ++k) {
    float* x_k = F->x + first_unknown(F, k, six);
    round_block(x_k, row_length(B, k, six), b + B->first[k], 0, 1, size_of(B, k, six));
  }
}

// Solves backwards for the positions of part p, and copies their solution from F->x to x.
HFI_FORCE_INLINE void solve_part_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, double* x,
                                          int six) {
  for (int32_t k = B->branches.start[p + 1] - 1; k >= B->branches.start[p]; --k) {
    solve_backward(F, B, F->part + p, k, six);
    const float* x_k = F->x + first_unknown(F, k, six);
    for (int i = 0; i < size_of(B, k, six); ++i) x[B->first[k] + i] = x_k[i];
  }
}

// Solves forwards for the positions of a branch.
HFI_FORCE_INLINE void solve_branch_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t branch,
                                           const double* b, int six) {
  const hfiRoughPart* part = F->part + branch;
  int32_t trunk = F->first[hfi_block_trunk(B)];
  float* trunk_x = part->trunk.x - trunk; // indexed as F->x is
  memset(part->trunk.x, 0, sizeof *part->trunk.x * (size_t)(F->first[B->nodes] - trunk));

  load_part(F, B, branch, b, six);
  for (int32_t k = B->branches.start[branch]; k < B->branches.start[branch + 1]; ++k)
    solve_forward(F, B, part, k, trunk_x, six);
}

// Solves for the trunk, after the branches were solved forwards.
HFI_FORCE_INLINE void solve_trunk(const hfiRoughFactors* F, const hfiBlockMatrix* B, const double* b, double* x,
                                  int six) {
  int32_t p = B->branches.count; // the trunk as a part
  int32_t trunk = F->first[hfi_block_trunk(B)];
  int32_t n = F->first[B->nodes] - trunk;

  load_part(F, B, p, b, six);
  for (int32_t branch = 0; branch < p; ++branch) add_numbers(F->x + trunk, F->part[branch].trunk.x, n);

  for (int32_t k = B->branches.start[p]; k < B->branches.start[p + 1]; ++k)
    solve_forward(F, B, F->part + p, k, F->x, six);
  solve_part_backward(F, B, p, x, six);
}

// ---- all parts ---------------------------------------------------------------------------------------

// What the branches share.
typedef struct Solution {
  const hfiRoughFactors* F;
  const hfiBlockMatrix* B;
  const double* b;
} Solution;

// Solves forwards for a branch, with a constant for the size of the nodes.
static void solve_shared_forward(void* data, int branch) {
  const Solution* shared = data;
  if (shared->B->all_six)
    solve_branch_forward(shared->F, shared->B, branch, shared->b, 1);
  else
    solve_branch_forward(shared->F, shared->B, branch, shared->b, 0);
}

// Solves forwards for all branches, and completely for the trunk, whose unknowns are written to x.
void hfi_rough_begin_solution(hfiRoughFactors* F, const hfiBlockMatrix* B, const double* b, double* x,
                              hfiWorkers* workers) {
  Solution shared = {F, B, b};
  hfi_workers_run(workers, B->branches.count, solve_shared_forward, &shared);
  if (B->all_six)
    solve_trunk(F, B, b, x, 1);
  else
    solve_trunk(F, B, b, x, 0);
}

// Solves backwards for a branch, whose unknowns are written to x.
void hfi_rough_end_solution(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t branch, double* x) {
  if (B->all_six)
    solve_part_backward(F, B, branch, x, 1);
  else
    solve_part_backward(F, B, branch, x, 0);
}
