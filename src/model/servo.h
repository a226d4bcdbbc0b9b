// What makes an actuator a servo: a fixed gain, and a force that falls with its length (position) or, where
// it does not depend on that, with its velocity.
#ifndef HFI_MODEL_SERVO_H
#define HFI_MODEL_SERVO_H

#include <holdfast/model.h>

static inline int hfi_is_servo(int gaintype, int biastype, const double bias[3]) {
  return gaintype == HF_GAIN_FIXED && biastype == HF_BIAS_AFFINE && (bias[1] < 0 || (bias[1] == 0 && bias[2] < 0));
}

#endif
