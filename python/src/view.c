// View: an array of the library's memory that keeps its owner alive; the buffer protocol and DLPack.
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 3 };

PyTypeObject* ViewType;

// An array. Its kind stands in `format`: one letter of Python's module `struct`, as in core.h; B is a byte.
typedef struct ViewObject {
  PyObject_HEAD
  PyObject* owner; // what keeps the memory alive
  void* data;
  char format[2];
  int readonly;
  int ndim;
  Py_ssize_t itemsize; // [bytes] of one item
  Py_ssize_t size; // [bytes] of all items
  Py_ssize_t shape[MAX_DIMENSIONS];
  Py_ssize_t strides[MAX_DIMENSIONS]; // [bytes]
} ViewObject;

// Bytes of one item of a kind.
static Py_ssize_t item_size(char kind) {
  switch (kind) {
  case 'd':
  case 'q':
  case 'Q': return 8;
  case 'i':
  case 'I':
  case 'f': return 4;
  default: return 1;
  }
}

// ---- making arrays ---------------------------------------------------------------------------------------

// A view of `data`, which `owner` keeps alive. Strides in bytes; NULL: contiguous.
PyObject* view_new(PyObject* owner, void* data, char kind, int ndim, const int64_t* shape, const int64_t* strides,
                   int readonly) {
  static double nothing[1]; // where an empty array leads
  ViewObject* v = object_alloc(ViewType);
  if (!v) return NULL;

  v->owner = Py_XNewRef(owner);
  v->format[0] = kind;
  v->readonly = readonly;
  v->ndim = ndim;
  v->itemsize = item_size(kind);

  // from the last dimension, whose items are neighbours, to the first
  v->size = v->itemsize;
  for (int i = ndim - 1; i >= 0; --i) {
    v->shape[i] = (Py_ssize_t)shape[i];
    v->strides[i] = strides ? (Py_ssize_t)strides[i] : v->size;
    v->size *= v->shape[i];
  }

  v->data = v->size ? data : nothing;
  return (PyObject*)v;
}

// A view of n doubles at `data`, which `owner` keeps alive.
PyObject* view_vector(PyObject* owner, const double* data, int64_t n, int readonly) {
  union {
    const double* from;
    double* to;
  } address = {.from = data};
  return view_new(owner, address.to, 'd', 1, &n, NULL, readonly);
}

// A new zeroed array of doubles in memory of its own; *data leads to its numbers.
PyObject* array_new(int ndim, const int64_t* shape, double** data) {
  int64_t n = 1;
  for (int i = 0; i < ndim; ++i) n *= shape[i];

  // one number more, so that an empty array has an address too
  size_t size = (size_t)(n + 1) * sizeof(double);
  PyObject* memory = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (!memory) return NULL;

  char* bytes = PyByteArray_AsString(memory);
  memset(bytes, 0, size);

  *data = (double*)(void*)bytes;
  PyObject* view = view_new(memory, *data, 'd', ndim, shape, NULL, 0);
  Py_DECREF(memory);
  return view;
}

// A new zeroed array of n doubles; *data leads to them.
PyObject* array_vector(int64_t n, double** data) { return array_new(1, &n, data); }

// A new array of n doubles with the numbers of `from`.
PyObject* array_copy(const double* from, int64_t n) {
  double* to;
  PyObject* array = array_vector(n, &to);

  if (array && n) memcpy(to, from, (size_t)n * sizeof *to);
  return array;
}

// A new array (rows x columns) with the numbers of `from`, row by row.
PyObject* array_matrix(const double* from, int64_t rows, int64_t columns) {
  double* to;
  PyObject* array = array_new(2, (const int64_t[2]){rows, columns}, &to);

  if (array && rows > 0 && columns > 0) memcpy(to, from, (size_t)(rows * columns) * sizeof *to);
  return array;
}

// ---- buffer protocol -------------------------------------------------------------------------------------

static void view_dealloc(PyObject* self) {
  Py_CLEAR(((ViewObject*)self)->owner);
  object_free(self);
}

// Do the items lie one after the other, the last index running fastest?
static int is_contiguous(const ViewObject* v) {
  Py_ssize_t step = v->itemsize;
  for (int i = v->ndim - 1; i >= 0; --i) {
    if (v->shape[i] > 1 && v->strides[i] != step) return 0;
    step *= v->shape[i];
  }
  return 1;
}

// Fills a buffer that shows the view's memory. Returns 0, or -1 with a BufferError where the flags ask for what the
// memory cannot give.
static int view_getbuffer(PyObject* self, Py_buffer* out, int flags) {
  ViewObject* v = (ViewObject*)self;
  int wants_format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT;
  int wants_shape = (flags & PyBUF_ND) != 0;
  int wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;

  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && v->readonly)
    return refuse(PyExc_BufferError, "this array is read-only");
  if (!wants_strides && !is_contiguous(v)) return refuse(PyExc_BufferError, "this array is not contiguous");

  *out = (Py_buffer){.buf = v->data,
                     .obj = Py_NewRef(self),
                     .len = v->size,
                     .itemsize = v->itemsize,
                     .readonly = v->readonly,
                     .ndim = v->ndim,
                     .format = wants_format ? v->format : NULL,
                     .shape = wants_shape ? v->shape : NULL,
                     .strides = wants_strides ? v->strides : NULL};
  return 0;
}

// ---- DLPack (github.com/dmlc/dlpack, version 0 of its exchange: capsule "dltensor") -----------------

typedef struct dlDevice {
  int32_t type;
  int32_t id;
} dlDevice;

typedef struct dlType {
  uint8_t code; // DL_INT, DL_UINT or DL_FLOAT
  uint8_t bits;
  uint16_t lanes;
} dlType;

typedef struct dlTensor {
  void* data;
  dlDevice device;
  int32_t ndim;
  dlType dtype;
  int64_t* shape;
  int64_t* strides; // in elements
  uint64_t byte_offset;
} dlTensor;

typedef struct dlManaged {
  dlTensor tensor;
  void* context; // the view, which the tensor keeps alive
  void (*deleter)(struct dlManaged*);
} dlManaged;

enum { DL_CPU = 1, DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2 };

// A tensor with the memory of its shape. `managed` is first: the consumer's pointer to it leads to the whole.
typedef struct exported {
  dlManaged managed;
  int64_t shape[MAX_DIMENSIONS];
  int64_t strides[MAX_DIMENSIONS];
} exported;

// Frees an exported tensor and gives its view back.
static void delete_exported(dlManaged* managed) {
  PyGILState_STATE lock = PyGILState_Ensure(); // the consumer may call from any thread
  Py_XDECREF((PyObject*)managed->context);
  PyGILState_Release(lock);

  free(managed);
}

// Destructor of a capsule: frees the tensor, unless a consumer took it, which renames the capsule.
static void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  dlManaged* managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (managed) managed->deleter(managed);
}

// The type of items of a kind, as DLPack says it.
static dlType item_type(char kind, Py_ssize_t itemsize) {
  uint8_t code = DL_INT;
  if (kind == 'd' || kind == 'f') code = DL_FLOAT;
  if (kind == 'B' || kind == 'I' || kind == 'Q') code = DL_UINT;
  return (dlType){.code = code, .bits = (uint8_t)(8 * itemsize), .lanes = 1};
}

// __dlpack__(**options): a capsule with a tensor that shows the view's memory.
static PyObject* view_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  (void)args;
  (void)kwargs; // stream, max_version, dl_device, copy: of no meaning for memory of the CPU
  ViewObject* v = (ViewObject*)self;
  if (v->readonly) return PyErr_Format(PyExc_BufferError, "this array is read-only; DLPack cannot say so: copy it");

  exported* e = calloc(1, sizeof *e);
  if (!e) return PyErr_NoMemory();

  for (int i = 0; i < v->ndim; ++i) {
    e->shape[i] = v->shape[i];
    e->strides[i] = v->strides[i] / v->itemsize; // of a tensor they are counted in elements
  }

  e->managed.tensor = (dlTensor){.data = v->data,
                                 .device = {DL_CPU, 0},
                                 .ndim = v->ndim,
                                 .dtype = item_type(v->format[0], v->itemsize),
                                 .shape = e->shape,
                                 .strides = e->strides};
  e->managed.context = Py_NewRef(self);
  e->managed.deleter = delete_exported;

  PyObject* capsule = PyCapsule_New(&e->managed, "dltensor", drop_capsule);
  if (!capsule) delete_exported(&e->managed);
  return capsule;
}

// __dlpack_device__(): the device that has the memory, and its number.
static PyObject* view_dlpack_device(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return Py_BuildValue("(ii)", DL_CPU, 0);
}

static PyMethodDef view_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))view_dlpack, METH_VARARGS | METH_KEYWORDS,
     "The array as a DLPack capsule."},
    {"__dlpack_device__", view_dlpack_device, METH_NOARGS, "(device type, device id): memory of the CPU."},
    {0}};
static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, view_dealloc},
    {Py_bf_getbuffer, view_getbuffer},
    {Py_tp_methods, view_methods},
    {Py_tp_doc, "An array in Holdfast's memory. It keeps what it shows alive. numpy.asarray(view) copies nothing."},
    {0}};
static PyType_Spec view_spec = {.name = "holdfast._core.View",
                                .basicsize = sizeof(ViewObject),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = view_slots};

// Adds the type View to the module.
int add_view(PyObject* module) {
  ViewType = add_type(module, &view_spec);

  return ViewType ? 0 : -1;
}

// ---- arguments ---------------------------------------------------------------------------------------

// Views the numbers of a buffer that must hold n contiguous doubles (n < 0: any number). Returns 0, or -1 with Python's
// exception and an empty view, which may also be released.
int get_doubles(PyObject* object, const char* name, int64_t n, int writable, Py_buffer* view) {
  *view = (Py_buffer){0};

  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (writable) flags |= PyBUF_WRITABLE;

  if (PyObject_GetBuffer(object, view, flags) < 0) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "%s must be an array of float64, not %R", name, Py_TYPE(object));
    return -1;
  }

  if (view->itemsize != sizeof(double) || !view->format || strcmp(view->format, "d") != 0) {
    const char* format = view->format ? view->format : "B";
    PyErr_Format(PyExc_TypeError, "%s must have dtype float64, has format \"%s\"", name, format);
    PyBuffer_Release(view);
    return -1;
  }

  if (n >= 0 && count_doubles(view) != n) {
    PyErr_Format(PyExc_ValueError, "%s must have %lld numbers, has %lld", name, (long long)n,
                 (long long)count_doubles(view));
    PyBuffer_Release(view);
    return -1;
  }
  return 0;
}

// As get_doubles, read only; NULL or None gives an empty view.
int get_optional_doubles(PyObject* object, const char* name, int64_t n, Py_buffer* view) {
  *view = (Py_buffer){0};
  if (!object || object == Py_None) return 0;
  return get_doubles(object, name, n, 0, view);
}

// Views a buffer that must hold n bytes; NULL or None gives an empty view.
int get_bytes(PyObject* object, const char* name, int64_t n, Py_buffer* view) {
  *view = (Py_buffer){0};
  if (!object || object == Py_None) return 0;

  if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE) < 0) return -1;
  if (view->len == n) return 0;

  PyErr_Format(PyExc_ValueError, "%s must have %lld entries, has %zd", name, (long long)n, view->len);
  PyBuffer_Release(view);
  return -1;
}

// The number of doubles in a view.
int64_t count_doubles(const Py_buffer* view) { return view->len / (Py_ssize_t)sizeof(double); }

// The first three doubles of a view.
hfVec3 vec3_of(const Py_buffer* view) {
  const double* x = view->buf;
  return (hfVec3){x[0], x[1], x[2]};
}

// The pose of two arrays: the position (3) and the rotation matrix (9, row by row).
int get_pose(PyObject* position, PyObject* rotation, hfPose* pose) {
  Py_buffer p = {0};
  Py_buffer R = {0};
  int status = -1;

  if (get_doubles(position, "position", 3, 0, &p) == 0 && get_doubles(rotation, "rotation", 9, 0, &R) == 0) {
    pose->p = vec3_of(&p);
    memcpy(pose->R.m, R.buf, sizeof pose->R.m);
    status = 0;
  }

  PyBuffer_Release(&p);
  PyBuffer_Release(&R);
  return status;
}

// ((x, y, z), (nine numbers of the rotation matrix, row by row))
PyObject* pose_tuple(hfPose X) {
  const double* R = X.R.m;
  return Py_BuildValue("((ddd)(ddddddddd))", X.p.x, X.p.y, X.p.z, R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7],
                       R[8]);
}
