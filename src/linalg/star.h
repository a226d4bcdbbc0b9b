// A dense matrix with the pattern of a star: six unknowns, the hub, come first, and all others belong to limbs that are coupled to the hub and
// not to each other. So is the Newton matrix of a robot with legs whose feet do not touch each other.
#ifndef HFI_LINALG_STAR_H
#define HFI_LINALG_STAR_H

#include "base/arena.h"

#include <stdint.h>

enum {
  HFI_HUB = 6,         // unknowns of the hub
  HFI_LONGEST_LIMB = 8 // A matrix with a longer limb is no star.
};

typedef struct hfiStar {
  int32_t limbs;     // number of limbs
  int32_t* limb;     // (limbs + 1) first unknown of a limb, then n
  int32_t* reach;    // (n) last unknown that an unknown of a limb is coupled to, besides what the matrix shows
  double* rows;      // factors of the limbs, in the layout of star.c
  double* hub;       // factors of the hub
  int32_t* pivot;    // (6) row exchanges of the hub
  int32_t factored;  // 1: these are the factors of the matrix
  int32_t symmetric; // 1: the last factorisation assumed a symmetric matrix
} hfiStar;

// Takes storage for matrices of up to n unknowns.
void hfi_star_plan(hfiStar* S, hfiArena* arena, int32_t n);

// Finds the limbs of a matrix of n unknowns whose entries above the diagonal are zero where those of A (n x n) are, unless reach says otherwise: the caller has set
// reach[i] >= i for i >= 6. Returns 0 where there are fewer than two limbs, or one is too long.
int hfi_star_find_limbs(hfiStar* S, const double* A, int32_t n);

// Factors A (n x n), which stays as it is. With `symmetric` it reads the upper triangle only and needs a positive definite matrix. Returns 0, or 1 where
// a pivot is bad: limbs are factored without exchanges of rows.
int hfi_star_factor(hfiStar* S, const double* A, int n, int symmetric);
// Solves A x = b in place.
void hfi_star_solve(const hfiStar* S, double* b);

#endif
