// The files that a sim writes while it steps: a recording, logs of states and contacts, a report.
#include "sim_files.h"

static const hfInput* last_input(const SimObject* s) { return s->last_input ? ((InputObject*)s->last_input)->input : NULL; }

// Evaluates the last state that was written, where the sim has results of another one.
static hfStatus recall_last(SimObject* s, hfError* error) {
  hfStatus status = s->last_in_sim ? HF_OK : hf_sim_evaluate(s->sim, s->last, last_input(s), error);
  s->last_in_sim = status >= 0;
  return status;
}

static hfStatus finish_recording(SimObject* s, hfError* error) {
  if (!s->recorder || !s->last) return HF_OK;
  hfStatus status = recall_last(s, error);
  return status < 0 ? status : hf_recorder_finish(s->recorder, s->sim, s->last, last_input(s), error);
}

static hfStatus finish_report(SimObject* s, hfError* error) {
  if (!s->last) return HF_OK;
  hfStatus status = recall_last(s, error);
  return status < 0 ? status : hf_report_finish(s->html, s->sim, s->last, last_input(s), error);
}

hfStatus sim_close_files(SimObject* s, hfError* error) {
  hfError first = {HF_OK, ""}, next;
  hfStatus status = finish_recording(s, &first);
  if (hf_recorder_close(s->recorder, &next) < 0 && status >= 0) status = next.status, first = next;
  if (status < 0 && error) *error = first;
  s->recorder = NULL;
  if (s->state_log && hf_state_log_close(s->state_log, &next) < 0 && status == HF_OK) {
    status = next.status;
    if (error) *error = next;
  }
  s->state_log = NULL;
  if (s->contact_log && hf_contact_log_close(s->contact_log, &next) < 0 && status == HF_OK) {
    status = next.status;
    if (error) *error = next;
  }
  s->contact_log = NULL;
  return status;
}

static hfStatus keep_last(SimObject* s, const hfState* state, hfError* error) {
  if (!s->last || hf_state_copy(s->last, state, NULL) < 0) {
    hf_state_free(s->last);
    s->last = hf_state_clone(state);
  }
  s->last_in_sim = s->last != NULL;
  if (s->last) return HF_OK;
  *error = (hfError){.status = HF_ERROR_MEMORY, .message = "out of memory"};
  return HF_ERROR_MEMORY;
}

hfStatus sim_check_step(const SimObject* s, const hfState* state, hfError* error) {
  hfStatus status = HF_OK;
  if (s->html) status = hf_report_check(s->html, state, error);
  if (s->recorder && status >= 0) status = hf_recorder_check(s->recorder, state, error);
  return status;
}

hfStatus sim_write_step(SimObject* s, const hfState* state, const hfInput* input, hfError* error) {
  hfStatus status = HF_OK;
  if (s->html || s->recorder) status = keep_last(s, state, error);
  if (status < 0) return status;
  if (s->html) status = hf_report_add(s->html, s->sim, state, input, &s->report, error);
  if (s->recorder && status >= 0) status = hf_recorder_add(s->recorder, s->sim, state, input, &s->report, error);
  if (s->state_log && status >= 0) status = hf_state_log_add_step(s->state_log, s->sim, state, error);
  if (s->contact_log && status >= 0) status = hf_contact_log_add(s->contact_log, s->sim, state->time, error);
  return status;
}

void sim_keep_input(SimObject* s, PyObject* input) {
  PyObject* before = s->last_input;
  s->last_input = Py_XNewRef(input);
  Py_XDECREF(before);
}

hfStatus sim_write_start(SimObject* s, const hfState* state, const hfInput* input, hfError* error) {
  hfStatus status = hf_sim_evaluate(s->sim, state, input, error); // contacts of another state are gone then
  if (status < 0) return status;
  if (s->html && s->html_begins) status = hf_report_add(s->html, s->sim, state, input, NULL, error);
  if (s->recorder && s->recorder_begins && status >= 0) status = hf_recorder_add(s->recorder, s->sim, state, input, NULL, error);
  s->html_begins = s->recorder_begins = 0;
  return status;
}

// Checks that a file can be attached to the sim. Raises an exception and returns -1 while the sim steps, or if it already writes such a file.
static int check_attachable(SimObject* s, int attached, const char* what) {
  if (s->busy) return claim(&(int){1}, "sim"), -1;
  if (attached) return PyErr_Format(PyExc_RuntimeError, "this sim already writes %s: stop it first", what), -1;
  return 0;
}

// Parses the only argument, the path of a file to attach. Returns NULL, with an exception, if it is no path or the file cannot be attached.
static const char* parse_attachable_path(SimObject* s, PyObject* args, int attached, const char* what) {
  const char* path;
  return PyArg_ParseTuple(args, "s", &path) && check_attachable(s, attached, what) == 0 ? path : NULL;
}

PyObject* sim_record(PyObject* self, PyObject* args) {
  const char* path;
  double interval;
  SimObject* s = (SimObject*)self;
  hfError error;
  if (!PyArg_ParseTuple(args, "sd", &path, &interval) || check_attachable(s, s->recorder != NULL, "a recording") < 0) return NULL;
  if (hf_recorder_open(&s->recorder, path, hf_sim_model(s->sim), "", &error) < 0) return raise_error(&error);
  hf_recorder_set_interval(s->recorder, interval);
  s->recorder_begins = 1;
  Py_RETURN_NONE;
}

PyObject* sim_log_states(PyObject* self, PyObject* args) {
  enum { MOST_BODIES = 64 };
  const char *path, *body[MOST_BODIES];
  PyObject* bodies;
  SimObject* s = (SimObject*)self;
  hfStateLogConfig config = hf_state_log_config_default();
  hfError error;
  if (!PyArg_ParseTuple(args, "sppO!", &path, &config.actuator_forces, &config.sensors, &PyList_Type, &bodies) ||
      check_attachable(s, s->state_log != NULL, "states") < 0)
    return NULL;
  Py_ssize_t n = PyList_Size(bodies);
  if (n > MOST_BODIES) return PyErr_Format(PyExc_ValueError, "bodies: at most %d", MOST_BODIES);
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!(body[i] = text_of(PyList_GetItem(bodies, i)))) return NULL;
  config.body = body, config.body_count = (int)n;
  if (hf_state_log_open_columns(&s->state_log, path, hf_sim_model(s->sim), &config, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

PyObject* sim_log_contacts(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  hfError error;
  const char* path = parse_attachable_path(s, args, s->contact_log != NULL, "contacts");
  if (!path) return NULL;
  if (hf_contact_log_open(&s->contact_log, path, hf_sim_model(s->sim), &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

PyObject* sim_give_up(PyObject* self, PyObject* args) {
  int recording, states;
  SimObject* s = (SimObject*)self;
  if (!PyArg_ParseTuple(args, "pp", &recording, &states)) return NULL;
  if (recording) hf_recorder_discard(s->recorder), s->recorder = NULL;
  if (states) hf_state_log_discard(s->state_log), s->state_log = NULL;
  Py_RETURN_NONE;
}

static hfStatus open_report(SimObject* s, const char* path, hfError* error) {
  hfStatus status = hf_report_open(&s->html, path, hf_sim_model(s->sim), error);
  s->html_begins = status >= 0;
  return status;
}

PyObject* sim_begin_report(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  hfError error;
  const char* path = parse_attachable_path(s, args, s->html != NULL, "a report");
  if (!path) return NULL;
  if (open_report(s, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

PyObject* sim_detach(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  hfError error;
  if (s->busy) return claim(&(int){1}, "sim"), NULL;
  if (sim_close_files(s, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

PyObject* sim_leave_files(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  s->recorder = NULL, s->state_log = NULL, s->contact_log = NULL, s->html = NULL; // to close or discard them would write or remove the files
  Py_RETURN_NONE;
}

PyObject* sim_close_report(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  const char *title, *path;
  PyObject* list;
  hfError error, again;
  hfReportLine lines[32];
  if (!PyArg_ParseTuple(args, "sO!s", &title, &PyList_Type, &list, &path)) return NULL;
  if (s->busy) return claim(&(int){1}, "sim"), NULL;
  if (!s->html) return PyErr_SetString(PyExc_RuntimeError, "no report is being made"), NULL;
  int n = (int)PyList_Size(list);
  if (n > 32) return PyErr_SetString(PyExc_ValueError, "at most 32 lines"), NULL;
  for (int i = 0; i < n; ++i)
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &lines[i].name, &lines[i].value)) return NULL;
  hfStatus finished = finish_report(s, &error);
  hfStatus status = hf_report_close(s->html, title, lines, n, finished < 0 ? NULL : &error);
  s->html = NULL;
  hfStatus opened = open_report(s, path, &again); // also where this one could not be written
  if (finished < 0 || status < 0 || opened < 0) return raise_error(finished < 0 || status < 0 ? &error : &again);
  Py_RETURN_NONE;
}
