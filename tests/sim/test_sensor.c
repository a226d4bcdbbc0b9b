// Sensors of forces in a stepped world, against balances of forces; the volume of touch sensors against
// points along the ray. Everything else is compared with MuJoCo in test_sensor_mujoco.c.
#include "support/near.h"
#include "support/random.h"
#include "support/sim_world.h"

#include "sim/sensor.h"

static const double kG = 9.81;

static const double* sensor(const simWorld* w, const char* name) {
  int id = hf_model_find(w->model, HF_OBJECT_SENSOR, name);
  assert_at_least(id, 0);
  return hf_sim_sensors(w->sim) + hf_model_sensor_adr(w->model)[id];
}

static void check_vector(const double* got, double x, double y, double z, double tolerance) {
  assert_near(got[0], x, tolerance);
  assert_near(got[1], y, tolerance);
  assert_near(got[2], z, tolerance);
}

// A box of 3 kg lies at x = 0.1 on a tray of 2 kg that a post carries. At rest every force is a weight.
static void check_forces_at_rest(int method) {
  simWorld w = sim_world_make_method(
      "<mujoco><worldbody><body name='post'><geom type='box' size='.05 .05 .2' mass='1'/>"
      "<body name='tray' pos='0 0 .3'><joint name='lift' type='slide' axis='0 0 1' limited='true' range='0 1'/><geom name='tray' type='box' size='.4 .4 .02' mass='2'/>"
      "<site name='hinge' euler='0 0 90'/><body name='leg'><geom size='.01' mass='.5' pos='-.2 0 -.2' contype='0' conaffinity='0'/><site name='leg'/></body></body></body>"
      "<body name='box' pos='.1 0 .42'><freejoint/><geom name='box' type='box' size='.1 .1 .1' mass='3' friction='1'/>"
      "<site name='sole' type='box' size='.1 .1 .01' pos='0 0 -.1'/><site name='heel' type='box' size='.02 .2 .02' pos='-.1 0 -.1'/><site name='lid' type='sphere' size='.05' pos='0 0 .2'/></body></worldbody>"
      "<sensor><force name='f' site='hinge'/><torque name='t' site='hinge'/><force name='leg' site='leg'/><touch name='sole' site='sole'/><touch name='heel' site='heel'/>"
      "<touch name='lid' site='lid'/><accelerometer name='acc' site='sole'/><jointlimitfrc name='limit' joint='lift'/>"
      "<contact name='sum' geom1='box' geom2='tray' data='force torque' reduce='netforce'/><contact name='any' body2='box' data='force torque' reduce='netforce'/></sensor></mujoco>", method, 0.002, 1e-12);
  sim_world_step(&w, 2000);
  check_vector(sensor(&w, "f"), 0, 0, 5.5 * kG, 1e-5); // the box still moves by nanometres
  // about the hinge: 3 kg at x = 0.1 and 0.5 kg at x = -0.2, in axes turned by 90 degrees about z
  check_vector(sensor(&w, "t"), -(3 * 0.1 - 0.5 * 0.2) * kG, 0, 0, 1e-5);
  check_vector(sensor(&w, "leg"), 0, 0, 0.5 * kG, 1e-5);
  assert_near(sensor(&w, "sole")[0], 3 * kG, 1e-5);
  assert_near(sensor(&w, "heel")[0], 1.5 * kG, 1e-3); // two of the four corners
  assert_near(sensor(&w, "lid")[0], 0, 0);
  check_vector(sensor(&w, "acc"), 0, 0, kG, 1e-5);
  assert_near(sensor(&w, "limit")[0], 5.5 * kG, 1e-5);
  check_vector(sensor(&w, "sum"), 0, 0, -3 * kG, 1e-5); // on the second: the tray
  check_vector(sensor(&w, "sum") + 3, 0, 0, 0, 1e-5);
  check_vector(sensor(&w, "any"), 0, 0, 3 * kG, 1e-5);
  sim_world_free(&w);
}
static void test_forces_at_rest(void** state) {
  (void)state;
  check_forces_at_rest(HF_METHOD_TAMSI);
}
static void test_forces_at_rest_in_continuous_time(void** state) {
  (void)state;
  check_forces_at_rest(HF_METHOD_IMPLICIT_EULER);
}

// A body held in the air by an equality: its free joint transmits nothing, its child hangs on it; an
// outside wrench on the child counts.
static void check_force_with_equality_and_wrench(int method) {
  simWorld w = sim_world_make_method(
      "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .1' mass='2'/><site name='a' pos='.1 0 0'/>"
      "<body name='b' pos='.5 0 0'><geom size='.1' mass='1'/><site name='b'/></body></body></worldbody>"
      "<equality><weld body1='a'/></equality><sensor><force name='fa' site='a'/><torque name='ta' site='a'/><force name='fb' site='b'/></sensor></mujoco>", method, 0.002, 1e-12);
  w.input->wrench[2].f.x = 4; // 4 N along x on b
  sim_world_step(&w, 1000);
  check_vector(sensor(&w, "fa"), 0, 0, 0, 1e-5);
  check_vector(sensor(&w, "ta"), 0, 0, 0, 1e-5);
  check_vector(sensor(&w, "fb"), -4, 0, kG, 1e-5);
  sim_world_free(&w);
}
static void test_force_with_equality_and_wrench(void** state) {
  (void)state;
  check_force_with_equality_and_wrench(HF_METHOD_TAMSI);
}
static void test_force_with_equality_and_wrench_in_continuous_time(void** state) {
  (void)state;
  check_force_with_equality_and_wrench(HF_METHOD_IMPLICIT_EULER);
}

// While a motor accelerates a cart the force between cart and load is the load's mass times acceleration.
static void test_force_in_motion(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='cart'><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/>"
      "<body name='load' pos='0 0 .3'><geom size='.1' mass='3'/><site name='s'/></body></body></worldbody><actuator><motor name='m' joint='x'/></actuator>"
      "<sensor><force name='f' site='s'/><framelinacc name='a' objtype='site' objname='s'/><actuatorfrc name='u' actuator='m'/><velocimeter name='v' site='s'/></sensor></mujoco>", 0.002, 1e-12);
  w.input->ctrl[0] = 10;
  sim_world_step(&w, 50);
  check_vector(sensor(&w, "f"), 6, 0, 0, 1e-9);
  check_vector(sensor(&w, "a"), 2, 0, 0, 1e-9);
  check_vector(sensor(&w, "v"), 0.2, 0, 0, 1e-9);
  assert_near(sensor(&w, "u")[0], 10, 1e-9);
  // without a step: the acceleration that acts now
  assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, NULL), HF_OK);
  check_vector(sensor(&w, "f"), 6, 0, 0, 1e-9);
  sim_world_free(&w);
}

// ---- the volume of a touch sensor ---------------------------------------------------------------------

static double over(double x, double r) { return fabs(x) - r; }

// Negative inside, growing with the distance: enough to tell a clear hit from a clear miss.
static double outside(int type, const double* s, const double* p) {
  double side = hypot(p[0], p[1]) - s[0], z = fmax(0, fabs(p[2]) - s[1]);
  switch (type) {
  case HF_GEOM_SPHERE: return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - s[0];
  case HF_GEOM_ELLIPSOID: return sqrt(pow(p[0] / s[0], 2) + pow(p[1] / s[1], 2) + pow(p[2] / s[2], 2)) - 1;
  case HF_GEOM_CAPSULE: return sqrt(p[0] * p[0] + p[1] * p[1] + z * z) - s[0];
  case HF_GEOM_CYLINDER: return fmax(side, over(p[2], s[1]));
  default: return fmax(over(p[0], s[0]), fmax(over(p[1], s[1]), over(p[2], s[2])));
  }
}

static hfModel* site_model(int type, const double* size) {
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  hfSiteDef site = hf_site_def_default();
  hfSensorDef touch = hf_sensor_def_default();
  site.body = hf_builder_add_body(b, &body, NULL), site.type = type;
  memcpy(site.size, size, sizeof site.size);
  touch.type = HF_SENSOR_TOUCH, touch.objkind = HF_OBJECT_SITE, touch.obj = hf_builder_add_site(b, &site, NULL);
  assert_int_equal(hf_builder_add_sensor(b, &touch, NULL), 0);
  hfModel* m = NULL;
  hfError error;
  if (hf_builder_finish(b, &m, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  return m;
}

// A contact of 1 N on a body with a site: seen where a fine walk along the ray enters the volume.
static void test_touch_volume(void** state) {
  (void)state;
  testRandom r = {20260801};
  print_message("seed 20260801\n");
  const int types[] = {HF_GEOM_SPHERE, HF_GEOM_ELLIPSOID, HF_GEOM_CAPSULE, HF_GEOM_CYLINDER, HF_GEOM_BOX};
  const double size[3] = {0.3, 0.5, 0.2};
  for (int k = 0; k < 5; ++k) {
    hfModel* m = site_model(types[k], size);
    hfDynamics* d = NULL;
    hfActuation* a = NULL;
    assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
    assert_int_equal(hf_actuation_create(&a, m, NULL), HF_OK);
    int hits = 0, misses = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      double p[3], n[3], length = 0, nearest = INFINITY, seen;
      for (int i = 0; i < 3; ++i) p[i] = random_uniform(&r, -1, 1), n[i] = random_normal(&r), length += n[i] * n[i];
      for (int i = 0; i < 3; ++i) n[i] /= sqrt(length);
      int first = random_int(&r, 2); // whether the site's body is A, into which the normal points
      for (int step = 0; step < 3000; ++step) {
        double at[3];
        for (int i = 0; i < 3; ++i) at[i] = p[i] + 0.001 * step * (first ? -n[i] : n[i]);
        nearest = fmin(nearest, outside(types[k], size, at));
      }
      hfContact c = {.body_a = first ? 1 : 0, .body_b = first ? 0 : 1, .p_W = {p[0], p[1], p[2]}, .n_W = {n[0], n[1], n[2]}, .fn = 1};
      hfiSensorInput in = {.dynamics = d, .actuation = a, .q = p, .vdot = p, .contact = &c, .ncontact = 1};
      hfi_sensors(&in, &seen);
      if (nearest < -0.002) assert_near(seen, 1, 0), hits++;
      if (nearest > 0.002) assert_near(seen, 0, 0), misses++;
    }
    assert_above(hits, 80);
    assert_above(misses, 80);
    hf_actuation_free(a);
    hf_dynamics_free(d);
    hf_model_free(m);
  }
}

// A sensor that cannot measure what it names is refused before anything reads it.
static void test_refusals(void** state) {
  (void)state;
  const struct { int type, kind, refkind; const char* message; } bad[] = {
      {HF_SENSOR_JOINT_POS, HF_OBJECT_BODY, HF_OBJECT_NONE, "cannot measure a body"},
      {HF_SENSOR_JOINT_POS, HF_OBJECT_JOINT, HF_OBJECT_NONE, "cannot measure a joint"}, // a ball joint
      {HF_SENSOR_ACCELEROMETER, HF_OBJECT_NONE, HF_OBJECT_NONE, "needs an object"},
      {HF_SENSOR_CLOCK, HF_OBJECT_BODY, HF_OBJECT_NONE, "cannot measure a body"},
      {HF_SENSOR_FRAME_POS, HF_OBJECT_BODY, HF_OBJECT_JOINT, "cannot refer to a joint"},
      {HF_SENSOR_ACTUATOR_FORCE, HF_OBJECT_ACTUATOR, HF_OBJECT_NONE, "does not exist"},
  };
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  hfJointDef joint = hf_joint_def_default();
  joint.body = hf_builder_add_body(b, &body, NULL), joint.type = HF_JOINT_BALL;
  assert_int_equal(hf_builder_add_joint(b, &joint, NULL), 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    hfSensorDef d = hf_sensor_def_default();
    hfError error;
    d.type = bad[i].type, d.objkind = bad[i].kind, d.refkind = bad[i].refkind, d.obj = d.ref = 0;
    assert_int_equal(hf_builder_add_sensor(b, &d, &error), HF_ERROR_MODEL);
    if (!strstr(error.message, bad[i].message)) fail_msg("%zu: %s", i, error.message);
  }
  hf_builder_free(b);
}

// A block from outside whose sensors, actuators or equalities name what is not there.
static void test_bad_blocks(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><body name='a'><joint name='a'/><geom size='1'/><site name='s'/></body></worldbody>"
                           "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon><actuator><motor joint='a'/></actuator>"
                           "<equality><weld body1='a'/></equality><sensor><gyro site='s'/></sensor></mujoco>");
  assert_int_equal(hf_model_validate(m, (size_t)m->size, NULL), HF_OK);
  const int fields[] = {HF_FIELD_sensor_obj, HF_FIELD_sensor_type, HF_FIELD_sensor_objkind, HF_FIELD_sensor_dim, HF_FIELD_actuator_trnid,
                        HF_FIELD_actuator_trntype, HF_FIELD_eq_obj2, HF_FIELD_eq_type, HF_FIELD_eq_objkind, HF_FIELD_tendon_num};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    int32_t *x = (int32_t*)((uintptr_t)m + (uintptr_t)m->offset[fields[i]]), good = *x;
    *x = 99;
    assert_int_equal(hf_model_validate(m, (size_t)m->size, NULL), HF_ERROR_MODEL);
    *x = good;
  }
  hf_model_free(m);
}

// ---- noise ------------------------------------------------------------------------------------------

enum { NOISY = 3000 }; // numbers of a user's sensor, which reads 0

static hfSim* make_noisy(const hfModel* m, int seed) {
  hfSimConfig config = hf_sim_config_default();
  hfSim* sim = NULL;
  config.noise_seed = seed;
  assert_int_equal(hf_sim_create(&sim, m, &config, NULL), HF_OK);
  return sim;
}

// Mean, variance and fourth moment of 3000 normal numbers of deviation 2 lie within four of their own deviations: 2/sqrt(n),
// 4 sqrt(2/n) and 16 sqrt(96/n). The same state gives the same noise in another sim, another time or seed another.
static void test_noise(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                             "<sensor><user dim='3000' noise='2'/><clock/></sensor></mujoco>";
  hfModel* m = NULL;
  assert_int_equal(hf_model_parse(&m, text, sizeof text - 1, "noise", NULL, NULL, NULL, NULL), HF_OK);
  hfSim *exact = make_noisy(m, 0), *one = make_noisy(m, 7), *same = make_noisy(m, 7), *other = make_noisy(m, 8);
  hfState* s = hf_state_create(m);
  hfSim* sims[] = {exact, one, same, other};
  for (int k = 0; k < 4; ++k) assert_int_equal(hf_sim_evaluate(sims[k], s, NULL, NULL), HF_OK);
  const double *x = hf_sim_sensors(one), n = NOISY;
  double moment[3] = {0};
  for (int i = 0; i < NOISY; ++i) {
    assert_near(hf_sim_sensors(exact)[i], 0, 0);
    moment[0] += x[i] / n, moment[1] += x[i] * x[i] / n, moment[2] += x[i] * x[i] * x[i] * x[i] / n;
  }
  assert_near(moment[0], 0, 4 * 2 / sqrt(n));
  assert_near(moment[1], 4, 4 * 4 * sqrt(2 / n));
  assert_near(moment[2], 48, 4 * 16 * sqrt(96 / n));
  assert_memory_equal(x, hf_sim_sensors(same), sizeof *x * NOISY);
  assert_true(x[0] != hf_sim_sensors(other)[0]);
  assert_near(x[NOISY], s->time, 0); // a sensor without noise
  double before = x[0];
  s->time = 0.5;
  assert_int_equal(hf_sim_evaluate(one, s, NULL, NULL), HF_OK);
  assert_true(before != hf_sim_sensors(one)[0]);
  for (int k = 0; k < 4; ++k) hf_sim_free(sims[k]);
  hf_state_free(s), hf_model_free(m);
}

// At an evaluated state sensors find contacts where they are, and no force: a ball 1 cm deep in the floor, the same after a step that had forces, and one
// above the floor.
static void test_contacts_of_an_evaluated_state(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/><body pos='.3 0 .09'><joint type='slide' axis='0 0 1'/><geom name='b' size='.1' mass='1'/>"
                              "<site name='s' size='.2'/></body></worldbody><sensor><contact geom1='f' geom2='b' data='found force dist pos normal'/><touch site='s'/></sensor></mujoco>", 0.001, 1e-12);
  static const double deep[] = {1, 0, 0, 0, -0.01, 0.3, 0, -0.005, 0, 0, 1, 0};
  for (int again = 0; again < 2; ++again) {
    assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, NULL), HF_OK);
    for (int k = 0; k < 12; ++k) assert_near(hf_sim_sensors(w.sim)[k], deep[k], 1e-15);
    hfState* start = hf_state_clone(w.state);
    sim_world_step(&w, 1);
    assert_true(hf_sim_sensors(w.sim)[0] == 1);
    assert_above(hf_sim_sensors(w.sim)[1], 0);
    assert_above(hf_sim_sensors(w.sim)[11], 0);
    assert_int_equal(hf_state_copy(w.state, start, NULL), HF_OK);
    hf_state_free(start);
  }
  hf_state_mutable_q(w.state)[0] = 0.5;
  assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, NULL), HF_OK);
  for (int k = 0; k < 12; ++k) assert_near(hf_sim_sensors(w.sim)[k], 0, 0);
  sim_world_free(&w);
}

// ---- when sensors are asked for -------------------------------------------------------------------------

// What a caller may do between a step and the question for its sensors.
typedef enum Between { NOTHING, CHANGE_STATE, CHANGE_WRENCH, CHANGE_PARAMETERS, READ_FORCES, READ_BODY, MAKE_PROBLEM, INVERT, BE_REFUSED, BETWEENS } Between;

static void do_between(const simWorld* w, hfParams* p, Between what) {
  double force[7];
  const struct hfStepProblem* problem;
  hfState* moved = hf_state_create(w->model);
  memcpy(moved, w->state, w->state->size);
  hf_state_mutable_v(moved)[0] = 3;
  switch (what) {
  case CHANGE_STATE: hf_state_mutable_q(w->state)[1] = 5, hf_state_mutable_v(w->state)[0] = 3, w->state->time = 7; break;
  case CHANGE_WRENCH: memset(w->input->wrench, 0, sizeof *w->input->wrench * (size_t)w->model->nbody); break;
  case CHANGE_PARAMETERS: hf_params_field(p, HF_FIELD_body_mass)[1] = 9, assert_int_equal(hf_params_update(p, NULL), HF_OK); break;
  case READ_FORCES: assert_true(hf_sim_actuator_force(w->sim)[0] != 0); break;
  case READ_BODY: assert_int_equal(hf_sim_get_body(w->sim, moved, "box", NULL, &(hfMotion){0}, NULL), HF_OK); break;
  case MAKE_PROBLEM: assert_int_equal(hf_sim_problem(w->sim, moved, w->input, &problem, NULL), HF_OK); break;
  case INVERT: assert_int_equal(hf_sim_inverse(w->sim, moved, w->input, hf_state_v(moved), force, NULL), HF_OK); break;
  case BE_REFUSED: hf_state_mutable_v(moved)[0] = NAN, assert_int_equal(hf_sim_step(w->sim, moved, w->input, NULL, NULL), HF_ERROR_NONFINITE); break;
  default: break;
  }
  hf_state_free(moved);
}

// 20 steps over a model or its overlay, something in between, and the sensors.
static void sense_after(const hfModel* m, hfParams* p, Between what, double push, double* out) {
  hfSimConfig config = hf_sim_config_default();
  config.noise_seed = 5;
  simWorld w = {.state = hf_state_create(m), .input = hf_input_create(m)};
  memcpy(&w.model, &m, sizeof m);
  assert_int_equal(hf_sim_create(&w.sim, p ? hf_params_model(p) : m, &config, NULL), HF_OK);
  w.input->wrench[1].f.y = push, w.input->ctrl[0] = 0.2;
  sim_world_step(&w, 20);
  do_between(&w, p, what);
  memcpy(out, hf_sim_sensors(w.sim), sizeof *out * (size_t)m->nsensordata);
  hf_sim_free(w.sim), hf_state_free(w.state), hf_input_free(w.input);
}

// Sensors are computed when somebody asks for them, but they are those of the end of the step whatever happened since.
static void test_later(void** state) {
  (void)state;
  hfModel* m = parse_model(
      "<mujoco><worldbody><body name='tray' pos='0 0 .3'><joint name='lift' type='slide' axis='0 0 1'/><geom type='box' size='.4 .4 .02' mass='2'/><site name='tray'/></body>"
      "<body name='box' pos='.1 0 .42'><freejoint/><geom name='box' type='box' size='.1 .1 .1' mass='3'/><site name='sole' type='box' size='.1 .1 .01' pos='0 0 -.1'/></body></worldbody>"
      "<actuator><position name='servo' joint='lift' kp='4000' kv='80'/></actuator>"
      "<sensor><force site='tray' noise='.1'/><torque site='tray'/><touch site='sole'/><accelerometer site='sole'/><velocimeter site='sole'/><jointpos joint='lift'/><jointvel joint='lift'/>"
      "<actuatorfrc actuator='servo'/><actuatorpos actuator='servo'/><jointactuatorfrc joint='lift'/><contact geom1='box' data='found force dist linvel' num='4'/>"
      "<framepos objtype='body' objname='box'/><subtreelinvel body='box'/><e_kinetic/><e_potential/><clock/></sensor></mujoco>");
  hfParams* p = NULL;
  assert_int_equal(hf_params_create(&p, m, NULL), HF_OK);
  for (int push = 0; push < 2; ++push) {
    double now[100], later[100];
    assert_in_range(m->nsensordata, 40, 100);
    sense_after(m, NULL, NOTHING, push, now);
    for (int what = CHANGE_STATE; what < BETWEENS; ++what) {
      int overlaid = what == CHANGE_PARAMETERS;
      sense_after(m, overlaid ? p : NULL, (Between)what, push, later);
      assert_memory_equal(now, later, sizeof *now * (size_t)m->nsensordata);
      if (!overlaid) continue;
      hf_params_field(p, HF_FIELD_body_mass)[1] = 2;
      assert_int_equal(hf_params_update(p, NULL), HF_OK);
    }
  }
  hf_params_free(p), hf_model_free(m);
}

// After a step that ends with a velocity that is too large sensors are those of the state that stays.
static void test_after_refusal(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><option gravity='0 0 9e74' timestep='1'/><worldbody><body><freejoint/><geom "
                           "size='.1'/></body></worldbody><sensor><clock/></sensor></mujoco>");
  simWorld w = sim_world_with(m, NULL);
  assert_at_least(hf_sim_step(w.sim, w.state, w.input, NULL, NULL), 0);
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, NULL), HF_ERROR_NONFINITE);
  assert_near(hf_sim_sensors(w.sim)[0], 1, 0);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_later),
      cmocka_unit_test(test_after_refusal),
      cmocka_unit_test(test_noise), cmocka_unit_test(test_contacts_of_an_evaluated_state),
      cmocka_unit_test(test_forces_at_rest),
      cmocka_unit_test(test_forces_at_rest_in_continuous_time),
      cmocka_unit_test(test_force_with_equality_and_wrench),
      cmocka_unit_test(test_force_with_equality_and_wrench_in_continuous_time),
      cmocka_unit_test(test_force_in_motion),
      cmocka_unit_test(test_touch_volume),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_bad_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
