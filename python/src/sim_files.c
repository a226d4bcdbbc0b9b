// The files that a sim writes while it steps: a recording, logs of states and contacts, a report.
//
// A recording and a report also show the end of the run, with results such as contact forces. So the sim object keeps
// the last state that was written (`last`) and its input, and evaluates them again if the sim has gone elsewhere.
#include "sim_files.h"

// ---- while the sim steps ---------------------------------------------------------------------------------

// 1 if a step is written to any file.
int sim_has_files(const SimObject* s) { return s->html || s->recorder || s->state_log || s->contact_log; }

// Keeps a copy of a state as the last one that was written, whose results the sim has.
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

// Refuses a state that cannot be the start of a step of the run that is being written.
hfStatus sim_check_step(const SimObject* s, const hfState* state, hfError* error) {
  hfStatus status = HF_OK;
  if (s->html) status = hf_report_check(s->html, state, error);
  if (s->recorder && status >= 0) status = hf_recorder_check(s->recorder, state, error);
  return status;
}

// Writes the step that was just taken to all files, up to the first that fails. Reads the sim's results and report.
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

// Remembers the input of the last step that was written; NULL: it had none.
void sim_keep_input(SimObject* s, PyObject* input) {
  PyObject* before = s->last_input;
  s->last_input = Py_XNewRef(input);
  Py_XDECREF(before);
}

// Writes the start to a recording or report that has none yet.
hfStatus sim_write_start(SimObject* s, const hfState* state, const hfInput* input, hfError* error) {
  hfStatus status = hf_sim_evaluate(s->sim, state, input, error); // contacts of another state are gone then
  if (status < 0) return status;

  if (s->html && s->html_begins) status = hf_report_add(s->html, s->sim, state, input, NULL, error);
  if (s->recorder && s->recorder_begins && status >= 0)
    status = hf_recorder_add(s->recorder, s->sim, state, input, NULL, error);

  s->html_begins = 0;
  s->recorder_begins = 0;
  return status;
}

// ---- the end of the files --------------------------------------------------------------------------------

// The input of the last step that was written, or NULL.
static const hfInput* last_input(const SimObject* s) {
  return s->last_input ? ((InputObject*)s->last_input)->input : NULL;
}

// Evaluates the last state that was written, if the sim has the results of another one.
static hfStatus recall_last(SimObject* s, hfError* error) {
  if (s->last_in_sim) return HF_OK;

  hfStatus status = hf_sim_evaluate(s->sim, s->last, last_input(s), error);
  s->last_in_sim = status >= 0;
  return status;
}

// Writes the end of the run to the recording, if there are a recording and a step.
static hfStatus finish_recording(SimObject* s, hfError* error) {
  if (!s->recorder || !s->last) return HF_OK;

  hfStatus status = recall_last(s, error);
  if (status < 0) return status;
  return hf_recorder_finish(s->recorder, s->sim, s->last, last_input(s), error);
}

// Writes the end of the run to the report, if there is a step.
static hfStatus finish_report(SimObject* s, hfError* error) {
  if (!s->last) return HF_OK;

  hfStatus status = recall_last(s, error);
  if (status < 0) return status;
  return hf_report_finish(s->html, s->sim, s->last, last_input(s), error);
}

// Writes the end of the run and closes all files but the report. Every file is closed; *error and the status returned
// are those of the first trouble.
hfStatus sim_close_files(SimObject* s, hfError* error) {
  hfError first = {HF_OK, ""};
  hfError next;
  hfStatus status = finish_recording(s, &first);

  // finish_recording writes the end of the run; then each file is closed, and the first error is kept
  if (hf_recorder_close(s->recorder, &next) < 0 && status >= 0) {
    status = next.status;
    first = next;
  }
  if (s->state_log && hf_state_log_close(s->state_log, &next) < 0 && status >= 0) {
    status = next.status;
    first = next;
  }
  if (s->contact_log && hf_contact_log_close(s->contact_log, &next) < 0 && status >= 0) {
    status = next.status;
    first = next;
  }

  s->recorder = NULL;
  s->state_log = NULL;
  s->contact_log = NULL;
  if (status < 0 && error) *error = first;
  return status;
}

// ---- methods of Sim --------------------------------------------------------------------------------------

// Checks that a file can be attached to the sim. Refuses while the sim steps, and if it already writes such a file.
static int check_attachable(const SimObject* s, int attached, const char* what) {
  if (s->busy) {
    raise_busy("sim");
    return -1;
  }

  if (attached) return refuse(PyExc_RuntimeError, "this sim already writes %s: stop it first", what);
  return 0;
}

// Parses the only argument, the path of a file to attach. Returns NULL, with an exception, if it is not a path or the
// file cannot be attached.
static const char* parse_attachable_path(const SimObject* s, PyObject* args, int attached, const char* what) {
  const char* path;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  return check_attachable(s, attached, what) == 0 ? path : NULL;
}

// _record(path, interval [s]): begins a recording.
PyObject* sim_record(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  const char* path;
  double interval;
  hfError error;
  if (!PyArg_ParseTuple(args, "sd", &path, &interval)) return NULL;
  if (check_attachable(s, s->recorder != NULL, "a recording") < 0) return NULL;

  if (hf_recorder_open(&s->recorder, path, hf_sim_model(s->sim), "", &error) < 0) return raise_error(&error);

  hf_recorder_set_interval(s->recorder, interval);
  s->recorder_begins = 1;
  Py_RETURN_NONE;
}

// _log_states(path, actuator_forces, sensors, [name of a body, ...]): begins a log of states.
PyObject* sim_log_states(PyObject* self, PyObject* args) {
  enum { MAX_BODIES = 64 };
  SimObject* s = (SimObject*)self;
  const char* path;
  const char* body[MAX_BODIES];
  PyObject* bodies;
  hfStateLogConfig config = hf_state_log_config_default();
  hfError error;

  if (!PyArg_ParseTuple(args, "sppO!", &path, &config.actuator_forces, &config.sensors, &PyList_Type, &bodies))
    return NULL;
  if (check_attachable(s, s->state_log != NULL, "states") < 0) return NULL;

  Py_ssize_t n = PyList_Size(bodies);
  if (n > MAX_BODIES) return PyErr_Format(PyExc_ValueError, "bodies: at most %d", MAX_BODIES);
  for (Py_ssize_t i = 0; i < n; ++i) {
    body[i] = text_of(PyList_GetItem(bodies, i));
    if (!body[i]) return NULL;
  }

  config.body = body;
  config.body_count = (int)n;

  if (hf_state_log_open_columns(&s->state_log, path, hf_sim_model(s->sim), &config, &error) < 0)
    return raise_error(&error);
  Py_RETURN_NONE;
}

// _log_contacts(path): begins a log of contacts.
PyObject* sim_log_contacts(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  hfError error;
  const char* path = parse_attachable_path(s, args, s->contact_log != NULL, "contacts");
  if (!path) return NULL;

  if (hf_contact_log_open(&s->contact_log, path, hf_sim_model(s->sim), &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _give_up(recording, states): closes what was opened; older files stay as they were.
PyObject* sim_give_up(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  int recording;
  int states;

  if (!PyArg_ParseTuple(args, "pp", &recording, &states)) return NULL;

  if (recording) {
    hf_recorder_discard(s->recorder);
    s->recorder = NULL;
  }
  if (states) {
    hf_state_log_discard(s->state_log);
    s->state_log = NULL;
  }
  Py_RETURN_NONE;
}

// Opens a report, whose start is still to be written.
static hfStatus open_report(SimObject* s, const char* path, hfError* error) {
  hfStatus status = hf_report_open(&s->html, path, hf_sim_model(s->sim), error);
  s->html_begins = status >= 0;
  return status;
}

// _begin_report_file(path)
PyObject* sim_begin_report(PyObject* self, PyObject* args) {
  SimObject* s = (SimObject*)self;
  hfError error;
  const char* path = parse_attachable_path(s, args, s->html != NULL, "a report");
  if (!path) return NULL;

  if (open_report(s, path, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _detach(): writes the end of the run and closes all files but the report.
PyObject* sim_detach(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  hfError error;

  if (s->busy) return raise_busy("sim");
  if (sim_close_files(s, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _leave_files(): forgets all files. To close or discard them would write or remove the files of the other process.
PyObject* sim_leave_files(PyObject* self, PyObject* none) {
  (void)none;
  SimObject* s = (SimObject*)self;
  s->recorder = NULL;
  s->state_log = NULL;
  s->contact_log = NULL;
  s->html = NULL;
  Py_RETURN_NONE;
}

// _close_report(title, [(name, value), ...], path): writes the report with these lines and opens the next one, also if
// this one could not be written.
PyObject* sim_close_report(PyObject* self, PyObject* args) {
  enum { MAX_LINES = 32 };
  SimObject* s = (SimObject*)self;
  const char* title;
  const char* path;
  PyObject* list;
  hfReportLine lines[MAX_LINES];

  if (!PyArg_ParseTuple(args, "sO!s", &title, &PyList_Type, &list, &path)) return NULL;
  if (s->busy) return raise_busy("sim");
  if (!s->html) return PyErr_Format(PyExc_RuntimeError, "no report is being made");

  int n = (int)PyList_Size(list);
  if (n > MAX_LINES) return PyErr_Format(PyExc_ValueError, "at most %d lines", MAX_LINES);
  for (int i = 0; i < n; ++i)
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &lines[i].name, &lines[i].value)) return NULL;

  hfError writing;
  hfStatus finished = finish_report(s, &writing);
  // an error of the end of the run is not replaced by one of closing
  hfStatus closed = hf_report_close(s->html, title, lines, n, finished < 0 ? NULL : &writing);
  s->html = NULL;

  hfError opening;
  hfStatus opened = open_report(s, path, &opening);

  if (finished < 0 || closed < 0) return raise_error(&writing);
  if (opened < 0) return raise_error(&opening);
  Py_RETURN_NONE;
}
