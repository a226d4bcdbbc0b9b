// The module, its exceptions and what all types share.
#include "core.h"

#include <limits.h>
#include <string.h>
#include <time.h>

static PyObject *HoldfastError, *ArgumentError, *FileError, *ModelError, *NonFiniteError, *UnsupportedError;

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

static PyObject* make_error(PyObject* module, const char* name, const char* doc, PyObject* also) {
  char full[64];
  PyOS_snprintf(full, sizeof full, "holdfast.%s", name);
  PyObject* bases = HoldfastError ? (also ? PyTuple_Pack(2, HoldfastError, also) : PyTuple_Pack(1, HoldfastError))
                                  : PyTuple_Pack(1, PyExc_Exception);
  PyObject* type = bases ? PyErr_NewExceptionWithDoc(full, doc, bases, NULL) : NULL;
  Py_XDECREF(bases);
  if (type && PyModule_AddObjectRef(module, name, type) < 0) return NULL;
  return type;
}

int add_errors(PyObject* module) {
  HoldfastError = make_error(module, "HoldfastError", "Holdfast refuses to do something; the message says why.", NULL);
  if (!HoldfastError) return -1;
  ArgumentError = make_error(module, "ArgumentError", "An option or argument is out of range.", PyExc_ValueError);
  FileError = make_error(module, "FileError", "A file cannot be opened, read or written.", PyExc_OSError);
  ModelError = make_error(module, "ModelError", "A file is malformed or a definition makes no valid model.", PyExc_ValueError);
  NonFiniteError = make_error(module, "NonFiniteError", "An input is NaN or infinite.", PyExc_ValueError);
  UnsupportedError = make_error(module, "UnsupportedError", "Well-formed, but not something Holdfast simulates.",
                                PyExc_NotImplementedError);
  return ArgumentError && FileError && ModelError && NonFiniteError && UnsupportedError ? 0 : -1;
}

int claim(int* busy, const char* what) {
  if (*busy) {
    PyErr_Format(PyExc_RuntimeError, "this %s is in use by another thread; give every thread one of its own", what);
    return -1;
  }
  *busy = 1;
  return 0;
}

int count_of_steps(PyObject* steps) {
  if (!PyIndex_Check(steps)) return PyErr_Format(PyExc_TypeError, "steps must be a whole number, not %R: write round(...) for a quotient of times", steps), -1;
  PyObject* whole = PyNumber_Index(steps);
  int overflow = 0;
  long n = whole ? PyLong_AsLongAndOverflow(whole, &overflow) : 0;
  Py_XDECREF(whole);
  if (PyErr_Occurred()) return -1;
  if (overflow > 0 || n > INT_MAX) return PyErr_Format(PyExc_OverflowError, "steps must be at most %d", INT_MAX), -1;
  if (overflow < 0 || n < 1) return PyErr_SetString(PyExc_ValueError, "steps must be at least 1"), -1;
  return (int)n;
}

const char* text_of(PyObject* value) {
  Py_ssize_t size = 0;
  if (!PyUnicode_Check(value)) return PyErr_Format(PyExc_TypeError, "a text is needed, not %R", value), NULL;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text && strlen(text) != (size_t)size) return PyErr_Format(PyExc_ValueError, "the text %R has a NUL", value), NULL;
  return text;
}

PyTypeObject* add_type(PyObject* module, PyType_Spec* spec) {
  PyObject* type = PyType_FromModuleAndSpec(module, spec, NULL);
  const char* dot = strrchr(spec->name, '.');
  if (!type || PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0) return NULL;
  return (PyTypeObject*)type;
}

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

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- ownership -------------------------------------------------------------------------------------------

typedef struct owned {
  void* pointer;
  void (*release)(void*);
  PyObject* keep;
} owned;

static void drop_owned(PyObject* capsule) {
  owned* o = PyCapsule_GetPointer(capsule, "holdfast.owned");
  if (!o) return;
  o->release(o->pointer);
  Py_XDECREF(o->keep);
  PyMem_Free(o);
}

PyObject* own(void* pointer, void (*release)(void*), PyObject* keep) {
  if (!pointer) return PyErr_NoMemory();
  owned* o = PyMem_Malloc(sizeof *o);
  PyObject* capsule = o ? PyCapsule_New(o, "holdfast.owned", drop_owned) : PyErr_NoMemory();
  if (!capsule) {
    PyMem_Free(o);
    release(pointer);
    return NULL;
  }
  *o = (owned){pointer, release, Py_XNewRef(keep)};
  return capsule;
}

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "holdfast._core",
    .m_doc = "The library's objects and functions, with plain arguments. Use the package holdfast instead.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__core(void) {
  PyObject* module = PyModule_Create(&definition);
  int (*const parts[])(PyObject*) = {add_errors, add_view,    add_model, add_builder, add_state, add_sim,   add_batch,
                                     add_dynamics, add_problem, add_lcp,   add_friction, add_arm,  add_control, add_rigid,
                                     add_record};
  for (size_t i = 0; module && i < sizeof parts / sizeof *parts; ++i)
    if (parts[i](module) < 0) {
      Py_DECREF(module);
      return NULL;
    }
  if (module && PyModule_AddStringConstant(module, "version", hf_version()) < 0) return NULL;
  return module;
}
