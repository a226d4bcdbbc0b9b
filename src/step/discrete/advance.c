// The end of a step: the state moves there, and its memory of contacts with it.
#include "step/discrete/inside.h"

#include "linalg/dense.h"

#include <string.h>

// Stores the contacts of the step in the memory of the state, beside those of trees that sleep. Returns for how many
// there was no room.
static int store_memory(hfiDiscrete* s, hfState* state) {
  const hfiWorld* w = s->world;
  hfiContactStep step = {w->surfaces,     s->config.step, w->X0_WB,        w->dynamics.X_WB,
                         w->near.contact, s->outcome,     w->near.ncontact};
  if (s->sleep.count) return hfi_memory_store_beside(state, s->sleep.still, s->sleep.fresh, &step);
  return hfi_memory_store(state, &step);
}

// Returns the times at which trees stop, because they would pass through something [s]; NULL if all trees move over the
// whole step. The report counts the trees that stop.
static const double* find_stop_times(hfiDiscrete* s, hfStepReport* report) {
  const double h = s->config.step;
  if (!s->config.anticipate || !s->world->config.max_contacts) return NULL;

  const double* stop_time = hfi_near_find_stops(&s->world->near, &s->flight, s->config.gyroscopic, s->v1, h);
  if (!stop_time) return NULL;
  for (int t = 0; t < s->world->model->ntree; ++t) report->nstopped += stop_time[t] < h;
  return stop_time;
}

// Moves q over the step with the velocities v1, without inertial motion of free bodies.
static void move_by_velocity(const hfiDiscrete* s, const double* stop_time, double* q) {
  const hfModel* m = s->world->model;

  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j];
    double time = s->config.step;
    if (stop_time) time = min2(time, stop_time[hf_model_dof_tree(m)[dof]]);
    hfi_joint_integrate(hf_model_jnt_type(m)[j], q + hf_model_jnt_qposadr(m)[j], s->v1 + dof, time);
  }
}

// Moves q over the step. v (nv), the solution of the step problem, becomes the velocities at the end of the step, after
// the inertial motion of trees that fly.
static void move_coordinates(hfiDiscrete* s, const hfInput* in, hfStepReport* report, double* q, double* v) {
  const double* stop_time = find_stop_times(s, report);

  hfi_discrete_add_half_weights(s, v);
  if (s->config.gyroscopic) hfi_discrete_move_inertially(s, in, stop_time, q, v);
  else move_by_velocity(s, stop_time, q);
  hfi_discrete_end_rolls(s, q, v);
  if (s->sleep.count) hfi_sleep_hold(s, q, v);
}

// Moves the state over the step with the solution s->v1: coordinates, velocities, activations, friction of joints, time
// and contact memory. s->v_end becomes the velocities at the end of the step; they differ from v1 in trees that fly.
void hfi_discrete_advance(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out) {
  hfiWorld* w = s->world;
  const int nv = w->model->nv;
  const double h = s->config.step;
  int remembers = hfi_contacts_remember(s);
  int needs_poses = remembers && (w->near.ncontact || s->config.sleep); // 1: memory or sleep reads the poses at the end

  // coordinates and velocities
  double* q = hf_state_mutable_q(state);
  double* v = hf_state_mutable_v(state);
  double* end = s->v_end;
  if (needs_poses) hfi_world_mark_start(w);
  memcpy(end, s->v1, sizeof *end * (size_t)nv);
  move_coordinates(s, in, out->report, q, end);
  // acceleration = (end - v)/h, where v still has the velocities of the start
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
  if (s->config.sleep) hfi_sleep_settle(s, state, in, out->report);
}
