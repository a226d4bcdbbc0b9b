// The controls of a step in a scene with feedback signals.
#include "sim/inside.h"

#include <math.h>

// Returns the input of a step: the caller's, or in a scene with feedback signals a copy with the controls of these
// signals
// at the state. Controls that the caller gives come before signals. Writes s->input.ctrl and .with_ctrl.
const hfInput* hfi_sim_feed_back(hfSim* s, const hfState* state, const hfInput* in) {
  const hfModel* m = s->model;
  double* ctrl = s->input.ctrl;
  if (!ctrl || !s->world->config.scene_signals) return in;

  // hfi_world_load reads signals of time later
  for (int i = 0; i < m->nu; ++i) ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : 0;
  hf_signal_feedback(m, state->time, hf_state_q(state), hf_state_v(state), ctrl);
  for (int i = 0; i < m->nu; ++i)
    if (hfi_control_is_given(in, i)) ctrl[i] = in->ctrl[i];

  s->input.with_ctrl = in ? *in : (hfInput){0};
  s->input.with_ctrl.ctrl = ctrl;
  return &s->input.with_ctrl;
}
