// What a sensor may measure, and how many numbers it delivers.
#include "model/joint.h"
#include "model/object.h"

// Sum of the widths of the chosen data, bit by bit.
static int sum_widths(int data, const int* width, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    if (data >> i & 1) sum += width[i];
  return sum;
}

// Returns how many numbers a sensor of this type delivers, mostly one. data: bits of what a contact or ray sensor
// reports of each of its `num` contacts or rays. For an actuator or user sensor num itself is the number.
int hfi_sensor_dim(int type, int data, int num) {
  // how many numbers each bit stands for
  static const int contact[] = {1, 3, 3, 1, 3, 3, 3, 3, 3}; // hfContactData
  static const int ray[] = {1, 3, 3, 3, 3, 1};              // hfRayData

  switch (type) {
  case HF_SENSOR_RANGEFINDER:
    return num * sum_widths(data, ray, 6);
  case HF_SENSOR_CONTACT:
    return num * sum_widths(data, contact, 9);
  case HF_SENSOR_ACTUATOR_POS:
  case HF_SENSOR_ACTUATOR_VEL:
  case HF_SENSOR_ACTUATOR_FORCE:
  case HF_SENSOR_USER:
    return num;
  case HF_SENSOR_FROM_TO:
    return 6;
  case HF_SENSOR_CAMERA_PROJECTION:
    return 2;
  case HF_SENSOR_BALL_QUAT:
  case HF_SENSOR_FRAME_QUAT:
    return 4;

  case HF_SENSOR_MAGNETOMETER:
  case HF_SENSOR_NORMAL:
  case HF_SENSOR_ACCELEROMETER:
  case HF_SENSOR_VELOCIMETER:
  case HF_SENSOR_GYRO:
  case HF_SENSOR_FORCE:
  case HF_SENSOR_TORQUE:
  case HF_SENSOR_BALL_ANGVEL:
  case HF_SENSOR_FRAME_POS:
  case HF_SENSOR_FRAME_XAXIS:
  case HF_SENSOR_FRAME_YAXIS:
  case HF_SENSOR_FRAME_ZAXIS:
  case HF_SENSOR_FRAME_LINVEL:
  case HF_SENSOR_FRAME_ANGVEL:
  case HF_SENSOR_FRAME_LINACC:
  case HF_SENSOR_FRAME_ANGACC:
  case HF_SENSOR_SUBTREE_COM:
  case HF_SENSOR_SUBTREE_LINVEL:
  case HF_SENSOR_SUBTREE_ANGMOM:
    return 3;
  default:
    return 1;
  }
}

static int is_between(int type, int first, int last) { return type >= first && type <= last; }

// Types that are not listed are those of joints.
int hfi_sensor_accepts(int type, int kind) {
  if (is_between(type, HF_SENSOR_FRAME_POS, HF_SENSOR_FRAME_ANGACC) || type == HF_SENSOR_INSIDE_SITE)
    return kind == HF_OBJECT_BODY || kind == HF_OBJECT_INERTIAL || kind == HF_OBJECT_GEOM || kind == HF_OBJECT_SITE ||
           kind == HF_OBJECT_CAMERA;
  if (is_between(type, HF_SENSOR_SUBTREE_COM, HF_SENSOR_SUBTREE_ANGMOM)) return kind == HF_OBJECT_BODY;
  if (is_between(type, HF_SENSOR_CLOCK, HF_SENSOR_ENERGY_KINETIC)) return kind == HF_OBJECT_NONE;
  if (type == HF_SENSOR_CONTACT)
    return kind == HF_OBJECT_NONE || kind == HF_OBJECT_GEOM || kind == HF_OBJECT_BODY || kind == HF_OBJECT_SITE;
  if (type == HF_SENSOR_USER) return kind == HF_OBJECT_NONE;
  if (is_between(type, HF_SENSOR_DISTANCE, HF_SENSOR_FROM_TO)) return kind == HF_OBJECT_GEOM || kind == HF_OBJECT_BODY;
  if (type == HF_SENSOR_CAMERA_PROJECTION || type == HF_SENSOR_RANGEFINDER)
    return kind == HF_OBJECT_SITE || kind == HF_OBJECT_CAMERA;
  if (type == HF_SENSOR_MAGNETOMETER || type <= HF_SENSOR_TORQUE) return kind == HF_OBJECT_SITE;
  if (is_between(type, HF_SENSOR_TENDON_POS, HF_SENSOR_TENDON_VEL)) return kind == HF_OBJECT_TENDON;
  if (is_between(type, HF_SENSOR_TENDON_ACTUATOR_FORCE, HF_SENSOR_TENDON_LIMIT_FORCE)) return kind == HF_OBJECT_TENDON;
  if (is_between(type, HF_SENSOR_ACTUATOR_POS, HF_SENSOR_ACTUATOR_FORCE)) return kind == HF_OBJECT_ACTUATOR;

  return kind == HF_OBJECT_JOINT;
}

int hfi_sensor_accepts_joint(int type, int joint_type) {
  const hfiJointKind* joint = &hfi_joint_kinds[joint_type];
  if (type == HF_SENSOR_BALL_QUAT || type == HF_SENSOR_BALL_ANGVEL) return joint->info.quat == 0;
  if (is_between(type, HF_SENSOR_JOINT_LIMIT_POS, HF_SENSOR_JOINT_LIMIT_FORCE)) return joint->limits != NULL;
  return hfi_joint_is_scalar(joint_type);
}
