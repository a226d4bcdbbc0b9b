// How far equalities and limits give way, as the report of a step says: at its end. The oracle is geometry, of the coordinates that a step leaves in the state.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

static const double EXACT = 1e-12; // Rounding of some operations on numbers of about 1.

static void check(const hfModel* m, hfViolation v, double amount, hfObjectKind kind, const char* name) {
  assert_near(v.amount, amount, EXACT);
  assert_int_equal(v.kind, kind);
  assert_string_equal(hf_model_name(m, v.kind, v.id), name);
}

static void check_none(hfViolation v) {
  assert_near(v.amount, 0, 0);
  assert_int_equal(v.kind, 0);
  assert_int_equal(v.id, 0);
}

static hfViolations step_once(simWorld* w) {
  hfStepReport report;
  hfError error;
  if (hf_sim_step(w->sim, w->state, w->input, &report, &error) < 0) fail_msg("%s", error.message);
  return report.violation;
}

static double* coordinate(const simWorld* w, const char* joint) {
  int j = hf_model_find(w->model, HF_OBJECT_JOINT, joint);
  assert_at_least(j, 0);
  return hf_state_mutable_q(w->state) + hf_model_jnt_qposadr(w->model)[j];
}

static void set_turn(double* quat, double angle) { quat[0] = cos(angle / 2), quat[1] = 0, quat[2] = sin(angle / 2), quat[3] = 0; }

#define LINK "<geom size='.02' mass='.1' contype='0' conaffinity='0'/></body>"
static const char scene[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"
    "<body name='a'><joint name='a' type='free'/>" LINK "<body name='b' pos='1 0 0'><joint name='b' type='free'/>" LINK
    "<body pos='2 0 0'><joint name='h1' axis='0 0 1'/>" LINK "<body pos='3 0 0'><joint name='h2' axis='0 0 1' range='-.5 .5' margin='.01'/>" LINK
    "<body pos='4 0 0'><joint name='s1' type='slide'/>" LINK "<body pos='5 0 0'><joint name='s2' type='slide' range='-.1 .1' margin='.01'/>" LINK
    "<body pos='6 0 0'><joint name='ball' type='ball' range='0 .4'/>" LINK "<body pos='7 0 0'><joint name='s3' type='slide'/>" LINK "</worldbody>"
    "<tendon><fixed name='turn' range='-1.95 1'><joint joint='h1' coef='2'/></fixed><fixed name='pull' range='-1 .2'><joint joint='s3' coef='-1'/></fixed></tendon>"
    "<equality><connect name='tie' body1='a' anchor='0 0 0'/><weld name='weld' body1='b' anchor='1 0 0'/><joint name='gear' joint1='h1' joint2='h2' polycoef='0 2 0 0 0'/>"
    "<joint name='rail' joint1='s1'/></equality></mujoco>";

static void violate(const simWorld* w) {
  double *a = coordinate(w, "a"), *b = coordinate(w, "b");
  a[0] = 0.03, a[1] = 0.04;
  b[2] = 0.01, set_turn(b + 3, 0.3);
  *coordinate(w, "h1") = -0.95; // The gear is wrong by 0.25, and the tendon is at -1.9.
  *coordinate(w, "h2") = -0.6;
  *coordinate(w, "s1") = 0.02;
  *coordinate(w, "s2") = 0.13;
  set_turn(coordinate(w, "ball"), 0.55);
  *coordinate(w, "s3") = -0.225;
}

static double length_of(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }
static double angle_of(const double* quat) { return 2 * atan2(length_of(quat + 1), fabs(quat[0])); }

static void check_violated(const simWorld* w, const hfViolations* v) {
  const hfModel* m = w->model;
  check(m, v->equality_distance, length_of(coordinate(w, "a")), HF_OBJECT_EQUALITY, "tie");
  check(m, v->equality_angle, angle_of(coordinate(w, "b") + 3), HF_OBJECT_EQUALITY, "weld");
  check(m, v->limit_distance, *coordinate(w, "s2") - 0.1, HF_OBJECT_JOINT, "s2");
  check(m, v->limit_angle, angle_of(coordinate(w, "ball")) - 0.4, HF_OBJECT_JOINT, "ball");
}

// In all methods, and with error control, the worst of each kind is found, in metres and radians apart. The margins are no part of the ranges.
static void test_all_methods(void** state) {
  (void)state;
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method)
    for (int controlled = 0; controlled < 2; ++controlled) {
      hfSimConfig config = hf_sim_config_default();
      config.method = method;
      config.accuracy = controlled ? 1e-3 : 0;
      if (controlled && method == HF_METHOD_MLCP) continue; // It has no error control.
      simWorld w = sim_world_with(parse_model(scene), &config);
      violate(&w);
      hfViolations v = step_once(&w);
      check_violated(&w, &v);
      sim_world_free(&w);
    }
}

// Each one shows where it is the worst.
static void test_each_kind(void** state) {
  (void)state;
  simWorld w = sim_world_make(scene, 0.002, 1e-10);
  hfViolations v = step_once(&w);
  check_none(v.equality_distance), check_none(v.equality_angle), check_none(v.limit_distance), check_none(v.limit_angle);
  violate(&w);
  *coordinate(&w, "h1") = -1.6; // The gear is wrong by 0.4, and the tendon is at -3.2.
  *coordinate(&w, "s1") = -0.06;
  *coordinate(&w, "s3") = -0.24;
  v = step_once(&w);
  double h1 = *coordinate(&w, "h1");
  check(w.model, v.equality_distance, fabs(*coordinate(&w, "s1")), HF_OBJECT_EQUALITY, "rail");
  check(w.model, v.equality_angle, fabs(h1 - 2 * *coordinate(&w, "h2")), HF_OBJECT_EQUALITY, "gear");
  check(w.model, v.limit_distance, -*coordinate(&w, "s3") - 0.2, HF_OBJECT_TENDON, "pull");
  check(w.model, v.limit_angle, -1.95 - 2 * h1, HF_OBJECT_TENDON, "turn");
  sim_world_free(&w);
}

// Spatial tendons are lengths, and so are their couplings.
static void test_spatial_tendon(void** state) {
  (void)state;
  static const char xml[] = "<mujoco><option gravity='0 0 0'/><worldbody><site name='o'/><body pos='.5 0 0'><joint name='x' type='slide' axis='1 0 0'/><geom size='.02' mass='.1'/><site name='p'/></body></worldbody>"
                            "<tendon><spatial name='rope' range='0 .6'><site site='o'/><site site='p'/></spatial></tendon><equality><tendon name='taut' tendon1='rope'/></equality></mujoco>";
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_IMPLICIT_EULER; ++method) {
    simWorld w = sim_world_make_method(xml, method, 0.002, 1e-10);
    *coordinate(&w, "x") = 0.25;
    hfViolations v = step_once(&w);
    double x = *coordinate(&w, "x");
    assert_above(x, 0.1);
    assert_below(x, 0.25);
    check(w.model, v.equality_distance, x, HF_OBJECT_EQUALITY, "taut");
    check(w.model, v.limit_distance, x - 0.1, HF_OBJECT_TENDON, "rope");
    sim_world_free(&w);
  }
}

// What is switched off is not violated.
static void test_switched_off(void** state) {
  (void)state;
  static const char xml[] = "<mujoco><option><flag %s/></option><worldbody><body name='a'><joint name='a' type='slide' range='-1 1'/><geom size='.02' mass='.1'/></body></worldbody>"
                            "<equality><connect name='tie' body1='a' anchor='0 0 0' active='%s'/></equality></mujoco>";
  static const char* const off[][2] = {{"limit='disable' equality='disable'", "true"}, {"limit='disable'", "false"}};
  for (int i = 0; i < 2; ++i) {
    char text[600];
    snprintf(text, sizeof text, xml, off[i][0], off[i][1]);
    for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_RK3; ++method) {
      simWorld w = sim_world_make_method(text, method, 0.002, 1e-10);
      *coordinate(&w, "a") = 2;
      hfViolations v = step_once(&w);
      check_none(v.equality_distance), check_none(v.limit_distance);
      sim_world_free(&w);
    }
  }
}

static void assert_same(const hfViolations* x, const hfViolations* y) { assert_memory_equal(x, y, sizeof *x); }

// The report depends on the state alone: on the second call and on a copy, by the same sim and another one, after an evaluation and after a refusal.
static void test_depends_on_the_state(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_RK3};
  for (int i = 0; i < 2; ++i) {
    simWorld w = sim_world_make_method(scene, methods[i], 0.002, 1e-10), other = sim_world_make_method(scene, methods[i], 0.002, 1e-10);
    hfError error;
    violate(&w);
    hfState* start = hf_state_create(w.model);
    hf_state_copy(start, w.state, &error);
    hfViolations first = step_once(&w), second = step_once(&w);
    assert_below(second.equality_distance.amount, first.equality_distance.amount);
    hf_state_copy(w.state, start, &error);
    hfViolations again = step_once(&w);
    assert_same(&again, &first);
    hf_state_copy(other.state, w.state, &error);
    hfViolations there = step_once(&other);
    assert_same(&there, &second);
    w.input->force[0] = NAN;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
    w.input->force[0] = 0;
    assert_int_equal(hf_sim_evaluate(w.sim, start, w.input, &error), HF_OK);
    hfViolations after = step_once(&w);
    assert_same(&after, &second);
    hf_state_free(start);
    sim_world_free(&w);
    sim_world_free(&other);
  }
}

// A world that stands still reports what its last computed step did.
static void test_still_world(void** state) {
  (void)state;
  static const char xml[] = "<mujoco><worldbody><body><joint name='x' type='slide' axis='0 0 1' range='0 1'/><geom size='.02' mass='.1'/></body></worldbody></mujoco>";
  simWorld w = sim_world_make(xml, 0.002, 1e-10);
  sim_world_step(&w, 2000);
  double depth = -sim_q(&w)[0];
  for (int i = 0; i < 5; ++i) {
    hfViolations v = step_once(&w);
    check(w.model, v.limit_distance, depth, HF_OBJECT_JOINT, "x");
  }
  assert_above(depth, 1e-9);
  sim_world_free(&w);
}

// A batch keeps the worst of a call for each world.
static void test_batch(void** state) {
  (void)state;
  hfModel* m = parse_model(scene);
  hfBatchConfig config = hf_batch_config_default();
  hfBatch* batch = NULL;
  hfError error;
  config.nworld = 3;
  assert_int_equal(hf_batch_create(&batch, m, &config, &error), HF_OK);
  hfState* moved = hf_state_create(m);
  hf_state_mutable_q(moved)[0] = 0.07; // body a
  hf_batch_set_state(batch, 1, moved, &error);
  hf_state_free(moved);
  assert_at_least(hf_batch_step(batch, 10, NULL, &error), 0);
  const hfWorldReport* report = hf_batch_reports(batch);
  check_none(report[0].violation.equality_distance);
  simWorld alone = sim_world_with(parse_model(scene), NULL); // The first step ends with the worst.
  hf_state_mutable_q(alone.state)[0] = 0.07;
  step_once(&alone);
  check(m, report[1].violation.equality_distance, sim_q(&alone)[0], HF_OBJECT_EQUALITY, "tie");
  assert_at_least(hf_batch_step(batch, 200, NULL, &error), 0);
  assert_below(hf_batch_reports(batch)[1].violation.equality_distance.amount, sim_q(&alone)[0]);
  sim_world_free(&alone);
  hf_batch_free(batch);
  hf_model_free(m);
}

// ---- letting go -------------------------------------------------------------------------------------

#define BALL "<geom size='.02' mass='.001' contype='0' conaffinity='0'/></body>"
// Three balls of 1 g, each tied to the one above it, and a load that swings on them.
static const char swinging_load[] =
    "<mujoco><worldbody><body name='a'><freejoint/>" BALL "<body name='b' pos='0 0 -.04'><freejoint/>" BALL "<body name='c' pos='0 0 -.08'><freejoint/>" BALL
    "<body name='load' pos='.1 0 -.2'><freejoint/><geom size='.05' mass='%g' contype='0' conaffinity='0'/></body></worldbody>"
    "<equality><connect name='a' body1='a' anchor='0 0 .02'/><connect name='b' body1='b' body2='a' anchor='0 0 .02'/><connect name='c' body1='c' body2='b' anchor='0 0 .02'/>"
    "<connect name='load' body1='load' body2='c' anchor='-.1 0 .1'/></equality></mujoco>";

// Takes steps until one has a status, and says how far equalities were open there. Returns how many had none.
static int step_until_status(simWorld* w, int most, hfStepReport* report) {
  hfError error;
  for (int i = 0; i < most; ++i)
    if (hf_sim_step(w->sim, w->state, w->input, report, &error) != HF_OK) return i;
  return most;
}

// A chain that no step of this length can hold (docs/guide/grasping.md) says that it comes apart, before it is open by a metre.
static void test_letting_go(void** state) {
  (void)state;
  static const double cases[][2] = {{1000, 0.002}, {1000, 0.005}, {1000, 0.01}, {100, 0.02}};
  for (int i = 0; i < 4; ++i) {
    char text[sizeof swinging_load + 10];
    snprintf(text, sizeof text, swinging_load, cases[i][0]);
    simWorld w = sim_world_make(text, cases[i][1], 1e-8);
    hfStepReport report;
    assert_below(step_until_status(&w, (int)(3 / cases[i][1]), &report), 3 / cases[i][1] - 1);
    assert_int_equal(report.status, HF_LET_GO);
    assert_int_equal(report.let_go_kind, HF_OBJECT_EQUALITY);
    assert_at_least(report.nlet_go, 1);
    assert_at_least(report.let_go, 0);
    assert_below(report.let_go, w.model->neq);
    assert_below(report.violation.equality_distance.amount, 1);
    sim_world_free(&w);
  }
}

// Not all that is open lets go: a world that starts violated closes, and an arm that is tied to a place out of its reach comes to rest. Nor does a soft weld,
// which gives way to its load by its own law.
static void test_not_letting_go(void** state) {
  (void)state;
  static const char* const scenes[] = {
      "<mujoco><worldbody><body name='a' pos='0 0 -1'><freejoint/><geom size='.05' mass='1'/></body></worldbody><equality><connect name='tie' body1='a' anchor='.1 0 0'/></equality>"
      "<keyframe><key qpos='1 1 1 1 0 0 0'/></keyframe></mujoco>",
      "<mujoco><worldbody><body><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='1'/><body name='hand' pos='.3 0 0'><joint axis='0 1 0' damping='.01'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='1'/></body></body><body name='post' pos='2 0 -.5'/></worldbody>"
      "<equality><connect name='tie' body1='hand' body2='post' anchor='.3 0 0'/></equality><keyframe><key qpos='.4 -1.1'/></keyframe></mujoco>",
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.05' mass='10'/></body></worldbody><equality><weld name='tie' body1='a' solref='.2 1'/></equality></mujoco>"};
  for (int i = 0; i < 3; ++i)
    for (double h = 0.002; h < 0.03; h *= 3) {
      simWorld w = sim_world_make(scenes[i], h, 1e-8);
      hfStepReport report;
      if (w.model->nkey) hf_state_set_key(w.state, w.input, w.model, 0, NULL);
      int taken = step_until_status(&w, (int)(4 / h), &report);
      if (taken < (int)(4 / h)) fail_msg("scene %d, steps of %g s: %s after %d steps", i, h, hf_status_name(report.status), taken);
      sim_world_free(&w);
    }
}

// Connects with MuJoCo's law and a time constant of 20 ms that a load draws apart say so, once they are a metre open; with one of 0.5 s they are springs, which say nothing.
static void test_soft_letting_go(void** state) {
  (void)state;
  static const struct { const char* softness; int lets_go; } cases[] = {{" solref='.02 1' anchor=", 1}, {" solref='.5 1' anchor=", 0}};
  for (int i = 0; i < 2; ++i)
    for (double h = 0.001; h < 0.02; h *= 3) {
      char text[sizeof swinging_load + 10], soft[sizeof swinging_load + 200] = "";
      snprintf(text, sizeof text, swinging_load, 100.0);
      size_t used = 0;
      for (const char *at = text, *next; at; at = next) {
        next = strstr(at, " anchor=");
        used += (size_t)snprintf(soft + used, sizeof soft - used, "%.*s%s", next ? (int)(next - at) : (int)strlen(at), at, next ? cases[i].softness : "");
        if (next) next += strlen(" anchor=");
      }
      simWorld w = sim_world_make(soft, h, 1e-8);
      hfStepReport report;
      int most = (int)(2 / h), taken = step_until_status(&w, most, &report);
      if (cases[i].lets_go) {
        assert_int_equal(report.status, HF_LET_GO);
        assert_int_equal(report.let_go_kind, HF_OBJECT_EQUALITY);
        assert_in_range((int64_t)(1e3 * report.violation.equality_distance.amount), 1000, 1100); // it falls by less than 10 cm in a step
      } else assert_int_equal(taken, most);
      sim_world_free(&w);
    }
}

// In continuous time an equality has all the force that it needs: it holds, or the integrator says that it cannot go on. So nothing lets go there.
static void test_equalities_hold_in_continuous_time(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK, HF_METHOD_SWITCHING};
  for (int i = 0; i < 4; ++i)
    for (double load = 100; load < 1e5; load *= 100) {
      char text[sizeof swinging_load + 10];
      snprintf(text, sizeof text, swinging_load, load);
      simWorld w = sim_world_make_method(text, methods[i], 0.002, 1e-8);
      hfStepReport report;
      step_until_status(&w, 250, &report);
      assert_int_not_equal(report.status, HF_LET_GO);
      assert_below(report.violation.equality_distance.amount, 1e-4); // 0.01 mm with implicit Euler
      sim_world_free(&w);
    }
}

// ---- limits that let go -----------------------------------------------------------------------------

// A link of 0.1 g, driven with a control of 1: near-rigid rows for its inertia are far too soft for such forces.
static const char driven_past[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><site name='post' pos='0 1 0'/><body pos='1 0 0'><joint name='other' axis='0 0 1' range='-1 1'/><geom size='.02' mass='1'/></body>"
    "<body><joint name='elbow' %s/><geom size='.01' mass='1e-4' contype='0' conaffinity='0'/><site name='tip' pos='0 .1 0'/></body></worldbody>"
    "<tendon><spatial name='string' %s><site site='post'/><site site='tip'/></spatial></tendon><actuator><motor joint='elbow' gear='%s'/></actuator></mujoco>";

typedef struct Driven { const char *joint, *tendon, *gear; int kind; double most; } Driven; // most: way [m or rad] that a near-rigid limit may be passed without a word

static const Driven driven[] = {{"type='hinge' axis='0 0 1' range='-.5 .5'", "", "10", HF_OBJECT_JOINT, 0.1},
                                {"type='slide' axis='1 0 0' range='0 .04'", "", "10000", HF_OBJECT_JOINT, 0.04},
                                {"type='ball' range='0 .5'", "", "0 0 10", HF_OBJECT_JOINT, 0.1},
                                {"type='hinge' axis='0 0 1'", "range='0 .95'", "10", HF_OBJECT_TENDON, 0.1}};

static simWorld make_driven(const Driven* d, int method, double h) {
  char text[sizeof driven_past + 200];
  snprintf(text, sizeof text, driven_past, d->joint, d->tendon, d->gear);
  simWorld w = sim_world_make_method(text, method, h, 1e-8);
  w.input->ctrl[0] = 1;
  return w;
}

static double worst_limit(const hfStepReport* r) { return fmax(r->violation.limit_distance.amount, r->violation.limit_angle.amount); }

// A limit that is passed further and further says so, with its name, in all methods that do not hold it rigidly. No step before that passes it by more than is meant
// to be silent, in discrete time; limits of continuous time are springs and may be passed by 1 m or rad.
static void test_limit_letting_go(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      if (k >= 2 && driven[i].kind == HF_OBJECT_TENDON) continue; // It cannot be longer than its range by more than 0.15 m.
      simWorld w = make_driven(&driven[i], methods[k], 0.002);
      hfStepReport report = {0};
      hfError error;
      double before = 0;
      for (int step = 0; step < 100 && report.status == HF_OK; ++step) before = worst_limit(&report), hf_sim_step(w.sim, w.state, w.input, &report, &error);
      assert_int_equal(report.status, HF_LET_GO);
      assert_int_equal(report.nlet_go, 1);
      assert_int_equal(report.let_go_kind, driven[i].kind);
      assert_string_equal(hf_model_name(w.model, report.let_go_kind, report.let_go), driven[i].kind == HF_OBJECT_TENDON ? "string" : "elbow");
      assert_true(k >= 2 || (worst_limit(&report) > driven[i].most && before <= driven[i].most));
      sim_world_free(&w);
    }
}

// Not all limits that are passed let go: a joint that starts beyond its limit returns, one that is thrown at it stops, and one that a load presses rests where its
// law says.
static void test_limit_not_letting_go(void** state) {
  (void)state;
  static const char xml[] = "<mujoco><compiler angle='radian'/><worldbody><body><joint name='elbow' axis='0 1 0' range='-.5 .5' %s/><geom size='.05' pos='.3 0 0' mass='1'/></body></worldbody></mujoco>";
  static const struct { const char* law; double q, v; } starts[] = {{"", 2, 0}, {"", 0, 100}, {"", 0.5, 0}, {"solreflimit='.02 1'", 0, 30}};
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_MLCP, HF_METHOD_SDIRK};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      char text[sizeof xml + 100];
      snprintf(text, sizeof text, xml, starts[i].law);
      simWorld w = sim_world_make_method(text, methods[k], 0.002, 1e-8);
      *coordinate(&w, "elbow") = starts[i].q;
      hf_state_mutable_v(w.state)[0] = starts[i].v;
      hfStepReport report;
      int taken = step_until_status(&w, 500, &report);
      if (taken < 500) fail_msg("start %d, method %d: %s after %d steps", i, methods[k], hf_status_name(report.status), taken);
      sim_world_free(&w);
    }
}

// A batch says of each world in how many steps of a call something let go, and what was the first.
static void test_batch_letting_go(void** state) {
  (void)state;
  simWorld alone = make_driven(&driven[0], HF_METHOD_TAMSI, 0.002);
  hfBatchConfig config = hf_batch_config_default();
  hfBatch* batch = NULL;
  hfError error;
  config.nworld = 2;
  assert_int_equal(hf_batch_create(&batch, alone.model, &config, &error), HF_OK);
  hfTensor ctrl = hf_batch_tensor(batch, HF_BATCH_CTRL);
  ((double*)ctrl.data)[0] = 0, ((double*)ctrl.data)[1] = 1;
  assert_int_equal(hf_batch_step(batch, 20, NULL, &error), HF_FLAGGED);
  const hfWorldReport* report = hf_batch_reports(batch);
  int steps = 0;
  for (int i = 0; i < 20; ++i) {
    hfStepReport step;
    hf_sim_step(alone.sim, alone.state, alone.input, &step, &error);
    steps += step.nlet_go > 0;
  }
  assert_int_equal(report[0].status, HF_OK);
  assert_int_equal(report[0].steps_letting_go, 0);
  assert_int_equal(report[1].status, HF_LET_GO);
  assert_int_equal(report[1].steps_letting_go, steps);
  assert_int_equal(report[1].let_go_kind, HF_OBJECT_JOINT);
  assert_string_equal(hf_model_name(alone.model, report[1].let_go_kind, report[1].let_go), "elbow");
  hf_batch_free(batch);
  sim_world_free(&alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_methods),  cmocka_unit_test(test_each_kind),         cmocka_unit_test(test_spatial_tendon),
      cmocka_unit_test(test_switched_off), cmocka_unit_test(test_depends_on_the_state), cmocka_unit_test(test_still_world),
      cmocka_unit_test(test_batch),        cmocka_unit_test(test_letting_go),        cmocka_unit_test(test_not_letting_go), cmocka_unit_test(test_soft_letting_go), cmocka_unit_test(test_equalities_hold_in_continuous_time),
      cmocka_unit_test(test_limit_letting_go), cmocka_unit_test(test_limit_not_letting_go), cmocka_unit_test(test_batch_letting_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
