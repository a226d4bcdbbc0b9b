// Loops of joints in SDFormat. The first joint of the file that moves a link belongs to the tree. Every other joint
// that moves the link closes a loop:
//
//   ball    connect of the two links where the joint is
//   fixed   weld of the two links
//   others  The link is split into parts of equal mass and inertia, all at its place. The joint moves one of them in
//           the parent, and so keeps its coordinate, limits, damping and actuator. This part is welded to the link.
//
// s: the document that is read, j: the joint; W, P, C, J: the world, the parent, the child and the joint as frames.
#include "io/robots/sdf.h"

// Adds an equality that holds two bodies together at a point p_W of the world. type: connect or weld. body, other: the
// two bodies, of which the first may be the world, 0. X_WB: pose of the body in whose frame the point is written.
static void hold_bodies(hfiSdf* s, const hfiSdfEntity* joint, int type, int body, hfiPlacement X_WB, int other,
                        hfVec3 p_W) {
  hfEqualityDef d = hf_equality_def_default();
  d.type = type;
  d.name = joint->name;
  d.where = hfi_where(s->r, joint->elem);
  d.obj1 = body;
  d.obj2 = other;

  v3_store(d.data, q_rotate(q_conj(X_WB.q), v3_sub(p_W, X_WB.p)));
  if (type == HF_EQUALITY_WELD) d.data[10] = 1;
  hfi_keep(s->r, joint->elem, hf_builder_add_equality(s->r->builder, &d, &s->r->scratch));
}

// Adds the part of a link that a joint which closes a loop moves in its parent. X_WP: pose of the parent. Returns the
// body of the part, or a status < 0.
static int add_part(hfiSdf* s, const hfiSdfEntity* joint, hfiPlacement X_WP) {
  hfBodyDef d = *joint->child->part;
  hfiPlacement X = hfi_placement_mul(hfi_placement_inverse(X_WP), joint->child->X_W);
  d.name = hfi_format(s->r, "%s_at_%s", joint->child->name, joint->name);
  d.parent = joint->parent ? joint->parent->body : 0;
  v3_store(d.pos, X.p);
  q_store(d.quat, X.q);
  return s->r->status ? -1 : hfi_keep(s->r, joint->elem, hf_builder_add_body(s->r->builder, &d, &s->r->scratch));
}

// Closes the loop of a joint whose child is moved by another joint, as the head of this file says.
void hfi_sdf_close_loop(hfiSdf* s, hfiSdfEntity* j) {
  hfiPlacement X_WP = j->parent ? j->parent->X_W : hfi_placement_identity();
  hfiPlacement X_WC = j->child->X_W;
  hfiPlacement X_WJ = hfi_sdf_place(s, j);
  int parent = j->parent ? j->parent->body : 0;
  int child = j->child->body;
  if (s->r->status) return;

  // ball and fixed: the anchor of a connect is written in the first body, the anchor of a weld in the second
  if (!hfi_sdf_splits(j)) {
    hfi_sdf_report_held(s, j);
    if (hfi_sdf_is_fixed(j))
      hold_bodies(s, j, HF_EQUALITY_WELD, parent, X_WC, child, X_WJ.p);
    else
      hold_bodies(s, j, HF_EQUALITY_CONNECT, parent, X_WP, child, X_WJ.p);
    return;
  }

  // others: a part with the joint, welded to the link
  int part = add_part(s, j, X_WP);
  if (s->r->status) return;
  hfi_sdf_add_joints(s, j, part);
  // the part stands where the link stands, X_WC
  if (!s->r->status) hold_bodies(s, j, HF_EQUALITY_WELD, part, X_WC, child, X_WJ.p);
}
