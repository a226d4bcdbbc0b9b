// A matrix with the pattern of a star, and its factors.
//
// A robot with legs and arms has a Newton matrix of this pattern as long as its feet and hands do not touch each other:
//
//   trunk  the first six unknowns, which are coupled to all others
//   waist  up to fourteen other unknowns that limbs share: the waist of a humanoid with arms, the spine of a dog, or an
//          arm whose hand touches a leg
//   hub    trunk and waist
//   limb   up to 24 unknowns that follow each other: a leg, an arm, a tail, or two legs that touch each other. Limbs
//          are coupled to the trunk, and some to the waist, but not to each other.
//
// The matrix itself is dense. star.c says how it is factored.
#ifndef HFI_LINALG_STAR_H
#define HFI_LINALG_STAR_H

#include "base/arena.h"

#include <stdint.h>

enum {
  HFI_TRUNK = 6,          // unknowns of the trunk
  HFI_LONGEST_WAIST = 14, // A matrix with a longer waist is no star.
  HFI_LONGEST_LIMB = 24   // A matrix with a longer limb is no star.
};

typedef struct hfiLimb {
  int32_t first;  // its first unknown; the others follow
  int32_t size;   // number of its unknowns
  int32_t nwaist; // The limb may be coupled to the first `nwaist` unknowns of the waist, all of which come before it.
} hfiLimb;

typedef struct hfiExchange { int32_t a, b; } hfiExchange; // two unknowns whose rows are exchanged

typedef struct hfiStar {
  // The pattern. The reach of an unknown is the last one to which it is coupled, directly or through unknowns between
  // the two.
  int32_t* reach;                   // (n)
  int32_t nlimb;                    // number of limbs
  hfiLimb* limb;                    // (nlimb)
  int32_t nwaist;                   // number of unknowns of the waist, or 0
  int32_t waist[HFI_LONGEST_WAIST]; // (nwaist) unknowns of the waist, ascending

  // the factors, in the layout of star.c
  double* rows;          // factors of the limbs
  double* hub;           // factors of the hub
  int32_t nexchange;     // number of row exchanges of the limbs
  hfiExchange* exchange; // (nexchange) these exchanges, in the order in which they were made
  int32_t* pivot;        // (6 + nwaist) row exchanges of the hub
  int32_t factored;      // 1: the last factorisation succeeded
  int32_t symmetric;     // 1: it assumed a symmetric matrix
} hfiStar;

// Takes storage for matrices of up to n unknowns.
void hfi_star_plan(hfiStar* star, hfiArena* arena, int32_t n);

// The pattern of a matrix of n unknowns is found in three steps:
//   1. hfi_star_begin removes all couplings.
//   2. hfi_star_couple couples unknown i of a limb with those after it, up to `last`.
//   3. hfi_star_find_limbs adds the couplings that a matrix A (n x n) has above its diagonal. It returns 1 if all these
//      make a star, and 0 if there are fewer than two limbs, a limb or the waist is too long, or the hub has more than
//      half of the unknowns.
void hfi_star_begin(hfiStar* star, int32_t n);
static inline void hfi_star_couple(hfiStar* star, int32_t i, int32_t last) {
  if (star->reach[i] < last) star->reach[i] = last;
}
int hfi_star_find_limbs(hfiStar* star, const double* A, int32_t n);

// Factors A (n x n), which must have the pattern that was found. A does not change. A symmetric A must be positive
// definite, and only its upper triangle is read. Returns 0, or 1 if a pivot is bad.
int hfi_star_factor(hfiStar* star, const double* A, int n, int symmetric);
// Solves A x = b in place with the factors of A.
void hfi_star_solve(const hfiStar* star, double* b);

#endif
