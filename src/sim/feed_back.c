// The controls of a step in a scene with feedback signals.
#include "sim/sim.h"

#include <math.h>

const hfInput* hfi_sim_feed_back(hfSim* s, const hfState* state, const hfInput* in) {
  if (!s->ctrl || !s->world->config.scene_signals) return in;
  s->input = in ? *in : (hfInput){0};
  for (int i = 0; i < s->model->nu; ++i) s->ctrl[i] = hf_model_actuator_signal(s->model)[i] >= 0 ? NAN : 0; // hfi_world_load reads signals of time later
  hf_signal_feedback(s->model, state->time, hf_state_q(state), hf_state_v(state), s->ctrl);
  for (int i = 0; i < s->model->nu; ++i)
    if (hfi_control_is_given(in, i)) s->ctrl[i] = in->ctrl[i];
  s->input.ctrl = s->ctrl;
  return &s->input;
}
