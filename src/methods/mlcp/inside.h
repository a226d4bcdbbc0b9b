// The contents of an hfMlcp: the rows of a rigid step, the matrix G over these rows, and the complementarity problem
// into which a form turns them.
//
// The files of this folder call the hfMlcp mlcp, and the rows of the members rows.
#ifndef HFI_MLCP_INSIDE_H
#define HFI_MLCP_INSIDE_H

#include "step/problem/partition.h"

#include <holdfast/mlcp.h>

// The size of the largest dense problem for which there is memory. Memory grows with the square of these numbers, and
// few problems are near the worst case. So more is allocated only if a problem needs it.
typedef struct hfiMlcpRoom {
  int32_t row;      // number of rows
  int32_t nv;       // number of velocities
  int32_t n;        // number of unknowns of the complementarity problem
  size_t work_size; // size of hfiMlcpUnknowns.work [bytes]
  void* memory;
} hfiMlcpRoom;

// The islands of the problem (mlcp.c).
typedef struct hfiMlcpIslands {
  hfiPartition partition;
  int32_t* driven;      // (islands) 1: the island has saturated rows
  int32_t* group_tree;  // trees of several islands that are solved as one
  int32_t* group_block; // their blocks
} hfiMlcpIslands;

// Rows of the members that are being solved: saturated rows, then normals, then tangents (mlcp_rows.c). Symbols as
// there: v = v* + A^-1 J^T x,  g = J v*,  G = J A^-1 J^T.
typedef struct hfiMlcpRows {
  int32_t ns;      // number of saturated rows
  int32_t nc;      // number of contacts
  int32_t nt;      // number of contacts with friction
  int32_t n;       // number of all rows, ns + nc + 2 nt
  int32_t* source; // (n) number of the row in the problem
  double* J;       // (n x nv)
  double* W;       // (n x nv) J A^-1
  double* G;       // (n x n)
  double* g;       // (n) J v*
  double* target;  // (n) target of the row velocity; of a tangent the slip where its anchor has no force [m/s or rad/s]
  double* soft;    // (n) compliance R of saturated rows; 0 for rigid rows
  double* lo;      // (n) lower bound of the impulse [N s or N m s]
  double* hi;      // (n) upper bound of the impulse
  double* x;       // (n) impulses: the answer of a form [N s or N m s]

  // contacts
  int32_t* contact; // (nc) block of the contact
  int32_t* tangent; // (nc) first of its two tangent rows, or -1 without friction
  double* mu;       // (nc) coefficient of sliding friction [-]
} hfiMlcpRows;

// x times row `row` of J plus y times the next row.
typedef struct hfiMlcpEdge {
  int32_t row;
  double x;
  double y;
} hfiMlcpEdge;

// Sides of the friction pyramid of the dissipation form.
enum { HFI_MLCP_SIDES = 4 };

// The complementarity problem of n unknowns, the arguments of hf_lcp_solve (mlcp_run.c).
typedef struct hfiMlcpUnknowns {
  hfiMlcpEdge* edge; // (n) what each unknown of the complementarity form multiplies
  double* A;         // (n x n)
  double* b;         // (n)
  double* lo;        // (n)
  double* hi;        // (n)
  double* z;         // (n) the answer
  void* work;        // (room.work_size)
} hfiMlcpUnknowns;

struct hfMlcp {
  hfStepCapacity capacity;
  hfMlcpConfig config;
  hfiMlcpRoom room;
  const hfStepProblem* problem;
  hfiMlcpIslands islands;

  // the answer, which the caller gets if nothing is refused
  double* v;       // (nv of the problem)
  double* impulse; // (nrow of the problem)

  // the members that are being solved: an island, or several islands as one
  hfiMembers members;
  int32_t nv;      // number of their velocities
  int32_t* column; // (ntree of the problem) first velocity of a tree among them
  double* free_v;  // (nv) v* = A^-1 p*
  double* A;       // (max_tree_nv^2) factors of one tree
  hfiMlcpRows rows;
  hfiMlcpUnknowns lcp;
};

// Copies the rows of the members, eliminates the velocities, and forms G and g. Returns HF_SINGULAR if a mass matrix is
// not positive definite or numbers overflow. Refuses if there is no memory.
hfStatus hfi_mlcp_form_rows(hfMlcp* mlcp, hfiMembers members, hfError* error);

// Makes sure that there is memory for the numbers of rows and velocities of the members. If it has to allocate, it
// allocates a fourth more. Refuses if there is no memory.
hfStatus hfi_mlcp_make_room(hfMlcp* mlcp, hfError* error);

// The mean diagonal entry of G, to which regularisations are relative; 1 if there are no rows.
double hfi_mlcp_mean_diagonal(const hfiMlcpRows* rows);

// Solves the problem of n unknowns in mlcp->lcp for mlcp->lcp.z. Adds pivots and residual to the report.
hfStatus hfi_mlcp_run(hfMlcp* mlcp, int n, hfSolveReport* report, hfError* error);

// The three forms of hfMlcpForm. Each writes the impulses of the rows to mlcp->rows.x.
hfStatus hfi_mlcp_complementarity(hfMlcp* mlcp, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_two_stage(hfMlcp* mlcp, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_dissipation(hfMlcp* mlcp, hfSolveReport* report, hfError* error);

#endif
