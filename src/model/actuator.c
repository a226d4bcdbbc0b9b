// Checks that orientation servos are complete: three or four consecutive actuators on one ball joint, or on one site
// and its reference.
#include "model/actuator.h"

// Does an actuator act on what has an orientation?
static int has_orientation(const hfModel* m, int i) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  int type = hf_model_actuator_trntype(m)[i];
  if (type == HF_TRANSMISSION_JOINT) return hf_model_jnt_type(m)[id[0]] == HF_JOINT_BALL;
  return type == HF_TRANSMISSION_SITE && id[1] >= 0;
}

// Does actuator k of the n that begin at `first` belong to them?
static int belongs_to_servo(const hfModel* m, int first, int n, int k) {
  const int32_t* type = hf_model_actuator_trntype(m);
  const int32_t* id = hf_model_actuator_trnid(m);
  int i = first + k;
  int has_input = hfi_is_orientation(m, i) && hf_model_actuator_inputs(m)[i] == hfi_orientation_input(n, k);
  return has_input && type[i] == type[first] && id[2 * i] == id[2 * first] && id[2 * i + 1] == id[2 * first + 1];
}

// Steps from servo to servo.
int hfi_broken_orientation(const hfModel* m) {
  int i = 0;
  while (i < m->nu) {
    int n = 1;
    if (hfi_is_orientation(m, i)) {
      n = hfi_orientation_count(hf_model_actuator_inputs(m)[i]);
      if (n == 0 || n > m->nu - i || !has_orientation(m, i)) return i;
    }
    for (int k = 1; k < n; ++k)
      if (!belongs_to_servo(m, i, n, k)) return i;
    i += n;
  }

  return -1;
}
