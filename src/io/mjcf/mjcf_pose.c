// Poses: pos with one of five forms of orientation, and frames around them.
//
//   euler      q = r1 r2 r3 for axes that turn with the frame (xyz), q = r3 r2 r1 for fixed ones (XYZ)
//   xyaxes     x, y made orthogonal to x, z = x cross y
//   zaxis      the smallest rotation that turns +z into this axis
#include "io/mjcf/mjcf.h"

#include <ctype.h>
#include <string.h>

double hfi_mjcf_angle(const hfiMjcf* m, double angle) {
  return m->degree ? angle * (HFI_PI / 180.0) : angle;
}

hfiPlacement hfi_placement_identity(void) {
  hfiPlacement f = {{0, 0, 0}, {1, 0, 0, 0}};
  return f;
}

hfiPlacement hfi_placement_mul(hfiPlacement a, hfiPlacement b) {
  hfiPlacement f = {v3_add(a.p, q_rotate(a.q, b.p)), q_unit_once(q_mul(a.q, b.q))};
  return f;
}

hfiPlacement hfi_placement_from(const double pos[3], const double quat[4]) {
  hfiPlacement f = {v3_load(pos), q_unit_once(q_load(quat))};
  return f;
}

void hfi_mjcf_place(const hfiScope* scope, const hfiPoseSpec* pose, double pos[3], double quat[4]) {
  hfiPlacement X_BE = hfi_placement_mul(scope->frame, hfi_placement_from(pose->pos, pose->quat));
  v3_store(pos, X_BE.p);
  q_store(quat, X_BE.q);
}

// A vector shorter than this has no direction.
static const double TINY = 1e-10;

hfQuat hfi_quat_from_z(hfVec3 axis) {
  hfVec3 z = v3_unit(axis), turn = v3_cross(v3(0, 0, 1), z);
  double s = v3_norm(turn);
  // The axis is parallel or antiparallel to z: the rotation may be about any axis across z.
  hfVec3 unit = s > 1e-10 ? v3_scale(1 / s, turn) : v3(1, 0, 0);
  return q_from_axis_angle(unit, atan2(s, z.z));
}

void hfi_turn_plane(hfiReader* r, const hfiElem* elem, const double normal[3], hfQuat* q) {
  if (!(v3_norm(v3_load(normal)) > TINY)) hfi_fail(r, elem, HF_ERROR_MODEL, "the normal has no direction");
  if (!r->status) *q = q_unit(q_mul(*q, hfi_quat_from_z(v3_load(normal))));
}

hfQuat hfi_mjcf_euler(const hfiMjcf* m, const double angle[3]) {
  hfQuat q = q_identity();
  for (int i = 0; i < 3; ++i) {
    char c = (char)tolower((unsigned char)m->eulerseq[i]);
    hfVec3 axis = v3(c == 'x', c == 'y', c == 'z');
    hfQuat turn = q_from_axis_angle(axis, hfi_mjcf_angle(m, angle[i]));
    q = m->eulerseq[i] == c ? q_mul(q, turn) : q_mul(turn, q);
  }
  return q_unit(q);
}

static void from_axis_angle(hfiMjcf* m, const hfiElem* elem, const double* x, hfQuat* q) {
  hfVec3 axis = v3_load(x);
  if (!(v3_norm(axis) > TINY))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "axisangle: the axis has no direction");
  *q = q_from_axis_angle(v3_unit(axis), hfi_mjcf_angle(m, x[3]));
}

static void from_xy_axes(hfiMjcf* m, const hfiElem* elem, const double* v, hfQuat* q) {
  hfVec3 x = v3_unit(v3_load(v)), y = v3_load(v + 3);
  y = v3_axpy(-v3_dot(x, y), x, y);
  if (!(v3_norm(x) > TINY) || !(v3_norm(y) > TINY))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "xyaxes: the two axes span no plane");
  y = v3_unit(y);
  *q = q_from_m3(m3_from_cols(x, y, v3_cross(x, y)));
  hfQuat opposite = {-q->w, -q->x, -q->y, -q->z};
  if (q->w < -0.5) *q = opposite; // Of q and -q take the one that MuJoCo takes: its w is positive if the trace is above 0.
}

// Returns 1 if an orientation was given.
static int read_orientation(hfiMjcf* m, const hfiElem* elem, double quat[4]) {
  hfiReader* r = m->r;
  double x[6];
  hfQuat q = q_identity();
  int given = 0;
  if (hfi_read_reals(r, elem, "quat", 4, 4, x)) {
    ++given;
    q = q_load(x);
    if (!(q_norm(q) > TINY))
      hfi_fail(r, elem, HF_ERROR_MODEL, "quat: a zero quaternion is no orientation");
    q = q_unit_once(q);
  }
  if (hfi_read_reals(r, elem, "axisangle", 4, 4, x)) {
    ++given;
    from_axis_angle(m, elem, x, &q);
  }
  if (hfi_read_reals(r, elem, "euler", 3, 3, x)) {
    ++given;
    q = hfi_mjcf_euler(m, x);
  }
  if (hfi_read_reals(r, elem, "xyaxes", 6, 6, x)) {
    ++given;
    from_xy_axes(m, elem, x, &q);
  }
  if (hfi_read_reals(r, elem, "zaxis", 3, 3, x)) {
    ++given;
    if (!(v3_norm(v3_load(x)) > TINY))
      hfi_fail(r, elem, HF_ERROR_MODEL, "zaxis: the axis has no direction");
    q = hfi_quat_from_z(v3_load(x));
  }
  if (given > 1)
    hfi_fail(r, elem, HF_ERROR_MODEL, "more than one of quat, axisangle, euler, xyaxes, zaxis");
  if (!given || r->status) return 0;
  q_store(quat, q);
  return 1;
}

int hfi_mjcf_read_pose(hfiMjcf* m, const hfiElem* elem, hfiPoseSpec* pose) {
  int given = hfi_read_reals(m->r, elem, "pos", 3, 3, pose->pos) ? 1 : 0;
  return given | (read_orientation(m, elem, pose->quat) ? 2 : 0);
}
