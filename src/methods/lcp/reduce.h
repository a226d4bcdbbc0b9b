// The bounded LCP as a standard one, v = M y + q, y >= 0, v >= 0, y^T v = 0, and back.
#ifndef HFI_LCP_REDUCE_H
#define HFI_LCP_REDUCE_H

#include "methods/lcp/problem.h"
#include "methods/lcp/tableau.h"

// What unknown y_k of the standard problem stands for in the bounded problem (reduce.c): a part of z_i, or the room
// unknown u of a boxed z_i.
typedef struct hfiUnknown {
  int32_t variable; // i of z_i
  int32_t row;      // its row in the tableau with the free variables exchanged in
  int32_t col;      // its column there
  int32_t partner;  // for a room unknown: the number k of the y that it limits; otherwise -1
  double sign;      // z_i = rest_i + sign y_k, v_k = sign w
} hfiUnknown;

typedef struct hfiReduction {
  int32_t size;        // number of unknowns of the standard problem, at most 2 n
  double* M;           // (size x size)
  double* q;           // (size)
  double* cover;       // (size)
  hfiUnknown* unknown; // (size)
  hfiTableau t;        // tableau of w and z with the free variables exchanged in
  double* rest;        // (n) value of z_i at y = 0
  signed char* role;   // (2 n)
  double noise;        // entries of M below this are rounding errors of the exchange
} hfiReduction;

// Takes storage for problems of n rows.
hfiReduction hfi_reduction_take(hfiArena* arena, int32_t n);

// Makes the standard problem of a bounded one. cover (n) may be NULL: then it is 1 for all rows.
void hfi_reduce(const hfiLcp* problem, const double* cover, hfiReduction* reduction);

// Computes z (n) and mode (n) from the answer y (size) of the standard problem. is_basic[k] says
// that y_k is in the basis.
void hfi_reduction_recover(const hfiLcp* problem, const hfiReduction* reduction, const double* y,
                           const int* is_basic, double* z, unsigned char* mode);

#endif
