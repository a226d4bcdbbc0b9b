// Reduces a friction problem to u = W r + q:
//
//   local form    W = [W  V ]    q = [q]          global form   W = B' M^-1 B,   B = [H G]
//                     [V' R ]        [s]                        q = B' M^-1 f + [w; b]
//
// M is factored component by component. A component with n dofs that k rows move adds a dense block (k x k) to W: for
// each of these rows j, x = M^-1 b_j, then W_ij += b_i'x for all rows i of the component.
#include "methods/friction/reduce.h"

#include "base/error.h"
#include "methods/friction/factored_mass.h"

#include <string.h>

// ---- local form ----------------------------------------------------------------------------------

// Where the rows or columns of a matrix go in the reduced problem: from `first` on, three for each contact of `dim`
// rows. With dim 3 they stay one after the other.
typedef struct MatrixPlace {
  int32_t first; // first row or column there
  int32_t dim;   // rows of a contact in the matrix: 2 or 3
} MatrixPlace;

// Adds A, or its transpose, to the entries of W.
static void add_block(hfiEntries* list, const hfSparseMatrix* A, MatrixPlace rows, MatrixPlace cols, int transpose) {
  for (int32_t i = 0; i < A->rows; ++i)
    for (int32_t e = A->start[i]; e < A->start[i + 1]; ++e) {
      int32_t row = rows.first + hfi_reduced_row(rows.dim, i);
      int32_t col = cols.first + hfi_reduced_row(cols.dim, A->col[e]);

      if (transpose) hfi_entries_add(list, col, row, A->value[e]);
      else hfi_entries_add(list, row, col, A->value[e]);
    }
}

// Lists the entries of W and writes q, of a problem in the local form.
static void take_local(const hfFrictionProblem* problem, hfiReduced* reduced, hfiEntries* list) {
  MatrixPlace contacts = {0, problem->dim};
  MatrixPlace equalities = {3 * reduced->ncontact, 3};

  add_block(list, &problem->W, contacts, contacts, 0);
  for (int32_t i = 0; i < problem->dim * reduced->ncontact; ++i)
    reduced->q[hfi_reduced_row(problem->dim, i)] = problem->q[i];

  if (reduced->nequality == 0) return;

  add_block(list, &problem->V, contacts, equalities, 0);
  add_block(list, &problem->V, contacts, equalities, 1);
  add_block(list, &problem->R, equalities, equalities, 0);
  memcpy(reduced->q + equalities.first, problem->s, sizeof *reduced->q * (size_t)reduced->nequality);
}

// ---- global form ---------------------------------------------------------------------------------

// The columns of B = [H G] that move one component of M, and scratch.
typedef struct MassColumns {
  const hfFrictionProblem* problem;
  int32_t contact_rows; // columns of H; those of G follow
  int32_t *place;       // (columns of B) place in `list`, or -1
  int32_t* list;        // the columns of the component
  int32_t count;        // their number
  double* x;            // (nv) M^-1 b_j by item of the component
  double* row;          // (columns of B) b_i'x by place
} MassColumns;

// Returns the number of entries in row `dof` of B = [H G]: its first entries are those of H, the others those of G.
static int32_t row_entries(const MassColumns* columns, int32_t dof) {
  const hfFrictionProblem* problem = columns->problem;
  int32_t count = problem->H.start[dof + 1] - problem->H.start[dof];
  return count + (problem->nequality ? problem->G.start[dof + 1] - problem->G.start[dof] : 0);
}

// Writes the value of entry e of row `dof` of B, and returns its column.
static int32_t row_entry(const MassColumns* columns, int32_t dof, int32_t e, double* value) {
  const hfFrictionProblem* problem = columns->problem;
  int32_t count = problem->H.start[dof + 1] - problem->H.start[dof];

  if (e < count) {
    int32_t k = problem->H.start[dof] + e;
    *value = problem->H.value[k];
    return problem->H.col[k];
  }

  int32_t k = problem->G.start[dof] + e - count;
  *value = problem->G.value[k];
  return problem->G.col[k] + columns->contact_rows;
}

// Returns the row of the reduced problem that is column j of B.
static int32_t reduced_column(const MassColumns* columns, int32_t j) {
  if (j < columns->contact_rows) return hfi_reduced_row(columns->problem->dim, j);
  return 3 * columns->problem->ncontact + j - columns->contact_rows;
}

// Lists the columns of B that move one of the n dofs, in columns->list, and writes their places.
static void find_columns(MassColumns* columns, const int32_t* dofs, int32_t n) {
  double value;

  columns->count = 0;
  for (int32_t k = 0; k < n; ++k)
    for (int32_t e = 0; e < row_entries(columns, dofs[k]); ++e) {
      int32_t j = row_entry(columns, dofs[k], e, &value);
      if (columns->place[j] >= 0) continue;

      columns->place[j] = columns->count;
      columns->list[columns->count++] = j;
    }
}

// Sets x to column j of B on the component.
static void take_column(MassColumns* columns, const int32_t* dofs, int32_t n, int32_t j) {
  double value;
  for (int32_t k = 0; k < n; ++k) {
    columns->x[k] = 0;
    for (int32_t e = 0; e < row_entries(columns, dofs[k]); ++e)
      if (row_entry(columns, dofs[k], e, &value) == j) columns->x[k] += value;
  }
}

// Computes row[place of i] = b_i'x for all columns i of the component.
static void multiply_columns(MassColumns* columns, const int32_t* dofs, int32_t n) {
  double value;

  for (int32_t i = 0; i < columns->count; ++i) columns->row[i] = 0;
  for (int32_t k = 0; k < n; ++k)
    for (int32_t e = 0; e < row_entries(columns, dofs[k]); ++e) {
      int32_t i = row_entry(columns, dofs[k], e, &value);
      columns->row[columns->place[i]] += value * columns->x[k];
    }
}

// Adds B' M^-1 B and B' M^-1 f of one component of M to the entries of W and to q.
// Returns HF_OK, HF_SINGULAR or HF_ERROR_MEMORY. All places are -1 again at the end.
static hfStatus add_component(MassColumns* columns, hfiFactoredMass* mass, int32_t index, hfiReduced* reduced,
                              hfiEntries* list) {
  const int32_t* start = mass->components.start + index;
  const int32_t* dofs = mass->components.item + start[0];
  int32_t n = start[1] - start[0];

  find_columns(columns, dofs, n);
  if (columns->count == 0) return HF_OK;

  hfStatus status = hfi_mass_factor(mass, index);
  if (status == HF_OK) {
    // column by column: B' M^-1 b_j
    for (int32_t s = 0; s < columns->count; ++s) {
      take_column(columns, dofs, n, columns->list[s]);
      hfi_mass_solve(mass, columns->x);
      multiply_columns(columns, dofs, n);

      int32_t col = reduced_column(columns, columns->list[s]);
      for (int32_t i = 0; i < columns->count; ++i)
        hfi_entries_add(list, reduced_column(columns, columns->list[i]), col, columns->row[i]);
    }

    // B' M^-1 f
    for (int32_t k = 0; k < n; ++k) columns->x[k] = columns->problem->f[dofs[k]];
    hfi_mass_solve(mass, columns->x);
    multiply_columns(columns, dofs, n);
    for (int32_t i = 0; i < columns->count; ++i)
      reduced->q[reduced_column(columns, columns->list[i])] += columns->row[i];
  }

  for (int32_t s = 0; s < columns->count; ++s) columns->place[columns->list[s]] = -1;
  return status;
}

// Lists the entries of W and writes q, of a problem in the global form. Returns HF_OK, HF_SINGULAR or HF_ERROR_MEMORY.
static hfStatus take_global(const hfFrictionProblem* problem, const hfAllocator* allocator, hfiReduced* reduced,
                            hfiEntries* list) {
  int32_t m = problem->dim * problem->ncontact;
  int32_t width = m + problem->nequality;
  hfiFactoredMass mass;

  int opened = hfi_mass_open(&mass, &problem->M, allocator);

  MassColumns columns = {.problem = problem, .contact_rows = m};
  columns.row = hfi_allocate(allocator, ((size_t)width + (size_t)problem->nv + 1) * sizeof(double));
  columns.place = hfi_allocate(allocator, (2 * (size_t)width + 1) * sizeof(int32_t));
  hfStatus status = opened && columns.row && columns.place ? HF_OK : HF_ERROR_MEMORY;

  // q starts as [w; b]
  if (status == HF_OK) {
    columns.x = columns.row + width;
    columns.list = columns.place + width;
    for (int32_t j = 0; j < width; ++j) columns.place[j] = -1;
    for (int32_t i = 0; i < m; ++i) reduced->q[hfi_reduced_row(problem->dim, i)] = problem->w[i];
    for (int32_t e = 0; e < problem->nequality; ++e) reduced->q[3 * reduced->ncontact + e] = problem->b[e];
  }

  for (int32_t k = 0; k < mass.components.count && status == HF_OK; ++k)
    status = add_component(&columns, &mass, k, reduced, list);

  hfi_release(columns.place);
  hfi_release(columns.row);
  hfi_mass_close(&mass);
  return status;
}

// ---- both ----------------------------------------------------------------------------------------

// Turns a failure into a refusal with a message.
static hfStatus explain(hfStatus status, hfError* error) {
  if (status == HF_SINGULAR) return hfi_refuse(error, HF_ERROR_ARGUMENT, "friction problem: M is singular");
  if (status < 0) return hfi_refuse(error, HF_ERROR_MEMORY, "friction problem: out of memory");
  return status;
}

// Makes the reduced problem. Refuses where memory runs out or M is singular.
hfStatus hfi_friction_reduce(const hfFrictionProblem* problem, const hfAllocator* allocator, hfiReduced* reduced,
                             hfError* error) {
  memset(reduced, 0, sizeof *reduced);
  reduced->ncontact = problem->ncontact;
  reduced->nequality = problem->nequality;
  reduced->n = 3 * reduced->ncontact + reduced->nequality;
  reduced->mu = problem->mu;
  reduced->q = hfi_allocate(allocator, sizeof(double) * ((size_t)reduced->n + 1));

  hfStatus status = reduced->q ? HF_OK : HF_ERROR_MEMORY;

  // its entries
  hfiEntries list = {.allocator = allocator};
  if (status == HF_OK && problem->form == HF_FORM_LOCAL) take_local(problem, reduced, &list);
  if (status == HF_OK && problem->form == HF_FORM_GLOBAL) status = take_global(problem, allocator, reduced, &list);
  if (status == HF_OK && !hfi_entries_compress(&list, reduced->n, reduced->n, &reduced->W)) {
    reduced->W.start = NULL;
    status = HF_ERROR_MEMORY;
  }

  hfi_entries_free(&list);
  if (status != HF_OK) hfi_reduced_free(reduced);
  return explain(status, error);
}

// Releases the memory of a reduced problem.
void hfi_reduced_free(hfiReduced* reduced) {
  hfi_release(reduced->W.start);
  hfi_release(reduced->q);
  memset(reduced, 0, sizeof *reduced);
}

// Solves M v = H r + G lambda + f for the velocities v of the global form.
hfStatus hfi_recover_velocity(const hfFrictionProblem* problem, const hfAllocator* allocator, const double* r,
                              const double* lambda, double* v, hfError* error) {
  hfiFactoredMass mass;

  int opened = hfi_mass_open(&mass, &problem->M, allocator);
  double* x = hfi_allocate(allocator, 2 * sizeof(double) * ((size_t)problem->nv + 1));
  hfStatus status = opened && x ? HF_OK : HF_ERROR_MEMORY;

  // p = H r + G lambda + f
  double* p = NULL;
  if (status == HF_OK) {
    p = x + problem->nv;
    memcpy(p, problem->f, sizeof *p * (size_t)problem->nv);
    hfi_sparse_add(&problem->H, r, p);
    if (problem->nequality) hfi_sparse_add(&problem->G, lambda, p);
  }

  // p <- M^-1 p
  for (int32_t c = 0; c < mass.components.count && status == HF_OK; ++c) {
    const int32_t* start = mass.components.start + c;
    const int32_t* dofs = mass.components.item + start[0];
    int32_t n = start[1] - start[0];
    status = hfi_mass_factor(&mass, c);
    if (status != HF_OK) break;

    for (int32_t k = 0; k < n; ++k) x[k] = p[dofs[k]];
    hfi_mass_solve(&mass, x);
    for (int32_t k = 0; k < n; ++k) p[dofs[k]] = x[k];
  }

  if (status == HF_OK) memcpy(v, p, sizeof *v * (size_t)problem->nv);
  hfi_release(x);
  hfi_mass_close(&mass);
  return explain(status, error);
}
