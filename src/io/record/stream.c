// The chunks of a recording, step by step: see stream.h. The layout is in chunk.h and docs/reference/recording.md.
//
// s: the stream, m: its model, out: the bytes to which chunks are added.
#include "io/record/stream.h"

#include "base/error.h"
#include "base/finite.h"
#include "step/dynamics/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sets the model that is recorded: the source or, if that is an overlay, a copy of its present values. Makes its
// kinematics.
static hfStatus set_model(hfiStream* s, hfError* error) {
  hfModel* copy = NULL;
  hfDynamics* dynamics = NULL;
  hfStatus status = hf_model_is_overlay(s->source) ? hf_model_copy(&copy, s->source, error) : HF_OK;
  if (status == HF_OK) status = hf_dynamics_create(&dynamics, copy ? copy : s->source, error);
  if (status != HF_OK) {
    hf_model_free(copy);
    return status;
  }

  hf_dynamics_free(s->dynamics);
  hf_model_free(s->copy);
  s->dynamics = dynamics;
  s->copy = copy;
  s->model = copy ? copy : s->source;
  s->revision = s->source->revision;
  return HF_OK;
}

hfStatus hfi_stream_take_parameters(hfiStream* s, hfError* error) {
  return s->revision == s->source->revision ? HF_OK : set_model(s, error);
}

// Makes a stream of a model, with 60 frames and 2 states for each second.
hfStatus hfi_stream_open(hfiStream* s, const hfModel* model, hfError* error) {
  hfiStream made = {.source = model, .interval = 1.0 / 60, .state_interval = 0.5, .time = -INFINITY};
  made.controls = calloc((size_t)model->nu + 1, sizeof *made.controls);
  if (!made.controls) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  hfStatus status = hf_events_create(&made.events, error);
  if (status == HF_OK) status = set_model(&made, error);

  if (status == HF_OK) {
    *s = made;
  } else {
    hf_events_free(made.events);
    free(made.controls);
  }
  return status;
}

// Releases all that a stream has.
void hfi_stream_close(hfiStream* s) {
  hf_dynamics_free(s->dynamics);
  hf_model_free(s->copy);
  hf_events_free(s->events);
  free(s->controls);
  *s = (hfiStream){0};
}

// ---- frames ---------------------------------------------------------------------------------------

// Adds numbers in single precision.
static void put_floats(hfiBytes* out, const double* x, int n) {
  enum { PIECE = 64 };
  float piece[PIECE];
  for (int i = 0; i < n; i += PIECE) {
    int count = n - i < PIECE ? n - i : PIECE;
    for (int k = 0; k < count; ++k) piece[k] = (float)x[i + k];
    hfi_bytes_put(out, piece, (size_t)count * sizeof *piece);
  }
}

// Adds position and orientation of each body.
static void put_poses(const hfiStream* s, hfiBytes* out) {
  for (int b = 0; b < s->model->nbody; ++b) {
    hfVec3 p = hf_dynamics_body_pose(s->dynamics, b).p;
    hfQuat q = hf_dynamics_body_quat(s->dynamics, b);
    const double pose[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    put_floats(out, pose, 7);
  }
}

// A contact as frames hold it, in single precision.
static hfFrameContact make_frame_contact(hfContact c) {
  return (hfFrameContact){.geom_a = c.geom_a,
                          .geom_b = c.geom_b,
                          .feature = c.feature,
                          .stick = c.stick != 0,
                          .p_W = {(float)c.p_W.x, (float)c.p_W.y, (float)c.p_W.z},
                          .n_W = {(float)c.n_W.x, (float)c.n_W.y, (float)c.n_W.z},
                          .fn = (float)c.fn,
                          .ft = {(float)c.ft.x, (float)c.ft.y, (float)c.ft.z},
                          .vt = {(float)c.vt.x, (float)c.vt.y, (float)c.vt.z},
                          .mu = (float)c.mu,
                          .depth = (float)c.depth,
                          .vn = (float)c.vn};
}

// The head of a frame: energies, and what the steps since the last frame did.
static hfFrameHead make_frame_head(hfiStream* s, const hfSim* sim, const hfState* state, double wall) {
  return (hfFrameHead){.time = state->time,

                       .kinetic = hf_dynamics_kinetic_energy(s->dynamics),
                       .potential = hf_dynamics_potential_energy(s->dynamics, hf_state_q(state)),
                       .wall = s->started ? wall - s->wall : 0,
                       .residual = s->sums.residual,
                       .coupled_residual = s->sums.coupled_residual,
                       .max_depth = s->sums.max_depth,
                       .steps = s->sums.steps,
                       .iterations = s->sums.iterations,
                       .rung = s->sums.rung,
                       .nstick = s->sums.nstick,
                       .status = s->sums.status,
                       .ncontact = hf_sim_contact_count(sim)};
}

// Adds a frame: its head, poses, coordinates, controls, forces, sensors, contacts. Describes the run before the first.
void hfi_stream_frame(hfiStream* s, const hfSim* sim, const hfState* state, const hfInput* input, double wall,
                      hfiBytes* out) {
  const hfModel* m = s->model;
  if (!s->started) hfi_stream_run(sim, out);
  hf_dynamics_set_position(s->dynamics, hf_state_q(state), input);
  hf_dynamics_set_velocity(s->dynamics, hf_state_v(state));
  hfi_dynamics_rest_as(s->dynamics, state);

  hfFrameHead head = make_frame_head(s, sim, state, wall);
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_FRAME);
  hfi_bytes_put(out, &head, sizeof head);
  put_poses(s, out);
  put_floats(out, hf_state_q(state), m->nq);
  put_floats(out, hf_state_v(state), m->nv);
  put_floats(out, hf_sim_ctrl(sim), m->nu);
  put_floats(out, hf_sim_actuator_force(sim), m->nu);
  put_floats(out, hf_sim_sensors(sim), m->nsensordata);

  for (int i = 0; i < head.ncontact; ++i) {
    hfFrameContact contact = make_frame_contact(hf_sim_contact(sim, i));
    hfi_bytes_put(out, &contact, sizeof contact);
  }
  hfi_chunk_end(out, start);

  // the next frame counts its own steps
  s->started = 1;
  s->wall = wall;
  s->sums = (hfiFrameSums){0};
}

// ---- steps ----------------------------------------------------------------------------------------

// Updates what was seen of the last step, and returns whether it may have events: if the number of contacts, or of
// those that stick, or the rung of the solver has changed, or if something was dropped or switched. To read all
// contacts costs a tenth of a small step, so they are read only then.
static int update_seen_step(hfiSeenStep* seen, const hfStepReport* step) {
  hfiSeenStep now = {step->ncontact, step->nstick, step->solve.rung};
  int has_changed = now.contacts != seen->contacts || now.stick != seen->stick || now.rung != seen->rung;
  *seen = now;
  return has_changed || step->ndropped > 0 || step->switching.nswitch > 0;
}

// Adds the events of a step. They are left out if there is no memory.
static void put_events(hfiStream* s, const hfSim* sim, double time, const hfStepReport* step, hfiBytes* out) {
  int count = 0;
  hf_events_update(s->events, sim, time, step, NULL);
  const hfEvent* event = hf_events_list(s->events, &count);
  for (int i = 0; i < count; ++i) {
    size_t start = hfi_chunk_begin(out, HFI_CHUNK_EVENT);
    hfi_bytes_put(out, &event[i], sizeof event[i]);
    hfi_chunk_end(out, start);
  }
}

// Adds a step to the sums of the next frame.
static void count_step(hfiStream* s, const hfStepReport* step) {
  ++s->sums.steps;
  s->sums.iterations += step->solve.iterations;
  if (step->solve.rung > s->sums.rung) s->sums.rung = step->solve.rung;
  s->sums.nstick = step->nstick;
  if (step->status > s->sums.status) s->sums.status = step->status;
  s->sums.residual = fmax(s->sums.residual, step->solve.residual);
  s->sums.coupled_residual = fmax(s->sums.coupled_residual, step->solve.coupled_residual);
  s->sums.max_depth = fmax(s->sums.max_depth, step->max_depth);
}

// Stores the controls of an input when they change. They acted in the step that ended now.
static void put_controls(hfiStream* s, const hfSim* sim, const hfState* state, const hfInput* input, hfiBytes* out) {
  size_t bytes = (size_t)s->model->nu * sizeof(double);
  if (!input || !input->ctrl || s->model->nu == 0) return;
  if (s->has_controls && memcmp(s->controls, input->ctrl, bytes) == 0) return;

  double since = state->time - hf_sim_step_size(sim);
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_CONTROLS);
  hfi_bytes_put(out, &since, sizeof since);
  hfi_bytes_put(out, input->ctrl, bytes);
  hfi_chunk_end(out, start);

  memcpy(s->controls, input->ctrl, bytes);
  s->has_controls = 1;
}

// Whether a frame is due at a time after a step of h [s]; *next, when it is due, is then moved to the next one. Times
// add up with rounding, so a frame is due if less than a thousandth of a step is missing. The next one is due at the
// first multiple of the interval that is still to come, however many have passed since the last step. If the interval
// is below that thousandth, every step is due.
static int update_due_time(double* next, double interval, double time, double h) {
  static const double TIME_TOLERANCE = 1e-3; // share of a step [-]
  double slack = TIME_TOLERANCE * h;
  if (time < *next - slack) return 0;

  *next += interval;
  double late = time - slack - *next;
  if (late >= 0) *next = interval > slack ? *next + interval * (floor(late / interval) + 1) : time;
  return 1;
}

// Refuses a state that is earlier than the last one.
hfStatus hfi_stream_check_time(const hfiStream* s, const hfState* state, const char* what, hfError* error) {
  if (state->time >= s->time) return HF_OK;
  return hfi_refuse(error, HF_ERROR_ARGUMENT,
                    "the time went back from %g s to %g s: %s holds one run; close it, and open another for the next",
                    s->time, state->time, what);
}

// Refuses that, and a step with other parameters than those at the start of the run.
hfStatus hfi_stream_check_step(const hfiStream* s, const hfState* state, const char* what, hfError* error) {
  if (s->started && s->revision != s->source->revision)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "the parameters were updated after %g s: %s holds one run with the parameters at its start; "
                      "close it, and open another for the next",
                      s->time, what);
  return hfi_stream_check_time(s, state, what, error);
}

// Adds what a step has: controls that changed, events, a frame and a state if they are due. step: NULL at the start.
void hfi_stream_step(hfiStream* s, const hfSim* sim, const hfState* state, const hfInput* input,
                     const hfStepReport* step, double wall, hfiBytes* out) {
  double h = hf_sim_step_size(sim);
  s->time = state->time;
  if (!s->started) {
    s->next_frame = state->time;
    s->next_state = state->time;
  }
  if (step) {
    count_step(s, step);
    put_controls(s, sim, state, input, out);
    if (update_seen_step(&s->seen, step)) put_events(s, sim, state->time, step, out);
  }

  if (!update_due_time(&s->next_frame, s->interval, state->time, h)) return;
  hfi_stream_frame(s, sim, state, input, wall, out);
  if (update_due_time(&s->next_state, s->state_interval, state->time, h)) hfi_stream_state(s->model, state, input, out);
}

// ---- states ---------------------------------------------------------------------------------------

// Whether an input has forces or velocity targets, which a recording does not hold.
static int has_unrecorded_input(const hfModel* m, const hfInput* input) {
  if (!input) return 0;
  int has_force = input->force && hfi_any_nonzero(input->force, m->nv);
  int has_wrench = input->wrench && hfi_any_nonzero((const double*)input->wrench, 6 * m->nbody);
  int has_target = input->velocity_target && !hfi_all_nan(input->velocity_target, m->nv);
  return has_force || has_wrench || has_target;
}

// Adds the controls of a run without controls of its own: NaN if the scene's signals set them, otherwise zero.
static void put_no_controls(const hfModel* m, hfiBytes* out) {
  for (int i = 0; i < m->nu; ++i) {
    double value = hf_model_actuator_signal(m)[i] >= 0 ? NAN : 0;
    hfi_bytes_put(out, &value, sizeof value);
  }
}

// Adds a state from which a run can continue, with its controls and the poses of mocap bodies. The contact memory is
// the last part of a state; its unused part is left out.
void hfi_stream_state(const hfModel* m, const hfState* state, const hfInput* input, hfiBytes* out) {
  int has_mocap = input && input->mocap_pos && input->mocap_quat;
  hfiStateHead head = {0};
  if (has_unrecorded_input(m, input)) head.flags = HFI_STATE_PUSHED;
  if (has_mocap) head.nmocap = (uint32_t)m->nmocap;

  size_t start = hfi_chunk_begin(out, HFI_CHUNK_STATE);
  hfi_bytes_put(out, &head, sizeof head);
  if (input && input->ctrl)
    hfi_bytes_put(out, input->ctrl, sizeof(double) * (size_t)m->nu);
  else
    put_no_controls(m, out);
  if (has_mocap) {
    hfi_bytes_put(out, input->mocap_pos, 3 * sizeof(double) * (size_t)m->nmocap);
    hfi_bytes_put(out, input->mocap_quat, 4 * sizeof(double) * (size_t)m->nmocap);
  }

  hfi_bytes_put(out, state, (size_t)state->off_memory + (size_t)state->nmemory * sizeof(hfContactMemory));
  hfi_chunk_end(out, start);
}
