// Checks of friction problems: sizes, indices and numbers must be what friction.h says. A refusal names the array at
// fault.
#include "methods/friction/problem.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { LARGEST_COUNT = 1 << 28 }; // Three rows a contact must not exceed what an int32_t holds.

#define REFUSE(...) return hfi_refuse(error, HF_ERROR_ARGUMENT, __VA_ARGS__)

// Lists the matrices of the problem's form with the sizes that they must have. Returns their number.
int hfi_friction_matrices(hfFrictionProblem* problem, hfiFrictionMatrix list[HFI_FRICTION_MATRICES]) {
  int32_t m = problem->dim * problem->ncontact;
  int32_t p = problem->nequality;
  int32_t nv = problem->nv;
  const hfiFrictionMatrix local[] = {{"W", &problem->W, m, m}, {"V", &problem->V, m, p}, {"R", &problem->R, p, p}};
  const hfiFrictionMatrix global[] = {{"M", &problem->M, nv, nv}, {"H", &problem->H, nv, m}, {"G", &problem->G, nv, p}};
  memcpy(list, problem->form == HF_FORM_LOCAL ? local : global, sizeof local);

  // without equalities: W, or M and H
  if (p > 0) return 3;
  return problem->form == HF_FORM_LOCAL ? 1 : 2;
}

// Lists the vectors of the problem's form with their sizes. Returns their number.
int hfi_friction_vectors(hfFrictionProblem* problem, hfiFrictionVector list[HFI_FRICTION_VECTORS]) {
  int32_t m = problem->dim * problem->ncontact;
  int32_t p = problem->nequality;
  const hfiFrictionVector local[HFI_FRICTION_VECTORS] = {
      {"mu", &problem->mu, problem->ncontact},
      {"q", &problem->q, m},
      {"s", &problem->s, p},
  };
  const hfiFrictionVector global[HFI_FRICTION_VECTORS] = {
      {"mu", &problem->mu, problem->ncontact},
      {"f", &problem->f, problem->nv},
      {"w", &problem->w, m},
      {"b", &problem->b, p},
  };
  memcpy(list, problem->form == HF_FORM_LOCAL ? local : global, sizeof local);

  // the last vector belongs to the equalities
  return (problem->form == HF_FORM_LOCAL ? 2 : 3) + (p > 0);
}

// Refuses an unknown form, a dimension other than 2 and 3, and numbers of objects that are negative or too large.
hfStatus hfi_friction_check_counts(const hfFrictionProblem* problem, hfError* error) {
  if (problem->form != HF_FORM_LOCAL && problem->form != HF_FORM_GLOBAL)
    REFUSE("friction problem: form = %d is neither local (%d) nor global (%d)", problem->form, HF_FORM_LOCAL,
           HF_FORM_GLOBAL);
  if (problem->dim != 2 && problem->dim != 3) REFUSE("friction problem: dim = %d is neither 2 nor 3", problem->dim);

  int is_negative = problem->ncontact < 0 || problem->nequality < 0 || problem->nv < 0;
  if (is_negative || problem->ncontact > LARGEST_COUNT || problem->nequality > LARGEST_COUNT)
    REFUSE("friction problem: %d contacts, %d equalities, %d velocities: a number is negative or above %d",
           problem->ncontact, problem->nequality, problem->nv, LARGEST_COUNT);
  return HF_OK;
}

// Checks size, order of rows, columns and numbers of a matrix.
static hfStatus check_matrix(const hfiFrictionMatrix* item, hfError* error) {
  const hfSparseMatrix* A = item->matrix;
  if (A->rows != item->rows || A->cols != item->cols)
    REFUSE("friction problem: %s is (%d x %d), not (%d x %d)", item->name, A->rows, A->cols, item->rows, item->cols);
  if (!A->start) REFUSE("friction problem: %s has no `start`", item->name);
  if (A->start[0] != 0) REFUSE("friction problem: %s begins at entry %d", item->name, A->start[0]);

  for (int32_t i = 0; i < A->rows; ++i) {
    if (A->start[i + 1] < A->start[i]) REFUSE("friction problem: row %d of %s ends before it begins", i, item->name);

    for (int32_t e = A->start[i]; e < A->start[i + 1]; ++e) {
      if (A->col[e] < 0 || A->col[e] >= A->cols)
        REFUSE("friction problem: %s has an entry in row %d, column %d", item->name, i, A->col[e]);
      if (!isfinite(A->value[e])) REFUSE("friction problem: %s[%d][%d] is not finite", item->name, i, A->col[e]);
    }
  }
  return HF_OK;
}

// Checks that a vector exists and is finite.
static hfStatus check_vector(const hfiFrictionVector* item, hfError* error) {
  const double* x = *item->vector;
  if (item->size > 0 && !x) REFUSE("friction problem: there is no %s", item->name);
  for (int32_t i = 0; i < item->size; ++i)
    if (!isfinite(x[i])) REFUSE("friction problem: %s[%d] is not finite", item->name, i);
  return HF_OK;
}

// Returns HF_OK, or a status < 0 with a message that names the array at fault.
hfStatus hf_friction_problem_validate(const hfFrictionProblem* problem, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_friction_check_counts(problem, error);
  if (status) return status;

  hfFrictionProblem copy = *problem;
  hfiFrictionMatrix matrices[HFI_FRICTION_MATRICES];
  hfiFrictionVector vectors[HFI_FRICTION_VECTORS];
  int nmatrix = hfi_friction_matrices(&copy, matrices);

  int nvector = hfi_friction_vectors(&copy, vectors);

  for (int k = 0; k < nmatrix && !status; ++k) status = check_matrix(&matrices[k], error);
  for (int k = 0; k < nvector && !status; ++k) status = check_vector(&vectors[k], error);

  for (int32_t i = 0; i < copy.ncontact && !status; ++i)
    if (!(copy.mu[i] >= 0)) REFUSE("friction problem: mu[%d] = %g is negative", i, copy.mu[i]);
  return status;
}
