// MuJoCo's PID actuator, a plugin that comes with MuJoCo:
//
//   <extension><plugin plugin="mujoco.pid"><instance name="I"><config key="kp" value="40"/>...</instance></plugin></extension>
//   <actuator><plugin plugin="mujoco.pid" instance="I" joint="J"/></actuator>
//
// or with the <config> elements inside the actuator. The force is kp e + ki I - kd l' with e = ctrl - l. I is the
// integral of e, with |ki I| <= imax; it is the activation.
#include "import/mjcf.h"

#include <string.h>

static const char PLUGIN[] = "mujoco.pid";

int hfi_mjcf_is_pid(const hfiElem* elem) {
  if (!hfi_is(elem, "plugin")) return 0;
  for (const hfiAttr* a = elem->attr; a; a = a->next)
    if (strcmp(a->name, "plugin") == 0) return strcmp(a->value, PLUGIN) == 0;
  return 0;
}

// The instance of that name in <extension>, or NULL. Other plugins are not marked as used and are therefore reported.
static hfiElem* find_instance(hfiMjcf* m, const char* name) {
  for (hfiElem* x = m->root->child; x; x = x->next)
    for (hfiElem* p = hfi_is(x, "extension") ? x->child : NULL; p; p = p->next) {
      if (!hfi_mjcf_is_pid(p)) continue;
      hfi_attr(p, "plugin");
      x->used = p->used = 1;
      for (hfiElem* i = hfi_child(p, "instance"); i; i = hfi_next(i, "instance")) {
        const char* own = hfi_attr(i, "name");
        if (own && strcmp(own, name) == 0) return i;
      }
    }
  return NULL;
}

typedef struct Gains {
  double kp, ki, kd, imax, slewmax;
} Gains;

static Gains read_gains(hfiMjcf* m, const hfiElem* elem) {
  Gains g = {0, 0, 0, -1, 0};
  const struct {
    const char* key;
    double* x;
  } keys[] = {{"kp", &g.kp}, {"ki", &g.ki}, {"kd", &g.kd}, {"imax", &g.imax}, {"slewmax", &g.slewmax}};
  for (hfiElem* c = hfi_child(elem, "config"); c; c = hfi_next(c, "config")) {
    const char* key = hfi_require(m->r, c, "key");
    c->used = 1;
    size_t k = 0;
    while (k < sizeof keys / sizeof *keys && strcmp(keys[k].key, key) != 0) ++k;
    if (k < sizeof keys / sizeof *keys)
      hfi_read_real(m->r, c, "value", keys[k].x);
    else
      hfi_fail(m->r, c, HF_ERROR_MODEL, "%s has no parameter \"%.40s\"", PLUGIN, key);
  }
  return g;
}

void hfi_mjcf_apply_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  const char* name = hfi_attr(elem, "instance");
  hfiElem* instance = name ? find_instance(m, name) : NULL;
  hfActuatorDef* d = &s->def;
  int actdim = 0;
  hfi_attr(elem, "plugin");
  hfi_attr(elem, "dyntype"); // likewise
  hfi_read_int(m->r, elem, "actdim", &actdim); // follows from ki
  if (name && !instance) hfi_fail(m->r, elem, HF_ERROR_MODEL, "no instance \"%.100s\" of %s", name, PLUGIN);
  if (instance) instance->used = 1;
  Gains g = read_gains(m, instance ? instance : elem);
  if (g.slewmax > 0) hfi_note(m->r, elem, HF_WARNING, "slewmax is not used: the control may jump");
  if (g.kp < 0 || g.ki < 0 || g.kd < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "kp, ki and kd cannot be negative");
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = g.kp;
  d->biasprm[0] = 0, d->biasprm[1] = -g.kp, d->biasprm[2] = -g.kd;
  d->dyntype = g.ki > 0 ? HF_ACTIVATION_ERROR : HF_ACTIVATION_NONE;
  d->dynprm[0] = g.ki > 0 ? g.ki : 1;
  if (!(g.ki > 0 && g.imax >= 0)) return;
  d->actrange[1] = g.imax / g.ki, d->actrange[0] = -d->actrange[1];
  s->actlimited = 1;
}
