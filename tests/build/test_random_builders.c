// Random builders, in whose definitions some enumerations, ids and numbers are wild. What the builder accepts must be sound:
// a model that hf_builder_finish makes passes the checks of a block from outside and comes back from a file with the same bytes,
// and the builder can be written as MJCF, finished or not. With the sanitizers (./check --full) this also finds tables that are
// indexed by something that does not exist.
#include "support/cmocka_all.h"
#include "support/folder.h"
#include "support/random.h"

#include <holdfast/builder.h>
#include <holdfast/import.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILDERS = 10000 };

// ---- wild values -----------------------------------------------------------------------------------

// A field of whole numbers ('i') or numbers ('d') of a definition.
typedef struct Field {
  char type;
  size_t offset, bytes;
} Field;
#define I(Def, field) {'i', offsetof(Def, field), sizeof(((Def*)0)->field)}
#define D(Def, field) {'d', offsetof(Def, field), sizeof(((Def*)0)->field)}

static const Field body_fields[] = {
    I(hfBodyDef, parent), D(hfBodyDef, pos), D(hfBodyDef, quat), I(hfBodyDef, has_inertial), D(hfBodyDef, mass), D(hfBodyDef, com),
    D(hfBodyDef, inertia), D(hfBodyDef, inertia_quat), D(hfBodyDef, gravcomp), I(hfBodyDef, mocap), I(hfBodyDef, sleep), {0}};
static const Field joint_fields[] = {
    I(hfJointDef, body), I(hfJointDef, type), D(hfJointDef, pos), D(hfJointDef, axis), D(hfJointDef, pitch), I(hfJointDef, limited),
    D(hfJointDef, range), D(hfJointDef, margin), D(hfJointDef, ref), D(hfJointDef, springref), D(hfJointDef, stiffness),
    D(hfJointDef, springyield), D(hfJointDef, bend), D(hfJointDef, springdamper), D(hfJointDef, limit_stiffness),
    D(hfJointDef, limit_solref), I(hfJointDef, actfrclimited), D(hfJointDef, actfrcrange), I(hfJointDef, actgravcomp), {0}};
static const Field geom_fields[] = {
    I(hfGeomDef, body), I(hfGeomDef, type), I(hfGeomDef, mesh), I(hfGeomDef, hfield), D(hfGeomDef, pos), D(hfGeomDef, quat),
    D(hfGeomDef, size), D(hfGeomDef, mass), D(hfGeomDef, density), I(hfGeomDef, shell_inertia), I(hfGeomDef, mesh_fit),
    I(hfGeomDef, contype), I(hfGeomDef, condim), I(hfGeomDef, priority), I(hfGeomDef, group), D(hfGeomDef, friction),
    D(hfGeomDef, margin), D(hfGeomDef, solref), D(hfGeomDef, stiffness), D(hfGeomDef, restitution), D(hfGeomDef, adhesion),
    D(hfGeomDef, fitscale), I(hfGeomDef, fluid), D(hfGeomDef, fluidcoef), {0}};
static const Field site_fields[] = {I(hfSiteDef, body), I(hfSiteDef, type), D(hfSiteDef, pos), D(hfSiteDef, quat), D(hfSiteDef, size), {0}};
static const Field camera_fields[] = {
    I(hfCameraDef, body), I(hfCameraDef, mode), I(hfCameraDef, target), I(hfCameraDef, orthographic), I(hfCameraDef, resolution),
    D(hfCameraDef, pos), D(hfCameraDef, quat), D(hfCameraDef, fovy), D(hfCameraDef, sensorsize), D(hfCameraDef, focal), {0}};
static const Field mesh_fields[] = {
    I(hfMeshDef, nvert), I(hfMeshDef, ntri), I(hfMeshDef, nhulltri), I(hfMeshDef, inertia), I(hfMeshDef, max_hull_vert), {0}};
static const Field hfield_fields[] = {
    I(hfHeightFieldDef, nrow), I(hfHeightFieldDef, ncol), D(hfHeightFieldDef, half_size), D(hfHeightFieldDef, base), {0}};
static const Field tendon_fields[] = {
    I(hfTendonDef, count), I(hfTendonDef, path_count), I(hfTendonDef, limited), D(hfTendonDef, range), D(hfTendonDef, stiffness),
    D(hfTendonDef, armature), D(hfTendonDef, springlength), D(hfTendonDef, springyield), D(hfTendonDef, actfrcrange), {0}};
static const Field equality_fields[] = {
    I(hfEqualityDef, type), I(hfEqualityDef, objkind), I(hfEqualityDef, obj1), I(hfEqualityDef, obj2), I(hfEqualityDef, active),
    D(hfEqualityDef, data), D(hfEqualityDef, solref), D(hfEqualityDef, solimp), {0}};
static const Field pair_fields[] = {
    I(hfPairDef, geom1), I(hfPairDef, geom2), I(hfPairDef, condim), D(hfPairDef, friction), D(hfPairDef, margin), D(hfPairDef, adhesion), {0}};
static const Field actuator_fields[] = {
    I(hfActuatorDef, trntype), I(hfActuatorDef, trnid), I(hfActuatorDef, dyntype), I(hfActuatorDef, gaintype),
    I(hfActuatorDef, biastype), I(hfActuatorDef, drive), D(hfActuatorDef, dynprm), D(hfActuatorDef, gainprm),
    D(hfActuatorDef, biasprm), D(hfActuatorDef, muscle), D(hfActuatorDef, passive), D(hfActuatorDef, motor),
    I(hfActuatorDef, inputs), D(hfActuatorDef, lengthrange), D(hfActuatorDef, dampratio), I(hfActuatorDef, ctrllimited),
    I(hfActuatorDef, forcelimited), I(hfActuatorDef, actlimited), D(hfActuatorDef, ctrlrange), D(hfActuatorDef, forcerange),
    D(hfActuatorDef, gear), D(hfActuatorDef, cranklength), D(hfActuatorDef, delay), I(hfActuatorDef, nsample),
    I(hfActuatorDef, interp), I(hfActuatorDef, group), I(hfActuatorDef, signal), I(hfActuatorDef, signal_count), {0}};
static const Field sensor_fields[] = {
    I(hfSensorDef, type), I(hfSensorDef, objkind), I(hfSensorDef, obj), I(hfSensorDef, refkind), I(hfSensorDef, ref),
    D(hfSensorDef, cutoff), D(hfSensorDef, noise), I(hfSensorDef, data), I(hfSensorDef, num), I(hfSensorDef, reduce),
    I(hfSensorDef, subtree), D(hfSensorDef, delay), D(hfSensorDef, interval), I(hfSensorDef, nsample), I(hfSensorDef, interp), {0}};
static const Field world_fields[] = {
    D(hfWorld, timestep), D(hfWorld, gravity), D(hfWorld, density), D(hfWorld, stiffness), D(hfWorld, stiction_speed), I(hfWorld, method),
    I(hfWorld, friction), I(hfWorld, friction_rule), I(hfWorld, filter_parent), I(hfWorld, disabled_groups), I(hfWorld, sleep), {0}};
static const Field config_fields[] = {
    I(hfBuildConfig, inertia_from_geom), I(hfBuildConfig, inertia_group_min), D(hfBuildConfig, bound_mass),
    D(hfBuildConfig, bound_inertia), I(hfBuildConfig, balance_inertia), D(hfBuildConfig, total_mass), {0}};

static int32_t wild_int(testRandom* r) {
  const int32_t values[] = {-1, -2, 0, 1, 2, 3, 99, 1000, INT_MAX, INT_MIN, random_int(r, 12), random_int(r, 300), (int32_t)random_bits(r)};
  return values[random_int(r, sizeof values / sizeof *values)];
}

static double wild_number(testRandom* r) {
  const double values[] = {NAN, INFINITY, -INFINITY, 0, -1, 1, 1e300, -1e300, 1e-300, random_normal(r), random_log(r, 1e-6, 1e6)};
  return values[random_int(r, sizeof values / sizeof *values)];
}

// Makes one number of a definition wild, in every fourth definition.
static void spoil(testRandom* r, void* def, const Field* fields) {
  if (!random_chance(r, 0.25)) return;

  int n = 0;
  while (fields[n].type) ++n;
  const Field* f = &fields[random_int(r, n)];
  if (f->type == 'i') {
    int32_t* x = (int32_t*)((char*)def + f->offset);
    x[random_int(r, (int)(f->bytes / sizeof *x))] = wild_int(r);
  } else {
    double* x = (double*)((char*)def + f->offset);
    x[random_int(r, (int)(f->bytes / sizeof *x))] = wild_number(r);
  }
}

// ---- definitions -----------------------------------------------------------------------------------

// An object of the kind, or 0 if there is none.
static int any(const hfBuilder* b, testRandom* r, hfObjectKind kind) {
  int n = hf_builder_count(b, kind);
  return n ? random_int(r, n) : 0;
}

// NULL, or a name that others may have, or one that cannot be shown.
static const char* any_name(testRandom* r) {
  static const char* const names[] = {"a", "b", "c", "", "k\xc3\xb6rper", "esc\x1b[31m", "c1\xc2\x9b", "latin\xe9", "cut\xc3", "long\xc0\x80"};
  return random_chance(r, 0.9) ? NULL : names[random_int(r, sizeof names / sizeof *names)];
}

static void add_tree(hfBuilder* b, testRandom* r) {
  hfBodyDef body = hf_body_def_default();
  body.name = any_name(r);
  body.parent = any(b, r, HF_OBJECT_BODY);
  body.mocap = body.parent == 0 && random_chance(r, 0.1);
  spoil(r, &body, body_fields);
  int id = hf_builder_add_body(b, &body, NULL);
  if (id < 0) id = any(b, r, HF_OBJECT_BODY);

  hfJointDef joint = hf_joint_def_default();
  joint.name = any_name(r);
  joint.body = id;
  joint.type = random_int(r, 5);
  joint.armature = 0.1;
  spoil(r, &joint, joint_fields);
  hf_builder_add_joint(b, &joint, NULL);

  hfGeomDef geom = hf_geom_def_default();
  geom.name = any_name(r);
  geom.body = id;
  geom.type = random_int(r, HF_GEOM_HFIELD + 1);
  geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
  if (geom.type == HF_GEOM_MESH) geom.mesh = any(b, r, HF_OBJECT_MESH);
  if (geom.type == HF_GEOM_HFIELD) geom.hfield = any(b, r, HF_OBJECT_HFIELD);
  spoil(r, &geom, geom_fields);
  hf_builder_add_geom(b, &geom, NULL);

  hfSiteDef site = hf_site_def_default();
  site.body = id;
  spoil(r, &site, site_fields);
  hf_builder_add_site(b, &site, NULL);
}

static void add_asset(hfBuilder* b, testRandom* r) {
  static const double vert[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int32_t tri[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const double height[] = {0, 0.1, 0.2, 0, 0.1, 0, 0, 0, 0.3};
  hfMeshDef mesh = hf_mesh_def_default();
  mesh.nvert = 4;
  mesh.ntri = mesh.nhulltri = 4;
  mesh.vert = vert;
  mesh.tri = mesh.hulltri = tri;
  mesh.inertia = random_int(r, 4);
  spoil(r, &mesh, mesh_fields);
  // its arrays are as long as its counts say
  if (mesh.nvert <= 4 && mesh.ntri <= 4 && mesh.nhulltri <= 4) hf_builder_add_mesh(b, &mesh, NULL);

  hfHeightFieldDef field = hf_height_field_def_default();
  field.nrow = field.ncol = 3;
  field.height = height;
  spoil(r, &field, hfield_fields);
  if ((int64_t)field.nrow * field.ncol <= 9) hf_builder_add_height_field(b, &field, NULL);
}

static void add_camera(hfBuilder* b, testRandom* r) {
  hfCameraDef camera = hf_camera_def_default();
  camera.body = any(b, r, HF_OBJECT_BODY);
  camera.mode = random_int(r, 5);
  if (camera.mode >= HF_CAMERA_TARGET) camera.target = any(b, r, HF_OBJECT_BODY);
  spoil(r, &camera, camera_fields);
  hf_builder_add_camera(b, &camera, NULL);
}

static void add_tendon(hfBuilder* b, testRandom* r) {
  hfTendonDef tendon = hf_tendon_def_default();
  int32_t joint[2];
  double coef[2] = {1, random_normal(r)};
  hfWrapDef path[4];
  for (int i = 0; i < 2; ++i) joint[i] = random_chance(r, 0.1) ? wild_int(r) : any(b, r, HF_OBJECT_JOINT);
  for (int i = 0; i < 4; ++i) {
    path[i] = (hfWrapDef){.type = i == 1 ? HF_WRAP_GEOM : HF_WRAP_SITE, .side = -1, .divisor = 1};
    path[i].obj = any(b, r, i == 1 ? HF_OBJECT_GEOM : HF_OBJECT_SITE);
    if (random_chance(r, 0.1)) path[i].type = wild_int(r);
    if (random_chance(r, 0.1)) path[i].obj = wild_int(r);
    if (random_chance(r, 0.1)) path[i].side = wild_int(r);
  }
  int is_spatial = random_chance(r, 0.5);
  tendon.count = is_spatial ? 0 : 1 + random_int(r, 2);
  tendon.path_count = is_spatial ? 2 + random_int(r, 3) : 0;
  tendon.joint = joint;
  tendon.coef = coef;
  tendon.path = path;
  spoil(r, &tendon, tendon_fields);
  if (tendon.count <= 2 && tendon.path_count <= 4) hf_builder_add_tendon(b, &tendon, NULL);
}

static void add_equality(hfBuilder* b, testRandom* r) {
  hfEqualityDef equality = hf_equality_def_default();
  static const hfObjectKind kinds[] = {HF_OBJECT_BODY, HF_OBJECT_SITE, HF_OBJECT_JOINT, HF_OBJECT_TENDON};
  equality.type = random_int(r, 4);
  equality.objkind = (int32_t)kinds[random_int(r, 4)];
  hfObjectKind kind = (hfObjectKind)equality.objkind;
  if (equality.type == HF_EQUALITY_JOINT) kind = HF_OBJECT_JOINT;
  if (equality.type == HF_EQUALITY_TENDON) kind = HF_OBJECT_TENDON;
  equality.obj1 = any(b, r, kind);
  equality.obj2 = random_chance(r, 0.7) ? any(b, r, kind) : -1;
  spoil(r, &equality, equality_fields);
  hf_builder_add_equality(b, &equality, NULL);

  hfPairDef pair = hf_pair_def_default();
  pair.geom1 = any(b, r, HF_OBJECT_GEOM);
  pair.geom2 = any(b, r, HF_OBJECT_GEOM);
  spoil(r, &pair, pair_fields);
  hf_builder_add_pair(b, &pair, NULL);
  hf_builder_add_exclude(b, wild_int(r), any(b, r, HF_OBJECT_BODY), NULL);
}

static void add_actuator(hfBuilder* b, testRandom* r) {
  static const hfObjectKind targets[] = {HF_OBJECT_JOINT, HF_OBJECT_JOINT, HF_OBJECT_TENDON,
                                         HF_OBJECT_SITE,  HF_OBJECT_BODY,  HF_OBJECT_SITE};
  static const double numbers[] = {1, 0, 0, 1, 2, 3, 4, 5, 6, 7};
  hfActuatorDef actuator = hf_actuator_def_default();
  actuator.name = any_name(r);
  actuator.trntype = random_int(r, 6);
  actuator.trnid[0] = any(b, r, targets[actuator.trntype]);
  actuator.dyntype = random_int(r, HF_ACTIVATION_MOTOR + 1);
  actuator.gaintype = random_int(r, HF_GAIN_ORIENTATION + 1);
  actuator.biastype = random_int(r, HF_BIAS_MUSCLE + 1);
  actuator.lengthrange[1] = 1;
  if (actuator.gaintype == HF_GAIN_MOTOR) {
    actuator.dyntype = HF_ACTIVATION_NONE;
    actuator.biastype = HF_BIAS_NONE;
    actuator.motor[HF_MOTOR_RESISTANCE] = actuator.motor[HF_MOTOR_CONSTANT] = 1;
    actuator.inputs = random_int(r, 16);
  }
  if (random_chance(r, 0.2)) {
    actuator.signal = random_int(r, HF_SIGNAL_FEEDBACK + 1);
    actuator.signal_count = random_int(r, 10);
    actuator.signal_data = numbers;
  }
  spoil(r, &actuator, actuator_fields);
  if (!actuator.signal_data || actuator.signal_count <= 10) hf_builder_add_actuator(b, &actuator, NULL);
}

static void add_sensor(hfBuilder* b, testRandom* r) {
  hfSensorDef sensor = hf_sensor_def_default();
  sensor.type = random_int(r, HF_SENSOR_TYPES);
  sensor.objkind = random_int(r, HF_OBJECT_KINDS);
  sensor.obj = any(b, r, (hfObjectKind)sensor.objkind);
  if (random_chance(r, 0.5)) {
    sensor.refkind = random_int(r, HF_OBJECT_KINDS);
    sensor.ref = any(b, r, (hfObjectKind)sensor.refkind);
  }
  spoil(r, &sensor, sensor_fields);
  hf_builder_add_sensor(b, &sensor, NULL);
}

// Replaces a definition by a spoiled one, which may take from others what they need.
static void change_one(hfBuilder* b, testRandom* r) {
  int geom = any(b, r, HF_OBJECT_GEOM);
  int actuator = any(b, r, HF_OBJECT_ACTUATOR);
  int sensor = any(b, r, HF_OBJECT_SENSOR);
  int body = any(b, r, HF_OBJECT_BODY);
  if (hf_builder_geom(b, geom)) {
    hfGeomDef d = *hf_builder_geom(b, geom);
    spoil(r, &d, geom_fields);
    hf_builder_set_geom(b, geom, &d, NULL);
  }
  if (hf_builder_actuator(b, actuator)) {
    hfActuatorDef d = *hf_builder_actuator(b, actuator);
    int count = d.signal_count;
    spoil(r, &d, actuator_fields);
    if (d.signal_count <= count) hf_builder_set_actuator(b, actuator, &d, NULL);
  }
  if (hf_builder_sensor(b, sensor)) {
    hfSensorDef d = *hf_builder_sensor(b, sensor);
    spoil(r, &d, sensor_fields);
    hf_builder_set_sensor(b, sensor, &d, NULL);
  }
  hfBodyDef d = *hf_builder_body(b, body);
  spoil(r, &d, body_fields);
  hf_builder_set_body(b, body, &d, NULL);
  if (random_chance(r, 0.3)) {
    hfObjectKind kind = (hfObjectKind)random_int(r, HF_OBJECT_KINDS);
    hf_builder_remove(b, kind, any(b, r, kind), NULL);
  }
}

static hfBuilder* make_builder(testRandom* r) {
  static void (*const additions[])(hfBuilder*, testRandom*) = {add_tree, add_tree, add_asset, add_camera, add_tendon,
                                                               add_equality, add_actuator, add_sensor, change_one};
  hfBuilder* b = hf_builder_create();
  assert_non_null(b);
  add_tree(b, r);
  for (int n = 1 + random_int(r, 8); n > 0; --n) additions[random_int(r, sizeof additions / sizeof *additions)](b, r);
  if (random_chance(r, 0.1)) spoil(r, hf_builder_world(b), world_fields);
  if (random_chance(r, 0.1)) spoil(r, hf_builder_config(b), config_fields);
  return b;
}

// ---- the property ----------------------------------------------------------------------------------

// A model comes back from its file with the same bytes.
static void check_file(const hfModel* m, int seed) {
  hfModel* back = NULL;
  hfError error;
  if (hf_model_write(m, "model.hfm", &error) != HF_OK || hf_model_read(&back, "model.hfm", &error) != HF_OK)
    fail_msg("seed %d: %s", seed, error.message);
  if (back->size != m->size || memcmp(back, m, (size_t)m->size) != 0)
    fail_msg("seed %d: the model comes back from its file with other bytes", seed);
  hf_model_free(back);
}

static void test_accepted_builders_make_sound_models(void** state) {
  (void)state;
  enum { SAVED = 50 }; // every so many models are saved, because a file that is kept safe on the disk takes time
  int accepted = 0;
  for (int seed = 1; seed <= BUILDERS; ++seed) {
    testRandom r = {(uint64_t)seed};
    hfBuilder* b = make_builder(&r);
    hf_builder_write_mjcf(b, "/dev/null", NULL);

    hfModel* m = NULL;
    hfError error;
    if (hf_builder_finish(b, &m, &error) == HF_OK) {
      if (hf_model_validate(m, (size_t)m->size, &error) != HF_OK)
        fail_msg("seed %d: the builder accepts a model that is refused as a block: %s", seed, error.message);
      if (accepted++ % SAVED == 0) check_file(m, seed);
    } else {
      assert_null(m);
      assert_true(error.message[0] != 0);
    }
    hf_model_free(m);
    hf_builder_free(b);
  }
  print_message("%d of %d random builders were accepted\n", accepted, BUILDERS);
  assert_above(accepted, BUILDERS / 5);
}

// ---- single refusals -------------------------------------------------------------------------------

// A builder with a hinge, on which an actuator and an equality can be.
static hfBuilder* make_hinge(void) {
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  hfJointDef joint = hf_joint_def_default();
  joint.body = hf_builder_add_body(b, &body, NULL);
  joint.armature = 1;
  assert_int_equal(hf_builder_add_joint(b, &joint, NULL), 0);
  return b;
}

static void test_activations_that_do_not_exist_are_refused(void** state) {
  (void)state;
  static const int32_t wild[] = {-1, HF_ACTIVATION_MOTOR + 1, 99, 127, INT_MAX, INT_MIN};
  hfBuilder* b = make_hinge();
  hfError error;
  hfActuatorDef d = hf_actuator_def_default();
  d.name = "drive";
  assert_int_equal(hf_builder_add_actuator(b, &d, &error), 0);
  for (size_t i = 0; i < sizeof wild / sizeof *wild; ++i) {
    d.dyntype = wild[i];
    d.name = "other";
    assert_int_equal(hf_builder_add_actuator(b, &d, &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, "actuator \"other\": activation"));
    assert_int_equal(hf_builder_set_actuator(b, 0, &d, &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, "actuator \"drive\": activation"));
  }
  assert_int_equal(hf_builder_actuator(b, 0)->dyntype, HF_ACTIVATION_NONE);
  hf_builder_free(b);
}

static void test_equalities_of_types_and_kinds_that_do_not_exist_are_refused(void** state) {
  (void)state;
  hfBuilder* b = make_hinge();
  hfError error;
  hfEqualityDef d = hf_equality_def_default();
  d.obj1 = 1;
  d.type = 99;
  assert_int_equal(hf_builder_add_equality(b, &d, &error), HF_ERROR_MODEL);
  d.type = HF_EQUALITY_CONNECT;
  d.objkind = HF_OBJECT_JOINT;
  d.obj1 = 0;
  assert_int_equal(hf_builder_add_equality(b, &d, &error), HF_ERROR_MODEL);
  d.objkind = 1000;
  assert_int_equal(hf_builder_add_equality(b, &d, &error), HF_ERROR_MODEL);
  hf_builder_free(b);
}

// A change may take from another object what it needs: finish notices, and names the object that lost it.
static void test_a_tendon_around_what_is_no_sphere_any_more_is_refused(void** state) {
  (void)state;
  hfBuilder* b = make_hinge();
  hfError error;
  hfSiteDef site = hf_site_def_default();
  site.pos[0] = 1;
  assert_int_equal(hf_builder_add_site(b, &site, &error), 0);
  site.pos[0] = -1;
  assert_int_equal(hf_builder_add_site(b, &site, &error), 1);
  hfGeomDef geom = hf_geom_def_default();
  geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
  assert_int_equal(hf_builder_add_geom(b, &geom, &error), 0);
  const hfWrapDef path[] = {{.type = HF_WRAP_SITE, .obj = 0, .side = -1},
                            {.type = HF_WRAP_GEOM, .obj = 0, .side = -1},
                            {.type = HF_WRAP_SITE, .obj = 1, .side = -1}};
  hfTendonDef tendon = hf_tendon_def_default();
  tendon.name = "thread";
  tendon.path_count = 3;
  tendon.path = path;
  assert_int_equal(hf_builder_add_tendon(b, &tendon, &error), 0);

  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  hf_model_free(m);
  m = NULL;
  geom.type = HF_GEOM_BOX;
  assert_int_equal(hf_builder_set_geom(b, 0, &geom, &error), HF_OK);
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "tendon \"thread\": can wrap around a sphere or cylinder"));
  assert_null(m);
  hf_builder_free(b);
}

static void test_names_that_no_model_has_are_refused(void** state) {
  (void)state;
  static const char* const wild[] = {"esc\x1b]0;title\x07", "bell\x07", "latin\xe9", "cut\xe2\x82", "long\xc0\x80", "\xed\xa0\x80", "\xef\xbf\xbf"};
  static const char* const sound[] = {"k\xc3\xb6rper", "\xe6\x89\x8b", "\xf0\x9f\xa6\xbe", "line\nbreak", "a b"};
  hfError error;
  for (size_t i = 0; i < sizeof wild / sizeof *wild; ++i) {
    hfBuilder* b = hf_builder_create();
    hfBodyDef d = hf_body_def_default();
    hfModel* m = NULL;
    d.name = wild[i];
    assert_int_equal(hf_builder_add_body(b, &d, &error), 1);
    assert_int_equal(hf_builder_finish(b, &m, &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, "body 1: its name"));
    assert_null(strstr(error.message, wild[i]));
    assert_null(m);
    hf_builder_free(b);
  }

  hfBuilder* b = hf_builder_create();
  hfBodyDef d = hf_body_def_default();
  for (size_t i = 0; i < sizeof sound / sizeof *sound; ++i) {
    d.name = sound[i];
    assert_int_equal(hf_builder_add_body(b, &d, &error), (int)i + 1);
  }

  // the same in a block from outside
  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  assert_int_equal(hf_model_validate(m, (size_t)m->size, &error), HF_OK);
  char* name = (char*)(uintptr_t)hf_model_name(m, HF_OBJECT_BODY, 5);
  assert_string_equal(name, "a b");
  name[1] = 0x1b;
  assert_int_equal(hf_model_validate(m, (size_t)m->size, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "name of body 5"));
  hf_model_free(m);
  hf_builder_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accepted_builders_make_sound_models),
      cmocka_unit_test(test_activations_that_do_not_exist_are_refused),
      cmocka_unit_test(test_equalities_of_types_and_kinds_that_do_not_exist_are_refused),
      cmocka_unit_test(test_a_tendon_around_what_is_no_sphere_any_more_is_refused),
      cmocka_unit_test(test_names_that_no_model_has_are_refused),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
