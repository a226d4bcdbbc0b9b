// Support points of pairs, see support.h.
#include "step/geometry/shape_table.h"

hfVec3 hfi_support(const hfiShape* s, hfVec3 d, int32_t* hint) { return hfi_functions(s)->support(s, d, hint); }

double hfi_core_radius(const hfiShape* s) { return hfi_functions(s)->is_round ? s->size[0] : 0; }

hfiCores hfi_cores(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  hfiCores c = {A, B, pose_inv_mul(*X_WA, *X_WB), 0, 0, hfi_functions(A)->core_size(A) + hfi_functions(B)->core_size(B)};
  return c;
}

hfiSupportPoint hfi_support_pair(hfiCores* c, hfVec3 d) {
  hfiSupportPoint s;
  s.a = hfi_functions(c->A)->support(c->A, d, &c->hint_a);
  s.b = pose_point(c->X_AB, hfi_functions(c->B)->support(c->B, m3_tmulv(c->X_AB.R, v3_neg(d)), &c->hint_b));
  s.w = v3_sub(s.a, s.b);
  s.vertex_a = c->hint_a, s.vertex_b = c->hint_b;
  return s;
}

double hfi_separation(hfiCores* c, hfVec3 n) { return v3_dot(n, hfi_support_pair(c, v3_neg(n)).w); }
