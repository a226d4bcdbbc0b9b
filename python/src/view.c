// View: an array of the library's memory that keeps its owner alive; the buffer protocol and DLPack.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject* ViewType;

typedef struct ViewObject {
  PyObject_HEAD
  PyObject* owner;
  void* data;
  char format[2];
  int readonly, ndim;
  Py_ssize_t itemsize, size; // [bytes] of an item and of all
  Py_ssize_t shape[3], strides[3];
} ViewObject;

static Py_ssize_t item_size(char kind) {
  return kind == 'd' || kind == 'q' || kind == 'Q' ? 8 : kind == 'i' || kind == 'f' || kind == 'I' ? 4 : 1;
}

PyObject* view_new(PyObject* owner, void* data, char kind, int ndim, const int64_t* shape, const int64_t* strides,
                   int readonly) {
  static double nothing[1]; // where an empty array leads
  ViewObject* v = object_alloc(ViewType);
  if (!v) return NULL;
  v->owner = Py_XNewRef(owner);
  v->format[0] = kind;
  v->readonly = readonly;
  v->ndim = ndim;
  v->itemsize = v->size = item_size(kind);
  for (int i = ndim - 1; i >= 0; --i) {
    v->shape[i] = (Py_ssize_t)shape[i];
    v->strides[i] = strides ? (Py_ssize_t)strides[i] : v->size;
    v->size *= v->shape[i];
  }
  v->data = v->size ? data : nothing;
  return (PyObject*)v;
}

PyObject* view_vector(PyObject* owner, const double* data, int64_t n, int readonly) {
  union { const double* from; double* to; } p = {.from = data};
  return view_new(owner, p.to, 'd', 1, &n, NULL, readonly);
}

PyObject* array_new(int ndim, const int64_t* shape, double** data) {
  int64_t n = 1;
  for (int i = 0; i < ndim; ++i) n *= shape[i];
  PyObject* memory = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(n * (int64_t)sizeof(double)) + 8);
  if (!memory) return NULL;
  char* bytes = PyByteArray_AsString(memory);
  memset(bytes, 0, (size_t)n * sizeof(double) + 8);
  *data = (double*)(void*)bytes;
  PyObject* view = view_new(memory, *data, 'd', ndim, shape, NULL, 0);
  Py_DECREF(memory);
  return view;
}

PyObject* array_copy(const double* from, int64_t n) {
  double* to;
  PyObject* array = array_new(1, &n, &to);
  if (array && n) memcpy(to, from, (size_t)n * sizeof *to);
  return array;
}

PyObject* array_matrix(const double* from, int64_t rows, int64_t columns) {
  double* to;
  PyObject* array = array_new(2, (const int64_t[2]){rows, columns}, &to);
  if (array && rows > 0 && columns > 0) memcpy(to, from, (size_t)(rows * columns) * sizeof *to);
  return array;
}

static void view_dealloc(PyObject* self) {
  Py_CLEAR(((ViewObject*)self)->owner);
  object_free(self);
}

static int view_getbuffer(PyObject* self, Py_buffer* out, int flags) {
  ViewObject* v = (ViewObject*)self;
  int contiguous = 1;
  Py_ssize_t step = v->itemsize;
  for (int i = v->ndim - 1; i >= 0; --i) {
    contiguous &= v->shape[i] <= 1 || v->strides[i] == step;
    step *= v->shape[i];
  }
  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && v->readonly)
    return PyErr_SetString(PyExc_BufferError, "this array is read-only"), -1;
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !contiguous)
    return PyErr_SetString(PyExc_BufferError, "this array is not contiguous"), -1;
  *out = (Py_buffer){.buf = v->data,
                     .obj = Py_NewRef(self),
                     .len = v->size,
                     .itemsize = v->itemsize,
                     .readonly = v->readonly,
                     .ndim = v->ndim,
                     .format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? v->format : NULL,
                     .shape = (flags & PyBUF_ND) ? v->shape : NULL,
                     .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? v->strides : NULL};
  return 0;
}

// ---- DLPack (github.com/dmlc/dlpack, version 0 of its exchange: capsule "dltensor") -----------------

typedef struct dlDevice { int32_t type, id; } dlDevice;
typedef struct dlType { uint8_t code, bits; uint16_t lanes; } dlType;
typedef struct dlTensor {
  void* data;
  dlDevice device;
  int32_t ndim;
  dlType dtype;
  int64_t *shape, *strides; // strides in elements
  uint64_t byte_offset;
} dlTensor;
typedef struct dlManaged {
  dlTensor tensor;
  void* context;
  void (*deleter)(struct dlManaged*);
} dlManaged;
enum { DL_CPU = 1, DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2 };

typedef struct exported {
  dlManaged managed;
  int64_t shape[3], strides[3];
} exported;

static void delete_exported(dlManaged* m) {
  PyGILState_STATE lock = PyGILState_Ensure(); // the consumer may call from any thread
  Py_XDECREF((PyObject*)m->context);
  PyGILState_Release(lock);
  free(m);
}

static void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return; // a consumer took it
  dlManaged* m = PyCapsule_GetPointer(capsule, "dltensor");
  if (m) m->deleter(m);
}

static PyObject* view_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  ViewObject* v = (ViewObject*)self;
  (void)args, (void)kwargs; // stream, max_version, dl_device, copy: of no meaning for memory of the CPU
  if (v->readonly) return PyErr_SetString(PyExc_BufferError, "this array is read-only; DLPack cannot say so: copy it"), NULL;
  exported* e = calloc(1, sizeof *e);
  if (!e) return PyErr_NoMemory();
  char k = v->format[0];
  for (int i = 0; i < v->ndim; ++i) e->shape[i] = v->shape[i], e->strides[i] = v->strides[i] / v->itemsize;
  e->managed = (dlManaged){
      .tensor = {.data = v->data,
                 .device = {DL_CPU, 0},
                 .ndim = v->ndim,
                 .dtype = {k == 'd' || k == 'f' ? DL_FLOAT : k == 'B' || k == 'I' || k == 'Q' ? DL_UINT : DL_INT,
                           (uint8_t)(8 * v->itemsize), 1},
                 .shape = e->shape,
                 .strides = e->strides},
      .context = Py_NewRef(self),
      .deleter = delete_exported};
  PyObject* capsule = PyCapsule_New(&e->managed, "dltensor", drop_capsule);
  if (!capsule) delete_exported(&e->managed);
  return capsule;
}

static PyObject* view_dlpack_device(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return Py_BuildValue("(ii)", DL_CPU, 0);
}

static PyMethodDef view_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))view_dlpack, METH_VARARGS | METH_KEYWORDS, "The array as a DLPack capsule."},
    {"__dlpack_device__", view_dlpack_device, METH_NOARGS, "(device type, device id): memory of the CPU."},
    {0}};
static PyType_Slot view_slots[] = {{Py_tp_dealloc, view_dealloc},
                                   {Py_bf_getbuffer, view_getbuffer},
                                   {Py_tp_methods, view_methods},
                                   {Py_tp_doc, "An array in Holdfast's memory. It keeps what it shows alive. numpy.asarray(view) copies nothing."},
                                   {0}};
static PyType_Spec view_spec = {.name = "holdfast._core.View",
                                .basicsize = sizeof(ViewObject),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = view_slots};

int add_view(PyObject* module) { return (ViewType = add_type(module, &view_spec)) ? 0 : -1; }

// ---- arguments ---------------------------------------------------------------------------------------

int get_doubles(PyObject* object, const char* name, int64_t n, int writable, Py_buffer* view) {
  if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "%s must be an array of float64, not %R", name, Py_TYPE(object));
    return -1;
  }
  if (view->itemsize != 8 || !view->format || strcmp(view->format, "d") != 0) {
    PyErr_Format(PyExc_TypeError, "%s must have dtype float64, has format \"%s\"", name, view->format ? view->format : "B");
    PyBuffer_Release(view);
    return -1;
  }
  if (n >= 0 && view->len != n * 8) {
    PyErr_Format(PyExc_ValueError, "%s must have %lld numbers, has %zd", name, (long long)n, view->len / 8);
    PyBuffer_Release(view);
    return -1;
  }
  return 0;
}

int get_optional_doubles(PyObject* object, const char* name, int64_t n, Py_buffer* view) {
  memset(view, 0, sizeof *view);
  return !object || object == Py_None ? 0 : get_doubles(object, name, n, 0, view);
}

int get_bytes(PyObject* object, const char* name, int64_t n, Py_buffer* view) {
  memset(view, 0, sizeof *view);
  if (!object || object == Py_None) return 0;
  if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE) < 0) return -1;
  if (view->len == n) return 0;
  PyErr_Format(PyExc_ValueError, "%s must have %lld entries, has %zd", name, (long long)n, view->len);
  PyBuffer_Release(view);
  return -1;
}

hfVec3 vec3_of(const Py_buffer* view) {
  const double* x = view->buf;
  return (hfVec3){x[0], x[1], x[2]};
}
