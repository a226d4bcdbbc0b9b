// Default definitions. Values are MJCF's where MJCF has one (gravity, density, friction, condim, …).
#include "math/vec3.h"

#include <holdfast/builder.h>

static const double QUAT[4] = {1, 0, 0, 0};

static void set_quat(double* quat) {
  for (int i = 0; i < 4; ++i) quat[i] = QUAT[i];
}

hfBodyDef hf_body_def_default(void) {
  hfBodyDef d = {0};
  set_quat(d.quat);
  return d;
}

hfJointDef hf_joint_def_default(void) {
  hfJointDef d = {0};
  d.type = HF_JOINT_HINGE;
  d.axis[2] = 1;
  return d;
}

hfGeomDef hf_geom_def_default(void) {
  hfGeomDef d = {0};
  d.type = HF_GEOM_SPHERE;
  d.mesh = d.hfield = -1;
  set_quat(d.quat);
  d.mass = -1;
  d.density = 1000;
  d.contype = d.conaffinity = 1;
  d.condim = 3;
  d.friction[0] = 1, d.friction[1] = 0.005, d.friction[2] = 0.0001;
  d.friction_dynamic = -1;
  d.solmix = 1;
  d.stiffness = d.dissipation = d.stiction_speed = d.tangential_stiffness = d.tangential_damping =
      -1;
  d.fitscale = 1;
  d.fluidcoef[0] = 0.5, d.fluidcoef[1] = 0.25, d.fluidcoef[2] = 1.5, d.fluidcoef[3] = d.fluidcoef[4] = 1;
  d.rgba[0] = d.rgba[1] = d.rgba[2] = 0.5f, d.rgba[3] = 1;
  return d;
}

hfSiteDef hf_site_def_default(void) {
  hfSiteDef d = {0};
  d.type = HF_GEOM_SPHERE;
  set_quat(d.quat);
  d.size[0] = d.size[1] = d.size[2] = 0.005;
  return d;
}

hfCameraDef hf_camera_def_default(void) {
  hfCameraDef d = {0};
  d.target = -1;
  d.resolution[0] = d.resolution[1] = 1;
  set_quat(d.quat);
  d.fovy = HFI_PI / 4;
  d.focal[0] = d.focal[1] = 0.01;
  return d;
}

hfTendonDef hf_tendon_def_default(void) {
  hfTendonDef d = {0};
  d.springlength[0] = d.springlength[1] = -1;
  return d;
}

hfEqualityDef hf_equality_def_default(void) {
  hfEqualityDef d = {0};
  d.objkind = HF_OBJECT_BODY;
  d.obj2 = -1;
  d.active = 1;
  return d;
}

hfPairDef hf_pair_def_default(void) {
  hfPairDef d = {0};
  d.condim = -1;
  for (int i = 0; i < 5; ++i) d.friction[i] = -1;
  d.margin = d.gap = -1;
  return d;
}

static const double MUSCLE[] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};

hfActuatorDef hf_actuator_def_default(void) {
  hfActuatorDef d = {0};
  d.trnid[1] = -1;
  d.dynprm[0] = 1;
  d.gainprm[0] = 1;
  d.gear[0] = 1;
  d.signal = HF_SIGNAL_NONE;
  for (int k = 0; k < 9; ++k) d.muscle[k] = MUSCLE[k];
  return d;
}

hfSensorDef hf_sensor_def_default(void) {
  hfSensorDef d = {0};
  d.obj = d.ref = -1;
  d.num = 1;
  return d;
}

hfMeshDef hf_mesh_def_default(void) {
  hfMeshDef d = {0};
  d.inertia = HF_MESH_INERTIA_CONVEX;
  return d;
}

hfHeightFieldDef hf_height_field_def_default(void) {
  hfHeightFieldDef d = {.half_size = {1, 1}, .base = 1};
  return d;
}

hfKeyDef hf_key_def_default(void) {
  hfKeyDef d = {0};
  return d;
}
