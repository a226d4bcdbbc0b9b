// Writes a recording to a file, whole chunks at a time.
#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "io/record/stream.h"

#include <stdlib.h>
#include <string.h>

// The file is written when this time has passed [s] or this many bytes wait, because a call of the system costs as much
// as a small step. A killed process loses no more than that.
static const double FLUSH_TIME = 0.1;
enum { FLUSH_BYTES = 256 << 10 };

struct hfRecorder {
  hfiOutput out;
  hfiStream stream;
  char* scene;       // its name, until the head is written
  double flush_time; // when the file was written last, on a monotonic clock [s]
};

// Opens a recording. Its head is written with the first step.
hfStatus hf_recorder_open(hfRecorder** recorder, const char* path, const hfModel* model, const char* scene,
                          hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfRecorder* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;

  made->scene = strdup(scene);
  if (!made->scene) status = hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  if (status == HF_OK) status = hfi_stream_open(&made->stream, model, error);

  if (status == HF_OK) {
    *recorder = made;
  } else {
    free(made->scene);
    hfi_output_abandon(made);
  }
  return status;
}

// Writes the head, unless it is written: with the parameters that an overlay has when the run starts.
static hfStatus write_head(hfRecorder* recorder, hfError* error) {
  if (!recorder->scene) return HF_OK;
  hfStatus status = hfi_stream_take_parameters(&recorder->stream, error);
  if (status != HF_OK) return status;
  hfi_stream_head(&recorder->stream, recorder->scene, &recorder->out.piece);
  free(recorder->scene);
  recorder->scene = NULL;
  return HF_OK;
}

void hf_recorder_set_interval(hfRecorder* recorder, double interval) {
  recorder->stream.interval = interval;
}

hfStatus hf_recorder_check(const hfRecorder* recorder, const hfState* state, hfError* error) {
  hfi_clear_error(error);
  return hfi_stream_check_step(&recorder->stream, state, "a recording", error);
}

// Records a step. The file is written from time to time only. step: NULL at the start of a run.
hfStatus hf_recorder_add(hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input,
                         const hfStepReport* step, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_recorder_check(recorder, state, error);
  if (status == HF_OK) status = write_head(recorder, error);
  if (status != HF_OK) return status;

  double now = hfi_clock();
  hfi_stream_step(&recorder->stream, sim, state, input, step, now, &recorder->out.piece);

  if (!step) return HF_OK; // The start is written with the first step.
  if (now - recorder->flush_time < FLUSH_TIME && recorder->out.piece.size < FLUSH_BYTES) return HF_OK;
  recorder->flush_time = now;
  return hfi_output_flush(&recorder->out, error);
}

// Records the last steps of a run as a frame, if there are some since the last one.
hfStatus hf_recorder_finish(hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input,
                            hfError* error) {
  hfi_clear_error(error);
  if (recorder->stream.sums.steps == 0) return HF_OK;
  hfStatus status = hfi_stream_check_time(&recorder->stream, state, "a recording", error);
  if (status != HF_OK) return status;
  hfi_stream_frame(&recorder->stream, sim, state, input, hfi_clock(), &recorder->out.piece);
  return hfi_output_flush(&recorder->out, error);
}

// Records a frame, whether or not one is due.
hfStatus hf_recorder_add_frame(hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input,
                               hfError* error) {
  hfi_clear_error(error);
  hfStatus status = write_head(recorder, error);
  if (status != HF_OK) return status;
  hfi_stream_frame(&recorder->stream, sim, state, input, hfi_clock(), &recorder->out.piece);
  return hfi_output_flush(&recorder->out, error);
}

// Records the lines of a summary.
hfStatus hf_recorder_figures(hfRecorder* recorder, const hfReportLine* lines, int count, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = write_head(recorder, error);
  if (status != HF_OK) return status;
  hfi_stream_figures(lines, count, &recorder->out.piece);
  return hfi_output_flush(&recorder->out, error);
}

// Writes what is missing and closes the file. A recorder without steps writes its head only.
hfStatus hf_recorder_close(hfRecorder* recorder, hfError* error) {
  hfi_clear_error(error);
  if (!recorder) return HF_OK;

  hfStatus status = write_head(recorder, error);
  if (status != HF_OK) {
    hf_recorder_discard(recorder);
    return status;
  }

  hfi_stream_close(&recorder->stream);
  return hfi_output_destroy(recorder, error);
}

// Closes the file without writing what is missing.
void hf_recorder_discard(hfRecorder* recorder) {
  if (recorder) {
    hfi_stream_close(&recorder->stream);
    free(recorder->scene);
  }
  hfi_output_abandon(recorder);
}
