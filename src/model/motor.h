// The internal states of a DC motor, which follow one another in the activations in this order.
#ifndef HFI_MODEL_MOTOR_H
#define HFI_MODEL_MOTOR_H

#include <holdfast/model.h>

enum { HFI_MOTOR_STATES = 5 };

// Which states (hfMotorState) a motor with these parameters has.
static inline int hfi_motor_states(const double* p) {
  return (p[HF_MOTOR_SLEWMAX] > 0 ? HF_MOTOR_SETPOINT : 0) | (p[HF_MOTOR_KI] > 0 ? HF_MOTOR_INTEGRAL : 0) |
         (p[HF_MOTOR_THERMAL_RESISTANCE] > 0 ? HF_MOTOR_TEMPERATURE : 0) |
         (p[HF_MOTOR_BRISTLE_STIFFNESS] > 0 ? HF_MOTOR_BRISTLE : 0) | (p[HF_MOTOR_TIME_CONSTANT] > 0 ? HF_MOTOR_CURRENT : 0);
}

static inline int hfi_count_bits(int bits) {
  int n = 0;
  for (; bits; bits &= bits - 1) ++n;
  return n;
}

// Index of a state among those that the motor has, or -1.
static inline int hfi_motor_slot(int states, int state) { return states & state ? hfi_count_bits(states & (state - 1)) : -1; }

// How many activations an actuator has.
static inline int hfi_activation_count(int dyntype, const double* motor) {
  return dyntype == HF_ACTIVATION_NONE ? 0 : dyntype == HF_ACTIVATION_MOTOR ? hfi_count_bits(hfi_motor_states(motor)) : 1;
}

#endif
