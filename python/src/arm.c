// Arm: kinematics forward and inverse, tracking, torques; and the gripper's controller.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ArmObject {
  PyObject_HEAD
  PyObject* model;
  hfArm* arm;
  int placed; // 1: the arm is at some q
} ArmObject;

static const member ik_members[] = {
    MEMBER(hfIkConfig, length),       MEMBER(hfIkConfig, damping),            MEMBER(hfIkConfig, period),
    MEMBER(hfIkConfig, posture_gain), MEMBER(hfIkConfig, tolerance),          MEMBER(hfIkConfig, position_tolerance),
    MEMBER(hfIkConfig, rotation_tolerance), MEMBER(hfIkConfig, iterations),   MEMBER(hfIkConfig, restarts),
    MEMBER(hfIkConfig, seed)};
static const member ik_report_members[] = {MEMBER(hfIkReport, position_error), MEMBER(hfIkReport, rotation_error),
                                           MEMBER(hfIkReport, iterations), MEMBER(hfIkReport, restarts),
                                           MEMBER(hfIkReport, limited)};
static const member grip_config_members[] = {
    MEMBER(hfGripConfig, stiffness), MEMBER(hfGripConfig, damping),      MEMBER(hfGripConfig, speed),
    MEMBER(hfGripConfig, force_limit), MEMBER(hfGripConfig, touch),      MEMBER(hfGripConfig, integral),
    MEMBER(hfGripConfig, slew),      MEMBER(hfGripConfig, settle_share), MEMBER(hfGripConfig, settle_time)};
static const member grip_members[] = {MEMBER(hfGrip, mode), MEMBER(hfGrip, target), MEMBER(hfGrip, reference),
                                      MEMBER(hfGrip, integral), MEMBER(hfGrip, settled)};

static PyObject* arm_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* model;
  const char *tip, *base = NULL;
  hfError error;
  static char* names[] = {"model", "tip", "base", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!s|z", names, ModelType, &model, &tip, &base)) return NULL;
  ArmObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_arm_create(&self->arm, ((ModelObject*)model)->model, tip, base, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->model = Py_NewRef(model);
  return (PyObject*)self;
}

static void arm_dealloc(PyObject* self) {
  hf_arm_free(((ArmObject*)self)->arm);
  Py_CLEAR(((ArmObject*)self)->model);
  object_free(self);
}

static hfArm* arm_in(PyObject* self) { return ((ArmObject*)self)->arm; }
static const hfModel* model_in(PyObject* self) { return ((ModelObject*)((ArmObject*)self)->model)->model; }

static PyObject* arm_joints(PyObject* self, PyObject* none) {
  (void)none;
  int n = hf_arm_size(arm_in(self));
  PyObject* list = PyList_New(n);
  for (int i = 0; list && i < n; ++i)
    PyList_SetItem(list, i, Py_BuildValue("(id)", hf_arm_joint(arm_in(self), i), hf_arm_effort(arm_in(self), i)));
  return list;
}

static PyObject* arm_set(PyObject* self, PyObject* args) {
  PyObject *q_world, *q;
  Py_buffer w, j;
  if (!PyArg_ParseTuple(args, "OO", &q_world, &q) || get_doubles(q_world, "q_world", model_in(self)->nq, 0, &w) < 0) return NULL;
  if (get_optional_doubles(q, "q", hf_arm_size(arm_in(self)), &j) < 0) {
    PyBuffer_Release(&w);
    return NULL;
  }
  hf_arm_set(arm_in(self), w.buf);
  if (j.obj) hf_arm_move(arm_in(self), j.buf);
  ((ArmObject*)self)->placed = 1;
  PyBuffer_Release(&w);
  if (j.obj) PyBuffer_Release(&j);
  Py_RETURN_NONE;
}

static int need_place(PyObject* self) {
  if (((ArmObject*)self)->placed) return 0;
  PyErr_SetString(PyExc_RuntimeError, "call set(q_world) first");
  return -1;
}

static PyObject* arm_positions(PyObject* self, PyObject* args) {
  PyObject* q;
  Py_buffer w;
  double* x;
  int64_t n = hf_arm_size(arm_in(self));
  if (!PyArg_ParseTuple(args, "O", &q) || get_doubles(q, "q_world", model_in(self)->nq, 0, &w) < 0) return NULL;
  PyObject* result = array_new(1, &n, &x);
  if (result) hf_arm_positions(arm_in(self), w.buf, x);
  PyBuffer_Release(&w);
  return result;
}

static PyObject* arm_pose(PyObject* self, PyObject* none) {
  (void)none;
  if (need_place(self) < 0) return NULL;
  hfPose X = hf_arm_pose(arm_in(self));
  const double* R = X.R.m;
  return Py_BuildValue("((ddd)(ddddddddd))", X.p.x, X.p.y, X.p.z, R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
}

static PyObject* arm_jacobian(PyObject* self, PyObject* none) {
  (void)none;
  double* J;
  if (need_place(self) < 0) return NULL;
  PyObject* result = array_new(2, (const int64_t[2]){6, hf_arm_size(arm_in(self))}, &J);
  if (result) hf_arm_jacobian(arm_in(self), J);
  return result;
}

// Options with two arrays among them.
typedef struct ik {
  hfIkConfig config;
  Py_buffer speed, posture;
} ik;

static int take_ik(PyObject* self, ik* x, PyObject* options, PyObject* speed, PyObject* posture) {
  int64_t n = hf_arm_size(arm_in(self));
  x->config = hf_ik_config_default();
  memset(&x->speed, 0, sizeof x->speed);
  memset(&x->posture, 0, sizeof x->posture);
  if (fill_struct(&x->config, MEMBERS(ik_members), options, "inverse kinematics") < 0 ||
      get_optional_doubles(speed, "speed", n, &x->speed) < 0)
    return -1;
  if (get_optional_doubles(posture, "posture", n, &x->posture) < 0) {
    if (x->speed.obj) PyBuffer_Release(&x->speed);
    return -1;
  }
  x->config.speed = x->speed.buf;
  x->config.posture = x->posture.buf;
  return 0;
}
static void drop_ik(ik* x) {
  if (x->speed.obj) PyBuffer_Release(&x->speed);
  if (x->posture.obj) PyBuffer_Release(&x->posture);
}

// The exception of a refusal; what: the name of what was wanted.
static void raise_ik(hfStatus status, const char* what) {
  hfError error = {.status = status};
  if (status == HF_ERROR_ARGUMENT)
    snprintf(error.message, sizeof error.message, "inverse kinematics: length and period must be > 0, every other option and speed >= 0");
  else
    snprintf(error.message, sizeof error.message, "inverse kinematics: the %s, the posture or the arm's positions are not finite", what);
  raise_error(&error);
}

static int take_pose(PyObject* p, PyObject* R, hfPose* X) {
  Py_buffer vp, vR;
  if (get_doubles(p, "position", 3, 0, &vp) < 0) return -1;
  if (get_doubles(R, "rotation", 9, 0, &vR) < 0) {
    PyBuffer_Release(&vp);
    return -1;
  }
  X->p = vec3_of(&vp);
  memcpy(X->R.m, vR.buf, sizeof X->R.m);
  PyBuffer_Release(&vp);
  PyBuffer_Release(&vR);
  return 0;
}

// _solve(p, R, q0, options, posture) -> (q, status, report)
static PyObject* arm_solve(PyObject* self, PyObject* args) {
  PyObject *p, *R, *q0, *options, *posture, *result = NULL;
  hfPose X;
  Py_buffer start;
  ik x;
  hfIkReport report;
  double* q;
  int64_t n = hf_arm_size(arm_in(self));
  if (!PyArg_ParseTuple(args, "OOOOO", &p, &R, &q0, &options, &posture) || need_place(self) < 0 || take_pose(p, R, &X) < 0 ||
      take_ik(self, &x, options, NULL, posture) < 0)
    return NULL;
  if (get_doubles(q0, "q0", n, 0, &start) == 0) {
    PyObject* array = array_new(1, &n, &q);
    if (array) {
      memcpy(q, start.buf, (size_t)start.len);
      hfStatus status = hf_arm_solve(arm_in(self), X, &x.config, q, &report);
      if (status < 0)
        raise_ik(status, "target pose, the start");
      else
        result = Py_BuildValue("(OiN)", array, status, dump_struct(&report, MEMBERS(ik_report_members)));
      Py_DECREF(array);
    }
    PyBuffer_Release(&start);
  }
  drop_ik(&x);
  return result;
}

// _rate(twist, options, speed, posture) -> (rate, status, report)
static PyObject* arm_rate(PyObject* self, PyObject* args) {
  PyObject *twist, *options, *speed, *posture, *result = NULL;
  Py_buffer t;
  ik x;
  hfIkReport report;
  double* rate;
  int64_t n = hf_arm_size(arm_in(self));
  if (!PyArg_ParseTuple(args, "OOOO", &twist, &options, &speed, &posture) || need_place(self) < 0 ||
      take_ik(self, &x, options, speed, posture) < 0)
    return NULL;
  if (get_doubles(twist, "twist", 6, 0, &t) == 0) {
    hfMotion V;
    memcpy(&V, t.buf, sizeof V);
    PyBuffer_Release(&t);
    PyObject* array = array_new(1, &n, &rate);
    if (array) {
      hfStatus status = hf_arm_rate(arm_in(self), V, &x.config, rate, &report);
      if (status < 0)
        raise_ik(status, "twist");
      else
        result = Py_BuildValue("(OiN)", array, status, dump_struct(&report, MEMBERS(ik_report_members)));
      Py_DECREF(array);
    }
  }
  drop_ik(&x);
  return result;
}

// _torque(q_world, v_world, wanted (n x 3), gains (n x 3), h, integral or None) -> (tau, limited)
static PyObject* arm_torque(PyObject* self, PyObject* args) {
  PyObject *objects[5], *result = NULL;
  Py_buffer view[5] = {{0}};
  double h, *tau;
  int64_t n = hf_arm_size(arm_in(self));
  const hfModel* m = model_in(self);
  if (!PyArg_ParseTuple(args, "OOOOdO", &objects[0], &objects[1], &objects[2], &objects[3], &h, &objects[4])) return NULL;
  const char* names[4] = {"q_world", "v_world", "wanted", "gains"};
  const int64_t sizes[4] = {m->nq, m->nv, 3 * n, 3 * n};
  int bad = 0;
  for (int i = 0; !bad && i < 4; ++i) bad = get_doubles(objects[i], names[i], sizes[i], 0, &view[i]) < 0;
  if (!bad && objects[4] != Py_None) bad = get_doubles(objects[4], "integral", n, 1, &view[4]) < 0;
  if (!bad) {
    PyObject* array = array_new(1, &n, &tau);
    if (array) {
      int limited = hf_arm_torque(arm_in(self), view[0].buf, view[1].buf, view[2].buf, view[3].buf, h, view[4].buf, tau);
      ((ArmObject*)self)->placed = 1;
      result = Py_BuildValue("(Ni)", array, limited);
    }
  }
  for (int i = 0; i < 5; ++i)
    if (view[i].obj) PyBuffer_Release(&view[i]);
  return result;
}

static PyObject* arm_apply(PyObject* self, PyObject* args) {
  PyObject *tau, *input;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "OO!", &tau, InputType, &input)) return NULL;
  if (check_input(input, model_in(self)) < 0) return NULL;
  if (get_doubles(tau, "tau", hf_arm_size(arm_in(self)), 0, &view) < 0) return NULL;
  hf_arm_apply(arm_in(self), view.buf, ((InputObject*)input)->input);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}

static PyMethodDef arm_methods[] = {{"_joints", arm_joints, METH_NOARGS, NULL},   {"_set", arm_set, METH_VARARGS, NULL},
                                    {"_positions", arm_positions, METH_VARARGS, NULL},
                                    {"_pose", arm_pose, METH_NOARGS, NULL},       {"_jacobian", arm_jacobian, METH_NOARGS, NULL},
                                    {"_solve", arm_solve, METH_VARARGS, NULL},    {"_rate", arm_rate, METH_VARARGS, NULL},
                                    {"_torque", arm_torque, METH_VARARGS, NULL},  {"_apply", arm_apply, METH_VARARGS, NULL},
                                    {0}};
static PyType_Slot arm_slots[] = {{Py_tp_new, arm_new}, {Py_tp_dealloc, arm_dealloc}, {Py_tp_methods, arm_methods}, {0}};
static PyType_Spec arm_spec = {.name = "holdfast._core.Arm",
                               .basicsize = sizeof(ArmObject),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = arm_slots};

// ---- gripper -----------------------------------------------------------------------------------------------

typedef struct GripObject {
  PyObject_HEAD
  hfGripConfig config;
  hfGrip grip;
} GripObject;

// Options may be infinite: a limit that there is not.
static int has_nan(const hfGripConfig* c) {
  return isnan(c->stiffness) || isnan(c->damping) || isnan(c->speed) || isnan(c->force_limit) || isnan(c->touch) || isnan(c->integral) ||
         isnan(c->slew) || isnan(c->settle_share) || isnan(c->settle_time);
}

// The two numbers of a command; what is not finite would stay in the memory of the grip.
static int parse_command(PyObject* args, double* now, double* target, const char* name) {
  if (!PyArg_ParseTuple(args, "dd", now, target)) return -1;
  if (isfinite(*now) && isfinite(*target)) return 0;
  PyErr_Format(PyExc_ValueError, "width_now and %s must be finite", name);
  return -1;
}

static PyObject* grip_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (PyTuple_Size(args) > 0) return PyErr_SetString(PyExc_TypeError, "options are given by name"), NULL;
  GripObject* self = object_alloc(type);
  if (!self) return NULL;
  self->config = hf_grip_config_default();
  if (fill_struct(&self->config, MEMBERS(grip_config_members), kwargs, "a grip") < 0) Py_CLEAR(self);
  else if (has_nan(&self->config)) {
    PyErr_SetString(PyExc_ValueError, "a grip: an option is not a number");
    Py_CLEAR(self);
  }
  return (PyObject*)self;
}

static PyObject* grip_open(PyObject* self, PyObject* args) {
  double now, width;
  if (parse_command(args, &now, &width, "width") < 0) return NULL;
  hf_grip_open(&((GripObject*)self)->grip, now, width);
  Py_RETURN_NONE;
}

static PyObject* grip_close(PyObject* self, PyObject* args) {
  double now, squeeze;
  if (parse_command(args, &now, &squeeze, "squeeze") < 0) return NULL;
  hf_grip_close(&((GripObject*)self)->grip, now, squeeze);
  Py_RETURN_NONE;
}

static PyObject* grip_control(PyObject* self, PyObject* args) {
  double width, rate, squeeze, h;
  GripObject* g = (GripObject*)self;
  if (!PyArg_ParseTuple(args, "dddd", &width, &rate, &squeeze, &h)) return NULL;
  if (!isfinite(width) || !isfinite(rate) || !isfinite(squeeze) || !isfinite(h) || h <= 0) // they would stay in its memory
    return PyErr_SetString(PyExc_ValueError, "width, rate and squeeze must be finite, and h positive"), NULL;
  return PyFloat_FromDouble(hf_grip_control(&g->config, &g->grip, width, rate, squeeze, h));
}

static PyObject* grip_settled(PyObject* self, void* none) {
  (void)none;
  return PyBool_FromLong(hf_grip_settled(&((GripObject*)self)->config, &((GripObject*)self)->grip));
}

static PyObject* grip_memory(PyObject* self, void* none) {
  (void)none;
  return dump_struct(&((GripObject*)self)->grip, MEMBERS(grip_members));
}

static void grip_dealloc(PyObject* self) { object_free(self); }

static PyMethodDef grip_methods[] = {{"_open", grip_open, METH_VARARGS, NULL}, {"_close", grip_close, METH_VARARGS, NULL},
                                     {"_control", grip_control, METH_VARARGS, NULL},
                                     {0}};
static PyGetSetDef grip_getset[] = {{"settled", grip_settled, NULL, "True once the squeeze has stayed near its target.", NULL},
                                    {"memory", grip_memory, NULL,
                                     "What it remembers, as a dict: mode (0 holds or moves to a width, 1 closes, 2 squeezes), target [m or N], reference on the "
                                     "way to it, integral [N], settled [s].", NULL},
                                    {0}};
static PyType_Slot grip_slots[] = {
    {Py_tp_new, grip_new}, {Py_tp_dealloc, grip_dealloc}, {Py_tp_methods, grip_methods}, {Py_tp_getset, grip_getset},
    {Py_tp_doc, "Grip(**options)\n--\n\nForce control of a parallel gripper whose drive pushes with a force, closing > 0."},
    {0}};
static PyType_Spec grip_spec = {.name = "holdfast._core.Grip",
                                .basicsize = sizeof(GripObject),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                .slots = grip_slots};

int add_arm(PyObject* module) { return add_type(module, &arm_spec) && add_type(module, &grip_spec) ? 0 : -1; }
