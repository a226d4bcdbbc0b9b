// Friction problems given by matrices. A problem comes as a dict of counts and a dict of arrays: vectors by name, and matrices
// by name as (start, col, value) of compressed rows.
#include "core.h"

#include <holdfast/friction.h>
#include <stdlib.h>
#include <string.h>

static const member count_members[] = {MEMBER(hfFrictionProblem, form), MEMBER(hfFrictionProblem, dim),
                                       MEMBER(hfFrictionProblem, ncontact), MEMBER(hfFrictionProblem, nequality),
                                       MEMBER(hfFrictionProblem, nv)};
static const member config_members[] = {MEMBER(hfFrictionConfig, tolerance), MEMBER(hfFrictionConfig, max_steps),
                                        MEMBER(hfFrictionConfig, max_iterations)};
static const member report_members[] = {
    MEMBER(hfFrictionReport, status),      MEMBER(hfFrictionReport, islands),  MEMBER(hfFrictionReport, steps),
    MEMBER(hfFrictionReport, iterations),  MEMBER(hfFrictionReport, natural_map), MEMBER(hfFrictionReport, residual),
    MEMBER(hfFrictionReport, scaled_residual)};

enum { MATRICES = 6, VECTORS = 6, BUFFERS = 3 * MATRICES + VECTORS };

typedef struct matrixName {
  const char* name;
  hfSparseMatrix* matrix;
  int32_t rows, cols;
} matrixName;
typedef struct vectorName {
  const char* name;
  double** vector;
  int32_t size;
} vectorName;

static void name_parts(hfFrictionProblem* p, matrixName matrices[MATRICES], vectorName vectors[VECTORS]) {
  int32_t m = p->dim * p->ncontact, e = p->nequality, nv = p->nv;
  const matrixName a[MATRICES] = {{"W", &p->W, m, m},   {"V", &p->V, m, e},  {"R", &p->R, e, e},
                                  {"M", &p->M, nv, nv}, {"H", &p->H, nv, m}, {"G", &p->G, nv, e}};
  const vectorName b[VECTORS] = {{"mu", &p->mu, p->ncontact}, {"q", &p->q, m}, {"s", &p->s, e},
                                 {"f", &p->f, nv},            {"w", &p->w, m}, {"b", &p->b, e}};
  memcpy(matrices, a, sizeof a);
  memcpy(vectors, b, sizeof b);
}

// A problem over buffers of Python.
typedef struct borrowed {
  hfFrictionProblem problem;
  Py_buffer buffer[BUFFERS];
  int count;
} borrowed;

static void give_back(borrowed* p) {
  while (p->count > 0) PyBuffer_Release(&p->buffer[--p->count]);
}

static int take_matrix(borrowed* p, const matrixName* item, PyObject* parts) {
  PyObject *start, *col, *value;
  if (!PyArg_ParseTuple(parts, "OOO", &start, &col, &value)) return -1;
  hfSparseMatrix* A = item->matrix;
  Py_buffer* b = p->buffer + p->count;
  if (get_bytes(start, item->name, 4 * ((int64_t)item->rows + 1), b) < 0) return -1;
  ++p->count;
  A->rows = item->rows, A->cols = item->cols, A->start = b->buf;
  int64_t n = A->start[A->rows];
  if (n < 0) return PyErr_Format(PyExc_ValueError, "%s has a negative number of entries", item->name), -1;
  if (get_bytes(col, item->name, 4 * n, b + 1) < 0) return -1;
  ++p->count;
  if (get_doubles(value, item->name, n, 0, b + 2) < 0) return -1;
  ++p->count;
  A->col = b[1].buf, A->value = b[2].buf;
  return 0;
}

// Arrays of the problem from the two dicts. Release with give_back, also after a failure.
static int take_problem(borrowed* p, PyObject* counts, PyObject* arrays) {
  matrixName matrices[MATRICES];
  vectorName vectors[VECTORS];
  memset(p, 0, sizeof *p);
  if (fill_struct(&p->problem, MEMBERS(count_members), counts, "friction problem") < 0) return -1;
  name_parts(&p->problem, matrices, vectors);
  for (int i = 0; i < MATRICES; ++i) {
    PyObject* parts = PyDict_GetItemString(arrays, matrices[i].name);
    if (parts && take_matrix(p, &matrices[i], parts) < 0) return -1;
  }
  for (int i = 0; i < VECTORS; ++i) {
    PyObject* x = PyDict_GetItemString(arrays, vectors[i].name);
    if (!x) continue;
    if (get_doubles(x, vectors[i].name, vectors[i].size, 0, p->buffer + p->count) < 0) return -1;
    *vectors[i].vector = p->buffer[p->count++].buf;
  }
  return 0;
}

// New arrays r, u, lambda, v. A guess, where there is one, is copied into r and lambda.
typedef struct answer {
  PyObject* array[4];
  hfFrictionSolution solution;
} answer;

static int new_answer(answer* a, const hfFrictionProblem* p, PyObject* r, PyObject* lambda) {
  int64_t m = (int64_t)p->dim * p->ncontact, size[4] = {m, m, p->nequality, p->form == HF_FORM_GLOBAL ? p->nv : 0};
  double** to[4] = {&a->solution.r, &a->solution.u, &a->solution.lambda, &a->solution.v};
  PyObject* guess[4] = {r, NULL, lambda, NULL};
  for (int i = 0; i < 4; ++i) {
    if (!(a->array[i] = array_new(1, &size[i], to[i]))) return -1;
    Py_buffer from;
    if (!guess[i] || guess[i] == Py_None) continue;
    if (get_doubles(guess[i], i ? "lambda" : "r", size[i], 0, &from) < 0) return -1;
    if (size[i]) memcpy(*to[i], from.buf, (size_t)from.len);
    PyBuffer_Release(&from);
  }
  return 0;
}

static PyObject* finish_answer(answer* a, hfStatus status, const hfError* error, const hfFrictionReport* report) {
  PyObject* result = NULL;
  if (status < 0)
    raise_error(error);
  else
    result = Py_BuildValue("(OOOON)", a->array[0], a->array[1], a->array[2], a->array[3],
                           dump_struct(report, MEMBERS(report_members)));
  return result;
}

// solve: 1 solves, 0 evaluates the guess.
static PyObject* solve_or_evaluate(PyObject* counts, PyObject* arrays, PyObject* r, PyObject* lambda, PyObject* options, int solve) {
  borrowed p;
  answer a = {0};
  hfFrictionConfig config = hf_friction_config_default();
  hfFrictionReport report;
  hfError error;
  hfStatus status;
  PyObject* result = NULL;
  config.warm_start = r != Py_None;
  if (take_problem(&p, counts, arrays) == 0 && fill_struct(&config, MEMBERS(config_members), options, "solve") == 0 &&
      new_answer(&a, &p.problem, r, lambda) == 0) {
    Py_BEGIN_ALLOW_THREADS
    status = solve ? hf_friction_solve(&p.problem, &config, &a.solution, &report, &error)
                   : hf_friction_evaluate(&p.problem, &a.solution, &report, &error);
    Py_END_ALLOW_THREADS
    result = finish_answer(&a, status, &error, &report);
  }
  for (int i = 0; i < 4; ++i) Py_XDECREF(a.array[i]);
  give_back(&p);
  return result;
}

static PyObject* friction_solve(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *counts, *arrays, *r, *lambda, *options;
  if (!PyArg_ParseTuple(args, "O!O!OOO", &PyDict_Type, &counts, &PyDict_Type, &arrays, &r, &lambda, &options)) return NULL;
  return solve_or_evaluate(counts, arrays, r, lambda, options, 1);
}

static PyObject* friction_evaluate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *counts, *arrays, *r, *lambda;
  if (!PyArg_ParseTuple(args, "O!O!OO", &PyDict_Type, &counts, &PyDict_Type, &arrays, &r, &lambda)) return NULL;
  return solve_or_evaluate(counts, arrays, r, lambda, NULL, 0);
}

static PyObject* friction_write(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *counts, *arrays;
  const char* path;
  borrowed p;
  hfError error;
  int done = 0;
  if (!PyArg_ParseTuple(args, "O!O!s", &PyDict_Type, &counts, &PyDict_Type, &arrays, &path)) return NULL;
  if (take_problem(&p, counts, arrays) == 0) {
    done = hf_friction_problem_write(&p.problem, path, &error) >= 0;
    if (!done) raise_error(&error);
  }
  give_back(&p);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

static PyObject* dump_matrix(const hfSparseMatrix* A) {
  int32_t n = A->start[A->rows];
  return Py_BuildValue("(y#y#N)", (const char*)A->start, (Py_ssize_t)(4 * (A->rows + 1)), (const char*)A->col, (Py_ssize_t)(4 * n),
                       array_copy(A->value, n));
}

// Sets a value of a dict, whose reference it takes over. Returns 0, or -1.
static int put(PyObject* dict, const char* name, PyObject* value) {
  int failed = !value || PyDict_SetItemString(dict, name, value) < 0;
  Py_XDECREF(value);
  return failed ? -1 : 0;
}

static PyObject* friction_read(PyObject* self, PyObject* args) {
  (void)self;
  const char* path;
  hfFrictionProblem* p = NULL;
  hfError error;
  matrixName matrices[MATRICES];
  vectorName vectors[VECTORS];
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_friction_problem_read(&p, path, &error) < 0) return raise_error(&error);
  PyObject* arrays = PyDict_New();
  int failed = !arrays;
  name_parts(p, matrices, vectors);
  for (int i = 0; i < MATRICES && !failed; ++i)
    if (matrices[i].matrix->start) failed = put(arrays, matrices[i].name, dump_matrix(matrices[i].matrix)) < 0;
  for (int i = 0; i < VECTORS && !failed; ++i)
    if (*vectors[i].vector) failed = put(arrays, vectors[i].name, array_copy(*vectors[i].vector, vectors[i].size)) < 0;
  PyObject* result = failed ? NULL : Py_BuildValue("(NO)", dump_struct(p, MEMBERS(count_members)), arrays);
  Py_XDECREF(arrays);
  hf_friction_problem_free(p);
  return result;
}

static PyMethodDef functions[] = {{"friction_solve", friction_solve, METH_VARARGS, NULL},
                                  {"friction_evaluate", friction_evaluate, METH_VARARGS, NULL},
                                  {"friction_write", friction_write, METH_VARARGS, NULL},
                                  {"friction_read", friction_read, METH_VARARGS, NULL},
                                  {0}};

int add_friction(PyObject* module) { return PyModule_AddFunctions(module, functions); }
