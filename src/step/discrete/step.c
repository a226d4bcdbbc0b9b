// One step of discrete time. hfi_discrete_step has the stages of docs/architecture.md, "The life of a step", on one
// screen; each stage has a file.
//
//   kinematics at q0 -> M, bias -> forces and rows -> contacts -> step problem -> v1
//   q1 = q0 (+) h v1, activations, contact memory, time
#include "step/discrete/inside.h"

#include "base/finite.h"

// ---- stages 2, 3 and 6 --------------------------------------------------------------------------------

// Computes the poses of the world at q0. Axes and inertias of free bodies are turned into the middle of the step, and
// s->flight.start gets their velocities there.
static void place_world(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  hfi_world_place(s->world, hf_state_q(state), in);
  if (s->config.gyroscopic) hfi_discrete_turn_free_bodies(s, hf_state_v(state));
}

// Computes velocities, mass matrix and bias of the world, and begins the step problem with them.
static void find_motion(hfiDiscrete* s, const hfState* state) {
  hfDynamics* d = &s->world->dynamics;
  const double* v0 = s->config.gyroscopic ? s->flight.start : hf_state_v(state);

  hf_dynamics_set_velocity(d, v0);
  hf_dynamics_update_mass_matrix(d);
  if (s->config.gyroscopic) hfi_flight_bias(&s->flight, d);
  else hf_dynamics_update_bias(d);

  hfi_assembly_begin(&s->assembly, d, s->config.step, v0);
}

// Completes the step problem: rows of the contacts that were found, and impacts at the start of the step.
static void complete_problem(hfiDiscrete* s, const hfState* state) {
  hfi_discrete_add_contacts(s, state);
  hfi_discrete_apply_impacts(s, state);
  hfi_discrete_begin_rolls(s, state);
}

// Stages 2 to 6 without a step: no tree sleeps, and contacts are predicted with strong drives in mind.
void hfi_discrete_make_problem(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  place_world(s, state, in);
  find_motion(s, state);
  hfi_discrete_load(s, state, in);
  hfi_discrete_find_contacts(s, 1);
  complete_problem(s, state);
}

// ---- what a solution shows ----------------------------------------------------------------------------

// Tests whether the problem lacked something, so that it must be made again: the solution brings a tree to one that
// sleeps, or a joint past a limit that seemed far away, or turns a body by the pull of a connect faster than the step
// can follow. Notes what the next problem must have. The pull is not tested with rigid rows, because velocities do not
// determine their forces.
static int find_lack(hfiDiscrete* s, const hfState* state) {
  hfActuation* a = &s->world->actuation;

  if (s->sleep.count && hfi_sleep_wake_touched(s)) return 1;
  if (hfi_limit_passed(a, hf_state_q(state), s->v1, s->config.step)) {
    s->forces.all_limits = 1;
    return 1;
  }
  if (s->solver.policy.has_rigid_rows || !s->world->model->neq) return 0;
  return hfi_find_tensions(a, &s->world->dynamics, hf_state_q(state), s->v1);
}

// Refuses velocities that are not finite or too large, and names their tree. No solver has tested the velocities of
// trees that fly.
static hfStatus check_velocities(const hfiDiscrete* s, hfiTrouble* trouble) {
  const hfModel* m = s->world->model;
  if (hfi_surely_speeds(s->v1, m->nv)) return HF_OK;

  for (int t = 0; t < m->ntree; ++t)
    if (!hfi_all_speeds(s->v1 + hf_model_tree_dofadr(m)[t], hf_model_tree_dofnum(m)[t]))
      return hfi_note_trouble(trouble,
                              (hfiTrouble){.status = HF_ERROR_NONFINITE, .kind = HFI_TROUBLE_VELOCITY, .id = t});
  return HF_OK; // Only the sum is too large.
}

// Judges the solution by the status of its solver and writes the status of the step. Returns 1 if the state can be
// advanced with it.
static int accept_solution(const hfiDiscrete* s, hfStatus status, hfiStepOutput* out) {
  hfStepReport* report = out->report;
  report->status = status;
  if (status < 0) return 0;
  if (status > 0 && s->solver.table && !s->solver.policy.falls_back) return 0;

  status = check_velocities(s, &out->trouble);
  if (status < 0) report->status = status;
  else if (s->world->near.ndropped) report->status = HF_OVERFLOW;
  return status >= 0;
}

// ---- the step -----------------------------------------------------------------------------------------

// Begins a step: no tree has woken, and the forces of the step before are no longer needed.
static void begin_step(hfiDiscrete* s) {
  s->rolls.are_allowed = s->rolls.are_possible;
  if (s->config.sleep) hfi_sleep_begin(s);
  hfi_actuation_drop_forces(&s->world->actuation);
}

// All stages but the first and the last. A problem that lacked something is made again; a solution that closes contacts
// nobody predicted is revised and solved again. Bodies that are found to roll alone are placed in another way, so that
// stages 2 to 5 are done twice.
hfStatus hfi_discrete_step(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfStatus status;

  begin_step(s); // 1 check: sim/check.c has refused states and inputs that no step can start from.
  do {
    do {
      place_world(s, state, in);         // 2 place
      find_motion(s, state);             // 3 move
      hfi_discrete_load(s, state, in);   // 4 load
      if (s->config.sleep) hfi_sleep_find(s, state, in);
      hfi_discrete_find_contacts(s, 0);  // 5 contacts
    } while (hfi_discrete_find_rolls(s, state));
    complete_problem(s, state);          // 6 problem
    if (s->config.gyroscopic) hfi_discrete_begin_flight(s);

    status = hfi_discrete_solve(s, out, error); // 7 solve
    while (status >= 0 && hfi_discrete_revise(s, state)) status = hfi_discrete_solve_again(s, out, error);
  } while (status >= 0 && find_lack(s, state));

  s->forces.all_limits = 0;
  hfi_drop_tensions(&s->world->actuation);
  if (accept_solution(s, status, out)) {
    hfi_discrete_compute_outcome(s, out);    // 8 outcome
    hfi_discrete_advance(s, state, in, out); // 9 advance
    out->taken = 1;
  }
  s->rolls.are_allowed = 0;
  hfi_discrete_clear_rolls(s);
  if (s->config.sleep) hfi_sleep_end(s);
  return out->report->status; // 10 sense: sim/step.c measures at the end of the step.
}

// The step as the table of a method calls it (step/world/method.h).
hfStatus hfi_discrete_step_method(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  return hfi_discrete_step(method, state, in, out, error);
}
