// The sensors of a sim.
#include "sim/sensor.h"
#include "sim/sim.h"

void hfi_sim_sense(hfSim* s, const hfState* state, const hfInput* in) {
  hfiWorld* w = s->world;
  const double* q = hf_state_q(state);
  int ncontact = s->stepped ? hf_sim_contact_count(s) : 0;
  hfi_world_complete(w);
  hf_dynamics_velocity(&w->dynamics, hf_state_v(state));
  hf_actuation_update(&w->actuation, &w->dynamics, q);
  for (int i = 0; i < ncontact; ++i) s->contact[i] = hf_sim_contact(s, i);
  hfiSensorInput x = {.dynamics = &w->dynamics,
                      .actuation = &w->actuation,
                      .time = state->time,
                      .q = q,
                      .vdot = s->acceleration,
                      .constraint = s->stepped ? &s->constraint : NULL,
                      .wrench = in ? in->wrench : NULL,
                      .contact = s->contact,
                      .visible = s->visible,
                      .ncontact = ncontact};
  hfi_sensors(&x, s->sensor);
  hfi_add_noise(s->model, s->config.noise_seed, state->time, s->sensor);
}
