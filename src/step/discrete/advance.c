// The end of a step: the state moves there, and its memory of contacts with it.
#include "step/discrete/discrete.h"

#include "linalg/dense.h"

#include <string.h>

// Stores the contacts of the step in the memory of the state, beside those of trees that sleep. Returns for how many there was no room.
static int store_memory(hfiDiscrete* s, hfState* state) {
  const hfiWorld* w = s->world;
  hfiContactStep step = {w->surfaces, s->config.step, w->X0_WB, w->dynamics.X_WB, w->near.contact, s->outcome, w->near.ncontact};
  if (s->sleep.count) return hfi_memory_store_beside(state, s->sleep.still, s->sleep.fresh, &step);
  return hfi_memory_store(state, &step);
}

// Moves q over the step. v (nv), the solution of the step problem, becomes the velocities at the end of the step, after the inertial motion of trees
// that fly.
static void move_coordinates(hfiDiscrete* s, const hfInput* in, hfStepReport* report, double* q, double* v) {
  const double* stop_time = hfi_discrete_find_stops(s, report);

  if (s->config.gyroscopic) hfi_discrete_end_flight(s, in, stop_time, q, v);
  else hfi_discrete_move_plainly(s, stop_time, q);
  if (s->sleep.count) hfi_sleep_hold(s, q, v);
}

// s->v_end becomes the velocities at the end of the step.
void hfi_discrete_advance(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out) {
  hfiWorld* w = s->world;
  const int nv = w->model->nv;
  const double h = s->config.step;
  int remembers = hfi_contacts_remember(s);
  int needs_poses = remembers && (w->near.ncontact || s->config.sleep); // 1: memory or sleep needs the poses at the end of the step

  // coordinates and velocities
  double* q = hf_state_mutable_q(state);
  double* v = hf_state_mutable_v(state);
  double* end = s->v_end;
  if (needs_poses) hfi_world_mark_start(w);
  memcpy(end, s->v1, sizeof *end * (size_t)nv);
  move_coordinates(s, in, out->report, q, end);
  hfi_difference_quotient(out->acceleration, end, v, h, nv);
  memcpy(v, end, sizeof *v * (size_t)nv);

  // activations, friction of joints, time
  hf_actuation_advance(&w->actuation, hf_state_mutable_act(state), h);
  if (s->config.friction == HF_FRICTION_ANCHORED)
    hfi_friction_remember(&w->actuation, s->v1, hf_state_mutable_friction(state));
  state->time += h;

  // contacts, and trees that fall asleep
  if (needs_poses) hfi_world_pose(w, q, in);
  if (remembers && store_memory(s, state)) out->report->status = HF_OVERFLOW;
  if (s->config.sleep) hfi_sleep_end(s, state, in, out->report);
}
