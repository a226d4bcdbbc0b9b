// Lists the hinges and slides that have a range, padded so that every group of lanes is full (ranges.h).
#include "step/actuation/ranges.h"

#include "model/joint.h"

void hfi_ranges_take(hfiRanges* r, const hfModel* m, hfiArena* arena) {
  int most = (m->njnt + 3) / 4 * 4;
  HFI_TAKE_EACH(arena, int32_t, most, &r->joint, &r->qposadr, &r->dofadr);
  HFI_TAKE_EACH(arena, double, most, &r->low, &r->high, &r->margin);
}

static void set_range(hfiRanges* r, const hfModel* m, int k, int j) {
  r->joint[k] = j, r->qposadr[k] = hf_model_jnt_qposadr(m)[j], r->dofadr[k] = hf_model_jnt_dofadr(m)[j];
  r->low[k] = hf_model_jnt_range(m)[2 * j], r->high[k] = hf_model_jnt_range(m)[2 * j + 1], r->margin[k] = hf_model_jnt_margin(m)[j];
}

void hfi_ranges_update(hfiRanges* r, const hfModel* m) {
  r->n = r->any_ball = 0;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    if (hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) set_range(r, m, r->n++, j);
    else r->any_ball = 1;
  }
  for (int k = r->n; k % 4; ++k) set_range(r, m, k, r->joint[r->n - 1]);
}
