// The builder: orders, inertias against closed forms, refusals, overlays, files.
#include "support/cmocka_all.h"

#include <holdfast/builder.h>
#include <holdfast/state.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int add_body(hfBuilder* b, const char* name, int parent) {
  hfBodyDef d = hf_body_def_default();
  d.name = name, d.parent = parent;
  int id = hf_builder_add_body(b, &d, NULL);
  assert_above(id, 0);
  return id;
}

static int add_hinge(hfBuilder* b, const char* name, int body) {
  hfJointDef d = hf_joint_def_default();
  d.name = name, d.body = body;
  int id = hf_builder_add_joint(b, &d, NULL);
  assert_at_least(id, 0);
  return id;
}

static int add_geom(hfBuilder* b, int body, int type, double s0, double s1, double s2) {
  hfGeomDef d = hf_geom_def_default();
  d.body = body, d.type = type, d.size[0] = s0, d.size[1] = s1, d.size[2] = s2;
  int id = hf_builder_add_geom(b, &d, NULL);
  assert_at_least(id, 0);
  return id;
}

static hfModel* finish(hfBuilder* b) {
  hfModel* m = NULL;
  hfError error;
  if (hf_builder_finish(b, &m, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  return m;
}

// Bodies added breadth-first come out depth-first, with everything that refers to them.
static void test_depth_first_order(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  int a = add_body(b, "a", 0), c = add_body(b, "c", 0), a1 = add_body(b, "a1", a),
      c1 = add_body(b, "c1", c);
  const int bodies[] = {c1, a1, c, a};
  const char* joints[] = {"jc1", "ja1", "jc", "ja"};
  for (int i = 0; i < 4; ++i) {
    add_hinge(b, joints[i], bodies[i]);
    add_geom(b, bodies[i], HF_GEOM_SPHERE, 0.1 * (i + 1), 0, 0);
  }
  hfModel* m = finish(b);
  const char* expected[] = {"world", "a", "a1", "c", "c1"};
  for (int i = 0; i < 5; ++i) assert_string_equal(hf_model_name(m, HF_OBJECT_BODY, i), expected[i]);
  assert_string_equal(hf_model_name(m, HF_OBJECT_JOINT, 1), "ja1");
  assert_int_equal(m->ntree, 2);
  assert_int_equal(hf_model_dof_parent(m)[1], 0);
  assert_int_equal(hf_model_dof_parent(m)[2], -1);
  assert_int_equal(hf_model_body_subtreeend(m)[1], 3);
  assert_int_equal(m->nM, 6);
  assert_int_equal(hf_model_M_col(m)[hf_model_dof_Madr(m)[3]], 2);
  assert_float_equal(hf_model_geom_size(m)[0], 0.4, 0);
  hf_model_free(m);
}

// Two half-size boxes glued together have the inertia of the whole box: independent of the sum rule.
static void test_inertia_of_halves(void** state) {
  (void)state;
  double I[2][6], mass[2];
  for (int k = 0; k < 2; ++k) {
    hfBuilder* b = hf_builder_create();
    int body = add_body(b, "box", 0);
    hfJointDef j = hf_joint_def_default();
    j.body = body, j.type = HF_JOINT_FREE;
    assert_at_least(hf_builder_add_joint(b, &j, NULL), 0);
    if (k == 0)
      add_geom(b, body, HF_GEOM_BOX, 0.2, 0.3, 0.1);
    else
      for (int s = -1; s <= 1; s += 2) {
        hfGeomDef g = hf_geom_def_default();
        g.body = body, g.type = HF_GEOM_BOX, g.pos[0] = 0.1 * s;
        // the half is turned about z: its sizes swap
        g.quat[0] = g.quat[3] = sqrt(0.5);
        g.size[0] = 0.3, g.size[1] = 0.1, g.size[2] = 0.1;
        assert_at_least(hf_builder_add_geom(b, &g, NULL), 0);
      }
    hfModel* m = finish(b);
    memcpy(I[k], hf_model_body_inertia(m) + 6, sizeof I[k]);
    mass[k] = hf_model_body_mass(m)[1];
    hf_model_free(m);
  }
  assert_float_equal(mass[0], 1000 * 8 * 0.2 * 0.3 * 0.1, 1e-12);
  assert_float_equal(mass[1], mass[0], 1e-12);
  for (int i = 0; i < 6; ++i)
    assert_float_equal(I[1][i], I[0][i], 1e-13); // rounding of values near 1
  assert_float_equal(I[0][0], 48.0 * (0.09 + 0.01) / 3, 1e-13);
}

// Unit-mass moments of primitives against an independent quadrature over the body.
static void test_primitive_inertia_by_quadrature(void** state) {
  (void)state;
  enum { N = 60 };
  const struct {
    int type;
    double s[3];
  } shapes[] = {{HF_GEOM_CAPSULE, {0.3, 0.5, 0}},
                {HF_GEOM_CYLINDER, {0.3, 0.5, 0}},
                {HF_GEOM_ELLIPSOID, {0.3, 0.5, 0.7}},
                {HF_GEOM_SPHERE, {0.4, 0, 0}}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
    double r = shapes[k].s[0], l = shapes[k].s[1], volume = 0, P[3] = {0};
    const double ext = 1.0, h = 2 * ext / N;
    for (int ix = 0; ix < N; ++ix)
      for (int iy = 0; iy < N; ++iy)
        for (int iz = 0; iz < N; ++iz) {
          double x = -ext + h * (ix + 0.5), y = -ext + h * (iy + 0.5), z = -ext + h * (iz + 0.5),
                 rho = x * x + y * y;
          double beyond = fabs(z) > l ? fabs(z) - l : 0;
          int in = shapes[k].type == HF_GEOM_CAPSULE    ? rho + beyond * beyond < r * r
                   : shapes[k].type == HF_GEOM_CYLINDER ? rho < r * r && fabs(z) < l
                   : shapes[k].type == HF_GEOM_SPHERE
                       ? rho + z * z < r * r
                       : x * x / 0.09 + y * y / 0.25 + z * z / 0.49 < 1;
          if (in)
            volume += h * h * h, P[0] += h * h * h * x * x, P[1] += h * h * h * y * y,
                P[2] += h * h * h * z * z;
        }
    hfBuilder* b = hf_builder_create();
    int body = add_body(b, "x", 0);
    add_hinge(b, "j", body);
    add_geom(b, body, shapes[k].type, shapes[k].s[0], shapes[k].s[1], shapes[k].s[2]);
    hfModel* m = finish(b);
    // the grid's error at curved surfaces is about h relative to the size, averaged down: 3 %
    assert_float_equal(hf_model_body_mass(m)[1], 1000 * volume, 0.03 * 1000 * volume);
    for (int i = 0; i < 3; ++i) {
      double want = 1000 * (P[(i + 1) % 3] + P[(i + 2) % 3]);
      assert_float_equal(hf_model_body_inertia(m)[6 + i], want, 0.03 * want);
    }
    hf_model_free(m);
  }
}

static void test_refusals_name_the_culprit(void** state) {
  (void)state;
  hfError error;
  hfBuilder* b = hf_builder_create();
  int body = add_body(b, "cup", 0);
  hfBodyDef again = hf_body_def_default();
  again.name = "cup", again.where = "scene.xml:7";
  assert_below(hf_builder_add_body(b, &again, &error), 0);
  assert_string_equal(error.message, "scene.xml:7: body \"cup\": name is used already");
  hfJointDef j = hf_joint_def_default();
  j.name = "turn", j.body = body, j.axis[2] = 0;
  assert_below(hf_builder_add_joint(b, &j, &error), 0);
  assert_non_null(strstr(error.message, "axis has no direction"));
  hfGeomDef g = hf_geom_def_default();
  g.body = body, g.size[0] = NAN;
  assert_below(hf_builder_add_geom(b, &g, &error), 0);
  g.size[0] = 1, g.condim = 2;
  assert_below(hf_builder_add_geom(b, &g, &error), 0);
  assert_non_null(strstr(error.message, "condim"));
  add_hinge(b, "ok", body); // no mass anywhere: the joint moves nothing
  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_ERROR_MODEL);
  assert_null(m);
  assert_non_null(strstr(error.message, "body \"cup\": joint \"ok\" moves no inertia"));
  hf_builder_free(b);
}

// A definition has numbers only, and the message names the field of one that is none, with its file and line: a time constant of a spring, or the
// lengths of an actuator that is no muscle, were NaN without a word, and other messages said "a value".
static void test_every_number_is_one(void** state) {
  (void)state;
  for (int k = 0; k < 12; ++k) {
    hfBuilder* b = hf_builder_create();
    hfBodyDef body = hf_body_def_default();
    hfJointDef joint = hf_joint_def_default();
    hfGeomDef geom = hf_geom_def_default();
    hfTendonDef tendon = hf_tendon_def_default();
    hfEqualityDef equality = hf_equality_def_default();
    hfActuatorDef actuator = hf_actuator_def_default();
    hfModel* m = NULL;
    hfError error;
    int32_t id = 0;
    double coef = 1;
    joint.body = geom.body = 1, joint.type = HF_JOINT_HINGE, geom.type = HF_GEOM_SPHERE, geom.size[0] = 0.1;
    tendon.count = 1, tendon.joint = &id, tendon.coef = &coef;
    equality.type = HF_EQUALITY_JOINT, equality.objkind = HF_OBJECT_JOINT, equality.obj1 = 0, equality.obj2 = -1;
    actuator.trntype = HF_TRANSMISSION_JOINT, actuator.trnid[0] = 0, actuator.forcerange[1] = INFINITY;
    body.where = joint.where = geom.where = tendon.where = equality.where = actuator.where = "scene.xml:7";
    double* const number[] = {NULL, &tendon.frictionloss, &tendon.armature, &equality.solref[1], &joint.actfrcrange[1], &geom.solimp[2], &joint.springdamper[0],
                              &joint.damping, &actuator.lengthrange[1], &actuator.ctrlrange[0], &actuator.motor[3], &body.inertia[5]};
    static const char* const name[] = {NULL, "frictionloss is", "armature is", "solref[1] is", "actfrcrange[1] is", "solimp[2] is", "springdamper[0] is",
                                       "damping is", "lengthrange[1] is", "ctrlrange[0] is", "motor[3] is", "inertia[5] is"};
    if (k) *number[k] = NAN;
    int added = hf_builder_add_body(b, &body, &error) == 1 && hf_builder_add_joint(b, &joint, &error) == 0 && hf_builder_add_geom(b, &geom, &error) == 0 &&
                hf_builder_add_tendon(b, &tendon, &error) == 0 && hf_builder_add_equality(b, &equality, &error) == 0 &&
                hf_builder_add_actuator(b, &actuator, &error) == 0;
    if (k) {
      assert_false(added);
      assert_int_equal(error.status, HF_ERROR_NONFINITE);
      assert_ptr_equal(strstr(error.message, "scene.xml:7: "), error.message);
      assert_non_null(strstr(error.message, name[k]));
    } else {
      assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
    }
    hf_model_free(m);
    hf_builder_free(b);
  }
}

// An equality of an object with itself says nothing, or says that a joint cannot move. MuJoCo refuses it, too. A refused change leaves the equality as
// it was.
static void test_equalities_with_themselves(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  int body = add_body(b, "rod", 0), joint = add_hinge(b, "pivot", body);
  hfEqualityDef good = hf_equality_def_default(), same;
  hfError error;
  good.type = HF_EQUALITY_CONNECT, good.objkind = HF_OBJECT_BODY, good.obj1 = body, good.obj2 = -1; // with the world
  int id = hf_builder_add_equality(b, &good, &error);
  assert_int_equal(id, 0);
  same = good, same.obj2 = body;
  assert_int_equal(hf_builder_add_equality(b, &same, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "connects the body \"rod\" with itself"));
  assert_int_equal(hf_builder_set_equality(b, id, &same, &error), HF_ERROR_MODEL);
  assert_int_equal(hf_builder_equality(b, id)->obj2, -1);
  same.type = HF_EQUALITY_WELD, same.obj1 = 0, same.obj2 = -1;
  assert_int_equal(hf_builder_add_equality(b, &same, &error), HF_ERROR_MODEL);
  same.type = HF_EQUALITY_JOINT, same.objkind = HF_OBJECT_JOINT, same.obj1 = same.obj2 = joint;
  assert_int_equal(hf_builder_add_equality(b, &same, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "connects the joint \"pivot\" with itself"));
  same.obj2 = -1; // the joint alone, held at a number
  assert_int_equal(hf_builder_add_equality(b, &same, &error), 1);
  hf_builder_free(b);
}

static hfModel* make_pendulum(void) {
  hfBuilder* b = hf_builder_create();
  int body = add_body(b, "rod", 0);
  add_hinge(b, "pivot", body);
  hfGeomDef g = hf_geom_def_default();
  g.body = body, g.type = HF_GEOM_CAPSULE, g.size[0] = 0.05, g.size[1] = 0.5, g.pos[0] = 0.5,
  g.mass = 2;
  assert_at_least(hf_builder_add_geom(b, &g, NULL), 0);
  return finish(b);
}

// World-wide values that make no world; a method of -1 means that of the scene, so that a scene cannot have it.
static void test_refused_worlds(void** state) {
  (void)state;
  hfBuilder* first = hf_builder_create();
  const hfWorld good = *hf_builder_world(first);
  hf_builder_free(first);
  hfWorld bad[] = {good, good, good, good, good, good, good, good, good, good};
  bad[0].method = -1, bad[1].method = 99, bad[2].friction = -1, bad[3].friction_rule = 2;
  bad[4].timestep = -1, bad[5].gravity[1] = NAN, bad[6].tangential_ratio = INFINITY;
  bad[7].tangential_ratio = 0, bad[8].stiction_speed = 0, bad[9].impratio = 0; // Without them there is no friction or no law of contact.
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    hfBuilder* b = hf_builder_create();
    hfModel* m = NULL;
    hfError error;
    unsigned char before[sizeof(hfWorld)];
    memcpy(before, hf_builder_world(b), sizeof before);
    assert_below(hf_builder_set_world(b, &bad[i], &error), 0);
    assert_non_null(strstr(error.message, "the world's"));
    assert_memory_equal(hf_builder_world(b), before, sizeof before);
    *hf_builder_world(b) = bad[i];
    assert_below(hf_builder_finish(b, &m, &error), 0);
    assert_non_null(strstr(error.message, "the world's"));
    assert_null(m);
    hf_builder_free(b);
  }
}

// Geoms without stiffness, or without the slip speed at which friction is full: the laws divide by these. Negative values stand for the world's.
static void test_refused_materials(void** state) {
  (void)state;
  hfGeomDef def = hf_geom_def_default();
  def.type = HF_GEOM_SPHERE, def.size[0] = 0.1, def.name = "pad";
  double* values[] = {&def.stiffness, &def.tangential_stiffness, &def.stiction_speed};
  const char* says[] = {"geom \"pad\": stiffness must be positive", "geom \"pad\": tangential_stiffness must be positive",
                        "geom \"pad\": stiction_speed must be positive"};
  for (int i = 0; i < 3; ++i) {
    hfBuilder* b = hf_builder_create();
    hfError error;
    *values[i] = 0;
    assert_int_equal(hf_builder_add_geom(b, &def, &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, says[i]));
    *values[i] = -1;
    assert_at_least(hf_builder_add_geom(b, &def, &error), 0);
    hf_builder_free(b);
  }
}

// M at qpos0 of a hinge about z through the origin: Izz about the pivot.
static void test_reference_mass(void** state) {
  (void)state;
  hfModel* m = make_pendulum();
  const double* I = hf_model_body_inertia(m) + 6;
  assert_float_equal(hf_model_dof_M0(m)[0], I[2] + 2 * 0.25, 1e-14);
  hf_model_free(m);
}

static void test_params_overlay(void** state) {
  (void)state;
  hfModel* m = make_pendulum();
  hfParams* p = NULL;
  assert_int_equal(hf_params_create(&p, m, NULL), HF_OK);
  const hfModel* o = hf_params_model(p);
  assert_ptr_equal(hf_model_body_parent(o), hf_model_body_parent(m));
  assert_ptr_not_equal(hf_model_body_mass(o), hf_model_body_mass(m));
  assert_null(hf_params_field(p, HF_FIELD_body_parent));
  double* mass = hf_params_field(p, HF_FIELD_body_mass);
  mass[1] = 4;
  assert_float_equal(hf_model_body_mass(o)[1], 2, 0); // not yet in force
  assert_int_equal(hf_params_update(p, NULL), HF_OK);
  assert_float_equal(hf_model_body_mass(o)[1], 4, 0);
  assert_float_equal(hf_model_body_subtreemass(o)[0], 4, 0);
  assert_float_equal(hf_model_body_mass(m)[1], 2, 0);
  mass[1] = -1;
  hfError error;
  assert_int_equal(hf_params_update(p, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "rod"));
  assert_float_equal(hf_model_body_mass(o)[1], 4, 0);
  mass[1] = 4;
  hf_params_field(p, HF_FIELD_geom_tangential_stiffness)[0] = 0;
  assert_int_equal(hf_params_update(p, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "geom_tangential_stiffness[0]"));
  hf_params_free(p);
  hf_model_free(m);
}

static void test_file_round_trip(void** state) {
  (void)state;
  const char* path = HF_BINARY_DIR "/test_builder.hfm";
  hfModel *m = make_pendulum(), *read = NULL;
  assert_int_equal(hf_model_write(m, path, NULL), HF_OK);
  assert_int_equal(hf_model_read(&read, path, NULL), HF_OK);
  assert_memory_equal(m, read, m->size);
  // a changed index is refused, not believed
  int32_t* parent = (int32_t*)((char*)read + read->offset[HF_FIELD_body_parent]);
  parent[1] = 99;
  hfError error;
  assert_int_equal(hf_model_validate(read, read->size, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "body_parent[1]"));
  parent[1] = 0;
  assert_int_equal(hf_model_validate(read, read->size, &error), HF_OK);
  // types index tables: -1, which stands for "none" elsewhere, is refused too
  ((int32_t*)((char*)read + read->offset[HF_FIELD_jnt_type]))[0] = -1;
  assert_int_equal(hf_model_validate(read, read->size, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "jnt_type[0]"));
  hf_model_free(read);
  remove(path);
  hf_model_free(m);
}

static void test_state_round_trip(void** state) {
  (void)state;
  const char* path = HF_BINARY_DIR "/test_builder.hfs";
  hfModel* m = make_pendulum();
  hfState *s = hf_state_create(m), *copy = hf_state_create(m);
  s->time = 1.5, hf_state_mutable_q(s)[0] = 0.1, hf_state_mutable_v(s)[0] = -3;
  assert_int_equal(hf_state_write(s, path, NULL), HF_OK);
  assert_int_equal(hf_state_read(copy, path, NULL), HF_OK);
  assert_memory_equal(s, copy, s->size);
  FILE* file = fopen(path, "ab");
  fputs("X", file);
  fclose(file);
  assert_int_equal(hf_state_read(copy, path, NULL), HF_ERROR_PARSE); // perhaps two files were joined
  file = fopen(path, "r+b");
  fputs("XX", file);
  fclose(file);
  assert_int_equal(hf_state_read(copy, path, NULL), HF_ERROR_PARSE);
  remove(path);
  hf_state_free(s), hf_state_free(copy);
  hf_model_free(m);
}

// Joints are checked against those that their body has: a ball joint may come last only. A joint before it can still be changed.
static void test_joints_of_one_body(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfError error;
  hfJointDef d = hf_joint_def_default();
  int other = add_body(b, "other", 0), body = add_body(b, "body", 0), hinge = add_hinge(b, "hinge", body);
  d.body = body, d.type = HF_JOINT_FREE;
  assert_int_equal(hf_builder_add_joint(b, &d, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "only joint"));
  d.type = HF_JOINT_BALL;
  assert_at_least(hf_builder_add_joint(b, &d, &error), 0);
  assert_int_equal(hf_builder_add_joint(b, &d, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "at most one ball joint"));
  d.type = HF_JOINT_HINGE;
  assert_int_equal(hf_builder_add_joint(b, &d, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "cannot follow a ball joint"));
  d.damping = 1;
  assert_int_equal(hf_builder_set_joint(b, hinge, &d, &error), HF_OK);
  d.body = other, d.type = HF_JOINT_FREE;
  assert_at_least(hf_builder_add_joint(b, &d, &error), 0);
  d.type = HF_JOINT_SLIDE;
  assert_int_equal(hf_builder_add_joint(b, &d, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "only joint"));
  hf_builder_free(b);
}

// A refused attachment takes its bodies and their joints back: a body that is added then has none.
static void test_refused_guest_leaves_no_joints(void** state) {
  (void)state;
  hfBuilder *b = hf_builder_create(), *guest = hf_builder_create();
  hfError error;
  hfAttachDef def = hf_attach_def_default();
  hfJointDef d = hf_joint_def_default();
  add_body(b, "taken", 0);
  add_hinge(guest, "hinge", add_body(guest, "first", 0));
  add_hinge(guest, "knee", add_body(guest, "taken", 1));
  assert_below(hf_builder_attach(b, guest, &def, &error), 0);
  d.body = add_body(b, "free", 0), d.type = HF_JOINT_FREE;
  assert_at_least(hf_builder_add_joint(b, &d, &error), 0);
  hf_builder_free(b), hf_builder_free(guest);
}

// Processor time to add so many bodies with a hinge each [s].
static double time_of_joints(int count) {
  hfBuilder* b = hf_builder_create();
  clock_t start = clock();
  for (int i = 0; i < count; ++i) add_hinge(b, NULL, add_body(b, NULL, 0));
  double time = (double)(clock() - start) / CLOCKS_PER_SEC;
  hf_builder_free(b);
  return time;
}

// The time to add a joint does not grow with the joints that are there. Were each of 40,000 compared with all before it, which took 1.9 s, they
// took far more than 50 times the time of a twentieth of them.
static void test_time_grows_with_the_joints(void** state) {
  (void)state;
  double few = INFINITY, many = INFINITY;
  for (int k = 0; k < 5; ++k) few = fmin(few, time_of_joints(2000)), many = fmin(many, time_of_joints(40000));
  print_message("2,000 joints in %.3g s, 40,000 in %.3g s\n", few, many);
  assert_below(many, 50 * fmax(few, 1e-3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_depth_first_order),
      cmocka_unit_test(test_inertia_of_halves),
      cmocka_unit_test(test_primitive_inertia_by_quadrature),
      cmocka_unit_test(test_refusals_name_the_culprit),
      cmocka_unit_test(test_every_number_is_one),
      cmocka_unit_test(test_equalities_with_themselves),
      cmocka_unit_test(test_refused_worlds),
      cmocka_unit_test(test_refused_materials),
      cmocka_unit_test(test_joints_of_one_body),
      cmocka_unit_test(test_refused_guest_leaves_no_joints),
      cmocka_unit_test(test_time_grows_with_the_joints),
      cmocka_unit_test(test_reference_mass),
      cmocka_unit_test(test_params_overlay),
      cmocka_unit_test(test_file_round_trip),
      cmocka_unit_test(test_state_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
