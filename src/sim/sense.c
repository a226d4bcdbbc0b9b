// The sensors of a sim.
#include "sim/sensor.h"
#include "sim/sim.h"

void hfi_sim_sense(hfSim* s, const hfState* state, const hfInput* in, const double* row_v) {
  const double* q = hf_state_q(state);
  hf_dynamics_velocity(&s->dynamics, hf_state_v(state));
  hf_actuation_update(&s->actuation, &s->dynamics, q);
  for (int i = 0; row_v && i < s->ncontact; ++i) s->result[i] = hf_sim_contact(s, i);
  hfiSensorInput x = {.dynamics = &s->dynamics,
                      .actuation = &s->actuation,
                      .time = state->time,
                      .q = q,
                      .vdot = s->acceleration,
                      .row_v = row_v,
                      .wrench = in ? in->wrench : NULL,
                      .contact = s->result,
                      .ncontact = row_v ? s->ncontact : 0};
  hfi_sensors(&x, s->sensor);
}
