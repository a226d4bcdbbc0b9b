// The module, its exceptions and what all types share.
#include "core.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

static const char CAPSULE_NAME[] = "holdfast.owned";

// ---- errors ----------------------------------------------------------------------------------------------

static PyObject* HoldfastError;
static PyObject* ArgumentError;
static PyObject* FileError;
static PyObject* ModelError;
static PyObject* NonFiniteError;
static PyObject* UnsupportedError;

// Raises the exception that belongs to the error's status, with the library's message. Returns NULL.
PyObject* raise_error(const hfError* error) {
  PyObject* type = HoldfastError;
  switch (error->status) {
  case HF_ERROR_ARGUMENT: type = ArgumentError; break;
  case HF_ERROR_MEMORY: type = PyExc_MemoryError; break;
  case HF_ERROR_FILE: type = FileError; break;
  case HF_ERROR_PARSE:
  case HF_ERROR_MODEL: type = ModelError; break;
  case HF_ERROR_NONFINITE: type = NonFiniteError; break;
  case HF_ERROR_UNSUPPORTED: type = UnsupportedError; break;
  default: break;
  }

  PyObject* text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
  if (text) PyErr_SetObject(type, text);
  Py_XDECREF(text);
  return NULL;
}

// Raises the exception of an import that was refused, and keeps what the reader had said in its attribute
// `diagnostics`, as list_diagnostics gives it. Returns NULL.
PyObject* raise_import_error(const hfError* error, const hfDiagnostics* diagnostics) {
  raise_error(error);

  PyObject *type, *exception, *trace;
  PyErr_Fetch(&type, &exception, &trace);
  PyErr_NormalizeException(&type, &exception, &trace);

  PyObject* said = list_diagnostics(diagnostics);
  if (!said || PyObject_SetAttrString(exception, "diagnostics", said) < 0) PyErr_Clear();
  Py_XDECREF(said);

  PyErr_Restore(type, exception, trace);
  return NULL;
}

// Raises an exception of a type with a formatted message, as PyErr_Format does. Returns -1.
int refuse(PyObject* type, const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyErr_FormatV(type, format, values);
  va_end(values);
  return -1;
}

// Raises the RuntimeError for an object that another thread steps. Returns NULL.
PyObject* raise_busy(const char* what) {
  return PyErr_Format(PyExc_RuntimeError, "this %s is in use by another thread; give every thread one of its own",
                      what);
}

// Adds an exception class to the module. Its bases are HoldfastError, if that exists already, and `also`, if not NULL.
// Returns the class, which lives as long as the process.
static PyObject* make_error(PyObject* module, const char* name, const char* doc, PyObject* also) {
  PyObject* bases;
  if (!HoldfastError)
    bases = PyTuple_Pack(1, PyExc_Exception);
  else if (also)
    bases = PyTuple_Pack(2, HoldfastError, also);
  else
    bases = PyTuple_Pack(1, HoldfastError);
  if (!bases) return NULL;

  char full[64];
  PyOS_snprintf(full, sizeof full, "holdfast.%s", name);
  PyObject* type = PyErr_NewExceptionWithDoc(full, doc, bases, NULL);
  Py_DECREF(bases);

  if (type && PyModule_AddObjectRef(module, name, type) < 0) return NULL;
  return type;
}

// Makes Holdfast's exceptions and adds them to the module.
int add_errors(PyObject* module) {
  HoldfastError = make_error(module, "HoldfastError", "Holdfast refuses to do something; the message says why.", NULL);
  if (!HoldfastError) return -1;

  ArgumentError = make_error(module, "ArgumentError", "An option or argument is out of range.", PyExc_ValueError);
  FileError = make_error(module, "FileError", "A file cannot be opened, read or written.", PyExc_OSError);
  ModelError = make_error(module, "ModelError", "A file is malformed or a definition makes no valid model.",
                          PyExc_ValueError);
  NonFiniteError = make_error(module, "NonFiniteError", "An input is NaN or infinite.", PyExc_ValueError);
  UnsupportedError = make_error(module, "UnsupportedError", "Well-formed, but not something Holdfast simulates.",
                                PyExc_NotImplementedError);
  return ArgumentError && FileError && ModelError && NonFiniteError && UnsupportedError ? 0 : -1;
}

// ---- arguments -------------------------------------------------------------------------------------------

// Sets *busy to 1, or raises RuntimeError if it is 1, because another thread uses the object.
int claim(int* busy, const char* what) {
  if (*busy) {
    raise_busy(what);
    return -1;
  }

  *busy = 1;
  return 0;
}

// A number of steps, at least 1 and at most INT_MAX; -1 with an error for anything else.
int count_of_steps(PyObject* steps) {
  if (!PyIndex_Check(steps)) {
    const char* format = "steps must be a whole number, not %R: write round(...) for a quotient of times";
    return refuse(PyExc_TypeError, format, steps);
  }

  PyObject* whole = PyNumber_Index(steps);
  if (!whole) return -1;

  int overflow = 0; // -1 or 1: below or above the range of long
  long n = PyLong_AsLongAndOverflow(whole, &overflow);
  Py_DECREF(whole);
  if (PyErr_Occurred()) return -1;

  if (overflow > 0 || n > INT_MAX) return refuse(PyExc_OverflowError, "steps must be at most %d", INT_MAX);
  if (overflow < 0 || n < 1) return refuse(PyExc_ValueError, "steps must be at least 1");
  return (int)n;
}

// The UTF-8 of a text, which lives as long as the text; NULL with an error for what is not a text or has a NUL.
const char* text_of(PyObject* value) {
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "a text is needed, not %R", value);
    return NULL;
  }

  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text && strlen(text) != (size_t)size) {
    PyErr_Format(PyExc_ValueError, "the text %R has a NUL", value);
    return NULL;
  }
  return text;
}

// ---- objects ---------------------------------------------------------------------------------------------

// The type of a spec, added to the module under the last part of its dotted name.
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec) {
  PyObject* type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (!type) return NULL;

  const char* dot = strrchr(spec->name, '.');
  const char* name = dot ? dot + 1 : spec->name;
  if (PyModule_AddObjectRef(module, name, type) < 0) return NULL;
  return (PyTypeObject*)type;
}

// A new zeroed instance of a heap type.
void* object_alloc(PyTypeObject* type) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return alloc(type, 0);
}

// Frees the memory of an instance of a heap type, which holds a reference to its type.
void object_free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

// Time [s] of a clock that only runs forward.
double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- ownership -------------------------------------------------------------------------------------------

// What a capsule holds.
typedef struct owned {
  void* pointer;
  void (*release)(void*);
  PyObject* keep; // what must live as long as the pointer, or NULL
} owned;

// Destructor of a capsule: releases the pointer, then what it kept alive.
static void drop_owned(PyObject* capsule) {
  owned* content = PyCapsule_GetPointer(capsule, CAPSULE_NAME);
  if (!content) return;

  content->release(content->pointer);
  Py_XDECREF(content->keep);
  PyMem_Free(content);
}

// A capsule that owns `pointer` and keeps an object alive. A NULL pointer is a MemoryError.
PyObject* own(void* pointer, void (*release)(void*), PyObject* keep) {
  if (!pointer) return PyErr_NoMemory();

  owned* content = PyMem_Malloc(sizeof *content);
  PyObject* capsule = content ? PyCapsule_New(content, CAPSULE_NAME, drop_owned) : PyErr_NoMemory();
  if (!capsule) {
    PyMem_Free(content);
    release(pointer);
    return NULL;
  }

  *content = (owned){.pointer = pointer, .release = release, .keep = Py_XNewRef(keep)};
  return capsule;
}

// ---- the module ------------------------------------------------------------------------------------------

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "holdfast._core",
    .m_doc = "The library's objects and functions, with plain arguments. Use the package holdfast instead.",
    .m_size = -1,
};

// Makes the module: exceptions first, because every part may raise them, and views before what returns arrays.
PyMODINIT_FUNC PyInit__core(void) {
  int (*const parts[])(PyObject*) = {
      add_errors, add_view,    add_model, add_builder,  add_state, add_sim,     add_batch, add_dynamics,
      add_problem, add_lcp,    add_friction, add_arm,   add_control, add_rigid, add_record};
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;

  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (parts[i](module) < 0) {
      Py_DECREF(module);
      return NULL;
    }
  }

  if (PyModule_AddStringConstant(module, "version", hf_version()) < 0) return NULL;
  return module;
}
