// An island: trees that are connected by blocks. It is a copy of part of the step problem, in a form that makes
// Newton's method fast.
//
//   scalars  Saturated rows on a single dof (drives, limits, joint friction) need no matrix. They are the first blocks
//            of the island, one row each.
//   stacks   Consecutive other blocks that act on the same dofs form a stack. Their Jacobians are stacked in one dense
//            matrix J, so that J v, J^T gamma and J^T G J read contiguous memory. Rows and columns are padded with
//            zeros to multiples of four.
//   nodes    The Newton matrix K is block-sparse with one node for each tree. A small island is one node, so that K is
//            dense.
//
// An index "of the island" counts the trees, dofs, blocks or rows of the island from zero. Dofs are in the order in
// which K is eliminated. A "slot" is the index of a dof within its node.
//
// Names in the files of this folder: I is the island, P its step problem, K its Newton matrix, k a block of the island,
// g a friction group, h the step [s], v velocities and s row velocities. The theory gives the symbols of each file.
#ifndef HFI_SOLVE_ISLAND_H
#define HFI_SOLVE_ISLAND_H

#include "base/workers.h"
#include "linalg/block_rough.h"
#include "step/law/law.h"
#include "step/solve/solver.h"

#include <holdfast/solver.h>

// Islands of up to this many dofs are one node.
enum { HFI_DENSE_DOFS = 12 };

// Consecutive columns of a stack that belong to one node and have consecutive dofs. The foot of a quadruped has two
// segments, the free joint and the leg.
typedef struct hfiSegment {
  int32_t node;   // position of the node in the order of elimination
  int32_t column; // first column of the segment in the stack
  int32_t ncol;   // number of columns
  int32_t slot;   // slot of the first column's dof
} hfiSegment;

// Does the segment have six columns, as a free body has?
static inline int hfi_is_free_body(const hfiSegment* g) { return g->ncol == 6; }

// Blocks that act on the same dofs. A stack of free bodies acts only on one or two free bodies, and its rows are
// compact (stack.h).
typedef struct hfiStack {
  int32_t block, nblock;     // first block of the island, number of blocks
  int32_t row, nrow;         // first row of the island, number of rows
  int32_t ncol, ld;          // number of columns; ncol rounded up to a multiple of 4
  int32_t height;            // nrow, of a stack without compact rows rounded up to a multiple of 4 by rows of padding
  int32_t segment, nsegment; // first segment of the island, number of segments; those of the same node are neighbours
  int32_t nnode;             // number of nodes
  int32_t column;            // if nnode == 2: first column of the second node in the panel of the first
  int32_t* piece;            // (npiece) the order of the pieces of a block by ascending dofs
  int32_t* dof;              // (ncol) dof of the island of each column, ascending
  double *J, *JT;            // (height x ld), (ld x height); of a stack of free bodies compact rows, NULL

  // A stack of free bodies.
  int32_t nfree;   // number of its free bodies, 1 or 2; 0: it is not a stack of free bodies
  int32_t dim;     // number of rows of each block
  int32_t body[2]; // (nfree) first dof of each body
} hfiStack;

typedef struct hfiIslandBlock {
  hfLawKind law;
  int32_t dim;                     // number of rows
  int32_t row;                     // first row of the island
  int32_t source;                  // first row of the step problem
  int32_t stack;                   // stack of the block, or -1 for a scalar
  const hfContactLaw* contact;     // NULL for saturated rows
  const hfSaturatedRow* saturated; // (dim), NULL for a contact
} hfiIslandBlock;

// A saturated row on one dof.
typedef struct hfiScalar {
  int32_t dof;     // dof of the island
  double J;        // the only entry of its row of the Jacobian
  size_t diagonal; // index of K[dof][dof] in K.value
} hfiScalar;

// The friction groups of a contact at given row velocities, in the symbols of dual.c. Each array has one number for
// each group: sliding, torsion and rolling. The fourth number is not used. Torsion has u1 = t1 = 0.
typedef struct hfiDualGroups {
  double u0[4], u1[4], t0[4], t1[4];
  double m[4];   // -1: the bound of friction is zero
  int32_t count; // number of groups; 0: the contact has no normal force, and the arrays are not set
} hfiDualGroups;

// The damping of a contact in the soft iterations of a heap, in the symbols of damp.c.
typedef struct hfiDamping {
  double bound_share, bound_change; // share [-] and dx [N] of b
  double share[3], change[5];       // share of each friction group [-], dx of each friction row [N or N m]
  double normal_change;             // last change of pi0 [N]
  int32_t flips;                    // number of times that the contact opened or closed
  int32_t steady;                   // 1: the contact acted both before and after the last iteration
} hfiDamping;

typedef struct hfiStackKernels hfiStackKernels; // step/solve/stack.h

// Storage of planned size. An island that needs more is refused.
typedef struct hfiRoom {
  double* start;
  size_t count; // number of doubles from `start` on
} hfiRoom;

// ---- the parts of hfiIsland, each with the file that owns it ------------------------------------------

// The Jacobians of the blocks, stacked (island_rows.c, stack.c).
typedef struct hfiStacks {
  const hfiStackKernels* kernels;
  int32_t is_plain; // 1: one tree without scalars, with one stack whose columns are all dofs of the tree in order
  int32_t nstack;   // number of stacks
  int32_t nfull;    // number of stacks without compact rows
  int32_t nsegment; // number of segments of all stacks
  hfiStack* list;   // (nstack)
  hfiSegment* segment;           // (nsegment)
  int32_t *wide, *unsorted;      // (blocks of the problem) scratch of gathering: blocks that are not scalars
  double* column;                // (ld) scratch for products with J
  double* full_rows;             // (nrow x ld) scratch: full rows of a stack with compact rows
  int32_t* index;                // storage of piece and dof of all stacks
  double *jacobian, *transposed; // storage of J and JT of all stacks
} hfiStacks;

// The parts of a large heap that threads work on at the same time (linalg/block_sparse.h): branches, whose bodies touch
// those of no other branch, and the trunk, whose bodies touch all. Results do not depend on the number of threads,
// because the parts do not.
//
// A stack belongs to the part of its first node. A stack of a branch may also act on one body of the trunk. What it
// adds to numbers of that body is summed for each branch alone, and the caller adds the sums of the branches
// afterwards.
typedef struct hfiParts {
  hfiWorkers* workers;                 // share the work of the parts; NULL: the caller does all
  int32_t branches;                    // number of branches; 1: the island is not divided
  int32_t stack[HFI_MAX_BRANCHES + 2]; // first stack of each part, and their number
  int32_t block[HFI_MAX_BRANCHES + 2]; // first block of each part, without the scalars, and their number
  double* trunk_tau[HFI_MAX_BRANCHES]; // (n) J^T gamma of the stacks of a branch, used for the dofs of the trunk
} hfiParts;

// The Newton matrix and its factors (matrix.c).
typedef struct hfiNewtonMatrix {
  hfiBlockMatrix K;              // Newton matrix and its factors: a copy of `dense` or `sparse`
  hfiBlockMatrix dense;          // matrix with one node. It keeps its pattern while K is a copy of `sparse`.
  hfiBlockMatrix sparse;         // matrix with a node for each tree. It keeps its pattern while K is a copy of `dense`.
  hfiStar star;                  // star of K (linalg/star.h), used if the island is one tree with limbs
  hfiBlockRough rough_factors;   // used if K has rough factors
  double inertia;                // K is computed with (1 + inertia) A in the place of A (newton.c) [-]
  double *GJ, *local;            // scratch for forming K: (nrow x ld) and (ncol x ld) of a stack
  hfiRoom values, locals, rough; // storage of K.value, of `local`, and of rough factors
} hfiNewtonMatrix;

// Vectors with a number for each dof of the island (n). newton.c moves them; system.c computes r, Av and tau.
typedef struct hfiDofVectors {
  double *v, *v0, *p;          // iterate of Newton's method, velocity at the start of the step, p*
  double *dv, *v1;             // Newton step, velocity at the end of the full step
  double *r, *Av, *tau;        // residual, A v, J^T gamma. tau has room for the padded columns of a stack.
  double *diag, *inverse_diag; // A_ii, 1/A_ii
  double* work;                // scratch
  double p_norm;               // |p*|, mass-scaled [sqrt(kg) m/s]
} hfiDofVectors;

// Numbers of the rows (nrow), 0 in padding, and of the blocks (nblock), at the iterate (system.c).
typedef struct hfiRowVectors {
  double* drift;                // drift of the rows, used if the problem has drift
  double *s, *s1, *ds;          // J v + drift, J v1 + drift, J dv
  double *gamma, *G;            // impulses; -dgamma/ds of saturated rows
  hfiContactResponse* response; // (nblock)
  double* weight;               // weights of the rows (hfi_system_row_weights) [1/sqrt(kg)]
  int32_t has_weights;          // 1: `weight` is computed
} hfiRowVectors;

// Friction duals of a heap (dual.c).
typedef struct hfiFrictionDuals {
  double* w;             // (nrow) [-]
  hfiDualGroups* groups; // (nblock) friction groups of the contacts at the row velocities of their last evaluation
} hfiFrictionDuals;

// Estimates of the contact forces in the soft iterations of a heap (soft.c, soft_contact.c, damp.c). The convex problem
// (convex.c) uses lag, too.
typedef struct hfiForceEstimates {
  double* lag;          // (nblock) normal force that bounds friction in the convex problem and in soft iterations [N]
  double* pi0;          // (nblock) estimate of the normal force [N]
  double* friction;     // (nrow) estimates of the friction forces [N or N m]
  double* inverse_mass; // (nrow) W of the rows [1/kg]
  hfContactLaw* law;    // (nblock) soft laws of the contacts
  const hfContactLaw** other_law; // (nblock) true law while `block` has the soft law, otherwise the soft law
  int32_t is_damped;              // 1: the soft iterations of the heap are damped
  hfiDamping* damping;            // (nblock) used if is_damped is 1
} hfiForceEstimates;

// What an earlier solution of the same step found (solver.c).
typedef struct hfiKnownAnswer {
  int32_t rows;          // The first `rows` rows of the problem were solved in this step, with the answer v0; 0: none.
  const double* impulse; // (rows) the impulses of that answer
} hfiKnownAnswer;

// The best pass of the convex problem (convex.c). soft.c keeps its last step or velocities in v.
typedef struct hfiKeptPass {
  double *v, *s, *lag; // (n), (nrow), (nblock)
} hfiKeptPass;

typedef struct hfiIsland {
  const hfStepProblem* problem;

  // Sizes, and how the parts of the problem are numbered here (island.c, island_rows.c).
  int32_t n, ntree;      // number of dofs and of trees
  int32_t nblock, nrow;  // number of blocks and of rows, including padding
  int32_t nscalar;       // number of scalars: blocks, and rows, 0 to nscalar - 1
  int32_t* tree;         // (ntree) trees of the problem, in the order of elimination
  int32_t* first;        // (trees of the problem) first dof of a tree, as a dof of the island
  int32_t* node;         // (trees of the problem) node of a tree
  hfiIslandBlock* block; // (nblock) scalars come first
  hfiScalar* scalar;     // (nscalar)

  hfiStacks stacks;
  hfiParts parts;
  hfiNewtonMatrix matrix;
  hfiDofVectors dofs;
  hfiRowVectors rows;
  hfiFrictionDuals duals;
  hfiForceEstimates forces;
  hfiKnownAnswer known;
  hfiKeptPass kept;
} hfiIsland;

// Takes storage for islands of a problem within the capacity.
void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* capacity);

// Copies `ntree` trees and the `nblock` blocks on them from the problem into the island. Both lists are in ascending
// order. Returns 0 if the island needs more storage than was planned.
int hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees, int32_t ntree,
                      const int32_t* blocks, int32_t nblock);

// Copies the rows after the dofs of the island were numbered: a part of hfi_island_gather. Returns 0 if there is not
// enough storage.
int hfi_island_gather_rows(hfiIsland* I, const int32_t* blocks, int32_t nblock);

// Returns the end of the run of active blocks that begins with block k. *rows is the number of its rows.
static inline int32_t hfi_end_of_run(const hfiIsland* I, int32_t k, int32_t end, int32_t* rows) {
  *rows = 0;
  for (; k < end && I->rows.response[k].active; ++k) *rows += I->block[k].dim;
  return k;
}

// Is a block of the stack active?
static inline int hfi_any_active(const hfiIsland* I, const hfiStack* stack) {
  for (int32_t k = stack->block; k < stack->block + stack->nblock; ++k)
    if (I->rows.response[k].active) return 1;
  return 0;
}

// ---- parts of a large heap ---------------------------------------------------------------------------

static inline int hfi_is_divided(const hfiIsland* I) { return I->parts.branches > 1; }

// Calls task(context, p) for each part p. The calls must not write what another one reads or writes.
static inline void hfi_for_parts(const hfiIsland* I, void (*task)(void* context, int part), void* context) {
  hfi_workers_run(I->parts.workers, I->parts.branches + 1, task, context);
}

// First dof of the trunk.
static inline int32_t hfi_trunk_dof(const hfiIsland* I) { return I->matrix.K.first[hfi_block_trunk(&I->matrix.K)]; }

#endif
