// A world that somebody watches and changes while it runs: behind the live view, and inside the page.
//
// One thread owns a session. It steps, answers commands and gives out frames as chunks of a recording.
#ifndef HFI_LIVE_SESSION_H
#define HFI_LIVE_SESSION_H

#include "io/live/command.h"
#include "io/live/history.h"
#include "io/record/stream.h"

typedef struct hfiDrag {
  int32_t body; // -1: nothing is dragged
  hfVec3 p_B;   // the point that is held, in the body [m]
  hfVec3 target_W;
  double stiffness, damping; // [N/m], [N s/m]
} hfiDrag;

typedef struct hfiSession {
  const hfModel* base; // the model as it was read
  hfParams* params;    // NULL until a value is changed
  hfSimConfig config;
  hfSim* sim;
  hfState *state, *start;
  hfInput *input, *start_input; // mocap poses, controls and the drag's wrench
  double* base_controls; // (nu) controls that act if the user sets none; NaN: the scene's signal acts
  double* held;          // (nu) controls that the user holds; NaN: none
  double scale[HFI_SCALES];
  hfiDrag drag;
  hfDynamics* dynamics; // kinematics that find the dragged point
  hfiStream stream;
  hfiHistory history;
  int32_t playing; // 1: time goes on
  int32_t pending; // single steps to take
  double speed;    // simulated time over wall time
  double debt;     // simulated time that is due [s]
  hfStatus status; // status of the last step; < 0: it was refused, and the session stands still
  hfError error;
  uint64_t steps;
} hfiSession;

// start and input are copied. history_time: how far one can go back [s]. The model must outlive the session.
hfStatus hfi_session_open(hfiSession* session, const hfModel* model, const hfSimConfig* config,
                          const hfState* start, const hfInput* input, double history_time, hfError* error);
void hfi_session_close(hfiSession* session);

// Executes a command. A refusal changes nothing.
hfStatus hfi_session_command(hfiSession* session, const hfiCommand* command, hfError* error);
// Takes one step and notes its events in `out`.
hfStatus hfi_session_step(hfiSession* session, hfiBytes* out);
// Steps as many times as `wall` seconds of the clock allow at the session's speed, while there is time left in `budget`
// [s]; simulated time for which the budget is too short is dropped. Single steps for which it is too short stay
// pending.
void hfi_session_advance(hfiSession* session, double wall, double budget, hfiBytes* out);
// Adds a frame of the present to `out` and to the history.
void hfi_session_frame(hfiSession* session, double wall, hfiBytes* out);
// Adds a state chunk of the present to `out`.
void hfi_session_state(hfiSession* session, hfiBytes* out);
// Continues from a state of a recording (the payload of its chunk). with_controls: 1 with the recorded controls, 0 with
// the present ones.
hfStatus hfi_session_restore(hfiSession* session, const void* payload, size_t size,
                             int with_controls, hfError* error);
// Writes the history as a recording.
void hfi_session_recording(hfiSession* session, const char* scene, hfiBytes* out);

#endif
