// The extension module holdfast._core: the library's objects and functions with plain arguments. The package's
// Python files give them their form for users.
//
// Only CPython's limited API of 3.11 is used, so that one binary serves 3.11 and later. Arrays go in and out by the
// buffer protocol; NumPy is not needed to build.
#ifndef HF_PYTHON_CORE_H
#define HF_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <holdfast/holdfast.h>
#include <holdfast/actuation.h>
#include <holdfast/control.h>
#include <holdfast/lcp.h>
#include <holdfast/manipulation.h>
#include <holdfast/mlcp.h>
#include <holdfast/rigid.h>
#include <holdfast/solver.h>
#include <holdfast/step_problem.h>
#include <stdbool.h>
#include <stdint.h>

// ---- errors --------------------------------------------------------------------------------------

// Raises the exception that belongs to the error's status, with the library's message; returns NULL.
PyObject* raise_error(const hfError* error);
int add_errors(PyObject* module);

// ---- structs by name -------------------------------------------------------------------------------

// A member of a struct: its kind and number of values come from the compiler, so that they cannot be wrong.
typedef struct member {
  const char* name;
  char kind; // d f i I q Q b s
  int count; // 1: a scalar
  size_t offset;
} member;

#define MEMBER_KIND(x)                                                                                                 \
  _Generic((x), double: 'd', double*: 'd', hfVec3: 'd', hfQuat: 'd', hfPose: 'd', hfMotion: 'd', hfForce: 'd',         \
           float: 'f', float*: 'f', int32_t: 'i', int32_t*: 'i', uint32_t: 'I', int64_t: 'q', uint64_t: 'Q',    \
           bool: 'b', const char*: 's')
#define MEMBER_SIZE(x)                                                                                                 \
  _Generic((x), double: 8, double*: 8, hfVec3: 8, hfQuat: 8, hfPose: 8, hfMotion: 8, hfForce: 8, float: 4,            \
           float*: 4, int32_t: 4, int32_t*: 4, uint32_t: 4, int64_t: 8, uint64_t: 8, bool: 1,                    \
           const char*: sizeof(char*))
#define MEMBER(S, m)                                                                                                   \
  { #m, MEMBER_KIND(((S*)0)->m), (int)(sizeof(((S*)0)->m) / MEMBER_SIZE(((S*)0)->m)), offsetof(S, m) }
#define VIOLATION(S, m) MEMBER(S, m.amount), MEMBER(S, m.kind), MEMBER(S, m.id)
// The members of hfViolations, which is the member `violation` of S.
#define VIOLATIONS(S)                                                                                                  \
  VIOLATION(S, violation.equality_distance), VIOLATION(S, violation.equality_angle),                                   \
      VIOLATION(S, violation.limit_distance), VIOLATION(S, violation.limit_angle)
#define MEMBERS(table) (table), (int)(sizeof(table) / sizeof *(table))

// Sets members from a dict (NULL: none). A key that is no member is a TypeError that lists the members.
int fill_struct(void* at, const member* members, int count, PyObject* values, const char* what);
PyObject* dump_struct(const void* at, const member* members, int count);
// (itemsize, [(name, kind, count, offset), ...]) for a NumPy dtype.
PyObject* describe_struct(size_t size, const member* members, int count);

// ---- arrays ------------------------------------------------------------------------------------------

// A view of `data`, which `owner` keeps alive. Strides in bytes; NULL: contiguous.
PyObject* view_new(PyObject* owner, void* data, char kind, int ndim, const int64_t* shape, const int64_t* strides,
                   int readonly);
PyObject* view_vector(PyObject* owner, const double* data, int64_t n, int readonly);
// A new zeroed array of doubles; *data leads to its numbers.
PyObject* array_new(int ndim, const int64_t* shape, double** data);
PyObject* array_copy(const double* from, int64_t n);
PyObject* array_matrix(const double* from, int64_t rows, int64_t columns);
// The numbers of a buffer that must hold n contiguous doubles (n < 0: any number). Release with PyBuffer_Release.
int get_doubles(PyObject* object, const char* name, int64_t n, int writable, Py_buffer* view);
// As above; None gives NULL and an empty view, which needs no release but allows one.
int get_optional_doubles(PyObject* object, const char* name, int64_t n, Py_buffer* view);
int get_bytes(PyObject* object, const char* name, int64_t n, Py_buffer* view);
hfVec3 vec3_of(const Py_buffer* view);

// ---- types -------------------------------------------------------------------------------------------

// What the library allocated is owned by a capsule, which views of it hold too. So an object may keep views of its own
// memory without a cycle of references, and a view outlives the object that showed it.
// keep: an object that must live as long, or NULL. A NULL pointer is no memory.
PyObject* own(void* pointer, void (*release)(void*), PyObject* keep);

typedef struct ModelObject {
  PyObject_HEAD
  hfModel* model;
  PyObject* owner; // capsule
  PyObject* diagnostics; // list of (severity, file, line, message, count)
} ModelObject;

typedef struct ParamsObject {
  PyObject_HEAD
  PyObject* model; // the base
  hfParams* params;
  PyObject* owner;
  int stepping; // how many threads step sims of them without the interpreter's lock
} ParamsObject;

typedef struct StateObject {
  PyObject_HEAD
  PyObject* model;
  hfState* state;
  PyObject* owner;
  int busy; // 1: a thread steps it without the interpreter's lock
} StateObject;

typedef struct InputObject {
  PyObject_HEAD
  PyObject* model;
  hfInput* input;
  PyObject* owner;
} InputObject;

typedef struct SimObject {
  PyObject_HEAD
  PyObject* model; // Model or Params
  hfSim* sim;
  hfStepReport report;
  int busy, stepped;
  int html_begins, recorder_begins; // 1: the start has not been written yet
  // what each step is written to, or NULL
  hfReport* html;
  hfRecorder* recorder;
  hfStateLog* state_log;
  hfContactLog* contact_log;
  // the end of the last step that went to a recording or a report, NULL: there was none; the input of that step or NULL; 1: the sim's results are those of that step
  hfState* last;
  PyObject* last_input;
  int last_in_sim;
} SimObject;

extern PyTypeObject *ViewType, *ModelType, *ParamsType, *StateType, *InputType, *SimType, *DynamicsType, *ProblemType;

// The model of a Model or Params; NULL with a TypeError for anything else.
const hfModel* model_of(PyObject* object);
// Raises a TypeError where this is neither None nor an Input, a ValueError where it is an Input for a model of other sizes. Returns 0, or -1.
int check_input(PyObject* input, const hfModel* model);
// Raises RuntimeError where another thread uses the object. Returns 0, or -1.
int claim(int* busy, const char* what);
// A number of steps, at least 1 and at most INT_MAX; -1 with an error for anything else.
int count_of_steps(PyObject* steps);
// The UTF-8 of a text, which lives as long as the text; NULL with an error for what is no text or has a NUL, behind which C would not read.
const char* text_of(PyObject* value);
// The type of a spec, added to the module.
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec);
PyObject* wrap_model(PyTypeObject* type, hfModel* model, const hfDiagnostics* diagnostics);
// What a reader said: a list of (severity, file, line, message, count).
PyObject* list_diagnostics(const hfDiagnostics* diagnostics);
// What is read, and how: a text, or if that is NULL the file `name`. All strings live as long as the arguments.
typedef struct import {
  hfImportConfig config;
  const char* path[64];
  const char *name, *text, *folder;
  Py_ssize_t length;
} import;
// Arguments (path, search, options) and (text, name, folder, search, options). search: list of str, or None; options: dict of fields of hfImportConfig.
// They return -1 with an error of Python where arguments do not fit.
int read_load_arguments(import* in, PyObject* args);
int read_parse_arguments(import* in, PyObject* args);
PyObject* dump_certificate(const hfRigidCertificate* certificate);
// options: dict of str to str, names as in C.
int fill_sim_config(hfSimConfig* config, PyObject* options);
PyObject* problem_copy(const hfStepProblem* problem);
void* object_alloc(PyTypeObject* type);
void object_free(PyObject* self);

int add_view(PyObject* module);
int add_model(PyObject* module);
int add_builder(PyObject* module);
int add_state(PyObject* module);
int add_sim(PyObject* module);
int add_batch(PyObject* module);
int add_dynamics(PyObject* module);
int add_problem(PyObject* module);
int add_lcp(PyObject* module);
int add_friction(PyObject* module);
int add_arm(PyObject* module);
int add_control(PyObject* module);
int add_rigid(PyObject* module);
int add_record(PyObject* module);

// Seconds that a call without the lock may take before it looks for the interrupt key.
#define PATIENCE 0.03
double seconds_now(void);

#endif
