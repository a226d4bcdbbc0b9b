// A dense matrix with the pattern of a star: six unknowns, the trunk, come first; up to six others that follow each other are a waist; both are the hub.
// All others belong to limbs that are coupled to the hub and not to each other. So is the Newton matrix of a robot with legs, and arms at a waist, whose
// feet and hands do not touch each other.
#ifndef HFI_LINALG_STAR_H
#define HFI_LINALG_STAR_H

#include "base/arena.h"

#include <stdint.h>

enum {
  HFI_HUB = 6,           // unknowns of the trunk, with which the hub begins
  HFI_LONGEST_WAIST = 6, // A matrix with a longer waist is no star,
  HFI_LONGEST_LIMB = 8   // nor is one with a longer limb.
};

typedef struct hfiLimb {
  int32_t first;    // its first unknown; the others follow
  int32_t size;     // number of its unknowns
  int32_t at_waist; // 1: coupled to the waist, too
} hfiLimb;

typedef struct hfiStar {
  int32_t limbs;     // number of limbs
  hfiLimb* limb;     // (limbs)
  int32_t* reach;    // (n) last unknown that an unknown of a limb is coupled to, besides what the matrix shows
  int32_t waist;     // first unknown of the waist
  int32_t nwaist;    // unknowns of the waist
  double* rows;      // factors of the limbs, in the layout of star.c
  double* hub;       // factors of the hub
  int32_t* pivot;    // (6 + nwaist) row exchanges of the hub
  int32_t factored;  // 1: these are the factors of the matrix
  int32_t symmetric; // 1: the last factorisation assumed a symmetric matrix
} hfiStar;

// Takes storage for matrices of up to n unknowns.
void hfi_star_plan(hfiStar* S, hfiArena* arena, int32_t n);

// Finds the limbs of a matrix of n unknowns whose entries above the diagonal are zero where those of A (n x n) are, unless reach says otherwise: the caller has set
// reach[i] >= i for i >= 6. Returns 0 where there are fewer than two limbs, one is too long,
// or the hub has more than half of the unknowns.
int hfi_star_find_limbs(hfiStar* S, const double* A, int32_t n);

// Factors A (n x n), which stays as it is. With `symmetric` it reads the upper triangle only and needs a positive definite matrix. Returns 0, or 1 where
// a pivot is bad: limbs are factored without exchanges of rows.
int hfi_star_factor(hfiStar* S, const double* A, int n, int symmetric);
// Solves A x = b in place.
void hfi_star_solve(const hfiStar* S, double* b);

#endif
