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
    MEMBER(hfContact, feature), MEMBER(hfContact, stick), MEMBER(hfContact, p_W), MEMBER(hfContact, n_W),
    MEMBER(hfContact, depth), MEMBER(hfContact, fn), MEMBER(hfContact, mu), MEMBER(hfContact, ft),
    MEMBER(hfContact, torque), MEMBER(hfContact, vt), MEMBER(hfContact, vn)};

static const member switch_members[] = {
    MEMBER(hfSwitch, time), MEMBER(hfSwitch, rigid), MEMBER(hfSwitch, reason),
    MEMBER(hfSwitch, df), MEMBER(hfSwitch, df_equilibrium), MEMBER(hfSwitch, df_paper)};

// ---- making and freeing a sim --------------------------------------------------------------------------

// Sets the default configuration and changes it by a dict of str to str; NULL or None changes nothing.
// Returns 0, or -1 with Python's exception.
int fill_sim_config(hfSimConfig* config, PyObject* options) {
  *config = hf_sim_config_default();
  if (!options || options == Py_None) return 0;

  PyObject* key;
  PyObject* value;
  Py_ssize_t place = 0;
  hfError error;
  while (PyDict_Next(options, &place, &key, &value)) {
    const char* name = text_of(key);
    const char* text = name ? text_of(value) : NULL;
    if (!text) return -1;

    if (hf_sim_config_set(config, name, text, &error) < 0) {
      raise_error(&error);
      return -1;
    }
  }
  return 0;
}

// Sim(model, options): a sim of a Model or Params.
static PyObject* sim_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "options", NULL};
  PyObject* model;
  PyObject* options = NULL;
  hfSimConfig config;
  hfError error;
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

// Closes the sim's files and frees it. A report that nobody has closed is discarded: nobody asked for it.
static void sim_dealloc(PyObject* self) {
  SimObject* s = (SimObject*)self;
  sim_close_files(s, NULL);
  hf_report_discard(s->html);

  hf_state_free(s->last);
  hf_sim_free(s->sim);
  Py_CLEAR(s->last_input);
  Py_CLEAR(s->model);
  object_free(self);
}

// ---- steps -----------------------------------------------------------------------------------------------

// The first difficulty of a call of several steps, and why it ended, if it ended early.
typedef struct stepOutcome {
  hfStatus worst; // status of the first step that had a difficulty; HF_OK: none had
  hfStatus status; // < 0: a step or a file refused, see error
  hfError error;
} stepOutcome;

// Steps until nstep are done, INTERRUPT_CHECK_PERIOD is over or something is refused, and writes each step to the
// sim's files. Runs without the interpreter's lock. Returns the number of steps done. Sets the outcome's `status` (< 0:
// of the refusal, with its error) and `worst`, the status of the first difficulty.
static int step_for_a_while(SimObject* s, hfState* state, const hfInput* input, int nstep, stepOutcome* outcome) {
  hfError* error = &outcome->error;
  double end = nstep > 1 ? seconds_now() + INTERRUPT_CHECK_PERIOD : 0;

  outcome->status = sim_check_step(s, state, error);
  if (outcome->status < 0) return 0;
  s->last_in_sim = 0; // the results of the sim are no longer those of the step that was written last

  // files that were opened since the last step show the start of the run
  if (s->html_begins || s->recorder_begins) {
    outcome->status = sim_write_start(s, state, input, error);
    if (outcome->status < 0) return 0;
  }

  for (int done = 1; done <= nstep; ++done) {
    outcome->status = hf_sim_step(s->sim, state, input, &s->report, error);
    if (outcome->status < 0) return done - 1;
    if (outcome->worst == HF_OK) outcome->worst = outcome->status;

    if (sim_has_files(s)) {
      outcome->status = sim_write_step(s, state, input, error);
      if (outcome->status < 0) return done;
    }
    if (nstep > 1 && seconds_now() > end) return done;
  }
  return nstep;
}

// Steps a claimed sim and state nstep times without the interpreter's lock, and looks for the interrupt key from time
// to time. Returns 0; or -1 with Python's exception if there was an interrupt. A refusal is left in *outcome.
static int step_all(SimObject* s, hfState* state, const hfInput* input, int nstep, stepOutcome* outcome) {
  while (nstep > 0 && outcome->status >= 0) {
    Py_BEGIN_ALLOW_THREADS
    nstep -= step_for_a_while(s, state, input, nstep, outcome);
    Py_END_ALLOW_THREADS
    if (nstep > 0 && outcome->status >= 0 && PyErr_CheckSignals() < 0) return -1;
  }
  return 0;
}

// Refuses arguments of _step that are not a State and an Input or None; nargs: number of all arguments.
static int check_step_types(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs == 3 && (PyLong_Check(args[0]) || PyFloat_Check(args[0])))
    return refuse(PyExc_TypeError, "step takes a state first: write step(steps=%S)", args[0]);

  if (nargs != 3 || !PyObject_TypeCheck(args[0], StateType) ||
      (args[1] != Py_None && !PyObject_TypeCheck(args[1], InputType)))
    return refuse(PyExc_TypeError, "step needs a State, an Input or None, and a number of steps");
  return 0;
}

// _step(state, input or None, nstep): makes nstep steps. Returns the status of the first step that had a difficulty but
// advanced, or 0. A step that is refused, or writing that fails, raises the exception of its error.
static PyObject* sim_step(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  SimObject* s = (SimObject*)self;
  if (check_step_types(args, nargs) < 0) return NULL;

  StateObject* state = (StateObject*)args[0];
  PyObject* input = args[1];
  int nstep = count_of_steps(args[2]);
  if (nstep < 0 || check_input(input, hf_sim_model(s->sim)) < 0) return NULL;

  // nobody else may use the sim or the state, nor update the parameters, while the lock is released
  if (claim(&s->busy, "sim") < 0) return NULL;
  if (claim(&state->busy, "state") < 0) {
    s->busy = 0;
    return NULL;
  }
  ParamsObject* params = PyObject_TypeCheck(s->model, ParamsType) ? (ParamsObject*)s->model : NULL;
  if (params) ++params->stepping;

  stepOutcome outcome = {.worst = HF_OK, .status = HF_OK};
  int interrupted = step_all(s, state->state, input_of(input), nstep, &outcome) < 0;

  s->stepped = 1;
  // the last step went to a recording or report, whose end is written later with this input
  if (s->last_in_sim) sim_keep_input(s, input == Py_None ? NULL : input);
  s->busy = 0;
  state->busy = 0;
  if (params) --params->stepping;

  if (interrupted) return NULL;
  if (outcome.status < 0) return raise_error(&outcome.error);
  return PyLong_FromLong(outcome.worst);
}

// ---- calls that do not step --------------------------------------------------------------------------------

// What a call that does not step works on. The interpreter's lock is kept, so that nothing else can come between.
typedef struct evaluationArguments {
  hfState* state;
  const hfInput* input;
} evaluationArguments;

// Parses the arguments (state, input or None) or, with `extra`, (state, input or None, extra).
static int parse_evaluation(SimObject* s, PyObject* args, evaluationArguments* out, PyObject** extra) {
  PyObject* state;
  PyObject* input;
  if (!PyArg_ParseTuple(args, extra ? "O!OO" : "O!O", StateType, &state, &input, extra)) return -1;
  if (check_input(input, hf_sim_model(s->sim)) < 0) return -1;

  if (s->busy || ((StateObject*)state)->busy) {
    raise_busy(s->busy ? "sim" : "state");
    return -1;
  }
  out->state = ((StateObject*)state)->state;
  out->input = input_of(input);
  return 0;
}

// _evaluate(state, input): computes the results at a state.
static PyObject* sim_evaluate(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  evaluationArguments in;
  hfError error;
  if (parse_evaluation(s, args, &in, NULL) < 0) return NULL;

  s->last_in_sim = 0;

  if (hf_sim_evaluate(s->sim, in.state, in.input, &error) < 0) return raise_error(&error);
  s->stepped = 1;
  Py_RETURN_NONE;
}

// _problem(state, input): a copy of the problem of the step from a state.
static PyObject* sim_problem(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  evaluationArguments in;
  const hfStepProblem* problem;
  hfError error;
  if (parse_evaluation(s, args, &in, NULL) < 0) return NULL;

  s->last_in_sim = 0;
  if (hf_sim_problem(s->sim, in.state, in.input, &problem, &error) < 0) return raise_error(&error);
  return problem_copy(problem);
}

// _inverse(state, input, v1): the forces (nv) that bring the velocities to v1 (nv) in one step.
static PyObject* sim_inverse(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  evaluationArguments in;
  PyObject* wanted;
  Py_buffer v1;
  double* force;
  hfError error;
  if (parse_evaluation(s, args, &in, &wanted) < 0) return NULL;

  int nv = hf_sim_model(s->sim)->nv;
  if (get_doubles(wanted, "v1", nv, 0, &v1) < 0) return NULL;

  PyObject* result = array_vector(nv, &force);
  s->last_in_sim = 0;
  if (result && hf_sim_inverse(s->sim, in.state, in.input, v1.buf, force, &error) < 0) {
    Py_CLEAR(result);
    raise_error(&error);
  }

  PyBuffer_Release(&v1);
  return result;
}

// ---- results ---------------------------------------------------------------------------------------------

// Refuses while there is no step to read, and while a thread is in one.
static int check_results(const SimObject* s) {
  if (s->busy) {
    raise_busy("sim");
    return -1;
  }

  if (s->stepped) return 0;
  return refuse(PyExc_RuntimeError, "there are no results yet: call step() or evaluate() first");
}

// _contacts(): the bytes of all hfContact.
static PyObject* sim_contacts(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;

  int n = hf_sim_contact_count(s->sim);
  PyObject* bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizeof(hfContact) * n);
  if (!bytes) return NULL;

  char* target = PyByteArray_AsString(bytes);
  for (int i = 0; i < n; ++i) {
    hfContact contact = hf_sim_contact(s->sim, i);
    memcpy(target + (size_t)i * sizeof contact, &contact, sizeof contact);
  }
  return bytes;
}

// A switch of the hybrid method as a dict, with the name of its reason.
static PyObject* dump_switch(const hfSwitch* change) {
  PyObject* dict = dump_struct(change, MEMBERS(switch_members));
  PyObject* reason = PyUnicode_FromString(hf_switch_reason_name(change->reason));

  if (dict && (!reason || PyDict_SetItemString(dict, "reason", reason) < 0)) Py_CLEAR(dict);
  Py_XDECREF(reason);
  return dict;
}

// _switches(): a list of the switches of the last step.
static PyObject* sim_switches(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;

  PyObject* list = PyList_New(0);
  for (int i = 0; list && i < s->report.switching.nswitch; ++i) {
    hfSwitch change = hf_sim_switch(s->sim, i);
    PyObject* dict = dump_switch(&change);
    if (!dict || PyList_Append(list, dict) < 0) Py_CLEAR(list);
    Py_XDECREF(dict);
  }
  return list;
}

// _pair_force(body a, body b): (normal force (3), friction force (3), number of contacts), where the forces are the
// sums over all contacts of a with b, on a, in world axes [N]. b may be HF_ANY_BODY.
static PyObject* sim_pair_force(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  int a;
  int b;
  if (!PyArg_ParseTuple(args, "ii", &a, &b) || check_results(s) < 0) return NULL;

  int nbody = hf_sim_model(s->sim)->nbody;

  int is_a = a >= 0 && a < nbody;
  int is_b = b == HF_ANY_BODY || (b >= 0 && b < nbody);
  if (!is_a || !is_b) return PyErr_Format(PyExc_IndexError, "no such body");

  hfVec3 n = {0, 0, 0};
  hfVec3 f = {0, 0, 0};
  int count = hf_sim_pair_force(s->sim, a, b, &n, &f);
  return Py_BuildValue("((ddd)(ddd)i)", n.x, n.y, n.z, f.x, f.y, f.z, count);
}

// _array(name): a copy of one of the sim's arrays, because the sim writes over its own in the next step.
static PyObject* sim_array(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name) || check_results(s) < 0) return NULL;

  const hfModel* m = hf_sim_model(s->sim);
  if (strcmp(name, "ctrl") == 0) return array_copy(hf_sim_ctrl(s->sim), m->nu);
  if (strcmp(name, "actuator_force") == 0) return array_copy(hf_sim_actuator_force(s->sim), m->nu);
  if (strcmp(name, "target_force") == 0) return array_copy(hf_sim_target_force(s->sim), m->nv);
  if (strcmp(name, "acceleration") == 0) return array_copy(hf_sim_acceleration(s->sim), m->nv);
  if (strcmp(name, "sensors") == 0) return array_copy(hf_sim_sensors(s->sim), m->nsensordata);
  return PyErr_Format(PyExc_AttributeError, "a sim has no array \"%s\"", name);
}

// _poses(): an array (nbody x 7) of p_WB and q_WB (w, x, y, z) of each body.
static PyObject* sim_poses(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;

  const hfDynamics* d = hf_sim_dynamics(s->sim);
  int nbody = hf_sim_model(s->sim)->nbody;
  double* row;
  PyObject* array = array_new(2, (const int64_t[2]){nbody, 7}, &row);

  for (int b = 0; array && b < nbody; ++b, row += 7) {
    hfVec3 p = hf_dynamics_body_pose(d, b).p;
    hfQuat q = hf_dynamics_body_quat(d, b);
    memcpy(row, (const double[7]){p.x, p.y, p.z, q.w, q.x, q.y, q.z}, 7 * sizeof *row);
  }
  return array;
}

static PyObject* sim_last_report(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  if (check_results(s) < 0) return NULL;
  return dump_struct(&s->report, MEMBERS(report_members));
}

static PyObject* sim_step_size(PyObject* self, void* none) {
  (void)none;
  return PyFloat_FromDouble(hf_sim_step_size(((SimObject*)self)->sim));
}

// The Model, also of a sim of Params.
static PyObject* sim_model(PyObject* self, void* none) {
  (void)none;
  PyObject* m = ((SimObject*)self)->model;
  if (PyObject_TypeCheck(m, ParamsType)) m = ((ParamsObject*)m)->model;
  return Py_NewRef(m);
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

// option_names(): names of all options of a sim.
static PyObject* option_names(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  PyObject* list = PyList_New(0);

  for (int i = 0; list && hf_sim_config_name(i); ++i) {
    PyObject* name = PyUnicode_FromString(hf_sim_config_name(i));
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

// status_name(status): short name of a status.
static PyObject* status_name(PyObject* self, PyObject* args) {
  (void)self;
  int status;
  if (!PyArg_ParseTuple(args, "i", &status)) return NULL;
  return PyUnicode_FromString(hf_status_name((hfStatus)status));
}

// contact_dtype(): the members of hfContact.
static PyObject* contact_dtype(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return describe_struct(sizeof(hfContact), MEMBERS(contact_members));
}

static PyMethodDef functions[] = {{"option_names", option_names, METH_NOARGS, "Names of all options of a sim."},
                                  {"status_name", status_name, METH_VARARGS, "Short name of a status."},
                                  {"contact_dtype", contact_dtype, METH_NOARGS, NULL},
                                  {0}};

// Adds the type Sim, its functions and the constant any_body to the module.
int add_sim(PyObject* module) {
  SimType = add_type(module, &sim_spec);
  if (PyModule_AddIntConstant(module, "any_body", HF_ANY_BODY) < 0) return -1;
  return SimType && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
