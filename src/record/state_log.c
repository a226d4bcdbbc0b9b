// The state log: one row of CSV with time, q, v and u for each step (docs/reference/command.md).
#include "base/error.h"
#include "base/output.h"

#include <holdfast/record.h>

struct hfStateLog {
  hfiOutput out;
  int nq, nv, nu;
};

static void print_heads(hfiOutput* out, char symbol, int count) {
  for (int i = 0; i < count; ++i) hfi_output_print(out, ",%c[%d]", symbol, i);
}

static void print_values(hfiOutput* out, const double* x, int count) {
  for (int i = 0; i < count; ++i) hfi_output_print(out, ",%.17g", x[i]);
}

hfStatus hf_state_log_open(hfStateLog** log, const char* path, const hfModel* model,
                           hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfStateLog* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;
  made->nq = model->nq, made->nv = model->nv, made->nu = model->nu;
  hfi_output_print(&made->out, "time");
  print_heads(&made->out, 'q', made->nq);
  print_heads(&made->out, 'v', made->nv);
  print_heads(&made->out, 'u', made->nu);
  hfi_output_print(&made->out, "\n");
  *log = made;
  return HF_OK;
}

hfStatus hf_state_log_write(hfStateLog* log, const hfState* state, const double* ctrl,
                            hfError* error) {
  hfi_clear_error(error);
  hfi_output_print(&log->out, "%.17g", state->time);
  print_values(&log->out, hf_state_q(state), log->nq);
  print_values(&log->out, hf_state_v(state), log->nv);
  print_values(&log->out, ctrl, log->nu);
  hfi_output_print(&log->out, "\n");
  return hfi_output_flush(&log->out, error);
}

hfStatus hf_state_log_close(hfStateLog* log, hfError* error) {
  hfi_clear_error(error);
  return hfi_output_destroy(log, error);
}

void hf_state_log_discard(hfStateLog* log) { hfi_output_abandon(log); }
