// The chunks of a recording, made one step at a time: for files, reports, the live view and the page.
#ifndef HFI_RECORD_STREAM_H
#define HFI_RECORD_STREAM_H

#include "io/record/chunk.h"
#include "base/bytes.h"

#include <holdfast/record.h>

// What the steps since the last frame did.
typedef struct hfiFrameSums {
  int32_t steps, iterations;
  int32_t rung;                                 // the largest
  int32_t nstick;                               // of the last step
  hfStatus status;                              // the largest
  double residual, coupled_residual, max_depth; // the largest
} hfiFrameSums;

// What was seen in the step before, to find out whether a step may have events.
typedef struct hfiSeenStep {
  int32_t contacts, stick, rung;
} hfiSeenStep;

typedef struct hfiStream {
  const hfModel* source; // the model that the sim steps
  const hfModel* model;  // the model that is recorded: the source, or its copy
  hfModel* copy;         // the source with its values at the start of the run if it is an overlay, else NULL
  uint32_t revision;     // of the source's parameters in the copy
  hfDynamics* dynamics;  // kinematics and energy of the recorded states
  hfEvents* events;
  hfiSeenStep seen;

  double interval;       // time between frames [s]
  double state_interval; // time between states from which a run can continue [s]
  double next_frame, next_state; // times when they are due [s]
  double time;           // time of the last step [s]
  double wall;           // wall clock at the last frame [s]
  int32_t started;       // 1: the run is described
  int32_t has_controls;  // 1: `controls` are those that act
  double* controls;      // (nu) controls in the last chunk
  hfiFrameSums sums;
} hfiStream;

// The model must outlive the stream. Of an overlay the values at the start of the run are recorded.
hfStatus hfi_stream_open(hfiStream* stream, const hfModel* model, hfError* error);
void hfi_stream_close(hfiStream* stream);

// Writes the header, scene, model block and model index.
void hfi_stream_head(const hfiStream* stream, const char* scene, hfiBytes* out);
// Refuses a state that is earlier than the last one: there would be no frames until its time is reached again. what: "a
// recording" or "a report".
hfStatus hfi_stream_check_time(const hfiStream* stream, const hfState* state, const char* what, hfError* error);
// Refuses that, and a step with other parameters than those at the start of the run.
hfStatus hfi_stream_check_step(const hfiStream* stream, const hfState* state, const char* what, hfError* error);
// Must be called before the head is written and before the first step: takes the parameters that an overlay has now.
hfStatus hfi_stream_take_parameters(hfiStream* stream, hfError* error);
// Must be called after a step: adds events, controls and, if one is due, a frame. wall: a monotonic clock [s].
void hfi_stream_step(hfiStream* stream, const hfSim* sim, const hfState* state, const hfInput* input,
                     const hfStepReport* step, double wall, hfiBytes* out);
// Adds a frame, whether or not one is due.
void hfi_stream_frame(hfiStream* stream, const hfSim* sim, const hfState* state,
                      const hfInput* input, double wall, hfiBytes* out);
// Adds a state from which a run can continue.
void hfi_stream_state(const hfModel* model, const hfState* state, const hfInput* input,
                      hfiBytes* out);
// Describes the run: version, method, options.
void hfi_stream_run(const hfSim* sim, hfiBytes* out);
void hfi_stream_figures(const hfReportLine* lines, int count, hfiBytes* out);

#endif
