// Names, frames and poses of SDFormat: X_WE = X_WR X_RE, where R is the frame that relative_to names. Without
// relative_to, R is the model that contains E; for a joint it is the child link, for a frame the entity that it is
// attached to.
//
// s: the document that is read, e: an entity; M, P: a model, and the frame in it that its <pose> places.
#include "io/robots/sdf.h"

#include <string.h>
#include <strings.h>


const char* hfi_sdf_text(const hfiElem* elem, const char* child) {
  const hfiElem* e = hfi_child(elem, child);
  return e ? e->text : NULL;
}

int hfi_sdf_number(hfiSdf* s, const hfiElem* elem, const char* child, double* x) {
  const hfiElem* e = hfi_child(elem, child);
  return e && hfi_text_reals(s->r, e, 1, 1, x);
}

// Whether a text is one word that means true: "1", or "true" in small or large letters.
int hfi_sdf_is_true(const char* text) {
  static const char blanks[] = " \t\r\n";
  static const char word[] = "true";
  if (!text) return 0;

  text += strspn(text, blanks);
  size_t length = strcspn(text, blanks);
  int has_more_words = text[length + strspn(text + length, blanks)] != 0;
  if (has_more_words) return 0;
  if (length == 1 && *text == '1') return 1;
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

// Returns the name of the model that names of the scope belong to, "" for the world: what <include merge="true"> brings
// stands in the model around it.
const char* hfi_sdf_prefix(const hfiSdfEntity* scope) {
  while (scope && scope->merged) scope = scope->scope;
  return scope ? scope->name : "";
}

// The entity with this name as seen from inside `scope`, or NULL. Sets *world if the name is "world".
// "__model__" is the scope itself, and "in::__model__" is the model called "in".
hfiSdfEntity* hfi_sdf_find(hfiSdf* s, const hfiSdfEntity* scope, const char* name, int* world) {
  static const char itself[] = "__model__";
  static const char end[] = "::__model__";
  *world = strcmp(name, "world") == 0;
  if (*world) return NULL;

  const char* prefix = hfi_sdf_prefix(scope);
  const char* full = *prefix ? hfi_format(s->r, "%s::%s", prefix, name) : name;
  size_t length = strlen(name);
  int names_inner_model = length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
  if (names_inner_model)
    full = hfi_format(s->r, "%.*s", (int)(strlen(full) - strlen(end)), full);
  else if (strcmp(name, itself) == 0)
    full = scope ? scope->name : "";

  int id = hfi_names_find(&s->names, 0, full);
  return id < 0 ? NULL : s->entity[id];
}

// The entity that an attribute or a text names. Refuses unknown names.
static hfiSdfEntity* find_named(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, const char* name,
                                int* world) {
  hfiSdfEntity* found = hfi_sdf_find(s, scope, name, world);
  if (!found && !*world)
    hfi_fail(s->r, elem, HF_ERROR_MODEL, "there is no link, joint, frame or model \"%s\" here", name);
  return found;
}

// The pose in the world of the frame that an attribute names, or `frame` if it names none.
hfiPlacement hfi_sdf_named_frame(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, const char* attribute,
                                 hfiPlacement frame) {
  const char* name = hfi_attr(elem, attribute);
  if (!name || !*name || s->r->status) return frame;
  int world = 0;
  hfiSdfEntity* e = find_named(s, scope, elem, name, &world);
  return world || !e ? hfi_placement_identity() : hfi_sdf_place(s, e);
}

// R = Rz(yaw) Ry(pitch) Rx(roll)
static hfQuat from_rpy(const double* a) {
  hfQuat roll = q_from_axis_angle(v3(1, 0, 0), a[0]);
  hfQuat pitch = q_from_axis_angle(v3(0, 1, 0), a[1]);
  hfQuat yaw = q_from_axis_angle(v3(0, 0, 1), a[2]);
  return q_unit(q_mul(yaw, q_mul(pitch, roll)));
}

// Reads the numbers of a <pose>: a position, then angles or a quaternion.
static hfiPlacement read_pose(hfiSdf* s, const hfiElem* pose) {
  double x[7] = {0};
  const char* format = hfi_attr(pose, "rotation_format");
  int in_degrees = hfi_sdf_is_true(hfi_attr(pose, "degrees"));
  int is_quat = format && strcmp(format, "quat_xyzw") == 0;
  int count = is_quat ? 7 : 6;
  hfi_text_reals(s->r, pose, count, count, x);

  hfiPlacement X = {v3_load(x), q_identity()};
  if (is_quat) {
    hfQuat q = {x[6], x[3], x[4], x[5]};
    if (!s->r->status && !(q_norm(q) > HFI_SHORTEST_DIRECTION))
      hfi_fail(s->r, pose, HF_ERROR_MODEL, "a zero quaternion is no orientation");
    X.q = q_unit(q);
  } else {
    for (int i = 3; in_degrees && i < 6; ++i) x[i] *= HFI_PI / 180;
    X.q = from_rpy(x + 3);
  }
  return X;
}

// The <pose> of an element in the world. If it names no frame, it is written in `frame`.
hfiPlacement hfi_sdf_pose(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, hfiPlacement frame) {
  const hfiElem* pose = hfi_child(elem, "pose");
  if (!pose || s->r->status) return frame;
  frame = hfi_sdf_named_frame(s, scope, pose, hfi_attr(pose, "relative_to") ? "relative_to" : "frame", frame);
  return hfi_placement_mul(frame, read_pose(s, pose));
}

// The pose in the world of the frame in which the <pose> of an entity is written if it names none.
static hfiPlacement default_frame(hfiSdf* s, hfiSdfEntity* e) {
  if (e->kind == HFI_SDF_JOINT && e->child_frame) return hfi_sdf_place(s, e->child_frame);
  hfiPlacement model = e->scope ? hfi_sdf_place(s, e->scope) : hfi_placement_identity();
  return e->kind == HFI_SDF_FRAME ? hfi_sdf_named_frame(s, e->scope, e->elem, "attached_to", model) : model;
}

// Whether a <pose> names its frame. If so, the default frame does not matter, and it may even depend on this entity.
static int is_relative(const hfiElem* elem) {
  const hfiElem* pose = hfi_child(elem, "pose");
  const char* name = pose ? hfi_attr(pose, "relative_to") : NULL;
  return name && *name;
}

// Whether an entity is in a model, or in a model inside of it.
static int is_inside(const hfiSdfEntity* e, const hfiSdfEntity* model) {
  for (e = e->scope; e && e != model;) e = e->scope;
  return e == model;
}

// The pose X_MP in a model of its placement frame. The pose of the model, on which all poses in it depend, is not known
// yet. So they are computed as if the model stood at the origin, and all entities are restored afterwards.
static hfiPlacement place_inside(hfiSdf* s, hfiSdfEntity* model) {
  hfiSdfEntity* before = HFI_NEW(s->r, hfiSdfEntity, s->count);
  int world = 0;
  hfiSdfEntity* frame = find_named(s, model, model->elem, model->placement, &world);
  if (frame && !is_inside(frame, model))
    hfi_fail(s->r, model->elem, HF_ERROR_MODEL, "placement_frame \"%s\" is not in the model", model->placement);

  if (!before || !frame || s->r->status) return hfi_placement_identity();

  // forget the poses in the model, which stands at the origin now
  for (int i = 0; i < s->count; ++i) {
    before[i] = *s->entity[i];
    if (is_inside(s->entity[i], model)) s->entity[i]->state = HFI_SDF_POSE_UNKNOWN;
  }
  model->state = HFI_SDF_POSE_KNOWN;

  hfiPlacement X_MP = hfi_sdf_place(s, frame);
  for (int i = 0; i < s->count; ++i) *s->entity[i] = before[i];
  return X_MP;
}

// The pose of an entity in the world, X_WE. It is computed when it is first asked for.
hfiPlacement hfi_sdf_place(hfiSdf* s, hfiSdfEntity* e) {
  if (e->state == HFI_SDF_POSE_BEING_RESOLVED) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "its pose depends on itself");
  if (e->state != HFI_SDF_POSE_UNKNOWN || s->r->status) return e->X_W;

  e->state = HFI_SDF_POSE_BEING_RESOLVED;
  e->X_W = hfi_placement_identity();

  // <pose> places the entity or, of a model with a placement frame, this frame
  hfiPlacement X_MP = hfi_placement_identity();
  if (e->kind == HFI_SDF_MODEL && e->placement) X_MP = place_inside(s, e);
  hfiPlacement frame = is_relative(e->placed) ? hfi_placement_identity() : default_frame(s, e);
  hfiPlacement X_WP = hfi_sdf_pose(s, e->scope, e->placed, frame);

  e->X_W = e->placement ? hfi_placement_mul(X_WP, hfi_placement_inverse(X_MP)) : X_WP;
  e->state = HFI_SDF_POSE_KNOWN;
  return e->X_W;
}

// The first entity of a kind that belongs to a model, or to a model that is merged into it. NULL if there is none.
static hfiSdfEntity* first_member(const hfiSdf* s, const hfiSdfEntity* model, hfiSdfKind kind) {
  for (int i = 0; i < s->count; ++i) {
    hfiSdfEntity* e = s->entity[i];
    const hfiSdfEntity* owner = e->scope;
    while (owner && owner != model && owner->merged) owner = owner->scope;
    if (e->kind == kind && !e->merged && owner == model) return e;
  }
  return NULL;
}

// The canonical link of a model, or the entity that it is attached to or the model that contains it.
static hfiSdfEntity* canonical_link(hfiSdf* s, const hfiSdfEntity* model) {
  int world = 0;
  const char* canonical = hfi_attr(model->elem, "canonical_link");
  if (canonical && *canonical) return find_named(s, model, model->elem, canonical, &world);

  hfiSdfEntity* first = first_member(s, model, HFI_SDF_LINK);
  if (!first) first = first_member(s, model, HFI_SDF_MODEL);
  if (!first) hfi_fail(s->r, model->elem, HF_ERROR_MODEL, "the model has no link");
  return first;
}

// The link to which an entity belongs, by way of frames, joints and models. NULL: the world (*world), or a refusal.
hfiSdfEntity* hfi_sdf_link_of(hfiSdf* s, hfiSdfEntity* e, int* world) {
  enum { MOST_STEPS = 1000 }; // from frame to frame
  *world = 0;

  for (int steps = 0; e && e->kind != HFI_SDF_LINK && !s->r->status; ++steps) {
    if (steps == MOST_STEPS) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "the frame is attached to itself");
    if (e->kind == HFI_SDF_JOINT) {
      e = e->child;
    } else if (e->kind == HFI_SDF_MODEL) {
      e = canonical_link(s, e);
    } else {
      // a frame: what it is attached to
      const char* name = hfi_attr(e->elem, "attached_to");
      hfiSdfEntity* next = name && *name ? find_named(s, e->scope, e->elem, name, world) : e->scope;
      if (*world || (!next && !s->r->status)) {
        *world = 1;
        return NULL;
      }
      e = next;
    }
  }
  return s->r->status ? NULL : e;
}

// Whether the type of a joint is this word.
static int is_type(const hfiSdfEntity* joint, const char* word) {
  const char* type = hfi_attr(joint->elem, "type");
  return type && strcmp(type, word) == 0;
}

int hfi_sdf_is_static(const hfiSdfEntity* link) { return link->scope && link->scope->is_static; }

int hfi_sdf_is_fixed(const hfiSdfEntity* joint) {
  return is_type(joint, "fixed") || (joint->child && hfi_sdf_is_static(joint->child));
}
int hfi_sdf_is_gearbox(const hfiSdfEntity* joint) { return is_type(joint, "gearbox"); }
int hfi_sdf_splits(const hfiSdfEntity* joint) { return !hfi_sdf_is_fixed(joint) && !is_type(joint, "ball"); }

int hfi_sdf_floats(const hfiSdf* s, const hfiSdfEntity* link) {
  return !link->moved_by && !hfi_sdf_is_static(link) && !s->r->config.fixed_base;
}

int hfi_sdf_stands(const hfiSdf* s, const hfiSdfEntity* group) {
  const hfiSdfEntity* joint = group->moved_by;
  if (!joint) return !hfi_sdf_floats(s, group);
  return !joint->parent && hfi_sdf_is_fixed(joint);
}

int hfi_sdf_bound(hfiSdf* s, const hfiElem* elem, const char* child, double* x) {
  const hfiElem* e = hfi_child(elem, child);
  return e && hfi_text_bound(s->r, e, x);
}

const char* hfi_sdf_file(hfiSdf* s, const hfiSdfEntity* link, const char* uri) {
  if (strstr(uri, "://")) return hfi_resolve_uri(s->r, uri);
  return hfi_resolve(s->r, link->scope ? link->scope->folder : s->r->folder, uri);
}
