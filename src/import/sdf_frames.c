// Names, frames and poses of SDFormat: X_WE = X_WR X_RE, where R is the frame that relative_to names. Without relative_to, R is the model that
// contains E; for a joint it is the child link, for a frame the entity that it is attached to.
#include "import/sdf.h"

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

hfiSdfEntity* hfi_sdf_find(hfiSdf* s, const hfiSdfEntity* scope, const char* name, int* world) {
  *world = strcmp(name, "world") == 0;
  if (*world) return NULL;
  const char* own = scope ? scope->name : "";
  const char* full = strcmp(name, "__model__") == 0 ? own : *own ? hfi_format(s->r, "%s::%s", own, name) : name;
  int id = hfi_names_find(&s->names, 0, full);
  return id < 0 ? NULL : s->entity[id];
}

// The entity that an attribute or a text names. Refuses unknown names.
static hfiSdfEntity* find_named(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, const char* name, int* world) {
  hfiSdfEntity* found = hfi_sdf_find(s, scope, name, world);
  if (!found && !*world) hfi_fail(s->r, elem, HF_ERROR_MODEL, "there is no link, joint, frame or model \"%s\" here", name);
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
  hfQuat x = q_from_axis_angle(v3(1, 0, 0), a[0]), y = q_from_axis_angle(v3(0, 1, 0), a[1]), z = q_from_axis_angle(v3(0, 0, 1), a[2]);
  return q_unit(q_mul(z, q_mul(y, x)));
}

static hfiPlacement read_pose(hfiSdf* s, const hfiElem* pose) {
  double x[7] = {0, 0, 0, 0, 0, 0, 0};
  const char *format = hfi_attr(pose, "rotation_format"), *degrees = hfi_attr(pose, "degrees");
  int quat = format && strcmp(format, "quat_xyzw") == 0;
  hfi_text_reals(s->r, pose, quat ? 7 : 6, quat ? 7 : 6, x);
  if (degrees && strcmp(degrees, "true") == 0 && !quat)
    for (int i = 3; i < 6; ++i) x[i] *= HFI_PI / 180;
  hfQuat q = {x[6], x[3], x[4], x[5]};
  if (quat && !s->r->status && !(q_norm(q) > 1e-10)) hfi_fail(s->r, pose, HF_ERROR_MODEL, "a zero quaternion is no orientation");
  hfiPlacement f = {v3_load(x), quat ? q_unit(q) : from_rpy(x + 3)};
  return f;
}

hfiPlacement hfi_sdf_pose(hfiSdf* s, const hfiSdfEntity* scope, const hfiElem* elem, hfiPlacement frame) {
  const hfiElem* pose = hfi_child(elem, "pose");
  if (!pose || s->r->status) return frame;
  frame = hfi_sdf_named_frame(s, scope, pose, hfi_attr(pose, "relative_to") ? "relative_to" : "frame", frame);
  return hfi_placement_mul(frame, read_pose(s, pose));
}

static hfiPlacement default_frame(hfiSdf* s, hfiSdfEntity* e) {
  if (e->kind == HFI_SDF_JOINT && e->child) return hfi_sdf_place(s, e->child);
  hfiPlacement model = e->scope ? hfi_sdf_place(s, e->scope) : hfi_placement_identity();
  return e->kind == HFI_SDF_FRAME ? hfi_sdf_named_frame(s, e->scope, e->elem, "attached_to", model) : model;
}

// Whether a <pose> names its frame. If so, the default frame does not matter, and it may even depend on this entity.
static int is_relative(const hfiElem* elem) {
  const hfiElem* pose = hfi_child(elem, "pose");
  const char* name = pose ? hfi_attr(pose, "relative_to") : NULL;
  return name && *name;
}

hfiPlacement hfi_sdf_place(hfiSdf* s, hfiSdfEntity* e) {
  if (e->state == 1) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "its pose depends on itself");
  if (e->state || s->r->status) return e->X_W;
  e->state = 1;
  e->X_W = hfi_placement_identity();
  e->X_W = hfi_sdf_pose(s, e->scope, e->placed, is_relative(e->placed) ? e->X_W : default_frame(s, e));
  e->state = 2;
  return e->X_W;
}

static hfiSdfEntity* first_link(hfiSdf* s, const hfiSdfEntity* model) {
  int world = 0;
  const char* canonical = hfi_attr(model->elem, "canonical_link");
  if (canonical && *canonical) return find_named(s, model, model->elem, canonical, &world);
  size_t length = strlen(model->name);
  for (int i = 0; i < s->count; ++i) {
    hfiSdfEntity* e = s->entity[i];
    if (e->kind == HFI_SDF_LINK && strncmp(e->name, model->name, length) == 0) return e;
  }
  hfi_fail(s->r, model->elem, HF_ERROR_MODEL, "the model has no link");
  return NULL;
}

hfiSdfEntity* hfi_sdf_link_of(hfiSdf* s, hfiSdfEntity* e, int* world) {
  enum { LONGEST = 1000 };
  *world = 0;
  for (int steps = 0; e && e->kind != HFI_SDF_LINK && !s->r->status; ++steps) {
    if (steps == LONGEST) hfi_fail(s->r, e->elem, HF_ERROR_MODEL, "the frame is attached to itself");
    if (e->kind == HFI_SDF_JOINT) {
      e = e->child;
    } else if (e->kind == HFI_SDF_MODEL) {
      e = first_link(s, e);
    } else {
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

const char* hfi_sdf_file(hfiSdf* s, const hfiSdfEntity* link, const char* uri) {
  if (strstr(uri, "://")) return hfi_resolve_uri(s->r, uri);
  return hfi_resolve(s->r, link->scope ? link->scope->folder : s->r->folder, uri);
}
