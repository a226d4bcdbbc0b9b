// Tendons, equalities and springs, with their values at qpos0.
#include "build/inside.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/path.h"

#include <stdlib.h>
#include <string.h>

// ---- tendons ---------------------------------------------------------------------------------------

// Poses of all bodies at qpos0, and where the springs rest.
typedef struct Reference {
  hfPose* X_at_qpos0;
  hfPose* X_at_rest;
} Reference;

// Fills the wraps of a fixed tendon from number `first` on. Returns its length at the rests of the springs.
static double fill_tendon_joints(hfiFinish* f, const hfTendonDef* d, int first) {
  hfModel* m = f->m;
  double rest = 0;

  for (int k = 0; k < d->count; ++k) {
    int j = hfi_order_new(&f->order, HF_OBJECT_JOINT, d->joint[k]);
    hfi_set_wrap_type(m)[first + k] = HF_WRAP_JOINT;
    hfi_set_wrap_obj(m)[first + k] = j;
    hfi_set_wrap_side(m)[first + k] = -1;
    hfi_set_wrap_coef(m)[first + k] = d->coef[k];
    rest += d->coef[k] * hf_model_qpos_spring(m)[hf_model_jnt_qposadr(m)[j]];
  }

  return rest;
}

// Fills the wraps of spatial tendon i from number `first` on, and its length at qpos0. Returns its length at the rests
// of the springs.
static double fill_path(hfiFinish* f, int i, int first, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];

  for (int k = 0; k < d->path_count; ++k) {
    const hfWrapDef* w = &d->path[k];
    hfObjectKind kind = w->type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM;
    int is_pulley = w->type == HF_WRAP_PULLEY;
    int side = w->type == HF_WRAP_GEOM ? hfi_order_new(&f->order, HF_OBJECT_SITE, w->side) : -1;
    hfi_set_wrap_type(m)[first + k] = w->type;
    hfi_set_wrap_obj(m)[first + k] = is_pulley ? -1 : hfi_order_new(&f->order, kind, w->obj);
    hfi_set_wrap_side(m)[first + k] = side;
    hfi_set_wrap_coef(m)[first + k] = is_pulley ? w->divisor : 0;
  }

  hfi_set_tendon_length0(m)[i] = hfi_path_length(m, reference->X_at_qpos0, i);
  return hfi_path_length(m, reference->X_at_rest, i);
}

// Fills tendon i, whose wraps begin at number `first`.
static void fill_tendon(hfiFinish* f, int i, int first, const Reference* reference) {
  hfModel* m = f->m;
  const hfTendonDef* d = &f->b->tendon.data[i];
  hfi_set_tendon_adr(m)[i] = first;
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

  // a spring without lengths rests where the springs of the joints do
  double rest = d->path_count > 0 ? fill_path(f, i, first, reference) : fill_tendon_joints(f, d, first);
  int is_given = d->springlength[0] != -1 || d->springlength[1] != -1;
  hfi_set_tendon_springlength(m)[2 * i] = is_given ? d->springlength[0] : rest;
  hfi_set_tendon_springlength(m)[2 * i + 1] = is_given ? d->springlength[1] : rest;
}

// ---- equalities ------------------------------------------------------------------------------------

// Returns the pose in the world at qpos0 of a body or site of the model.
static hfPose object_pose(const hfModel* m, const hfPose* X_WB, hfObjectKind kind, int id) {
  if (id < 0) return pose_identity();
  if (kind != HF_OBJECT_SITE) return X_WB[id];

  hfPose X_BS = pose_from(v3_load(hf_model_site_pos(m) + 3 * id), q_load(hf_model_site_quat(m) + 4 * id));
  return pose_mul(X_WB[hf_model_site_body(m)[id]], X_BS);
}

// The data of a connect: the anchor in object 1, then the same point at qpos0 in object 2. On sites both are zero.
static void fill_connect(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  if (d->objkind == HF_OBJECT_SITE) return;
  memcpy(data, d->data, 3 * sizeof *data);
  v3_store(data + 3, pose_inv_point(X_W2, pose_point(X_W1, v3_load(d->data))));
}

// The data of a weld: the anchor in object 2, the same point in object 1, the orientation of 2 in 1, the torque scale.
// Without a quaternion the pose is the one at qpos0. On sites the frames themselves are welded.
static void fill_weld(const hfEqualityDef* d, double* data, hfPose X_W1, hfPose X_W2) {
  // A quaternion whose norm is smaller is not given [-].
  static const double LEAST_GIVEN_NORM = 1e-10;
  memcpy(data, d->data, sizeof d->data);

  if (d->objkind == HF_OBJECT_SITE) {
    for (int i = 0; i < 6; ++i) data[i] = 0;
    q_store(data + 6, q_identity());
  } else if (q_norm(q_load(d->data + 6)) > LEAST_GIVEN_NORM) {
    q_store(data + 6, q_unit_once(q_load(d->data + 6)));
  } else {
    v3_store(data + 3, pose_inv_point(X_W1, pose_point(X_W2, v3_load(d->data))));
    q_store(data + 6, q_from_m3(m3_tmul(X_W1.R, X_W2.R)));
  }
}

// Fills equality i, with the bodies at qpos0.
static void fill_equality(hfiFinish* f, int i, const hfPose* X_WB) {
  hfModel* m = f->m;
  const hfEqualityDef* d = &f->b->equality.data[i];
  hfObjectKind kind = hfi_equality_target(d->type, d->objkind);
  int obj1 = hfi_order_new(&f->order, kind, d->obj1);
  int obj2 = hfi_order_new(&f->order, kind, d->obj2);
  if (obj2 < 0 && kind == HF_OBJECT_BODY) obj2 = 0; // without a second body it is the world

  hfi_set_eq_type(m)[i] = d->type;
  hfi_set_eq_objkind(m)[i] = (int32_t)kind;
  hfi_set_eq_obj1(m)[i] = obj1;
  hfi_set_eq_obj2(m)[i] = obj2;
  hfi_set_eq_active(m)[i] = d->active != 0;
  memcpy(hfi_set_eq_solref(m) + 2 * i, d->solref, sizeof d->solref);
  memcpy(hfi_set_eq_solimp(m) + 5 * i, d->solimp, sizeof d->solimp);

  double* data = hfi_set_eq_data(m) + 11 * i;
  if (d->type == HF_EQUALITY_CONNECT)
    fill_connect(d, data, object_pose(m, X_WB, kind, obj1), object_pose(m, X_WB, kind, obj2));
  else if (d->type == HF_EQUALITY_WELD)
    fill_weld(d, data, object_pose(m, X_WB, kind, obj1), object_pose(m, X_WB, kind, obj2));
  else
    memcpy(data, d->data, 5 * sizeof *data);
}

// Fills tendons, whose wraps follow each other, and equalities.
hfStatus hfi_finish_constraints(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfPose* X_WB = malloc(sizeof *X_WB * 2 * (size_t)m->nbody);
  if (!X_WB) return hfi_refuse_memory(error);

  Reference reference = {X_WB, X_WB + m->nbody};
  hfi_reference_poses(m, reference.X_at_qpos0);
  hfi_rest_poses(m, reference.X_at_rest);

  int first = 0;
  for (int i = 0; i < m->ntendon; ++i) {
    fill_tendon(f, i, first, &reference);
    first += hf_model_tendon_num(m)[i];
  }

  for (int i = 0; i < m->neq; ++i) fill_equality(f, i, reference.X_at_qpos0);
  free(X_WB);
  return HF_OK;
}

// ---- springs by time constant ----------------------------------------------------------------------

// Sets a joint spring of time constant T [s] and damping ratio zeta, for the inertia I that its dofs meet at qpos0 (one
// over the mean compliance): k = I/(T zeta)^2, d = 2 I/T. row: scratch (nv), zero before and after.
static hfStatus fit_spring(hfModel* m, int j, double T, double zeta, double* row, hfError* error) {
  int first = hf_model_jnt_dofadr(m)[j];
  int n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
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

// Fits the springs of joints that are given by time constant and damping ratio.
hfStatus hfi_finish_springs(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  double* row = calloc((size_t)m->nv + 1, sizeof *row);
  hfStatus status = row ? HF_OK : hfi_refuse_memory(error);

  for (int j = 0; j < m->njnt && status == HF_OK; ++j) {
    const hfJointDef* d = hfi_finish_def(f, HF_OBJECT_JOINT, j);
    double T = d->springdamper[0];
    double zeta = d->springdamper[1];
    if (T > 0 && zeta > 0) status = fit_spring(m, j, T, zeta, row, error);
  }

  free(row);
  return status;
}
