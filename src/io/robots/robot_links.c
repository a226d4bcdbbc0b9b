// Links: bodies as SDFormat and URDF have them, drawn with all joints at zero.
//
//   X_PB(q) = X_PB0 T_1(q_1) ... T_n(q_n)      T_k(q): turn and travel of joint k by q - ref about its anchor
//   X_PL    = X_PB0 T_1(0),  then T_2(0), ...  one link behind each joint
//
// w: the writer, m: its model; P, B, L, W: the parent, the body, a link, the world.
#include "io/robots/robot_write.h"
#include "math/elementary.h"

#include <math.h>

// ---- poses --------------------------------------------------------------------------------------

// T(0) of a hinge, slide or screw, in the body's frame.
static hfiPlacement joint_at_zero(const hfModel* m, int joint) {
  hfiPlacement X = hfi_placement_identity();
  int type = hf_model_jnt_type(m)[joint];
  if (type == HF_JOINT_BALL || type == HF_JOINT_FREE) return X;
  double q = -hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[joint]]; // 0 - ref
  if (q == 0) return X;

  hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * joint);
  hfVec3 anchor = v3_load(hf_model_jnt_pos(m) + 3 * joint);
  if (type != HF_JOINT_SLIDE) {
    X.q = q_from_axis_angle(axis, q);
    X.p = v3_sub(anchor, q_rotate(X.q, anchor));
  }

  double travel = 0; // along the axis, for q = 1
  if (type == HF_JOINT_SLIDE) travel = 1;
  if (type == HF_JOINT_SCREW) travel = hf_model_jnt_pitch(m)[joint];
  X.p = v3_axpy(travel * q, axis, X.p);
  return X;
}

hfiPlacement hfi_robot_in_link(const hfiWrittenLink* link, const double pos[3], const double quat[4]) {
  hfiPlacement X = hfi_placement_from(pos, quat);
  X.p = v3_sub(X.p, link->p_BL);
  return X;
}

// The angles of R = Rz(yaw) Ry(pitch) Rx(roll). With a = w + y, b = x - z, c = w - y, d = x + z:
//   roll - yaw = 2 atan2(b, a),  roll + yaw = 2 atan2(d, c)
//   tan(pitch/2) = (|(a, b)| - |(c, d)|)/(|(a, b)| + |(c, d)|)
// No digits are lost at a pitch of 90 degrees, where one of the first two is not defined and yaw is 0.
void hfi_robot_rpy(hfQuat q, double rpy[3]) {
  static const double ZERO_LENGTH = 1e-15; // A length below this counts as zero [-].
  double a = q.w + q.y;
  double b = q.x - q.z;
  double c = q.w - q.y;
  double d = q.x + q.z;
  double A = sqrt(a * a + b * b);
  double C = sqrt(c * c + d * d);

  double difference = 2 * hfi_atan2(b, a); // roll - yaw
  double sum = 2 * hfi_atan2(d, c);        // roll + yaw
  if (C < ZERO_LENGTH) sum = difference;
  if (A < ZERO_LENGTH) difference = sum;

  rpy[0] = remainder(0.5 * (sum + difference), 2 * HFI_PI);
  rpy[1] = 2 * hfi_atan2(A - C, A + C);
  rpy[2] = 0;
  if (A >= ZERO_LENGTH && C >= ZERO_LENGTH) rpy[2] = remainder(0.5 * (sum - difference), 2 * HFI_PI);
}

// ---- links --------------------------------------------------------------------------------------

// Adds a link of a body, behind one of its joints (-1: none). parent: a link, or -1. X_EB: pose of the body, or of the
// part of its chain of joints that this link stands for, in the body E of the parent link. Returns the link.
static hfiWrittenLink* add_link(hfiRobotWriter* w, int body, int parent, int joint, hfiPlacement X_EB) {
  const hfModel* m = w->m;
  hfiWrittenLink* link = &w->link[w->nlink];
  ++w->nlink;
  *link = (hfiWrittenLink){.body = body,
                           .parent = parent,
                           .joint = joint,
                           .name = hfi_robot_name_of(w, HF_OBJECT_BODY, body),
                           .joint_name = ""};

  // the frames of links may lie at the anchors of their joints
  int turns = joint >= 0 && hf_model_jnt_type(m)[joint] != HF_JOINT_SLIDE;
  if (w->joints_at_origins && turns) link->p_BL = v3_load(hf_model_jnt_pos(m) + 3 * joint);
  hfiPlacement X_BL = hfi_placement_identity();
  hfiPlacement X_PE = hfi_placement_identity();
  X_BL.p = link->p_BL;
  if (parent >= 0) X_PE.p = v3_neg(w->link[parent].p_BL);

  link->X_PL = hfi_placement_mul(hfi_placement_mul(X_PE, X_EB), X_BL);
  link->X_WL = parent >= 0 ? hfi_placement_mul(w->link[parent].X_WL, link->X_PL) : link->X_PL;
  return link;
}

// Adds the links of a body: one behind each joint, or one for a body that floats or is fixed.
static void add_body(hfiRobotWriter* w, int body) {
  const hfModel* m = w->m;
  int parent_body = hf_model_body_parent(m)[body];
  // a link, or -1 for the world
  int parent = parent_body > 0 ? w->link_of[parent_body] : -1;
  int first = hf_model_body_jntadr(m)[body];
  int count = hf_model_body_jntnum(m)[body];
  int floats = count && hf_model_jnt_type(m)[first] == HF_JOINT_FREE;
  hfiPlacement X = hfi_placement_from(hf_model_body_pos(m) + 3 * body, hf_model_body_quat(m) + 4 * body);

  // the first joint is placed in the parent body, each other one in the link before it
  for (int k = 0; k < count && !floats; ++k) {
    int joint = first + k;
    int is_last = k == count - 1;
    hfiPlacement X_EB = hfi_placement_mul(X, joint_at_zero(m, joint));
    hfiWrittenLink* link = add_link(w, body, parent, joint, X_EB);
    // the last link has the mass, geoms and sites of the body
    link->carries = is_last;
    if (!is_last) link->name = hfi_robot_format(w, "%s_%s", link->name, hfi_robot_name_of(w, HF_OBJECT_JOINT, joint));
    parent = w->nlink - 1;
    X = hfi_placement_identity();
  }

  if (!count || floats) {
    hfiWrittenLink* link = add_link(w, body, parent, -1, X);
    link->carries = 1;
    link->floats = floats;
  }
  w->link_of[body] = w->nlink - 1;
}

// Fills w->link and w->link_of. The world becomes a link only if it has geoms.
void hfi_robot_make_links(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  w->link = hfi_robot_take(w, (size_t)m->nbody + (size_t)m->njnt, sizeof *w->link);
  w->link_of = hfi_robot_take(w, (size_t)m->nbody, sizeof *w->link_of);
  if (w->xml.status) return;

  w->link_of[0] = -1;
  if (hf_model_body_geomnum(m)[0] > 0) add_link(w, 0, -1, -1, hfi_placement_identity())->carries = 1;
  for (int body = 1; body < m->nbody && !w->xml.status; ++body) add_body(w, body);
}

// ---- geoms --------------------------------------------------------------------------------------

int hfi_robot_collides(const hfModel* m, int geom) {
  return hf_model_geom_contype(m)[geom] || hf_model_geom_conaffinity(m)[geom];
}

// Whether a geom is drawn: if it does not collide, or if it is visible and its body has no geom that is only drawn.
int hfi_robot_is_drawn(const hfModel* m, int geom) {
  if (!hfi_robot_collides(m, geom)) return 1;
  int is_transparent = !(hf_model_geom_rgba(m)[4 * geom + 3] > 0);
  if (is_transparent) return 0;

  int body = hf_model_geom_body(m)[geom];
  int first = hf_model_body_geomadr(m)[body];
  for (int i = first; i < first + hf_model_body_geomnum(m)[body]; ++i)
    if (!hfi_robot_collides(m, i)) return 0;
  return 1;
}
