// Arm: kinematics forward and inverse, tracking, torques; and the gripper's controller.
#include "core.h"

#include <math.h>
#include <string.h>

// An arm of n joints. `q_world` and `v_world` are positions (nq) and velocities (nv) of the whole model.
typedef struct ArmObject {
  PyObject_HEAD
  PyObject* model;
  hfArm* arm;
  int placed; // 1: the arm is at some q
} ArmObject;

static const member ik_members[] = {
    MEMBER(hfIkConfig, length), MEMBER(hfIkConfig, damping), MEMBER(hfIkConfig, period),
    MEMBER(hfIkConfig, posture_gain), MEMBER(hfIkConfig, tolerance), MEMBER(hfIkConfig, position_tolerance),
    MEMBER(hfIkConfig, rotation_tolerance), MEMBER(hfIkConfig, iterations), MEMBER(hfIkConfig, restarts),
    MEMBER(hfIkConfig, seed)};
static const member ik_report_members[] = {
    MEMBER(hfIkReport, position_error), MEMBER(hfIkReport, rotation_error), MEMBER(hfIkReport, iterations),
    MEMBER(hfIkReport, restarts), MEMBER(hfIkReport, limited)};
static const member grip_config_members[] = {
    MEMBER(hfGripConfig, stiffness), MEMBER(hfGripConfig, damping), MEMBER(hfGripConfig, speed),
    MEMBER(hfGripConfig, force_limit), MEMBER(hfGripConfig, touch), MEMBER(hfGripConfig, integral),
    MEMBER(hfGripConfig, slew), MEMBER(hfGripConfig, settle_share), MEMBER(hfGripConfig, settle_time)};
static const member grip_members[] = {
    MEMBER(hfGrip, mode), MEMBER(hfGrip, target), MEMBER(hfGrip, reference), MEMBER(hfGrip, integral),
    MEMBER(hfGrip, settled)};

// Arm(model, tip, base): the joints between two bodies; base None: from the world.
static PyObject* arm_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "tip", "base", NULL};
  PyObject* model;
  const char* tip;
  const char* base = NULL;
  hfError error;
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

static hfArm* arm_of(PyObject* self) { return ((ArmObject*)self)->arm; }
static const hfModel* arm_model(PyObject* self) { return ((ModelObject*)((ArmObject*)self)->model)->model; }

// _joints(): a list of (joint, largest torque [N m] or force [N]) from base to tip.
static PyObject* arm_joints(PyObject* self, PyObject* none) {
  (void)none;
  const hfArm* arm = arm_of(self);
  int n = hf_arm_size(arm);
  PyObject* list = PyList_New(n);

  for (int i = 0; list && i < n; ++i)
    PyList_SetItem(list, i, Py_BuildValue("(id)", hf_arm_joint(arm, i), hf_arm_effort(arm, i)));
  return list;
}

// ---- kinematics ------------------------------------------------------------------------------------------

// _set(q_world, q or None): places the arm and what carries it as in q_world, with the arm's own joints at q (n).
static PyObject* arm_set(PyObject* self, PyObject* args) {
  PyObject* world_positions;
  PyObject* positions;
  if (!PyArg_ParseTuple(args, "OO", &world_positions, &positions)) return NULL;

  hfArm* arm = arm_of(self);
  Py_buffer q_world;
  Py_buffer q;
  if (get_doubles(world_positions, "q_world", arm_model(self)->nq, 0, &q_world) < 0) return NULL;
  if (get_optional_doubles(positions, "q", hf_arm_size(arm), &q) < 0) {
    PyBuffer_Release(&q_world);
    return NULL;
  }

  hf_arm_set(arm, q_world.buf);
  if (q.obj) hf_arm_move(arm, q.buf);
  ((ArmObject*)self)->placed = 1; // the other methods may be called now
  PyBuffer_Release(&q_world);
  PyBuffer_Release(&q);
  Py_RETURN_NONE;
}

// Refuses an arm that has not been placed yet.
static int check_placed(PyObject* self) {
  if (((ArmObject*)self)->placed) return 0;
  return refuse(PyExc_RuntimeError, "call set(q_world) first");
}

// _positions(q_world): the positions (n) of the arm's joints.
static PyObject* arm_positions(PyObject* self, PyObject* args) {
  PyObject* world_positions;
  if (!PyArg_ParseTuple(args, "O", &world_positions)) return NULL;

  Py_buffer q_world;
  if (get_doubles(world_positions, "q_world", arm_model(self)->nq, 0, &q_world) < 0) return NULL;

  double* q;
  PyObject* result = array_vector(hf_arm_size(arm_of(self)), &q);
  if (result) hf_arm_positions(arm_of(self), q_world.buf, q);

  PyBuffer_Release(&q_world);
  return result;
}

// _pose(): position and rotation matrix of the tip.
static PyObject* arm_pose(PyObject* self, PyObject* none) {
  (void)none;
  if (check_placed(self) < 0) return NULL;
  return pose_tuple(hf_arm_pose(arm_of(self)));
}

// _jacobian(): the Jacobian (6 x n) of the tip.
static PyObject* arm_jacobian(PyObject* self, PyObject* none) {
  (void)none;
  if (check_placed(self) < 0) return NULL;

  double* J;
  PyObject* result = array_new(2, (const int64_t[2]){6, hf_arm_size(arm_of(self))}, &J);
  if (result) hf_arm_jacobian(arm_of(self), J);
  return result;
}

// ---- inverse kinematics ----------------------------------------------------------------------------------

// Options of inverse kinematics, with the two arrays among them.
typedef struct ikOptions {
  hfIkConfig config;
  Py_buffer speed;
  Py_buffer posture;
} ikOptions;

// Reads options from a dict and the arrays from objects that may be None. Release with release_ik_options.
static int get_ik_options(PyObject* self, ikOptions* x, PyObject* options, PyObject* speed, PyObject* posture) {
  int n = hf_arm_size(arm_of(self));
  x->config = hf_ik_config_default();

  if (fill_struct(&x->config, MEMBERS(ik_members), options, "inverse kinematics") < 0) return -1;
  if (get_optional_doubles(speed, "speed", n, &x->speed) < 0) return -1;
  if (get_optional_doubles(posture, "posture", n, &x->posture) < 0) {
    PyBuffer_Release(&x->speed);
    return -1;
  }

  x->config.speed = x->speed.buf;
  x->config.posture = x->posture.buf;
  return 0;
}

static void release_ik_options(ikOptions* x) {
  PyBuffer_Release(&x->speed);
  PyBuffer_Release(&x->posture);
}

// (array, status, report) of inverse kinematics; or the exception of a refusal, where `goal` names what was wanted.
static PyObject* ik_result(PyObject* array, hfStatus status, const hfIkReport* report, const char* goal) {
  if (status >= 0) return Py_BuildValue("(OiN)", array, status, dump_struct(report, MEMBERS(ik_report_members)));

  hfError error = {.status = status};
  const char* wrong_option = "length and period must be > 0, every other option and speed >= 0";
  if (status == HF_ERROR_ARGUMENT)
    snprintf(error.message, sizeof error.message, "inverse kinematics: %s", wrong_option);
  else
    snprintf(error.message, sizeof error.message,
             "inverse kinematics: the %s, the posture or the arm's positions are not finite", goal);
  return raise_error(&error);
}

// _solve(p (3), R (3 x 3), q0 (n), options, posture (n) or None): (q, status, report) of a search, from q0, for the
// positions of the arm's joints that bring the tip to the pose p, R in the world. posture: preferred positions.
static PyObject* arm_solve(PyObject* self, PyObject* args) {
  PyObject* position;
  PyObject* rotation;
  PyObject* start;
  PyObject* options;
  PyObject* posture;
  hfPose target;
  ikOptions ik;
  if (!PyArg_ParseTuple(args, "OOOOO", &position, &rotation, &start, &options, &posture)) return NULL;
  if (check_placed(self) < 0 || get_pose(position, rotation, &target) < 0) return NULL;
  if (get_ik_options(self, &ik, options, NULL, posture) < 0) return NULL;

  int n = hf_arm_size(arm_of(self));
  Py_buffer q0;
  double* q;
  PyObject* array = NULL;
  PyObject* result = NULL;
  if (get_doubles(start, "q0", n, 0, &q0) == 0) array = array_vector(n, &q);

  if (array) {
    hfIkReport report;
    memcpy(q, q0.buf, (size_t)q0.len);
    hfStatus status = hf_arm_solve(arm_of(self), target, &ik.config, q, &report);
    result = ik_result(array, status, &report, "target pose, the start");
  }

  Py_XDECREF(array);
  PyBuffer_Release(&q0);
  release_ik_options(&ik);
  return result;
}

// _rate(twist (6), options, speed (n) or None, posture (n) or None): (rate, status, report) of the joint rates (n) that
// move the tip by a twist, at the positions of the last _set. speed: the largest rates; posture: preferred positions.
static PyObject* arm_rate(PyObject* self, PyObject* args) {
  PyObject* wanted;
  PyObject* options;
  PyObject* speed;
  PyObject* posture;
  ikOptions ik;
  if (!PyArg_ParseTuple(args, "OOOO", &wanted, &options, &speed, &posture)) return NULL;
  if (check_placed(self) < 0 || get_ik_options(self, &ik, options, speed, posture) < 0) return NULL;

  Py_buffer twist;
  double* rate;
  PyObject* array = NULL;
  PyObject* result = NULL;
  if (get_doubles(wanted, "twist", 6, 0, &twist) == 0) array = array_vector(hf_arm_size(arm_of(self)), &rate);

  if (array) {
    hfMotion V;
    hfIkReport report;
    memcpy(&V, twist.buf, sizeof V);
    hfStatus status = hf_arm_rate(arm_of(self), V, &ik.config, rate, &report);
    result = ik_result(array, status, &report, "twist");
  }

  Py_XDECREF(array);
  PyBuffer_Release(&twist);
  release_ik_options(&ik);
  return result;
}

// ---- torques ---------------------------------------------------------------------------------------------

// _torque(q_world, v_world, wanted (n x 3), gains (n x 3), h, integral (n) or None): (tau (n), limited) of
// hf_arm_torque, where limited is the number of joints whose torque is at its limit. Changes the numbers of `integral`.
// A row of `wanted` is position, velocity and acceleration of a joint; a row of `gains` is kp, ki, kd.
static PyObject* arm_torque(PyObject* self, PyObject* args) {
  PyObject* objects[4];
  PyObject* sums;
  double h;
  if (!PyArg_ParseTuple(args, "OOOOdO", &objects[0], &objects[1], &objects[2], &objects[3], &h, &sums)) return NULL;

  hfArm* arm = arm_of(self);
  int n = hf_arm_size(arm);
  const hfModel* m = arm_model(self);

  const char* names[4] = {"q_world", "v_world", "wanted", "gains"};
  const int64_t sizes[4] = {m->nq, m->nv, 3 * n, 3 * n};
  Py_buffer view[4] = {{0}};
  Py_buffer integral = {0};
  double* tau;
  PyObject* result = NULL;

  int status = 0;
  for (int i = 0; status == 0 && i < 4; ++i) status = get_doubles(objects[i], names[i], sizes[i], 0, &view[i]);
  if (status == 0 && sums != Py_None) status = get_doubles(sums, "integral", n, 1, &integral);

  PyObject* array = status == 0 ? array_vector(n, &tau) : NULL;
  if (array) {
    int limited = hf_arm_torque(arm, view[0].buf, view[1].buf, view[2].buf, view[3].buf, h, integral.buf, tau);
    ((ArmObject*)self)->placed = 1;
    result = Py_BuildValue("(Ni)", array, limited);
  }

  for (int i = 0; i < 4; ++i) PyBuffer_Release(&view[i]);
  PyBuffer_Release(&integral);
  return result;
}

// _apply(tau, input): writes the arm's torques (n) into an input.
static PyObject* arm_apply(PyObject* self, PyObject* args) {
  PyObject* torques;
  PyObject* input;
  if (!PyArg_ParseTuple(args, "OO!", &torques, InputType, &input)) return NULL;
  if (check_input(input, arm_model(self)) < 0) return NULL;

  Py_buffer tau;
  if (get_doubles(torques, "tau", hf_arm_size(arm_of(self)), 0, &tau) < 0) return NULL;

  hf_arm_apply(arm_of(self), tau.buf, input_of(input));
  PyBuffer_Release(&tau);
  Py_RETURN_NONE;
}

static PyMethodDef arm_methods[] = {{"_joints", arm_joints, METH_NOARGS, NULL},
                                    {"_set", arm_set, METH_VARARGS, NULL},
                                    {"_positions", arm_positions, METH_VARARGS, NULL},
                                    {"_pose", arm_pose, METH_NOARGS, NULL},
                                    {"_jacobian", arm_jacobian, METH_NOARGS, NULL},
                                    {"_solve", arm_solve, METH_VARARGS, NULL},
                                    {"_rate", arm_rate, METH_VARARGS, NULL},
                                    {"_torque", arm_torque, METH_VARARGS, NULL},
                                    {"_apply", arm_apply, METH_VARARGS, NULL},
                                    {0}};
static PyType_Slot arm_slots[] = {
    {Py_tp_new, arm_new}, {Py_tp_dealloc, arm_dealloc}, {Py_tp_methods, arm_methods}, {0}};
static PyType_Spec arm_spec = {.name = "holdfast._core.Arm",
                               .basicsize = sizeof(ArmObject),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = arm_slots};

// ---- gripper -----------------------------------------------------------------------------------------------

// A gripper's controller: its configuration and its memory. What is not finite would stay in the memory for good, so
// every command is checked first.
typedef struct GripObject {
  PyObject_HEAD
  hfGripConfig config;
  hfGrip grip;
} GripObject;

// Is an option NaN? It may be infinite: there is no such limit then.
static int has_nan(const hfGripConfig* c) {
  return isnan(c->stiffness) || isnan(c->damping) || isnan(c->speed) || isnan(c->force_limit) || isnan(c->touch) ||
         isnan(c->integral) || isnan(c->slew) || isnan(c->settle_share) || isnan(c->settle_time);
}

// Grip(**options)
static PyObject* grip_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (PyTuple_Size(args) > 0) return PyErr_Format(PyExc_TypeError, "options are given by name");

  GripObject* self = object_alloc(type);
  if (!self) return NULL;
  self->config = hf_grip_config_default();
  if (fill_struct(&self->config, MEMBERS(grip_config_members), kwargs, "a grip") < 0) {
    Py_DECREF(self);
    return NULL;
  }

  if (has_nan(&self->config)) {
    Py_DECREF(self);
    return PyErr_Format(PyExc_ValueError, "a grip: an option is not a number");
  }

  return (PyObject*)self;
}

// Parses the two numbers of a command: the width now [m], and its target, which `name` names.
static int parse_command(PyObject* args, double* width_now, double* target, const char* name) {
  if (!PyArg_ParseTuple(args, "dd", width_now, target)) return -1;
  if (isfinite(*width_now) && isfinite(*target)) return 0;
  return refuse(PyExc_ValueError, "width_now and %s must be finite", name);
}

// _open(width now [m], width [m])
static PyObject* grip_open(PyObject* self, PyObject* args) {
  double width_now;
  double width;
  if (parse_command(args, &width_now, &width, "width") < 0) return NULL;
  hf_grip_open(&((GripObject*)self)->grip, width_now, width);
  Py_RETURN_NONE;
}

// _close(width now [m], squeeze [N])
static PyObject* grip_close(PyObject* self, PyObject* args) {
  double width_now;
  double squeeze;
  if (parse_command(args, &width_now, &squeeze, "squeeze") < 0) return NULL;
  hf_grip_close(&((GripObject*)self)->grip, width_now, squeeze);
  Py_RETURN_NONE;
}

// _control(width [m], rate [m/s], squeeze [N], h [s]): the drive's force [N] for the next h.
static PyObject* grip_control(PyObject* self, PyObject* args) {
  GripObject* g = (GripObject*)self;
  double width;
  double rate;
  double squeeze;
  double h;

  if (!PyArg_ParseTuple(args, "dddd", &width, &rate, &squeeze, &h)) return NULL;
  if (!isfinite(width) || !isfinite(rate) || !isfinite(squeeze) || !isfinite(h) || h <= 0)
    return PyErr_Format(PyExc_ValueError, "width, rate and squeeze must be finite, and h positive");

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

static PyMethodDef grip_methods[] = {{"_open", grip_open, METH_VARARGS, NULL},
                                     {"_close", grip_close, METH_VARARGS, NULL},
                                     {"_control", grip_control, METH_VARARGS, NULL},
                                     {0}};
static PyGetSetDef grip_getset[] = {
    {"settled", grip_settled, NULL, "True once the squeeze has stayed near its target.", NULL},
    {"memory", grip_memory, NULL,
     "What it remembers, as a dict: mode (0 holds or moves to a width, 1 closes, 2 squeezes), target [m or N], "
     "reference on the way to it, integral [N], settled [s].",
     NULL},
    {0}};
static PyType_Slot grip_slots[] = {
    {Py_tp_new, grip_new},
    {Py_tp_dealloc, grip_dealloc},
    {Py_tp_methods, grip_methods},
    {Py_tp_getset, grip_getset},
    {Py_tp_doc,
     "Grip(**options)\n--\n\nForce control of a parallel gripper whose drive pushes with a force, closing > 0."},
    {0}};
static PyType_Spec grip_spec = {.name = "holdfast._core.Grip",
                                .basicsize = sizeof(GripObject),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                .slots = grip_slots};

// Adds the types Arm and Grip to the module.
int add_arm(PyObject* module) { return add_type(module, &arm_spec) && add_type(module, &grip_spec) ? 0 : -1; }
