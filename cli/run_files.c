// Files that a run writes.
#include "run.h"

// Adds a frame to the recording. report NULL: of the start, before which there is no step.
static hfStatus record_step(const run* r, const hfStepReport* report, outputs* out, hfError* error) {
  if (!out->recorder) return HF_OK;
  return hf_recorder_add(out->recorder, r->sim, r->state, r->input, report, error);
}

// Opens the files that the options name, and writes the start to the report and the recording.
hfStatus open_outputs(const runOptions* o, const run* r, outputs* out, hfError* error) {
  hfStatus status = HF_OK;
  if (o->log) status = hf_state_log_open_columns(&out->log, o->log, r->model, &o->log_columns, error);
  if (status == HF_OK && o->steps) status = hf_step_log_open(&out->steps, o->steps, error);
  if (status == HF_OK && o->contacts) status = hf_contact_log_open(&out->contacts, o->contacts, r->model, error);
  if (status == HF_OK && o->record) status = hf_recorder_open(&out->recorder, o->record, r->model, r->scene, error);
  if (status == HF_OK && o->report) status = hf_report_open(&out->report, o->report, r->model, error);

  if (out->recorder) hf_recorder_set_interval(out->recorder, o->record_interval);
  if (status == HF_OK && out->report) status = hf_report_add(out->report, r->sim, r->state, r->input, NULL, error);
  if (status != HF_OK) return status;
  return record_step(r, NULL, out, error);
}

// Writes the step that was just taken to all files, up to the first that fails.
hfStatus write_outputs(const run* r, const hfStepReport* report, outputs* out, hfError* error) {
  hfStatus status = HF_OK;
  if (out->log) status = hf_state_log_add_step(out->log, r->sim, r->state, error);
  if (status == HF_OK && out->steps) status = hf_step_log_add(out->steps, r->state->time, report, error);
  if (status == HF_OK && out->contacts) status = hf_contact_log_add(out->contacts, r->sim, r->state->time, error);
  if (status == HF_OK) status = record_step(r, report, out, error);
  if (status == HF_OK && out->report) status = hf_report_add(out->report, r->sim, r->state, r->input, report, error);
  return status;
}

// Gives up the files; older files of these names stay as they were.
void discard_outputs(outputs* out) {
  hf_state_log_discard(out->log);
  hf_step_log_discard(out->steps);
  hf_contact_log_discard(out->contacts);
  hf_recorder_discard(out->recorder);
  hf_report_discard(out->report);
}

// Writes the last state to the recording and the report. After a step that was refused, the sim evaluates that state
// first, because it has no results of it.
static hfStatus finish_outputs(const run* r, outputs* out, hfError* error) {
  hfStatus status = HF_OK;
  if (r->refused && (out->recorder || out->report)) status = hf_sim_evaluate(r->sim, r->state, r->input, error);

  if (status == HF_OK && out->recorder) status = hf_recorder_finish(out->recorder, r->sim, r->state, r->input, error);
  if (status == HF_OK && out->recorder) status = record_figures(r, out->recorder, error);
  if (status == HF_OK && out->report) status = hf_report_finish(out->report, r->sim, r->state, r->input, error);
  return status;
}

// Says an error, if there is one. Returns the exit status.
static int say_trouble(hfStatus status, const hfError* error) {
  if (status == HF_OK) return CLI_GOOD;
  say_error("%s", error->message);
  return CLI_FAILED;
}

// Writes the end of the run and closes all files, also after a failure. Returns the exit status.
int close_outputs(const run* r, outputs* out) {
  hfError unfinished = {HF_OK, ""};
  hfStatus finished = finish_outputs(r, out, &unfinished);

  hfError error = {HF_OK, ""};
  int status = CLI_GOOD;
  if (say_trouble(hf_state_log_close(out->log, &error), &error) != CLI_GOOD) status = CLI_FAILED;
  if (say_trouble(hf_contact_log_close(out->contacts, &error), &error) != CLI_GOOD) status = CLI_FAILED;
  if (say_trouble(hf_step_log_close(out->steps, &error), &error) != CLI_GOOD) status = CLI_FAILED;
  if (say_trouble(hf_recorder_close(out->recorder, &error), &error) != CLI_GOOD) status = CLI_FAILED;
  if (out->report && close_report(r, out->report) != CLI_GOOD) status = CLI_FAILED;

  // the file that could not be written has said so when it was closed
  return status == CLI_GOOD ? say_trouble(finished, &unfinished) : status;
}
