// An island: trees that are connected by blocks, copied from the step problem into a form in which
// Newton's method runs fast.
//
//   scalars   Saturated rows on a single dof (drives, limits, joint friction) need no matrix. They are
//             the first blocks of the island, one row each.
//   patches   Consecutive other blocks that act on the same dofs form a patch. Their Jacobians are
//             stacked in one dense matrix J, so that J v, J^T gamma and J^T G J run over contiguous
//             memory. Rows and columns are padded with zeros to multiples of four.
//   nodes     The Newton matrix K is block-sparse with one node for each tree. A small island is one
//             node, so that K is dense.
//
// Indices "of the island" count its own trees, dofs, blocks and rows from zero; dofs are in the
// order in which K is eliminated. A "slot" is the index of a dof within its node.
#ifndef HFI_SOLVE_ISLAND_H
#define HFI_SOLVE_ISLAND_H

#include "linalg/block_rough.h"
#include "solve/law.h"
#include "solve/room.h"

// Islands of up to this many dofs are one node.
enum { HFI_DENSE_DOFS = 12 };

// Columns of a patch that belong to one node and whose dofs follow each other without gaps. The foot of a quadruped has two
// segments, the free joint and the leg.
typedef struct hfiSegment {
  int32_t node;   // its position in the order of elimination
  int32_t column; // first of the columns in the patch
  int32_t ncol;   // their number
  int32_t slot;   // slot of the first
} hfiSegment;

// Has a segment six columns, as that of a free body?
static inline int hfi_is_free_body(const hfiSegment* g) { return g->ncol == 6; }

typedef struct hfiPatch {
  int32_t block, nblock;     // its blocks of the island
  int32_t row, nrow;         // its rows of the island
  int32_t ncol, ld;          // number of columns; ncol rounded up to a multiple of 4
  int32_t height;            // nrow rounded up to a multiple of 4, and the island's rows are padded too; with nfree it is nrow
  int32_t segment, nsegment; // its segments of the island, those of a node side by side
  int32_t nnode;             // number of nodes of its segments
  int32_t nfree;             // its number of segments, 1 or 2, where each has the six dofs of a free body and the rows are compact (patch.h); otherwise 0
  int32_t dim;               // with nfree: number of rows of each of its blocks
  int32_t body[2];           // with nfree: first dofs of its bodies
  int32_t column;            // with two nodes: first column of the second beside the first (hfi_block_column)
  int32_t* piece;            // (npiece) order of the pieces of its blocks by ascending dofs
  int32_t* dof;              // (ncol) dofs of the island, ascending
  double *J, *JT;            // (height x ld), (ld x height); with nfree compact rows, and NULL
} hfiPatch;

typedef struct hfiIslandBlock {
  int32_t law, dim;                // hfLawKind; number of rows
  int32_t row;                     // its first row of the island
  int32_t source;                  // its first row of the step problem
  int32_t patch;                   // its patch, or -1 for a scalar
  const hfContactLaw* contact;     // NULL for saturated rows
  const hfSaturatedRow* saturated; // (dim), NULL for a contact
} hfiIslandBlock;

// A saturated row on one dof.
typedef struct hfiScalar {
  int32_t dof; // of the island
  double J;    // the only entry of its Jacobian
  size_t at;   // index of K[dof][dof] in K.value
} hfiScalar;

// The friction groups of a contact at given row velocities, in the symbols of dual.c. Each array has one number for each group: sliding, torsion,
// rolling; the others are not read (dual.c). Torsion has u1 = t1 = 0.
typedef struct hfiDualGroups {
  double u0[4], u1[4], t0[4], t1[4];
  double m[4];   // -1: the bound of friction is zero
  int32_t count; // of the groups; 0: no force bounds friction, and the arrays are not set
} hfiDualGroups;

// What a contact did in the last soft iterations of a damped heap, in the symbols of damp.c.
typedef struct hfiDamping {
  double bound_share, bound_change; // share and dx of b
  double share[3], change[5];       // of the friction groups, and of the rows of friction
  double normal_change;             // last change of pi0 [N]
  int32_t flips;                    // how often it opened or closed
  int32_t steady;                   // 1: it acted before the last iteration and after it
} hfiDamping;

typedef struct hfiPatchKernels hfiPatchKernels; // solve/patch.h

// The factors of an island of more trees than this are rough (linalg/block_rough.h). With 200 free bodies complete ones are faster, with 400 rough ones.
enum { HFI_ROUGH_TREES = 250 };

typedef struct hfiIsland {
  const hfStepProblem* problem;
  const hfiPatchKernels* kernels;
  int32_t n, ntree, nblock, nrow, npatch, nsegment; // n: dofs; nrow includes padding
  int32_t is_plain;              // 1: one tree without scalars, and one patch whose columns are all its dofs, in order
  int32_t is_narrow;             // 1: the same, of up to four dofs, and its only block is a contact
  int32_t* tree;                 // (ntree) trees of the problem, in the order of elimination
  int32_t* first;                // (trees of the problem) first dof of the island of a tree
  int32_t* node;                 // (trees of the problem) node of a tree
  hfiIslandBlock* block;         // (nblock) scalars come first
  int32_t nscalar;               // number of scalars: blocks, and rows, 0 to nscalar - 1
  hfiScalar* scalar;             // (nscalar)
  int32_t* wide;                 // (blocks of the problem) scratch of gathering: blocks that are no scalars
  hfiPatch* patch;               // (npatch)
  hfiSegment* segment;           // (nsegment)
  int32_t* index;                // storage of piece and dof of all patches
  double *jacobian, *transposed; // storage of J and JT of all patches
  hfiBlockMatrix K;              // Newton matrix and its factors: one of the next two
  hfiBlockMatrix dense, sparse;  // with one node; with one for each tree. Each keeps its pattern while the other is used
  hfiStar star;                  // of K where the island is one tree with limbs

  double *v, *v0, *p;                 // (n) iterate, velocity at the start of the step, p*
  double *dv, *v1;                    // (n) Newton step, velocity at the end of the full step
  double *r, *Av, *tau;               // (n) residual, A v, J^T gamma. tau has room for the padded columns of a patch
  double* work;                       // (n) scratch
  double *diag, *inverse_diag;        // (n) A_ii, 1/A_ii
  double p_norm;                      // |p*|, mass-scaled [sqrt(kg) m/s]
  double* drift;                      // (nrow) of the problem, where it has any; 0 in padding
  double *s, *s1, *ds;                // (nrow) J v + drift, J v1 + drift, J dv; 0 in padding
  double* weight;                     // (nrow) of the rows where has_weights is 1 (hfi_system_row_weights); 0 in padding
  int32_t has_weights;
  double *gamma, *G;                  // (nrow) impulses, 0 in padding; -dgamma/ds of saturated rows
  double* dual;                       // (nrow) friction duals (dual.h) [-]
  hfiDualGroups* dual_groups;         // (nblock) friction groups of the contacts where they were evaluated last
  double* lag;                        // (nblock) normal force that bounds friction in the convex problem and in soft iterations [N]
  double* pi0;                        // (nblock) normal force known so far (soft.c) [N]
  int32_t is_damped;                  // 1: soft iterations of the heap are damped (damp.h)
  hfiDamping* damping;                // (nblock) of a heap that is damped
  double *v_kept, *s_kept, *lag_kept; // (n), (nrow), (nblock) of its best pass (convex.c); v_kept also of the soft iterations (soft.c)
  hfContactLaw* soft;                 // (nblock) soft laws of the contacts (soft.c)
  const hfContactLaw** other_law;     // (nblock) the law that the one in `block` takes turns with
  int32_t known_rows;                 // Rows of the problem below this were solved before in this step, with the answer v0; 0: none.
  const double* known_impulse;        // (known_rows) the impulses of that answer
  double *force, *inverse_mass;       // (nrow) friction forces known so far [N or N m]; W of the rows [1/kg]
  hfiContactResponse* response;       // (nblock)
  double inertia;                     // K has (1 + inertia) A in the place of A (newton.c) [-]
  double *GJ, *local;                 // scratch of forming K: (nrow x ld), (ncol x ld) of a patch
  double* rows;                       // scratch: (nrow x ld), J of a patch of compact rows
  hfiRoom values, locals, rough;      // storage of K.value, of local, and of what K needs for rough factors
  hfiBlockRough rough_factors;        // of K where it is rough
  hfAllocator allocator;              // of what they grow by
  double* column;                     // scratch of products with J: (ld)
} hfiIsland;

// Takes storage for islands of a problem within the capacity.
void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* capacity);
// Gives back what was allocated since.
void hfi_island_release(hfiIsland* I);

// Copies `ntree` trees and the `nblock` blocks on them from the problem into the island. Both lists
// are in ascending order. Returns 0 where there is no memory for an island that needs more than was planned.
int hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees,
                       int32_t ntree, const int32_t* blocks, int32_t nblock);
// The part of it that copies rows, when the dofs are numbered. Returns 0 where there is no memory.
int hfi_island_gather_rows(hfiIsland* I, const int32_t* blocks, int32_t nblock);

// Returns the end of the run of active blocks that begins with block k. *rows is the number of its rows.
static inline int32_t hfi_end_of_run(const hfiIsland* I, int32_t k, int32_t end, int32_t* rows) {
  *rows = 0;
  for (; k < end && I->response[k].active; ++k) *rows += I->block[k].dim;
  return k;
}

// Is a block of the patch active?
static inline int hfi_any_active(const hfiIsland* I, const hfiPatch* patch) {
  for (int32_t k = patch->block; k < patch->block + patch->nblock; ++k)
    if (I->response[k].active) return 1;
  return 0;
}

#endif
