// Rough factors of a block-sparse matrix K of several nodes, and the solution of K x = b by iterations with their help.
//
// Elimination fills most blocks of complete factors, and in a large heap most of these hardly matter: what one body does to another fades with the number
// of bodies between them. Rough factors leave out what is negligible. In heaps of 1000 bodies a tenth to a quarter of the products are left, and some
// iterations make up for the rest (docs/theory/heaps.md, "Rough factors of large heaps").
#ifndef HFI_LINALG_BLOCK_ROUGH_H
#define HFI_LINALG_BLOCK_ROUGH_H

#include "linalg/block_sparse.h"

// How many numbers rough factors need beside the panels, after each ordering.
size_t hfi_block_count_rough(const hfiBlockMatrix* B);
// Makes the matrix, which was just ordered, one of rough factors with the lists R. It has values on the couplings of its graph alone. `room` has so many numbers.
void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room);
static inline int hfi_block_is_rough(const hfiBlockMatrix* B) { return B->rough != NULL; }

// Sets the blocks of K to zero, and no others.
void hfi_block_zero_original(hfiBlockMatrix* B, int symmetric);
// Copies the blocks of K to B->rough->original and factors it roughly. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric);
// The second half of that (block_factor.c).
int hfi_block_eliminate_roughly(hfiBlockMatrix* B, int symmetric);
// Puts the blocks of K back in the place of rough factors, and factors them completely, as all further ones: the matrix is no longer rough. Returns what hfi_block_factor does.
int hfi_block_factor_again(hfiBlockMatrix* B);

// y = K x, after rough factoring. Unknowns are in the order of elimination.
void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y);
// Solves K x = b in place with rough factors, so that |b - K x| <= tolerance |b| in the norm sqrt(sum weight_i x_i^2). Returns 0 where that takes too many
// iterations; b is then what it was.
int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b);

#endif
