// Kinds, names and labels of a model's objects (object.h).
#include "model/object.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- kinds -----------------------------------------------------------------------------------------

// A kind of object: what it is called, where the model counts it, and where its names are.
typedef struct ObjectKind {
  const char* noun;
  size_t count;       // offset in hfModel; 0: models have no such objects
  hfModelField names;
} ObjectKind;

static const ObjectKind KINDS[HF_OBJECT_KINDS] = {
    [HF_OBJECT_NONE] = {.noun = "none"},
    [HF_OBJECT_BODY] = {"body", offsetof(hfModel, nbody), HF_FIELD_body_name},
    [HF_OBJECT_INERTIAL] = {"inertial frame", offsetof(hfModel, nbody), HF_FIELD_body_name},
    [HF_OBJECT_JOINT] = {"joint", offsetof(hfModel, njnt), HF_FIELD_jnt_name},
    [HF_OBJECT_GEOM] = {"geom", offsetof(hfModel, ngeom), HF_FIELD_geom_name},
    [HF_OBJECT_SITE] = {"site", offsetof(hfModel, nsite), HF_FIELD_site_name},
    [HF_OBJECT_MESH] = {"mesh", offsetof(hfModel, nmesh), HF_FIELD_mesh_name},
    [HF_OBJECT_TENDON] = {"tendon", offsetof(hfModel, ntendon), HF_FIELD_tendon_name},
    [HF_OBJECT_EQUALITY] = {"equality", offsetof(hfModel, neq), HF_FIELD_eq_name},
    [HF_OBJECT_ACTUATOR] = {"actuator", offsetof(hfModel, nu), HF_FIELD_actuator_name},
    [HF_OBJECT_SENSOR] = {"sensor", offsetof(hfModel, nsensor), HF_FIELD_sensor_name},
    [HF_OBJECT_KEY] = {"keyframe", offsetof(hfModel, nkey), HF_FIELD_key_name},
    [HF_OBJECT_PAIR] = {"pair", offsetof(hfModel, npair), HF_FIELD_pair_name},
    [HF_OBJECT_HFIELD] = {"hfield", offsetof(hfModel, nhfield), HF_FIELD_hfield_name},
    [HF_OBJECT_CAMERA] = {"camera", offsetof(hfModel, ncam), HF_FIELD_cam_name},
};

int hfi_is_kind(hfObjectKind kind) { return (int)kind >= 0 && kind < HF_OBJECT_KINDS && KINDS[kind].count > 0; }

int32_t* hfi_object_count(hfModel* m, hfObjectKind kind) { return (int32_t*)((char*)m + KINDS[kind].count); }

hfModelField hfi_name_field(hfObjectKind kind) { return KINDS[kind].names; }

int32_t* hfi_object_names(hfModel* m, hfObjectKind kind) {
  return (int32_t*)((uintptr_t)m + (uintptr_t)m->offset[KINDS[kind].names]);
}

const char* hf_object_kind_name(hfObjectKind kind) {
  return (int)kind >= 0 && kind < HF_OBJECT_KINDS ? KINDS[kind].noun : "unknown";
}

int hf_model_object_count(const hfModel* model, hfObjectKind kind) {
  return hfi_is_kind(kind) ? *(const int32_t*)((const char*)model + KINDS[kind].count) : 0;
}

// ---- names -----------------------------------------------------------------------------------------

// The name of an object, or NULL if it has none or does not exist.
static const char* find_name(const hfModel* m, hfObjectKind kind, int id) {
  if (id < 0 || id >= hf_model_object_count(m, kind)) return NULL;
  const int32_t* offset = (const int32_t*)((uintptr_t)m + (uintptr_t)m->offset[KINDS[kind].names]);
  return offset[id] >= 0 ? hf_model_names(m) + offset[id] : NULL;
}

const char* hf_model_name(const hfModel* model, hfObjectKind kind, int id) {
  const char* name = find_name(model, kind, id);
  return name ? name : "";
}

// Returns the id of the object of this kind and name, or -1. Unnamed objects have no name that could match.
int hf_model_find(const hfModel* model, hfObjectKind kind, const char* name) {
  for (int i = 0; i < hf_model_object_count(model, kind); ++i) {
    const char* candidate = find_name(model, kind, i);
    if (candidate && strcmp(candidate, name) == 0) return i;
  }
  return -1;
}

// Returns the code point at *text and moves *text behind it. Returns -1 if the bytes are not UTF-8: cut short, longer
// than needed, a surrogate, or beyond U+10FFFF.
static int32_t read_code_point(const unsigned char** text) {
  static const int32_t least[] = {0, 0x80, 0x800, 0x10000}; // the least that needs so many bytes more than one
  const unsigned char* p = *text;

  // the first byte says how many follow: 0xxxxxxx none, 110xxxxx one, 1110xxxx two, 11110xxx three
  if ((p[0] >= 0x80 && p[0] < 0xC0) || p[0] >= 0xF8) return -1;

  int more = 0;
  if (p[0] >= 0xC0) more = 1;
  if (p[0] >= 0xE0) more = 2;
  if (p[0] >= 0xF0) more = 3;

  // the bits of the code point: of the first byte, then six of each byte 10xxxxxx
  int32_t code = more ? p[0] & (0x3F >> more) : p[0];
  for (int k = 1; k <= more; ++k) {
    if ((p[k] & 0xC0) != 0x80) return -1;
    code = code << 6 | (p[k] & 0x3F);
  }

  // longer than needed, beyond the last code point, or a surrogate
  *text = p + more + 1;
  if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return -1;
  return code;
}

// Reads the name character by character.
int hfi_name_is_sound(const char* name) {
  const unsigned char* p = (const unsigned char*)name;
  while (*p) {
    int32_t code = read_code_point(&p);
    int is_space = code == '\t' || code == '\n' || code == '\r';
    if ((code < 0x20 && !is_space) || code == 0xFFFE || code == 0xFFFF) return 0;
  }
  return 1;
}

// ---- labels ----------------------------------------------------------------------------------------

// Returns what a message calls an object: its kind with its name in quotes, or with its id if it has no name. A long
// name is cut, so that the closing quote stays.
hfiLabel hfi_label(hfObjectKind kind, const char* name, int id) {
  hfiLabel label;
  const char* noun = hf_object_kind_name(kind);
  int room = (int)(sizeof label.text - strlen(noun) - 4); // without a space, two quotes and the final zero
  if (name && *name) snprintf(label.text, sizeof label.text, "%s \"%.*s\"", noun, room, name);
  else if (id >= 0) snprintf(label.text, sizeof label.text, "%s %d", noun, id);
  else snprintf(label.text, sizeof label.text, "%s without a name", noun);
  return label;
}

hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id) {
  return hfi_label(kind, hf_model_name(m, kind, id), id);
}

// Is a joint called like its body? A free joint is the only joint of its body, so that no two joints get the same name.
static int shares_body_name(const hfModel* m, int j) {
  if (j < 0 || j >= m->njnt || hf_model_jnt_type(m)[j] != HF_JOINT_FREE) return 0;
  const char* body = hf_model_name(m, HF_OBJECT_BODY, hf_model_jnt_body(m)[j]);
  return *body && hf_model_find(m, HF_OBJECT_JOINT, body) < 0;
}

// Falls back on the body's name, then on the number.
const char* hf_model_label(const hfModel* model, hfObjectKind kind, int id, char buffer[HF_LABEL_SIZE]) {
  const char* name = hf_model_name(model, kind, id);
  if (*name) return name;
  if (kind == HF_OBJECT_BODY && id == 0) return "world";
  if (kind == HF_OBJECT_JOINT && shares_body_name(model, id))
    return hf_model_name(model, HF_OBJECT_BODY, hf_model_jnt_body(model)[id]);

  snprintf(buffer, HF_LABEL_SIZE, "#%d", id);
  return buffer;
}

// ---- types -----------------------------------------------------------------------------------------

// Returns the kind of object on which a transmission acts. All that are not listed act on joints.
hfObjectKind hfi_transmission_target(int trntype) {
  switch (trntype) {
  case HF_TRANSMISSION_TENDON:
    return HF_OBJECT_TENDON;
  case HF_TRANSMISSION_SITE:
  case HF_TRANSMISSION_SLIDER_CRANK:
    return HF_OBJECT_SITE;
  case HF_TRANSMISSION_BODY:
    return HF_OBJECT_BODY;
  default:
    return HF_OBJECT_JOINT;
  }
}

hfObjectKind hfi_equality_target(int type, int objkind) {
  if (type == HF_EQUALITY_JOINT) return HF_OBJECT_JOINT;
  if (type == HF_EQUALITY_TENDON) return HF_OBJECT_TENDON;
  return (hfObjectKind)objkind;
}

int hfi_signal_size(int type) {
  static const int size[] = {[HF_SIGNAL_NONE] = 0,  [HF_SIGNAL_CONSTANT] = 1, [HF_SIGNAL_SINE] = 4,
                             [HF_SIGNAL_RAMP] = 4,  [HF_SIGNAL_CHIRP] = 5,    [HF_SIGNAL_TABLE] = 2,
                             [HF_SIGNAL_CYCLE] = 4, [HF_SIGNAL_FEEDBACK] = 8};
  return size[type];
}
