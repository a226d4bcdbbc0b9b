// <dcmotor>: a DC motor by the numbers of its data sheet.
//
//   K = sqrt(Kt Ke), or the one of both that is given
//   K = V/w, R = K V/torque   from a nominal point: voltage V, stall torque, no-load speed w
//   t_e = L/R,  thermal resistance times capacity = time constant,  largest torque = K times largest current
//
// Its inputs are controls. The first one is the control of the motor itself; each other one is the control of an
// actuator NAME.vel, NAME.ff or NAME.voltage that follows it and has no force of its own.
//
// m: the document, s: the spec of the actuator, x: its attributes, p: parameters of the motor by hfMotorParameter.
#include "io/mjcf/mjcf.h"

#include "model/actuator.h"

#include <math.h>
#include <string.h>

// The inputs of a motor, by the bits of hfMotorInput.
enum { INPUTS = 4 };
static const char* const input_words[INPUTS + 1] = {"pos", "vel", "ff", "voltage", NULL};

// Reads which controls the motor has, as bits of hfMotorInput.
static void read_inputs(hfiMjcf* m, const hfiElem* elem, int* inputs) {
  const char* text = hfi_attr(elem, "input");
  if (!text) return;
  *inputs = 0;
  if (strcmp(text, "none") != 0) hfi_mjcf_read_words(m, elem, "input", input_words, inputs);
}

// Sets the thermal parameters. The time constant is resistance times capacity. If two of the three are given, the third
// follows; if all are given, the capacity follows from the other two.
static void set_thermal(const double thermal[6], double* p) {
  double resistance = thermal[0];
  double capacity = thermal[1];
  double time_constant = thermal[2];

  if (time_constant > 0 && resistance > 0)
    capacity = time_constant / resistance;
  else if (time_constant > 0 && capacity > 0)
    resistance = time_constant / capacity;

  p[HF_MOTOR_THERMAL_RESISTANCE] = resistance;
  p[HF_MOTOR_THERMAL_CAPACITY] = capacity;
  p[HF_MOTOR_TEMPCOEF] = thermal[3];
  p[HF_MOTOR_REFTEMP] = thermal[4];
  p[HF_MOTOR_AMBIENT] = thermal[5];
}

// Sets the constant K, the resistance R and the electrical time constant.
static void set_constants(const hfiMotorSpec* x, double* p) {
  double voltage = x->nominal[0];
  double stall_torque = x->nominal[1];
  double no_load_speed = x->nominal[2];
  double from_nominal = no_load_speed > 0 ? voltage / no_load_speed : 0;

  double kt = x->motorconst[0] > 0 ? x->motorconst[0] : from_nominal;
  double ke = x->motorconst[1] > 0 ? x->motorconst[1] : from_nominal;
  double K = kt > 0 ? kt : ke;
  if (kt > 0 && ke > 0) K = sqrt(kt * ke);

  double R = x->resistance;
  if (!(R > 0) && stall_torque > 0) R = K * voltage / stall_torque;
  p[HF_MOTOR_CONSTANT] = K;
  p[HF_MOTOR_RESISTANCE] = R;
  p[HF_MOTOR_TIME_CONSTANT] = x->inductance[0] > 0 && R > 0 ? x->inductance[0] / R : x->inductance[1];
}

// Sets all parameters of the motor from the attributes.
static void set_parameters(const hfiMotorSpec* x, double* p) {
  static const int cogging[3] = {HF_MOTOR_COGGING, HF_MOTOR_POLES, HF_MOTOR_PHASE};
  static const int lugre[5] = {HF_MOTOR_BRISTLE_STIFFNESS, HF_MOTOR_BRISTLE_DAMPING, HF_MOTOR_COULOMB, HF_MOTOR_STATIC,
                               HF_MOTOR_STRIBECK};
  static const int controller[6] = {HF_MOTOR_KP, HF_MOTOR_KI, HF_MOTOR_KD, HF_MOTOR_SLEWMAX, HF_MOTOR_IMAX,
                                    HF_MOTOR_VMAX};

  set_constants(x, p);
  set_thermal(x->thermal, p);

  p[HF_MOTOR_CURRENT_RATE] = x->saturation[2];
  for (int k = 0; k < 3; ++k) p[cogging[k]] = x->cogging[k];
  for (int k = 0; k < 5; ++k) p[lugre[k]] = x->lugre[k];
  for (int k = 0; k < 6; ++k) p[controller[k]] = x->controller[k];
}

// Reads the attributes of <dcmotor> into s->motor, and sets the force law of the actuator from all that are given so
// far.
void hfi_mjcf_apply_motor(hfiMjcf* m, const hfiElem* elem, hfiActuatorSpec* s) {
  hfActuatorDef* d = &s->def;
  hfiMotorSpec* x = &s->motor;
  const struct {
    const char* attr;
    double* to;
    int most;
  } lists[] = {{"motorconst", x->motorconst, 2}, {"nominal", x->nominal, 3},
               {"inductance", x->inductance, 2}, {"thermal", x->thermal, 6},
               {"saturation", x->saturation, 3}, {"cogging", x->cogging, 3},
               {"lugre", x->lugre, 5},           {"controller", x->controller, 6}};

  // attributes; those of the class hold only if it is a <dcmotor>
  if (s->shortcut != HFI_DCMOTOR) *x = (hfiMotorSpec){.inputs = HF_INPUT_VOLTAGE};
  hfi_read_real(m->r, elem, "resistance", &x->resistance);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
    hfi_read_reals(m->r, elem, lists[k].attr, 1, lists[k].most, lists[k].to);
  if (x->motorconst[0] < 0 || x->motorconst[1] < 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "motorconst cannot be negative");
  read_inputs(m, elem, &x->inputs);

  set_parameters(x, d->motor);
  d->inputs = x->inputs;
  d->gaintype = HF_GAIN_MOTOR;
  d->dyntype = hfi_motor_states(d->motor) ? HF_ACTIVATION_MOTOR : HF_ACTIVATION_NONE;
  d->gainprm[0] = 0;

  double largest_torque = x->saturation[0];
  if (!(largest_torque > 0)) largest_torque = d->motor[HF_MOTOR_CONSTANT] * x->saturation[1];
  d->forcerange[0] = -largest_torque;
  d->forcerange[1] = largest_torque;
  s->forcelimited = largest_torque > 0;
}

// Adds an actuator for each input of a motor except its first, which is the control of the motor itself.
void hfi_mjcf_add_motor_inputs(hfiMjcf* m, const hfiElem* elem, const hfiActuatorSpec* s) {
  if (s->shortcut != HFI_DCMOTOR) return;
  int inputs = s->motor.inputs;
  if (!inputs) hfi_note(m->r, elem, HF_NOTE, "a motor without inputs has a control here, which it does not use");

  for (int k = 1; k < INPUTS; ++k) {
    // the first input is the control of the motor itself
    int earlier_inputs = inputs & ((1 << k) - 1);
    if (!(inputs >> k & 1) || !earlier_inputs) continue;

    // what it shares with the motor
    hfActuatorDef d = hf_actuator_def_default();
    d.trntype = s->def.trntype;
    d.group = s->def.group;
    d.cranklength = s->def.cranklength;
    memcpy(d.trnid, s->def.trnid, sizeof d.trnid);
    memcpy(d.gear, s->def.gear, sizeof d.gear);
    memcpy(d.ctrlrange, s->def.ctrlrange, sizeof d.ctrlrange);
    d.ctrllimited = s->def.ctrllimited;
    d.nsample = s->def.nsample;
    d.interp = s->def.interp;
    d.delay = s->def.delay;
    d.gainprm[0] = 0;

    if (s->def.name) d.name = hfi_format(m->r, "%s.%s", s->def.name, input_words[k]);
    d.where = s->def.where;
    if (!m->r->status) hfi_keep(m->r, elem, hf_builder_add_actuator(m->r->builder, &d, &m->r->scratch));
  }
}
