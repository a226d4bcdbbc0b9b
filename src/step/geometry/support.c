// Support points of pairs, see support.h.
#include "step/geometry/shape_table.h"

hfVec3 hfi_support(const hfiShape* shape, hfVec3 d, int32_t* hint) {
  return hfi_functions(shape)->support(shape, d, hint);
}

double hfi_core_radius(const hfiShape* shape) { return hfi_functions(shape)->is_round ? shape->size[0] : 0; }

// Returns the cores of two shapes in the frame of A.
hfiCores hfi_cores(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  double scale = hfi_functions(A)->core_size(A) + hfi_functions(B)->core_size(B);
  return (hfiCores){.A = A, .B = B, .X_AB = pose_inv_mul(*X_WA, *X_WB), .hint_a = 0, .hint_b = 0, .scale = scale};
}

// Returns the point of A - B that is farthest along d. The searches on meshes begin at the vertices that they found the
// last time.
hfiSupportPoint hfi_support_pair(hfiCores* cores, hfVec3 d) {
  const hfiShape* A = cores->A;
  const hfiShape* B = cores->B;
  hfVec3 minus_d_B = m3_tmulv(cores->X_AB.R, v3_neg(d));

  hfiSupportPoint point;
  point.a = hfi_functions(A)->support(A, d, &cores->hint_a);
  point.b = pose_point(cores->X_AB, hfi_functions(B)->support(B, minus_d_B, &cores->hint_b));
  point.w = v3_sub(point.a, point.b);
  point.vertex_a = cores->hint_a;
  point.vertex_b = cores->hint_b;
  return point;
}

double hfi_separation(hfiCores* cores, hfVec3 n) { return v3_dot(n, hfi_support_pair(cores, v3_neg(n)).w); }
