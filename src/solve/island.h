// An island: trees that share rows, gathered from the step problem for the Newton solvers.
//
// Consecutive blocks with the same columns form a patch: their Jacobians are stacked in one dense
// matrix, so that J v, J^T gamma and J^T G J run over contiguous memory. Saturated rows on a single
// dof (drives, limits, friction losses of joints) need no matrix: they are scalars, ahead of the
// patches. The Newton matrix is block-sparse with one node a tree; a small island is one node, that
// is, dense.
#ifndef HFI_SOLVE_ISLAND_H
#define HFI_SOLVE_ISLAND_H

#include "linalg/block_sparse.h"
#include "solve/law.h"

enum { HFI_DENSE_DOFS = 12 }; // islands up to this size are factored densely

// Columns of a patch that belong to one node of the Newton matrix.
typedef struct hfiSegment {
  int32_t node;   // position in the order of elimination
  int32_t column; // first column of the patch
  int32_t ncol;
  int32_t consecutive; // slots in the node without gaps
} hfiSegment;

typedef struct hfiPatch {
  int32_t block, nblock; // of the island
  int32_t row, nrow;     // of the island
  int32_t ncol, ld;      // columns; rows of J are padded with zeros to ld, a multiple of 4
  int32_t height;        // nrow rounded up to a multiple of 4: the island's rows are padded too
  int32_t segment, nsegment;
  int32_t* piece;     // (npiece) pieces of its blocks in ascending order of dofs
  int32_t* dof;       // (ncol) dofs of the island, ascending
  int32_t* slot;      // (ncol) index within the node
  double *J, *JT;     // (height x ld), (ld x height)
} hfiPatch;

typedef struct hfiIslandBlock {
  int32_t law, dim;
  int32_t row;    // of the island
  int32_t source; // row of the problem
  int32_t patch;  // -1: a scalar
  const hfContactLaw* contact;
  const hfSaturatedRow* saturated;
} hfiIslandBlock;

// A saturated row on one dof.
typedef struct hfiScalar {
  int32_t dof; // of the island
  double J;
  size_t at; // of its diagonal element in the values of the Newton matrix
} hfiScalar;

typedef struct hfiPatchKernels hfiPatchKernels; // solve/patch.h

typedef struct hfiIsland {
  const hfStepProblem* problem;
  const hfiPatchKernels* kernels;
  int32_t n, ntree, nblock, nrow, npatch, nsegment;
  int32_t* tree;                 // (ntree) trees of the problem, in the order of their dofs here
  int32_t* first;                // (trees of the problem) first dof here of a tree
  int32_t* node;                 // (trees of the problem) position of a tree's node
  hfiIslandBlock* block;         // (nblock) scalars first
  int32_t nscalar;               // blocks, and rows, that are scalars
  hfiScalar* scalar;             // (nscalar)
  int32_t* wide;                 // blocks of the problem that are not
  hfiPatch* patch;               // (npatch)
  hfiSegment* segment;           // (nsegment)
  int32_t* index;                // memory of piece, dof and slot
  double *jacobian, *transposed; // memory of J and JT
  hfiBlockMatrix K;              // Newton matrix and its factors

  double *v, *v0, *p;                 // (n) iterate, first guess, p*
  double *dv, *v1;                    // (n) Newton step, its end
  double *r, *Av, *tau;               // (n) residual, A v, J^T gamma
  double* work;                       // (n)
  double *diag, *inverse_diag;        // (n) A_ii, 1/A_ii
  double p_norm;                      // of p*, mass-scaled
  double *s, *s1, *ds;                // (nrow) row velocities at v and v1, and of dv; 0 in padding
  double *gamma, *G;                  // (nrow) impulses, 0 in padding; -dgamma/ds of saturated rows
  double* dual;                       // (nrow) friction over its bound, kept beside s (dual.h)
  double* lag;                        // (nblock) friction bound pi of the convex problem [N]
  double *v_kept, *s_kept, *lag_kept; // (n), (nrow), (nblock) of its best pass
  hfiContactResponse* response;       // (nblock)
  double *GJ, *local;                 // scratch of the assembly: (nrow x ld), (ncol x ld)
  double* column;                     // scratch of products: (ld)
} hfiIsland;

void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* capacity);

// Gathers `ntree` trees with the blocks that touch them, both in ascending order.
void hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees,
                       int32_t ntree, const int32_t* blocks, int32_t nblock);

#endif
