// Group states of SRDF: each becomes a keyframe.
//
// A state gives the coordinates of some joints. All others are at their reference, except joints that follow others
// (<mimic>), and controls of position servos are such that they hold the state. A state has the name that the file
// gives it or, if several groups have a state of that name, or the URDF has a keyframe of it, GROUP/NAME.
//
// s: the state that is read, r: the reader, e: a <joint> of the state, ids: the layout of a keyframe, a: its arrays.
#include "io/robots/urdf_model.h"

#include "math/vec3.h"
#include "build/key.h"

#include <string.h>

// A group state that is being read.
typedef struct State {
  hfiReader* r;
  const hfiElem* root;     // the root of the SRDF
  const hfiKeyLayout* ids; // where the coordinates of a joint are in the arrays
  const hfiKeyArrays* a;
} State;

// ---- coordinates --------------------------------------------------------------------------------

// Refuses a value with another number of coordinates than wanted.
static void check_count(const State* s, const hfiElem* e, int count, int wanted) {
  if (count != wanted)
    hfi_fail(s->r, e, HF_ERROR_PARSE, "value: want %d number%s, found %d", wanted, wanted > 1 ? "s" : "", count);
}

// Sets the coordinates of a planar joint, which is three joints here. Returns 0 if the name is not that of a planar
// joint.
static int set_planar(const State* s, const hfiElem* e, const char* name, const double* value, int count) {
  static const char* const suffix[3] = {"_TX", "_TY", "_RZ"};
  int id[3];
  for (int i = 0; i < 3; ++i)
    id[i] = hf_builder_find(s->r->builder, HF_OBJECT_JOINT, hfi_format(s->r, "%s%s", name, suffix[i]));
  if (id[0] < 0 || id[1] < 0 || id[2] < 0) return 0;
  check_count(s, e, count, 3);
  for (int i = 0; i < 3 && !s->r->status; ++i) s->a->qpos[s->ids->qpos[id[i]]] = value[i];
  return 1;
}

// Sets the coordinates of a free or ball joint, which SRDF counts from where the joint is at zero: q = q0 value. Its
// quaternions end with their real part.
static void set_turning(const State* s, const hfiElem* e, int joint, const double* value) {
  const hfJointDef* d = &s->r->builder->joint.data[joint];
  int is_free = d->type == HF_JOINT_FREE;
  int rotation = is_free ? 3 : 0; // index of the quaternion
  double* q = s->a->qpos + s->ids->qpos[joint]; // at the reference

  const double* xyzw = value + rotation;
  double quat[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
  if (!hfi_normalise_quat(quat)) {
    hfi_fail(s->r, e, HF_ERROR_MODEL, "value: its last four numbers, x y z w, are no rotation");
    return;
  }

  hfQuat base = q_load(q + rotation);
  if (is_free) v3_store(q, v3_add(v3_load(q), q_rotate(base, v3_load(value))));
  q_store(q + rotation, q_mul(base, q_load(quat)));
}

// Sets the coordinates of a joint. Refuses a wrong number of them.
static void set_coordinates(const State* s, const hfiElem* e, int joint, const double* value, int count) {
  int type = s->r->builder->joint.data[joint].type;
  check_count(s, e, count, hfi_joint_nq(type));
  if (s->r->status) return;
  if (hfi_joint_is_scalar(type))
    s->a->qpos[s->ids->qpos[joint]] = value[0];
  else
    set_turning(s, e, joint, value);
}

// The free joint of a link that the name of a virtual joint stands for, or -1. Pinocchio calls the free joint of the
// root "root_joint".
static int find_virtual(const State* s, const char* name) {
  const hfBuilder* b = s->r->builder;
  for (const hfiElem* e = hfi_child(s->root, "virtual_joint"); e; e = hfi_next(e, "virtual_joint")) {
    const char* virtual_name = hfi_attr(e, "name");
    const char* link = hfi_attr(e, "child_link");
    if (virtual_name && link && strcmp(virtual_name, name) == 0)
      return hf_builder_find(b, HF_OBJECT_JOINT, hfi_format(s->r, "%s_free_joint", link));
  }

  int has_free_root = s->r->config.floating_base && b->joint.count > 0 && b->joint.data[0].type == HF_JOINT_FREE;
  if (has_free_root && strcmp(name, "root_joint") == 0) return 0;
  return -1;
}

// Reads a <joint> of a state, and sets its coordinates.
static void set_joint(const State* s, const hfiElem* e) {
  hfiReader* r = s->r;
  const char* name = hfi_require(r, e, "name");
  int count = 0;
  hfi_require(r, e, "value");
  const double* value = hfi_read_list(r, e, "value", &count);
  if (r->status) return;

  int joint = hf_builder_find(r->builder, HF_OBJECT_JOINT, name);
  if (joint < 0) joint = find_virtual(s, name);
  if (joint >= 0)
    set_coordinates(s, e, joint, value, count);
  else if (!set_planar(s, e, name, value, count))
    hfi_note_first(r, e, HF_WARNING,
                   "a group state names a joint that the model does not have, or that is fixed: its value is not used",
                   hfi_format(r, "\"%.100s\"", name));
}

// ---- states -------------------------------------------------------------------------------------

// Whether no other state has this name.
static int is_unique(const hfiElem* root, const hfiElem* state, const char* name) {
  for (const hfiElem* e = hfi_child(root, "group_state"); e; e = hfi_next(e, "group_state")) {
    const char* other = hfi_attr(e, "name");
    if (e != state && other && strcmp(other, name) == 0) return 0;
  }
  return 1;
}

// Adds the keyframe of a state.
static void add_state(hfiUrdf* u, const hfiElem* root, const hfiElem* elem, const hfiKeyLayout* ids) {
  hfiReader* r = u->r;
  const char* name = hfi_require(r, elem, "name");
  const char* group = hfi_require(r, elem, "group");
  int is_free = is_unique(root, elem, name) && hf_builder_find(r->builder, HF_OBJECT_KEY, name) < 0;

  // a keyframe at the reference, with the arrays whose pointers are not NULL here: qpos and ctrl
  static const double is_given = 0;
  hfKeyDef like = hf_key_def_default();
  like.name = is_free ? name : hfi_format(r, "%s/%s", group, name);
  like.where = hfi_where(r, elem);
  like.qpos = &is_given;
  like.ctrl = &is_given;

  hfiKey key;
  hfiKeyArrays a;
  if (!r->status) hfi_keep(r, elem, (int)hfi_key_create(r->builder, ids, &like, &key, &a, &r->scratch));
  if (r->status) return;

  State s = {r, root, ids, &a};
  for (const hfiElem* e = hfi_child(elem, "joint"); e && !r->status; e = hfi_next(e, "joint")) set_joint(&s, e);
  hfi_complete_start(r->builder, ids, &a);
  if (!r->status) hfi_keep(r, elem, hfi_key_add(r->builder, &key, &r->scratch));
}

// Adds a keyframe for each <group_state>.
void hfi_srdf_read_states(hfiUrdf* u, const hfiElem* root) {
  hfiKeyLayout ids = {0};
  hfi_keep(u->r, root, (int)hfi_key_layout_create(&ids, u->r->builder, NULL, &u->r->scratch));
  for (const hfiElem* e = hfi_child(root, "group_state"); e && !u->r->status; e = hfi_next(e, "group_state"))
    add_state(u, root, e, &ids);
  hfi_key_layout_release(&ids);
}
