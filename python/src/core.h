// The extension module holdfast._core: the library's objects and functions with plain arguments. The package's
// Python files give them their form for users.
//
// Only CPython's limited API of 3.11 is used, so that one binary serves 3.11 and later. Arrays go in and out by the
// buffer protocol; NumPy is not needed to build.
//
// In all files of this folder:
//   - A function that returns a PyObject* returns a new reference, or NULL with a Python exception.
//   - A function that returns int returns 0, or -1 with a Python exception, unless its comment says otherwise.
//   - `m` is a model; nq, nv, na, nu are its numbers of positions, velocities, activations and controls.
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

// Raises the exception that belongs to the error's status, with the library's message. Returns NULL.
PyObject* raise_error(const hfError* error);
// Raises the exception of an import that was refused, and keeps what the reader had said in its attribute
// `diagnostics`, as list_diagnostics gives it. Returns NULL.
PyObject* raise_import_error(const hfError* error, const hfDiagnostics* diagnostics);
// Raises an exception of a type with a formatted message, as PyErr_Format does. Returns -1.
int refuse(PyObject* type, const char* format, ...);
// Raises the RuntimeError "this WHAT is in use by another thread". Returns NULL.
PyObject* raise_busy(const char* what);
// Adds Holdfast's exceptions to the module.
int add_errors(PyObject* module);

// ---- structs by name -------------------------------------------------------------------------------

// A member of a struct: its kind and number of values come from the compiler, so that they cannot be wrong.
// Kinds, most of them as in Python's module `struct`: d double, f float, i int32, I uint32, q int64, Q uint64,
// b bool, s a string of C (const char*).
typedef struct member {
  const char* name;
  char kind;
  int count; // 1: a scalar
  size_t offset;
} member;

#define MEMBER_KIND(x)                                                                                                 \
  _Generic((x), double: 'd', double*: 'd', hfVec3: 'd', hfQuat: 'd', hfPose: 'd', hfMotion: 'd', hfForce: 'd',         \
           float: 'f', float*: 'f', int32_t: 'i', int32_t*: 'i', uint32_t: 'I', int64_t: 'q', uint64_t: 'Q',           \
           bool: 'b', const char*: 's')
#define MEMBER_SIZE(x)                                                                                                 \
  _Generic((x), double: 8, double*: 8, hfVec3: 8, hfQuat: 8, hfPose: 8, hfMotion: 8, hfForce: 8, float: 4,             \
           float*: 4, int32_t: 4, int32_t*: 4, uint32_t: 4, int64_t: 8, uint64_t: 8, bool: 1,                          \
           const char*: sizeof(char*))
#define MEMBER(S, m)                                                                                                   \
  { #m, MEMBER_KIND(((S*)0)->m), (int)(sizeof(((S*)0)->m) / MEMBER_SIZE(((S*)0)->m)), offsetof(S, m) }
#define VIOLATION(S, m) MEMBER(S, m.amount), MEMBER(S, m.kind), MEMBER(S, m.id)
// The members of hfViolations, which is the member `violation` of S.
#define VIOLATIONS(S)                                                                                                  \
  VIOLATION(S, violation.equality_distance), VIOLATION(S, violation.equality_angle),                                   \
      VIOLATION(S, violation.limit_distance), VIOLATION(S, violation.limit_angle)
#define MEMBERS(table) (table), (int)(sizeof(table) / sizeof *(table))

// Sets members of the struct at `data` from a dict; NULL or None sets nothing. A key that is not a member is a
// TypeError that lists the members; `what` names the struct in it. The struct's strings are those of the dict.
int fill_struct(void* data, const member* members, int count, PyObject* values, const char* what);
// A dict of all members of the struct at `data`.
PyObject* dump_struct(const void* data, const member* members, int count);
// (itemsize, [(name, kind, count, offset), ...]) for a NumPy dtype.
PyObject* describe_struct(size_t size, const member* members, int count);

// ---- arrays ------------------------------------------------------------------------------------------

// A view of `data`, which `owner` keeps alive. Strides in bytes; NULL: contiguous.
PyObject* view_new(PyObject* owner, void* data, char kind, int ndim, const int64_t* shape, const int64_t* strides,
                   int readonly);
// A view of n doubles at `data`, which `owner` keeps alive.
PyObject* view_vector(PyObject* owner, const double* data, int64_t n, int readonly);
// A new zeroed array of doubles; *data leads to its numbers.
PyObject* array_new(int ndim, const int64_t* shape, double** data);
// As array_new with one dimension.
PyObject* array_vector(int64_t n, double** data);
// A new array of n doubles with the numbers of `from`.
PyObject* array_copy(const double* from, int64_t n);
// A new array (rows x columns) with the numbers of `from`, row by row.
PyObject* array_matrix(const double* from, int64_t rows, int64_t columns);

// Views the numbers of a buffer that must hold n contiguous doubles (n < 0: any number). `name` stands in messages.
// The view is set in every case: PyBuffer_Release is needed after success, and harmless after a failure.
int get_doubles(PyObject* object, const char* name, int64_t n, int writable, Py_buffer* view);
// As get_doubles, read only; NULL or None gives an empty view, whose `buf` and `obj` are NULL.
int get_optional_doubles(PyObject* object, const char* name, int64_t n, Py_buffer* view);
// As get_optional_doubles for n bytes.
int get_bytes(PyObject* object, const char* name, int64_t n, Py_buffer* view);
// The number of doubles in a view.
int64_t count_doubles(const Py_buffer* view);
// The first three doubles of a view.
hfVec3 vec3_of(const Py_buffer* view);
// The pose of two arrays: the position (3) and the rotation matrix (9, row by row).
int get_pose(PyObject* position, PyObject* rotation, hfPose* pose);
// ((x, y, z), (nine numbers of the rotation matrix, row by row))
PyObject* pose_tuple(hfPose X);

// ---- types -------------------------------------------------------------------------------------------

// What the library allocated is owned by a capsule, which views of it hold too. So an object may keep views of its own
// memory without a cycle of references, and a view outlives the object that showed it.
// keep: an object that must live as long, or NULL. A NULL pointer is a MemoryError.
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
  int busy; // 1: a thread steps it without the interpreter's lock
  int stepped; // 1: there are results of a step or an evaluation
  // what each step is written to, or NULL
  hfReport* html;
  hfRecorder* recorder;
  hfStateLog* state_log;
  hfContactLog* contact_log;
  int html_begins; // 1: the start has not been written yet
  int recorder_begins; // 1: the start has not been written yet
  hfState* last; // the end of the last step that went to a recording or a report; NULL: there was none
  PyObject* last_input; // the input of that step, or NULL
  int last_in_sim; // 1: the sim's results are those of that step
} SimObject;

extern PyTypeObject* ViewType;
extern PyTypeObject* ModelType;
extern PyTypeObject* ParamsType;
extern PyTypeObject* StateType;
extern PyTypeObject* InputType;
extern PyTypeObject* SimType;
extern PyTypeObject* DynamicsType;
extern PyTypeObject* ProblemType;

// The model of a Model or Params; NULL with a TypeError for anything else.
const hfModel* model_of(PyObject* object);
// Refuses what is neither None nor an Input (TypeError), and an Input for a model of other sizes (ValueError).
int check_input(PyObject* input, const hfModel* model);
// The library's input of an object that check_input has accepted; NULL for None.
hfInput* input_of(PyObject* input);
// Sets *busy to 1, or raises RuntimeError if it is 1, because another thread uses the object.
int claim(int* busy, const char* what);
// A number of steps, at least 1 and at most INT_MAX; -1 with an error for anything else.
int count_of_steps(PyObject* steps);
// The UTF-8 of a text, which lives as long as the text. NULL with an error for what is not a text, and for a text with
// a NUL, behind which C would not read.
const char* text_of(PyObject* value);
// The type of a spec, added to the module.
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec);
// A Model that owns `model`, also after a failure, when it frees it.
PyObject* wrap_model(PyTypeObject* type, hfModel* model, const hfDiagnostics* diagnostics);
// What a reader said: a list of (severity, file, line, message, count).
PyObject* list_diagnostics(const hfDiagnostics* diagnostics);

enum { MAX_SEARCH_FOLDERS = 64 }; // The most folders in which an import looks for files.
// What is read, and how: a text, or if that is NULL the file `name`. All strings live as long as the arguments.
typedef struct import {
  hfImportConfig config;
  const char* path[MAX_SEARCH_FOLDERS];
  const char* name;
  const char* text;
  const char* folder;
  Py_ssize_t length;
} import;
// Reads the arguments (path, search, options). search: list of str, or None; options: dict of fields of hfImportConfig.
int read_load_arguments(import* in, PyObject* args);
// Reads the arguments (text, name, folder, search, options).
int read_parse_arguments(import* in, PyObject* args);
// A dict of the members of a certificate.
PyObject* dump_certificate(const hfRigidCertificate* certificate);
// Sets the default configuration and changes it by a dict of str to str, names as in C; NULL or None changes nothing.
int fill_sim_config(hfSimConfig* config, PyObject* options);
// A Problem with copies of all arrays.
PyObject* problem_copy(const hfStepProblem* problem);
// A new zeroed instance of a heap type.
void* object_alloc(PyTypeObject* type);
// Frees the memory of an instance of a heap type, which holds a reference to its type.
void object_free(PyObject* self);

// Each adds the types and functions of its file to the module.
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

// Time [s] that a call without the interpreter's lock may take before it looks for the interrupt key.
#define INTERRUPT_CHECK_PERIOD 0.03
// Time [s] of a clock that only runs forward.
double seconds_now(void);

#endif
