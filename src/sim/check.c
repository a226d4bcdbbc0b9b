// What a sim refuses before it does anything.
#include "sim/inside.h"

#include "base/error.h"
#include "base/finite.h"
#include "model/history.h"
#include "model/joint.h"
#include "model/object.h"
#include "model/state_parts.h"

#include <string.h>

// ---- messages ---------------------------------------------------------------------------------------

static hfiLabel label_of_dof_joint(const hfModel* m, int dof) {
  return hfi_model_label(m, HF_OBJECT_JOINT, hf_model_dof_jnt(m)[dof]);
}

static hfiLabel label_of_dof_body(const hfModel* m, int dof) {
  return hfi_model_label(m, HF_OBJECT_BODY, hf_model_dof_body(m)[dof]);
}

// The object that an input acts on, by its place in the input's array.
static hfiLabel label_actuator(const hfModel* m, int i) { return hfi_model_label(m, HF_OBJECT_ACTUATOR, i); }
static hfiLabel label_body(const hfModel* m, int i) { return hfi_model_label(m, HF_OBJECT_BODY, i); }
static hfiLabel label_mocap(const hfModel* m, int i) { return label_body(m, hf_model_mocap_body(m)[i]); }

// Refuses with a message that names the dof's body and joint.
static hfStatus refuse_dof(const hfModel* m, int dof, const char* what, hfError* error) {
  return hfi_refuse(error, HF_ERROR_NONFINITE, "%s of %s on %s is not finite", what, label_of_dof_joint(m, dof).text,
                    label_of_dof_body(m, dof).text);
}

// ---- the state --------------------------------------------------------------------------------------

// Refuses a state of a model of other sizes. The lengths of its arrays say how many trees and tendons that model has: a
// state has a word for each tree, and a friction for each dof and tendon.
static hfStatus check_size(const hfSim* s, const hfState* state, hfError* error) {
  const hfModel* m = s->model;
  const int32_t trees = state->ndiscrete - HFI_WORD_TREES;
  const int32_t tendons = state->nfriction - state->nv;
  if (state->nq == m->nq && state->nv == m->nv && state->na == m->na && trees == m->ntree && tendons == m->ntendon &&
      state->nhistory == m->nhistory && state->nrest == m->nrest)
    return HF_OK;

  return hfi_refuse(error, HF_ERROR_ARGUMENT,
                    "the state is of another model (nq %d, nv %d, na %d, %d trees, %d tendons, %d delayed numbers, "
                    "%d rests; here %d, %d, %d, %d, %d, %d, %d)",
                    state->nq, state->nv, state->na, trees, tendons, state->nhistory, state->nrest, m->nq, m->nv, m->na,
                    m->ntree, m->ntendon, m->nhistory, m->nrest);
}

// Refuses velocities v (nv) that are not finite or have a size above hfi_largest_speed; names the joint.
hfStatus hfi_sim_check_velocities(const hfSim* s, const double* v, const char* what, hfError* error) {
  const hfModel* m = s->model;

  for (int i = 0; i < m->nv; ++i) {
    if (!isfinite(v[i])) return refuse_dof(m, i, what, error);
    if (!hfi_is_speed(v[i]))
      return hfi_refuse(error, HF_ERROR_NONFINITE,
                        "%s of %s on %s is %g: speeds above %g have no energy that can be computed", what,
                        label_of_dof_joint(m, i).text, label_of_dof_body(m, i).text, v[i], hfi_largest_speed);
  }
  return HF_OK;
}

// Coordinates beyond this are refused [m, rad]: products of three of them would leave the range of numbers.
static const double LARGEST_COORDINATE = 1e100;

// Whether all coordinates are finite and at most LARGEST_COORDINATE in size. It is also 0 if the sum of their squares
// exceeds its square.
static int are_surely_coordinates(const double* q, int count) {
  return hfi_sum_squares(q, count) <= LARGEST_COORDINATE * LARGEST_COORDINATE;
}

// Refuses coordinates of joint j that are not finite or too large; names the joint.
static hfStatus check_coordinates(const hfModel* m, int j, const double* q, hfError* error) {
  const double* first = q + hf_model_jnt_qposadr(m)[j];
  int count = hfi_joint_nq(hf_model_jnt_type(m)[j]);
  int dof = hf_model_jnt_dofadr(m)[j];
  if (!hfi_all_finite(first, count)) return refuse_dof(m, dof, "position", error);

  // the numbers of a quaternion may have any size: its direction counts
  int quat = hfi_joint_kinds[hf_model_jnt_type(m)[j]].info.quat;
  for (int i = 0; i < count; ++i)
    if (fabs(first[i]) > LARGEST_COORDINATE && (quat < 0 || i < quat))
      return hfi_refuse(error, HF_ERROR_NONFINITE,
                        "position of %s on %s is %g: coordinates above %g cannot be computed with",
                        label_of_dof_joint(m, dof).text, label_of_dof_body(m, dof).text, first[i], LARGEST_COORDINATE);
  return HF_OK;
}

// Refuses numbers of the state that are not finite, coordinates that are too large, and velocities that are too large.
static hfStatus check_state(const hfSim* s, const hfState* state, hfError* error) {
  const hfModel* m = s->model;
  if (!isfinite(state->time)) return hfi_refuse(error, HF_ERROR_NONFINITE, "the time of the state is not finite");

  for (int j = 0; j < m->njnt; ++j) {
    hfStatus status = check_coordinates(m, j, hf_state_q(state), error);
    if (status != HF_OK) return status;
  }

  hfStatus status = hfi_sim_check_velocities(s, hf_state_v(state), "velocity", error);
  if (status != HF_OK) return status;

  for (int i = 0; i < m->na; ++i)
    if (!isfinite(hf_state_act(state)[i]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "activation %d is not finite", i);
  if (!hfi_all_finite(hf_state_rest(state), m->nrest))
    return hfi_refuse(error, HF_ERROR_NONFINITE, "the rest of a spring is not finite");
  return HF_OK;
}

// Refuses histories whose times do not ascend, since values between two samples are interpolated. States come from
// files and programs and may hold anything.
static hfStatus check_histories(const hfModel* m, const hfState* state, hfError* error) {
  if (!m->nhistory) return HF_OK;

  for (int i = 0; i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    // n times, then n controls
    if (n > 0 && !hfi_delay_is_sound(hf_state_history(state) + hf_model_actuator_historyadr(m)[i], n, 1))
      return hfi_refuse(error, HF_ERROR_NONFINITE,
                        "the history of %s has a number that is not finite, or times that do not ascend",
                        label_actuator(m, i).text);
  }

  for (int i = 0; i < m->nsensor; ++i) {
    int n = hf_model_sensor_nsample(m)[i];
    // the tick, n + 1 times, then the measurements; a width of 0 checks the times alone
    const double* history = hf_state_history(state) + hf_model_sensor_historyadr(m)[i];
    if (n > 0 && (!isfinite(history[0]) || !hfi_delay_is_sound(history + 1, n + 1, 0)))
      return hfi_refuse(error, HF_ERROR_NONFINITE,
                        "the history of %s has a time that is not finite, or times that do not ascend",
                        hfi_model_label(m, HF_OBJECT_SENSOR, i).text);
  }
  return HF_OK;
}

// ---- the input --------------------------------------------------------------------------------------

// Whether a control is finite, or is NaN where a signal of the scene sets it.
static int is_allowed_control(const hfModel* m, const double* ctrl, int i) {
  return isfinite(ctrl[i]) || (isnan(ctrl[i]) && hf_model_actuator_signal(m)[i] >= 0);
}

// Refuses numbers of the input that are not finite, except targets and their limits.
static hfStatus check_input(const hfSim* s, const hfInput* in, hfError* error) {
  const hfModel* m = s->model;
  if (!in) return HF_OK;

  for (int i = 0; in->ctrl && i < m->nu; ++i)
    if (!is_allowed_control(m, in->ctrl, i))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "input ctrl[%d] of %s is not finite", i, label_actuator(m, i).text);

  const struct {
    const double* x;
    int rows, columns;
    const char* name;
    hfiLabel (*label)(const hfModel* m, int row);
  } arrays[] = {{in->force, m->nv, 1, "force", label_of_dof_joint},
                {(const double*)in->wrench, m->nbody, 6, "wrench", label_body},
                {in->mocap_pos, m->nmocap, 3, "mocap_pos", label_mocap},
                {in->mocap_quat, m->nmocap, 4, "mocap_quat", label_mocap}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
    for (int i = 0; arrays[k].x && i < arrays[k].rows * arrays[k].columns; ++i) {
      int row = i / arrays[k].columns;
      if (!isfinite(arrays[k].x[i]))
        return hfi_refuse(error, HF_ERROR_NONFINITE, "input %s[%d] of %s is not finite", arrays[k].name, row,
                          arrays[k].label(m, row).text);
    }
  return HF_OK;
}

// Refuses velocity targets that are infinite, and all targets if the method has none. NaN: no target. At least one is
// not NaN.
static hfStatus check_targets(const hfSim* s, const double* target, hfError* error) {
  for (int i = 0; i < s->model->nv; ++i) {
    if (isnan(target[i])) continue;
    if (!hfi_method_is(s->method, HFI_DISCRETE_TIME))
      return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "velocity targets belong to the methods of discrete time");
    if (isinf(target[i])) return refuse_dof(s->model, i, "velocity target", error);
  }
  return HF_OK;
}

// Refuses limits (nv) of the force on velocity targets that are negative or NaN. They may be infinite.
static hfStatus check_limits(const hfSim* s, const double* limit, hfError* error) {
  if (!limit || hfi_none_negative(limit, s->model->nv)) return HF_OK;
  for (int i = 0; i < s->model->nv; ++i)
    if (!(limit[i] >= 0))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "input force_limit[%d] of %s is %g: it must not be negative", i,
                        label_of_dof_joint(s->model, i).text, limit[i]);
  return HF_OK;
}

// ---- both -------------------------------------------------------------------------------------------

// Whether a quick test shows that state and input are sound: one sum over all their numbers is finite, so that each of
// them is, and no speed or coordinate is too large. Controls of a scene with signals are tested one by one, because NaN
// is usual there. wrenches: the sum of the squares of all wrenches.
static int are_surely_sound(const hfModel* m, const hfState* state, const hfInput* in, double wrenches) {
  if (!hfi_surely_speeds(hf_state_v(state), m->nv)) return 0;
  if (!are_surely_coordinates(hf_state_q(state), m->nq)) return 0;
  double sum = wrenches + state->time;
  if (m->na) sum += hfi_sum(hf_state_act(state), m->na);
  if (m->nrest) sum += hfi_sum(hf_state_rest(state), m->nrest);
  if (!in) return isfinite(sum);

  if (in->ctrl && m->nu && !m->nsignal) sum += hfi_sum(in->ctrl, m->nu);
  for (int i = 0; in->ctrl && m->nsignal && i < m->nu; ++i)
    if (!is_allowed_control(m, in->ctrl, i)) return 0;
  if (in->force) sum += hfi_sum(in->force, m->nv);
  if (in->mocap_pos && m->nmocap) sum += hfi_sum(in->mocap_pos, 3 * m->nmocap);
  if (in->mocap_quat && m->nmocap) sum += hfi_sum(in->mocap_quat, 4 * m->nmocap);
  return isfinite(sum);
}

// Refuses coefficients of restitution with a method that does not read them: bodies would not rebound.
hfStatus hfi_sim_check_restitution(const hfSim* s, hfError* error) {
  const hfModel* m = s->model;
  if (hfi_method_is(s->method, HFI_DISCRETE_TIME)) return HF_OK;

  for (int g = 0; g < m->ngeom; ++g) {
    double e = hf_model_geom_restitution(m)[g];
    if (e == 0) continue;
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "%s: a restitution of %g belongs to the methods \"tamsi\", \"convex\" and \"mlcp\"; "
                      "method \"%s\" %s",
                      hfi_model_label(m, HF_OBJECT_GEOM, g).text, e, hf_method_name(s->config.method),
                      s->config.method == HF_METHOD_SWITCHING ? "has the option switching.restitution"
                                                              : "knows only the dissipation of contacts");
  }
  return HF_OK;
}

// Refuses a state or an input that a step could not use. Otherwise takes over parameters that have changed, and makes
// the world read the state's histories and rests. Writes s->input.has_wrenches and .has_targets.
hfStatus hfi_sim_begin(hfSim* s, const hfState* state, const hfInput* in, hfError* error) {
  const hfModel* m = s->model;
  double wrenches = in && in->wrench ? hfi_sum_squares((const double*)in->wrench, 6 * m->nbody) : 0;
  s->input.has_wrenches = !(wrenches == 0); // NaN counts as one
  s->input.has_targets = in && in->velocity_target && !hfi_all_nan(in->velocity_target, m->nv);

  // number by number only where the quick test fails, to name the number that is wrong
  hfStatus status = check_size(s, state, error);
  if (status == HF_OK && !are_surely_sound(m, state, in, wrenches)) {
    status = check_state(s, state, error);
    if (status == HF_OK) status = check_input(s, in, error);
  }
  if (status == HF_OK) status = check_histories(m, state, error);
  if (status == HF_OK && s->input.has_targets) status = check_targets(s, in->velocity_target, error);
  if (status == HF_OK && in) status = check_limits(s, in->force_limit, error);
  if (status != HF_OK) return status;

  // parameters have changed
  if (hfi_world_is_outdated(s->world)) {
    status = hfi_sim_check_restitution(s, error);
    if (status != HF_OK) return status;
    hfi_discrete_refresh(s->maker, hfi_world_refresh(s->world));
  }
  hfi_world_set_history(s->world, hf_state_history(state));
  hfi_dynamics_rest_as(&s->world->dynamics, state);
  return HF_OK;
}

// Computes the poses of the world, if the sim is at this state. Refuses any other state.
hfStatus hfi_sim_complete_at(hfSim* s, const hfState* state, hfError* error) {
  hfiWorld* w = s->world;
  if (!hfi_world_is_at(w, state))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the sim is not at this state: step or evaluate it first");
  hfi_world_need(w, HFI_FRESH_PLACED);
  return HF_OK;
}
