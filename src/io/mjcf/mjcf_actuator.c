// <actuator>: the target of an actuator, its ranges and its delay. Its force is in mjcf_force_law.c.
//
// m: the document, r: its reader, s: the spec of the actuator (hfiActuatorSpec), d: its definition for the builder.
#include "io/mjcf/mjcf.h"

#include <string.h>

const hfiKeyword hfi_mjcf_interpolations[] = {
    {"zoh", HF_INTERPOLATE_HOLD}, {"linear", HF_INTERPOLATE_LINEAR}, {"cubic", HF_INTERPOLATE_CUBIC}, {NULL, 0}};

// ---- the element --------------------------------------------------------------------------------

// Reads the attributes that all actuators have into a spec.
static void apply_common(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfiReader* r = m->r;
  hfActuatorDef* d = &s->def;

  // ranges
  hfi_mjcf_read_limited(m, elem, "ctrllimited", &s->ctrllimited);
  hfi_mjcf_read_limited(m, elem, "forcelimited", &s->forcelimited);
  if (s->shortcut == HFI_GENERAL || s->shortcut == HFI_PID)
    hfi_mjcf_read_limited(m, elem, "actlimited", &s->actlimited);
  else
    hfi_attr(elem, "actlimited"); // Like MuJoCo, we ignore it in shortcuts such as <intvelocity>.
  hfi_read_range(r, elem, "ctrlrange", d->ctrlrange);
  hfi_read_range(r, elem, "forcerange", d->forcerange);
  hfi_read_range(r, elem, "actrange", d->actrange);
  hfi_read_reals(r, elem, "lengthrange", 2, 2, d->lengthrange); // for muscles

  // transmission and delay
  hfi_read_reals(r, elem, "gear", 1, 6, d->gear);
  hfi_read_real(r, elem, "cranklength", &d->cranklength);
  hfi_read_int(r, elem, "group", &d->group);
  hfi_read_int(r, elem, "nsample", &d->nsample);
  hfi_read_real(r, elem, "delay", &d->delay);
  hfi_read_keyword(r, elem, "interp", hfi_mjcf_interpolations, &d->interp);

  // what is added to the target, and its range
  hfi_read_real(r, elem, "inheritrange", &s->inheritrange);
  hfi_read_real(r, elem, "armature", &s->armature);
  hfi_mjcf_read_polynomial(m, elem, "damping", &s->damping, s->damping_poly);
}

// Lets the range of a servo and its inheritrange replace each other, as in MuJoCo: if the element gives one of them,
// the other one, which its class gave, is cleared. Refuses an element with both.
static void choose_range(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  int integrates = s->shortcut == HFI_INTVELOCITY;
  int is_given = hfi_attr(elem, integrates ? "actrange" : "ctrlrange") != NULL;
  if (s->shortcut == HFI_SETPOINT_PID && hfi_attr(elem, "posrange")) is_given = 1;
  int inherits = hfi_attr(elem, "inheritrange") && s->inheritrange != 0;
  double* range = integrates ? s->def.actrange : s->def.ctrlrange;

  if (is_given && inherits && (range[0] != 0 || range[1] != 0))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "both a range and inheritrange are given");
  if (is_given && !inherits) s->inheritrange = 0;
  if (inherits) {
    range[0] = 0;
    range[1] = 0;
  }
}

// Reads all attributes of an element, an actuator or its default, into a spec that already has those of its class.
void hfi_mjcf_apply_actuator(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfi_mjcf_apply_force_law(m, elem, s);
  apply_common(m, elem, s);
  if (s->shortcut == HFI_SETPOINT_PID) hfi_mjcf_apply_setpoint_ranges(m, elem, s);
  int is_servo = s->shortcut == HFI_POSITION || s->shortcut == HFI_INTVELOCITY || s->shortcut == HFI_SETPOINT_PID;
  if (is_servo) choose_range(m, elem, s);
}

// Reads a default element into the spec of its class. Returns 0 if the element is not an actuator.
int hfi_mjcf_read_default_actuator(hfiMjcf* m, hfiElem* elem, hfiActuatorSpec* s) {
  if (!hfi_mjcf_is_actuator(elem)) return 0;
  elem->used = 1;
  hfi_mjcf_apply_actuator(m, elem, s);
  return 1;
}

// Moves a damping ratio from biasprm[2] to dampratio. In MuJoCo a servo has the bias -gain length - damping speed. A
// positive coefficient of the speed would be a negative damping, so MuJoCo reads it as a damping ratio.
static void separate_damping_ratio(hfActuatorDef* d) {
  int is_servo = d->biastype == HF_BIAS_AFFINE && d->gainprm[0] == -d->biasprm[1];
  if (!is_servo || !(d->biasprm[2] > 0)) return;
  d->dampratio = d->biasprm[2];
  d->biasprm[2] = 0;
}

// The spec of an element, with the defaults of its class.
static hfiActuatorSpec make_spec(hfiMjcf* m, const hfiElem* elem) {
  const hfiClass* active = hfi_mjcf_class(m, elem, NULL);
  hfiActuatorSpec s = active->actuator;
  hfi_mjcf_apply_actuator(m, elem, &s);
  separate_damping_ratio(&s.def);
  return s;
}

// ---- transmission -------------------------------------------------------------------------------

// Finds what an actuator acts on: trntype and trnid of d. Returns 1 if the target was found, 0 if it was refused or
// left out.
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

  // the one attribute that names the target
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    if (!hfi_attr(elem, targets[i].attr)) continue;
    if (found)
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "more than one of joint, jointinparent, tendon, site, body, cranksite");
    found = 1;
    // trnid[0] is what it acts on, trnid[1] a second site, or -1
    d->trntype = targets[i].type;
    d->trnid[0] = hfi_mjcf_find(m, elem, targets[i].attr, targets[i].kind);
  }
  if (!found) hfi_fail(m->r, elem, HF_ERROR_MODEL, "joint, jointinparent, tendon, site, body or cranksite is missing");

  // the second site of some targets
  if (d->trntype == HF_TRANSMISSION_SLIDER_CRANK)
    d->trnid[1] = hfi_mjcf_find_required(m, elem, "slidersite", HF_OBJECT_SITE);
  else if (hfi_attr(elem, "refsite"))
    d->trnid[1] = hfi_mjcf_find(m, elem, "refsite", HF_OBJECT_SITE);
  if (m->r->status) return 0;
  if (d->trnid[0] != HFI_LEFT_OUT && d->trnid[1] != HFI_LEFT_OUT) return 1;

  if (!m->attached) hfi_note(m->r, elem, HF_WARNING, "actuator left out: what it acts on was left out");
  return 0;
}

// Sets ctrlrange (for an integrator actrange) of a position servo to the middle of the target's range, plus and minus
// inheritrange/2 times its width. Does nothing if inheritrange is 0, or if the actuator is no position servo.
static void inherit_range(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  if (s->inheritrange == 0) return;
  hfActuatorDef* d = &s->def;
  int on_joint = d->trntype == HF_TRANSMISSION_JOINT;
  int on_tendon = d->trntype == HF_TRANSMISSION_TENDON;
  // force = kp u - kp l + ...: gain and bias balance where the length l is the control u
  int is_positional = d->gaintype == HF_GAIN_FIXED && d->biastype == HF_BIAS_AFFINE && d->gainprm[0] == -d->biasprm[1];
  if (!is_positional) return;

  double range[2];
  hfObjectKind kind = on_joint ? HF_OBJECT_JOINT : HF_OBJECT_TENDON;
  int can_inherit = (on_joint || on_tendon) && s->inheritrange >= 0;
  if (!can_inherit || !hf_builder_range(m->r->builder, kind, d->trnid[0], range)) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "inheritrange needs a joint or tendon with a range, and a positive factor");
    return;
  }

  double middle = 0.5 * (range[0] + range[1]);
  double half = 0.5 * s->inheritrange * (range[1] - range[0]);
  double* inherited = d->dyntype == HF_ACTIVATION_INTEGRATOR ? d->actrange : d->ctrlrange;
  inherited[0] = middle - half;
  inherited[1] = middle + half;
}

// Sets the range of lengths of a muscle to the limits of its joint or tendon times gear. Returns 0 if there are no
// limits, or if gear is 0.
static int use_target_limits(hfiMjcf* m, hfActuatorDef* d, double gear) {
  double range[2];
  hfObjectKind kind = HF_OBJECT_NONE;
  if (d->trntype == HF_TRANSMISSION_TENDON) kind = HF_OBJECT_TENDON;
  if (d->trntype == HF_TRANSMISSION_JOINT || d->trntype == HF_TRANSMISSION_JOINT_IN_PARENT) kind = HF_OBJECT_JOINT;
  if (kind == HF_OBJECT_NONE || gear == 0 || !hf_builder_range(m->r->builder, kind, d->trnid[0], range)) return 0;

  d->lengthrange[0] = min2(gear * range[0], gear * range[1]);
  d->lengthrange[1] = max2(gear * range[0], gear * range[1]);
  return 1;
}

// Finds the range of lengths of a muscle if the file does not give it. Returns 1 if the actuator has a range or needs
// none, 0 if it must be left out.
static int find_length_range(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  const hfiLengthSearch* search = &m->compiler.lengths;
  int is_muscle = d->gaintype == HF_GAIN_MUSCLE || d->biastype == HF_BIAS_MUSCLE;
  int is_given = d->lengthrange[0] < d->lengthrange[1];
  if (!is_muscle) return 1;
  if (is_given && (search->useexisting || search->none)) return 1;

  // only keyframes are needed: any range will do
  if (m->r->skeleton) {
    d->lengthrange[0] = 0;
    d->lengthrange[1] = 1;
    return 1;
  }

  // limits without the gear, as in MuJoCo; then the lengths that the muscle reaches when it is pulled
  if (!search->none) {
    if (search->uselimit && use_target_limits(m, d, 1)) return 1;
    if (hfi_find_muscle_length(m->r->builder, d, search, &m->r->puller)) return 1;
  }

  if (use_target_limits(m, d, d->gear[0])) {
    hfi_note(m->r, elem, HF_NOTE, "lengthrange of a muscle: the limits of its joint or tendon are used");
    return 1;
  }
  if (!m->attached)
    hfi_note(m->r, elem, HF_WARNING, "actuator left out: a muscle needs lengthrange, or limits that bound its length");
  return 0;
}

// Lists an actuator that is left out, and counts it, because the sizes of keyframes then differ.
static void leave_out(hfiMjcf* m, const hfiElem* elem) {
  hfi_mjcf_leave_out(m, HF_OBJECT_ACTUATOR, elem);
  ++m->actuators_left_out;
}

// Reads a child of <actuator> and adds it to the builder, with the further actuators of its other inputs. Leaves it out
// if it is not supported or lacks its target.
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

  // ranges
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

// Adds to *armature, *damping and poly what the actuators with this target add to it: their own armature and damping
// times the square of their gear. attr: "joint", "jointinparent" or "tendon"; name: of the target, or NULL.
void hfi_mjcf_reflected(hfiMjcf* m, const char* attr, const char* name, double* armature, double* damping,
                        double poly[2]) {
  if (!name || !m->reflects) return;

  for (hfiElem* section = hfi_child(m->root, "actuator"); section; section = hfi_next(section, "actuator")) {
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
}
