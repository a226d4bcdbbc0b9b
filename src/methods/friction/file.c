// Friction problems as text files (docs/reference/friction-file.md): a header line, the counts, then every vector and
// matrix of the problem's form: a line with its name and length, then a line for each number or entry (row, column,
// value). 17 significant digits give every double back bit for bit.
#include "methods/friction/problem.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ENTRY_SIZE = 6 }; // An entry of a matrix takes at least this many characters.
static const char header[] = "holdfast-friction-problem 1";
static const char* const forms[] = {"local", "global"};

// ---- writing -------------------------------------------------------------------------------------

// Writes the name of A, its number of entries, and a line for each entry.
static void write_matrix(hfiOutput* file, const char* name, const hfSparseMatrix* A) {
  hfi_output_print(file, "%s %d\n", name, A->start[A->rows]);
  for (int32_t i = 0; i < A->rows; ++i)
    for (int32_t e = A->start[i]; e < A->start[i + 1]; ++e)
      hfi_output_print(file, "%d %d %.17g\n", i, A->col[e], A->value[e]);
}

// Writes a valid problem to a file. Returns a status < 0, with a message, if the problem is invalid or the file fails.
hfStatus hf_friction_problem_write(const hfFrictionProblem* problem, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_friction_problem_validate(problem, error);
  if (status) return status;

  // the lists name the members of a problem that may be written to, so it is a copy
  hfFrictionProblem copy = *problem;
  hfiFrictionMatrix matrices[HFI_FRICTION_MATRICES];
  hfiFrictionVector vectors[HFI_FRICTION_VECTORS];
  int nmatrix = hfi_friction_matrices(&copy, matrices);
  int nvector = hfi_friction_vectors(&copy, vectors);

  hfiOutput file;
  status = hfi_output_open(&file, path, HFI_OUTPUT_WHOLE, error);
  if (status) return status;

  hfi_output_print(&file, "%s\nform %s\ndim %d\nncontact %d\nnequality %d\nnv %d\n", header, forms[copy.form], copy.dim,
                   copy.ncontact, copy.nequality, copy.nv);
  for (int k = 0; k < nvector; ++k) {
    hfi_output_print(&file, "%s %d\n", vectors[k].name, vectors[k].size);
    for (int32_t i = 0; i < vectors[k].size; ++i) hfi_output_print(&file, "%.17g\n", (*vectors[k].vector)[i]);
  }

  for (int k = 0; k < nmatrix; ++k) write_matrix(&file, matrices[k].name, matrices[k].matrix);
  return hfi_output_close(&file, error);
}

// ---- reading -------------------------------------------------------------------------------------

// Reads the header and the form, which becomes its index in `forms`.
static hfStatus read_form(hfiTextReader* reader, int32_t* form) {
  hfStatus status = hfi_text_expect(reader, header);
  if (!status) status = hfi_text_end_line(reader);
  if (!status) status = hfi_text_expect(reader, "form");
  if (status) return status;

  const char* word = reader->token + strspn(reader->token, " \t");
  for (*form = 0; *form < 2; ++*form) {
    size_t length = strlen(forms[*form]);
    if (strncmp(word, forms[*form], length) == 0 && !word[length + strspn(word + length, " \t\r")]) return HF_OK;
  }
  return HFI_MALFORMED(reader, "%s:%d: the form is \"local\" or \"global\"", reader->path, reader->line);
}

// Reads form, dim and counts, and checks them.
static hfStatus read_counts(hfiTextReader* reader, hfFrictionProblem* problem) {
  hfStatus status = read_form(reader, &problem->form);
  if (!status) status = hfi_text_count(reader, "dim", &problem->dim);
  if (!status) status = hfi_text_count(reader, "ncontact", &problem->ncontact);
  if (!status) status = hfi_text_count(reader, "nequality", &problem->nequality);
  if (!status) status = hfi_text_count(reader, "nv", &problem->nv);
  if (status) return status;

  hfError why = {HF_OK, ""};
  if (hfi_friction_check_counts(problem, &why))
    return HFI_MALFORMED(reader, "%s:%d: %s", reader->path, reader->line, why.message);
  return HF_OK;
}

// Reads a vector. In the pass that plans, the numbers go nowhere.
static hfStatus read_vector(hfiTextReader* reader, const hfiFrictionVector* item, hfiArena* arena) {
  int32_t count;
  hfStatus status = hfi_text_count(reader, item->name, &count);
  if (status) return status;
  if (count != item->size)
    return HFI_MALFORMED(reader, "%s:%d: \"%s\" has %d numbers, not %d", reader->path, reader->line, item->name, count,
                         item->size);

  double unused;
  double* x = HFI_TAKE(arena, double, count);
  *item->vector = x;
  for (int32_t i = 0; i < count && !status; ++i) {
    if (!hfi_text_next_line(reader))
      return HFI_MALFORMED(reader, "%s:%d: file ends in \"%s\"", reader->path, reader->line, item->name);
    status = hfi_text_real(reader, x ? x + i : &unused);
    if (!status) status = hfi_text_end_line(reader);
  }
  return status;
}

// Reads one line with an entry of a matrix, and checks its row and column.
static hfStatus read_entry(hfiTextReader* reader, const hfiFrictionMatrix* item, int32_t* row, int32_t* col,
                           double* value) {
  if (!hfi_text_next_line(reader))
    return HFI_MALFORMED(reader, "%s:%d: file ends in \"%s\"", reader->path, reader->line, item->name);

  hfStatus status = hfi_text_int(reader, row);
  if (!status) status = hfi_text_int(reader, col);
  if (!status) status = hfi_text_real(reader, value);
  if (!status) status = hfi_text_end_line(reader);
  if (status) return status;

  if (*row < 0 || *row >= item->rows || *col < 0 || *col >= item->cols)
    return HFI_MALFORMED(reader, "%s:%d: %s is (%d x %d)", reader->path, reader->line, item->name, item->rows,
                         item->cols);
  return HF_OK;
}

// Reads a matrix, whose rows must come in ascending order. In the pass that plans, the entries go nowhere.
static hfStatus read_matrix(hfiTextReader* reader, const hfiFrictionMatrix* item, hfiArena* arena) {
  int32_t count = 0;
  hfStatus status = hfi_text_count(reader, item->name, &count);
  if (status) return status;
  if (count < 0 || (size_t)count > reader->size / LEAST_ENTRY_SIZE)
    return HFI_MALFORMED(reader, "%s:%d: \"%s\" cannot have %d entries", reader->path, reader->line, item->name, count);

  hfSparseMatrix* A = item->matrix;
  A->rows = item->rows;
  A->cols = item->cols;
  A->start = HFI_TAKE(arena, int32_t, A->rows + 1);
  A->col = HFI_TAKE(arena, int32_t, count);
  A->value = HFI_TAKE(arena, double, count);

  // start[i + 1] counts the entries of row i first
  int32_t last = 0;
  for (int32_t e = 0; e < count; ++e) {
    int32_t row;
    int32_t col;
    double value;
    status = read_entry(reader, item, &row, &col, &value);
    if (status) return status;
    if (row < last) return HFI_MALFORMED(reader, "%s:%d: row %d after row %d", reader->path, reader->line, row, last);

    last = row;
    if (!A->start) continue;

    ++A->start[row + 1];
    A->col[e] = col;
    A->value[e] = value;
  }

  // their sums say where each row begins
  for (int32_t i = 0; A->start && i < A->rows; ++i) A->start[i + 1] += A->start[i];
  return HF_OK;
}

// One pass over the text. Over an arena without memory it plans; over zeroed memory it stores.
static hfStatus read_problem(hfiTextReader* reader, void* object, hfiArena* arena) {
  hfFrictionProblem* problem = object;
  hfStatus status = read_counts(reader, problem);
  if (status) return status;

  hfiFrictionMatrix matrices[HFI_FRICTION_MATRICES];
  hfiFrictionVector vectors[HFI_FRICTION_VECTORS];
  int nmatrix = hfi_friction_matrices(problem, matrices);
  int nvector = hfi_friction_vectors(problem, vectors);
  for (int k = 0; k < nvector && !status; ++k) status = read_vector(reader, &vectors[k], arena);
  for (int k = 0; k < nmatrix && !status; ++k) status = read_matrix(reader, &matrices[k], arena);
  return status ? status : hfi_text_expect_end(reader);
}

static hfStatus check_problem(const void* object, hfError* error) {
  return hf_friction_problem_validate(object, error);
}

// Reads a problem from a file. *problem is written on success only; hf_friction_problem_free gives it back.
hfStatus hf_friction_problem_read(hfFrictionProblem** problem, const char* path, hfError* error) {
  hfi_clear_error(error);
  void* read = NULL;
  hfStatus status = hfi_text_read(path, sizeof **problem, read_problem, check_problem, &read, error);
  if (!status) *problem = read;
  return status;
}

void hf_friction_problem_free(hfFrictionProblem* problem) { free(problem); }
