// Force laws of <actuator>: the general one, force = gain u + bias, and shortcuts that set its parameters.
//
//   motor        gain 1
//   position     gain kp, bias -kp l - kv v; u filtered when timeconst > 0
//   velocity     gain kv, bias -kv v
//   intvelocity  as position, where u is the integral of the control
//   damper       gain -kv v
//   cylinder     gain area, bias b0 + b1 l + b2 v; u filtered
//   muscle       curves of length and velocity (step/actuation/muscle.c)
//   pid          kp (u_pos - l) + kv (u_vel - v) + ki integral + u_ff (mjcf_pid.c)
//   dcmotor      by the numbers of its data sheet (mjcf_motor.c)
//   orientation  kp log(q^-1 u) - kv w (mjcf_orientation.c)
//   adhesion     gain, on a body (step/world/adhesion.c)
//   plugin       mujoco.pid (mjcf_pid.c)
//
// A shortcut takes its parameters from the nearest class whose default was written with the same
// shortcut, or as <general> with the shortcut's type of gain; otherwise from its own defaults.
// <general> takes all parameters that the class has.
//
// m: the document, r: its reader, s: the spec of the actuator, d: its definition; kp, kv: gains; l, v: length and
// speed.
#include "io/mjcf/mjcf.h"

#include <string.h>

static const hfiKeyword kinds[] = {{"general", HFI_GENERAL},         {"motor", HFI_MOTOR},
                                   {"position", HFI_POSITION},       {"velocity", HFI_VELOCITY},
                                   {"damper", HFI_DAMPER},           {"cylinder", HFI_CYLINDER},
                                   {"intvelocity", HFI_INTVELOCITY}, {"muscle", HFI_MUSCLE},
                                   {"pid", HFI_SETPOINT_PID},        {"adhesion", HFI_ADHESION},
                                   {"dcmotor", HFI_DCMOTOR},          {"orientation", HFI_ORIENTATION},
                                   {NULL, 0}};

// The shortcut (hfiShortcut) that an element is written as; -1 if it is not an actuator.
static int find_kind(const hfiElem* elem) {
  for (const hfiKeyword* k = kinds; k->word; ++k)
    if (hfi_is(elem, k->word)) return k->value;
  return hfi_mjcf_is_pid(elem) ? HFI_PID : -1;
}

int hfi_mjcf_is_actuator(const hfiElem* elem) { return find_kind(elem) >= 0; }

// ---- parameters ---------------------------------------------------------------------------------

// Copies the parameters that define the force, and no others.
static void copy_parameters(hfActuatorDef* to, const hfActuatorDef* from) {
  to->dyntype = from->dyntype;
  to->gaintype = from->gaintype;
  to->biastype = from->biastype;

  memcpy(to->dynprm, from->dynprm, sizeof to->dynprm);
  memcpy(to->gainprm, from->gainprm, sizeof to->gainprm);
  memcpy(to->biasprm, from->biasprm, sizeof to->biasprm);
  to->dampratio = from->dampratio;
  memcpy(to->muscle, from->muscle, sizeof to->muscle);
  memcpy(to->passive, from->passive, sizeof to->passive);
  memcpy(to->motor, from->motor, sizeof to->motor);
  to->inputs = from->inputs;
}

// Sets the parameters of a force law to those that hold if the file gives none.
static void reset_parameters(hfActuatorDef* d) {
  hfActuatorDef fresh = hf_actuator_def_default();
  copy_parameters(d, &fresh);
}

// The type of gain that a shortcut has if it is written as <general>.
static int gain_of(hfiShortcut kind) {
  switch (kind) {
  case HFI_DAMPER: return HF_GAIN_AFFINE;
  case HFI_MUSCLE: return HF_GAIN_MUSCLE;
  case HFI_ORIENTATION: return HF_GAIN_ORIENTATION;
  default: return HF_GAIN_FIXED;
  }
}

// Sets the parameters of a shortcut to those of the nearest class that has them for it, or else to the defaults.
static void inherit_parameters(hfiActuatorSpec* s, hfiShortcut kind) {
  int gain = gain_of(kind);

  for (const hfiActuatorSpec* class_spec = s; class_spec; class_spec = class_spec->outer) {
    int is_general = class_spec->shortcut == HFI_GENERAL && class_spec->def.gaintype == gain;
    if (class_spec->shortcut != kind && !is_general) continue;

    hfActuatorDef from = class_spec->def; // a copy, because class_spec may be s
    copy_parameters(&s->def, &from);
    s->inheritrange = class_spec->inheritrange;
    return;
  }

  reset_parameters(&s->def);
  s->inheritrange = 0;
}

// Reads the attributes of <general>.
static void apply_general(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  static const hfiKeyword dynamics[] = {{"none", HF_ACTIVATION_NONE},
                                        {"integrator", HF_ACTIVATION_INTEGRATOR},
                                        {"filter", HF_ACTIVATION_FILTER},
                                        {"filterexact", HF_ACTIVATION_FILTER_EXACT},
                                        {"muscle", HF_ACTIVATION_MUSCLE},
                                        {NULL, 0}};
  static const hfiKeyword gains[] = {{"fixed", HF_GAIN_FIXED},
                                     {"affine", HF_GAIN_AFFINE},
                                     {"muscle", HF_GAIN_MUSCLE},
                                     {"so3", HF_GAIN_ORIENTATION},
                                     {NULL, 0}};
  static const hfiKeyword biases[] = {{"none", HF_BIAS_NONE},
                                      {"affine", HF_BIAS_AFFINE},
                                      {"muscle", HF_BIAS_MUSCLE},
                                      {"so3", HF_BIAS_AFFINE},
                                      {NULL, 0}};
  hfiReader* r = m->r;
  hfActuatorDef* d = &s->def;
  const struct {
    const char* name;
    double* prm;    // first three numbers
    double* muscle; // first nine numbers, or NULL
  } lists[] = {{"dynprm", d->dynprm, NULL}, {"gainprm", d->gainprm, d->muscle}, {"biasprm", d->biasprm, d->passive}};

  hfi_read_keyword(r, elem, "dyntype", dynamics, &d->dyntype);
  hfi_read_keyword(r, elem, "gaintype", gains, &d->gaintype);
  hfi_read_keyword(r, elem, "biastype", biases, &d->biastype);

  // The numbers of a muscle are kept even if gain or bias is not a muscle's, because an element of the class may be
  // one.
  for (int i = 0; i < 3; ++i) {
    double x[10];
    int count = hfi_read_reals(r, elem, lists[i].name, 1, 10, x);
    for (int k = 0; k < count && k < 3; ++k) lists[i].prm[k] = x[k];
    for (int k = 0; k < count && k < 9 && lists[i].muscle; ++k) lists[i].muscle[k] = x[k];
  }

  hfi_read_bool(r, elem, "actearly", &d->actearly);
  int actdim = 0; // 0 and 1 follow from dyntype.
  if (hfi_read_int(r, elem, "actdim", &actdim) && actdim > 1)
    hfi_note(r, elem, HF_WARNING, "actdim=\"%d\": an actuator has at most one activation", actdim);
  if (d->gaintype == HF_GAIN_ORIENTATION) hfi_mjcf_read_chart(m, elem, d);
  s->shortcut = HFI_GENERAL;
}

// <position> and <intvelocity>: gain kp, bias -kp l - kv v.
static void apply_servo(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d, hfiShortcut kind) {
  double kp = d->gainprm[0];
  double timeconst = d->dyntype == HF_ACTIVATION_FILTER_EXACT ? d->dynprm[0] : 0;
  hfi_read_real(m->r, elem, "kp", &kp);
  hfi_mjcf_read_servo_damping(m, elem, d);

  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kp;
  d->biasprm[0] = 0;
  d->biasprm[1] = -kp;
  if (kind == HFI_INTVELOCITY) {
    d->dyntype = HF_ACTIVATION_INTEGRATOR;
    return;
  }

  // <position>: the control may be filtered
  if (hfi_read_real(m->r, elem, "timeconst", &timeconst) && timeconst < 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "timeconst cannot be negative");
  d->dyntype = timeconst > 0 ? HF_ACTIVATION_FILTER_EXACT : HF_ACTIVATION_NONE;
  d->dynprm[0] = timeconst > 0 ? timeconst : 1;
}

// <velocity>: gain kv, bias -kv v.
static void apply_velocity(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double kv = d->gainprm[0];
  hfi_read_real(m->r, elem, "kv", &kv);
  reset_parameters(d);
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kv;
  d->biasprm[2] = -kv;
}

// <damper>: gain -kv v, where v is the speed.
static void apply_damper(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  double kv = 0; // As in MuJoCo 4, a damper without kv does nothing.
  if (s->def.gaintype == HF_GAIN_AFFINE) kv = -s->def.gainprm[2];
  hfi_read_real(m->r, elem, "kv", &kv);
  if (kv < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "kv cannot be negative");

  reset_parameters(&s->def);
  s->def.gaintype = HF_GAIN_AFFINE;
  s->def.gainprm[0] = 0;
  s->def.gainprm[2] = -kv;
  s->ctrllimited = 1;
}

// <adhesion>: a gain on a body.
static void apply_adhesion(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  double gain = s->def.gainprm[0];
  hfi_read_real(m->r, elem, "gain", &gain);
  if (gain < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "gain cannot be negative");
  reset_parameters(&s->def);
  s->def.gainprm[0] = gain;
  s->ctrllimited = 1;
}

// <cylinder>: gain area, bias of three numbers; the control is filtered.
static void apply_cylinder(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double diameter = 0;
  d->dyntype = HF_ACTIVATION_FILTER;
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  hfi_read_real(m->r, elem, "timeconst", &d->dynprm[0]);
  hfi_read_reals(m->r, elem, "bias", 3, 3, d->biasprm);
  hfi_read_real(m->r, elem, "area", &d->gainprm[0]);
  if (hfi_read_real(m->r, elem, "diameter", &diameter)) d->gainprm[0] = HFI_PI / 4 * diameter * diameter;
}

// <muscle>: its numbers stand where the curves of step/actuation/muscle.c read them, and in gainprm and biasprm.
static void apply_muscle(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  static const struct {
    const char* attr;
    int first, count;
  } parts[] = {{"range", 0, 2}, {"force", 2, 1}, {"scale", 3, 1}, {"lmin", 4, 1},
               {"lmax", 5, 1},  {"vmax", 6, 1},  {"fpmax", 7, 1}, {"fvmax", 8, 1}};
  hfActuatorDef* d = &s->def;

  // activation: time constants, unless the class has them
  if (d->dyntype != HF_ACTIVATION_MUSCLE) {
    d->dynprm[0] = 0.01;
    d->dynprm[1] = 0.04;
    d->dynprm[2] = 0;
  }
  d->dyntype = HF_ACTIVATION_MUSCLE;
  d->gaintype = HF_GAIN_MUSCLE;
  d->biastype = HF_BIAS_MUSCLE;

  hfi_read_reals(m->r, elem, "timeconst", 1, 2, d->dynprm);
  hfi_read_real(m->r, elem, "tausmooth", &d->dynprm[2]);
  if (d->dynprm[2] < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "tausmooth cannot be negative");

  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    hfi_read_reals(m->r, elem, parts[i].attr, parts[i].count, parts[i].count, d->muscle + parts[i].first);

  // the passive force has the same nine numbers; gainprm and biasprm show the first three, as a <general> would
  memcpy(d->passive, d->muscle, sizeof d->passive);
  memcpy(d->gainprm, d->muscle, sizeof d->gainprm);
  memcpy(d->biasprm, d->muscle, sizeof d->biasprm);
}

// Reads an element other than <general>: takes what it inherits, then its own attributes.
static void apply_shortcut(hfiMjcf* m, const hfiElem* elem, hfiShortcut kind, hfiActuatorSpec* s) {
  if (kind != HFI_PID) {
    // shortcuts do not take these two from a <general> of the class
    s->actlimited = -1;
    s->def.actearly = 0;
  }
  inherit_parameters(s, kind);

  switch (kind) {
  case HFI_MOTOR: reset_parameters(&s->def); break;
  case HFI_POSITION:
  case HFI_INTVELOCITY: apply_servo(m, elem, &s->def, kind); break;
  case HFI_VELOCITY: apply_velocity(m, elem, &s->def); break;
  case HFI_DAMPER: apply_damper(m, elem, s); break;
  case HFI_CYLINDER: apply_cylinder(m, elem, &s->def); break;
  case HFI_MUSCLE: apply_muscle(m, elem, s); break;
  case HFI_ADHESION: apply_adhesion(m, elem, s); break;
  case HFI_SETPOINT_PID: hfi_mjcf_apply_setpoint_pid(m, elem, s); break;
  case HFI_DCMOTOR:
    reset_parameters(&s->def);
    hfi_mjcf_apply_motor(m, elem, s);
    break;
  case HFI_ORIENTATION: hfi_mjcf_apply_orientation(m, elem, &s->def); break;
  case HFI_PID: hfi_mjcf_apply_pid(m, elem, s); break;
  default: break;
  }
  s->shortcut = kind;
}

// Reads the attributes of an actuator that define its force, as <general> or as one of the shortcuts.
void hfi_mjcf_apply_force_law(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfiShortcut kind = (hfiShortcut)find_kind(elem);
  if (kind == HFI_GENERAL)
    apply_general(m, elem, s);
  else
    apply_shortcut(m, elem, kind, s);
}
