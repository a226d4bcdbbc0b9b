// Rough factors of a block-sparse matrix, in single precision (rough_factor.c). They have half of the bytes of others, and what they miss is mended by
// iterations in double precision anyway.
#ifndef HFI_LINALG_ROUGH_FACTOR_H
#define HFI_LINALG_ROUGH_FACTOR_H

#include "linalg/block_sparse.h"

typedef struct hfiRoughFactors {
  int32_t symmetric;
  // A block has the rows of position k, padded with zeros to a multiple of eight numbers.
  float *upper, *lower; // Blocks Y, blocks Z. If K is symmetric, Z = Y, and both pointers are equal.
  float* storage;       // of both
  size_t half;          // numbers in one of them
  float *left, *right;  // T^T and S of the positions
  size_t* pivot_at;     // (nodes + 1) where those of position k begin
  int32_t* start;       // (nodes + 1) first entry of position k. An entry is a coupling with a later position:
  int32_t *later, *earlier; // (entries) that position; k
  int32_t* next;            // (entries) the entry before this one with the same later position, or -1
  int32_t *is_strong, *strong; // (entries) 1: the coupling is strong; the next entry of this position that is, or where the next position begins
  size_t* at;               // (entries) where Y begins in `upper`, and Z in `lower`
  // scratch
  int32_t* last;         // (nodes) the last entry with this later position, or -1
  int32_t* place;        // (nodes) where the blocks of this later position begin in `beside` and `below`, or -1
  uint64_t* open;        // (words) bit j: place[j] >= 0
  float *beside, *below; // blocks K_kj and K_jk^T of the position that is being factored
  int32_t* first;        // (nodes + 1) first unknown of position k in the next two
  float *diagonal, *x;   // the diagonal of K as far as it is factored; unknowns, both padded as a row is
  float *sums, *turned;  // (n x 8) of the largest node; S^T of the position that is being factored
  double *pivot, *inverse; // (n x 2n), (n x n) of the largest node
} hfiRoughFactors;

// Takes storage for the factors of B, whose pattern is that of complete ones.
void hfi_rough_plan(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiArena* arena);
// Factors B, which has the pattern of K alone and stays as it is. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric);
// Solves K x = b in place, roughly.
void hfi_rough_solve(const hfiRoughFactors* F, const hfiBlockMatrix* B, double* b);

#endif
