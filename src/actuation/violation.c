// The largest violations of equalities and limits at a configuration.
//
//   connect, weld   |p_W1 - p_W2| [m], and |e| of the turn e of a weld [rad] (equality.c)
//   joint, tendon   |r| of the coupling, in the unit of its first joint or tendon
//   limit           range0 - x or x - range1, of a ball its angle less the largest: the range itself, without margin
#include "actuation/actuation.h"

#include "model/joint.h"
#include "model/path.h"

// A tendon is an angle if it is a fixed one of hinges alone.
static int tendon_is_angle(const hfModel* m, int t) {
  if (hfi_tendon_is_spatial(m, t)) return 0;
  for (int w = hf_model_tendon_adr(m)[t], end = w + hf_model_tendon_num(m)[t]; w < end; ++w)
    if (!hfi_joint_kinds[hf_model_jnt_type(m)[hf_model_wrap_obj(m)[w]]].info.is_angle) return 0;
  return 1;
}

int hfi_coordinate_is_angle(const hfModel* m, int kind, int id) {
  return kind == HF_OBJECT_TENDON ? tendon_is_angle(m, id) : hfi_joint_kinds[hf_model_jnt_type(m)[id]].info.is_angle;
}

void hfi_note_beyond(hfActuation* a, int kind, int id, double beyond) {
  hfViolation* worst = hfi_coordinate_is_angle(a->model, kind, id) ? &a->violations.limit_angle : &a->violations.limit_distance;
  if (beyond > worst->amount) *worst = (hfViolation){beyond, kind, id};
}

void hfi_note_tendon(hfActuation* a, int t) {
  const double length = a->tendon_length[t], *range = hf_model_tendon_range(a->model) + 2 * t;
  hfi_note_limit(a, HF_OBJECT_TENDON, t, max2(range[0] - length, length - range[1]));
}
