// Trajectories, controllers, tables of controls and tuning.
#include "core.h"

#include <string.h>

static PyObject* setpoint(hfSetpoint s) { return Py_BuildValue("(ddd)", s.q, s.v, s.a); }

static PyObject* sinusoid(PyObject* self, PyObject* args) {
  (void)self;
  double amplitude, rate, phase, offset, time;
  if (!PyArg_ParseTuple(args, "ddddd", &amplitude, &rate, &phase, &offset, &time)) return NULL;
  return setpoint(hf_sinusoid(amplitude, rate, phase, offset, time));
}

static PyObject* quintic(PyObject* self, PyObject* args) {
  (void)self;
  hfSetpoint a, b;
  double duration, time;
  if (!PyArg_ParseTuple(args, "(ddd)(ddd)dd", &a.q, &a.v, &a.a, &b.q, &b.v, &b.a, &duration, &time)) return NULL;
  if (!(duration > 0)) return PyErr_SetString(PyExc_ValueError, "duration must be positive"), NULL;
  return setpoint(hf_quintic(a, b, duration, time));
}

static PyObject* keyframes(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *times, *values, *result = NULL;
  Py_buffer t, x;
  double time;
  if (!PyArg_ParseTuple(args, "OOd", &times, &values, &time) || get_doubles(times, "times", -1, 0, &t) < 0) return NULL;
  if (get_doubles(values, "values", t.len / 8, 0, &x) == 0) {
    if (t.len < 8)
      PyErr_SetString(PyExc_ValueError, "at least one key is needed");
    else
      result = setpoint(hf_keyframes((int)(t.len / 8), t.buf, x.buf, time));
    PyBuffer_Release(&x);
  }
  PyBuffer_Release(&t);
  return result;
}

static PyObject* pid(PyObject* self, PyObject* args) {
  (void)self;
  hfGains g;
  hfSetpoint wanted;
  double q, v, h, integral;
  if (!PyArg_ParseTuple(args, "(ddd)(ddd)dddd", &g.kp, &g.ki, &g.kd, &wanted.q, &wanted.v, &wanted.a, &q, &v, &h, &integral)) return NULL;
  double force = hf_pid(&g, wanted, q, v, h, &integral);
  return Py_BuildValue("(dd)", force, integral);
}

static PyObject* braking_target(PyObject* self, PyObject* args) {
  (void)self;
  hfSetpoint wanted;
  double q, time_constant, a_max;
  if (!PyArg_ParseTuple(args, "(ddd)ddd", &wanted.q, &wanted.v, &wanted.a, &q, &time_constant, &a_max)) return NULL;
  return PyFloat_FromDouble(hf_braking_target(wanted, q, time_constant, a_max));
}

static PyObject* trot(PyObject* self, PyObject* args) {
  (void)self;
  hfTrot gait;
  double phase, time;
  if (!PyArg_ParseTuple(args, "dddddd", &gait.period, &gait.duty, &gait.speed, &gait.lift, &phase, &time)) return NULL;
  if (!(gait.period > 0) || !(gait.duty > 0 && gait.duty < 1)) return PyErr_SetString(PyExc_ValueError, "period > 0 and 0 < duty < 1 are needed"), NULL;
  hfFootPlan f = hf_trot(&gait, phase, time);
  return Py_BuildValue("(iNN)", f.stance, setpoint(f.x), setpoint(f.z));
}

// ---- tables of controls --------------------------------------------------------------------------------------

typedef struct TableObject {
  PyObject_HEAD
  hfControlTable* table;
  int nu;
} TableObject;

static PyObject* table_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* model;
  const char* path;
  hfError error;
  static char* names[] = {"model", "path", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!s", names, ModelType, &model, &path)) return NULL;
  TableObject* self = object_alloc(type);
  if (!self) return NULL;
  const hfModel* m = ((ModelObject*)model)->model;
  if (hf_control_table_read(&self->table, m, path, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->nu = m->nu;
  return (PyObject*)self;
}

static void table_dealloc(PyObject* self) {
  hf_control_table_free(((TableObject*)self)->table);
  object_free(self);
}

// _fill(times, controls): sets the controls (n x nu) that the table has at the times (n); the others stay as they are.
static PyObject* table_fill(PyObject* self, PyObject* args) {
  const TableObject* t = (TableObject*)self;
  PyObject *times, *controls;
  Py_buffer time, ctrl;
  if (!PyArg_ParseTuple(args, "OO", &times, &controls) || get_doubles(times, "times", -1, 0, &time) < 0) return NULL;
  int64_t n = time.len / 8;
  int failed = get_doubles(controls, "controls", n * t->nu, 1, &ctrl) < 0;
  if (!failed) {
    for (int64_t i = 0; i < n; ++i) hf_control_table_controls(t->table, ((const double*)time.buf)[i], (double*)ctrl.buf + i * t->nu);
    PyBuffer_Release(&ctrl);
  }
  PyBuffer_Release(&time);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef table_methods[] = {{"_fill", table_fill, METH_VARARGS, NULL}, {0}};
static PyType_Slot table_slots[] = {{Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc}, {Py_tp_methods, table_methods}, {0}};
static PyType_Spec table_spec = {.name = "holdfast._core.ControlTable",
                                 .basicsize = sizeof(TableObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = table_slots};

// ---- tuning --------------------------------------------------------------------------------------------------

static const member tuning_members[] = {MEMBER(hfTuning, seed), MEMBER(hfTuning, evaluations), MEMBER(hfTuning, spread),
                                        MEMBER(hfTuning, tolerance)};

typedef struct objective {
  PyObject* function;
  int n, failed;
} objective;

// After an exception every further value is infinite, so that the search ends soon; then the exception is raised.
static double call_objective(const double* x, void* user) {
  objective* o = user;
  if (o->failed) return Py_HUGE_VAL;
  PyObject* array = array_copy(x, o->n);
  PyObject* value = array ? PyObject_CallFunctionObjArgs(o->function, array, NULL) : NULL;
  double result = value ? PyFloat_AsDouble(value) : -1;
  Py_XDECREF(array);
  Py_XDECREF(value);
  o->failed = PyErr_Occurred() != NULL;
  return o->failed ? Py_HUGE_VAL : result;
}

static PyObject* minimise(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *function, *x0, *options, *result = NULL;
  Py_buffer view;
  hfTuning tuning = hf_tuning_default();
  if (!PyArg_ParseTuple(args, "OOO", &function, &x0, &options) ||
      fill_struct(&tuning, MEMBERS(tuning_members), options, "minimise") < 0 || get_doubles(x0, "x", -1, 0, &view) < 0)
    return NULL;
  int64_t n = view.len / 8;
  if (n < 1 || n > HF_TUNING_MAX)
    PyErr_Format(PyExc_ValueError, "x must have 1 to %d numbers", HF_TUNING_MAX);
  else {
    double x[HF_TUNING_MAX];
    objective o = {.function = function, .n = (int)n};
    int used = 0;
    memcpy(x, view.buf, (size_t)view.len);
    double value = hf_minimise(call_objective, &o, (int)n, x, &tuning, &used);
    if (!o.failed) result = Py_BuildValue("(Ndi)", array_copy(x, n), value, used);
  }
  PyBuffer_Release(&view);
  return result;
}

static PyMethodDef functions[] = {{"sinusoid", sinusoid, METH_VARARGS, NULL},
                                  {"quintic", quintic, METH_VARARGS, NULL},
                                  {"keyframes", keyframes, METH_VARARGS, NULL},
                                  {"pid", pid, METH_VARARGS, NULL},
                                  {"braking_target", braking_target, METH_VARARGS, NULL},
                                  {"trot", trot, METH_VARARGS, NULL},
                                  {"minimise", minimise, METH_VARARGS, NULL},
                                  {0}};

int add_control(PyObject* module) {
  return add_type(module, &table_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
