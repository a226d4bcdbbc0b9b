// Trajectories, controllers, tables of controls and tuning.
#include "core.h"

#include <string.h>

// (position, velocity, acceleration)
static PyObject* setpoint_tuple(hfSetpoint s) { return Py_BuildValue("(ddd)", s.q, s.v, s.a); }

// ---- trajectories and controllers ----------------------------------------------------------------------------

// sinusoid(amplitude, rate [rad/s], phase [rad], offset, time [s]): the setpoint of a sine.
static PyObject* sinusoid(PyObject* self, PyObject* args) {
  (void)self;
  double amplitude;
  double rate;
  double phase;
  double offset;
  double time;

  if (!PyArg_ParseTuple(args, "ddddd", &amplitude, &rate, &phase, &offset, &time)) return NULL;
  return setpoint_tuple(hf_sinusoid(amplitude, rate, phase, offset, time));
}

// quintic(start, end, duration [s], time [s]): the setpoint of the polynomial of degree 5 between two setpoints.
static PyObject* quintic(PyObject* self, PyObject* args) {
  (void)self;
  hfSetpoint start;
  hfSetpoint end;
  double duration;
  double time;

  if (!PyArg_ParseTuple(args, "(ddd)(ddd)dd", &start.q, &start.v, &start.a, &end.q, &end.v, &end.a, &duration, &time))
    return NULL;
  if (!(duration > 0)) return PyErr_Format(PyExc_ValueError, "duration must be positive");

  return setpoint_tuple(hf_quintic(start, end, duration, time));
}

// keyframes(times [s], values, time [s]): the setpoint between as many keys as there are times.
static PyObject* keyframes(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* time_array;
  PyObject* value_array;
  double time;
  if (!PyArg_ParseTuple(args, "OOd", &time_array, &value_array, &time)) return NULL;

  Py_buffer times;
  Py_buffer values;
  PyObject* result = NULL;
  if (get_doubles(time_array, "times", -1, 0, &times) < 0) return NULL;

  int64_t n = count_doubles(&times);
  if (get_doubles(value_array, "values", n, 0, &values) == 0) {
    if (n < 1)
      PyErr_Format(PyExc_ValueError, "at least one key is needed");
    else
      result = setpoint_tuple(hf_keyframes((int)n, times.buf, values.buf, time));
  }

  PyBuffer_Release(&values);
  PyBuffer_Release(&times);
  return result;
}

// pid((kp, ki, kd), setpoint, q, v, h [s], integral): (force, integral after the step)
static PyObject* pid(PyObject* self, PyObject* args) {
  (void)self;
  hfGains gains;
  hfSetpoint wanted;
  double q;
  double v;
  double h;
  double integral;

  if (!PyArg_ParseTuple(args, "(ddd)(ddd)dddd", &gains.kp, &gains.ki, &gains.kd, &wanted.q, &wanted.v, &wanted.a, &q,
                        &v, &h, &integral))
    return NULL;

  double force = hf_pid(&gains, wanted, q, v, h, &integral);
  return Py_BuildValue("(dd)", force, integral);
}

// braking_target(setpoint, q, time constant [s], a_max): see hf_braking_target.
static PyObject* braking_target(PyObject* self, PyObject* args) {
  (void)self;
  hfSetpoint wanted;
  double q;
  double time_constant;
  double a_max;

  if (!PyArg_ParseTuple(args, "(ddd)ddd", &wanted.q, &wanted.v, &wanted.a, &q, &time_constant, &a_max)) return NULL;

  return PyFloat_FromDouble(hf_braking_target(wanted, q, time_constant, a_max));
}

// trot(period [s], duty, speed [m/s], lift [m], phase, time [s]): (stance, setpoint of x, setpoint of z) of a foot.
static PyObject* trot(PyObject* self, PyObject* args) {
  (void)self;
  hfTrot gait;
  double phase;
  double time;

  if (!PyArg_ParseTuple(args, "dddddd", &gait.period, &gait.duty, &gait.speed, &gait.lift, &phase, &time)) return NULL;
  if (!(gait.period > 0) || !(gait.duty > 0 && gait.duty < 1))
    return PyErr_Format(PyExc_ValueError, "period > 0 and 0 < duty < 1 are needed");

  hfFootPlan foot = hf_trot(&gait, phase, time);
  return Py_BuildValue("(iNN)", foot.stance, setpoint_tuple(foot.x), setpoint_tuple(foot.z));
}

// ---- tables of controls --------------------------------------------------------------------------------------

typedef struct TableObject {
  PyObject_HEAD
  hfControlTable* table;
  int nu;
} TableObject;

// ControlTable(model, path): reads a table of controls over time.
static PyObject* table_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "path", NULL};
  PyObject* model;
  const char* path;
  hfError error;
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

// _fill(times (n), controls (n x nu)): sets the controls that the table has at the times; the others stay as they are.
static PyObject* table_fill(PyObject* self, PyObject* args) {
  const TableObject* t = (TableObject*)self;
  PyObject* time_array;
  PyObject* control_array;
  if (!PyArg_ParseTuple(args, "OO", &time_array, &control_array)) return NULL;

  Py_buffer times;
  Py_buffer controls;
  if (get_doubles(time_array, "times", -1, 0, &times) < 0) return NULL;
  int64_t n = count_doubles(&times);
  if (get_doubles(control_array, "controls", n * t->nu, 1, &controls) < 0) {
    PyBuffer_Release(&times);
    return NULL;
  }

  const double* time = times.buf;
  double* row = controls.buf;
  for (int64_t i = 0; i < n; ++i) hf_control_table_controls(t->table, time[i], row + i * t->nu);

  PyBuffer_Release(&controls);
  PyBuffer_Release(&times);
  Py_RETURN_NONE;
}

static PyMethodDef table_methods[] = {{"_fill", table_fill, METH_VARARGS, NULL}, {0}};
static PyType_Slot table_slots[] = {
    {Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc}, {Py_tp_methods, table_methods}, {0}};
static PyType_Spec table_spec = {.name = "holdfast._core.ControlTable",
                                 .basicsize = sizeof(TableObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = table_slots};

// ---- tuning --------------------------------------------------------------------------------------------------

static const member tuning_members[] = {MEMBER(hfTuning, seed), MEMBER(hfTuning, evaluations), MEMBER(hfTuning, spread),
                                        MEMBER(hfTuning, tolerance)};

// A function of Python that is minimised.
typedef struct objective {
  PyObject* function;
  int n; // numbers in its argument
  int failed; // 1: a call of it has raised an exception
} objective;

// Calls the function. After an exception every further value is infinite, so that the search ends soon; then the
// exception is raised.
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

// minimise(function, x0, options): (x, value there, number of evaluations), x being where the function is least as far
// as the search from x0 found. An exception of the function ends the search and is raised.
static PyObject* minimise(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* function;
  PyObject* start;
  PyObject* options;
  hfTuning tuning = hf_tuning_default();
  if (!PyArg_ParseTuple(args, "OOO", &function, &start, &options)) return NULL;
  if (fill_struct(&tuning, MEMBERS(tuning_members), options, "minimise") < 0) return NULL;

  Py_buffer x0;
  if (get_doubles(start, "x", -1, 0, &x0) < 0) return NULL;
  int64_t n = count_doubles(&x0);
  if (n < 1 || n > HF_TUNING_MAX) {
    PyBuffer_Release(&x0);
    return PyErr_Format(PyExc_ValueError, "x must have 1 to %d numbers", HF_TUNING_MAX);
  }

  double x[HF_TUNING_MAX];
  memcpy(x, x0.buf, (size_t)x0.len);
  PyBuffer_Release(&x0);

  objective o = {.function = function, .n = (int)n};
  int evaluations = 0;
  double value = hf_minimise(call_objective, &o, (int)n, x, &tuning, &evaluations);

  if (o.failed) return NULL; // with the function's exception
  return Py_BuildValue("(Ndi)", array_copy(x, n), value, evaluations);
}

static PyMethodDef functions[] = {{"sinusoid", sinusoid, METH_VARARGS, NULL},
                                  {"quintic", quintic, METH_VARARGS, NULL},
                                  {"keyframes", keyframes, METH_VARARGS, NULL},
                                  {"pid", pid, METH_VARARGS, NULL},
                                  {"braking_target", braking_target, METH_VARARGS, NULL},
                                  {"trot", trot, METH_VARARGS, NULL},
                                  {"minimise", minimise, METH_VARARGS, NULL},
                                  {0}};

// Adds the type ControlTable and the functions of this file to the module.
int add_control(PyObject* module) {
  return add_type(module, &table_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
