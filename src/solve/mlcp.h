// Inside of an hfMlcp: the rows of a rigid step, the matrix G over them, and the complementarity
// problem that a form makes of them.
#ifndef HFI_SOLVE_MLCP_H
#define HFI_SOLVE_MLCP_H

#include "solve/partition.h"

#include <holdfast/mlcp.h>

// A row of the complementarity problem: x times row `row` of J plus y times the row after it.
typedef struct hfiMlcpEdge { int32_t row; double x, y; } hfiMlcpEdge;

// How large a dense problem there is memory for: the square of its sizes counts, and few problems are near the worst case. Memory grows
// where a problem needs more.
typedef struct hfiMlcpRoom {
  int32_t row, nv, n; // rows, velocities, unknowns of the complementarity problem
  size_t work_size;
  void* memory;
} hfiMlcpRoom;

// Rows are in the order saturated rows, normals, tangents. Symbols as in mlcp.c:
//   v = v* + A^-1 J^T x,   g = J v*,   G = J A^-1 J^T
struct hfMlcp {
  hfStepCapacity capacity;
  hfMlcpConfig config;
  hfiMlcpRoom room;

  const hfStepProblem* problem;
  hfiPartition partition;      // islands of the problem
  const int32_t *tree, *block; // trees and blocks of the island, or islands, solved now,
  int32_t ntree, nblock, nv;   // and how many, and how many velocities
  int32_t* column;             // (ntree of the problem) first column of a tree of the island
  int32_t* driven;             // (islands) 1: the island has saturated rows
  int32_t *group_tree, *group_block; // trees and blocks of several islands that are solved as one
  // rows of this island
  int32_t ns, nc, nt, n; // saturated rows, contacts, contacts with friction, all rows ns + nc + 2 nt
  int32_t* source;       // (rows) the row of the problem that it is
  int32_t* contact;      // (nc) block of the contact
  int32_t* tangent;      // (nc) first of its two tangent rows, or -1
  double* J;             // (n x nv of the island)
  double* W;             // (n x nv of the island) rows of J A^-1
  double* G;             // (n x n)
  double* g;             // (rows) J v*
  double* target;        // (rows) target of the row velocity; of tangents that of their anchor
  double* soft;          // (rows) compliance R of saturated rows; 0 if rigid
  double* lo;            // (rows) bounds of the impulse, and
  double* hi;            // (max_row)
  double* mu;            // (nc)
  double* A;             // (max_tree_nv^2) factor of one tree
  double* free_v;        // (nv of the island) v* = A^-1 p*

  // the complementarity problem of N unknowns
  hfiMlcpEdge* edge;     // (N) of the complementarity form
  double *lcp_A, *lcp_b, *lcp_lo, *lcp_hi, *z; // (N x N), (N) ...
  double* x;             // (rows) impulses of the rows
  void* work;            // (room.work_size)
};

// Makes room for the rows ns, nc and nt and the velocities nv that m counts, and for a fourth more where that has to be allocated. Refuses where the machine
// has no memory for them.
hfStatus hfi_mlcp_make_room(hfMlcp* m, hfError* error);

// Solves the problem of n unknowns in m->lcp_* for m->z. Adds pivots and residual to the report.
hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error);

// The three forms of hfMlcpForm. Each leaves the impulses of the rows in m->x.
hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_two_stage(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_dissipation(hfMlcp* m, hfSolveReport* report, hfError* error);

#endif
