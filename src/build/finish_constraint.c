// Tendons, equalities and springs, with their values at qpos0.
#include "build/finish.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/path.h"

#include <stdlib.h>
#include <string.h>

// ---- tendons -------------------------------------------------------------------------------------

// Poses of all bodies at qpos0 and where the springs rest.
typedef struct Reference { hfPose *at_qpos0, *at_rest; } Reference;

// Fills the wraps of a fixed tendon. Returns its length at the rests of the springs.
static double fill_tendon_joints(hfiFinish* f, const hfTendonDef* d, int at) {
  hfModel* m = f->m;
  double rest = 0;
  for (int k = 0; k < d->count; ++k) {
    int j = f->order.new_joint[d->joint[k]];
    hfi_set_wrap_type(m)[at + k] = HF_WRAP_JOINT;
    hfi_set_wrap_obj(m)[at + k] = j;
    hfi_set_wrap_side(m)[at + k] = -1;
    hfi_set_wrap_coef(m)[at + k] = d->coef[k];
    rest += d->coef[k] * hf_model_qpos_spring(m)[hf_model_jnt_qposadr(m)[j]];
  }
  return rest;
}

// Fills the wraps of a spatial tendon. Returns its length at the rests of the springs.
static double fill_path(hfiFinish* f, int i, int at, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];
  for (int k = 0; k < d->path_count; ++k) {
    const hfWrapDef* w = &d->path[k];
    int kind = w->type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM, pulley = w->type == HF_WRAP_PULLEY;
    hfi_set_wrap_type(m)[at + k] = w->type;
    hfi_set_wrap_obj(m)[at + k] = pulley ? -1 : hfi_order_map(&f->order, kind, w->obj);
    hfi_set_wrap_side(m)[at + k] = w->type == HF_WRAP_GEOM ? hfi_order_map(&f->order, HF_OBJECT_SITE, w->side) : -1;
    hfi_set_wrap_coef(m)[at + k] = pulley ? w->divisor : 0;
  }
  hfi_set_tendon_length0(m)[i] = hfi_path_length(m, reference->at_qpos0, i);
  return hfi_path_length(m, reference->at_rest, i);
}

static void fill_tendon(hfiFinish* f, int i, int at, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];
  hfi_set_tendon_adr(m)[i] = at;
  hfi_set_tendon_num(m)[i] = d->count + d->path_count;
  hfi_set_tendon_limited(m)[i] = d->limited != 0;
  hfi_set_tendon_actfrclimited(m)[i] = d->actfrclimited != 0;
  memcpy(hfi_set_tendon_range(m) + 2 * i, d->range, sizeof d->range);
  memcpy(hfi_set_tendon_actfrcrange(m) + 2 * i, d->actfrcrange, sizeof d->actfrcrange);
  hfi_set_tendon_margin(m)[i] = d->margin;
  memcpy(hfi_set_tendon_limit_solref(m) + 2 * i, d->limit_solref, sizeof d->limit_solref);
  memcpy(hfi_set_tendon_limit_solimp(m) + 5 * i, d->limit_solimp, sizeof d->limit_solimp);
  hfi_set_tendon_stiffness(m)[i] = d->stiffness;
  hfi_set_tendon_springyield(m)[i] = d->springyield;
  hfi_set_tendon_damping(m)[i] = d->damping;
  memcpy(hfi_set_tendon_stiffness_poly(m) + 2 * i, d->stiffness_poly, sizeof d->stiffness_poly);
  memcpy(hfi_set_tendon_damping_poly(m) + 2 * i, d->damping_poly, sizeof d->damping_poly);
  hfi_set_tendon_frictionloss(m)[i] = d->frictionloss;
  hfi_set_tendon_armature(m)[i] = d->armature;
  double rest = d->path_count > 0 ? fill_path(f, i, at, reference) : fill_tendon_joints(f, d, at);
  int rests = d->springlength[0] == -1 && d->springlength[1] == -1;
  hfi_set_tendon_springlength(m)[2 * i] = rests ? rest : d->springlength[0];
  hfi_set_tendon_springlength(m)[2 * i + 1] = rests ? rest : d->springlength[1];
}

// ---- equalities ----------------------------------------------------------------------------------

// World pose at qpos0 of a body or site.
static hfPose object_pose(const hfModel* m, const hfPose* X_WB, int kind, int id) {
  if (id < 0) return pose_identity();
  if (kind != HF_OBJECT_SITE) return X_WB[id];
  return pose_mul(
      X_WB[hf_model_site_body(m)[id]],
      pose_from(v3_load(hf_model_site_pos(m) + 3 * id), q_load(hf_model_site_quat(m) + 4 * id)));
}

// The data of a connect: the anchor in object 1, then the same point at qpos0 in object 2. On sites both are zero.
static void fill_connect(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  if (d->objkind == HF_OBJECT_SITE) return;
  memcpy(data, d->data, 3 * sizeof *data);
  v3_store(data + 3, pose_inv_point(X_W2, pose_point(X_W1, v3_load(d->data))));
}

// The data of a weld: the anchor in object 2, the same point in object 1, the orientation of 2 in 1 (that at qpos0 unless a quaternion is given), the
// torque scale. On sites the frames themselves are welded.
static void fill_weld(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  memcpy(data, d->data, 11 * sizeof *data);
  if (d->objkind == HF_OBJECT_SITE) {
    for (int i = 0; i < 6; ++i) data[i] = 0;
    q_store(data + 6, q_identity());
  } else if (q_norm(q_load(d->data + 6)) > 1e-10) {
    q_store(data + 6, q_unit_once(q_load(d->data + 6)));
  } else {
    v3_store(data + 3, pose_inv_point(X_W1, pose_point(X_W2, v3_load(d->data))));
    q_store(data + 6, q_from_m3(m3_tmul(X_W1.R, X_W2.R)));
  }
}

static void fill_equality(hfiFinish* f, int i, const hfPose* X_WB) {
  hfModel* m = f->m;
  const hfEqualityDef* d = &f->b->equality.data[i];
  int kind = hfi_equality_target(d->type, d->objkind);
  int obj1 = hfi_order_map(&f->order, kind, d->obj1),
      obj2 = hfi_order_map(&f->order, kind, d->obj2);
  // A connect or weld without a second body is to the world.
  if (obj2 < 0 && kind == HF_OBJECT_BODY) obj2 = 0;
  hfi_set_eq_type(m)[i] = d->type;
  hfi_set_eq_objkind(m)[i] = kind;
  hfi_set_eq_obj1(m)[i] = obj1;
  hfi_set_eq_obj2(m)[i] = obj2;
  hfi_set_eq_active(m)[i] = d->active != 0;
  memcpy(hfi_set_eq_solref(m) + 2 * i, d->solref, sizeof d->solref);
  memcpy(hfi_set_eq_solimp(m) + 5 * i, d->solimp, sizeof d->solimp);
  double* data = hfi_set_eq_data(m) + 11 * i;
  if (d->type == HF_EQUALITY_CONNECT || d->type == HF_EQUALITY_WELD) {
    hfPose X_W1 = object_pose(m, X_WB, kind, obj1), X_W2 = object_pose(m, X_WB, kind, obj2);
    (d->type == HF_EQUALITY_CONNECT ? fill_connect : fill_weld)(d, data, X_W1, X_W2);
  } else
    memcpy(data, d->data, 5 * sizeof *data);
}

hfStatus hfi_finish_constraints(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfPose* X_WB = malloc(sizeof *X_WB * 2 * (size_t)m->nbody);
  if (!X_WB) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  Reference reference = {X_WB, X_WB + m->nbody};
  hfi_reference_poses(m, reference.at_qpos0);
  hfi_rest_poses(m, reference.at_rest);
  int at = 0;
  for (int i = 0; i < m->ntendon; at += hf_model_tendon_num(m)[i++]) fill_tendon(f, i, at, &reference);
  for (int i = 0; i < m->neq; ++i) fill_equality(f, i, X_WB);
  free(X_WB);
  return HF_OK;
}

// ---- springs by time constant -------------------------------------------------------------------

// A joint spring of time constant T and damping ratio zeta for the inertia I its dofs meet at qpos0 (one
// over the mean compliance): k = I/(T zeta)^2, d = 2 I/T.
static hfStatus fit_spring(hfModel* m, int j, double T, double zeta, double* row, hfError* error) {
  int first = hf_model_jnt_dofadr(m)[j], n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
  double mean = 0;
  for (int i = 0; i < n; ++i) {
    double compliance = 0;
    row[first + i] = 1;
    hfStatus status = hfi_reference_compliance(m, row, &compliance, error);
    row[first + i] = 0;
    if (status != HF_OK) return status;
    mean += compliance / n;
  }
  hfi_set_jnt_stiffness(m)[j] = 1 / (mean * sqr(T * zeta));
  for (int i = 0; i < n; ++i) hfi_set_dof_damping(m)[first + i] = 2 / (mean * T);
  return HF_OK;
}

hfStatus hfi_finish_springs(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  double* row = calloc((size_t)m->nv + 1, sizeof *row);
  hfStatus status = row ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  for (int j = 0; j < m->njnt && status == HF_OK; ++j) {
    const double* spec = f->b->joint.data[f->order.joint_of[j]].springdamper;
    if (spec[0] > 0 && spec[1] > 0) status = fit_spring(m, j, spec[0], spec[1], row, error);
  }
  free(row);
  return status;
}
