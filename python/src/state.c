// State and Input: plain blocks, shown as arrays.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *StateType, *InputType;

static void release_state(void* state) { hf_state_free(state); }

static PyObject* wrap_state(PyTypeObject* type, PyObject* model, hfState* state) {
  PyObject* owner = own(state, release_state, NULL);
  StateObject* self = owner ? object_alloc(type) : NULL;
  if (!self) {
    Py_XDECREF(owner);
    return NULL;
  }
  self->owner = owner;
  self->state = state;
  self->model = Py_NewRef(model);
  return (PyObject*)self;
}

// A state with room for max_memory contacts; freed by hf_state_free.
static hfState* allocate_state(const hfModel* m, int max_memory) {
  if (max_memory <= 0) return hf_state_create(m);
  size_t bytes = (hf_state_size(m, max_memory) + 63) / 64 * 64;
  void* memory = aligned_alloc(64, bytes);
  return memory ? hf_state_init(memory, m, max_memory) : NULL;
}

static PyObject* state_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* model;
  int max_memory = 0;
  static char* names[] = {"model", "max_memory", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|i", names, ModelType, &model, &max_memory)) return NULL;
  if (max_memory < 0 || max_memory > 10000000) return PyErr_SetString(PyExc_ValueError, "max_memory is out of range"), NULL;
  return wrap_state(type, model, allocate_state(((ModelObject*)model)->model, max_memory));
}

static void state_dealloc(PyObject* self) {
  Py_CLEAR(((StateObject*)self)->owner);
  Py_CLEAR(((StateObject*)self)->model);
  object_free(self);
}

static PyObject* state_view(PyObject* self, PyObject* args) {
  const char* name;
  hfState* s = ((StateObject*)self)->state;
  PyObject* owner = ((StateObject*)self)->owner;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  if (strcmp(name, "q") == 0) return view_vector(owner, hf_state_mutable_q(s), s->nq, 0);
  if (strcmp(name, "v") == 0) return view_vector(owner, hf_state_mutable_v(s), s->nv, 0);
  if (strcmp(name, "act") == 0) return view_vector(owner, hf_state_mutable_act(s), s->na, 0);
  if (strcmp(name, "history") == 0) return view_vector(owner, hf_state_mutable_history(s), s->nhistory, 0);
  if (strcmp(name, "rest") == 0) return view_vector(owner, hf_state_mutable_rest(s), s->nrest, 0);
  return PyErr_Format(PyExc_AttributeError, "a state has no array \"%s\"", name);
}

static PyObject* state_time(PyObject* self, void* none) {
  (void)none;
  return PyFloat_FromDouble(((StateObject*)self)->state->time);
}

static int state_set_time(PyObject* self, PyObject* value, void* none) {
  (void)none;
  if (!value) return PyErr_SetString(PyExc_AttributeError, "time cannot be deleted"), -1;
  double t = PyFloat_AsDouble(value);
  if (t == -1 && PyErr_Occurred()) return -1;
  ((StateObject*)self)->state->time = t;
  return 0;
}

static PyObject* state_nmemory(PyObject* self, void* none) {
  (void)none;
  return PyLong_FromLong(((StateObject*)self)->state->nmemory);
}
static PyObject* state_max_memory(PyObject* self, void* none) {
  (void)none;
  return PyLong_FromLong(((StateObject*)self)->state->max_memory);
}
static PyObject* state_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((StateObject*)self)->model);
}

static int check_idle(PyObject* self) {
  int* busy = &((StateObject*)self)->busy;
  if (claim(busy, "state") < 0) return -1;
  *busy = 0;
  return 0;
}

static PyObject* state_reset(PyObject* self, PyObject* none) {
  (void)none;
  StateObject* s = (StateObject*)self;
  if (check_idle(self) < 0) return NULL;
  hf_state_reset(s->state, ((ModelObject*)s->model)->model);
  Py_RETURN_NONE;
}

static PyObject* state_set_key(PyObject* self, PyObject* args) {
  StateObject* s = (StateObject*)self;
  int key;
  PyObject* input;
  hfError error;
  if (!PyArg_ParseTuple(args, "iO", &key, &input) || check_idle(self) < 0) return NULL;
  const hfModel* m = ((ModelObject*)s->model)->model;
  if (check_input(input, m) < 0) return NULL;
  hfInput* in = input == Py_None ? NULL : ((InputObject*)input)->input;
  if (hf_state_set_key(s->state, in, m, key, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* state_to_bytes(PyObject* self, PyObject* none) {
  (void)none;
  const hfState* s = ((StateObject*)self)->state;
  if (check_idle(self) < 0) return NULL;
  return PyBytes_FromStringAndSize((const char*)s, (Py_ssize_t)s->size);
}

// Takes bytes of a state of this model and capacity.
static PyObject* state_assign(PyObject* self, PyObject* args) {
  const char* bytes;
  Py_ssize_t n;
  hfError error;
  if (!PyArg_ParseTuple(args, "y#", &bytes, &n) || check_idle(self) < 0) return NULL;
  if (hf_state_assign(((StateObject*)self)->state, bytes, (size_t)n, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* state_copy(PyObject* self, PyObject* none) {
  (void)none;
  StateObject* s = (StateObject*)self;
  if (check_idle(self) < 0) return NULL;
  hfState* copy = allocate_state(((ModelObject*)s->model)->model, s->state->max_memory);
  if (copy) memcpy(copy, s->state, (size_t)s->state->size);
  return wrap_state(Py_TYPE(self), s->model, copy);
}

static PyObject* state_save(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path) || check_idle(self) < 0) return NULL;
  if (hf_state_write(((StateObject*)self)->state, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* state_restore(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path) || check_idle(self) < 0) return NULL;
  if (hf_state_read(((StateObject*)self)->state, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyMethodDef state_methods[] = {{"_view", state_view, METH_VARARGS, NULL},
                                      {"_reset", state_reset, METH_NOARGS, NULL},
                                      {"_set_key", state_set_key, METH_VARARGS, NULL},
                                      {"_to_bytes", state_to_bytes, METH_NOARGS, NULL},
                                      {"_assign", state_assign, METH_VARARGS, NULL},
                                      {"_copy", state_copy, METH_NOARGS, NULL},
                                      {"_save", state_save, METH_VARARGS, NULL},
                                      {"_restore", state_restore, METH_VARARGS, NULL},
                                      {0}};
static PyGetSetDef state_getset[] = {
    {"time", state_time, state_set_time, "Simulated time [s].", NULL},
    {"nmemory", state_nmemory, NULL, "Contacts that the state remembers.", NULL},
    {"max_memory", state_max_memory, NULL, "Contacts that it has room for.", NULL},
    {"model", state_model, NULL, "The model it is a state of.", NULL},
    {0}};
static PyType_Slot state_slots[] = {{Py_tp_new, state_new},
                                    {Py_tp_dealloc, state_dealloc},
                                    {Py_tp_methods, state_methods},
                                    {Py_tp_getset, state_getset},
                                    {0}};
static PyType_Spec state_spec = {.name = "holdfast._core.State",
                                 .basicsize = sizeof(StateObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = state_slots};

// ---- inputs ------------------------------------------------------------------------------------------

static void release_input(void* input) { hf_input_free(input); }

int check_input(PyObject* input, const hfModel* m) {
  if (input == Py_None) return 0;
  if (!PyObject_TypeCheck(input, InputType)) return PyErr_SetString(PyExc_TypeError, "input must be an Input or None"), -1;
  const hfModel* its = ((ModelObject*)((InputObject*)input)->model)->model;
  if (its == m || (its->nu == m->nu && its->nv == m->nv && its->nbody == m->nbody && its->nmocap == m->nmocap)) return 0;
  return PyErr_SetString(PyExc_ValueError, "the input is of another model"), -1;
}

static PyObject* input_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* model;
  static char* names[] = {"model", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!", names, ModelType, &model)) return NULL;
  InputObject* self = object_alloc(type);
  if (!self) return NULL;
  self->model = Py_NewRef(model);
  self->input = hf_input_create(((ModelObject*)model)->model);
  self->owner = own(self->input, release_input, NULL);
  if (!self->owner) Py_CLEAR(self);
  return (PyObject*)self;
}

static void input_dealloc(PyObject* self) {
  Py_CLEAR(((InputObject*)self)->owner);
  Py_CLEAR(((InputObject*)self)->model);
  object_free(self);
}

static PyObject* input_view(PyObject* self, PyObject* args) {
  const char* name;
  const hfInput* in = ((InputObject*)self)->input;
  const hfModel* m = ((ModelObject*)((InputObject*)self)->model)->model;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  const struct {
    const char* name;
    double* data;
    int64_t shape[2];
  } arrays[] = {{"ctrl", in->ctrl, {m->nu, 0}},
                {"force", in->force, {m->nv, 0}},
                {"wrench", (double*)in->wrench, {m->nbody, 6}},
                {"mocap_pos", in->mocap_pos, {m->nmocap, 3}},
                {"mocap_quat", in->mocap_quat, {m->nmocap, 4}},
                {"velocity_target", in->velocity_target, {m->nv, 0}},
                {"force_limit", in->force_limit, {m->nv, 0}}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
    if (strcmp(name, arrays[i].name) == 0)
      return view_new(((InputObject*)self)->owner, arrays[i].data, 'd', arrays[i].shape[1] ? 2 : 1, arrays[i].shape, NULL, 0);
  return PyErr_Format(PyExc_AttributeError, "an input has no array \"%s\"", name);
}

static PyObject* input_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((InputObject*)self)->model);
}

static PyMethodDef input_methods[] = {{"_view", input_view, METH_VARARGS, NULL}, {0}};
static PyGetSetDef input_getset[] = {{"model", input_model, NULL, "The model it is an input of.", NULL}, {0}};
static PyType_Slot input_slots[] = {{Py_tp_new, input_new},
                                    {Py_tp_dealloc, input_dealloc},
                                    {Py_tp_methods, input_methods},
                                    {Py_tp_getset, input_getset},
                                    {0}};
static PyType_Spec input_spec = {.name = "holdfast._core.Input",
                                 .basicsize = sizeof(InputObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = input_slots};

int add_state(PyObject* module) {
  StateType = add_type(module, &state_spec);
  InputType = add_type(module, &input_spec);
  return StateType && InputType ? 0 : -1;
}
