// Problem: a step problem as an object. Its arrays are its own and may be changed; a solve checks them first.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject* ProblemType;

typedef struct ProblemObject {
  PyObject_HEAD
  hfStepProblem problem; // arrays in `memory`, or in `read`
  void* memory;
  hfStepProblem* read; // a problem that was read from a file
} ProblemObject;

static const member solver_members[] = {MEMBER(hfSolverConfig, coupling),  MEMBER(hfSolverConfig, first_rung),
                                        MEMBER(hfSolverConfig, last_rung), MEMBER(hfSolverConfig, max_iterations),
                                        MEMBER(hfSolverConfig, tolerance), MEMBER(hfSolverConfig, theta_max)};
static const member mlcp_members[] = {MEMBER(hfMlcpConfig, form),     MEMBER(hfMlcpConfig, method),
                                      MEMBER(hfMlcpConfig, edges),    MEMBER(hfMlcpConfig, tikhonov),
                                      MEMBER(hfMlcpConfig, recovery), MEMBER(hfMlcpConfig, tolerance)};
static const member report_members[] = {
    MEMBER(hfSolveReport, status),         MEMBER(hfSolveReport, rung),     MEMBER(hfSolveReport, islands),
    MEMBER(hfSolveReport, iterations),     MEMBER(hfSolveReport, max_iterations), MEMBER(hfSolveReport, limited),
    MEMBER(hfSolveReport, residual),       MEMBER(hfSolveReport, coupled_residual)};
static const member contact_members[] = {
    MEMBER(hfContactLaw, stiffness), MEMBER(hfContactLaw, dissipation), MEMBER(hfContactLaw, depth),
    MEMBER(hfContactLaw, normal_force0), MEMBER(hfContactLaw, mu), MEMBER(hfContactLaw, stiction_speed),
    MEMBER(hfContactLaw, k_t), MEMBER(hfContactLaw, c_t), MEMBER(hfContactLaw, xi0), MEMBER(hfContactLaw, friction)};
static const member row_members[] = {MEMBER(hfSaturatedRow, s0), MEMBER(hfSaturatedRow, kappa), MEMBER(hfSaturatedRow, lo),
                                     MEMBER(hfSaturatedRow, hi)};
static const member block_members[] = {MEMBER(hfStepBlock, law),   MEMBER(hfStepBlock, dim),   MEMBER(hfStepBlock, row),
                                       MEMBER(hfStepBlock, param), MEMBER(hfStepBlock, piece), MEMBER(hfStepBlock, npiece)};
static const member piece_members[] = {MEMBER(hfStepPiece, tree), MEMBER(hfStepPiece, ncol), MEMBER(hfStepPiece, col),
                                       MEMBER(hfStepPiece, jac)};

// The arrays of a problem, named once: kind 0 is a struct, whose bytes are shown.
typedef struct part {
  const char* name;
  char kind;
  size_t width; // bytes of an item
  void** data;
  int64_t count;
} part;
enum { PARTS = 13 };

static void list_parts(hfStepProblem* p, part parts[PARTS]) {
  int64_t nM = p->M_start ? p->M_start[p->ntree] : 0;
  const part all[PARTS] = {{"tree_start", 'i', 4, (void**)&p->tree_start, p->ntree + 1},
                           {"M_start", 'i', 4, (void**)&p->M_start, p->ntree + 1},
                           {"M", 'd', 8, (void**)&p->M, nM},
                           {"diag", 'd', 8, (void**)&p->diag, p->nv},
                           {"p", 'd', 8, (void**)&p->p, p->nv},
                           {"v0", 'd', 8, (void**)&p->v0, p->nv},
                           {"block", 0, sizeof(hfStepBlock), (void**)&p->block, p->nblock},
                           {"piece", 0, sizeof(hfStepPiece), (void**)&p->piece, p->npiece},
                           {"cols", 'i', 4, (void**)&p->cols, p->ncol},
                           {"J", 'd', 8, (void**)&p->J, p->njac},
                           {"saturated", 0, sizeof(hfSaturatedRow), (void**)&p->saturated, p->nsaturated},
                           {"contact", 0, sizeof(hfContactLaw), (void**)&p->contact, p->ncontact},
                           {"drift", 'd', 8, (void**)&p->drift, p->drift ? p->nrow : 0}};
  memcpy(parts, all, sizeof all);
}

static size_t round_up(size_t n) { return (n + 15) / 16 * 16; }

PyObject* problem_copy(const hfStepProblem* from) {
  ProblemObject* self = object_alloc(ProblemType);
  if (!self) return NULL;
  part parts[PARTS];
  self->problem = *from;
  list_parts(&self->problem, parts);
  size_t bytes = 16;
  for (int i = 0; i < PARTS; ++i) bytes += round_up(parts[i].width * (size_t)parts[i].count);
  char* at = self->memory = malloc(bytes);
  if (!at) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  for (int i = 0; i < PARTS; ++i) {
    size_t n = parts[i].width * (size_t)parts[i].count;
    if (!*parts[i].data) continue; // no surface moves
    if (n) memcpy(at, *parts[i].data, n);
    *parts[i].data = at;
    at += round_up(n);
  }
  return (PyObject*)self;
}

static void problem_dealloc(PyObject* self) {
  free(((ProblemObject*)self)->memory);
  hf_step_problem_free(((ProblemObject*)self)->read);
  object_free(self);
}

static PyObject* problem_read(PyObject* type, PyObject* args) {
  const char* path;
  hfStepProblem* read = NULL;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  if (hf_step_problem_read(&read, path, &error) < 0) return raise_error(&error);
  ProblemObject* self = object_alloc((PyTypeObject*)type);
  if (!self) {
    hf_step_problem_free(read);
    return NULL;
  }
  self->read = read;
  self->problem = *read;
  return (PyObject*)self;
}

static int validate(ProblemObject* self) {
  hfError error;
  if (hf_step_problem_validate(&self->problem, &error) >= 0) return 0;
  raise_error(&error);
  return -1;
}

static PyObject* problem_write(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path) || validate((ProblemObject*)self) < 0) return NULL;
  if (hf_step_problem_write(&((ProblemObject*)self)->problem, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* problem_view(PyObject* self, PyObject* args) {
  const char* name;
  part parts[PARTS];
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  list_parts(&((ProblemObject*)self)->problem, parts);
  for (int i = 0; i < PARTS; ++i)
    if (strcmp(name, parts[i].name) == 0) {
      int64_t n = parts[i].kind ? parts[i].count : parts[i].count * (int64_t)parts[i].width;
      // what says where things are cannot be changed
      int fixed = parts[i].kind == 'i' || strcmp(name, "block") == 0 || strcmp(name, "piece") == 0;
      return view_new(self, *parts[i].data, parts[i].kind ? parts[i].kind : 'B', 1, &n, NULL, fixed);
    }
  return PyErr_Format(PyExc_AttributeError, "a problem has no array \"%s\"", name);
}

static PyObject* problem_counts(PyObject* self, PyObject* none) {
  (void)none;
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  return Py_BuildValue("{s:d,s:i,s:i,s:i,s:i,s:i}", "h", p->h, "nv", p->nv, "ntree", p->ntree, "nblock", p->nblock, "nrow",
                       p->nrow, "ncontact", p->ncontact);
}

// (v, impulse, report) of a status, which is raised where it is a refusal.
static PyObject* answer(hfStatus status, const hfError* error, PyObject* v, PyObject* impulse, const hfSolveReport* report) {
  if (status >= 0) return Py_BuildValue("(NNN)", v, impulse, dump_struct(report, MEMBERS(report_members)));
  Py_DECREF(v);
  Py_DECREF(impulse);
  return raise_error(error);
}

static PyObject* problem_solve(PyObject* self, PyObject* args) {
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  PyObject* options;
  hfSolverConfig config = hf_solver_config_default();
  hfStepCapacity capacity = hf_step_problem_capacity(p);
  hfSolver* solver = NULL;
  hfSolveReport report;
  hfError error;
  double *v, *impulse;
  if (!PyArg_ParseTuple(args, "O", &options) || fill_struct(&config, MEMBERS(solver_members), options, "solve") < 0 ||
      validate((ProblemObject*)self) < 0)
    return NULL;
  if (hf_solver_create(&solver, &capacity, &error) < 0) return raise_error(&error);
  PyObject* av = array_new(1, (const int64_t[1]){p->nv}, &v);
  PyObject* ai = av ? array_new(1, (const int64_t[1]){p->nrow}, &impulse) : NULL;
  PyObject* result = NULL;
  if (ai)
    result = answer(hf_solver_solve(solver, &config, p, v, impulse, &report, &error), &error, av, ai, &report);
  else
    Py_XDECREF(av);
  hf_solver_free(solver);
  return result;
}

static PyObject* problem_solve_mlcp(PyObject* self, PyObject* args) {
  const hfStepProblem* p = &((ProblemObject*)self)->problem;
  PyObject* options;
  hfMlcpConfig config = hf_mlcp_config_default();
  hfStepCapacity capacity = hf_step_problem_capacity(p);
  hfMlcp* mlcp = NULL;
  hfSolveReport report = {0};
  hfError error;
  double *v, *impulse;
  if (!PyArg_ParseTuple(args, "O", &options) || fill_struct(&config, MEMBERS(mlcp_members), options, "solve_mlcp") < 0 ||
      validate((ProblemObject*)self) < 0)
    return NULL;
  if (hf_mlcp_create(&mlcp, &capacity, &config, &error) < 0) return raise_error(&error);
  PyObject* av = array_new(1, (const int64_t[1]){p->nv}, &v);
  PyObject* ai = av ? array_new(1, (const int64_t[1]){p->nrow}, &impulse) : NULL;
  PyObject* result = NULL;
  if (ai)
    result = answer(hf_mlcp_solve(mlcp, p, v, impulse, &report, &error), &error, av, ai, &report);
  else
    Py_XDECREF(av);
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

static PyObject* problem_dtypes(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return Py_BuildValue("{s:N,s:N,s:N,s:N}", "contact", describe_struct(sizeof(hfContactLaw), MEMBERS(contact_members)),
                       "saturated", describe_struct(sizeof(hfSaturatedRow), MEMBERS(row_members)), "block",
                       describe_struct(sizeof(hfStepBlock), MEMBERS(block_members)), "piece",
                       describe_struct(sizeof(hfStepPiece), MEMBERS(piece_members)));
}
static PyMethodDef functions[] = {{"problem_dtypes", problem_dtypes, METH_NOARGS, NULL}, {0}};

int add_problem(PyObject* module) {
  ProblemType = add_type(module, &problem_spec);
  return ProblemType && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
