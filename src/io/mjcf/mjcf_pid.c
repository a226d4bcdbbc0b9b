// MuJoCo's PID actuators: a plugin that comes with MuJoCo, and the element <pid> further below.
//
//   <extension><plugin plugin="mujoco.pid">
//     <instance name="I"><config key="kp" value="40"/>...</instance>
//   </plugin></extension>
//   <actuator><plugin plugin="mujoco.pid" instance="I" joint="J"/></actuator>
//
// or with the <config> elements inside the actuator. The force is kp e + ki I - kd l' with e = ctrl - l. I is the
// integral of e, with |ki I| <= imax; it is the activation.
//
// m: the document, r: its reader, s: the spec of the actuator, d: its definition, g: gains, l: length.
#include "io/mjcf/mjcf.h"

#include <string.h>

static const char PLUGIN[] = "mujoco.pid";

int hfi_mjcf_is_pid(const hfiElem* elem) { return hfi_mjcf_is_plugin(elem, PLUGIN); }

typedef struct Gains {
  double kp, ki, kd, imax, slewmax;
} Gains;

// Reads the <config> elements in an element.
static Gains read_gains(hfiMjcf* m, const hfiElem* elem) {
  Gains g = {0, 0, 0, -1, 0}; // imax -1: the integral has no bound
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

// Sets the activation of an actuator, which has one: the integral, or else the control that moves at a bounded speed.
static void set_dynamics(hfActuatorDef* d, double ki, double slewmax) {
  d->dyntype = HF_ACTIVATION_NONE;
  d->dynprm[0] = 1;

  if (ki > 0) {
    d->dyntype = HF_ACTIVATION_ERROR;
    d->dynprm[0] = ki;
  } else if (slewmax > 0) {
    d->dyntype = HF_ACTIVATION_SLEW;
    d->dynprm[0] = slewmax;
  }
}

// Warns if both are given, because an actuator has one activation.
static void note_slew(hfiMjcf* m, const hfiElem* elem, double slewmax, double ki) {
  if (slewmax > 0 && ki > 0) hfi_note(m->r, elem, HF_WARNING, "slewmax beside ki is not used: the control may jump");
}

// Reads the plugin mujoco.pid: its gains are those of its instance, or the ones that stand in the element.
void hfi_mjcf_apply_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  const char* name = hfi_attr(elem, "instance");
  hfiElem* instance = name ? hfi_mjcf_find_instance(m, PLUGIN, name) : NULL;
  hfActuatorDef* d = &s->def;
  int actdim = 0;

  hfi_attr(elem, "plugin");
  hfi_attr(elem, "dyntype");
  hfi_read_int(m->r, elem, "actdim", &actdim); // It follows from ki.
  if (name && !instance) hfi_fail(m->r, elem, HF_ERROR_MODEL, "no instance \"%.100s\" of %s", name, PLUGIN);
  if (instance) instance->used = 1;

  Gains g = read_gains(m, instance ? instance : elem);
  note_slew(m, elem, g.slewmax, g.ki);
  if (g.kp < 0 || g.ki < 0 || g.kd < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "kp, ki and kd cannot be negative");

  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = g.kp;
  d->biasprm[0] = 0;
  d->biasprm[1] = -g.kp;
  d->biasprm[2] = -g.kd;

  // |ki I| <= imax is a bound of I here
  set_dynamics(d, g.ki, g.slewmax);
  if (!(g.ki > 0 && g.imax >= 0)) return;
  d->actrange[1] = g.imax / g.ki;
  d->actrange[0] = -d->actrange[1];
  s->actlimited = 1;
}

// ---- <pid> --------------------------------------------------------------------------------------

// The inputs of a <pid>, as bits of hfiActuatorSpec.inputs. The first input is the lowest bit.
enum { POSITION = 1, VELOCITY = 2, FEEDFORWARD = 4 };
static int first_input(int inputs) { return inputs & -inputs; }

// Reads which inputs the controller has; an empty list stands for the usual two.
static void read_inputs(hfiMjcf* m, const hfiElem* elem, int* inputs) {
  static const char* const words[] = {"pos", "vel", "ff", NULL};
  int read = 0;
  if (hfi_mjcf_read_words(m, elem, "input", words, &read)) *inputs = read ? read : POSITION | VELOCITY;
}

// The gain of an input.
static double input_gain(const hfActuatorDef* d, int input) {
  if (input == POSITION) return -d->biasprm[1];
  return input == VELOCITY ? -d->biasprm[2] : 1;
}

// Sets ctrlrange to the range of the first input that the controller has.
void hfi_mjcf_apply_setpoint_ranges(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfi_read_reals(m->r, elem, "posrange", 2, 2, s->def.ctrlrange);
  if (s->inputs & POSITION) return;

  const double* range = s->inputs & VELOCITY ? s->velrange : s->ffrange;
  memcpy(s->def.ctrlrange, range, sizeof s->def.ctrlrange);
}

// Reads <pid>: force = kp (u_pos - l) + kv (u_vel - ldot) + ki I + u_ff. Holdfast's actuators have one control each. So
// this actuator has the first input and all terms in length and velocity. Motors on the same target have the other
// inputs.
void hfi_mjcf_apply_setpoint_pid(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfActuatorDef* d = &s->def;
  hfiReader* r = m->r;
  // the defaults of MuJoCo, unless the class has a <pid>
  double kp = 1;
  double kv = 0;
  double ratio = d->dampratio;
  if (s->shortcut == HFI_SETPOINT_PID) {
    kp = -d->biasprm[1];
    kv = -d->biasprm[2];
  } else {
    s->inputs = POSITION | VELOCITY;
  }

  // attributes; of kv and dampratio the one that the element gives replaces the other
  hfi_read_real(r, elem, "kp", &kp);
  if (hfi_read_real(r, elem, "kv", &kv)) ratio = 0;
  if (hfi_read_real(r, elem, "dampratio", &ratio)) kv = 0;
  hfi_read_real(r, elem, "ki", &s->ki);
  hfi_read_real(r, elem, "imax", &s->imax);
  hfi_read_real(r, elem, "slewmax", &s->slewmax);
  hfi_read_reals(r, elem, "velrange", 2, 2, s->velrange);
  hfi_read_reals(r, elem, "ffrange", 2, 2, s->ffrange);
  read_inputs(m, elem, &s->inputs);

  if (kp < 0 || kv < 0 || ratio < 0 || s->ki < 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "kp, kv, dampratio and ki cannot be negative");
  if (s->ki > 0 && !(s->inputs & POSITION)) hfi_fail(r, elem, HF_ERROR_MODEL, "ki needs the input pos");
  if (ratio > 0 && s->inputs & VELOCITY)
    hfi_note(r, elem, HF_WARNING, "dampratio of a pid with the input vel: the velocity setpoint is not used");
  note_slew(m, elem, s->slewmax, s->ki);

  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->biasprm[0] = 0;
  d->biasprm[1] = -kp;
  d->biasprm[2] = -kv;
  d->dampratio = ratio;
  d->gainprm[0] = input_gain(d, first_input(s->inputs));
  set_dynamics(d, s->ki, s->inputs & POSITION ? s->slewmax : 0);

  // imax of a <pid> bounds I itself, which is the activation
  if (!(s->ki > 0 && s->imax > 0)) return;
  d->actrange[1] = s->imax;
  d->actrange[0] = -s->imax;
  s->actlimited = 1;
}

// Adds a motor for an input of a <pid> whose first actuator exists.
static void add_input(hfiMjcf* m, const hfiElem* elem, const hfiActuatorSpec* s, int input) {
  hfActuatorDef d = hf_actuator_def_default();
  const double* range = input == VELOCITY ? s->velrange : s->ffrange;

  // what it shares with the first actuator
  d.trntype = s->def.trntype;
  memcpy(d.trnid, s->def.trnid, sizeof d.trnid);
  memcpy(d.gear, s->def.gear, sizeof d.gear);
  d.cranklength = s->def.cranklength;
  d.group = s->def.group;
  d.nsample = s->def.nsample;
  d.interp = s->def.interp;
  d.delay = s->def.delay;

  d.gainprm[0] = input_gain(&s->def, input);
  memcpy(d.ctrlrange, range, sizeof d.ctrlrange);
  d.ctrllimited = range[0] < range[1];

  if (s->def.name) d.name = hfi_format(m->r, "%s.%s", s->def.name, input == VELOCITY ? "vel" : "ff");
  d.where = s->def.where;
  if (!m->r->status) hfi_keep(m->r, elem, hf_builder_add_actuator(m->r->builder, &d, &m->r->scratch));
}

// Adds a motor for each input of a <pid> except its first.
void hfi_mjcf_add_inputs(hfiMjcf* m, const hfiElem* elem, const hfiActuatorSpec* s) {
  if (s->shortcut != HFI_SETPOINT_PID) return;
  int first = first_input(s->inputs);
  if (s->def.forcelimited && s->inputs != first)
    hfi_note(m->r, elem, HF_WARNING,
             "forcerange of a pid with several inputs bounds the force of its first input only");
  if (first != VELOCITY && s->inputs & VELOCITY) add_input(m, elem, s, VELOCITY);
  if (first != FEEDFORWARD && s->inputs & FEEDFORWARD) add_input(m, elem, s, FEEDFORWARD);
}
