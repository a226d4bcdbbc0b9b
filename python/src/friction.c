// Friction problems given by matrices. A problem comes as a dict of counts and a dict of arrays: vectors by name, and
// matrices by name as (start, col, value) of compressed rows. The letters are those of holdfast/friction.h.
#include "core.h"

#include <holdfast/friction.h>
#include <string.h>

static const member count_members[] = {
    MEMBER(hfFrictionProblem, form), MEMBER(hfFrictionProblem, dim), MEMBER(hfFrictionProblem, ncontact),
    MEMBER(hfFrictionProblem, nequality), MEMBER(hfFrictionProblem, nv)};
static const member config_members[] = {
    MEMBER(hfFrictionConfig, tolerance), MEMBER(hfFrictionConfig, max_steps), MEMBER(hfFrictionConfig, max_iterations)};
static const member report_members[] = {
    MEMBER(hfFrictionReport, status), MEMBER(hfFrictionReport, islands), MEMBER(hfFrictionReport, steps),
    MEMBER(hfFrictionReport, iterations), MEMBER(hfFrictionReport, natural_map), MEMBER(hfFrictionReport, residual),
    MEMBER(hfFrictionReport, scaled_residual)};

// ---- the parts of a problem ------------------------------------------------------------------------------------

enum { MATRICES = 6, VECTORS = 6, BUFFERS = 3 * MATRICES + VECTORS };

// A matrix of a problem, its name and its size.
typedef struct matrixPart {
  const char* name;
  hfSparseMatrix* matrix;
  int32_t rows;
  int32_t cols;
} matrixPart;

// A vector of a problem, its name and its size.
typedef struct vectorPart {
  const char* name;
  double** vector;
  int32_t size;
} vectorPart;

typedef struct problemParts {
  matrixPart matrix[MATRICES];
  vectorPart vector[VECTORS];
} problemParts;

// Lists the matrices, with rows and columns, and the vectors, with lengths, of a problem whose counts are set. m: rows
// of all contacts, e: equalities, nv: dofs.
static problemParts list_parts(hfFrictionProblem* p) {
  int32_t m = p->dim * p->ncontact;
  int32_t e = p->nequality;
  int32_t nv = p->nv;

  return (problemParts){.matrix = {{"W", &p->W, m, m},
                                   {"V", &p->V, m, e},
                                   {"R", &p->R, e, e},
                                   {"M", &p->M, nv, nv},
                                   {"H", &p->H, nv, m},
                                   {"G", &p->G, nv, e}},
                        .vector = {{"mu", &p->mu, p->ncontact},
                                   {"q", &p->q, m},
                                   {"s", &p->s, e},
                                   {"f", &p->f, nv},
                                   {"w", &p->w, m},
                                   {"b", &p->b, e}}};
}

// ---- from Python -----------------------------------------------------------------------------------------------

// A problem over buffers of Python. Its arrays are valid until release_problem.
typedef struct borrowedProblem {
  hfFrictionProblem problem;
  Py_buffer buffer[BUFFERS];
  int count; // of buffers
} borrowedProblem;

static void release_problem(borrowedProblem* p) {
  for (int i = 0; i < p->count; ++i) PyBuffer_Release(&p->buffer[i]);
  p->count = 0;
}

// Sets a matrix from a tuple (start, col, value) of compressed rows: the entries of row i begin at start[i] and end
// before start[i + 1]. Returns 0, or -1 with Python's exception. Its buffers are added to those of the problem, also
// after a failure.
static int borrow_matrix(borrowedProblem* p, const matrixPart* part, PyObject* arrays) {
  PyObject* start;
  PyObject* col;
  PyObject* value;
  if (!PyArg_ParseTuple(arrays, "OOO", &start, &col, &value)) return -1;

  Py_buffer* start_view = &p->buffer[p->count++];
  int64_t start_bytes = (int64_t)sizeof(int32_t) * ((int64_t)part->rows + 1);
  if (get_bytes(start, part->name, start_bytes, start_view) < 0) return -1;

  hfSparseMatrix* A = part->matrix;
  A->rows = part->rows;
  A->cols = part->cols;
  A->start = start_view->buf;

  // the number of entries is the end of the last row
  int64_t n = A->start[A->rows];
  if (n < 0) return refuse(PyExc_ValueError, "%s has a negative number of entries", part->name);

  Py_buffer* col_view = &p->buffer[p->count++];
  if (get_bytes(col, part->name, (int64_t)sizeof(int32_t) * n, col_view) < 0) return -1;
  Py_buffer* value_view = &p->buffer[p->count++];
  if (get_doubles(value, part->name, n, 0, value_view) < 0) return -1;
  A->col = col_view->buf;
  A->value = value_view->buf;
  return 0;
}

// Refuses counts that are negative, or whose product, the number of contact rows, is no int32_t: list_parts and the
// arrays of the answer compute sizes of them. Returns 0, or -1 with Python's exception.
static int check_counts(const hfFrictionProblem* p) {
  if (p->dim < 0 || p->ncontact < 0 || p->nequality < 0 || p->nv < 0)
    return refuse(PyExc_ValueError, "a friction problem has no negative counts");
  if ((int64_t)p->dim * p->ncontact > INT32_MAX)
    return refuse(PyExc_ValueError, "a friction problem has at most %d rows of contacts", INT32_MAX);
  return 0;
}

// Makes a problem over the arrays of the two dicts; a part that `arrays` does not have stays NULL.
// Returns 0, or -1 with Python's exception. Release with release_problem, also after a failure.
static int borrow_problem(borrowedProblem* p, PyObject* counts, PyObject* arrays) {
  *p = (borrowedProblem){0};
  if (fill_struct(&p->problem, MEMBERS(count_members), counts, "friction problem") < 0) return -1;
  if (check_counts(&p->problem) < 0) return -1;

  problemParts parts = list_parts(&p->problem);

  for (int i = 0; i < MATRICES; ++i) {
    PyObject* matrix = PyDict_GetItemString(arrays, parts.matrix[i].name);
    if (matrix && borrow_matrix(p, &parts.matrix[i], matrix) < 0) return -1;
  }

  for (int i = 0; i < VECTORS; ++i) {
    const vectorPart* part = &parts.vector[i];
    PyObject* numbers = PyDict_GetItemString(arrays, part->name);
    if (!numbers) continue;
    Py_buffer* view = &p->buffer[p->count++];
    if (get_doubles(numbers, part->name, part->size, 0, view) < 0) return -1;
    *part->vector = view->buf;
  }
  return 0;
}

// ---- solving ---------------------------------------------------------------------------------------------------

enum { ANSWERS = 4 }; // r, u, lambda, v

// New arrays r, u, lambda and v, and a solution that leads to their numbers.
typedef struct answerArrays {
  PyObject* array[ANSWERS];
  hfFrictionSolution solution;
} answerArrays;

static void release_answer(answerArrays* a) {
  for (int i = 0; i < ANSWERS; ++i) Py_XDECREF(a->array[i]);
}

// Copies the numbers of an array into an answer of n numbers; NULL or None copies nothing.
static int copy_guess(PyObject* guess, const char* name, int64_t n, double* answer) {
  Py_buffer from;
  if (get_optional_doubles(guess, name, n, &from) < 0) return -1;

  if (from.obj && n) memcpy(answer, from.buf, (size_t)from.len);
  PyBuffer_Release(&from);
  return 0;
}

// Makes the arrays of an answer. r and lambda begin with the guesses, if these are not None, all else with zeros.
// Release with release_answer, also after a failure.
static int new_answer(answerArrays* a, const hfFrictionProblem* p, PyObject* r, PyObject* lambda) {
  int64_t m = (int64_t)p->dim * p->ncontact;
  int64_t nv = p->form == HF_FORM_GLOBAL ? p->nv : 0;
  const int64_t size[ANSWERS] = {m, m, p->nequality, nv};
  double** data[ANSWERS] = {&a->solution.r, &a->solution.u, &a->solution.lambda, &a->solution.v};

  *a = (answerArrays){0};
  for (int i = 0; i < ANSWERS; ++i) {
    a->array[i] = array_vector(size[i], data[i]);
    if (!a->array[i]) return -1;
  }

  if (copy_guess(r, "r", m, a->solution.r) < 0) return -1;
  return copy_guess(lambda, "lambda", p->nequality, a->solution.lambda);
}

// What a call does with the problem and the guess.
typedef enum frictionTask { EVALUATE_GUESS, SOLVE } frictionTask;

// Solves a problem, or evaluates a guess, without the interpreter's lock. Returns (r, u, lambda, v, report).
static PyObject* run_task(frictionTask task, PyObject* counts, PyObject* arrays, PyObject* r, PyObject* lambda,
                          PyObject* options) {
  borrowedProblem p;
  answerArrays a = {0};
  hfFrictionConfig config = hf_friction_config_default();
  PyObject* result = NULL;
  config.warm_start = r != Py_None;

  if (borrow_problem(&p, counts, arrays) == 0 && fill_struct(&config, MEMBERS(config_members), options, "solve") == 0 &&
      new_answer(&a, &p.problem, r, lambda) == 0) {
    hfFrictionReport report;
    hfError error;
    hfStatus status;
    Py_BEGIN_ALLOW_THREADS
    if (task == SOLVE)
      status = hf_friction_solve(&p.problem, &config, &a.solution, &report, &error);
    else
      status = hf_friction_evaluate(&p.problem, &a.solution, &report, &error);
    Py_END_ALLOW_THREADS

    if (status < 0)
      raise_error(&error);
    else
      result = Py_BuildValue("(OOOON)", a.array[0], a.array[1], a.array[2], a.array[3],
                             dump_struct(&report, MEMBERS(report_members)));
  }

  release_answer(&a);
  release_problem(&p);
  return result;
}

// friction_solve(counts, arrays, r or None, lambda or None, options): (r, u, lambda, v, report), solved from the guess.
static PyObject* friction_solve(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* counts;
  PyObject* arrays;
  PyObject* r;
  PyObject* lambda;
  PyObject* options;

  if (!PyArg_ParseTuple(args, "O!O!OOO", &PyDict_Type, &counts, &PyDict_Type, &arrays, &r, &lambda, &options))
    return NULL;

  return run_task(SOLVE, counts, arrays, r, lambda, options);
}

// friction_evaluate(counts, arrays, r, lambda): (r, u, lambda, v, report) of the guess as it is.
static PyObject* friction_evaluate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* counts;
  PyObject* arrays;
  PyObject* r;
  PyObject* lambda;

  if (!PyArg_ParseTuple(args, "O!O!OO", &PyDict_Type, &counts, &PyDict_Type, &arrays, &r, &lambda)) return NULL;
  return run_task(EVALUATE_GUESS, counts, arrays, r, lambda, NULL);
}

// ---- files -----------------------------------------------------------------------------------------------------

// friction_write(counts, arrays, path): writes the problem of the two dicts to a file. Returns None.
static PyObject* friction_write(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* counts;
  PyObject* arrays;
  const char* path;
  if (!PyArg_ParseTuple(args, "O!O!s", &PyDict_Type, &counts, &PyDict_Type, &arrays, &path)) return NULL;

  borrowedProblem p;
  hfError error;
  PyObject* result = NULL;

  if (borrow_problem(&p, counts, arrays) == 0) {
    if (hf_friction_problem_write(&p.problem, path, &error) < 0)
      raise_error(&error);
    else
      result = Py_NewRef(Py_None);
  }

  release_problem(&p);
  return result;
}

// A matrix as a tuple (bytes of start, bytes of col, values).
static PyObject* dump_matrix(const hfSparseMatrix* A) {
  int32_t n = A->start[A->rows];
  Py_ssize_t start_bytes = (Py_ssize_t)sizeof(int32_t) * (A->rows + 1);
  Py_ssize_t col_bytes = (Py_ssize_t)sizeof(int32_t) * n;

  return Py_BuildValue("(y#y#N)", (const char*)A->start, start_bytes, (const char*)A->col, col_bytes,
                       array_copy(A->value, n));
}

// Sets a value of a dict, whose reference it takes over. A NULL value is a failure before.
static int put(PyObject* dict, const char* name, PyObject* value) {
  int failed = !value || PyDict_SetItemString(dict, name, value) < 0;

  Py_XDECREF(value);
  return failed ? -1 : 0;
}

// A dict of the matrices and vectors that a problem has.
static PyObject* dump_arrays(hfFrictionProblem* p) {
  problemParts parts = list_parts(p);
  PyObject* arrays = PyDict_New();
  int status = arrays ? 0 : -1;

  for (int i = 0; i < MATRICES && status == 0; ++i) {
    const matrixPart* part = &parts.matrix[i];
    if (part->matrix->start) status = put(arrays, part->name, dump_matrix(part->matrix));
  }

  for (int i = 0; i < VECTORS && status == 0; ++i) {
    const vectorPart* part = &parts.vector[i];
    if (*part->vector) status = put(arrays, part->name, array_copy(*part->vector, part->size));
  }

  if (status < 0) Py_CLEAR(arrays);
  return arrays;
}

// friction_read(path): the problem of a file as (counts, arrays), the dicts that friction_write takes.
static PyObject* friction_read(PyObject* self, PyObject* args) {
  (void)self;
  const char* path;
  hfFrictionProblem* p = NULL;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_friction_problem_read(&p, path, &error) < 0) return raise_error(&error);

  PyObject* arrays = dump_arrays(p);
  PyObject* result = arrays ? Py_BuildValue("(NN)", dump_struct(p, MEMBERS(count_members)), arrays) : NULL;

  hf_friction_problem_free(p);
  return result;
}

static PyMethodDef functions[] = {{"friction_solve", friction_solve, METH_VARARGS, NULL},
                                  {"friction_evaluate", friction_evaluate, METH_VARARGS, NULL},
                                  {"friction_write", friction_write, METH_VARARGS, NULL},
                                  {"friction_read", friction_read, METH_VARARGS, NULL},
                                  {0}};

// Adds the functions of this file to the module.
int add_friction(PyObject* module) { return PyModule_AddFunctions(module, functions); }
