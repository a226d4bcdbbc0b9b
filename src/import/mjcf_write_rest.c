// Writing what refers to the tree: contacts, tendons, equalities, actuators, sensors and keyframes.
#include "import/mjcf_write.h"

#include "import/mjcf.h"

#include <string.h>

// ---- contacts -----------------------------------------------------------------------------------

static void write_pair(hfiMjcfWriter* w, int i) {
  const hfPairDef* d = &w->b->pair.data[i];
  if (d->condim < 0 || d->friction[0] < 0 || d->margin < 0 || d->gap < 0)
    hfi_mjcf_refuse(w, "pair \"%s\" takes values from its geoms, which MJCF cannot say", d->name ? d->name : "");
  hfi_mjcf_begin(w, 2, "pair");
  hfi_mjcf_put_name(w, HF_OBJECT_PAIR, i);
  hfi_mjcf_put_reference(w, "geom1", HF_OBJECT_GEOM, d->geom1);
  hfi_mjcf_put_reference(w, "geom2", HF_OBJECT_GEOM, d->geom2);
  hfi_mjcf_put_int(w, "condim", d->condim, 3);
  hfi_mjcf_put_reals(w, "friction", d->friction, 5);
  hfi_mjcf_put_real(w, "margin", d->margin - d->gap, 0);
  hfi_mjcf_put_real(w, "gap", d->gap, 0);
  hfi_mjcf_put_solver(w, d->solref, d->solimp);
  hfi_mjcf_print(w, "/>\n");
}

void hfi_mjcf_write_contacts(hfiMjcfWriter* w) {
  hfi_mjcf_print(w, "  <contact>\n");
  for (int i = 0; i < w->b->pair.count; ++i) write_pair(w, i);
  for (int i = 0; i < w->b->exclude.count; ++i) {
    hfi_mjcf_begin(w, 2, "exclude");
    hfi_mjcf_put_reference(w, "body1", HF_OBJECT_BODY, w->b->exclude.data[i].body[0]);
    hfi_mjcf_put_reference(w, "body2", HF_OBJECT_BODY, w->b->exclude.data[i].body[1]);
    hfi_mjcf_print(w, "/>\n");
  }
  hfi_mjcf_print(w, "  </contact>\n");
}

// ---- tendons and equalities ---------------------------------------------------------------------

static void write_tendon(hfiMjcfWriter* w, int i) {
  const hfTendonDef* d = &w->b->tendon.data[i];
  hfi_mjcf_begin(w, 2, "fixed");
  hfi_mjcf_put_name(w, HF_OBJECT_TENDON, i);
  hfi_mjcf_put_range(w, "limited", "range", d->limited, d->range);
  if (d->actfrclimited) hfi_mjcf_put_range(w, "actuatorfrclimited", "actuatorfrcrange", 1, d->actfrcrange);
  hfi_mjcf_put_real(w, "margin", d->margin, 0);
  hfi_mjcf_put_real(w, "stiffness", d->stiffness, 0);
  hfi_mjcf_put_real(w, "damping", d->damping, 0);
  hfi_mjcf_put_real(w, "frictionloss", d->frictionloss, 0);
  hfi_mjcf_put_real(w, "armature", d->armature, 0);
  hfi_mjcf_put_reals(w, "springlength", d->springlength, 2);
  hfi_mjcf_print(w, ">\n");
  for (int k = 0; k < d->count; ++k) {
    hfi_mjcf_begin(w, 3, "joint");
    hfi_mjcf_put_reference(w, "joint", HF_OBJECT_JOINT, d->joint[k]);
    hfi_mjcf_put_reals(w, "coef", &d->coef[k], 1);
    hfi_mjcf_print(w, "/>\n");
  }
  hfi_mjcf_print(w, "    </fixed>\n");
}

void hfi_mjcf_write_tendons(hfiMjcfWriter* w) {
  hfi_mjcf_print(w, "  <tendon>\n");
  for (int i = 0; i < w->b->tendon.count; ++i) write_tendon(w, i);
  hfi_mjcf_print(w, "  </tendon>\n");
}

static void put_equality_data(hfiMjcfWriter* w, const hfEqualityDef* d) {
  int sites = d->objkind == HF_OBJECT_SITE;
  if (d->type == HF_EQUALITY_CONNECT && !sites) hfi_mjcf_put_reals(w, "anchor", d->data, 3);
  if (d->type == HF_EQUALITY_WELD) {
    if (!sites) hfi_mjcf_put_reals(w, "anchor", d->data, 3);
    if (!sites) hfi_mjcf_put_reals(w, "relpose", d->data + 3, 7);
    hfi_mjcf_put_reals(w, "torquescale", d->data + 10, 1);
  }
  if (d->type == HF_EQUALITY_JOINT || d->type == HF_EQUALITY_TENDON) hfi_mjcf_put_reals(w, "polycoef", d->data, 5);
}

void hfi_mjcf_write_equalities(hfiMjcfWriter* w) {
  static const char* const elements[] = {"connect", "weld", "joint", "tendon"};
  static const struct {
    hfObjectKind kind;
    const char* attribute[2];
  } ends[] = {{HF_OBJECT_BODY, {"body1", "body2"}},
              {HF_OBJECT_SITE, {"site1", "site2"}},
              {HF_OBJECT_JOINT, {"joint1", "joint2"}},
              {HF_OBJECT_TENDON, {"tendon1", "tendon2"}}};
  hfi_mjcf_print(w, "  <equality>\n");
  for (int i = 0; i < w->b->equality.count; ++i) {
    const hfEqualityDef* d = &w->b->equality.data[i];
    hfObjectKind kind = hfi_equality_target(d->type, d->objkind);
    hfi_mjcf_begin(w, 2, elements[d->type]);
    hfi_mjcf_put_name(w, HF_OBJECT_EQUALITY, i);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
      if (ends[k].kind != kind) continue;
      hfi_mjcf_put_reference(w, ends[k].attribute[0], kind, d->obj1);
      hfi_mjcf_put_reference(w, ends[k].attribute[1], kind, d->obj2);
    }
    hfi_mjcf_put_bool(w, "active", d->active);
    put_equality_data(w, d);
    hfi_mjcf_put_solver(w, d->solref, d->solimp);
    hfi_mjcf_print(w, "/>\n");
  }
  hfi_mjcf_print(w, "  </equality>\n");
}

// ---- actuators ----------------------------------------------------------------------------------

static void put_common(hfiMjcfWriter* w, const hfActuatorDef* d, int i) {
  static const char* const targets[] = {"joint", "jointinparent", "tendon", "site"};
  hfi_mjcf_put_name(w, HF_OBJECT_ACTUATOR, i);
  hfi_mjcf_put_reference(w, targets[d->trntype], hfi_transmission_target(d->trntype), d->trnid[0]);
  hfi_mjcf_put_reference(w, "refsite", HF_OBJECT_SITE, d->trnid[1]);
  hfi_mjcf_put_reals(w, "gear", d->gear, 6);
  hfi_mjcf_put_range(w, "ctrllimited", "ctrlrange", d->ctrllimited, d->ctrlrange);
  hfi_mjcf_put_range(w, "forcelimited", "forcerange", d->forcelimited, d->forcerange);
}

// MuJoCo's own PID is a plugin; its limit of the integral is that of the force ki I.
static void write_pid(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  double ki = d->dynprm[0];
  const struct {
    const char* key;
    double x;
  } gains[] = {{"kp", d->gainprm[0]}, {"ki", ki}, {"kd", -d->biasprm[2]}, {"imax", d->actlimited ? d->actrange[1] * ki : -1}};
  hfi_mjcf_begin(w, 2, "plugin plugin=\"mujoco.pid\"");
  put_common(w, d, i);
  hfi_mjcf_print(w, ">\n");
  for (size_t k = 0; k < sizeof gains / sizeof *gains; ++k) {
    hfi_mjcf_begin(w, 3, "config");
    hfi_mjcf_put_text(w, "key", gains[k].key);
    hfi_mjcf_put_reals(w, "value", &gains[k].x, 1);
    hfi_mjcf_print(w, "/>\n");
  }
  hfi_mjcf_print(w, "    </plugin>\n");
}

// <general> cannot say a damping ratio, which only servos have.
static void write_servo(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  int integrates = d->dyntype == HF_ACTIVATION_INTEGRATOR;
  hfi_mjcf_begin(w, 2, integrates ? "intvelocity" : "position");
  put_common(w, d, i);
  hfi_mjcf_put_reals(w, "kp", d->gainprm, 1);
  hfi_mjcf_put_reals(w, "dampratio", &d->dampratio, 1);
  if (d->dyntype == HF_ACTIVATION_FILTER_EXACT) hfi_mjcf_put_reals(w, "timeconst", d->dynprm, 1);
  hfi_mjcf_put_range(w, "actlimited", "actrange", d->actlimited, d->actrange);
  hfi_mjcf_print(w, "/>\n");
}

static void write_general(hfiMjcfWriter* w, int i) {
  static const char* const dynamics[] = {"none", "integrator", "filter", "filterexact"};
  const hfActuatorDef* d = &w->b->actuator.data[i];
  hfi_mjcf_begin(w, 2, "general");
  put_common(w, d, i);
  hfi_mjcf_put_range(w, "actlimited", "actrange", d->actlimited, d->actrange);
  hfi_mjcf_put_text(w, "dyntype", dynamics[d->dyntype]);
  hfi_mjcf_put_text(w, "gaintype", d->gaintype == HF_GAIN_AFFINE ? "affine" : "fixed");
  hfi_mjcf_put_text(w, "biastype", d->biastype == HF_BIAS_AFFINE ? "affine" : "none");
  hfi_mjcf_put_reals(w, "dynprm", d->dynprm, 3);
  hfi_mjcf_put_reals(w, "gainprm", d->gainprm, 3);
  hfi_mjcf_put_reals(w, "biasprm", d->biasprm, 3);
  if (d->actearly) hfi_mjcf_put_bool(w, "actearly", 1);
  hfi_mjcf_print(w, "/>\n");
}

void hfi_mjcf_write_actuators(hfiMjcfWriter* w) {
  hfi_mjcf_print(w, "  <actuator>\n");
  for (int i = 0; i < w->b->actuator.count; ++i) {
    const hfActuatorDef* d = &w->b->actuator.data[i];
    if (d->dyntype == HF_ACTIVATION_ERROR)
      write_pid(w, i);
    else
      (d->dampratio > 0 ? write_servo : write_general)(w, i);
  }
  hfi_mjcf_print(w, "  </actuator>\n");
}

// ---- sensors and keyframes ----------------------------------------------------------------------

static const char* frame_word(int kind) {
  return kind == HF_OBJECT_INERTIAL ? "body" : kind == HF_OBJECT_BODY ? "xbody" : kind == HF_OBJECT_GEOM ? "geom" : "site";
}

static void put_frame(hfiMjcfWriter* w, const char* type, const char* name, int kind, int id) {
  if (kind == HF_OBJECT_NONE) return;
  hfi_mjcf_put_text(w, type, frame_word(kind));
  hfi_mjcf_put_reference(w, name, (hfObjectKind)kind, id);
}

static void write_sensor(hfiMjcfWriter* w, int i) {
  const hfSensorDef* d = &w->b->sensor.data[i];
  const char* attribute = NULL;
  const char* word = hfi_mjcf_sensor_word(d->type, &attribute);
  hfi_mjcf_begin(w, 2, word);
  hfi_mjcf_put_name(w, HF_OBJECT_SENSOR, i);
  if (d->type == HF_SENSOR_CONTACT) {
    if (d->objkind != HF_OBJECT_NONE)
      hfi_mjcf_put_reference(w, d->objkind == HF_OBJECT_GEOM ? "geom1" : "body1", (hfObjectKind)d->objkind, d->obj);
    if (d->refkind != HF_OBJECT_NONE)
      hfi_mjcf_put_reference(w, d->refkind == HF_OBJECT_GEOM ? "geom2" : "body2", (hfObjectKind)d->refkind, d->ref);
    hfi_mjcf_print(w, " data=\"force torque\" reduce=\"netforce\"");
  } else if (!attribute) {
    put_frame(w, "objtype", "objname", d->objkind, d->obj);
    put_frame(w, "reftype", "refname", d->refkind, d->ref);
  } else if (attribute[0])
    hfi_mjcf_put_reference(w, attribute, (hfObjectKind)d->objkind, d->obj);
  hfi_mjcf_put_real(w, "cutoff", d->cutoff, 0);
  hfi_mjcf_print(w, "/>\n");
}

void hfi_mjcf_write_sensors(hfiMjcfWriter* w) {
  hfi_mjcf_print(w, "  <sensor>\n");
  for (int i = 0; i < w->b->sensor.count; ++i) write_sensor(w, i);
  hfi_mjcf_print(w, "  </sensor>\n");
}

void hfi_mjcf_write_keys(hfiMjcfWriter* w) {
  int nq, nv, na, nu, nmocap;
  hf_builder_sizes(w->b, &nq, &nv, &na, &nu, &nmocap);
  hfi_mjcf_print(w, "  <keyframe>\n");
  for (int i = 0; i < w->b->key.count; ++i) {
    const hfKeyDef* d = &w->b->key.data[i];
    const struct {
      const char* attribute;
      const double* x;
      int count;
    } arrays[] = {{"qpos", d->qpos, nq}, {"qvel", d->qvel, nv},         {"act", d->act, na},
                  {"ctrl", d->ctrl, nu}, {"mpos", d->mpos, 3 * nmocap}, {"mquat", d->mquat, 4 * nmocap}};
    hfi_mjcf_begin(w, 2, "key");
    hfi_mjcf_put_name(w, HF_OBJECT_KEY, i);
    hfi_mjcf_put_real(w, "time", d->time, 0);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
      if (arrays[k].x && arrays[k].count > 0) hfi_mjcf_put_reals(w, arrays[k].attribute, arrays[k].x, arrays[k].count);
    hfi_mjcf_print(w, "/>\n");
  }
  hfi_mjcf_print(w, "  </keyframe>\n");
}
