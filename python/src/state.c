// State and Input: plain blocks, shown as arrays.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject* StateType;
PyTypeObject* InputType;

// ---- making states -------------------------------------------------------------------------------------

static const int MAX_REMEMBERED = 10000000; // The most contacts that a state made from Python may remember.

static void release_state(void* state) { hf_state_free(state); }

static const hfModel* state_model(PyObject* self) { return ((ModelObject*)((StateObject*)self)->model)->model; }
static hfState* state_of(PyObject* self) { return ((StateObject*)self)->state; }

// A State that owns `state`, also after a failure, when it frees it. A NULL state is a MemoryError.
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

// A state with room for max_memory contacts (0: as many as the library thinks enough), freed by hf_state_free; or NULL.
static hfState* allocate_state(const hfModel* m, int max_memory) {
  if (max_memory <= 0) return hf_state_create(m);

  size_t bytes = (hf_state_size(m, max_memory) + 63) / 64 * 64; // aligned_alloc wants whole pieces of 64 bytes
  void* memory = aligned_alloc(64, bytes);
  return memory ? hf_state_init(memory, m, max_memory) : NULL;
}

// State(model, max_memory)
static PyObject* state_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "max_memory", NULL};
  PyObject* model;
  int max_memory = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|i", names, ModelType, &model, &max_memory)) return NULL;
  if (max_memory < 0 || max_memory > MAX_REMEMBERED)
    return PyErr_Format(PyExc_ValueError, "max_memory is out of range");

  return wrap_state(type, model, allocate_state(((ModelObject*)model)->model, max_memory));
}

static void state_dealloc(PyObject* self) {
  Py_CLEAR(((StateObject*)self)->owner);
  Py_CLEAR(((StateObject*)self)->model);
  object_free(self);
}

// ---- looking into a state ------------------------------------------------------------------------------

// _view(name): a view of one of the state's arrays.
static PyObject* state_view(PyObject* self, PyObject* args) {
  const char* name;
  hfState* s = state_of(self);
  PyObject* owner = ((StateObject*)self)->owner;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;

  if (strcmp(name, "q") == 0) return view_vector(owner, hf_state_mutable_q(s), s->nq, 0);
  if (strcmp(name, "v") == 0) return view_vector(owner, hf_state_mutable_v(s), s->nv, 0);
  if (strcmp(name, "act") == 0) return view_vector(owner, hf_state_mutable_act(s), s->na, 0);
  if (strcmp(name, "history") == 0) return view_vector(owner, hf_state_mutable_history(s), s->nhistory, 0);
  if (strcmp(name, "rest") == 0) return view_vector(owner, hf_state_mutable_rest(s), s->nrest, 0);
  return PyErr_Format(PyExc_AttributeError, "a state has no array \"%s\"", name);
}

static PyObject* state_get_time(PyObject* self, void* none) {
  (void)none;
  return PyFloat_FromDouble(state_of(self)->time);
}

// Sets the simulated time [s].
static int state_set_time(PyObject* self, PyObject* value, void* none) {
  (void)none;
  if (!value) return refuse(PyExc_AttributeError, "time cannot be deleted");

  double t = PyFloat_AsDouble(value);
  if (t == -1 && PyErr_Occurred()) return -1;
  state_of(self)->time = t;
  return 0;
}

static PyObject* state_get_nmemory(PyObject* self, void* none) {
  (void)none;
  return PyLong_FromLong(state_of(self)->nmemory);
}

static PyObject* state_get_max_memory(PyObject* self, void* none) {
  (void)none;
  return PyLong_FromLong(state_of(self)->max_memory);
}

static PyObject* state_get_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((StateObject*)self)->model);
}

// ---- changing, copying and storing a state -------------------------------------------------------------

// Refuses a state that another thread steps.
static int check_idle(PyObject* self) {
  if (!((StateObject*)self)->busy) return 0;
  raise_busy("state");
  return -1;
}

// _reset(): sets the state to the model's initial one.
static PyObject* state_reset(PyObject* self, PyObject* none) {
  (void)none;
  if (check_idle(self) < 0) return NULL;
  hf_state_reset(state_of(self), state_model(self));
  Py_RETURN_NONE;
}

// _set_key(key, input or None): sets the state, and the input if there is one, to a keyframe.
static PyObject* state_set_key(PyObject* self, PyObject* args) {
  int key;
  PyObject* input;
  hfError error;
  if (!PyArg_ParseTuple(args, "iO", &key, &input) || check_idle(self) < 0) return NULL;

  const hfModel* m = state_model(self);
  if (check_input(input, m) < 0) return NULL;

  if (hf_state_set_key(state_of(self), input_of(input), m, key, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* state_to_bytes(PyObject* self, PyObject* none) {
  (void)none;
  const hfState* s = state_of(self);
  if (check_idle(self) < 0) return NULL;
  return PyBytes_FromStringAndSize((const char*)s, (Py_ssize_t)s->size);
}

// _assign(bytes): takes the bytes of a state of this model and capacity.
static PyObject* state_assign(PyObject* self, PyObject* args) {
  const char* bytes;
  Py_ssize_t n;
  hfError error;
  if (!PyArg_ParseTuple(args, "y#", &bytes, &n) || check_idle(self) < 0) return NULL;

  if (hf_state_assign(state_of(self), bytes, (size_t)n, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _copy(): a State of the same model, with the same capacity and content.
static PyObject* state_copy(PyObject* self, PyObject* none) {
  (void)none;
  if (check_idle(self) < 0) return NULL;

  const hfState* s = state_of(self);
  hfState* copy = allocate_state(state_model(self), s->max_memory);
  if (copy) memcpy(copy, s, (size_t)s->size);
  return wrap_state(Py_TYPE(self), ((StateObject*)self)->model, copy);
}

// _save(path)
static PyObject* state_save(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path) || check_idle(self) < 0) return NULL;
  if (hf_state_write(state_of(self), path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _restore(path)
static PyObject* state_restore(PyObject* self, PyObject* args) {
  const char* path;
  hfError error;
  if (!PyArg_ParseTuple(args, "s", &path) || check_idle(self) < 0) return NULL;
  if (hf_state_read(state_of(self), path, &error) < 0) return raise_error(&error);
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
    {"time", state_get_time, state_set_time, "Simulated time [s].", NULL},
    {"nmemory", state_get_nmemory, NULL, "Contacts that the state remembers.", NULL},
    {"max_memory", state_get_max_memory, NULL, "Contacts that it has room for.", NULL},
    {"model", state_get_model, NULL, "The model it is a state of.", NULL},
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

// Refuses what is neither None nor an Input, and an Input for a model of other sizes.
int check_input(PyObject* input, const hfModel* m) {
  if (input == Py_None) return 0;
  if (!PyObject_TypeCheck(input, InputType)) return refuse(PyExc_TypeError, "input must be an Input or None");

  const hfModel* own_model = ((ModelObject*)((InputObject*)input)->model)->model;
  if (own_model == m) return 0;
  if (own_model->nu == m->nu && own_model->nv == m->nv && own_model->nbody == m->nbody &&
      own_model->nmocap == m->nmocap)
    return 0;
  return refuse(PyExc_ValueError, "the input is of another model");
}

// The library's input of an Input; NULL for None.
hfInput* input_of(PyObject* input) { return input == Py_None ? NULL : ((InputObject*)input)->input; }

// Input(model)
static PyObject* input_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", NULL};
  PyObject* model;
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

// _view(name): a view of one of the input's arrays.
static PyObject* input_view(PyObject* self, PyObject* args) {
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;

  const InputObject* object = (InputObject*)self;
  const hfInput* in = object->input;
  const hfModel* m = ((ModelObject*)object->model)->model;
  const struct {
    const char* name;
    double* data;
    int64_t shape[2]; // columns 0: a vector
  } arrays[] = {{"ctrl", in->ctrl, {m->nu, 0}},
                {"force", in->force, {m->nv, 0}},
                {"wrench", (double*)in->wrench, {m->nbody, 6}},
                {"mocap_pos", in->mocap_pos, {m->nmocap, 3}},
                {"mocap_quat", in->mocap_quat, {m->nmocap, 4}},
                {"velocity_target", in->velocity_target, {m->nv, 0}},
                {"force_limit", in->force_limit, {m->nv, 0}}};

  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    if (strcmp(name, arrays[i].name) != 0) continue;
    int ndim = arrays[i].shape[1] ? 2 : 1;
    return view_new(object->owner, arrays[i].data, 'd', ndim, arrays[i].shape, NULL, 0);
  }
  return PyErr_Format(PyExc_AttributeError, "an input has no array \"%s\"", name);
}

static PyObject* input_get_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((InputObject*)self)->model);
}

static PyMethodDef input_methods[] = {{"_view", input_view, METH_VARARGS, NULL}, {0}};
static PyGetSetDef input_getset[] = {{"model", input_get_model, NULL, "The model it is an input of.", NULL}, {0}};
static PyType_Slot input_slots[] = {{Py_tp_new, input_new},
                                    {Py_tp_dealloc, input_dealloc},
                                    {Py_tp_methods, input_methods},
                                    {Py_tp_getset, input_getset},
                                    {0}};
static PyType_Spec input_spec = {.name = "holdfast._core.Input",
                                 .basicsize = sizeof(InputObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = input_slots};

// Adds the types State and Input to the module.
int add_state(PyObject* module) {
  StateType = add_type(module, &state_spec);
  InputType = add_type(module, &input_spec);
  return StateType && InputType ? 0 : -1;
}
