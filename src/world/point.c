// Brings a world to a point (q, v, t and inputs): poses, controls, applied forces, contacts.
#include "world/world.h"

#include "base/finite.h"
#include "linalg/dense.h"
#include "model/delay.h"

#include <string.h>

// ---- poses ------------------------------------------------------------------------------------------

// Position and orientation of mocap body i, from the input or else from the model.
static const double* mocap_position(const hfModel* m, const hfInput* in, int i) {
  return in && in->mocap_pos ? in->mocap_pos + 3 * i : hf_model_body_pos(m) + 3 * hf_model_mocap_body(m)[i];
}
static const double* mocap_orientation(const hfModel* m, const hfInput* in, int i) {
  return in && in->mocap_quat ? in->mocap_quat + 4 * i : hf_model_body_quat(m) + 4 * hf_model_mocap_body(m)[i];
}

static int is_there(const hfiWorld* w, const double* q, const hfInput* in) {
  const hfModel* m = w->model;
  if (!w->placed || memcmp(q, w->q, sizeof *q * (size_t)m->nq) != 0) return 0;
  for (int i = 0; i < m->nmocap; ++i)
    if (memcmp(mocap_position(m, in, i), w->mocap + 7 * i, 3 * sizeof *q) != 0 ||
        memcmp(mocap_orientation(m, in, i), w->mocap + 7 * i + 3, 4 * sizeof *q) != 0)
      return 0;
  return 1;
}

static void aim(hfiWorld* w, const double* q, const hfInput* in) {
  const hfModel* m = w->model;
  if (is_there(w, q, in)) return;
  memcpy(w->q, q, sizeof *q * (size_t)m->nq);
  for (int i = 0; i < m->nmocap; ++i) {
    memcpy(w->mocap + 7 * i, mocap_position(m, in, i), 3 * sizeof *q);
    memcpy(w->mocap + 7 * i + 3, mocap_orientation(m, in, i), 4 * sizeof *q);
  }
  w->placed = HFI_DUE;
  w->has_points = 0;
}

void hfi_world_pose(hfiWorld* w, const double* q, const hfInput* in) {
  aim(w, q, in);
  if (w->placed >= HFI_POSED) return;
  hfi_dynamics_pose(&w->dynamics, q, in);
  w->placed = HFI_POSED;
}

void hfi_world_place(hfiWorld* w, const double* q, const hfInput* in) {
  hfi_world_pose(w, q, in);
  if (w->placed == HFI_PLACED) return;
  hfi_dynamics_complete(&w->dynamics);
  w->placed = HFI_PLACED;
}

void hfi_world_go(hfiWorld* w, const double* q, const hfInput* in) {
  if (w->model->nmocap) hfi_world_pose(w, q, in); // The input may no longer exist when somebody asks for the poses.
  else aim(w, q, in);
}

void hfi_world_complete(hfiWorld* w) {
  if (w->placed == HFI_DUE) hfi_dynamics_pose(&w->dynamics, w->q, NULL);
  if (w->placed == HFI_DUE || w->placed == HFI_POSED) hfi_dynamics_complete(&w->dynamics), w->placed = HFI_PLACED;
}

void hfi_world_mark_start(hfiWorld* w) {
  memcpy(w->X0_WB, w->dynamics.X_WB, sizeof *w->X0_WB * (size_t)w->model->nbody);
}

// ---- inputs -----------------------------------------------------------------------------------------

void hfi_world_read_controls(const hfiWorld* w, double t, const hfInput* in, double* ctrl) {
  int nu = w->model->nu, signals = w->config.scene_signals && w->model->nsignal;
  if (!w->model->nsignal && in && in->ctrl) {
    memcpy(ctrl, in->ctrl, sizeof *ctrl * (size_t)nu);
    return;
  }
  memset(ctrl, 0, sizeof *ctrl * (size_t)nu);
  if (signals) hf_signal_controls(w->model, t, ctrl);
  for (int i = 0; i < nu; ++i)
    if (hfi_control_is_given(in, i)) ctrl[i] = in->ctrl[i];
}

void hfi_world_load(hfiWorld* w, double t, const hfInput* in) {
  const hfModel* m = w->model;
  if (!m->nu) return;
  hfi_world_read_controls(w, t, in, w->given);
  if (!m->nhistory) return;
  memcpy(w->ctrl, w->given, sizeof *w->ctrl * (size_t)m->nu);
  for (int i = 0; w->history && i < m->nu; ++i) {
    double delay = hf_model_actuator_delay(m)[i];
    const double* history = w->history + hf_model_actuator_historyadr(m)[i];
    int n = hf_model_actuator_nsample(m)[i];
    if (delay > 0) hfi_delay_read(history, history + n, n, 1, hf_model_actuator_interp(m)[i], t - delay, &w->ctrl[i]);
  }
}

const double* hfi_world_targets(const hfiWorld* w, const hfInput* in) {
  const double* target = in ? in->velocity_target : NULL;
  return target && !hfi_all_nan(target, w->model->nv) ? target : NULL;
}

void hfi_world_add_applied(const hfiWorld* w, const hfInput* in, double* tau) {
  const hfModel* m = w->model;
  if (in && in->force) hfi_axpy(tau, 1, in->force, m->nv);
  const double* wrench = in ? (const double*)in->wrench : NULL;
  if (!wrench || !(hfi_sum_squares(wrench, 6 * m->nbody) > 0)) return;
  for (int b = 1; b < m->nbody; ++b) {
    hfForce F = in->wrench[b];
    if (v3_norm2(F.n) + v3_norm2(F.f) > 0)
      hfi_jacobian_transpose_add(&w->dynamics, b, hfi_body_com(&w->dynamics, b), F, tau);
  }
}

// ---- contacts ---------------------------------------------------------------------------------------

static const hfiMaterial* listed_materials(const hfiWorld* w) { return w->scene.listed ? w->material : NULL; }

// Finds the points of all pairs at the present poses with a reach (ngeom, or NULL). Does nothing if they are known already, as in a world at rest.
static void find_points(hfiWorld* w, const double* reach) {
  size_t size = sizeof *reach * (size_t)w->model->ngeom;
  int keeps = reach && !w->scene.still;
  if (keeps && w->has_points && memcmp(reach, w->points_reach, size) == 0) return;
  w->nfound = hfi_scene_collide(&w->scene, w->dynamics.X_WG, reach, w->found, w->config.max_contacts, &w->ndropped);
  w->has_points = keeps && !w->scene.any_lessened; // Of such pairs more counts than the reach.
  if (keeps) memcpy(w->points_reach, reach, size);
}

// Computes how far each geom may move within the horizon. For trees that are far from all else this is the motion as seen from their first body.
// Returns 1 if there are such trees.
static int find_reach(hfiWorld* w, const hfMotion* V, double horizon, const double* push, double* reach, hfiFarthest* farthest) {
  *farthest = hfi_contact_reach(&w->dynamics, V, horizon, &w->scene, w->extent, push, NULL, reach);
  if (!hfi_world_mark_alone(w, V, horizon, reach)) return 0;
  *farthest = hfi_contact_reach(&w->dynamics, V, horizon, &w->scene, w->extent, push, w->alone, reach);
  return 1;
}

void hfi_world_find_contacts(hfiWorld* w, double gap, double horizon, const double* push) {
  const hfModel* m = w->model;
  w->ncontact = 0;
  if (!w->config.max_contacts) return;
  const hfDynamics* d = horizon > 0 ? &w->dynamics : NULL;
  w->scene.carrier = NULL;
  w->scene.pair_reach = d && w->scene.listed ? hfi_world_pair_reach : NULL, w->scene.mover = w;
  w->push = push, w->horizon = horizon;
  if (d && find_reach(w, d->V, horizon, push, w->reach, &w->farthest))
    hfi_world_set_carriers(w);
  else if (!d)
    for (int g = 0; gap > 0 && g < m->ngeom; ++g) w->reach[g] = 0.5 * gap;
  find_points(w, d || gap > 0 ? w->reach : NULL);
  double widest = hfi_contact_choose(m, d, horizon, gap, listed_materials(w), w->found, w->nfound, w->touched);
  hfi_world_drop_covered(w, w->dynamics.V, horizon, HFI_ACTS);
  if (widest > w->least_swept_gap) hfi_world_sweep(w, d->V, horizon, horizon, HFI_ACTS);
  if (w->is_sticky) hfi_world_let_stick(w);
  w->ncontact = hfi_contact_fill(m, listed_materials(w), &w->softness, w->found, w->nfound, w->contact);
}

int hfi_world_may_miss(const hfiWorld* w, const int32_t* unforeseen) {
  return w->nfound > w->ncontact && hfi_contact_may_be_missed(w->model, unforeseen, w->found, w->nfound);
}

const double* hfi_world_second_reach(hfiWorld* w, const hfMotion* V, double horizon) {
  double* reach = w->reach + w->model->ngeom;
  hfiFarthest farthest; // not used
  find_reach(w, V, horizon, NULL, reach, &farthest);
  w->second_V = V;
  return reach;
}

// Marks the geoms whose second reach is noticeably larger than the first and gives them the larger one. Returns whether there are any.
static int extend_reach(hfiWorld* w, const int32_t* unforeseen) {
  const hfModel* m = w->model;
  const int32_t *tree = hf_model_body_tree(m), *body = hf_model_geom_body(m);
  const double* reach = w->reach + m->ngeom;
  int any = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    int t = tree[body[g]];
    w->further[g] = t >= 0 && unforeseen[t] && reach[g] > w->reach[g] + HFI_FURTHER;
    if (w->further[g]) w->reach[g] = reach[g], any = 1;
  }
  return any;
}

void hfi_world_look_further(hfiWorld* w, const int32_t* marked) {
  int any = extend_reach(w, marked);
  if (!any && !w->scene.any_lessened) return;
  w->second_marked = marked;
  w->nfound = hfi_scene_look_further(&w->scene, w->dynamics.X_WG, w->reach, any ? w->further : NULL, w->found, w->nfound,
                                     w->config.max_contacts, &w->ndropped);
  w->has_points = 0;
}

int hfi_world_add_missed(hfiWorld* w, const hfMotion* V, double horizon, const int32_t* unforeseen, int further,
                         int32_t* number) {
  const hfModel* m = w->model;
  const hfiMaterial* listed = listed_materials(w);
  if (further) {
    hfi_world_second_reach(w, V, horizon);
    hfi_world_look_further(w, unforeseen);
  }
  if (!hfi_contact_find_missed(&w->dynamics, V, horizon, unforeseen, listed, w->found, w->nfound)) return 0;
  hfi_world_drop_covered(w, V, horizon, HFI_ACTS_NEWLY);
  hfi_world_sweep(w, V, horizon, 0, HFI_ACTS_NEWLY);
  int before = w->ncontact;
  w->ncontact = hfi_contact_insert(m, listed, &w->softness, w->found, w->nfound, w->contact, before, number);
  return w->ncontact > before;
}

// ---- state ------------------------------------------------------------------------------------------

void hfi_state_load(const hfState* s, double* x) {
  memcpy(x, hf_state_q(s), (size_t)s->nq * sizeof *x);
  memcpy(x + s->nq, hf_state_v(s), (size_t)s->nv * sizeof *x);
  memcpy(x + s->nq + s->nv, hf_state_act(s), (size_t)s->na * sizeof *x);
}

void hfi_state_store(hfState* s, const double* x) {
  memcpy(hf_state_mutable_q(s), x, (size_t)s->nq * sizeof *x);
  memcpy(hf_state_mutable_v(s), x + s->nq, (size_t)s->nv * sizeof *x);
  memcpy(hf_state_mutable_act(s), x + s->nq + s->nv, (size_t)s->na * sizeof *x);
}
