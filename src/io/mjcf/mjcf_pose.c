// Poses: pos with one of five forms of orientation, and frames around them.
//
//   euler      q = r1 r2 r3 for axes that turn with the frame (xyz), q = r3 r2 r1 for fixed ones (XYZ)
//   xyaxes     x, y made orthogonal to x, z = x cross y
//   zaxis      the smallest rotation that turns +z into this axis
//
// m: the document. X_BE: pose of an element E in its body B.
#include "io/mjcf/mjcf.h"

#include <ctype.h>
#include <string.h>


// An angle of the file in radians.
double hfi_mjcf_angle(const hfiMjcf* m, double angle) { return m->compiler.degree ? angle * (HFI_PI / 180.0) : angle; }

// Writes the pose of an element in its body, X_BE = X_BF X_FE, where F is the frame around the element.
void hfi_mjcf_place(const hfiScope* scope, const hfiPoseSpec* pose, double pos[3], double quat[4]) {
  hfiPlacement X_BE = hfi_placement_mul(scope->frame, hfi_placement_from(pose->pos, pose->quat));
  v3_store(pos, X_BE.p);
  q_store(quat, X_BE.q);
}

// The rotation of three Euler angles, in the unit and with the axes that <compiler> gives.
hfQuat hfi_mjcf_euler(const hfiMjcf* m, const double angle[3]) {
  hfQuat q = q_identity();

  for (int i = 0; i < 3; ++i) {
    char letter = (char)tolower((unsigned char)m->compiler.eulerseq[i]);
    int turns_with_frame = m->compiler.eulerseq[i] == letter;
    hfVec3 axis = v3(letter == 'x', letter == 'y', letter == 'z');
    hfQuat turn = q_from_axis_angle(axis, hfi_mjcf_angle(m, angle[i]));
    q = turns_with_frame ? q_mul(q, turn) : q_mul(turn, q);
  }

  return q_unit(q);
}

// The rotation whose x axis is the first of two vectors, and whose y axis lies in their plane. Refuses vectors that
// span none.
static hfQuat read_xy_axes(hfiMjcf* m, const hfiElem* elem, const double* v) {
  hfVec3 x = v3_unit(v3_load(v));
  hfVec3 y = v3_load(v + 3);
  y = v3_axpy(-v3_dot(x, y), x, y);
  if (!(v3_norm(x) > HFI_SHORTEST_DIRECTION) || !(v3_norm(y) > HFI_SHORTEST_DIRECTION))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "xyaxes: the two axes span no plane");

  y = v3_unit(y);
  hfQuat q = q_from_m3(m3_from_cols(x, y, v3_cross(x, y)));
  hfQuat opposite = {-q.w, -q.x, -q.y, -q.z};

  // q and -q are the same rotation; take the one that MuJoCo takes: its w is positive if the trace is above 0
  return q.w < -0.5 ? opposite : q;
}

// Reads the one form of orientation that is given. Returns 1 if there is one.
static int read_orientation(hfiMjcf* m, const hfiElem* elem, double quat[4]) {
  hfiReader* r = m->r;
  double x[6]; // the numbers of an attribute
  hfQuat q = q_identity();
  int given = 0;

  if (hfi_read_reals(r, elem, "quat", 4, 4, x)) {
    ++given;
    q = q_load(x);
    if (!(q_norm(q) > HFI_SHORTEST_DIRECTION))
      hfi_fail(r, elem, HF_ERROR_MODEL, "quat: a zero quaternion is no orientation");
    q = q_unit_once(q);
  }

  if (hfi_read_reals(r, elem, "axisangle", 4, 4, x)) {
    ++given;
    hfVec3 axis = v3_load(x);
    if (!(v3_norm(axis) > HFI_SHORTEST_DIRECTION))
      hfi_fail(r, elem, HF_ERROR_MODEL, "axisangle: the axis has no direction");
    q = q_from_axis_angle(v3_unit(axis), hfi_mjcf_angle(m, x[3]));
  }

  if (hfi_read_reals(r, elem, "euler", 3, 3, x)) {
    ++given;
    q = hfi_mjcf_euler(m, x);
  }

  if (hfi_read_reals(r, elem, "xyaxes", 6, 6, x)) {
    ++given;
    q = read_xy_axes(m, elem, x);
  }

  if (hfi_read_reals(r, elem, "zaxis", 3, 3, x)) {
    ++given;
    if (!(v3_norm(v3_load(x)) > HFI_SHORTEST_DIRECTION))
      hfi_fail(r, elem, HF_ERROR_MODEL, "zaxis: the axis has no direction");
    q = hfi_quat_from_z(v3_load(x));
  }

  if (given > 1) hfi_fail(r, elem, HF_ERROR_MODEL, "more than one of quat, axisangle, euler, xyaxes, zaxis");
  if (!given || r->status) return 0;
  q_store(quat, q);
  return 1;
}

// Reads the pose of an element in the frame around it. What is not given stays. Returns bits of hfiPoseGiven.
int hfi_mjcf_read_pose(hfiMjcf* m, const hfiElem* elem, hfiPoseSpec* pose) {
  int has_pos = hfi_read_reals(m->r, elem, "pos", 3, 3, pose->pos) != 0;
  int has_orientation = read_orientation(m, elem, pose->quat);
  int given = 0;
  if (has_pos) given |= HFI_GIVES_POSITION;
  if (has_orientation) given |= HFI_GIVES_ORIENTATION;
  return given;
}
