// The log of steps: one row of CSV for each step of a sim, with what was solved and how long the steps inside were
// (docs/reference/command.md).
#include "base/error.h"
#include "base/output.h"

#include <holdfast/record.h>

struct hfStepLog {
  hfiOutput out;
};

hfStatus hf_step_log_open(hfStepLog** log, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfStepLog* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;
  hfi_output_print(&made->out, "time,status,iterations,residual,steps,rejected,evaluations,smallest,last,error,equality_distance,equality_angle,limit_distance,"
                               "limit_angle\n");
  *log = made;
  return HF_OK;
}

hfStatus hf_step_log_add(hfStepLog* log, double time, const hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  const hfIntegratorReport* c = &report->continuous;
  const hfViolations* v = &report->violation;
  hfi_output_print(&log->out, "%.17g,%d,%d,%.6g,%lld,%lld,%lld,%.17g,%.17g,%.6g,%.6g,%.6g,%.6g,%.6g\n", time, report->status, report->solve.iterations,
                   report->solve.residual, (long long)c->steps, (long long)c->rejected, (long long)c->evaluations, c->smallest,
                   c->last, c->error, v->equality_distance.amount, v->equality_angle.amount, v->limit_distance.amount, v->limit_angle.amount);
  return hfi_output_flush(&log->out, error);
}

hfStatus hf_step_log_close(hfStepLog* log, hfError* error) {
  hfi_clear_error(error);
  return hfi_output_destroy(log, error);
}

void hf_step_log_discard(hfStepLog* log) { hfi_output_abandon(log); }
