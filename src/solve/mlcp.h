// Inside of an hfMlcp: rows in impulses, the matrix over them, and the complementarity problem.
#ifndef HFI_SOLVE_MLCP_H
#define HFI_SOLVE_MLCP_H

#include <holdfast/mlcp.h>

// A row of the complementarity problem: x times row `row` and y times the next of J.
typedef struct hfiMlcpEdge { int32_t row; double x, y; } hfiMlcpEdge;

// Rows of the problem that this model knows, in the order saturated, normals, tangents:
//   g = J v over rows, G = J A^-1 J^T, v = v* + A^-1 J^T z
struct hfMlcp {
  hfStepCapacity capacity;
  hfMlcpConfig config;
  void* memory;
  int32_t max_row, max_n;

  const hfStepProblem* problem;
  int32_t ns, nc, nt, n; // saturated rows, contacts, contacts with friction, rows ns + nc + 2 nt
  int32_t* source;       // (max_row) row of the problem
  int32_t* contact;      // (nc) its block
  int32_t* tangent;      // (nc) first of its two tangent rows, or -1
  double* J;             // (max_row x nv)
  double* W;             // (max_row x nv) rows of J A^-1
  double* G;             // (max_row x max_row)
  double* g;             // (max_row) J v*
  double* target;        // (max_row) least or equal row velocity; 0 for tangents
  double* soft;          // (max_row) compliance of saturated rows, 0: rigid
  double* lo;            // (max_row) bounds of impulses
  double* hi;
  double* mu;            // (nc)
  double* A;             // (max_tree_nv^2) factor of one tree
  double* free_v;        // (nv) v* = A^-1 p*

  // the complementarity problem
  hfiMlcpEdge* edge;     // (max_n) of the complementarity form
  double *lcp_A, *lcp_b, *lcp_lo, *lcp_hi, *z; // (max_n^2), (max_n) ...
  double* x;             // (max_row) impulses of the rows
  void* work;
  size_t work_size;
};

// z of the n x n problem in m->lcp_*; adds pivots and residual to the report.
hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error);

// Each leaves the impulses of the rows in m->x.
hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_two_stage(hfMlcp* m, hfSolveReport* report, hfError* error);
hfStatus hfi_mlcp_dissipation(hfMlcp* m, hfSolveReport* report, hfError* error);

#endif
