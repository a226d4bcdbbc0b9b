// Poses: X_AC = X_AB X_BC, p_AC = p_AB + R_AB p_BC, q_AC = q_AB q_BC.
#include "io/xml/placement.h"
#include "math/elementary.h"


hfiPlacement hfi_placement_identity(void) {
  hfiPlacement X = {{0, 0, 0}, {1, 0, 0, 0}};
  return X;
}

hfiPlacement hfi_placement_mul(hfiPlacement X_AB, hfiPlacement X_BC) {
  hfiPlacement X_AC = {v3_add(X_AB.p, q_rotate(X_AB.q, X_BC.p)), q_unit_once(q_mul(X_AB.q, X_BC.q))};
  return X_AC;
}

hfiPlacement hfi_placement_from(const double pos[3], const double quat[4]) {
  hfiPlacement X = {v3_load(pos), q_unit_once(q_load(quat))};
  return X;
}

hfiPlacement hfi_placement_inverse(hfiPlacement X_AB) {
  hfQuat q_BA = q_conj(X_AB.q);
  hfiPlacement X_BA = {v3_scale(-1, q_rotate(q_BA, X_AB.p)), q_BA};
  return X_BA;
}

// The smallest rotation that turns +z into `axis`. It is about z x axis. If the axis is parallel or antiparallel to z,
// it may be about any axis across z.
hfQuat hfi_quat_from_z(hfVec3 axis) {
  hfVec3 z = v3_unit(axis);
  hfVec3 turn = v3_cross(v3(0, 0, 1), z);
  double sine = v3_norm(turn);
  hfVec3 unit = sine > HFI_SHORTEST_DIRECTION ? v3_scale(1 / sine, turn) : v3(1, 0, 0);
  return q_from_axis_angle(unit, hfi_atan2(sine, z.z));
}

// Turns q so that the z axis of a plane is its normal, or refuses a normal without a direction.
void hfi_turn_plane(hfiReader* r, const hfiElem* elem, const double normal[3], hfQuat* q) {
  if (!(v3_norm(v3_load(normal)) > HFI_SHORTEST_DIRECTION))
    hfi_fail(r, elem, HF_ERROR_MODEL, "the normal has no direction");
  if (!r->status) *q = q_unit(q_mul(*q, hfi_quat_from_z(v3_load(normal))));
}
