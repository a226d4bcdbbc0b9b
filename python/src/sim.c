// Sim: stepping one world, with the lock released and the interrupt key heeded.
#include "sim_files.h"

#include <string.h>

PyTypeObject* SimType;

static const member report_members[] = {
    MEMBER(hfStepReport, status),
    MEMBER(hfStepReport, ncontact),
    MEMBER(hfStepReport, ndropped),
    MEMBER(hfStepReport, ncapped),
    MEMBER(hfStepReport, nstick),
    MEMBER(hfStepReport, nsleep),
    MEMBER(hfStepReport, nstopped),
    MEMBER(hfStepReport, nlet_go),
    MEMBER(hfStepReport, let_go_kind),
    MEMBER(hfStepReport, let_go),
    MEMBER(hfStepReport, max_depth),
    VIOLATIONS(hfStepReport),
    MEMBER(hfStepReport, energy_gain),
    MEMBER(hfStepReport, solve.status),
    MEMBER(hfStepReport, solve.rung),
    MEMBER(hfStepReport, solve.islands),
    MEMBER(hfStepReport, solve.iterations),
    MEMBER(hfStepReport, solve.max_iterations),
    MEMBER(hfStepReport, solve.limited),
    MEMBER(hfStepReport, solve.residual),
    MEMBER(hfStepReport, solve.coupled_residual),
    MEMBER(hfStepReport, continuous.evaluations),
    MEMBER(hfStepReport, continuous.iterations),
    MEMBER(hfStepReport, continuous.steps),
    MEMBER(hfStepReport, continuous.rejected),
    MEMBER(hfStepReport, continuous.failed),
    MEMBER(hfStepReport, continuous.held),
    MEMBER(hfStepReport, continuous.smallest),
    MEMBER(hfStepReport, continuous.last),
    MEMBER(hfStepReport, continuous.error),
    MEMBER(hfStepReport, switching.rigid),
    MEMBER(hfStepReport, switching.nswitch),
    MEMBER(hfStepReport, switching.nstick),
    MEMBER(hfStepReport, switching.nslide),
    MEMBER(hfStepReport, switching.nseparate),
    MEMBER(hfStepReport, switching.nimpact),
    MEMBER(hfStepReport, switching.rigid_time)};

static const member contact_members[] = {
    MEMBER(hfContact, geom_a), MEMBER(hfContact, geom_b), MEMBER(hfContact, body_a), MEMBER(hfContact, body_b),
    MEMBER(hfContact, feature), MEMBER(hfContact, stick), MEMBER(hfContact, p_W),    MEMBER(hfContact, n_W),
    MEMBER(hfContact, depth),   MEMBER(hfContact, fn),    MEMBER(hfContact, mu), MEMBER(hfContact, ft),     MEMBER(hfContact, torque),
    MEMBER(hfContact, vt),      MEMBER(hfContact, vn)};

static const member switch_members[] = {
    MEMBER(hfSwitch, time), MEMBER(hfSwitch, rigid), MEMBER(hfSwitch, reason),
    MEMBER(hfSwitch, df),    MEMBER(hfSwitch, df_equilibrium), MEMBER(hfSwitch, df_paper)};

// ---- options -------------------------------------------------------------------------------------------

int fill_sim_config(hfSimConfig* config, PyObject* options) {
  PyObject *key, *value;
  Py_ssize_t place = 0;
  hfError error;
  *config = hf_sim_config_default();
  if (!options || options == Py_None) return 0;
  while (PyDict_Next(options, &place, &key, &value)) {
    const char *name = text_of(key), *text = name ? text_of(value) : NULL;
    if (!text) return -1;
    if (hf_sim_config_set(config, name, text, &error) < 0) return raise_error(&error), -1;
  }
  return 0;
}

static PyObject* sim_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *model, *options = NULL;
  hfSimConfig config;
  hfError error;
  static char* names[] = {"model", "options", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &model, &options)) return NULL;
  const hfModel* m = model_of(model);
  if (!m || fill_sim_config(&config, options) < 0) return NULL;
  SimObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_sim_create(&self->sim, m, &config, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->model = Py_NewRef(model);
  return (PyObject*)self;
}

static void sim_dealloc(PyObject* self) {
  SimObject* s = (SimObject*)self;
  sim_close_files(s, NULL);
  hf_report_discard(s->html); // nobody asked for it
  hf_state_free(s->last);
  hf_sim_free(s->sim);
  Py_CLEAR(s->last_input);
  Py_CLEAR(s->model);
  object_free(self);
}

// ---- steps -----------------------------------------------------------------------------------------------

// Steps until nstep are done, PATIENCE is over or one is refused; returns how many are done.
static long step_while_patient(SimObject* s, hfState* state, const hfInput* input, long nstep, hfStatus* worst,
                               hfStatus* status, hfError* error) {
  double until = nstep > 1 ? seconds_now() + PATIENCE : 0;
  long done = 0;
  if ((*status = sim_check_step(s, state, error)) < 0) return 0;
  s->last_in_sim = 0;
  if (nstep > 0 && (s->html_begins || s->recorder_begins) && (*status = sim_write_start(s, state, input, error)) < 0) return 0;
  while (done < nstep) {
    *status = hf_sim_step(s->sim, state, input, &s->report, error);
    if (*status < 0) break;
    ++done;
    if (*worst == HF_OK) *worst = *status;
    if ((s->html || s->recorder || s->state_log || s->contact_log) &&
        (*status = sim_write_step(s, state, input, error)) < 0)
      break;
    if (nstep > 1 && seconds_now() > until) break;
  }
  return done;
}

// _step(state, input or None, nstep) -> status of the first difficulty, or 0
static PyObject* sim_step(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  SimObject* s = (SimObject*)self;
  if (nargs == 3 && (PyLong_Check(args[0]) || PyFloat_Check(args[0])))
    return PyErr_Format(PyExc_TypeError, "step takes a state first: write step(steps=%S)", args[0]), NULL;
  if (nargs != 3 || !PyObject_TypeCheck(args[0], StateType) ||
      (args[1] != Py_None && !PyObject_TypeCheck(args[1], InputType)))
    return PyErr_SetString(PyExc_TypeError, "step needs a State, an Input or None, and a number of steps"), NULL;
  StateObject* state = (StateObject*)args[0];
  InputObject* in = args[1] == Py_None ? NULL : (InputObject*)args[1];
  int nstep = count_of_steps(args[2]);
  if (nstep < 0) return NULL;
  if (check_input(args[1], hf_sim_model(s->sim)) < 0) return NULL;
  if (claim(&s->busy, "sim") < 0) return NULL;
  if (claim(&state->busy, "state") < 0) {
    s->busy = 0;
    return NULL;
  }
  hfError error;
  hfStatus worst = HF_OK, status = HF_OK;
  int interrupted = 0;
  ParamsObject* params = PyObject_TypeCheck(s->model, ParamsType) ? (ParamsObject*)s->model : NULL;
  if (params) ++params->stepping;
  while (nstep > 0 && status >= 0 && !interrupted) {
    Py_BEGIN_ALLOW_THREADS
    nstep -= step_while_patient(s, state->state, in ? in->input : NULL, nstep, &worst, &status, &error);
    Py_END_ALLOW_THREADS
    if (nstep > 0 && status >= 0) interrupted = PyErr_CheckSignals() < 0;
  }
  s->stepped = 1;
  if (s->last_in_sim) sim_keep_input(s, (PyObject*)in);
  s->busy = state->busy = 0;
  if (params) --params->stepping;
  if (interrupted) return NULL;
  return status < 0 ? raise_error(&error) : PyLong_FromLong(worst);
}

// Both objects of a call that does not step; the lock is kept, so that nothing else can come between.
static int take_arguments(PyObject* self, PyObject* args, StateObject** state, const hfInput** input, PyObject** extra) {
  PyObject *st, *in;
  SimObject* s = (SimObject*)self;
  if (!PyArg_ParseTuple(args, extra ? "O!OO" : "O!O", StateType, &st, &in, extra)) return -1;
  if (check_input(in, hf_sim_model(s->sim)) < 0) return -1;
  if (s->busy || ((StateObject*)st)->busy) return claim(&(int){1}, s->busy ? "sim" : "state");
  *state = (StateObject*)st;
  *input = in == Py_None ? NULL : ((InputObject*)in)->input;
  return 0;
}

static PyObject* sim_evaluate(PyObject* self, PyObject* args) {
  StateObject* state = NULL;
  const hfInput* input = NULL;
  hfError error;
  if (take_arguments(self, args, &state, &input, NULL) < 0) return NULL;
  SimObject* s = (SimObject*)self;
  s->last_in_sim = 0;
  if (hf_sim_evaluate(s->sim, state->state, input, &error) < 0) return raise_error(&error);
  s->stepped = 1;
  Py_RETURN_NONE;
}

static PyObject* sim_problem(PyObject* self, PyObject* args) {
  StateObject* state = NULL;
  const hfInput* input = NULL;
  const hfStepProblem* problem;
  hfError error;
  if (take_arguments(self, args, &state, &input, NULL) < 0) return NULL;
  ((SimObject*)self)->last_in_sim = 0;
  if (hf_sim_problem(((SimObject*)self)->sim, state->state, input, &problem, &error) < 0) return raise_error(&error);
  return problem_copy(problem);
}

static PyObject* sim_inverse(PyObject* self, PyObject* args) {
  StateObject* state = NULL;
  const hfInput* input = NULL;
  PyObject *v1, *result;
  Py_buffer v;
  hfError error;
  if (take_arguments(self, args, &state, &input, &v1) < 0) return NULL;
  hfSim* sim = ((SimObject*)self)->sim;
  int64_t nv = hf_sim_model(sim)->nv;
  double* force;
  if (get_doubles(v1, "v1", nv, 0, &v) < 0) return NULL;
  result = array_new(1, &nv, &force);
  ((SimObject*)self)->last_in_sim = 0;
  if (result && hf_sim_inverse(sim, state->state, input, v.buf, force, &error) < 0) {
    Py_CLEAR(result);
    raise_error(&error);
  }
  PyBuffer_Release(&v);
  return result;
}

// ---- results ---------------------------------------------------------------------------------------------

// Raises where there is no step to read, or a thread is in one.
static int check_results(SimObject* s) {
  if (s->busy) return claim(&(int){1}, "sim");
  if (s->stepped) return 0;
  PyErr_SetString(PyExc_RuntimeError, "there are no results yet: call step() or evaluate() first");
  return -1;
}

static PyObject* sim_contacts(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;
  int n = hf_sim_contact_count(s->sim);
  PyObject* bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizeof(hfContact) * n);
  if (!bytes) return NULL;
  char* to = PyByteArray_AsString(bytes);
  for (int i = 0; i < n; ++i, to += sizeof(hfContact)) {
    hfContact c = hf_sim_contact(s->sim, i);
    memcpy(to, &c, sizeof c);
  }
  return bytes;
}

static PyObject* sim_switches(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;
  PyObject* list = PyList_New(0);
  for (int i = 0; list && i < s->report.switching.nswitch; ++i) {
    hfSwitch w = hf_sim_switch(s->sim, i);
    PyObject* dict = dump_struct(&w, MEMBERS(switch_members));
    PyObject* reason = PyUnicode_FromString(hf_switch_reason_name(w.reason));
    if (!dict || !reason || PyDict_SetItemString(dict, "reason", reason) < 0 || PyList_Append(list, dict) < 0) Py_CLEAR(list);
    Py_XDECREF(dict);
    Py_XDECREF(reason);
  }
  return list;
}

static PyObject* sim_pair_force(PyObject* self, PyObject* args) {
  int a, b;
  SimObject* s = (SimObject*)self;
  if (!PyArg_ParseTuple(args, "ii", &a, &b) || check_results(s) < 0) return NULL;
  int nbody = hf_sim_model(s->sim)->nbody;
  if (a < 0 || a >= nbody || (b != HF_ANY_BODY && b < 0) || b >= nbody) return PyErr_SetString(PyExc_IndexError, "no such body"), NULL;
  hfVec3 n = {0, 0, 0}, f = {0, 0, 0};
  int count = hf_sim_pair_force(s->sim, a, b, &n, &f);
  return Py_BuildValue("((ddd)(ddd)i)", n.x, n.y, n.z, f.x, f.y, f.z, count);
}

// A copy: the sim writes over its own in the next step.
static PyObject* sim_array(PyObject* self, PyObject* args) {
  const char* name;
  SimObject* s = (SimObject*)self;
  if (!PyArg_ParseTuple(args, "s", &name) || check_results(s) < 0) return NULL;
  const hfModel* m = hf_sim_model(s->sim);
  if (strcmp(name, "ctrl") == 0) return array_copy(hf_sim_ctrl(s->sim), m->nu);
  if (strcmp(name, "actuator_force") == 0) return array_copy(hf_sim_actuator_force(s->sim), m->nu);
  if (strcmp(name, "target_force") == 0) return array_copy(hf_sim_target_force(s->sim), m->nv);
  if (strcmp(name, "acceleration") == 0) return array_copy(hf_sim_acceleration(s->sim), m->nv);
  if (strcmp(name, "sensors") == 0) return array_copy(hf_sim_sensors(s->sim), m->nsensordata);
  return PyErr_Format(PyExc_AttributeError, "a sim has no array \"%s\"", name);
}

// (nbody x 7): p_WB, q_WB
static PyObject* sim_poses(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;
  const hfDynamics* d = hf_sim_dynamics(s->sim);
  int nbody = hf_sim_model(s->sim)->nbody;
  double* x;
  PyObject* array = array_new(2, (const int64_t[2]){nbody, 7}, &x);
  for (int b = 0; array && b < nbody; ++b, x += 7) {
    hfVec3 p = hf_dynamics_body_pose(d, b).p;
    hfQuat q = hf_dynamics_body_quat(d, b);
    memcpy(x, (const double[7]){p.x, p.y, p.z, q.w, q.x, q.y, q.z}, 7 * sizeof *x);
  }
  return array;
}

static PyObject* sim_last_report(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  return check_results(s) < 0 ? NULL : dump_struct(&s->report, MEMBERS(report_members));
}

static PyObject* sim_step_size(PyObject* self, void* none) {
  (void)none;
  return PyFloat_FromDouble(hf_sim_step_size(((SimObject*)self)->sim));
}
static PyObject* sim_model(PyObject* self, void* none) {
  (void)none;
  PyObject* m = ((SimObject*)self)->model;
  return Py_NewRef(PyObject_TypeCheck(m, ParamsType) ? ((ParamsObject*)m)->model : m);
}

static PyMethodDef sim_methods[] = {{"_step", (PyCFunction)(void (*)(void))sim_step, METH_FASTCALL, NULL},
                                    {"_evaluate", sim_evaluate, METH_VARARGS, NULL},
                                    {"_problem", sim_problem, METH_VARARGS, NULL},
                                    {"_inverse", sim_inverse, METH_VARARGS, NULL},
                                    {"_contacts", sim_contacts, METH_NOARGS, NULL},
                                    {"_switches", sim_switches, METH_NOARGS, NULL},
                                    {"_pair_force", sim_pair_force, METH_VARARGS, NULL},
                                    {"_array", sim_array, METH_VARARGS, NULL},
                                    {"_poses", sim_poses, METH_NOARGS, NULL},
                                    {"_last_report", sim_last_report, METH_NOARGS, NULL},
                                    {"_record", sim_record, METH_VARARGS, NULL},
                                    {"_log_states", sim_log_states, METH_VARARGS, NULL},
                                    {"_log_contacts", sim_log_contacts, METH_VARARGS, NULL},
                                    {"_give_up", sim_give_up, METH_VARARGS, NULL},
                                    {"_begin_report_file", sim_begin_report, METH_VARARGS, NULL},
                                    {"_detach", sim_detach, METH_NOARGS, NULL},
                                    {"_leave_files", sim_leave_files, METH_NOARGS, NULL},
                                    {"_close_report", sim_close_report, METH_VARARGS, NULL},
                                    {0}};
static PyGetSetDef sim_getset[] = {{"step_size", sim_step_size, NULL, "Length of a step [s].", NULL},
                                   {"model", sim_model, NULL, "The model.", NULL},
                                   {0}};
static PyType_Slot sim_slots[] = {{Py_tp_new, sim_new},
                                  {Py_tp_dealloc, sim_dealloc},
                                  {Py_tp_methods, sim_methods},
                                  {Py_tp_getset, sim_getset},
                                  {0}};
static PyType_Spec sim_spec = {.name = "holdfast._core.Sim",
                               .basicsize = sizeof(SimObject),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = sim_slots};

static PyObject* option_names(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  PyObject* list = PyList_New(0);
  for (int i = 0; list && hf_sim_config_name(i); ++i) {
    PyObject* name = PyUnicode_FromString(hf_sim_config_name(i));
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject* status_name(PyObject* self, PyObject* args) {
  int status;
  (void)self;
  return PyArg_ParseTuple(args, "i", &status) ? PyUnicode_FromString(hf_status_name((hfStatus)status)) : NULL;
}

static PyObject* contact_dtype(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return describe_struct(sizeof(hfContact), MEMBERS(contact_members));
}

static PyMethodDef functions[] = {{"option_names", option_names, METH_NOARGS, "Names of all options of a sim."},
                                  {"status_name", status_name, METH_VARARGS, "Short name of a status."},
                                  {"contact_dtype", contact_dtype, METH_NOARGS, NULL},
                                  {0}};

int add_sim(PyObject* module) {
  SimType = add_type(module, &sim_spec);
  if (PyModule_AddIntConstant(module, "any_body", HF_ANY_BODY) < 0) return -1;
  return SimType && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
