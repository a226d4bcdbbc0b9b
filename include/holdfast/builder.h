// hfBuilder: makes a model from definitions. Fill a Def (start from its default), add it, keep the id.
//
// Ids returned by the builder are in the order of adding. hf_builder_finish lays bodies out
// depth-first; when bodies are added depth-first (as the importers do) the ids stay as they are.
// Strings and arrays in a Def are copied by the add function. Angles are radians.
#ifndef HOLDFAST_BUILDER_H
#define HOLDFAST_BUILDER_H

#include <holdfast/model.h>
#include <holdfast/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfBuilder hfBuilder;

// Every Def carries where it was written, for messages: "file:line" or NULL.
typedef struct hfBodyDef {
  const char *name, *where;
  int32_t parent;         // 0: the world
  double pos[3], quat[4];
  int32_t has_inertial;   // 0: inferred from the geoms
  double mass;        // [kg]
  double com[3];      // [m]
  double inertia[6];  // inertia about the centre of mass in body axes: xx yy zz xy xz yz [kg m^2]
  double inertia_quat[4]; // orientation of the inertial frame, if its axes are principal axes; zeros: the principal axes, the largest moment first
  double gravcomp;    // share of the weight that gravity compensation carries [-]
  int32_t mocap;
  int32_t sleep; // hfSleepPolicy of the tree whose first moving body it is; else HF_SLEEP_AUTO
} hfBodyDef;

typedef struct hfJointDef {
  const char *name, *where;
  int32_t body;
  int32_t type; // hfJointType
  double pos[3], axis[3];
  double pitch; // HF_JOINT_SCREW: travel along the axis per angle, right-handed; others ignore it [m/rad]
  int32_t limited;
  double range[2], margin;
  double ref;                 // coordinate at the reference configuration [m or rad]
  double springref, stiffness, damping, armature, frictionloss;
  double springyield;         // displacement from which on the spring yields and rests elsewhere for good; 0: it never does [m or rad]
  double stiffness_poly[2], damping_poly[2]; // coefficients of x^2 and x^3, of v|v| and v^3
  double bend[3];             // ball: stiffness against turns about the x, y and z axis of its parent body, as of a cable along x [N m/rad]
  double bend_rest[3];        // ball: turn of the body in its parent at which that rests, as a rotation vector [rad]
  double springdamper[2];     // time constant [s] and damping ratio; > 0: stiffness and damping for the inertia at qpos0
  double limit_stiffness, limit_damping; // 0: near-rigid, or MuJoCo's law below
  double limit_solref[2], limit_solimp[5]; // MuJoCo's softness of the limit; solref (0, 0): none
  int32_t actfrclimited;
  double actfrcrange[2];
  int32_t actgravcomp;
} hfJointDef;

typedef struct hfGeomDef {
  const char *name, *where;
  int32_t body;
  int32_t type; // hfGeomType
  int32_t mesh; // mesh id for HF_GEOM_MESH, or for a primitive to fit to it (mesh_fit); else -1
  int32_t hfield; // height field id for HF_GEOM_HFIELD; else -1
  double pos[3], quat[4], size[3];
  double mass;       // negative: density times volume [kg]
  double density;    // [kg/m^3]
  int32_t shell_inertia; // 1: mass spread over the surface
  int32_t mesh_fit;      // with a primitive type and a mesh: 1 fits the mesh's inertia box, 2 its bounding box
  int32_t contype, conaffinity, condim, priority, group;
  double friction[3], friction_dynamic;
  double margin, gap, solmix, solref[2], solimp[5];
  double stiffness, dissipation, stiction_speed, tangential_stiffness, tangential_damping; // negative: default
  double restitution; // speed after an impact over that before, 0 to 1; of two geoms the larger [-]
  double surface_velocity[6]; // velocity of the surface of a belt, as contacts see it: linear, then angular about the origin, in the geom's frame [m/s, rad/s]
  double adhesion;    // force with which each contact point pulls; of two geoms the sum [N]
  double fitscale;    // for a primitive that is fitted to a mesh: factor of its size [-]
  int32_t fluid;      // 1: in a medium the geom is an ellipsoid; 0: the body's inertia box resists
  double fluidcoef[5]; // its coefficients of blunt, slender and angular drag, of Kutta and Magnus lift
  float rgba[4];
} hfGeomDef;

typedef struct hfMeshDef {
  const char *name, *where;
  int32_t nvert, ntri;
  const double* vert;  // (nvert x 3), scaled, in the mesh file's frame [m]
  const int32_t* tri;  // (ntri x 3) of the surface, for volume and inertia
  int32_t nhulltri;
  const int32_t* hulltri; // (nhulltri x 3) of the convex hull, outward, indices into vert
  int32_t inertia;         // hfMeshInertia
  int32_t max_hull_vert;   // limit of the hull's vertices, kept for writing the model; 0: none. It does not change hulltri.
} hfMeshDef;
// How a mesh's volume and inertia are computed (MJCF's inertia attribute of a mesh).
typedef enum hfMeshInertia { HF_MESH_INERTIA_CONVEX, HF_MESH_INERTIA_EXACT, HF_MESH_INERTIA_LEGACY, HF_MESH_INERTIA_SHELL } hfMeshInertia;

// Heights over a rectangle around the origin of the geom's frame, on a grid of nrow x ncol vertices. Each cell has two triangles; its
// diagonal runs along +x +y. The matter below them reaches down to z = -base.
typedef struct hfHeightFieldDef {
  const char *name, *where;
  int32_t nrow, ncol;   // vertices along y and along x, at least 2
  double half_size[2];  // half lengths along x and y [m]
  double base;          // [m]
  const double* height; // (nrow x ncol) z of the vertices, above -base; row by row from -y to +y, each from -x to +x [m]
} hfHeightFieldDef;

typedef struct hfSiteDef {
  const char *name, *where;
  int32_t body, type;
  double pos[3], quat[4], size[3];
} hfSiteDef;

typedef struct hfCameraDef {
  const char *name, *where;
  int32_t body, mode;    // hfCameraMode
  int32_t target;        // body that it looks at, or -1
  int32_t orthographic;  // 1: rays are parallel, and fovy is the height of the picture
  int32_t resolution[2]; // pixels: width, height
  double pos[3], quat[4];
  double fovy;           // vertical angle of the picture [rad]; orthographic: its height [m]
  double sensorsize[2];  // width and height of the chip; 0: there is none, and fovy and square pixels define the picture [m]
  double focal[2];       // focal lengths of a chip along x and y, which then determine fovy [m]
  double principal[2];   // how far the middle of a chip is to the right of the optical axis, and above it [m]
} hfCameraDef;

typedef struct hfWrapDef { // a place on the path of a spatial tendon
  int32_t type;   // HF_WRAP_SITE, HF_WRAP_GEOM or HF_WRAP_PULLEY
  int32_t obj;    // site, or geom: a sphere or cylinder
  int32_t side;   // for a geom: the site on whose side the tendon passes; if it is inside of the geom, the tendon passes
                  // through the geom; -1: the shorter way
  double divisor; // for a pulley: the lengths of the branch behind it count divided by this [-]
} hfWrapDef;

typedef struct hfTendonDef {
  const char *name, *where;
  int32_t count;        // fixed tendon: number of joints; 0: a spatial tendon
  const int32_t* joint; // (count)
  const double* coef;   // (count)
  int32_t path_count;
  const hfWrapDef* path; // (path_count) of a spatial tendon, in order
  int32_t limited;
  double range[2], margin, stiffness, damping, frictionloss, armature, springlength[2]; // springlength -1: the length at the springs' rest
  double springyield;   // stretch from which on the spring yields and rests elsewhere for good; 0: it never does [m]
  double stiffness_poly[2], damping_poly[2]; // coefficients of x^2 and x^3, of v|v| and v^3
  double limit_solref[2], limit_solimp[5]; // MuJoCo's softness of the limit; solref (0, 0): near-rigid
  int32_t actfrclimited;
  double actfrcrange[2];
} hfTendonDef;

typedef struct hfEqualityDef {
  const char *name, *where;
  int32_t type, objkind, obj1, obj2, active;
  // connect: anchor in obj1 (3); weld: anchor in obj2 (3), relpose (pos 3, quat 4; quat 0 = as at qpos0), torquescale;
  // joint, tendon: polycoef (5)
  double data[11];
  double solref[2], solimp[5];
} hfEqualityDef;

typedef struct hfPairDef {
  const char *name, *where;
  int32_t geom1, geom2, condim; // condim < 0, friction < 0, ...: from the geoms
  double friction[5], margin, gap, solref[2], solimp[5];
  double adhesion; // adhesion of the pair; that of its geoms does not count [N]
} hfPairDef;

typedef struct hfActuatorDef {
  const char *name, *where;
  int32_t trntype, trnid[2];
  int32_t dyntype, gaintype, biastype;
  int32_t drive; // hfDriveLaw. Only position and velocity servos may have another one than HF_DRIVE_SERVO.
  double dynprm[3], gainprm[3], biasprm[3];
  double muscle[9];      // for a muscle, as in MJCF: scaled range (2), peak force, scale, lmin, lmax, vmax, fpmax, fvmax. A negative peak force means the
                         // scale divided by the acceleration that a unit force causes.
  double passive[9];     // the same nine numbers for the passive force of a muscle (HF_BIAS_MUSCLE) if they differ from `muscle`; all zero: those of `muscle`
  double motor[HF_MOTOR_PARAMETERS]; // for a DC motor (HF_GAIN_MOTOR): numbers in the order of hfMotorParameter; forcerange bounds the torque of the current
  int32_t inputs;        // for a DC motor: bits of hfMotorInput. Its control is the first of these inputs, and the controls of the actuators that follow it are
                         // the others. For an orientation servo: bits of hfOrientationInput; forcerange is {0, largest torque}, and the gear is not used.
  double lengthrange[2]; // for a muscle: lengths at the two ends of its scaled range [m]
  double dampratio; // damping ratio of a servo. If it is positive, biasprm[2] is computed from it, with the inertia that the actuator moves at qpos0 [-]
  int32_t ctrllimited, forcelimited, actlimited, actearly;
  double ctrlrange[2], forcerange[2], actrange[2], gear[6];
  double cranklength; // for a slider-crank, whose trnid are the sites of crank and slider: length of the rod between them [m]
  double delay;            // time after which its control acts, at most nsample steps of the sim [s]
  int32_t nsample, interp; // number of past controls that a state keeps, at least 1 if there is a delay; hfInterpolation
  int32_t group;      // group of the actuator, which hfWorld.disabled_groups can switch off
  int32_t signal; // hfSignalType
  int32_t signal_count;
  const double* signal_data; // constant: value; sine: amplitude, Hz, phase [rad], offset; ramp: t0, y0, t1, y1;
                             // chirp: amplitude, f0, f1 [Hz], duration [s], offset; table: t0 y0 t1 y1 …;
                             // feedback: n, ids of n hinges or slides, then rows of t, y, q_d (n), v_d (n), kp (n), kd (n)
} hfActuatorDef;

typedef struct hfSensorDef {
  const char *name, *where;
  int32_t type, objkind, obj, refkind, ref;
  double cutoff;
  double noise;    // standard deviation that sims with a noise_seed add to each number
  int32_t data;    // hfContactData or hfRayData; 0: net force and torque of contacts, distance of a rangefinder
  int32_t num;     // contacts that a contact sensor reports, or numbers of a user's sensor
  int32_t reduce;  // hfContactReduce
  int32_t subtree; // for a contact sensor; bit 0: obj stands for a body with all that it carries; bit 1: so does ref
  double delay;            // how much later its numbers arrive; nsample bounds it [s]
  double interval[2];      // it measures only at times that are this far apart, the first at interval[0] + interval[1]; 0: at each step [s]
  int32_t nsample, interp; // measurements that states keep, at least 1 for a delay or an interval; hfInterpolation
} hfSensorDef;

typedef struct hfKeyDef { // NULL arrays: the model's reference. Objects that are added later are at their reference, too.
  const char *name, *where;
  double time;
  const double *qpos, *qvel, *act, *ctrl, *mpos, *mquat;
} hfKeyDef;

// How inertias are inferred and repaired (MJCF's <compiler>).
typedef struct hfBuildConfig {
  int32_t inertia_from_geom;     // -1: for bodies without an inertial; 0: never; 1: always
  int32_t inertia_group_min, inertia_group_max; // geoms of these groups count
  double bound_mass, bound_inertia;         // lower bounds for moving bodies; 0: none [kg], [kg m^2]
  int32_t balance_inertia;       // 1: a diagonal that violates A + B >= C becomes its mean
  double total_mass;         // > 0: all masses and inertias are scaled to it [kg]
} hfBuildConfig;

HF_API hfBuilder* hf_builder_create(void); // NULL: out of memory
HF_API void hf_builder_free(hfBuilder* builder);
HF_API hfWorld* hf_builder_world(hfBuilder* builder);
HF_API hfBuildConfig* hf_builder_config(hfBuilder* builder);

HF_API hfBodyDef hf_body_def_default(void);
HF_API hfJointDef hf_joint_def_default(void);
HF_API hfGeomDef hf_geom_def_default(void);
HF_API hfSiteDef hf_site_def_default(void);
HF_API hfCameraDef hf_camera_def_default(void);
HF_API hfTendonDef hf_tendon_def_default(void);
HF_API hfEqualityDef hf_equality_def_default(void);
HF_API hfPairDef hf_pair_def_default(void);
HF_API hfActuatorDef hf_actuator_def_default(void);
HF_API hfSensorDef hf_sensor_def_default(void);
HF_API hfMeshDef hf_mesh_def_default(void);
HF_API hfHeightFieldDef hf_height_field_def_default(void);
HF_API hfKeyDef hf_key_def_default(void);

// Each returns the new id, or a status < 0 with a message. A failed add leaves the builder as it was.
HF_API int hf_builder_add_body(hfBuilder* b, const hfBodyDef* def, hfError* error);
HF_API int hf_builder_add_joint(hfBuilder* b, const hfJointDef* def, hfError* error);
HF_API int hf_builder_add_geom(hfBuilder* b, const hfGeomDef* def, hfError* error);
HF_API int hf_builder_add_mesh(hfBuilder* b, const hfMeshDef* def, hfError* error);
HF_API int hf_builder_add_height_field(hfBuilder* b, const hfHeightFieldDef* def, hfError* error);
HF_API int hf_builder_add_site(hfBuilder* b, const hfSiteDef* def, hfError* error);
HF_API int hf_builder_add_camera(hfBuilder* b, const hfCameraDef* def, hfError* error);
HF_API int hf_builder_add_tendon(hfBuilder* b, const hfTendonDef* def, hfError* error);
HF_API int hf_builder_add_equality(hfBuilder* b, const hfEqualityDef* def, hfError* error);
HF_API int hf_builder_add_pair(hfBuilder* b, const hfPairDef* def, hfError* error);
HF_API int hf_builder_add_exclude(hfBuilder* b, int body1, int body2, hfError* error);
HF_API int hf_builder_add_actuator(hfBuilder* b, const hfActuatorDef* def, hfError* error);
HF_API int hf_builder_add_sensor(hfBuilder* b, const hfSensorDef* def, hfError* error);
HF_API int hf_builder_add_key(hfBuilder* b, const hfKeyDef* def, hfError* error);

// The definition of an object as it stands, or NULL where there is no such id. It is valid until the next addition or change.
HF_API const hfBodyDef* hf_builder_body(const hfBuilder* b, int id);
HF_API const hfJointDef* hf_builder_joint(const hfBuilder* b, int id);
HF_API const hfGeomDef* hf_builder_geom(const hfBuilder* b, int id);
HF_API const hfSiteDef* hf_builder_site(const hfBuilder* b, int id);
HF_API const hfCameraDef* hf_builder_camera(const hfBuilder* b, int id);
HF_API const hfTendonDef* hf_builder_tendon(const hfBuilder* b, int id);
HF_API const hfEqualityDef* hf_builder_equality(const hfBuilder* b, int id);
HF_API const hfPairDef* hf_builder_pair(const hfBuilder* b, int id);
HF_API const hfActuatorDef* hf_builder_actuator(const hfBuilder* b, int id);
HF_API const hfSensorDef* hf_builder_sensor(const hfBuilder* b, int id);
// Replaces a definition: copy the one that stands, change it, set it. It is checked as if it were added; a refusal leaves the old one.
// The name stays, and so do the parent of a body, the body of a joint and the type of a joint.
HF_API hfStatus hf_builder_set_body(hfBuilder* b, int id, const hfBodyDef* def, hfError* error);
HF_API hfStatus hf_builder_set_joint(hfBuilder* b, int id, const hfJointDef* def, hfError* error);
HF_API hfStatus hf_builder_set_geom(hfBuilder* b, int id, const hfGeomDef* def, hfError* error);
HF_API hfStatus hf_builder_set_site(hfBuilder* b, int id, const hfSiteDef* def, hfError* error);
HF_API hfStatus hf_builder_set_camera(hfBuilder* b, int id, const hfCameraDef* def, hfError* error);
HF_API hfStatus hf_builder_set_tendon(hfBuilder* b, int id, const hfTendonDef* def, hfError* error);
HF_API hfStatus hf_builder_set_equality(hfBuilder* b, int id, const hfEqualityDef* def, hfError* error);
HF_API hfStatus hf_builder_set_pair(hfBuilder* b, int id, const hfPairDef* def, hfError* error);
HF_API hfStatus hf_builder_set_actuator(hfBuilder* b, int id, const hfActuatorDef* def, hfError* error);
HF_API hfStatus hf_builder_set_sensor(hfBuilder* b, int id, const hfSensorDef* def, hfError* error);
// Sets the world-wide values. It refuses values that no world has, and then the old ones stay. Values that are written through hf_builder_world are
// checked by hf_builder_finish.
HF_API hfStatus hf_builder_set_world(hfBuilder* b, const hfWorld* world, hfError* error);
// Removes an object with all that is in it and all that refers to it: with a body its subtree, with a joint the tendons, equalities, actuators and sensors on
// it, with a mesh its geoms, with one of the actuators of a DC motor or an orientation servo all of them. Keyframes lose its numbers. Ids of what stays have no gaps and
// keep their order: look them up again. Without its target a camera no longer turns. The world (body 0) and ids that do not exist are refused, and the
// builder is then as it was.
HF_API hfStatus hf_builder_remove(hfBuilder* b, hfObjectKind kind, int id, hfError* error);

// How one builder is attached to another.
typedef struct hfAttachDef {
  const char *prefix, *suffix; // added to all names that are attached; NULL: none
  int32_t parent;              // body that takes the place of the guest's world; 0: the world
  double pos[3], quat[4];      // pose of the guest's world in that body [m]
  const char* body;            // NULL: everything; else the subtree of this body of the guest
  const char* site;            // NULL: none; else a site of b, whose body is the parent and in whose frame pos and quat are
} hfAttachDef;
HF_API hfAttachDef hf_attach_def_default(void);
// Copies the definitions of `guest` into b: its tree with joints, geoms, sites, cameras, meshes and height fields, then contacts, tendons,
// equalities, actuators, sensors and keyframes. Objects that refer to a part of the guest which is not copied are left out. The world-wide values of
// b hold for both. The bodies of the guest keep its rules about inertia (hf_builder_config), except the total mass. In keyframes of b the guest's
// joints are at their reference, and in keyframes of the guest those of b are. On a refusal, for example of a name that both have, b is as it was.
HF_API hfStatus hf_builder_attach(hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error);

// Look-ups while building: id by name, or -1; name by id, "" where there is none. Sizes as they would be in the model (needed by keyframes).
HF_API int hf_builder_find(const hfBuilder* b, hfObjectKind kind, const char* name);
HF_API const char* hf_builder_name(const hfBuilder* b, hfObjectKind kind, int id);
HF_API int hf_builder_count(const hfBuilder* b, hfObjectKind kind);
// Range of a joint or tendon; 0 when it has none.
HF_API int hf_builder_range(const hfBuilder* b, hfObjectKind kind, int id, double range[2]);
HF_API void hf_builder_sizes(const hfBuilder* b, int* nq, int* nv, int* na, int* nu, int* nmocap);

// Validates everything and makes the model. The builder stays usable.
HF_API hfStatus hf_builder_finish(hfBuilder* b, hfModel** model, hfError* error);

#ifdef __cplusplus
}
#endif
#endif
