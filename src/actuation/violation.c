// The largest violations of equalities and limits at a configuration.
//
//   connect, weld   |p_W1 - p_W2| [m], and |e| of the turn e of a weld [rad] (equality.c)
//   joint, tendon   |r| of the coupling, in the unit of its first joint or tendon
//   limit           range0 - x or x - range1, of a ball its angle less the largest: the range itself, without margin
#include "actuation/actuation.h"

#include "model/joint.h"
#include "model/path.h"

// Whether the length of a tendon is an angle: a fixed tendon of hinges alone.
static int tendon_is_angle(const hfModel* m, int t) {
  if (hfi_tendon_is_spatial(m, t)) return 0;
  for (int w = hf_model_tendon_adr(m)[t], end = w + hf_model_tendon_num(m)[t]; w < end; ++w)
    if (!hfi_joint_kinds[hf_model_jnt_type(m)[hf_model_wrap_obj(m)[w]]].info.is_angle) return 0;
  return 1;
}

static int is_angle(const hfModel* m, int kind, int id) {
  return kind == HF_OBJECT_TENDON ? tendon_is_angle(m, id) : hfi_joint_kinds[hf_model_jnt_type(m)[id]].info.is_angle;
}

static void keep_larger(hfViolation* worst, double amount, int kind, int id) {
  if (amount > worst->amount) *worst = (hfViolation){amount, kind, id};
}

// The same for the length of a vector.
static void keep_longer(hfViolation* worst, const double* r, int kind, int id) {
  double r2 = sqr(r[0]) + sqr(r[1]) + sqr(r[2]);
  if (r2 > sqr(worst->amount)) *worst = (hfViolation){sqrt(r2), kind, id};
}

void hfi_note_equality(hfActuation* a, int i, const hfiEquality* e) {
  hfViolations* v = &a->violations;
  if (e->dim >= 3) keep_longer(&v->equality_distance, e->r, HF_OBJECT_EQUALITY, i);
  if (e->dim == 6) keep_longer(&v->equality_angle, e->r + 3, HF_OBJECT_EQUALITY, i);
  if (e->dim != 1) return;
  int angle = is_angle(a->model, hf_model_eq_objkind(a->model)[i], hf_model_eq_obj1(a->model)[i]);
  keep_larger(angle ? &v->equality_angle : &v->equality_distance, fabs(e->r[0]), HF_OBJECT_EQUALITY, i);
}

void hfi_note_limit(hfActuation* a, int kind, int id, double beyond) {
  if (!(beyond > 0)) return;
  keep_larger(is_angle(a->model, kind, id) ? &a->violations.limit_angle : &a->violations.limit_distance, beyond, kind, id);
}

static void note_joint(hfActuation* a, int j, const double* q) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(a->model, j, q + hf_model_jnt_qposadr(a->model)[j], limit);
  for (int k = 0; k < count; ++k) hfi_note_limit(a, HF_OBJECT_JOINT, j, -limit[k].phi - hf_model_jnt_margin(a->model)[j]);
}

void hfi_note_tendon(hfActuation* a, int t) {
  const double length = a->tendon_length[t], *range = hf_model_tendon_range(a->model) + 2 * t;
  hfi_note_limit(a, HF_OBJECT_TENDON, t, max2(range[0] - length, length - range[1]));
}

void hfi_find_violations(hfActuation* a, const hfDynamics* d, const double* q) {
  const hfModel* m = a->model;
  a->violations = (hfViolations){0};
  for (int i = 0; i < m->neq; ++i) {
    hfiEquality e = hfi_equality_evaluate(a, d, i, q);
    hfi_note_equality(a, i, &e);
  }
  if (m->world.disable_limit) return;
  for (int j = 0; j < m->njnt; ++j)
    if (hf_model_jnt_limited(m)[j]) note_joint(a, j, q);
  for (int t = 0; t < m->ntendon; ++t)
    if (hf_model_tendon_limited(m)[t]) hfi_note_tendon(a, t);
}
