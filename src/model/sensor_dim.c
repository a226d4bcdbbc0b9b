// Numbers each sensor delivers.
#include "model/builder.h"

int hfi_sensor_dim(int type) {
  switch (type) {
  case HF_SENSOR_ACCELEROMETER: case HF_SENSOR_VELOCIMETER: case HF_SENSOR_GYRO: case HF_SENSOR_FORCE: case HF_SENSOR_TORQUE:
  case HF_SENSOR_BALL_ANGVEL:
  case HF_SENSOR_FRAME_POS: case HF_SENSOR_FRAME_XAXIS: case HF_SENSOR_FRAME_YAXIS: case HF_SENSOR_FRAME_ZAXIS:
  case HF_SENSOR_FRAME_LINVEL: case HF_SENSOR_FRAME_ANGVEL: case HF_SENSOR_FRAME_LINACC: case HF_SENSOR_FRAME_ANGACC:
  case HF_SENSOR_SUBTREE_COM: case HF_SENSOR_SUBTREE_LINVEL: case HF_SENSOR_SUBTREE_ANGMOM: return 3;
  case HF_SENSOR_BALL_QUAT: case HF_SENSOR_FRAME_QUAT: return 4;
  case HF_SENSOR_CONTACT: return 6; // force and torque
  default: return 1;
  }
}
