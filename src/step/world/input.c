// What a user or controller gives to a step (controls, velocity targets, forces and wrenches), and the state as one
// vector.
#include "step/world/world.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include "model/history.h"
#include "model/state_parts.h"

#include <string.h>

// ---- controls ---------------------------------------------------------------------------------------

// Writes the controls ctrl (nu) that are given at time t: from the input, else from the scene's signals, else
// zero.
void hfi_world_read_controls(const hfiWorld* w, double t, const hfInput* in, double* ctrl) {
  const hfModel* m = w->model;
  int nu = m->nu;

  if (!m->nsignal && in && in->ctrl) {
    memcpy(ctrl, in->ctrl, sizeof *ctrl * (size_t)nu);
    return;
  }

  // signals, then what the input gives
  memset(ctrl, 0, sizeof *ctrl * (size_t)nu);
  if (w->config.scene_signals && m->nsignal) hf_signal_controls(m, t, ctrl);
  for (int i = 0; i < nu; ++i)
    if (hfi_control_is_given(in, i)) ctrl[i] = in->ctrl[i];
}

// Sets the history (hfState) of the state that is simulated from now on.
void hfi_world_set_history(hfiWorld* w, const double* history) { w->history = history; }

// Reads the controls that are given at time t into w->given, and finds those that act then, w->ctrl.
void hfi_world_load(hfiWorld* w, double t, const hfInput* in) {
  const hfModel* m = w->model;
  if (!m->nu) return;

  hfi_world_read_controls(w, t, in, w->given);
  if (!m->nhistory) return;

  // an actuator with a delay acts by an earlier control
  memcpy(w->ctrl, w->given, sizeof *w->ctrl * (size_t)m->nu);
  for (int i = 0; w->history && i < m->nu; ++i) {
    double delay = hf_model_actuator_delay(m)[i];
    const double* history = w->history + hf_model_actuator_historyadr(m)[i];
    int n = hf_model_actuator_nsample(m)[i];
    if (delay > 0) hfi_delay_read(history, history + n, n, 1, hf_model_actuator_interp(m)[i], t - delay, &w->ctrl[i]);
  }
}

// ---- targets and forces -----------------------------------------------------------------------------

// Returns the velocity targets (nv) of the input, or NULL if it has none.
const double* hfi_world_targets(const hfiWorld* w, const hfInput* in) {
  const double* target = in ? in->velocity_target : NULL;
  return target && !hfi_all_nan(target, w->model->nv) ? target : NULL;
}

// tau (nv) += forces and wrenches of the input.
void hfi_world_add_applied(const hfiWorld* w, const hfInput* in, double* tau) {
  const hfModel* m = w->model;
  const double* wrench = in ? (const double*)in->wrench : NULL;

  if (in && in->force) hfi_axpy(tau, 1, in->force, m->nv);
  if (!wrench || !(hfi_sum_squares(wrench, 6 * m->nbody) > 0)) return;

  for (int b = 1; b < m->nbody; ++b) {
    hfForce F = in->wrench[b];
    if (!(v3_norm2(F.n) + v3_norm2(F.f) > 0)) continue;
    hfi_jacobian_transpose_add(&w->dynamics, b, hfi_body_com(&w->dynamics, b), F, tau);
  }
}

// ---- the state as one vector x = (q, v, act) for the methods of continuous time -----------------------

// Copies the parts of a state that an integrator follows to x, one behind the other.
void hfi_state_load(const hfState* s, double* x) {
  char* to = (char*)x;
  for (int k = 0; k < HFI_STATE_PARTS; ++k) {
    const hfiStatePart* part = &hfi_state_parts[k];
    if (!hfi_state_part_is_integrated(part)) continue;

    size_t bytes = hfi_state_part_bytes(s, part);
    memcpy(to, hfi_state_part(s, part), bytes);
    to += bytes;
  }
}

// Copies x back to these parts.
void hfi_state_store(hfState* s, const double* x) {
  const char* from = (const char*)x;
  for (int k = 0; k < HFI_STATE_PARTS; ++k) {
    const hfiStatePart* part = &hfi_state_parts[k];
    if (!hfi_state_part_is_integrated(part)) continue;

    size_t bytes = hfi_state_part_bytes(s, part);
    memcpy(hfi_state_part(s, part), from, bytes);
    from += bytes;
  }
}
