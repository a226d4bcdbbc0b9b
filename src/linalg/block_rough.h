// Rough factors of a block-sparse matrix K of several nodes, and the solution of K x = b by iterations with their help.
//
// Elimination fills most blocks of complete factors, and in a large heap most of these hardly matter: what one body does to another fades with the number
// of bodies between them. Rough factors leave out what is negligible. In heaps of 1000 bodies a tenth to a quarter of the products are left, and some
// iterations make up for the rest (docs/theory/heaps.md, "Rough factors of large heaps").
//
// The panels of a rough matrix have no room for what elimination fills: they are K, from beginning to end. The factors are elsewhere (rough_factor.h).
#ifndef HFI_LINALG_BLOCK_ROUGH_H
#define HFI_LINALG_BLOCK_ROUGH_H

#include "linalg/rough_factor.h"

typedef struct hfiBlockRough {
  hfiBlockMatrix complete; // The matrix with the panels of complete factors.
  int32_t is_complete;     // 1: rough factors did not do, and complete ones are used
  hfiRoughFactors factors;
  double* vectors;         // scratch of iterations
} hfiBlockRough;

// How many numbers a rough matrix needs beside the panels of complete factors, after each ordering.
size_t hfi_block_count_rough(const hfiBlockMatrix* B);
// Makes the matrix, which was just ordered, one of rough factors. It then has the couplings of its graph alone. `room` has so many numbers.
void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room);
static inline int hfi_block_is_rough(const hfiBlockMatrix* B) { return B->rough != NULL; }

// Factors K, which stays as it is. Where there are no rough factors, it is factored completely. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric);
// Factors K completely, as all further ones. Returns what hfi_block_factor does.
int hfi_block_factor_again(hfiBlockMatrix* B);

// y = K x. Unknowns are in the order of elimination.
void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y);
// Solves K x = b in place, with rough factors so that |b - K x| <= tolerance |b| in the norm sqrt(sum weight_i x_i^2). Returns 0 where that takes too many
// iterations; b is then what it was.
int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b);

#endif
