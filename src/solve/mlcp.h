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

// Symbols as in mlcp_rows.c:  v = v* + A^-1 J^T x,   g = J v*,   G = J A^-1 J^T
struct hfMlcp {
  hfStepCapacity capacity;
  hfMlcpConfig config;
  hfiMlcpRoom room;

  // the problem and its islands
  const hfStepProblem* problem;
  hfiPartition partition;
  int32_t* driven;                   // (islands) 1: the island has saturated rows
  int32_t *group_tree, *group_block; // members of several islands that are solved as one

  // what is solved now: an island, or several as one
  hfiMembers members;
  int32_t nv;      // number of their velocities
  int32_t* column; // (ntree of the problem) first velocity of a tree among them
  double* free_v;  // (nv) v* = A^-1 p*
  double* A;       // (max_tree_nv^2) factors of one tree

  // its rows: saturated rows, then normals, then tangents
  int32_t ns, nc, nt, n; // saturated rows, contacts, contacts with friction, all rows ns + nc + 2 nt
  int32_t* source;       // (n) the row of the problem that it is
  double* J;             // (n x nv)
  double* W;             // (n x nv) J A^-1
  double* G;             // (n x n)
  double* g;             // (n) J v*
  double* target;        // (n) target of the row velocity; of tangents that of their anchor
  double* soft;          // (n) compliance R of saturated rows; 0 if rigid
  double *lo, *hi;       // (n) bounds of the impulse
  double* x;             // (n) impulses: the answer of a form

  // its contacts
  int32_t* contact; // (nc) block of the contact
  int32_t* tangent; // (nc) first of its two tangent rows, or -1
  double* mu;       // (nc)

  // the complementarity problem of N unknowns that a form makes of them
  hfiMlcpEdge* edge;                       // (N) of the complementarity form
  double* lcp_A;                           // (N x N)
  double *lcp_b, *lcp_lo, *lcp_hi, *z;     // (N)
  void* work;                              // (room.work_size)
};

// Copies the rows of the members, eliminates the velocities and forms G and g. Returns HF_SINGULAR where the numbers do not make a problem, and refuses where the
// machine has no memory for it.
hfStatus hfi_mlcp_form_rows(hfMlcp* m, hfiMembers members, hfError* error);

// Makes room for the rows ns, nc and nt and the velocities nv that m counts. Where that has to be allocated, there is room for a fourth more. Refuses where the
// machine has no memory for them.
hfStatus hfi_mlcp_make_room(hfMlcp* m, hfError* error);

// The mean diagonal entry of G, to which regularisations are relative; 1 where there are no rows.
double hfi_mlcp_mean_diagonal(const hfMlcp* m);

// Solves the problem of n unknowns in m->lcp_* for m->z. Adds pivots and residual to the report.
hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error);

// The three forms of hfMlcpForm. Each leaves the impulses of the rows in m->x.
hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_two_stage(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_dissipation(hfMlcp* m, hfSolveReport* report, hfError* error);

#endif
