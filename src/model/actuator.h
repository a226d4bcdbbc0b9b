// Kinds of actuators: DC motors, servos, orientation servos, slider-cranks, and signals of feedback.
#ifndef HFI_MODEL_ACTUATOR_H
#define HFI_MODEL_ACTUATOR_H

#include <holdfast/model.h>
#include "math/vec3.h"

// ---- DC motors -------------------------------------------------------------------------------------
//
// The internal states of a motor follow one another in the activations in the order of hfMotorState.

enum { HFI_MOTOR_STATES = 5 };

// Which states (hfMotorState) a motor with these parameters has.
static inline int hfi_motor_states(const double parameters[HF_MOTOR_PARAMETERS]) {
  int states = 0;
  if (parameters[HF_MOTOR_SLEWMAX] > 0) states |= HF_MOTOR_STATE_SETPOINT;
  if (parameters[HF_MOTOR_KI] > 0) states |= HF_MOTOR_STATE_INTEGRAL;
  if (parameters[HF_MOTOR_THERMAL_RESISTANCE] > 0) states |= HF_MOTOR_STATE_TEMPERATURE;
  if (parameters[HF_MOTOR_BRISTLE_STIFFNESS] > 0) states |= HF_MOTOR_STATE_BRISTLE;
  if (parameters[HF_MOTOR_TIME_CONSTANT] > 0) states |= HF_MOTOR_STATE_CURRENT;
  return states;
}

static inline int hfi_count_bits(int bits) {
  int n = 0;
  for (; bits; bits &= bits - 1) ++n;
  return n;
}

// Index of a state among those that the motor has, or -1.
static inline int hfi_motor_slot(int states, int state) {
  return states & state ? hfi_count_bits(states & (state - 1)) : -1;
}

// How many activations an actuator has.
static inline int hfi_activation_count(int dyntype, const double motor[HF_MOTOR_PARAMETERS]) {
  if (dyntype == HF_ACTIVATION_NONE) return 0;
  return dyntype == HF_ACTIVATION_MOTOR ? hfi_count_bits(hfi_motor_states(motor)) : 1;
}

// ---- servos ----------------------------------------------------------------------------------------

// Is an actuator a servo? It has a fixed gain, and a force that falls with its length (position servo) or, if it does
// not depend on the length, with its velocity (velocity servo).
static inline int hfi_is_servo(int gaintype, int biastype, const double bias[3]) {
  if (gaintype != HF_GAIN_FIXED || biastype != HF_BIAS_AFFINE) return 0;
  return bias[1] < 0 || (bias[1] == 0 && bias[2] < 0);
}

// ---- orientation servos ------------------------------------------------------------------------------
//
// Which actuators such a servo is made of: hfOrientationInput.

// How many actuators a servo has if its first one has these inputs; 0 if they are not those of a first actuator.
static inline int hfi_orientation_count(int inputs) {
  const int vector = HF_INPUT_X | HF_INPUT_Y | HF_INPUT_Z;
  if (inputs == vector) return 3;
  return inputs == (vector | HF_INPUT_W) ? 4 : 0;
}

// Input of actuator k of n.
static inline int hfi_orientation_input(int n, int k) { return HF_INPUT_Z >> (n - 1 - k); }

// Axis of an actuator with these inputs: 0, 1, 2, or -1 for w, which has none.
static inline int hfi_orientation_axis(int inputs) {
  if (inputs & HF_INPUT_W) return -1;
  if (inputs & HF_INPUT_X) return 0;
  return inputs & HF_INPUT_Y ? 1 : 2;
}

static inline int hfi_is_orientation(const hfModel* m, int actuator) {
  return hf_model_actuator_gaintype(m)[actuator] == HF_GAIN_ORIENTATION;
}

// The actuator of the first of three axes of the servo that begins at this actuator.
static inline int hfi_orientation_first_axis(const hfModel* m, int actuator) {
  return actuator + hfi_orientation_count(hf_model_actuator_inputs(m)[actuator]) - 3;
}

// The first actuator that has the gain of an orientation servo but does not belong to a complete one; -1 if there is
// none.
int hfi_broken_orientation(const hfModel* m);

// ---- slider-cranks ---------------------------------------------------------------------------------
//
// A rod of length r joins a pin, the crank, to a slider that moves along an axis a through the point s of another body.
// With d the vector from s to the crank, the slider is at
//
//   l = d . a - sqrt((d . a)^2 + r^2 - |d|^2)
//
// If the crank is farther than r from the axis, which breaks the mechanism, it is at l = d . a. With x = 1 - (d .
// a)/root,
//
//   dl/dd = x a + d/root,   dl/da = x d,   da/dt = w x a with the angular velocity w of the slider's body

typedef struct hfiSliderCrank {
  double length; // l [m]
  hfVec3 pull;   // dl/dt = pull . (velocity of the crank - velocity of s) - turn . w
  hfVec3 turn;
} hfiSliderCrank;

// The slider-crank with these points, this unit axis and a rod of this length, all in one frame [m].
static inline hfiSliderCrank hfi_slider_crank(hfVec3 crank, hfVec3 slider, hfVec3 axis, double rod) {
  hfVec3 d = v3_sub(crank, slider);
  double along = v3_dot(d, axis);
  double square = along * along + rod * rod - v3_norm2(d);
  if (square <= 0) return (hfiSliderCrank){along, axis, v3_cross(d, axis)};

  double root = sqrt(square);
  double x = 1 - along / root;
  hfVec3 pull = v3_axpy(x, axis, v3_scale(1 / root, d));
  return (hfiSliderCrank){along - root, pull, v3_scale(x, v3_cross(d, axis))};
}

// ---- signals of feedback -----------------------------------------------------------------------------
//
// The numbers of a signal of feedback (HF_SIGNAL_FEEDBACK): how many joints it watches, their ids, and rows over time.
//
//   n | id_1 ... id_n | t y q_d (n) v_d (n) kp (n) kd (n) | t y ...

typedef struct hfiFeedback {
  int njoint, nrow;
  int width;           // length of a row, 2 + 4 njoint
  const double* joint; // (njoint) ids
  const double* rows;  // (nrow x width)
} hfiFeedback;

// Divides the numbers of a signal into their parts. Returns 0 if their count does not fit.
static inline int hfi_feedback_parts(const double* data, int count, hfiFeedback* f) {
  int n = count > 0 && data[0] >= 1 && data[0] < count ? (int)data[0] : 0;
  int in_rows = count - 1 - n;
  *f = (hfiFeedback){.njoint = n, .width = 2 + 4 * n, .joint = data + 1, .rows = data + 1 + n};
  f->nrow = in_rows / f->width;
  return n > 0 && n == data[0] && f->nrow > 0 && in_rows % f->width == 0;
}

#endif
