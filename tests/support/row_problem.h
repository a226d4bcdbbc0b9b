// A step problem that has room for the rows of a model's actuation, and nothing else.
#ifndef TEST_SUPPORT_ROW_PROBLEM_H
#define TEST_SUPPORT_ROW_PROBLEM_H

#include "step/actuation/rows.h"

#include <stdlib.h>

// Allocates the problem with zero velocities, momenta and diagonal. Free it with free_row_problem.
static inline hfStepProblem* make_row_problem(const hfModel* m) {
  hfiRowSizes most = hfi_row_capacity(m);
  hfStepProblem* p = calloc(1, sizeof *p);
  p->nv = m->nv;
  p->ntree = m->ntree;
  p->diag = calloc((size_t)m->nv + 1, sizeof *p->diag);
  p->block = calloc((size_t)most.nblock + 1, sizeof *p->block);
  p->piece = calloc((size_t)most.npiece + 1, sizeof *p->piece);
  p->cols = calloc((size_t)most.ncol + 1, sizeof *p->cols);
  p->J = calloc((size_t)most.njac + 1, sizeof *p->J);
  p->saturated = calloc((size_t)most.nrow + 1, sizeof *p->saturated);
  p->tree_start = calloc((size_t)m->ntree + 1, sizeof *p->tree_start);
  for (int t = 0; t < m->ntree; ++t) p->tree_start[t + 1] = p->tree_start[t] + hf_model_tree_dofnum(m)[t];
  return p;
}

// Takes all rows from the problem and sets its diagonal to zero.
static inline void clear_row_problem(hfStepProblem* p) {
  p->nblock = p->nrow = p->npiece = p->ncol = p->njac = p->nsaturated = 0;
  for (int i = 0; i < p->nv; ++i) p->diag[i] = 0;
}

static inline void free_row_problem(hfStepProblem* p) {
  free(p->tree_start);
  free(p->saturated);
  free(p->J);
  free(p->cols);
  free(p->piece);
  free(p->block);
  free(p->diag);
  free(p);
}

// Writes row r of block b as a dense row over all dofs (nv).
static inline void dense_row(const hfStepProblem* p, int b, int r, double* row) {
  for (int i = 0; i < p->nv; ++i) row[i] = 0;
  for (int k = p->block[b].piece, end = k + p->block[b].npiece; k < end; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    for (int c = 0; c < piece->ncol; ++c)
      row[p->tree_start[piece->tree] + p->cols[piece->col + c]] = p->J[piece->jac + r * piece->ncol + c];
  }
}

#endif
