// Names, frames and poses of SDFormat: X_WE = X_WR X_RE, where R is the frame that relative_to names. Without
// relative_to, R is the model that contains E; for a joint it is the child link, for a frame the entity that it is
// attached to.
#include "io/robots/sdf.h"

#include <string.h>

hfiPlacement hfi_placement_inverse(hfiPlacement a) {
  hfQuat q = q_conj(a.q);
  hfiPlacement f = {v3_scale(-1, q_rotate(q, a.p)), q};
  return f;
}

const char* hfi_sdf_text(const hfiElem* elem, const char* child) {
  const hfiElem* e = hfi_child(elem, child);
  return e ? e->text : NULL;
}

int hfi_sdf_number(hfiSdf* s, const hfiElem* elem, const char* child, double* x) {
  const hfiElem* e = hfi_child(elem, child);
  return e && hfi_text_reals(s->r, e, 1, 1, x);
}

void hfi_sdf_use_all(hfiElem* elem) {
  elem->used = 1;
  for (hfiAttr* a = elem->attr; a; a = a->next) a->used = 1;
  for (hfiElem* child = elem->child; child; child = child->next) hfi_sdf_use_all(child);
}

int hfi_sdf_is_true(const char* text) {
  static const char word[] = "true";
  if (!text) return 0;
  text += strspn(text, " \t\r\n");
  size_t length = strcspn(text, " \t\r\n");
  size_t same = 0;
  if (text[length + strspn(text + length, " \t\r\n")]) return 0;

  while (same < length && same < sizeof word - 1 && (text[same] | 0x20) == word[same]) ++same; // 0x20 makes ASCII letters small
  return (length == 1 && *text == '1') || (length == sizeof word - 1 && same == length);
}

const char* hfi_sdf_prefix(const hfiSdfEntity* scope) {
  while (scope && scope->merged) scope = scope->scope;
  return scope ? scope->name : "";
}

hfiSdfEntity* hfi_sdf_find(hfiSdf* s, const hfiSdfEntity* scope, const char* name, int* world) {
  static const char itself[] = "__model__"; // "in::__model__" is the model called "in"
  *world = strcmp(name, "world") == 0;
  if (*world) return NULL;

  size_t length = strlen(name);
  size_t end = sizeof itself - 1;
  const char* prefix = hfi_sdf_prefix(scope);
  const char* full = *prefix ? hfi_format(s->r, "%s::%s", prefix, name) : name;
  if (length > end + 2 && strcmp(name + length - end - 2, "::__model__") == 0)
    full = hfi_format(s->r, "%.*s", (int)(strlen(full) - end - 2), full);
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
  hfQuat x = q_from_axis_angle(v3(1, 0, 0), a[0]), y = q_from_axis_angle(v3(0, 1, 0),
      a[1]), z = q_from_axis_angle(v3(0, 0, 1), a[2]);
  return q_unit(q_mul(z, q_mul(y, x)));
}

// Reads the numbers of a <pose>: a position, then angles or a quaternion.
static hfiPlacement read_pose(hfiSdf* s, const hfiElem* pose) {
  double x[7] = {0, 0, 0, 0, 0, 0, 0};
  const char* format = hfi_attr(pose, "rotation_format");
  int degrees = hfi_sdf_is_true(hfi_attr(pose, "degrees"));
  int quat = format && strcmp(format, "quat_xyzw") == 0;
  hfi_text_reals(s->r, pose, quat ? 7 : 6, quat ? 7 : 6, x);

  if (degrees && !quat)
    for (int i = 3; i < 6; ++i) x[i] *= HFI_PI / 180;
  hfQuat q = {x[6], x[3], x[4], x[5]};
  if (quat && !s->r->status && !(q_norm(q) > 1e-10))
    hfi_fail(s->r, pose, HF_ERROR_MODEL, "a zero quaternion is no orientation");

  hfiPlacement f = {v3_load(x), quat ? q_unit(q) : from_rpy(x + 3)};
  return f;
}

hfiPlacement hfi_sdf_pose(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, hfiPlacement frame) {
  const hfiElem* pose = hfi_child(elem, "pose");
  if (!pose || s->r->status) return frame;
  frame = hfi_sdf_named_frame(s, scope, pose, hfi_attr(pose, "relative_to") ? "relative_to" : "frame", frame);
  return hfi_placement_mul(frame, read_pose(s, pose));
}

// The frame in which a <pose> is written that names none.
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

static int is_inside(const hfiSdfEntity* e, const hfiSdfEntity* model) {
  for (e = e->scope; e && e != model;) e = e->scope;
  return e == model;
}

// The pose in a model of what its placement frame names, X_MP. The poses of all that is in the model are not known yet:
// they are computed as if the model stood at the origin, and then put back.
static hfiPlacement place_inside(hfiSdf* s, hfiSdfEntity* model) {
  hfiSdfEntity* before = HFI_NEW(s->r, hfiSdfEntity, s->count);
  int world = 0;
  hfiSdfEntity* frame = find_named(s, model, model->elem, model->placement, &world);
  if (frame && !is_inside(frame, model))
    hfi_fail(s->r, model->elem, HF_ERROR_MODEL, "placement_frame \"%s\" is not in the model", model->placement);

  if (!before || !frame || s->r->status) return hfi_placement_identity();

  for (int i = 0; i < s->count; ++i) {
    before[i] = *s->entity[i];
    if (is_inside(s->entity[i], model)) s->entity[i]->state = 0;
  }

  model->state = 2;
  hfiPlacement X_MP = hfi_sdf_place(s, frame);
  for (int i = 0; i < s->count; ++i) *s->entity[i] = before[i];
  return X_MP;
}

// The pose of an entity in the world, X_WE. It is computed when it is first asked for.
hfiPlacement hfi_sdf_place(hfiSdf* s, hfiSdfEntity* e) {
  if (e->state == 1) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "its pose depends on itself");
  if (e->state || s->r->status) return e->X_W;

  e->state = 1;
  e->X_W = hfi_placement_identity();

  hfiPlacement X_MP = e->kind == HFI_SDF_MODEL && e->placement ? place_inside(s, e) : e->X_W;
  hfiPlacement X_WP = hfi_sdf_pose(s, e->scope, e->placed, is_relative(e->placed) ? e->X_W : default_frame(s, e));
  e->X_W = e->placement ? hfi_placement_mul(X_WP, hfi_placement_inverse(X_MP)) : X_WP;
  e->state = 2;
  return e->X_W;
}

// The first entity of a kind that belongs to a model, with those of merged models, or NULL.
static hfiSdfEntity* first_member(const hfiSdf* s, const hfiSdfEntity* model, hfiSdfKind kind) {
  for (int i = 0; i < s->count; ++i) {
    hfiSdfEntity* e = s->entity[i];
    const hfiSdfEntity* owner = e->scope;
    while (owner && owner != model && owner->merged) owner = owner->scope;
    if (e->kind == kind && !e->merged && owner == model) return e;
  }
  return NULL;
}

// The canonical link of a model, or what leads to it.
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
  enum { LONGEST = 1000 };
  *world = 0;

  for (int steps = 0; e && e->kind != HFI_SDF_LINK && !s->r->status; ++steps) {
    if (steps == LONGEST) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "the frame is attached to itself");
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
  return group->moved_by ? !group->moved_by->parent && hfi_sdf_is_fixed(group->moved_by) : !hfi_sdf_floats(s, group);
}

int hfi_sdf_bound(hfiSdf* s, const hfiElem* elem, const char* child, double* x) {
  const hfiElem* e = hfi_child(elem, child);
  return e && hfi_text_bound(s->r, e, x);
}

const char* hfi_sdf_file(hfiSdf* s, const hfiSdfEntity* link, const char* uri) {
  if (strstr(uri, "://")) return hfi_resolve_uri(s->r, uri);
  return hfi_resolve(s->r, link->scope ? link->scope->folder : s->r->folder, uri);
}
