// <actuator>: the general actuator with force = gain u + bias, and shortcuts that set its parameters.
//
//   motor        gain 1
//   position     gain kp, bias -kp l - kv v; u filtered when timeconst > 0
//   velocity     gain kv, bias -kv v
//   intvelocity  as position, where u is the integral of the control
//   damper       gain -kv v
//   cylinder     gain area, bias b0 + b1 l + b2 v; u filtered
//   muscle       curves of length and velocity (actuation/muscle.c)
//   pid          kp (u_pos - l) + kv (u_vel - v) + ki integral + u_ff (mjcf_pid.c)
//   dcmotor      by the numbers of its data sheet (mjcf_motor.c)
//   orientation  kp log(q^-1 u) - kv w (mjcf_orientation.c)
//   adhesion     gain, on a body (world/adhesion.c)
//   plugin       mujoco.pid (mjcf_pid.c)
//
// A shortcut takes its parameters from the nearest class whose default was written with the same
// shortcut, or as <general> with the shortcut's type of gain; otherwise from its own defaults.
// <general> takes all parameters that the class has.
#include "import/mjcf.h"

#include <string.h>

static const hfiKeyword kinds[] = {{"general", HFI_GENERAL},         {"motor", HFI_MOTOR},
                                   {"position", HFI_POSITION},       {"velocity", HFI_VELOCITY},
                                   {"damper", HFI_DAMPER},           {"cylinder", HFI_CYLINDER},
                                   {"intvelocity", HFI_INTVELOCITY}, {"muscle", HFI_MUSCLE},
                                   {"pid", HFI_SETPOINT_PID},        {"adhesion", HFI_ADHESION},
                                   {"dcmotor", HFI_DCMOTOR},          {"orientation", HFI_ORIENTATION},
                                   {NULL, 0}};

const hfiKeyword hfi_mjcf_interpolations[] = {{"zoh", HF_INTERPOLATE_HOLD}, {"linear", HF_INTERPOLATE_LINEAR}, {"cubic", HF_INTERPOLATE_CUBIC}, {NULL, 0}};

static int find_kind(const hfiElem* elem) {
  for (const hfiKeyword* k = kinds; k->word; ++k)
    if (hfi_is(elem, k->word)) return k->value;
  return hfi_mjcf_is_pid(elem) ? HFI_PID : -1;
}

int hfi_mjcf_is_actuator(const hfiElem* elem) { return find_kind(elem) >= 0; }

hfiActuatorSpec hfi_mjcf_actuator_default(void) {
  hfiActuatorSpec s = {
      .def = hf_actuator_def_default(), .ctrllimited = -1, .forcelimited = -1, .actlimited = -1};
  return s;
}

// ---- parameters ---------------------------------------------------------------------------------

static void copy_parameters(hfActuatorDef* to, const hfActuatorDef* from) {
  to->dyntype = from->dyntype;
  to->gaintype = from->gaintype;
  to->biastype = from->biastype;
  memcpy(to->dynprm, from->dynprm, sizeof to->dynprm);
  memcpy(to->gainprm, from->gainprm, sizeof to->gainprm);
  memcpy(to->biasprm, from->biasprm, sizeof to->biasprm);
  to->dampratio = from->dampratio;
  memcpy(to->muscle, from->muscle, sizeof to->muscle);
  memcpy(to->motor, from->motor, sizeof to->motor);
  to->inputs = from->inputs;
}

static void inherit(hfiActuatorSpec* s, hfiShortcut kind) {
  int gain = kind == HFI_DAMPER ? HF_GAIN_AFFINE : kind == HFI_MUSCLE ? HF_GAIN_MUSCLE : kind == HFI_ORIENTATION ? HF_GAIN_ORIENTATION : HF_GAIN_FIXED;
  for (const hfiActuatorSpec* i = s; i; i = i->outer)
    if (i->shortcut == kind || (i->shortcut == HFI_GENERAL && i->def.gaintype == gain)) {
      hfActuatorDef from = i->def;
      copy_parameters(&s->def, &from);
      return;
    }
  hfActuatorDef fresh = hf_actuator_def_default();
  copy_parameters(&s->def, &fresh);
}

static void apply_general(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  static const hfiKeyword dynamics[] = {{"none", HF_ACTIVATION_NONE},
                                        {"integrator", HF_ACTIVATION_INTEGRATOR},
                                        {"filter", HF_ACTIVATION_FILTER},
                                        {"filterexact", HF_ACTIVATION_FILTER_EXACT},
                                        {"muscle", HF_ACTIVATION_MUSCLE},
                                        {NULL, 0}};
  static const hfiKeyword gains[] = {
      {"fixed", HF_GAIN_FIXED}, {"affine", HF_GAIN_AFFINE}, {"muscle", HF_GAIN_MUSCLE}, {"so3", HF_GAIN_ORIENTATION}, {NULL, 0}};
  static const hfiKeyword biases[] = {
      {"none", HF_BIAS_NONE}, {"affine", HF_BIAS_AFFINE}, {"muscle", HF_BIAS_MUSCLE}, {"so3", HF_BIAS_AFFINE}, {NULL, 0}};
  hfiReader* r = m->r;
  hfActuatorDef* d = &s->def;
  double x[10];
  struct {
    const char* name;
    double* prm;
  } lists[] = {{"dynprm", d->dynprm}, {"gainprm", d->gainprm}, {"biasprm", d->biasprm}};
  hfi_read_keyword(r, elem, "dyntype", dynamics, &d->dyntype);
  hfi_read_keyword(r, elem, "gaintype", gains, &d->gaintype);
  hfi_read_keyword(r, elem, "biastype", biases, &d->biastype);
  for (int i = 0; i < 3; ++i) {
    int count = hfi_read_reals(r, elem, lists[i].name, 1, 10, x);
    for (int k = 0; k < count && k < 3; ++k) lists[i].prm[k] = x[k];
    int muscles = (d->gaintype == HF_GAIN_MUSCLE) + 2 * (d->biastype == HF_BIAS_MUSCLE); // they share their parameters
    for (int k = 0; k < count && k < 9 && i > 0 && (!muscles || muscles & i); ++k) d->muscle[k] = x[k];
  }
  hfi_read_bool(r, elem, "actearly", &d->actearly);
  int actdim = 0; // 0 and 1 say what dyntype says already
  if (hfi_read_int(r, elem, "actdim", &actdim) && actdim > 1) hfi_note(r, elem, HF_WARNING, "actdim=\"%d\": an actuator has at most one activation", actdim);
  if (d->gaintype == HF_GAIN_ORIENTATION) hfi_mjcf_read_chart(m, elem, d);
  s->shortcut = HFI_GENERAL;
}

void hfi_mjcf_read_servo_damping(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double kv = 0, ratio = 0;
  int has_kv = hfi_read_real(m->r, elem, "kv", &kv),
      has_ratio = hfi_read_real(m->r, elem, "dampratio", &ratio);
  if (has_kv && has_ratio) hfi_fail(m->r, elem, HF_ERROR_MODEL, "both kv and dampratio are given");
  if (kv < 0 || ratio < 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "kv and dampratio cannot be negative");
  if (has_kv || has_ratio) {
    d->biasprm[2] = -kv;
    d->dampratio = ratio;
  }
}

static void apply_servo(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d, hfiShortcut kind) {
  double kp = d->gainprm[0],
         timeconst = d->dyntype == HF_ACTIVATION_FILTER_EXACT ? d->dynprm[0] : 0;
  hfi_read_real(m->r, elem, "kp", &kp);
  hfi_mjcf_read_servo_damping(m, elem, d);
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kp;
  d->biasprm[0] = 0;
  d->biasprm[1] = -kp;
  d->dyntype = HF_ACTIVATION_INTEGRATOR;
  if (kind == HFI_INTVELOCITY) return;
  if (hfi_read_real(m->r, elem, "timeconst", &timeconst) && timeconst < 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "timeconst cannot be negative");
  d->dyntype = timeconst > 0 ? HF_ACTIVATION_FILTER_EXACT : HF_ACTIVATION_NONE;
  d->dynprm[0] = timeconst > 0 ? timeconst : 1;
}

static void apply_velocity(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double kv = d->gainprm[0];
  hfi_read_real(m->r, elem, "kv", &kv);
  hfActuatorDef fresh = hf_actuator_def_default();
  copy_parameters(d, &fresh);
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kv;
  d->biasprm[2] = -kv;
}

static void apply_damper(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  double kv = s->def.gaintype == HF_GAIN_AFFINE ? -s->def.gainprm[2] : 1;
  hfi_read_real(m->r, elem, "kv", &kv);
  if (kv < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "kv cannot be negative");
  hfActuatorDef fresh = hf_actuator_def_default();
  copy_parameters(&s->def, &fresh);
  s->def.gaintype = HF_GAIN_AFFINE;
  s->def.gainprm[0] = 0;
  s->def.gainprm[2] = -kv;
  s->ctrllimited = 1;
}

static void apply_adhesion(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  double gain = s->def.gainprm[0];
  hfi_read_real(m->r, elem, "gain", &gain);
  if (gain < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "gain cannot be negative");
  hfActuatorDef fresh = hf_actuator_def_default();
  copy_parameters(&s->def, &fresh);
  s->def.gainprm[0] = gain;
  s->ctrllimited = 1;
}

static void apply_cylinder(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double diameter = 0;
  d->dyntype = HF_ACTIVATION_FILTER;
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  hfi_read_real(m->r, elem, "timeconst", &d->dynprm[0]);
  hfi_read_reals(m->r, elem, "bias", 3, 3, d->biasprm);
  hfi_read_real(m->r, elem, "area", &d->gainprm[0]);
  if (hfi_read_real(m->r, elem, "diameter", &diameter))
    d->gainprm[0] = HFI_PI / 4 * diameter * diameter;
}

static void apply_muscle(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  static const struct {
    const char* attr;
    int first, count;
  } parts[] = {{"range", 0, 2}, {"force", 2, 1}, {"scale", 3, 1}, {"lmin", 4, 1}, {"lmax", 5, 1}, {"vmax", 6, 1}, {"fpmax", 7, 1}, {"fvmax", 8, 1}};
  hfActuatorDef* d = &s->def;
  if (d->dyntype != HF_ACTIVATION_MUSCLE) d->dynprm[0] = 0.01, d->dynprm[1] = 0.04, d->dynprm[2] = 0;
  d->dyntype = HF_ACTIVATION_MUSCLE;
  d->gaintype = HF_GAIN_MUSCLE;
  d->biastype = HF_BIAS_MUSCLE;
  hfi_read_reals(m->r, elem, "timeconst", 1, 2, d->dynprm);
  hfi_read_real(m->r, elem, "tausmooth", &d->dynprm[2]);
  if (d->dynprm[2] < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "tausmooth cannot be negative");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    hfi_read_reals(m->r, elem, parts[i].attr, parts[i].count, parts[i].count, d->muscle + parts[i].first);
  memcpy(d->gainprm, d->muscle, sizeof d->gainprm); // as <general> has them
  memcpy(d->biasprm, d->muscle, sizeof d->biasprm);
}

static void apply_shortcut(hfiMjcf* m, const hfiElem* elem, hfiShortcut kind, hfiActuatorSpec* s) {
  hfActuatorDef fresh = hf_actuator_def_default();
  inherit(s, kind);
  switch (kind) {
  case HFI_MOTOR:
    copy_parameters(&s->def, &fresh);
    break;
  case HFI_POSITION:
  case HFI_INTVELOCITY:
    apply_servo(m, elem, &s->def, kind);
    break;
  case HFI_VELOCITY:
    apply_velocity(m, elem, &s->def);
    break;
  case HFI_DAMPER:
    apply_damper(m, elem, s);
    break;
  case HFI_CYLINDER:
    apply_cylinder(m, elem, &s->def);
    break;
  case HFI_MUSCLE:
    apply_muscle(m, elem, s);
    break;
  case HFI_ADHESION:
    apply_adhesion(m, elem, s);
    break;
  case HFI_SETPOINT_PID:
    hfi_mjcf_apply_setpoint_pid(m, elem, s);
    break;
  case HFI_DCMOTOR:
    copy_parameters(&s->def, &fresh);
    hfi_mjcf_apply_motor(m, elem, s);
    break;
  case HFI_ORIENTATION:
    hfi_mjcf_apply_orientation(m, elem, &s->def);
    break;
  case HFI_PID:
    hfi_mjcf_apply_pid(m, elem, s);
    break;
  default:
    break;
  }
  s->shortcut = kind;
}

static void apply_common(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfiReader* r = m->r;
  hfActuatorDef* d = &s->def;
  hfi_mjcf_read_limited(m, elem, "ctrllimited", &s->ctrllimited);
  hfi_mjcf_read_limited(m, elem, "forcelimited", &s->forcelimited);
  hfi_mjcf_read_limited(m, elem, "actlimited", &s->actlimited);
  hfi_read_range(r, elem, "ctrlrange", d->ctrlrange);
  hfi_read_range(r, elem, "forcerange", d->forcerange);
  hfi_read_range(r, elem, "actrange", d->actrange);
  hfi_read_reals(r, elem, "lengthrange", 2, 2, d->lengthrange); // for muscles
  hfi_read_reals(r, elem, "gear", 1, 6, d->gear);
  hfi_read_real(r, elem, "cranklength", &d->cranklength);
  hfi_read_int(r, elem, "group", &d->group);
  hfi_read_int(r, elem, "nsample", &d->nsample);
  hfi_read_real(r, elem, "delay", &d->delay);
  hfi_read_keyword(r, elem, "interp", hfi_mjcf_interpolations, &d->interp);
  hfi_read_real(r, elem, "inheritrange", &s->inheritrange);
  hfi_read_real(r, elem, "armature", &s->armature);
  hfi_mjcf_read_polynomial(m, elem, "damping", &s->damping, s->damping_poly);
}

void hfi_mjcf_apply_actuator(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfiShortcut kind = (hfiShortcut)find_kind(elem);
  if (kind == HFI_GENERAL)
    apply_general(m, elem, s);
  else
    apply_shortcut(m, elem, kind, s);
  apply_common(m, elem, s);
}

// In MuJoCo a servo, whose gain is the slope of its bias, has no damping of the wrong sign: the number in its place is a damping ratio.
static void take_damping_ratio(hfActuatorDef* d) {
  if (d->biastype != HF_BIAS_AFFINE || d->gainprm[0] != -d->biasprm[1] || !(d->biasprm[2] > 0)) return;
  d->dampratio = d->biasprm[2];
  d->biasprm[2] = 0;
}

static hfiActuatorSpec make_spec(hfiMjcf* m, const hfiElem* elem) {
  const hfiClass* active = hfi_mjcf_class(m, elem, NULL);
  hfiActuatorSpec s = active->actuator;
  hfi_mjcf_apply_actuator(m, elem, &s);
  take_damping_ratio(&s.def);
  return s;
}

// ---- transmission -------------------------------------------------------------------------------

// Returns 1 if the target was found, 0 if it was refused or left out.
static int find_target(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  static const struct {
    const char* attr;
    int type;
    hfObjectKind kind;
  } targets[] = {{"joint", HF_TRANSMISSION_JOINT, HF_OBJECT_JOINT},
                 {"jointinparent", HF_TRANSMISSION_JOINT_IN_PARENT, HF_OBJECT_JOINT},
                 {"tendon", HF_TRANSMISSION_TENDON, HF_OBJECT_TENDON},
                 {"site", HF_TRANSMISSION_SITE, HF_OBJECT_SITE},
                 {"body", HF_TRANSMISSION_BODY, HF_OBJECT_BODY},
                 {"cranksite", HF_TRANSMISSION_SLIDER_CRANK, HF_OBJECT_SITE}};
  int found = 0;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    if (!hfi_attr(elem, targets[i].attr)) continue;
    if (found++)
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "more than one of joint, jointinparent, tendon, site, body, cranksite");
    d->trntype = targets[i].type;
    d->trnid[0] = hfi_mjcf_find(m, elem, targets[i].attr, targets[i].kind);
  }
  if (!found)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "joint, jointinparent, tendon, site, body or cranksite is missing");
  if (d->trntype == HF_TRANSMISSION_SLIDER_CRANK) d->trnid[1] = hfi_mjcf_find_required(m, elem, "slidersite", HF_OBJECT_SITE);
  else if (hfi_attr(elem, "refsite")) d->trnid[1] = hfi_mjcf_find(m, elem, "refsite", HF_OBJECT_SITE);
  if (m->r->status) return 0;
  if (d->trnid[0] != HFI_LEFT_OUT && d->trnid[1] != HFI_LEFT_OUT) return 1;
  if (!m->attached)
    hfi_note(m->r, elem, HF_WARNING, "actuator left out: what it acts on was left out");
  return 0;
}

// Sets ctrlrange (for an integrator actrange) to the middle of the target's range, plus and minus inheritrange/2 times its
// width.
static void inherit_range(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  if (s->inheritrange == 0) return;
  int joint = s->def.trntype == HF_TRANSMISSION_JOINT,
      tendon = s->def.trntype == HF_TRANSMISSION_TENDON;
  int positional = s->def.gaintype == HF_GAIN_FIXED && s->def.biastype == HF_BIAS_AFFINE &&
                   s->def.gainprm[0] == -s->def.biasprm[1];
  double range[2];
  if (!positional) return;
  if (s->inheritrange < 0 || !(joint || tendon) ||
      !hf_builder_range(m->r->builder, joint ? HF_OBJECT_JOINT : HF_OBJECT_TENDON, s->def.trnid[0],
                        range)) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL,
             "inheritrange needs a joint or tendon with a range, and a positive factor");
    return;
  }
  double middle = 0.5 * (range[0] + range[1]), half = 0.5 * s->inheritrange * (range[1] - range[0]);
  double* to = s->def.dyntype == HF_ACTIVATION_INTEGRATOR ? s->def.actrange : s->def.ctrlrange;
  if (to[0] != 0 || to[1] != 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "both a range and inheritrange are given");
  to[0] = middle - half;
  to[1] = middle + half;
}

// Returns 0 for a muscle whose range of lengths the file does not give. The limits of its joint or tendon stand for it.
static int find_length_range(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double range[2], gear = d->gear[0];
  if (d->gaintype != HF_GAIN_MUSCLE && d->biastype != HF_BIAS_MUSCLE) return 1;
  if (d->lengthrange[0] < d->lengthrange[1]) return 1;
  int kind = d->trntype == HF_TRANSMISSION_TENDON ? HF_OBJECT_TENDON : d->trntype == HF_TRANSMISSION_JOINT ? HF_OBJECT_JOINT : HF_OBJECT_NONE;
  if (kind != HF_OBJECT_NONE && gear != 0 && hf_builder_range(m->r->builder, (hfObjectKind)kind, d->trnid[0], range)) {
    d->lengthrange[0] = min2(gear * range[0], gear * range[1]);
    d->lengthrange[1] = max2(gear * range[0], gear * range[1]);
    hfi_note(m->r, elem, HF_NOTE, "lengthrange of a muscle: the limits of its joint or tendon are used");
    return 1;
  }
  if (!m->attached) hfi_note(m->r, elem, HF_WARNING, "actuator left out: a muscle needs lengthrange, or a joint or tendon with limits");
  return 0;
}

static void leave_out(hfiMjcf* m, const hfiElem* elem) {
  hfi_mjcf_leave_out(m, HF_OBJECT_ACTUATOR, elem);
  ++m->actuators_left_out;
}

void hfi_mjcf_read_actuator(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  if (!hfi_mjcf_is_actuator(elem)) {
    leave_out(m, elem);
    return;
  }
  elem->used = 1;
  hfiActuatorSpec s = make_spec(m, elem);
  if (r->status) return;
  if (!find_target(m, elem, &s.def) || !find_length_range(m, elem, &s.def)) {
    leave_out(m, elem);
    return;
  }
  inherit_range(m, elem, &s);
  s.def.ctrllimited = hfi_mjcf_limited(m, elem, "ctrllimited", s.ctrllimited, s.def.ctrlrange);
  s.def.forcelimited = hfi_mjcf_limited(m, elem, "forcelimited", s.forcelimited, s.def.forcerange);
  s.def.actlimited = hfi_mjcf_limited(m, elem, "actlimited", s.actlimited, s.def.actrange);
  s.def.name = hfi_mjcf_name(m, elem);
  s.def.where = hfi_where(r, elem);
  hfi_mjcf_read_signal(m, s.def.name, &s.def);
  hfi_mjcf_read_drive(m, s.def.name, &s.def);
  if (!r->status) hfi_keep(r, elem, hf_builder_add_actuator(r->builder, &s.def, &r->scratch));
  if (!r->status) hfi_mjcf_add_inputs(m, elem, &s);
  if (!r->status) hfi_mjcf_add_motor_inputs(m, elem, &s);
  if (!r->status) hfi_mjcf_add_axes(m, elem, &s.def);
}

// ---- reflected inertia --------------------------------------------------------------------------

void hfi_mjcf_reflected(hfiMjcf* m, const char* attr, const char* name, double* armature,
                        double* damping, double poly[2]) {
  if (!name || !m->reflects) return;
  for (hfiElem* section = hfi_child(m->root, "actuator"); section;
       section = hfi_next(section, "actuator"))
    for (hfiElem* e = section->child; e && !m->r->status; e = e->next) {
      const char* target = hfi_mjcf_is_actuator(e) ? hfi_attr(e, attr) : NULL;
      if (!target || strcmp(target, name) != 0) continue;
      hfiActuatorSpec s = make_spec(m, e);
      if (s.def.gaintype == HF_GAIN_ORIENTATION) continue; // as in MuJoCo
      *armature += s.armature * s.def.gear[0] * s.def.gear[0];
      *damping += s.damping * s.def.gear[0] * s.def.gear[0];
      for (int k = 0; k < 2; ++k) poly[k] += s.damping_poly[k] * s.def.gear[0] * s.def.gear[0];
    }
}
