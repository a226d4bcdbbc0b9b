// The contents of an hfMlcp: the rows of a rigid step, the matrix G over these rows, and the complementarity problem into which a form turns them.
#ifndef HFI_SOLVE_MLCP_H
#define HFI_SOLVE_MLCP_H

#include "step/problem/partition.h"

#include <holdfast/mlcp.h>

// A row of the complementarity problem: x times row `row` of J plus y times the next row.
typedef struct hfiMlcpEdge { int32_t row; double x, y; } hfiMlcpEdge;

// The size of the largest dense problem for which there is memory. Memory grows with the square of these numbers, and few problems are near the worst
// case. So more is allocated only if a problem needs it.
typedef struct hfiMlcpRoom {
  int32_t row, nv, n; // number of rows, of velocities, of unknowns of the complementarity problem
  size_t work_size;   // size of hfMlcp.work [bytes]
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

  // the answer, which the caller gets if nothing is refused
  double* v;       // (nv of the problem)
  double* impulse; // (nrow of the problem)

  // the members that are being solved: an island, or several islands as one
  hfiMembers members;
  int32_t nv;      // number of their velocities
  int32_t* column; // (ntree of the problem) first velocity of a tree among them
  double* free_v;  // (nv) v* = A^-1 p*
  double* A;       // (max_tree_nv^2) factors of one tree

  // rows of the members: saturated rows, then normals, then tangents
  int32_t ns, nc, nt, n; // number of saturated rows, contacts, contacts with friction, and of all rows, n = ns + nc + 2 nt
  int32_t* source;       // (n) number of the row in the problem
  double* J;             // (n x nv)
  double* W;             // (n x nv) J A^-1
  double* G;             // (n x n)
  double* g;             // (n) J v*
  double* target;        // (n) target of the row velocity [m/s or rad/s]; the target of a tangent is the velocity at which its anchor has no force
  double* soft;          // (n) compliance R of saturated rows; 0 for rigid rows
  double *lo, *hi;       // (n) bounds of the impulse [N s or N m s]
  double* x;             // (n) impulses: the answer of a form [N s or N m s]

  // contacts of the members
  int32_t* contact; // (nc) block of the contact
  int32_t* tangent; // (nc) first of its two tangent rows, or -1 without friction
  double* mu;       // (nc) coefficient of sliding friction [-]

  // the complementarity problem of N unknowns
  hfiMlcpEdge* edge;                       // (N) rows of the complementarity form
  double* lcp_A;                           // (N x N)
  double *lcp_b, *lcp_lo, *lcp_hi, *z;     // (N)
  void* work;                              // (room.work_size)
};

// Copies the rows of the members, eliminates the velocities, and forms G and g. Returns HF_SINGULAR if a mass matrix is not positive definite or numbers
// overflow. Refuses if there is no memory.
hfStatus hfi_mlcp_form_rows(hfMlcp* m, hfiMembers members, hfError* error);

// Makes sure that there is memory for m->ns, m->nc, m->nt and m->nv. If it has to allocate, it allocates a fourth more. Refuses if there is no memory.
hfStatus hfi_mlcp_make_room(hfMlcp* m, hfError* error);

// The mean diagonal entry of G, to which regularisations are relative; 1 if there are no rows.
double hfi_mlcp_mean_diagonal(const hfMlcp* m);

// Solves the problem of n unknowns in m->lcp_* for m->z. Adds pivots and residual to the report.
hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error);

// The three forms of hfMlcpForm. Each writes the impulses of the rows to m->x.
hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_two_stage(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_dissipation(hfMlcp* m, hfSolveReport* report, hfError* error);

// The method "mlcp", for the table of methods.
extern const struct hfiMethod hfi_method_mlcp;

#endif
