// Default definitions. Values are MJCF's where MJCF has one (gravity, density, friction, condim, …).
#include "math/vec3.h"

#include <holdfast/builder.h>

hfBodyDef hf_body_def_default(void) { return (hfBodyDef){.quat = {1, 0, 0, 0}}; }

hfJointDef hf_joint_def_default(void) { return (hfJointDef){.type = HF_JOINT_HINGE, .axis = {0, 0, 1}}; }

// Returns a sphere of the density of water, with MJCF's friction; negative values are the world's defaults.
hfGeomDef hf_geom_def_default(void) {
  return (hfGeomDef){.type = HF_GEOM_SPHERE,
                     .mesh = -1,
                     .hfield = -1,
                     .quat = {1, 0, 0, 0},
                     .mass = -1,
                     .density = 1000,

                     // contact
                     .contype = 1,
                     .conaffinity = 1,
                     .condim = 3,
                     .friction = {1, 0.005, 0.0001},
                     .friction_dynamic = -1,
                     .solmix = 1,
                     .stiffness = -1,
                     .dissipation = -1,
                     .stiction_speed = -1,
                     .tangential_stiffness = -1,
                     .tangential_damping = -1,

                     // fit to a mesh, medium, colour
                     .fitscale = 1,
                     .fluidcoef = {0.5, 0.25, 1.5, 1, 1},
                     .rgba = {0.5f, 0.5f, 0.5f, 1}};
}

hfSiteDef hf_site_def_default(void) {
  return (hfSiteDef){.type = HF_GEOM_SPHERE, .quat = {1, 0, 0, 0}, .size = {0.005, 0.005, 0.005}};
}

hfCameraDef hf_camera_def_default(void) {
  return (hfCameraDef){
      .target = -1, .resolution = {1, 1}, .quat = {1, 0, 0, 0}, .fovy = HFI_PI / 4, .focal = {0.01, 0.01}};
}

hfTendonDef hf_tendon_def_default(void) { return (hfTendonDef){.springlength = {-1, -1}}; }

hfEqualityDef hf_equality_def_default(void) {
  return (hfEqualityDef){.objkind = HF_OBJECT_BODY, .obj2 = -1, .active = 1};
}

hfPairDef hf_pair_def_default(void) {
  return (hfPairDef){.condim = -1, .friction = {-1, -1, -1, -1, -1}, .margin = -1, .gap = -1};
}

// Returns a motor of gear 1 with MJCF's muscle.
hfActuatorDef hf_actuator_def_default(void) {
  return (hfActuatorDef){.trnid = {0, -1},
                         .dynprm = {1, 0, 0},
                         .gainprm = {1, 0, 0},
                         .gear = {1, 0, 0, 0, 0, 0},
                         .signal = HF_SIGNAL_NONE,
                         .muscle = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2}};
}

hfSensorDef hf_sensor_def_default(void) { return (hfSensorDef){.obj = -1, .ref = -1, .num = 1}; }

hfMeshDef hf_mesh_def_default(void) { return (hfMeshDef){.inertia = HF_MESH_INERTIA_CONVEX}; }

hfHeightFieldDef hf_height_field_def_default(void) { return (hfHeightFieldDef){.half_size = {1, 1}, .base = 1}; }

hfKeyDef hf_key_def_default(void) { return (hfKeyDef){0}; }
