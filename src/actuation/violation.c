// The largest violations of equalities and limits at a configuration.
//
//   connect, weld   |p_W1 - p_W2| [m], and |e| of the turn e of a weld [rad] (equality.c)
//   joint, tendon   |r| of the coupling, in the unit of its first joint or tendon
//   limit           range0 - x or x - range1, of a ball its angle less the largest: the range itself, without margin
#include "actuation/actuation.h"

#include "model/joint.h"
#include "model/path.h"

static int is_attachment(const hfModel* m, int i) { return hf_model_eq_type(m)[i] == HF_EQUALITY_CONNECT || hf_model_eq_type(m)[i] == HF_EQUALITY_WELD; }

int hfi_has_violations(const hfActuation* a) {
  int any = a->model->neq > 0 || a->passive.limits;
  for (int t = 0; t < a->model->ntendon; ++t) any |= hf_model_tendon_limited(a->model)[t];
  return any;
}

int hfi_violations_need_poses(const hfModel* m) {
  for (int i = 0; i < m->neq; ++i)
    if (is_attachment(m, i)) return 1;
  for (int t = 0; t < m->ntendon; ++t)
    if (hfi_tendon_is_spatial(m, t)) return 1;
  return 0;
}

static void keep_larger(hfViolation* worst, double amount, int kind, int id) {
  if (amount > worst->amount) *worst = (hfViolation){amount, kind, id};
}

// A tendon is an angle if it is a fixed one of hinges alone.
static int tendon_is_angle(const hfModel* m, int t) {
  if (hfi_tendon_is_spatial(m, t)) return 0;
  for (int w = hf_model_tendon_adr(m)[t], end = w + hf_model_tendon_num(m)[t]; w < end; ++w)
    if (!hfi_joint_kinds[hf_model_jnt_type(m)[hf_model_wrap_obj(m)[w]]].info.is_angle) return 0;
  return 1;
}

static int is_angle(const hfModel* m, int kind, int id) {
  return kind == HF_OBJECT_TENDON ? tendon_is_angle(m, id) : hfi_joint_kinds[hf_model_jnt_type(m)[id]].info.is_angle;
}

// ---- equalities -------------------------------------------------------------------------------------

// Coordinate of a joint or length of a tendon at q, measured from its reference; id -1: there is none.
static double coordinate(const hfActuation* a, const hfDynamics* d, int kind, int id, const double* q) {
  if (id < 0) return 0;
  if (kind == HF_OBJECT_TENDON) return hfi_tendon_length(d, id, q) - a->tendon_length0[id];
  int adr = hf_model_jnt_qposadr(a->model)[id];
  return q[adr] - hf_model_qpos0(a->model)[adr];
}

static void find_coupling(const hfActuation* a, const hfDynamics* d, int i, const double* q, hfViolations* v) {
  const hfModel* m = a->model;
  int kind = hf_model_eq_objkind(m)[i], one = hf_model_eq_obj1(m)[i];
  double error = hfi_coupling_error(m, i, coordinate(a, d, kind, one, q), coordinate(a, d, kind, hf_model_eq_obj2(m)[i], q));
  keep_larger(is_angle(m, kind, one) ? &v->equality_angle : &v->equality_distance, fabs(error), HF_OBJECT_EQUALITY, i);
}

static void find_attachment(const hfActuation* a, const hfDynamics* d, int i, const double* q, hfViolations* v) {
  hfiEquality e = hfi_equality_evaluate(a, d, i, q);
  if (e.dim) keep_larger(&v->equality_distance, v3_norm(v3_load(e.r)), HF_OBJECT_EQUALITY, i);
  if (e.dim == 6) keep_larger(&v->equality_angle, v3_norm(v3_load(e.r + 3)), HF_OBJECT_EQUALITY, i);
}

// ---- limits -----------------------------------------------------------------------------------------

// How far x is beyond the ends of a range; negative: it is within.
static inline double beyond_range(const double* range, double x) { return max2(range[0] - x, x - range[1]); }

static void find_ball(const hfModel* m, int j, const double* q, hfViolations* v) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q, limit);
  for (int k = 0; k < count; ++k) keep_larger(&v->limit_angle, -limit[k].phi - hf_model_jnt_margin(m)[j], HF_OBJECT_JOINT, j);
}

static void find_joints(const hfModel* m, const double* q, hfViolations* v) {
  const int32_t *adr = hf_model_jnt_qposadr(m), *limited = hf_model_jnt_limited(m), *type = hf_model_jnt_type(m);
  const double* range = hf_model_jnt_range(m);
  for (int j = 0, n = m->njnt; j < n; ++j) {
    if (!limited[j]) continue;
    if (type[j] == HF_JOINT_BALL) {
      find_ball(m, j, q + adr[j], v);
      continue;
    }
    double beyond = beyond_range(range + 2 * j, q[adr[j]]);
    if (beyond > 0) keep_larger(is_angle(m, HF_OBJECT_JOINT, j) ? &v->limit_angle : &v->limit_distance, beyond, HF_OBJECT_JOINT, j);
  }
}

static void find_tendons(const hfDynamics* d, const double* q, hfViolations* v) {
  const hfModel* m = d->model;
  for (int t = 0; t < m->ntendon; ++t) {
    if (!hf_model_tendon_limited(m)[t]) continue;
    double beyond = beyond_range(hf_model_tendon_range(m) + 2 * t, hfi_tendon_length(d, t, q));
    if (beyond > 0) keep_larger(is_angle(m, HF_OBJECT_TENDON, t) ? &v->limit_angle : &v->limit_distance, beyond, HF_OBJECT_TENDON, t);
  }
}

hfViolations hfi_find_violations(const hfActuation* a, const hfDynamics* d, const double* q) {
  const hfModel* m = a->model;
  hfViolations v = {0};
  for (int i = 0; i < m->neq && !m->world.disable_equality; ++i)
    if (hf_model_eq_active(m)[i]) (is_attachment(m, i) ? find_attachment : find_coupling)(a, d, i, q, &v);
  if (m->world.disable_limit) return v;
  if (a->passive.limits) find_joints(m, q, &v);
  if (m->ntendon) find_tendons(d, q, &v);
  return v;
}
