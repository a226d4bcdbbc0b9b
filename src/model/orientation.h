// Which actuators an orientation servo is made of (hfOrientationInput).
#ifndef HFI_MODEL_ORIENTATION_H
#define HFI_MODEL_ORIENTATION_H

#include <holdfast/model.h>

// How many actuators a servo has if its first one has these inputs; 0 if they are not those of a first actuator.
static inline int hfi_orientation_count(int inputs) {
  int vector = HF_INPUT_X | HF_INPUT_Y | HF_INPUT_Z;
  return inputs == vector ? 3 : inputs == (vector | HF_INPUT_W) ? 4 : 0;
}

// Input of actuator k of n.
static inline int hfi_orientation_input(int n, int k) { return HF_INPUT_Z >> (n - 1 - k); }

// Axis of an actuator with these inputs: 0, 1, 2, or -1 for w, which has none.
static inline int hfi_orientation_axis(int inputs) {
  return inputs & HF_INPUT_W ? -1 : inputs & HF_INPUT_X ? 0 : inputs & HF_INPUT_Y ? 1 : 2;
}

static inline int hfi_is_orientation(const hfModel* m, int actuator) { return hf_model_actuator_gaintype(m)[actuator] == HF_GAIN_ORIENTATION; }

// The actuator of the first of three axes of the servo that begins at this actuator.
static inline int hfi_orientation_first_axis(const hfModel* m, int actuator) {
  return actuator + hfi_orientation_count(hf_model_actuator_inputs(m)[actuator]) - 3;
}

// The first actuator that has the gain of an orientation servo but does not belong to a complete one; -1 if there is none.
int hfi_broken_orientation(const hfModel* m);

#endif
