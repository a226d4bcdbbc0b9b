// Problem: a step problem as an object. Its arrays are its own and may be changed; a solve checks them first.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject* ProblemType;

typedef struct ProblemObject {
  PyObject_HEAD
  hfStepProblem problem; // its arrays are in `memory` or in `read`
  void* memory; // of a copy; else NULL
  hfStepProblem* read; // what was read from a file; else NULL
} ProblemObject;

static const member solver_members[] = {MEMBER(hfSolverConfig, coupling),  MEMBER(hfSolverConfig, first_rung),
                                        MEMBER(hfSolverConfig, last_rung), MEMBER(hfSolverConfig, max_iterations),
                                        MEMBER(hfSolverConfig, tolerance), MEMBER(hfSolverConfig, theta_max)};
static const member mlcp_members[] = {MEMBER(hfMlcpConfig, form),     MEMBER(hfMlcpConfig, method),
                                      MEMBER(hfMlcpConfig, edges),    MEMBER(hfMlcpConfig, tikhonov),
                                      MEMBER(hfMlcpConfig, recovery), MEMBER(hfMlcpConfig, tolerance)};
static const member report_members[] = {
    MEMBER(hfSolveReport, status), MEMBER(hfSolveReport, rung), MEMBER(hfSolveReport, islands),
    MEMBER(hfSolveReport, iterations), MEMBER(hfSolveReport, max_iterations), MEMBER(hfSolveReport, limited),
    MEMBER(hfSolveReport, residual), MEMBER(hfSolveReport, coupled_residual)};
static const member contact_members[] = {
    MEMBER(hfContactLaw, stiffness), MEMBER(hfContactLaw, dissipation), MEMBER(hfContactLaw, depth),
    MEMBER(hfContactLaw, normal_force0), MEMBER(hfContactLaw, mu), MEMBER(hfContactLaw, stiction_speed),
    MEMBER(hfContactLaw, k_t), MEMBER(hfContactLaw, c_t), MEMBER(hfContactLaw, xi0), MEMBER(hfContactLaw, friction)};
static const member row_members[] = {MEMBER(hfSaturatedRow, s0), MEMBER(hfSaturatedRow, kappa),
                                     MEMBER(hfSaturatedRow, lo), MEMBER(hfSaturatedRow, hi)};
static const member block_members[] = {MEMBER(hfStepBlock, law),   MEMBER(hfStepBlock, dim),   MEMBER(hfStepBlock, row),
                                       MEMBER(hfStepBlock, param), MEMBER(hfStepBlock, piece),
                                       MEMBER(hfStepBlock, npiece)};
static const member piece_members[] = {MEMBER(hfStepPiece, tree), MEMBER(hfStepPiece, ncol), MEMBER(hfStepPiece, col),
                                       MEMBER(hfStepPiece, jac)};

// ---- arrays of a problem -----------------------------------------------------------------------------------

enum { ARRAYS = 13 };
static const size_t ARRAY_ALIGNMENT = 16; // Bytes of which the place of every array in a copy is a multiple.

// An array of a problem.
typedef struct problemArray {
  const char* name;
  char kind; // of a number, as in core.h; 'B': structs, whose bytes are shown
  int fixed; // 1: cannot be changed, because it says where other things are
  size_t width; // bytes of an item
  void** data;
  int64_t count; // of items
} problemArray;

// Lists all arrays of a problem, also those of no items: name, kind of number ('B': structs), 1 if it cannot be
// changed, bytes of an item, where it is, number of items. `drift` may have no data.
static void list_arrays(hfStepProblem* p, problemArray arrays[ARRAYS]) {
  int64_t nM = p->M_start ? p->M_start[p->ntree] : 0;
  int64_t ndrift = p->drift ? p->nrow : 0;

  const problemArray all[ARRAYS] = {
      {"tree_start", 'i', 1, sizeof(int32_t), (void**)&p->tree_start, p->ntree + 1},
      {"M_start", 'i', 1, sizeof(int32_t), (void**)&p->M_start, p->ntree + 1},
      {"M", 'd', 0, sizeof(double), (void**)&p->M, nM},
      {"diag", 'd', 0, sizeof(double), (void**)&p->diag, p->nv},
      {"p", 'd', 0, sizeof(double), (void**)&p->p, p->nv},
      {"v0", 'd', 0, sizeof(double), (void**)&p->v0, p->nv},
      {"block", 'B', 1, sizeof(hfStepBlock), (void**)&p->block, p->nblock},
      {"piece", 'B', 1, sizeof(hfStepPiece), (void**)&p->piece, p->npiece},
      {"cols", 'i', 1, sizeof(int32_t), (void**)&p->cols, p->ncol},
      {"J", 'd', 0, sizeof(double), (void**)&p->J, p->njac},
      {"saturated", 'B', 0, sizeof(hfSaturatedRow), (void**)&p->saturated, p->nsaturated},
      {"contact", 'B', 0, sizeof(hfContactLaw), (void**)&p->contact, p->ncontact},
      {"drift", 'd', 0, sizeof(double), (void**)&p->drift, ndrift}};
  memcpy(arrays, all, sizeof all);
}

static size_t round_up(size_t bytes) { return (bytes + ARRAY_ALIGNMENT - 1) / ARRAY_ALIGNMENT * ARRAY_ALIGNMENT; }

// A new Problem with copies of all arrays in one block of memory; NULL with Python's exception.
PyObject* problem_copy(const hfStepProblem* from) {
  ProblemObject* self = object_alloc(ProblemType);
  if (!self) return NULL;

  problemArray arrays[ARRAYS];
  self->problem = *from;
  list_arrays(&self->problem, arrays);

  size_t bytes = ARRAY_ALIGNMENT; // not 0, also of a problem without anything
  for (int i = 0; i < ARRAYS; ++i) bytes += round_up(arrays[i].width * (size_t)arrays[i].count);

  self->memory = malloc(bytes);
  if (!self->memory) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }

  char* free_place = self->memory;
  for (int i = 0; i < ARRAYS; ++i) {
    size_t n = arrays[i].width * (size_t)arrays[i].count;
    if (!*arrays[i].data) continue; // an array that a problem may lack, as `drift`
    if (n) memcpy(free_place, *arrays[i].data, n);
    *arrays[i].data = free_place;
    free_place += round_up(n);
  }
  return (PyObject*)self;
}

static void problem_dealloc(PyObject* self) {
  free(((ProblemObject*)self)->memory);
  hf_step_problem_free(((ProblemObject*)self)->read);
  object_free(self);
}

// _view(name): a view of an array.
static PyObject* problem_view(PyObject* self, PyObject* args) {
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;

  problemArray arrays[ARRAYS];
  list_arrays(&((ProblemObject*)self)->problem, arrays);
  for (int i = 0; i < ARRAYS; ++i) {
    const problemArray* a = &arrays[i];
    if (strcmp(name, a->name) != 0) continue;
    int64_t n = a->kind == 'B' ? a->count * (int64_t)a->width : a->count;
    return view_new(self, *a->data, a->kind, 1, &n, NULL, a->fixed);
  }
  return PyErr_Format(PyExc_AttributeError, "a problem has no array \"%s\"", name);
}

// _counts(): a dict of the step size h [s] and the sizes.
static PyObject* problem_counts(PyObject* self, PyObject* none) {
  (void)none;
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  return Py_BuildValue("{s:d,s:i,s:i,s:i,s:i,s:i}", "h", p->h, "nv", p->nv, "ntree", p->ntree, "nblock", p->nblock,
                       "nrow", p->nrow, "ncontact", p->ncontact);
}

// ---- files -------------------------------------------------------------------------------------------------

// Refuses a problem that is not well-formed: its arrays may have been changed.
static int validate(const hfStepProblem* p) {
  hfError error;
  if (hf_step_problem_validate(p, &error) >= 0) return 0;
  raise_error(&error);
  return -1;
}

// _read(path): a Problem.
static PyObject* problem_read(PyObject* type, PyObject* args) {
  const char* path;
  hfStepProblem* problem = NULL;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_step_problem_read(&problem, path, &error) < 0) return raise_error(&error);

  ProblemObject* self = object_alloc((PyTypeObject*)type);
  if (!self) {
    hf_step_problem_free(problem);
    return NULL;
  }

  self->read = problem;
  self->problem = *problem;
  return (PyObject*)self;
}

// _write(path)
static PyObject* problem_write(PyObject* self, PyObject* args) {
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  const char* path;
  hfError error;

  if (!PyArg_ParseTuple(args, "s", &path) || validate(p) < 0) return NULL;
  if (hf_step_problem_write(p, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// ---- solving -----------------------------------------------------------------------------------------------

// New arrays of the velocities (nv) and the impulses (nrow) of a solution.
typedef struct solutionArrays {
  PyObject* v_array;
  PyObject* impulse_array;
  double* v;
  double* impulse;
} solutionArrays;

// Makes the two arrays; after a failure there is none.
static int new_solution(solutionArrays* x, const hfStepProblem* p) {
  x->v_array = array_vector(p->nv, &x->v);
  x->impulse_array = array_vector(p->nrow, &x->impulse);
  if (x->v_array && x->impulse_array) return 0;
  Py_XDECREF(x->v_array);
  Py_XDECREF(x->impulse_array);
  return -1;
}

// (v, impulse, report) of a status, which is raised if it is a refusal. Takes the references to the arrays over.
static PyObject* finish_solution(const solutionArrays* x, hfStatus status, const hfError* error,
                                 const hfSolveReport* report) {
  if (status >= 0)
    return Py_BuildValue("(NNN)", x->v_array, x->impulse_array, dump_struct(report, MEMBERS(report_members)));

  Py_DECREF(x->v_array);
  Py_DECREF(x->impulse_array);
  return raise_error(error);
}

// _solve(options): (v, impulse, report), the velocities at the end of the step and the impulse of each row.
static PyObject* problem_solve(PyObject* self, PyObject* args) {
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  PyObject* options;
  hfSolverConfig config = hf_solver_config_default();
  if (!PyArg_ParseTuple(args, "O", &options)) return NULL;
  if (fill_struct(&config, MEMBERS(solver_members), options, "solve") < 0 || validate(p) < 0) return NULL;

  hfStepCapacity capacity = hf_step_problem_capacity(p);
  hfSolver* solver = NULL;
  hfError error;
  if (hf_solver_create(&solver, &capacity, &error) < 0) return raise_error(&error);

  solutionArrays x;
  PyObject* result = NULL;

  if (new_solution(&x, p) == 0) {
    hfSolveReport report;
    hfStatus status = hf_solver_solve(solver, &config, p, x.v, x.impulse, &report, &error);
    result = finish_solution(&x, status, &error, &report);
  }

  hf_solver_free(solver);
  return result;
}

// _solve_mlcp(options): (v, impulse, report) as of _solve, found by a mixed linear complementarity problem.
static PyObject* problem_solve_mlcp(PyObject* self, PyObject* args) {
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  PyObject* options;
  hfMlcpConfig config = hf_mlcp_config_default();
  if (!PyArg_ParseTuple(args, "O", &options)) return NULL;
  if (fill_struct(&config, MEMBERS(mlcp_members), options, "solve_mlcp") < 0 || validate(p) < 0) return NULL;

  hfStepCapacity capacity = hf_step_problem_capacity(p);
  hfMlcp* mlcp = NULL;
  hfError error;
  if (hf_mlcp_create(&mlcp, &capacity, &config, &error) < 0) return raise_error(&error);

  solutionArrays x;
  PyObject* result = NULL;

  if (new_solution(&x, p) == 0) {
    hfSolveReport report = {0};
    hfStatus status = hf_mlcp_solve(mlcp, p, x.v, x.impulse, &report, &error);
    result = finish_solution(&x, status, &error, &report);
  }

  hf_mlcp_free(mlcp);
  return result;
}

static PyMethodDef problem_methods[] = {{"_read", problem_read, METH_VARARGS | METH_CLASS, NULL},
                                        {"_write", problem_write, METH_VARARGS, NULL},
                                        {"_view", problem_view, METH_VARARGS, NULL},
                                        {"_counts", problem_counts, METH_NOARGS, NULL},
                                        {"_solve", problem_solve, METH_VARARGS, NULL},
                                        {"_solve_mlcp", problem_solve_mlcp, METH_VARARGS, NULL},
                                        {0}};
static PyType_Slot problem_slots[] = {{Py_tp_dealloc, problem_dealloc}, {Py_tp_methods, problem_methods}, {0}};
static PyType_Spec problem_spec = {.name = "holdfast._core.Problem",
                                   .basicsize = sizeof(ProblemObject),
                                   .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   .slots = problem_slots};

// problem_dtypes(): the members of the structs in a problem's arrays, by the names of the arrays.
static PyObject* problem_dtypes(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return Py_BuildValue("{s:N,s:N,s:N,s:N}",
                       "contact", describe_struct(sizeof(hfContactLaw), MEMBERS(contact_members)),
                       "saturated", describe_struct(sizeof(hfSaturatedRow), MEMBERS(row_members)),
                       "block", describe_struct(sizeof(hfStepBlock), MEMBERS(block_members)),
                       "piece", describe_struct(sizeof(hfStepPiece), MEMBERS(piece_members)));
}

static PyMethodDef functions[] = {{"problem_dtypes", problem_dtypes, METH_NOARGS, NULL}, {0}};

// Adds the type Problem and the functions of this file to the module.
int add_problem(PyObject* module) {
  ProblemType = add_type(module, &problem_spec);
  return ProblemType && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
