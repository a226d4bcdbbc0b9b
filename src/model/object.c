// Names and counts of a model's objects, by kind.
#include "model/object.h"

#include <stdio.h>
#include <string.h>

const char* hf_object_kind_name(hfObjectKind kind) {
  static const char* const names[HF_OBJECT_KINDS] = {
      "none",   "body",     "inertial frame", "joint",  "geom",     "site", "mesh",
      "tendon", "equality", "actuator",       "sensor", "keyframe", "pair",   "hfield", "camera"};
  return kind >= 0 && kind < HF_OBJECT_KINDS ? names[kind] : "unknown";
}

static const int32_t* name_offsets(const hfModel* m, hfObjectKind kind, int* count) {
  switch (kind) {
  case HF_OBJECT_BODY:
  case HF_OBJECT_INERTIAL:
    *count = m->nbody;
    return hf_model_body_name(m);
  case HF_OBJECT_JOINT:
    *count = m->njnt;
    return hf_model_jnt_name(m);
  case HF_OBJECT_GEOM:
    *count = m->ngeom;
    return hf_model_geom_name(m);
  case HF_OBJECT_SITE:
    *count = m->nsite;
    return hf_model_site_name(m);
  case HF_OBJECT_CAMERA:
    *count = m->ncam;
    return hf_model_cam_name(m);
  case HF_OBJECT_MESH:
    *count = m->nmesh;
    return hf_model_mesh_name(m);
  case HF_OBJECT_HFIELD:
    *count = m->nhfield;
    return hf_model_hfield_name(m);
  case HF_OBJECT_TENDON:
    *count = m->ntendon;
    return hf_model_tendon_name(m);
  case HF_OBJECT_EQUALITY:
    *count = m->neq;
    return hf_model_eq_name(m);
  case HF_OBJECT_ACTUATOR:
    *count = m->nu;
    return hf_model_actuator_name(m);
  case HF_OBJECT_SENSOR:
    *count = m->nsensor;
    return hf_model_sensor_name(m);
  case HF_OBJECT_KEY:
    *count = m->nkey;
    return hf_model_key_name(m);
  case HF_OBJECT_PAIR:
    *count = m->npair;
    return hf_model_pair_name(m);
  case HF_OBJECT_NONE:
  case HF_OBJECT_KINDS:
    break;
  }
  *count = 0;
  return NULL;
}

int hf_model_object_count(const hfModel* model, hfObjectKind kind) {
  int count;
  name_offsets(model, kind, &count);
  return count;
}

const char* hf_model_name(const hfModel* model, hfObjectKind kind, int id) {
  int count;
  const int32_t* offset = name_offsets(model, kind, &count);
  if (id < 0 || id >= count || offset[id] < 0) return "";
  return hf_model_names(model) + offset[id];
}

hfiLabel hfi_label(hfObjectKind kind, const char* name, int id) {
  hfiLabel label;
  const char* noun = hf_object_kind_name(kind);
  if (name && *name)
    snprintf(label.text, sizeof label.text, "%s \"%.*s\"", noun, (int)(sizeof label.text - strlen(noun) - 4), name);
  else if (id >= 0)
    snprintf(label.text, sizeof label.text, "%s %d", noun, id);
  else
    snprintf(label.text, sizeof label.text, "%s without a name", noun);
  return label;
}

hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id) { return hfi_label(kind, hf_model_name(m, kind, id), id); }

int hf_model_find(const hfModel* model, hfObjectKind kind, const char* name) {
  int count;
  const int32_t* offset = name_offsets(model, kind, &count);
  for (int i = 0; i < count; ++i)
    if (offset[i] >= 0 && strcmp(hf_model_names(model) + offset[i], name) == 0) return i;
  return -1;
}

// Whether a joint is called like its body. A free joint is the only joint of its body, so that no two joints get the same name.
static int shares_body_name(const hfModel* m, int j) {
  if (j < 0 || j >= m->njnt || hf_model_jnt_type(m)[j] != HF_JOINT_FREE) return 0;
  const char* body = hf_model_name(m, HF_OBJECT_BODY, hf_model_jnt_body(m)[j]);
  return *body && hf_model_find(m, HF_OBJECT_JOINT, body) < 0;
}

const char* hf_model_label(const hfModel* model, hfObjectKind kind, int id, char buffer[HF_LABEL_SIZE]) {
  const char* name = hf_model_name(model, kind, id);
  if (*name) return name;
  if (kind == HF_OBJECT_BODY && id == 0) return "world";
  if (kind == HF_OBJECT_JOINT && shares_body_name(model, id)) return hf_model_name(model, HF_OBJECT_BODY, hf_model_jnt_body(model)[id]);
  snprintf(buffer, HF_LABEL_SIZE, "#%d", id);
  return buffer;
}

hfObjectKind hfi_transmission_target(int trntype) {
  return trntype == HF_TRANSMISSION_TENDON ? HF_OBJECT_TENDON
         : trntype == HF_TRANSMISSION_SITE || trntype == HF_TRANSMISSION_SLIDER_CRANK ? HF_OBJECT_SITE
         : trntype == HF_TRANSMISSION_BODY ? HF_OBJECT_BODY
                                           : HF_OBJECT_JOINT;
}

hfObjectKind hfi_equality_target(int type, int objkind) {
  return type == HF_EQUALITY_JOINT    ? HF_OBJECT_JOINT
         : type == HF_EQUALITY_TENDON ? HF_OBJECT_TENDON
                                      : (hfObjectKind)objkind;
}

int hfi_signal_size(int type) {
  static const int size[] = {0, 1, 4, 4, 5, 2, 4, 8}; // indexed by hfSignalType
  return size[type];
}
