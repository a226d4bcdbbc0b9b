// The largest violations of equalities and limits at a configuration (violation.c). A step finds them as it makes its rows; this is for methods that make none.
#include "actuation/actuation.h"

int hfi_has_violations(const hfModel* m) {
  int any = m->neq > 0;
  for (int j = 0; j < m->njnt; ++j) any |= hf_model_jnt_limited(m)[j];
  for (int t = 0; t < m->ntendon; ++t) any |= hf_model_tendon_limited(m)[t];
  return any;
}

static void note_joint(hfActuation* a, int j, const double* q) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(a->model, j, q + hf_model_jnt_qposadr(a->model)[j], limit);
  for (int k = 0; k < count; ++k) hfi_note_limit(a, HF_OBJECT_JOINT, j, -limit[k].phi - hf_model_jnt_margin(a->model)[j]);
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
