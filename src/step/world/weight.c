// Inverse weights: how much a force or torque moves a body, over all directions, at the reference pose.
//
//   w_B = trace(J M^-1 J^T)/3,   J the Jacobian of the velocity of Bcm, or of the angular velocity, at qpos0
//   w_B = 1/m_B for a force and 0 for a torque, where a body slides by itself (is_lone_slider)
//
// For contacts, limits and equalities whose softness solref and solimp define, MuJoCo takes as inverse masses these
// weights, J M^-1 J^T of tendons, and the diagonal of M^-1. An equality has the sum of the weights of its two sides.
#include "step/world/inside.h"

#include "base/finite.h"
#include "model/object.h"
#include "step/actuation/rows.h"

// ---- bodies -----------------------------------------------------------------------------------------

// Distance [m], or component of a unit vector [-], up to which two frames or axes are the same.
static const double SAME_FRAME = 1e-9;

// Whether a vector of three numbers is zero.
static int is_zero(const double* x) {
  return fabs(x[0]) < SAME_FRAME && fabs(x[1]) < SAME_FRAME && fabs(x[2]) < SAME_FRAME;
}

// Whether an axis lies along one of the coordinate axes.
static int is_along_an_axis(const double* u) {
  return (fabs(u[0]) > SAME_FRAME) + (fabs(u[1]) > SAME_FRAME) + (fabs(u[2]) > SAME_FRAME) == 1;
}

// Whether a body is fixed in the world: the world itself, or a child of the world without dofs.
static int is_base(const hfModel* m, int body) {
  return body == 0 || (hf_model_body_parent(m)[body] == 0 && hf_model_body_dofnum(m)[body] == 0);
}

// Whether a body slides by itself. MuJoCo weighs such bodies as if they could move in all directions (body_simple = 2):
// they have no joints but slides along the axes of their frame, their frame is the frame of their inertia, and they
// neither carry a body nor hang on a body that moves.
static int is_lone_slider(const hfModel* m, int body) {
  int first = hf_model_body_jntadr(m)[body];
  int n = hf_model_body_jntnum(m)[body];

  if (!is_base(m, hf_model_body_parent(m)[body]) || hf_model_body_subtreeend(m)[body] > body + 1) return 0;
  if (!is_zero(hf_model_body_com(m) + 3 * body) || !is_zero(hf_model_body_iquat(m) + 4 * body + 1)) return 0;

  for (int j = first; j < first + n; ++j) {
    if (hf_model_jnt_type(m)[j] != HF_JOINT_SLIDE) return 0;
    if (!is_along_an_axis(hf_model_jnt_axis(m) + 3 * j) || !is_zero(hf_model_jnt_pos(m) + 3 * j)) return 0;
  }
  return n > 0;
}

// Returns the inverse weight of a body for a force [1/kg] or, with rotation = 1, for a torque [1/(kg m^2)]. Uses two
// arrays of the actuation as scratch; the first of them, dense (nv), is zero before and after.
static double weigh_body(hfiWorld* w, int body, int rotation) {
  const hfDynamics* d = &w->dynamics;
  double* x = w->actuation.dense;
  hfMotion* column = w->actuation.column[0];
  if (is_lone_slider(d->model, body)) return rotation ? 0 : 1 / hf_model_body_mass(d->model)[body];

  // the sum of J M^-1 J^T over the three axes
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);
  double sum = 0;
  hfi_jacobian_columns(d, body, hfi_body_com(d, body), column);
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < n; ++i) x[dofs[i]] = v3_get(rotation ? column[i].w : column[i].v, axis);
    hf_dynamics_solve(d, x);
    for (int i = 0; i < n; ++i) sum += x[dofs[i]] * v3_get(rotation ? column[i].w : column[i].v, axis);
    for (int i = 0; i < d->model->nv; ++i) x[i] = 0;
  }
  return sum / 3;
}

// Writes the inverse weights of all bodies that move.
static void weigh_bodies(hfiWorld* w) {
  for (int b = 1; b < w->model->nbody; ++b)
    if (hf_model_body_lastdof(w->model)[b] >= 0) w->weight[b] = weigh_body(w, b, 0);
}

// ---- equalities and tendons ---------------------------------------------------------------------------

// Returns the inverse weight of one side of an equality: object `id` of a kind (hfObjectKind); id < 0: the world, or
// none.
static double weigh_side(hfiWorld* w, int kind, int id, int rotation) {
  const hfModel* m = w->model;

  if (id < 0) return 0;
  if (kind == HF_OBJECT_TENDON) return w->actuation.reference_mass.tendon[id];
  if (kind == HF_OBJECT_JOINT) return w->actuation.reference_mass.dof[hf_model_jnt_dofadr(m)[id]];

  int body = kind == HF_OBJECT_SITE ? hf_model_site_body(m)[id] : id;
  return hf_model_body_lastdof(m)[body] < 0 ? 0 : weigh_body(w, body, rotation);
}

// Writes the inverse masses of all equalities at the reference pose. A weld has a second one, for its torques.
static void weigh_equalities(hfiWorld* w) {
  const hfModel* m = w->model;

  for (int i = 0; i < m->neq; ++i) {
    int type = hf_model_eq_type(m)[i];
    int kind = hfi_equality_target(type, hf_model_eq_objkind(m)[i]);
    int nweight = type == HF_EQUALITY_WELD ? 2 : 1;
    for (int rotation = 0; rotation < nweight; ++rotation) {
      double first = weigh_side(w, kind, hf_model_eq_obj1(m)[i], rotation);
      double second = weigh_side(w, kind, hf_model_eq_obj2(m)[i], rotation);
      w->actuation.reference_mass.equality[2 * i + rotation] = first + second;
    }
  }
}

// Writes the inverse masses of all tendons at the reference pose.
static void weigh_tendons(hfiWorld* w) {
  hf_actuation_update(&w->actuation, &w->dynamics, hf_model_qpos0(w->model));
  for (int t = 0; t < w->model->ntendon; ++t)
    w->actuation.reference_mass.tendon[t] = hfi_tendon_inverse_mass(&w->actuation, &w->dynamics, t);
}

// ---- which weights ------------------------------------------------------------------------------------

// Whether some geom or pair has MuJoCo's parameters.
static int has_soft_contacts(const hfModel* m) {
  return hfi_any_nonzero(hf_model_geom_solref(m), 2 * m->ngeom) ||
         hfi_any_nonzero(hf_model_geom_solimp(m), 5 * m->ngeom) ||
         hfi_any_nonzero(hf_model_pair_solref(m), 2 * m->npair) ||
         hfi_any_nonzero(hf_model_pair_solimp(m), 5 * m->npair);
}

// Which weights are needed.
typedef struct NeededWeights { int contacts, equalities, tendons, dofs; } NeededWeights;

// Returns which weights are needed. soft: 1 if MuJoCo's softness is the default of everything.
static NeededWeights find_needed(const hfModel* m, int soft) {
  NeededWeights needed;
  needed.contacts = soft || has_soft_contacts(m);
  needed.equalities = m->neq > 0 && (soft || hfi_any_nonzero(hf_model_eq_solref(m), 2 * m->neq));
  int has_soft_tendons = hfi_any_nonzero(hf_model_tendon_limit_solref(m), 2 * m->ntendon);
  needed.tendons = m->ntendon > 0 && (soft || needed.equalities || has_soft_tendons);
  needed.dofs = soft || needed.equalities || hfi_any_nonzero(hf_model_jnt_limit_solref(m), 2 * m->njnt);
  return needed;
}

// Computes the inverse weights that are needed, at the reference pose, and forgets the present pose.
void hfi_world_weigh(hfiWorld* w) {
  const hfModel* m = w->model;
  NeededWeights needed = find_needed(m, w->config.mujoco_softness);

  for (int b = 0; b < m->nbody; ++b) w->weight[b] = 0;
  if (!needed.contacts && !needed.dofs && !needed.tendons) return;

  // the reference pose
  hf_dynamics_set_position(&w->dynamics, hf_model_qpos0(m), NULL);
  hf_dynamics_update_mass_matrix(&w->dynamics);
  hf_dynamics_factor(&w->dynamics);

  if (needed.contacts) weigh_bodies(w);
  for (int i = 0; needed.dofs && i < m->nv; ++i)
    w->actuation.reference_mass.dof[i] = hfi_dof_inverse_mass(&w->dynamics, i);
  if (needed.tendons) weigh_tendons(w);
  if (needed.equalities) weigh_equalities(w);
  hfi_world_forget(w);
}
