// The chunks of a recording, made one step at a time: for files, reports, the live view and the page.
#ifndef HFI_RECORD_STREAM_H
#define HFI_RECORD_STREAM_H

#include "record/chunk.h"
#include "base/bytes.h"

#include <holdfast/record.h>

typedef struct hfiStream {
  const hfModel* model;
  hfModel* block;       // the block that is recorded where model is an overlay, else NULL
  hfDynamics* dynamics; // kinematics and energy of the recorded states
  hfEvents* events;
  int32_t seen_contacts, seen_stick, seen_rung; // of the step before
  double interval;       // between frames [s]
  double state_interval; // between states to go on from [s]
  double next_frame, next_state;
  double time;           // of the last step [s]
  int32_t started;       // the run is described
  int32_t has_controls;  // controls below are those in force
  double* controls;      // (nu) that the last chunk holds
  // since the last frame
  int32_t steps, iterations, rung, nstick;
  hfStatus status;
  double residual, coupled_residual, max_depth;
  double wall; // wall clock at the last frame [s]
} hfiStream;

// The model must outlive the stream.
hfStatus hfi_stream_open(hfiStream* stream, const hfModel* model, hfError* error);
void hfi_stream_close(hfiStream* stream);

// Header, scene, model block and model index.
void hfi_stream_head(const hfiStream* stream, const char* scene, hfiBytes* out);
// Refuses a state from before the last one: frames would be left out until the time comes again. what: "a recording" or "a report".
hfStatus hfi_stream_check_time(const hfiStream* stream, const hfState* state, const char* what, hfError* error);
// After a step: events, controls and, when one is due, a frame. wall: a monotonic clock [s].
void hfi_stream_step(hfiStream* stream, const hfSim* sim, const hfState* state, const hfInput* input,
                     const hfStepReport* step, double wall, hfiBytes* out);
// A frame, whether or not one is due.
void hfi_stream_frame(hfiStream* stream, const hfSim* sim, const hfState* state,
                      const hfInput* input, double wall, hfiBytes* out);
// A state to go on from.
void hfi_stream_state(const hfModel* model, const hfState* state, const hfInput* input,
                      hfiBytes* out);
// What the run is: version, method, options.
void hfi_stream_run(const hfSim* sim, hfiBytes* out);
void hfi_stream_figures(const hfReportLine* lines, int count, hfiBytes* out);

#endif
