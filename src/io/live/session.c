// A world that somebody watches and changes while it runs: see session.h.
//
// Dragging: a spring and a damper pull the held point p of a body towards the target,
//   F = k (p_target - p) - c v_p,   c = 2 sqrt(k m) where the stiffness is the default,
// as a wrench at the body's centre of mass, torque (p - p_com) x F.
//
// s: the session, c: a command, m: a model or a moment of the history, out: the bytes to which chunks are added.
#include "io/live/session.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/locale.h"
#include "math/vec3.h"
#include "model/state_parts.h"
#include "sim/sim.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The model that the sim steps: with the values that were changed, if there are some.
static const hfModel* model_of(const hfiSession* s) {
  return s->params ? hf_params_model(s->params) : s->base;
}

// ---- making --------------------------------------------------------------------------------------

// Copies those of controls (nu) and poses of mocap bodies that `from` has. from: NULL for none.
static void copy_input(const hfModel* m, hfInput* to, const hfInput* from) {
  size_t nu = (size_t)m->nu;
  size_t nmocap = (size_t)m->nmocap;
  if (from && from->ctrl) memcpy(to->ctrl, from->ctrl, nu * sizeof(double));
  if (from && from->mocap_pos) memcpy(to->mocap_pos, from->mocap_pos, 3 * nmocap * sizeof(double));
  if (from && from->mocap_quat) memcpy(to->mocap_quat, from->mocap_quat, 4 * nmocap * sizeof(double));
}

// Makes the session's sim, kinematics and stream anew with the present model and configuration. If this is refused, the
// old ones stay.
static hfStatus make_sim(hfiSession* s, hfError* error) {
  hfSim* sim = NULL;
  hfDynamics* dynamics = NULL;
  hfiStream stream;
  hfStatus status = hf_sim_create(&sim, model_of(s), &s->config, error);
  if (status >= 0) status = hf_dynamics_create(&dynamics, model_of(s), error);
  if (status >= 0) status = hfi_stream_open(&stream, model_of(s), error);
  if (status < 0) {
    hf_sim_free(sim);
    hf_dynamics_free(dynamics);
    return status;
  }

  hf_sim_free(s->sim);
  hf_dynamics_free(s->dynamics);
  if (s->stream.model) hfi_stream_close(&s->stream);
  s->sim = sim;
  s->dynamics = dynamics;
  s->stream = stream;
  s->stream.started = 1; // The run is described when a client connects.
  return HF_OK;
}

// The user holds no control any more.
static void release_controls(hfiSession* s) {
  for (int i = 0; i < s->base->nu; ++i) s->held[i] = NAN;
}

// Makes a session that begins at a state with an input, which are copied. history_time: how far one can go back [s].
hfStatus hfi_session_open(hfiSession* session, const hfModel* model, const hfSimConfig* config, const hfState* start,
                          const hfInput* input, double history_time, hfError* error) {
  hfiSession s = {.base = model, .config = *config, .drag = {.body = -1}, .speed = 1};
  for (int i = 0; i < HFI_SCALES; ++i) s.scale[i] = 1;

  s.state = malloc(start->size);
  s.start = malloc(start->size);
  s.input = hf_input_create(model);
  s.start_input = hf_input_create(model);
  s.base_controls = calloc((size_t)model->nu + 1, sizeof(double));
  s.held = calloc((size_t)model->nu + 1, sizeof(double));
  int has_memory = s.state && s.start && s.input && s.start_input && s.base_controls && s.held;

  hfStatus status = HF_OK;
  if (!has_memory || !hfi_history_open(&s.history, history_time))
    status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  if (status == HF_OK) status = make_sim(&s, error);
  if (status != HF_OK) {
    hfi_session_close(&s);
    return status;
  }

  memcpy(s.state, start, start->size);
  memcpy(s.start, start, start->size);
  copy_input(model, s.input, input);
  copy_input(model, s.start_input, input);
  memcpy(s.base_controls, s.start_input->ctrl, (size_t)model->nu * sizeof(double));
  release_controls(&s);
  *session = s;
  return HF_OK;
}

// Releases all that a session has.
void hfi_session_close(hfiSession* s) {
  hf_sim_free(s->sim);
  hf_dynamics_free(s->dynamics);
  hf_params_free(s->params);
  if (s->stream.model) hfi_stream_close(&s->stream);

  free(s->state);
  free(s->start);
  free(s->base_controls);
  free(s->held);
  hf_input_free(s->input);
  hf_input_free(s->start_input);

  hfi_history_close(&s->history);
  *s = (hfiSession){0};
}

// ---- dragging ------------------------------------------------------------------------------------

// Sets the wrench by which the dragged body is pulled.
static void set_drag_wrench(hfiSession* s) {
  const hfModel* m = model_of(s);
  const hfiDrag* drag = &s->drag;
  hf_dynamics_set_position(s->dynamics, hf_state_q(s->state), s->input);
  hf_dynamics_set_velocity(s->dynamics, hf_state_v(s->state));

  // the held point, the centre of mass, and the velocity of the point, in the world
  hfPose X_WB = hf_dynamics_body_pose(s->dynamics, drag->body);
  hfVec3 p = v3_add(X_WB.p, m3_mulv(X_WB.R, drag->p_B));
  hfVec3 p_com = v3_add(X_WB.p, m3_mulv(X_WB.R, v3_load(hf_model_body_com(m) + 3 * drag->body)));
  hfVec3 v_p = hf_dynamics_point_velocity(s->dynamics, drag->body, p).v;

  hfVec3 F = v3_sub(v3_scale(drag->stiffness, v3_sub(drag->target_W, p)), v3_scale(drag->damping, v_p));
  s->input->wrench[drag->body] = (hfForce){.n = v3_cross(v3_sub(p, p_com), F), .f = F};
}

// The stiffness of dragging, divided by the mass that is dragged, if the command gives none [N/m/kg].
static const double DEFAULT_DRAG_STIFFNESS = 200;

// Begins to drag a body at a point of it. Refuses one that does not move.
static hfStatus start_drag(hfiSession* s, const hfiCommand* c, hfError* error) {
  const hfModel* m = model_of(s);
  if (c->index >= (uint32_t)m->nbody || hf_model_body_tree(m)[c->index] < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "body %u cannot be dragged: it does not move", c->index);

  if (s->drag.body >= 0) s->input->wrench[s->drag.body] = (hfForce){0};
  double mass = hf_model_body_subtreemass(m)[c->index];
  double stiffness = c->x[6] > 0 ? c->x[6] : DEFAULT_DRAG_STIFFNESS * mass;
  s->drag = (hfiDrag){.body = (int32_t)c->index,
                      .p_B = {c->x[0], c->x[1], c->x[2]},
                      .target_W = {c->x[3], c->x[4], c->x[5]},
                      .stiffness = stiffness,
                      .damping = 2 * sqrt(stiffness * mass)};
  return HF_OK;
}

static void end_drag(hfiSession* s) {
  if (s->drag.body >= 0) s->input->wrench[s->drag.body] = (hfForce){0};
  s->drag.body = -1;
}

// ---- changed values ------------------------------------------------------------------------------

// Sets a field of the changed values to `factor` times the values of the scene. Of a field with a row for each body,
// only_free chooses the bodies with a free joint, which are objects and not robots; the other rows stay. A negative
// dynamic friction stands for none: it is copied.
static void scale_field(hfiSession* s, hfModelField field, double factor, int only_free) {
  double* to = hf_params_field(s->params, field);
  const double* from = (const double*)((uintptr_t)s->base + (uintptr_t)s->base->offset[field]);
  hfFieldInfo info = hf_model_field_info(s->base, field);

  for (int i = 0; i < info.rows * info.columns; ++i) {
    if (only_free) {
      int joint = hf_model_body_jntadr(s->base)[i / info.columns];
      if (joint < 0 || hf_model_jnt_type(s->base)[joint] != HF_JOINT_FREE) continue;
    }
    int is_absent = field == HF_FIELD_geom_friction_dynamic && !(from[i] >= 0);
    to[i] = is_absent ? from[i] : factor * from[i];
  }
}

// Sets the fields that belong to one slider of the page from the scene's values and the slider's factor.
static void apply_scale(hfiSession* s, hfiScale what) {
  enum { MOST_FIELDS = 3 };
  static const hfModelField fields[HFI_SCALES][MOST_FIELDS] = {
      [HFI_SCALE_FRICTION] = {HF_FIELD_geom_friction, HF_FIELD_geom_friction_dynamic, HF_FIELD_pair_friction},
      [HFI_SCALE_MASS] = {HF_FIELD_body_mass, HF_FIELD_body_inertia},
      [HFI_SCALE_ACTUATION] = {HF_FIELD_actuator_gainprm, HF_FIELD_actuator_biasprm, HF_FIELD_actuator_forcerange}};
  int count = what == HFI_SCALE_MASS ? 2 : MOST_FIELDS;

  for (int i = 0; i < count; ++i) scale_field(s, fields[what][i], s->scale[what], what == HFI_SCALE_MASS);
}

// Makes the values that can be changed, when the first one is.
static hfStatus ensure_params(hfiSession* s, hfError* error) {
  return s->params ? HF_OK : hf_params_create(&s->params, s->base, error);
}

// Checks the changed values, computes what follows from them, and makes the sim with them.
static hfStatus use_params(hfiSession* s, hfError* error) {
  hfStatus status = hf_params_update(s->params, error);
  return status == HF_OK ? make_sim(s, error) : status;
}

// Updates the values after a refusal, when the caller has put the former ones back. They were accepted before.
static void update_former_params(hfiSession* s) {
  hfError ignored;
  hf_params_update(s->params, &ignored);
}

// Changes a slider of the page: index says which, x[0] is its factor. Refuses factors that are not between 0.01 and
// 100. After a refusal the slider and its values are as before.
static hfStatus change_scale(hfiSession* s, const hfiCommand* c, hfError* error) {
  if (c->index >= HFI_SCALES || !(c->x[0] >= 0.01 && c->x[0] <= 100))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "scale %u by %g: allowed is 0.01 to 100", c->index, c->x[0]);
  hfStatus status = ensure_params(s, error);
  if (status != HF_OK) return status;

  hfiScale what = (hfiScale)c->index;
  double old = s->scale[what];
  s->scale[what] = c->x[0];
  apply_scale(s, what);
  status = use_params(s, error);
  if (status == HF_OK) return HF_OK;

  s->scale[what] = old;
  apply_scale(s, what);
  update_former_params(s);
  return status;
}

// Changes one number of the model: index is its field, x[0] its place in the field, x[1] the new value. After a refusal
// the number is as before.
static hfStatus change_field(hfiSession* s, const hfiCommand* c, hfError* error) {
  if (c->index >= HF_MODEL_FIELD_COUNT)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no field %u", c->index);
  hfFieldInfo info = hf_model_field_info(s->base, (hfModelField)c->index);
  if (!info.overlay || !(c->x[0] >= 0 && c->x[0] < (double)info.rows * info.columns))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "%s[%g] cannot be changed", info.name, c->x[0]);
  hfStatus status = ensure_params(s, error);
  if (status != HF_OK) return status;

  double* number = hf_params_field(s->params, (hfModelField)c->index) + (long)c->x[0];
  double old = *number;
  *number = c->x[1];
  status = use_params(s, error);
  if (status == HF_OK) return HF_OK;

  *number = old;
  update_former_params(s);
  return status;
}

// Changes an option of the sim: index is its number in the configuration, x[0] its value. After a refusal the
// configuration is as before.
static hfStatus change_option(hfiSession* s, const hfiCommand* c, hfError* error) {
  const char* name = c->index <= INT_MAX ? hf_sim_config_name((int)c->index) : NULL;
  if (!name) return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no option %u", c->index);

  // options of every type are set, and checked, by a function that takes text
  char value[32];
  locale_t outer = hfi_enter_c_locale();
  snprintf(value, sizeof value, "%.17g", c->x[0]);
  hfi_leave_c_locale(outer);

  hfSimConfig old = s->config;
  hfStatus status = hf_sim_config_set(&s->config, name, value, error);

  // a change of the method gives the options that cannot act with the new one their defaults; -1 is the model's method
  if (status == HF_OK && s->config.method != old.method) {
    int method = s->config.method < 0 ? s->base->world.method : s->config.method;
    s->config = old;
    hfi_config_change_method(&s->config, &s->base->world, method);
  }

  if (status == HF_OK) status = make_sim(s, error);
  if (status != HF_OK) s->config = old;
  return status;
}

// ---- time ----------------------------------------------------------------------------------------

// Goes back to the start (index 0), or to keyframe index - 1. Forgets the history, and what the user holds or drags.
static hfStatus reset(hfiSession* s, const hfiCommand* c, hfError* error) {
  if (c->index > (uint32_t)s->base->nkey)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no keyframe %u", c->index);

  end_drag(s);
  hfi_history_cut(&s->history, -INFINITY);
  memcpy(s->state, s->start, s->start->size);
  copy_input(s->base, s->input, s->start_input);
  release_controls(s);
  s->debt = 0;
  s->status = HF_OK;

  hfStatus status = HF_OK;
  if (c->index) status = hf_state_set_key(s->state, s->input, s->base, (int)c->index - 1, error);
  memcpy(s->base_controls, s->input->ctrl, (size_t)s->base->nu * sizeof(double));
  return status;
}

// Goes back to the last moment of the history that is not later than a time, and forgets the later ones. If the history
// begins later, goes to its oldest moment: the one that a page asks for may have been dropped while the world played.
static hfStatus seek(hfiSession* s, double time, hfError* error) {
  static const double TIME_TOLERANCE = 1e-9; // between the time that a page shows and the time of a moment [s]
  const hfiMoment* m = hfi_history_find(&s->history, time + TIME_TOLERANCE);
  if (!m && s->history.count > 0) m = hfi_history_at(&s->history, 0);
  if (!m) return hfi_refuse(error, HF_ERROR_ARGUMENT, "cannot go back to %g s: no state of that time is kept", time);

  double exact = m->time;
  hfStatus status = hfi_session_restore(s, m->state, m->state_size, 0, error);
  hfi_history_cut(&s->history, exact);
  return status;
}

// Continues from the payload of a state chunk: head, controls (nu), mocap positions (3 nmocap) and quaternions
// (4 nmocap), or none of these poses, then the state up to its last contact memory. with_controls: 1 lets the recorded
// controls act, 0 the present ones. Refuses a payload that does not fit the model, and then changes nothing.
hfStatus hfi_session_restore(hfiSession* s, const void* payload, size_t size, int with_controls, hfError* error) {
  hfiStateHead head;
  hfState state;
  const hfModel* m = s->base;
  const char* bytes = payload;

  // the head, and room for the numbers of inputs and the fixed part of the state
  if (size < sizeof head) return hfi_refuse(error, HF_ERROR_PARSE, "a state is cut short");
  memcpy(&head, bytes, sizeof head);
  size_t numbers = ((size_t)m->nu + 7 * (size_t)head.nmocap) * sizeof(double);
  int has_mocap = head.nmocap == 0 || head.nmocap == (uint32_t)m->nmocap;
  if (!has_mocap || size < sizeof head + numbers + sizeof state)
    return hfi_refuse(error, HF_ERROR_PARSE, "a state is cut short");

  // the state has the sizes of ours; its memory of contacts ends with its last contact
  memcpy(&state, bytes + sizeof head + numbers, sizeof state);
  size_t memory = (size_t)(state.nmemory > 0 ? state.nmemory : 0) * sizeof(hfContactMemory);
  size_t used = (size_t)s->state->off_memory + memory;
  int has_sizes = hfi_state_same_sizes(&state, s->state) && state.off_memory == s->state->off_memory;
  int has_room = state.nmemory >= 0 && state.nmemory <= s->state->max_memory;
  if (!has_sizes || !has_room || size < sizeof head + numbers + used || !isfinite(state.time))
    return hfi_refuse(error, HF_ERROR_PARSE, "a state does not fit its model");

  end_drag(s);
  const double* x = (const double*)(const void*)(bytes + sizeof head);
  // x: the recorded controls, then positions and quaternions of mocap bodies
  if (with_controls) {
    // base_controls act while the user holds none
    memcpy(s->base_controls, x, (size_t)m->nu * sizeof(double));
    release_controls(s);
  }
  if (head.nmocap) {
    memcpy(s->input->mocap_pos, x + m->nu, 3 * (size_t)m->nmocap * sizeof(double));
    memcpy(s->input->mocap_quat, x + m->nu + 3 * m->nmocap, 4 * (size_t)m->nmocap * sizeof(double));
  }

  // the size and the room of our own state stay
  uint64_t own_size = s->state->size;
  int32_t own_room = s->state->max_memory;
  memcpy(s->state, bytes + sizeof head + numbers, used);
  s->state->size = own_size;
  s->state->max_memory = own_room;
  // simulated time that was due before is not made up for
  s->debt = 0;
  s->status = HF_OK;
  return HF_OK;
}

// ---- commands ------------------------------------------------------------------------------------

// Lets the user hold the control `index` at the value x[0].
static hfStatus set_control(hfiSession* s, const hfiCommand* c, hfError* error) {
  if (c->index >= (uint32_t)s->base->nu)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no actuator %u", c->index);
  s->held[c->index] = c->x[0];
  return HF_OK;
}

// Puts hinge or slide `index` to the position x[0] [rad or m], at rest. Refuses other joints.
static hfStatus set_joint(hfiSession* s, const hfiCommand* c, hfError* error) {
  const hfModel* m = s->base;
  if (c->index >= (uint32_t)m->njnt || hf_joint_info(hf_model_jnt_type(m)[c->index]).nv != 1)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "joint %u has not one coordinate", c->index);
  hf_state_mutable_q(s->state)[hf_model_jnt_qposadr(m)[c->index]] = c->x[0];
  hf_state_mutable_v(s->state)[hf_model_jnt_dofadr(m)[c->index]] = 0;
  return HF_OK;
}

// Executes a command; command.h says what its index and numbers are. A refusal changes nothing.
hfStatus hfi_session_command(hfiSession* s, const hfiCommand* c, hfError* error) {
  enum { MOST_STEPS = 1000, MOST_SPEED = 1000 };

  switch (c->kind) {
  case HFI_COMMAND_PLAY:
    if (!(c->x[0] > 0 && c->x[0] <= MOST_SPEED))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "speed %g: allowed is above 0, up to %d", c->x[0], MOST_SPEED);
    s->playing = 1;
    s->speed = c->x[0];
    return HF_OK;

  case HFI_COMMAND_PAUSE:
    // pending: single steps that are still to take
    s->playing = 0;
    s->pending = 0;
    return HF_OK;

  case HFI_COMMAND_STEP:
    s->playing = 0;
    s->pending = c->index > MOST_STEPS ? MOST_STEPS : (int32_t)c->index;
    return HF_OK;

  case HFI_COMMAND_RESET:
    return reset(s, c, error);
  case HFI_COMMAND_SEEK:
    return seek(s, c->x[0], error);

  case HFI_COMMAND_CONTROL:
    return set_control(s, c, error);
  case HFI_COMMAND_RELEASE:
    release_controls(s);
    return HF_OK;
  case HFI_COMMAND_JOINT:
    return set_joint(s, c, error);

  case HFI_COMMAND_DRAG:
    return start_drag(s, c, error);
  case HFI_COMMAND_DROP:
    end_drag(s);
    return HF_OK;

  case HFI_COMMAND_FIELD:
    return change_field(s, c, error);
  case HFI_COMMAND_SCALE:
    return change_scale(s, c, error);
  case HFI_COMMAND_OPTION:
    return change_option(s, c, error);
  default:
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "command %u is not for a session", c->kind);
  }
}

// ---- stepping ------------------------------------------------------------------------------------

// The input of a step that starts now. A control that the user holds has priority over the one that the session started
// with or that was recorded. If neither is given (NaN), the scene's signal acts.
static hfInput step_input(hfiSession* s) {
  hfInput input = *s->input;
  for (int i = 0; i < s->base->nu; ++i) input.ctrl[i] = isnan(s->held[i]) ? s->base_controls[i] : s->held[i];
  return input;
}

// Takes one step and adds its events. After a refusal the session stands still.
hfStatus hfi_session_step(hfiSession* s, hfiBytes* out) {
  hfStepReport report;
  hfInput input = step_input(s);
  if (s->drag.body >= 0) set_drag_wrench(s);

  s->status = hf_sim_step(s->sim, s->state, &input, &report, &s->error);
  if (s->status < 0) {
    s->playing = 0;
    s->pending = 0;
    return s->status;
  }

  ++s->steps;
  s->stream.next_frame = INFINITY; // The clock decides when there is a frame.
  hfi_stream_step(&s->stream, s->sim, s->state, &input, &report, 0, out);
  return HF_OK;
}

// Takes the pending single steps, then the steps that are due after `wall` seconds of the clock, for at most `budget`
// seconds. Simulated time for which the budget is too short is dropped.
void hfi_session_advance(hfiSession* s, double wall, double budget, hfiBytes* out) {
  double end = hfi_clock() + budget;
  double h = hf_sim_step_size(s->sim);

  for (; s->pending > 0 && hfi_clock() <= end; --s->pending)
    if (hfi_session_step(s, out) < 0) break;
  if (!s->playing) return;

  s->debt += s->speed * wall;
  while (s->debt >= h && s->playing) {
    if (hfi_session_step(s, out) < 0) return;
    s->debt -= h;
    if (hfi_clock() > end) {
      s->debt = fmod(s->debt, h);
      return;
    }
  }
}

// Adds a state chunk of the present.
void hfi_session_state(hfiSession* s, hfiBytes* out) {
  hfInput input = step_input(s);
  hfi_stream_state(s->base, s->state, &input, out);
}

// Adds a frame of the present to `out`, and keeps it with the state in the history if simulated time has passed since
// the last one there. wall: seconds of the clock that the frame reports.
void hfi_session_frame(hfiSession* s, double wall, hfiBytes* out) {
  hfInput input = step_input(s);
  hfi_stream_frame(&s->stream, s->sim, s->state, &input, wall, out);
  if (s->history.capacity == 0) return;

  hfiBytes state = {0};
  hfi_session_state(s, &state);
  const hfiMoment* last = s->history.count ? hfi_history_at(&s->history, s->history.count - 1) : NULL;

  if (!state.failed && !out->failed && (!last || last->time < s->state->time))
    hfi_history_add(&s->history, s->state->time, out->data, out->size,
                    state.data + sizeof(hfiChunkHeader), state.size - sizeof(hfiChunkHeader));

  hfi_bytes_release(&state);
}

// Writes the history as a recording, with a state from which a run can continue after every 30th frame.
void hfi_session_recording(hfiSession* s, const char* scene, hfiBytes* out) {
  enum { FRAMES_PER_STATE = 30 };
  hfiStream plain = {.model = s->base};
  hfi_stream_head(&plain, scene, out);
  hfi_stream_run(s->sim, out);

  for (int i = 0; i < s->history.count; ++i) {
    const hfiMoment* m = hfi_history_at(&s->history, i);
    hfi_bytes_put(out, hfi_moment_chunks(m), m->chunks_size);

    if (i % FRAMES_PER_STATE != 0) continue;
    size_t start = hfi_chunk_begin(out, HFI_CHUNK_STATE);
    hfi_bytes_put(out, m->state, m->state_size);
    hfi_chunk_end(out, start);
  }
}
