// The dictionary of a linear system and its exchange step, shared by all pivoting methods.
#ifndef HFI_LCP_TABLEAU_H
#define HFI_LCP_TABLEAU_H

#include "base/arena.h"
#include <stdint.h>

// basic = T nonbasic + constant. Variables have ids: 0..nrow-1 start basic, nrow..nrow+ncol-1 start
// nonbasic. For an LCP of size n, id i is w_i and id n + i is z_i.
typedef struct hfiTableau {
  int32_t nrow;
  int32_t ncol;
  double* T;        // (nrow x (ncol + 1)) row-major, the last column is the constant
  int32_t* row_var; // (nrow) id of the basic variable of each row
  int32_t* col_var; // (ncol) id of the nonbasic variable of each column
  int32_t* place;   // (nrow + ncol) row of a basic variable, -1 - column of a nonbasic one
} hfiTableau;

// Takes storage.
hfiTableau hfi_tableau_take(hfiArena* arena, int32_t nrow, int32_t ncol);
// Sets the labels of the starting basis. The caller fills T.
void hfi_tableau_reset(hfiTableau* tableau);
// Swaps the basic variable of `row` with the nonbasic one of `col`; T(row, col) must not be zero.
void hfi_tableau_exchange(hfiTableau* tableau, int32_t row, int32_t col);

// What hfi_tableau_move does with a variable.
typedef enum hfiRole { HFI_LEAVES = -1, HFI_STAYS = 0, HFI_ENTERS = 1 } hfiRole;

// Exchanges basic variables of role[id] = HFI_LEAVES against nonbasic ones of HFI_ENTERS, largest
// pivot first, until none is left or no pivot exceeds `tolerance`. A diagonal pivot (w_i against
// z_i) goes first when it is at least a tenth of the largest, and after (w_i, z_j) comes (w_j,
// z_i): in a positive semidefinite matrix every pair then has one basic member, whatever the rank.
// Returns the number of entering variables left nonbasic.
int32_t hfi_tableau_move(hfiTableau* tableau, const signed char* role, double tolerance);

// Largest entry in absolute value, without the constants.
double hfi_tableau_largest(const hfiTableau* tableau);

static inline double* hfi_tableau_row(const hfiTableau* tableau, int32_t row) {
  return tableau->T + (size_t)row * (size_t)(tableau->ncol + 1);
}
static inline int hfi_is_basic(const hfiTableau* tableau, int32_t id) { return tableau->place[id] >= 0; }
static inline int32_t hfi_row_of(const hfiTableau* tableau, int32_t id) { return tableau->place[id]; }
static inline int32_t hfi_col_of(const hfiTableau* tableau, int32_t id) { return -1 - tableau->place[id]; }

#endif
