// Rough factors of a block-sparse matrix K of several nodes, and the solution of K x = b by iterations with their help.
//
// Elimination fills most blocks of complete factors. In a large heap most of these blocks hardly matter: the effect of
// one body on another fades with the number of bodies between them. Rough factors leave out what is negligible. In
// heaps of 1000 bodies a tenth to a quarter of the products are left, and a few iterations make up for the rest
// (docs/theory/large-heaps.md, "Rough factors of large heaps").
//
// If a matrix has rough factors, its own panels hold K before and after the factorisation, and have no room for blocks
// that elimination would fill. The factors have memory of their own (rough_factor.h).
#ifndef HFI_LINALG_BLOCK_ROUGH_H
#define HFI_LINALG_BLOCK_ROUGH_H

#include "linalg/rough_factor.h"

typedef struct hfiBlockRough {
  hfiBlockMatrix complete; // the matrix with panels for complete factors
  int32_t is_complete;     // 1: rough factors have failed, and complete ones are used from then on
  hfiRoughFactors factors;
  double* vectors;     // scratch of the iterations
  hfiWorkers* workers; // they share the branches; NULL: none

  // By branch: what the branch adds to the trunk. The blocks follow each other, each (size x size).
  double* trunk_y[HFI_MAX_BRANCHES];     // (unknowns of the trunk) to K x
  double* trunk_block[HFI_MAX_BRANCHES]; // to the diagonal blocks of the trunk
  size_t* trunk_start;                   // (trunk nodes + 1) where the block of each position of the trunk begins there
  double* columns[HFI_MAX_BRANCHES + 1]; // (n) scratch of each part for K x
} hfiBlockRough;

// How many numbers a rough matrix needs beside the panels of complete factors. It must be asked after each ordering.
size_t hfi_block_count_rough(const hfiBlockMatrix* B);
// Makes the matrix, which was just ordered, one with rough factors: its pattern becomes that of K alone. numbers: what
// hfi_block_count_rough returned, the length of `room`. The workers (NULL: none) share the branches of the matrix.
void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room, size_t numbers, hfiWorkers* workers);
static inline int hfi_block_is_rough(const hfiBlockMatrix* B) { return B->rough != NULL; }

// Computes rough factors of K, which stays as it is. If that fails, it calls hfi_block_factor_again. Returns 0, or k +
// 1 if a pivot of position k failed.
int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric);
// Computes complete factors of K. The factorisations that follow are complete, too. Returns what hfi_block_factor does.
int hfi_block_factor_again(hfiBlockMatrix* B);

// While K is formed, branches add to blocks of their own in the place of the diagonal blocks of the trunk. These
// functions return the block of a position of the trunk, set all blocks of a branch to zero, and add those of all
// branches to K.
double* hfi_block_of_trunk(const hfiBlockMatrix* B, int32_t branch, int32_t position);
void hfi_block_zero_trunk(hfiBlockMatrix* B, int32_t branch);
void hfi_block_add_trunk(hfiBlockMatrix* B);

// y = K x. Unknowns are in the order of elimination.
void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y);
// Solves K x = b in place, with rough factors so that |b - K x| <= tolerance |b| in the norm |x| = sqrt(sum_i weight_i
// x_i^2). Returns 0 if that takes too many iterations; b is then what it was.
int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b);

#endif
