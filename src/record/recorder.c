// Writes a recording to a file: the chunks of a step go into it in one piece.
#include "record/output.h"
#include "base/error.h"
#include "record/stream.h"

#include <stdlib.h>
#include <time.h>

struct hfRecorder {
  hfiOutput out;
  hfiStream stream;
};

static double wall_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

hfStatus hf_recorder_open(hfRecorder** recorder, const char* path, const hfModel* model,
                          const char* scene, hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfRecorder* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;
  status = hfi_stream_open(&made->stream, model, error);
  if (status == HF_OK) {
    hfi_stream_head(&made->stream, scene, &made->out.piece);
    status = hfi_output_flush(&made->out, error);
    if (status != HF_OK) hfi_stream_close(&made->stream);
  }
  if (status == HF_OK)
    *recorder = made;
  else
    hfi_output_abandon(made);
  return status;
}

void hf_recorder_set_interval(hfRecorder* recorder, double interval) {
  recorder->stream.interval = interval;
}

hfStatus hf_recorder_add(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                         const hfInput* input, const hfStepReport* step, hfError* error) {
  hfi_clear_error(error);
  hfi_stream_step(&recorder->stream, sim, state, input, step, wall_clock(), &recorder->out.piece);
  return recorder->out.piece.size ? hfi_output_flush(&recorder->out, error) : HF_OK;
}

hfStatus hf_recorder_write(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                           const hfInput* input, hfError* error) {
  hfi_clear_error(error);
  hfi_stream_frame(&recorder->stream, sim, state, input, wall_clock(), &recorder->out.piece);
  return hfi_output_flush(&recorder->out, error);
}

hfStatus hf_recorder_figures(hfRecorder* recorder, const hfReportLine* lines, int count,
                             hfError* error) {
  hfi_clear_error(error);
  hfi_stream_figures(lines, count, &recorder->out.piece);
  return hfi_output_flush(&recorder->out, error);
}

hfStatus hf_recorder_close(hfRecorder* recorder, hfError* error) {
  hfi_clear_error(error);
  if (recorder) hfi_stream_close(&recorder->stream);
  return hfi_output_destroy(recorder, error);
}
