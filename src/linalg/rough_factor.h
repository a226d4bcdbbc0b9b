// Rough factors of a block-sparse matrix K in single precision (rough_factor.c has the algebra and its symbols). They
// are for iterations in double precision (block_rough.h), which mend what rounding and the couplings that are left out
// spoil. Single precision takes half of the memory.
#ifndef HFI_LINALG_ROUGH_FACTOR_H
#define HFI_LINALG_ROUGH_FACTOR_H

#include "base/workers.h"
#include "linalg/block_sparse.h"

// What a branch contributes to the rows of the trunk. Trunk position k has the contributions start[k] to
// start[k + 1] - 1, with k counted from the first position of the trunk on.
typedef struct hfiRoughContributions {
  float* pivot;         // to K_kk, one after the other as in T_transposed
  float *right, *below; // to K_kj and K_jk^T
  int32_t* start;       // (trunk nodes + 1)
  int32_t* later;       // (contributions) j
  int32_t* place;       // (contributions) where its blocks begin in `right` and `below`
  float* x;             // to the right-hand sides of the trunk
} hfiRoughContributions;

// What one part of the matrix, a branch or the trunk, needs for itself while it is factored and solved, so that
// branches can be factored at the same time.
typedef struct hfiRoughPart {
  int32_t first_entry; // where the entries of its positions begin
  size_t first_number; // where the blocks of its positions begin in Y and Z

  // Row k of K while position k is factored.
  float *K_right, *K_below; // blocks K_kj and K_jk^T
  int32_t* place;           // (nodes) where the blocks of position j begin in K_right and K_below; -1: row k has none
  uint64_t* row_pattern;    // (words) bit j: row k has blocks of position j
  float* S_transposed;      // S^T of position k, if K is not symmetric
  double* pivot;            // (n x 2n, n of the largest node) [K_kk I], then the factors of K_kk and T
  double* inverse;          // (n x n of the largest node) S, if K is not symmetric
  int32_t* exchanges;       // (n of the largest node) row exchanges inside K_kk
  float* sums;              // (n x 8, n of the largest node) scratch

  int32_t* column_last; // (nodes) last entry of this part whose later position is this one, or -1
  float* diagonal;      // the diagonal of K, padded, less the contributions of the factored positions of this part
  hfiRoughContributions trunk; // of a branch
} hfiRoughPart;

typedef struct hfiRoughFactors {
  int32_t symmetric; // 1: K is symmetric

  // The factors. Rows of blocks are padded with zeros to a multiple of eight numbers.
  float *Y, *Z;            // blocks Y_kj and Z_kj. If K is symmetric, Z = Y, and both pointers are equal.
  float* storage;          // (2 x capacity) memory of Y and Z
  size_t capacity;         // numbers for which each of Y and Z has room
  float *T_transposed, *S; // T^T and S of all positions
  size_t* pivot_start;     // (nodes + 1) where T^T and S of position k begin

  // Their pattern. An entry is a coupling of an earlier and a later position that was kept. Entries of an earlier
  // position are sorted by the later one.
  int32_t *start, *end;     // (nodes) the entries whose earlier position is k are start[k] to end[k] - 1
  int32_t *earlier, *later; // (entries) the two positions
  size_t* block_start;      // (entries) where Y_kj and Z_kj begin in Y and Z
  int32_t* is_strong;       // (entries) 1: the coupling is strong
  int32_t* next_strong;     // (entries) next strong entry with the same earlier position k, or end[k] if there is none
  int32_t* column_before;   // (entries) the entry before this one of the same part and with the same later position; -1

  // Vectors with a number for each unknown, padded as a row is.
  int32_t* first; // (nodes + 1) where the unknowns of position k begin in them
  float* x;       // right-hand side, then solution

  hfiRoughPart part[HFI_MAX_BRANCHES + 1]; // the branches and the trunk
} hfiRoughFactors;

// Takes storage for the factors of B, whose pattern is that of complete factors.
void hfi_rough_plan(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiArena* arena);

// Factors B, which has the pattern of K alone and stays as it is. Returns 0, or k + 1 if a pivot of position k failed.
// The workers share the branches; NULL: the caller does all of them. The factors are the same for any number of
// workers.
int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric, hfiWorkers* workers);

// Solves K x = b with the rough factors in the place of K (rough_solve.c): the solution is approximate. The first
// function, whose workers share the branches, solves for the trunk. Then the second one solves for a branch; it may be
// called for several branches at the same time. b and x may be the same.
void hfi_rough_begin_solution(hfiRoughFactors* F, const hfiBlockMatrix* B, const double* b, double* x,
                              hfiWorkers* workers);
void hfi_rough_end_solution(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t branch, double* x);

#endif
