// The files that a sim writes while it steps: a recording, logs of states and contacts, a report.
#ifndef HF_PYTHON_SIM_FILES_H
#define HF_PYTHON_SIM_FILES_H

#include "core.h"

// 1 if a step is written to any file.
int sim_has_files(const SimObject* s);
// Writes the end of the run and closes all files but the report. error NULL: closes them and reports no trouble.
hfStatus sim_close_files(SimObject* s, hfError* error);
// Refuses a state that cannot be the start of a step of the run that is being written.
hfStatus sim_check_step(const SimObject* s, const hfState* state, hfError* error);
// Writes the step that was just taken to all files.
hfStatus sim_write_step(SimObject* s, const hfState* state, const hfInput* input, hfError* error);
// Remembers the input of the last step that was written; NULL: it had none.
void sim_keep_input(SimObject* s, PyObject* input);
// Writes the start to a recording or report that has none yet.
hfStatus sim_write_start(SimObject* s, const hfState* state, const hfInput* input, hfError* error);

// Methods of Sim.

// _record(path, interval [s])
PyObject* sim_record(PyObject* self, PyObject* args);
// _log_states(path, actuator_forces, sensors, [name of a body, ...])
PyObject* sim_log_states(PyObject* self, PyObject* args);
// _log_contacts(path)
PyObject* sim_log_contacts(PyObject* self, PyObject* args);
// _give_up(recording, states): closes what was opened; older files stay as they were
PyObject* sim_give_up(PyObject* self, PyObject* args);
// _begin_report_file(path)
PyObject* sim_begin_report(PyObject* self, PyObject* args);
// _detach(): sim_close_files
PyObject* sim_detach(PyObject* self, PyObject* none);
// _leave_files(): in a forked process, leaves all files to the process that opened them
PyObject* sim_leave_files(PyObject* self, PyObject* none);
// _close_report(title, [(name, value), ...], path): writes the report; `path` is where the next one goes
PyObject* sim_close_report(PyObject* self, PyObject* args);

#endif
