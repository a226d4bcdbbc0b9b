// The check of a step problem before it is solved. If the sum over all its numbers is finite, all numbers are. If the
// sum is not finite, some number is not, or large numbers overflowed. Then the trees and blocks are checked one by one:
// 0 x is 0 for a finite x and NaN otherwise.
#include "step/problem/finite.h"

#include "math/vec3.h"

#include "base/finite.h"

#include <stddef.h>

// Number of doubles at the start of hfContactLaw.
enum { CONTACT_REALS = offsetof(hfContactLaw, friction) / sizeof(double) };

// Returns 0 if n numbers are finite, else NaN.
static double sum_zeros(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += 0 * x[i];
  return sum;
}

// Returns 0 if the numbers of a saturated row are finite and its bounds are in order, else NaN.
static double sum_zeros_of_row(const hfSaturatedRow* row) {
  return 0 * row->s0 + 0 * row->kappa + (row->lo <= row->hi ? 0 : NAN);
}

// Returns the sum of the numbers of a contact's law. Even and odd numbers are summed apart, so that the additions can
// overlap.
static inline double sum_law(const hfContactLaw* law) {
  const double* x = &law->stiffness;
  double even = 0;
  double odd = CONTACT_REALS % 2 ? x[CONTACT_REALS - 1] : 0;
  for (int i = 0; i + 1 < CONTACT_REALS; i += 2) {
    even += x[i];
    odd += x[i + 1];
  }
  return even + odd;
}

// Returns 0 if mass matrix, momentum and velocity of tree t are finite, else NaN.
static double sum_zeros_of_tree(const hfStepProblem* P, int t) {
  int first = P->tree_start[t];
  int n = P->tree_start[t + 1] - first;
  return sum_zeros(P->M + P->M_start[t], n * n) + sum_zeros(P->diag + first, n) +
         sum_zeros(P->p + first, n) + sum_zeros(P->v0 + first, n);
}

// Returns 0 if Jacobian, drift and law of block b are finite, else NaN.
static double sum_zeros_of_block(const hfStepProblem* P, int b) {
  const hfStepBlock* block = P->block + b;
  double sum = 0;
  for (int i = 0; i < block->npiece; ++i) {
    const hfStepPiece* piece = P->piece + block->piece + i;
    sum += sum_zeros(P->J + piece->jac, block->dim * piece->ncol);
  }

  if (P->drift) sum += sum_zeros(P->drift + block->row, block->dim);
  if (block->law == HF_LAW_CONTACT)
    return sum + sum_zeros(&P->contact[block->param].stiffness, CONTACT_REALS);

  for (int i = 0; i < block->dim; ++i) sum += sum_zeros_of_row(P->saturated + block->param + i);
  return sum;
}

// Notes the first tree or block with a number that is not finite, or a step length h that is not, in *trouble and
// returns the status of the refusal. Returns HF_OK if there is none, because only the sum overflowed.
static hfStatus find_nonfinite(const hfStepProblem* P, hfiTrouble* trouble) {
  hfiTrouble found = {.status = HF_ERROR_NONFINITE};

  for (int t = 0; t < P->ntree; ++t) {
    if (!isnan(sum_zeros_of_tree(P, t))) continue;
    found.kind = HFI_TROUBLE_TREE;
    found.id = t;
    return hfi_note_trouble(trouble, found);
  }

  for (int b = 0; b < P->nblock; ++b) {
    if (!isnan(sum_zeros_of_block(P, b))) continue;
    found.kind = HFI_TROUBLE_BLOCK;
    found.id = b;
    found.number = P->piece[P->block[b].piece].tree; // the first tree that the block acts on
    return hfi_note_trouble(trouble, found);
  }

  if (isfinite(P->h)) return HF_OK;
  found.kind = HFI_TROUBLE_LENGTH;
  return hfi_note_trouble(trouble, found);
}

// Refuses a problem with a number that is not finite: notes the trouble and returns its status, else HF_OK.
hfStatus hfi_problem_check_finite(const hfStepProblem* P, hfiTrouble* trouble) {
  double masses = hfi_sum(P->M, P->M_start[P->ntree]);
  double sum = P->h + masses + hfi_sum(P->diag, P->nv) + hfi_sum(P->p, P->nv) + hfi_sum(P->v0, P->nv);
  double laws = 0;

  if (P->njac) sum += hfi_sum(P->J, P->njac);
  if (P->drift) sum += hfi_sum(P->drift, P->nrow);
  for (int i = 0; i < P->ncontact; ++i) laws += sum_law(P->contact + i);
  for (int i = 0; i < P->nsaturated; ++i) laws += sum_zeros_of_row(P->saturated + i);
  return isfinite(sum + laws) ? HF_OK : find_nonfinite(P, trouble);
}

// Returns the largest number of dofs of a tree.
static int32_t find_largest_tree(const hfStepProblem* P) {
  int32_t largest = 0;
  for (int32_t t = 0; t < P->ntree; ++t) largest = imax2(largest, P->tree_start[t + 1] - P->tree_start[t]);
  return largest;
}

// Returns the sizes of a problem.
hfStepCapacity hf_step_problem_capacity(const hfStepProblem* P) {
  return (hfStepCapacity){.nv = P->nv,
                          .ntree = P->ntree,
                          .nblock = P->nblock,
                          .nrow = P->nrow,
                          .npiece = P->npiece,
                          .ncol = P->ncol,
                          .njac = P->njac,
                          .max_tree_nv = find_largest_tree(P)};
}

// Whether a problem fits into the capacity of a solver.
static int fits(const hfStepProblem* P, const hfStepCapacity* c) {
  int has_trees = P->nv <= c->nv && P->ntree <= c->ntree && find_largest_tree(P) <= c->max_tree_nv;
  int has_blocks = P->nblock <= c->nblock && P->nrow <= c->nrow;
  int has_entries = P->npiece <= c->npiece && P->ncol <= c->ncol && P->njac <= c->njac;
  return has_trees && has_blocks && has_entries;
}

// Refuses a problem that exceeds the capacity of a solver: notes the first count that is too large and returns the
// status of the refusal, else HF_OK.
hfStatus hfi_problem_check_capacity(const hfStepProblem* P, const hfStepCapacity* c, hfiTrouble* trouble) {
  if (fits(P, c)) return HF_OK;

  hfStepCapacity needed = hf_step_problem_capacity(P);
  const struct {
    int32_t has;
    int32_t room;
  } sizes[HFI_COUNTS] = {
      [HFI_COUNT_DOFS] = {needed.nv, c->nv},
      [HFI_COUNT_TREES] = {needed.ntree, c->ntree},
      [HFI_COUNT_BLOCKS] = {needed.nblock, c->nblock},
      [HFI_COUNT_ROWS] = {needed.nrow, c->nrow},
      [HFI_COUNT_PIECES] = {needed.npiece, c->npiece},
      [HFI_COUNT_COLUMNS] = {needed.ncol, c->ncol},
      [HFI_COUNT_ENTRIES] = {needed.njac, c->njac},
      [HFI_COUNT_TREE_DOFS] = {needed.max_tree_nv, c->max_tree_nv},
  };

  int i = 0;
  while (i < HFI_COUNTS && sizes[i].has <= sizes[i].room) ++i;
  if (i == HFI_COUNTS) return HF_OK;

  hfiTrouble found = {HF_ERROR_ARGUMENT, HFI_TROUBLE_CAPACITY, i, sizes[i].has, sizes[i].room};
  return hfi_note_trouble(trouble, found);
}
