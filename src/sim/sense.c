// The sensors of a sim. They measure at once, or, for the end of a step, only when somebody asks for their values.
#include "sim/inside.h"
#include "sim/sensor.h"

#include <string.h>

// A contact as sensors see it. Without a step its force is a guess from its overlap, which moves nothing: they see
// where it is, and no force.
static hfContact seen_contact(const hfSim* s, int i) {
  hfContact c = hf_sim_contact(s, i);
  if (s->stepped) return c;
  c.fn = 0;
  c.ft = v3_zero();
  c.torque = v3_zero();
  return c;
}

// Measures at the present poses of the world, with velocities v (nv), and with the wrenches (nbody) of the input, or
// NULL. Writes s->sensors.value and its list of contacts.
static void measure_sensors(const hfSim* s, double time, const double* v, const hfForce* wrench) {
  hfiWorld* w = s->world;
  int ncontact = hf_sim_contact_count(s);

  hfi_world_need(w, HFI_FRESH_PLACED);
  hf_dynamics_set_velocity(&w->dynamics, v);
  hf_actuation_update(&w->actuation, &w->dynamics, w->q);
  for (int i = 0; i < ncontact; ++i) s->sensors.contact[i] = seen_contact(s, i);

  // stepped: the results are those of a step; otherwise no constraint forces are known
  hfiSensorInput x = {.dynamics = &w->dynamics,
                      .actuation = &w->actuation,
                      .time = time,
                      .q = w->q,
                      .vdot = s->acceleration,
                      .constraint = s->stepped ? &s->constraint : NULL,
                      .wrench = wrench,
                      .contact = s->sensors.contact,
                      .visible = s->sensors.visible,
                      .ncontact = ncontact};
  hfi_sensors(&x, s->sensors.value);
  hfi_add_noise(s->model, s->config.noise_seed, time, s->sensors.value);
}

// Measures all sensors at a state where the world is. Writes s->sensors.value.
void hfi_sim_sense(hfSim* s, const hfState* state, const hfInput* in) {
  s->sensors.later->due = 0;
  measure_sensors(s, state->time, hf_state_v(state), in ? in->wrench : NULL);
}

// Notes that the sensors are due at the end of a step; hfi_sim_need_sensors measures them. Writes s->sensors.later and
// .later_v.
void hfi_sim_sense_later(hfSim* s, const hfState* state, const hfInput* in) {
  // wrenches of the input and rests of springs belong to the caller, who may change them before asking
  if (s->model->nrest || (in && in->wrench)) {
    hfi_sim_sense(s, state, in);
    return;
  }
  *s->sensors.later = (hfiLaterSense){.due = 1, .time = state->time};
  memcpy(s->sensors.later_v, hf_state_v(state), sizeof(double) * (size_t)s->model->nv);
}

// Measures the sensors if they are due. The velocities are those of the end of the step.
void hfi_sim_need_sensors(const hfSim* s) {
  if (!s->sensors.later->due) return;
  s->sensors.later->due = 0;
  measure_sensors(s, s->sensors.later->time, s->sensors.later_v, NULL);
}

const double* hf_sim_sensors(const hfSim* s) {
  hfi_sim_need_sensors(s);
  return s->sensors.value;
}
