// Whether an actuator is a servo: it has a fixed gain, and a force that falls with its length (position servo) or, if it does not depend on the
// length, with its velocity (velocity servo).
#ifndef HFI_MODEL_SERVO_H
#define HFI_MODEL_SERVO_H

#include <holdfast/model.h>

static inline int hfi_is_servo(int gaintype, int biastype, const double bias[3]) {
  return gaintype == HF_GAIN_FIXED && biastype == HF_BIAS_AFFINE && (bias[1] < 0 || (bias[1] == 0 && bias[2] < 0));
}

#endif
