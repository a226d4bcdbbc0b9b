// Structs of the library from and to Python's dicts, by tables of members.
#include "core.h"

#include <string.h>

static int store_number(char kind, void* at, PyObject* value) {
  if (kind == 'd' || kind == 'f') {
    double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) return -1;
    if (kind == 'd')
      memcpy(at, &x, sizeof x);
    else
      memcpy(at, &(float){(float)x}, sizeof(float));
    return 0;
  }
  if (kind == 'b') {
    int truth = PyObject_IsTrue(value);
    if (truth >= 0) memcpy(at, &(bool){truth}, sizeof(bool));
    return truth < 0 ? -1 : 0;
  }
  if (kind == 'Q') {
    PyObject* index = PyNumber_Index(value);
    uint64_t x = index ? PyLong_AsUnsignedLongLong(index) : 0;
    Py_XDECREF(index);
    if (PyErr_Occurred()) return -1;
    memcpy(at, &x, sizeof x);
    return 0;
  }
  PyObject* index = PyNumber_Index(value);
  long long x = index ? PyLong_AsLongLong(index) : 0;
  Py_XDECREF(index);
  if (PyErr_Occurred()) return -1;
  if (kind == 'q') {
    memcpy(at, &(int64_t){x}, sizeof(int64_t));
  } else if (kind == 'I') {
    if (x < 0 || x > UINT32_MAX) return PyErr_SetString(PyExc_OverflowError, "out of range"), -1;
    memcpy(at, &(uint32_t){(uint32_t)x}, sizeof(uint32_t));
  } else {
    if (x < INT32_MIN || x > INT32_MAX) return PyErr_SetString(PyExc_OverflowError, "out of range"), -1;
    memcpy(at, &(int32_t){(int32_t)x}, sizeof(int32_t));
  }
  return 0;
}

static size_t kind_size(char kind) { return kind == 'b' ? 1 : kind == 'i' || kind == 'I' || kind == 'f' ? 4 : 8; }

// A string stays valid while `value` lives, which the caller's dict holds.
static int store_member(void* at, const member* m, PyObject* value) {
  char* to = (char*)at + m->offset;
  if (m->kind == 's') {
    const char* s = value == Py_None ? NULL : text_of(value);
    if (!s && value != Py_None) return -1;
    memcpy(to, &s, sizeof s);
    return 0;
  }
  if (m->count == 1) return store_number(m->kind, to, value);
  Py_ssize_t n = PySequence_Check(value) ? PySequence_Size(value) : -1;
  if (n != m->count) {
    PyErr_Clear(); // an array without dimensions is a sequence without a size
    if (n < 0) PyErr_Format(PyExc_TypeError, "it needs %d numbers, got %R", m->count, value);
    else PyErr_Format(PyExc_ValueError, "it needs %d numbers, got %zd", m->count, n);
    return -1;
  }
  for (int i = 0; i < m->count; ++i) {
    PyObject* item = PySequence_GetItem(value, i);
    int bad = !item || store_number(m->kind, to + (size_t)i * kind_size(m->kind), item) < 0;
    Py_XDECREF(item);
    if (bad) return -1;
  }
  return 0;
}

static void raise_unknown(const char* name, const member* members, int count, const char* what) {
  char known[1500] = "";
  for (int i = 0; i < count && strlen(known) + strlen(members[i].name) + 3 < sizeof known; ++i) {
    if (i) strcat(known, ", ");
    strcat(known, members[i].name);
  }
  PyErr_Format(PyExc_TypeError, "%s has no option \"%s\"; it has %s", what, name, known);
}

int fill_struct(void* at, const member* members, int count, PyObject* values, const char* what) {
  if (!values || values == Py_None) return 0;
  PyObject *key, *value;
  Py_ssize_t place = 0;
  while (PyDict_Next(values, &place, &key, &value)) {
    const char* name = text_of(key);
    if (!name) return -1;
    int i = 0;
    while (i < count && strcmp(members[i].name, name) != 0) ++i;
    if (i == count) return raise_unknown(name, members, count, what), -1;
    if (store_member(at, &members[i], value) < 0) {
      PyObject *type, *reason, *trace;
      PyErr_Fetch(&type, &reason, &trace);
      PyErr_Format(type ? type : PyExc_TypeError, "%s: %s: %S", what, name, reason ? reason : Py_None);
      Py_XDECREF(type), Py_XDECREF(reason), Py_XDECREF(trace);
      return -1;
    }
  }
  return 0;
}

static PyObject* load_number(char kind, const void* at) {
  switch (kind) {
  case 'd': return PyFloat_FromDouble(*(const double*)at);
  case 'f': return PyFloat_FromDouble((double)*(const float*)at);
  case 'b': return PyBool_FromLong(*(const bool*)at);
  case 'q': return PyLong_FromLongLong(*(const int64_t*)at);
  case 'Q': return PyLong_FromUnsignedLongLong(*(const uint64_t*)at);
  case 'I': return PyLong_FromUnsignedLong(*(const uint32_t*)at);
  default: return PyLong_FromLong(*(const int32_t*)at);
  }
}

static PyObject* load_member(const void* at, const member* m) {
  const char* from = (const char*)at + m->offset;
  if (m->kind == 's') {
    const char* s = *(const char* const*)(const void*)from;
    return s ? PyUnicode_FromString(s) : Py_NewRef(Py_None);
  }
  if (m->count == 1) return load_number(m->kind, from);
  PyObject* list = PyList_New(m->count);
  for (int i = 0; list && i < m->count; ++i)
    PyList_SetItem(list, i, load_number(m->kind, from + (size_t)i * kind_size(m->kind)));
  return list;
}

PyObject* dump_struct(const void* at, const member* members, int count) {
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && i < count; ++i) {
    PyObject* value = load_member(at, &members[i]);
    if (!value || PyDict_SetItemString(dict, members[i].name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

PyObject* describe_struct(size_t size, const member* members, int count) {
  PyObject* list = PyList_New(count);
  for (int i = 0; list && i < count; ++i)
    PyList_SetItem(list, i, Py_BuildValue("(sCin)", members[i].name, members[i].kind, members[i].count,
                                          (Py_ssize_t)members[i].offset));
  return list ? Py_BuildValue("(nN)", (Py_ssize_t)size, list) : NULL;
}
