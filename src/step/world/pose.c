// Brings the world to a configuration: q and the poses of mocap bodies. The poses of all bodies and geoms follow from
// these, and are computed only if somebody needs them (hfiFresh).
#include "step/world/world.h"

#include <string.h>

// Return position and orientation of mocap body i, from the input or else from the model.
static const double* mocap_position(const hfModel* m, const hfInput* in, int i) {
  return in && in->mocap_pos ? in->mocap_pos + 3 * i : hf_model_body_pos(m) + 3 * hf_model_mocap_body(m)[i];
}
static const double* mocap_orientation(const hfModel* m, const hfInput* in, int i) {
  return in && in->mocap_quat ? in->mocap_quat + 4 * i : hf_model_body_quat(m) + 4 * hf_model_mocap_body(m)[i];
}

// Whether q and the mocap poses of the input are those of the last call, to the last bit.
static int is_same_point(const hfiWorld* w, const double* q, const hfInput* in) {
  const hfModel* m = w->model;

  if (!(w->fresh & HFI_FRESH_POINT)) return 0;
  if (memcmp(q, w->q, sizeof *q * (size_t)m->nq) != 0) return 0;
  for (int i = 0; i < m->nmocap; ++i) {
    const double* pose = w->mocap + 7 * i;
    if (memcmp(mocap_position(m, in, i), pose, 3 * sizeof *q) != 0) return 0;
    if (memcmp(mocap_orientation(m, in, i), pose + 3, 4 * sizeof *q) != 0) return 0;
  }
  return 1;
}

// Sets the world's q and mocap poses. If they are new, nothing else belongs to them yet.
static void set_point(hfiWorld* w, const double* q, const hfInput* in) {
  const hfModel* m = w->model;

  if (is_same_point(w, q, in)) return;
  memcpy(w->q, q, sizeof *q * (size_t)m->nq);
  for (int i = 0; i < m->nmocap; ++i) {
    memcpy(w->mocap + 7 * i, mocap_position(m, in, i), 3 * sizeof *q);
    memcpy(w->mocap + 7 * i + 3, mocap_orientation(m, in, i), 4 * sizeof *q);
  }
  w->fresh = HFI_FRESH_POINT;
  hfi_near_forget(&w->near);
}

// Computes the poses of bodies, unless they belong to the present point. in: the input with its mocap poses.
static void compute_poses(hfiWorld* w, const hfInput* in) {
  if (w->fresh & HFI_FRESH_POSES) return;
  hfi_dynamics_pose(&w->dynamics, w->q, in);
  w->fresh |= HFI_FRESH_POSES;
}

// Computes what is missing of a part (hfiFresh) at the present point.
void hfi_world_need(hfiWorld* w, hfiFresh part) {
  if (!(w->fresh & HFI_FRESH_POINT) || w->fresh & (uint32_t)part) return;

  compute_poses(w, NULL); // Poses of a world with mocap bodies have been computed by hfi_world_go.
  if (part != HFI_FRESH_PLACED) return;
  hfi_dynamics_complete(&w->dynamics);
  w->fresh |= HFI_FRESH_PLACED;
}

// Brings the world to q (nq) and the mocap poses of the input, and computes the poses of bodies.
void hfi_world_pose(hfiWorld* w, const double* q, const hfInput* in) {
  set_point(w, q, in);
  compute_poses(w, in);
}

// Brings the world to q (nq) and the mocap poses of the input, and computes all that depends on poses.
void hfi_world_place(hfiWorld* w, const double* q, const hfInput* in) {
  hfi_world_pose(w, q, in);
  hfi_world_need(w, HFI_FRESH_PLACED);
}

// Brings the world to q (nq) and the mocap poses of the input, and computes poses only when they are needed.
void hfi_world_go(hfiWorld* w, const double* q, const hfInput* in) {
  // the input may no longer exist when somebody asks for the poses
  if (w->model->nmocap) {
    hfi_world_pose(w, q, in);
    return;
  }
  set_point(w, q, in);
}

// Marks that nothing belongs to the present point any more.
void hfi_world_forget(hfiWorld* w) { w->fresh = 0; }

// Whether the world is at the coordinates of a state.
int hfi_world_is_at(const hfiWorld* w, const hfState* s) {
  if (!(w->fresh & HFI_FRESH_POINT) || s->nq != w->model->nq) return 0;
  return memcmp(hf_state_q(s), w->q, sizeof *w->q * (size_t)s->nq) == 0;
}

// Remembers the present poses as those of the start of the step.
void hfi_world_mark_start(hfiWorld* w) {
  memcpy(w->X0_WB, w->dynamics.X_WB, sizeof *w->X0_WB * (size_t)w->model->nbody);
}
