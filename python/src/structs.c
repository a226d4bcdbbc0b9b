// Structs of the library from and to Python's dicts, by tables of members. The kinds of members stand in core.h.
#include "core.h"

#include <string.h>

// Bytes of one value of a kind.
static size_t kind_size(char kind) {
  switch (kind) {
  case 'b': return sizeof(bool);
  case 'i':
  case 'I':
  case 'f': return 4;
  default: return 8;
  }
}

// ---- from Python -----------------------------------------------------------------------------------------

// Stores a number as a double or a float.
static int store_real(char kind, void* target, PyObject* value) {
  double x = PyFloat_AsDouble(value);
  if (x == -1 && PyErr_Occurred()) return -1;

  if (kind == 'd') {
    memcpy(target, &x, sizeof x);
  } else {
    float rounded = (float)x;
    memcpy(target, &rounded, sizeof rounded);
  }
  return 0;
}

// Stores a whole number as one of the kinds i (int32), I (uint32), q (int64) and Q (uint64). Returns 0, or -1 with
// Python's exception: a number out of the kind's range is an OverflowError.
static int store_whole(char kind, void* target, PyObject* value) {
  PyObject* index = PyNumber_Index(value);
  if (!index) return -1;

  if (kind == 'Q') {
    uint64_t x = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred()) return -1;
    memcpy(target, &x, sizeof x);
    return 0;
  }

  int64_t x = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (PyErr_Occurred()) return -1;

  if (kind == 'q') {
    memcpy(target, &x, sizeof x);
  } else if (kind == 'I') {
    if (x < 0 || x > UINT32_MAX) return refuse(PyExc_OverflowError, "out of range");
    uint32_t narrow = (uint32_t)x;
    memcpy(target, &narrow, sizeof narrow);
  } else {
    if (x < INT32_MIN || x > INT32_MAX) return refuse(PyExc_OverflowError, "out of range");
    int32_t narrow = (int32_t)x;
    memcpy(target, &narrow, sizeof narrow);
  }
  return 0;
}

// Stores one value of any kind but a string.
static int store_value(char kind, void* target, PyObject* value) {
  if (kind == 'd' || kind == 'f') return store_real(kind, target, value);
  if (kind != 'b') return store_whole(kind, target, value);

  int truth = PyObject_IsTrue(value);
  if (truth < 0) return -1;

  bool flag = truth;
  memcpy(target, &flag, sizeof flag);
  return 0;
}

// Stores a text, or NULL for None. It stays valid while `value` lives, which the caller's dict holds.
static int store_text(void* target, PyObject* value) {
  const char* text = NULL;
  if (value != Py_None) {
    text = text_of(value);
    if (!text) return -1;
  }
  memcpy(target, &text, sizeof text);
  return 0;
}

// Stores a value as a member of the struct at `data`: a text, a number, or a sequence of as many numbers as it has.
// Returns 0, or -1 with Python's exception.
static int store_member(void* data, const member* m, PyObject* value) {
  char* target = (char*)data + m->offset;
  if (m->kind == 's') return store_text(target, value);
  if (m->count == 1) return store_value(m->kind, target, value);

  Py_ssize_t n = PySequence_Check(value) ? PySequence_Size(value) : -1;
  if (n != m->count) {
    PyErr_Clear(); // an array without dimensions is a sequence without a size
    if (n < 0) return refuse(PyExc_TypeError, "it needs %d numbers, got %R", m->count, value);
    return refuse(PyExc_ValueError, "it needs %d numbers, got %zd", m->count, n);
  }

  for (int i = 0; i < m->count; ++i) {
    PyObject* item = PySequence_GetItem(value, i);
    if (!item) return -1;
    int status = store_value(m->kind, target + (size_t)i * kind_size(m->kind), item);
    Py_DECREF(item);
    if (status < 0) return -1;
  }
  return 0;
}

// Raises a TypeError for a name that is not a member, with the names of the members as far as they fit.
static void raise_unknown(const char* name, const member* members, int count, const char* what) {
  char known[1500] = "";
  for (int i = 0; i < count && strlen(known) + strlen(members[i].name) + 3 < sizeof known; ++i) {
    if (i) strcat(known, ", ");
    strcat(known, members[i].name);
  }
  PyErr_Format(PyExc_TypeError, "%s has no option \"%s\"; it has %s", what, name, known);
}

// Puts "WHAT: NAME: " before the message of the exception that is raised.
static void name_in_exception(const char* what, const char* name) {
  PyObject* type;
  PyObject* reason;
  PyObject* trace;
  PyErr_Fetch(&type, &reason, &trace);

  if (!type) type = Py_NewRef(PyExc_TypeError);
  if (!reason) reason = Py_NewRef(Py_None);
  PyErr_Format(type, "%s: %s: %S", what, name, reason);

  Py_XDECREF(type);
  Py_XDECREF(reason);
  Py_XDECREF(trace);
}

// Sets members of the struct at `data` from a dict; NULL or None sets nothing. A key that is not one of the `count`
// members is refused. what: what the dict is for, for messages. Returns 0, or -1 with Python's exception.
int fill_struct(void* data, const member* members, int count, PyObject* values, const char* what) {
  if (!values || values == Py_None) return 0;

  PyObject* key;
  PyObject* value;
  Py_ssize_t place = 0;
  while (PyDict_Next(values, &place, &key, &value)) {
    const char* name = text_of(key);
    if (!name) return -1;

    int i = 0;
    while (i < count && strcmp(members[i].name, name) != 0) ++i;
    if (i == count) {
      raise_unknown(name, members, count, what);
      return -1;
    }

    if (store_member(data, &members[i], value) < 0) {
      name_in_exception(what, name);
      return -1;
    }
  }
  return 0;
}

// ---- to Python -------------------------------------------------------------------------------------------

// The number of a kind at an address.
static PyObject* load_number(char kind, const void* from) {
  switch (kind) {
  case 'd': return PyFloat_FromDouble(*(const double*)from);
  case 'f': return PyFloat_FromDouble((double)*(const float*)from);
  case 'b': return PyBool_FromLong(*(const bool*)from);
  case 'q': return PyLong_FromLongLong(*(const int64_t*)from);
  case 'Q': return PyLong_FromUnsignedLongLong(*(const uint64_t*)from);
  case 'I': return PyLong_FromUnsignedLong(*(const uint32_t*)from);
  default: return PyLong_FromLong(*(const int32_t*)from);
  }
}

// A member of the struct at `data`: a text, None for a string NULL, a number, or a list of numbers.
static PyObject* load_member(const void* data, const member* m) {
  const char* from = (const char*)data + m->offset;
  if (m->kind == 's') {
    const char* text = *(const char* const*)(const void*)from;
    return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
  }
  if (m->count == 1) return load_number(m->kind, from);

  PyObject* list = PyList_New(m->count);
  for (int i = 0; list && i < m->count; ++i)
    PyList_SetItem(list, i, load_number(m->kind, from + (size_t)i * kind_size(m->kind)));
  return list;
}

// A dict of all members of the struct at `data`.
PyObject* dump_struct(const void* data, const member* members, int count) {
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && i < count; ++i) {
    PyObject* value = load_member(data, &members[i]);
    if (!value || PyDict_SetItemString(dict, members[i].name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

// (itemsize, [(name, kind, count, offset), ...]) for a NumPy dtype.
PyObject* describe_struct(size_t size, const member* members, int count) {
  PyObject* list = PyList_New(count);
  if (!list) return NULL;

  for (int i = 0; i < count; ++i) {
    const member* m = &members[i];
    PyList_SetItem(list, i, Py_BuildValue("(sCin)", m->name, m->kind, m->count, (Py_ssize_t)m->offset));
  }
  return Py_BuildValue("(nN)", (Py_ssize_t)size, list);
}
