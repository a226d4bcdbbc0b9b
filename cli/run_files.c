// Files that a run writes.
#include "run.h"

// There is no report before the first step: this frame shows the start.
static hfStatus record_step(const run* r, const hfStepReport* report, outputs* out,
                            hfError* error) {
  if (!out->recorder) return HF_OK;
  return hf_recorder_add(out->recorder, r->sim, r->state, r->input, report, error);
}

hfStatus open_outputs(const runOptions* o, const run* r, outputs* out, hfError* error) {
  hfStatus status = HF_OK;
  if (o->log) status = hf_state_log_open_columns(&out->log, o->log, r->model, &o->log_columns, error);
  if (status == HF_OK && o->steps) status = hf_step_log_open(&out->steps, o->steps, error);
  if (status == HF_OK && o->contacts)
    status = hf_contact_log_open(&out->contacts, o->contacts, r->model, error);
  if (status == HF_OK && o->record)
    status = hf_recorder_open(&out->recorder, o->record, r->model, r->scene, error);
  if (status == HF_OK && o->report)
    status = hf_report_open(&out->report, o->report, r->model, error);
  if (out->recorder) hf_recorder_set_interval(out->recorder, o->record_interval);
  if (status == HF_OK && out->report) status = hf_report_add(out->report, r->sim, r->state, r->input, NULL, error);
  return status == HF_OK ? record_step(r, NULL, out, error) : status;
}

hfStatus write_outputs(const run* r, const hfStepReport* report, outputs* out, hfError* error) {
  hfStatus status = HF_OK;
  if (out->log) status = hf_state_log_add_step(out->log, r->sim, r->state, error);
  if (status == HF_OK && out->steps) status = hf_step_log_add(out->steps, r->state->time, report, error);
  if (status == HF_OK && out->contacts)
    status = hf_contact_log_add(out->contacts, r->sim, r->state->time, error);
  if (status == HF_OK) status = record_step(r, report, out, error);
  if (status == HF_OK && out->report) status = hf_report_add(out->report, r->sim, r->state, r->input, report, error);
  return status;
}

void discard_outputs(outputs* out) {
  hf_state_log_discard(out->log);
  hf_step_log_discard(out->steps);
  hf_contact_log_discard(out->contacts);
  hf_recorder_discard(out->recorder);
  hf_report_discard(out->report);
}

// The recording and the report end with the last state. After a step that was refused its contacts are looked up again.
static hfStatus finish_outputs(const run* r, outputs* out, hfError* error) {
  hfStatus status = r->refused && (out->recorder || out->report) ? hf_sim_evaluate(r->sim, r->state, r->input, error) : HF_OK;
  if (status == HF_OK && out->recorder) status = hf_recorder_finish(out->recorder, r->sim, r->state, r->input, error);
  if (status == HF_OK && out->recorder) status = record_figures(r, out->recorder, error);
  if (status == HF_OK && out->report) status = hf_report_finish(out->report, r->sim, r->state, r->input, error);
  return status;
}

int close_outputs(const run* r, outputs* out) {
  hfError error[4], unfinished = {HF_OK, ""};
  hfStatus finished = finish_outputs(r, out, &unfinished);
  int status = CLI_GOOD;
  hfStatus closed[4] = {hf_state_log_close(out->log, &error[0]), hf_contact_log_close(out->contacts, &error[1]),
                        hf_step_log_close(out->steps, &error[2]), hf_recorder_close(out->recorder, &error[3])};
  for (int i = 0; i < 4; ++i)
    if (closed[i] != HF_OK) say_error("%s", error[i].message), status = CLI_FAILED;
  if (out->report && close_report(r, out->report) != CLI_GOOD) status = CLI_FAILED;
  if (finished == HF_OK || status != CLI_GOOD) return status; // What cannot be written is said when it is closed.
  say_error("%s", unfinished.message);
  return CLI_FAILED;
}
