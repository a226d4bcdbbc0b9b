// Surfaces that move: belts, turntables and rollers in every method. The oracles are closed forms: a box is taken along by friction,
//
//   v = mu g t  until v = u at t1 = u/(mu g),  x = u t - u^2/(2 mu g) behind,
//
// what lies on a turntable goes round with it, and a ball on a belt takes two sevenths of its speed.
#include "support/near.h"
#include "support/sim_world.h"

#include <holdfast/step_problem.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { METHODS = 6 };
static const int methods[METHODS] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_MLCP, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
static const double MU = 0.4, G = 9.81, U = 1;

static simWorld make_world(const char* xml, int method, int friction, double h) {
  simWorld w = {.model = parse_model(xml)};
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.method = method, config.step = h;
  if (method == HF_METHOD_MLCP) config.mlcp.edges = 32;
  else config.friction = friction;
  if (hf_sim_create(&w.sim, w.model, &config, &error) != HF_OK) fail_msg("%s", error.message);
  w.state = hf_state_create(w.model);
  w.input = hf_input_create(w.model);
  return w;
}

static void run_for(simWorld* w, double time) { sim_world_step(w, (int)lround(time / hf_sim_step_size(w->sim))); }

// A belt in a frame that is turned about z by 0.5 and tilted about y, so that world and geom differ. Stiff contacts are barely deep.
#define BELT(velocity, tilt)                                                                                                      \
  "<mujoco><compiler angle='radian'/><option timestep='0.001'/><custom><numeric name='hf.stiffness' data='1e6'/></custom><worldbody>"                                    \
  "<body euler='0 0 0.5'><body euler='0 " tilt " 0'><geom name='belt' type='box' size='20 1 .1' pos='0 0 -.1' friction='.4' surfacevel='" velocity "'/></body></body>"  \
  "<body name='box' pos='0 0 0.1' euler='0 0 0.5'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='.4'/></body></worldbody></mujoco>"

static double along(const double* x) { return cos(0.5) * x[0] + sin(0.5) * x[1]; }
static double across(const double* x) { return cos(0.5) * x[1] - sin(0.5) * x[0]; }

// A step of length h errs by h u/2 in the place where sliding ends. The friction of mlcp points along one of 32 edges of a cone: its force is up to
// 1 - cos(pi/32) = 0.5 % short and points up to 0.1 rad aside.
static void test_box_takes_the_speed_of_a_belt(void** state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m)
    for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; friction += HF_FRICTION_ANCHORED - HF_FRICTION_REGULARISED) {
      simWorld w = make_world(BELT("1 0 0", "0"), methods[m], friction, 1e-3);
      const double *q = hf_state_q(w.state), *v = hf_state_v(w.state);
      run_for(&w, 0.1);
      double early = along(v);
      run_for(&w, 0.9);
      double x = along(q), behind = U * w.state->time - x;
      print_message("method %s, friction %d: v at 0.1 s %.5f (%.5f), behind %.5f m (%.5f), speed at 1 s %.3g off, sideways %.2g m\n",
                    hf_method_name(methods[m]), friction, early, MU * G * 0.1, behind, U * U / (2 * MU * G), along(v) - U, across(q));
      int polygon = methods[m] == HF_METHOD_MLCP;
      double share = polygon ? 0.005 : 1e-4; // of the force; contacts sink in during the first steps
      assert_near(early, MU * G * 0.1, share * MU * G * 0.1);
      assert_near(behind, U * U / (2 * MU * G), 0.6e-3 * U + share * U * U / (2 * MU * G));
      assert_near(along(v), U, 1e-9);
      assert_near(across(q), 0, polygon ? 0.1 * behind : 1e-9);
      run_for(&w, 5);
      double drift = along(q) - x - 5 * U;
      assert_near(drift, 0, 1e-9); // it rests on the belt
      sim_world_free(&w);
    }
}

// Uphill on a belt that is tilted by 0.2: friction carries a load all the time, and anchored friction does not creep.
static void test_no_creep_uphill(void** state) {
  (void)state;
  static const int held[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_IMPLICIT_EULER};
  for (size_t m = 0; m < sizeof held / sizeof *held; ++m) {
    simWorld w = make_world(BELT("0.5 0 0", "-0.2"), held[m], HF_FRICTION_ANCHORED, 1e-3);
    const double* q = hf_state_q(w.state);
    run_for(&w, 2);
    double start[3] = {q[0], q[1], q[2]};
    run_for(&w, 5);
    double dx = along(q) - along(start), moved = sqrt(dx * dx + (q[2] - start[2]) * (q[2] - start[2]));
    print_message("method %s: %.9f m in 5 s uphill, 2.5 m of belt\n", hf_method_name(held[m]), moved);
    assert_near(moved, 2.5, 1e-7); // the anchor keeps its place on the belt to rounding, while the box settles by some 1e-8 m
    sim_world_free(&w);
  }
}

// A box on a turntable: it goes round at its radius and turns with the table; friction, mu g = 3.9 m/s^2, holds w^2 r = 0.8 m/s^2.
static void test_turntable(void** state) {
  (void)state;
  const char* xml = "<mujoco><option timestep='0.001'/><custom><numeric name='hf.stiffness' data='1e6'/></custom><worldbody>"
                    "<geom type='cylinder' size='1 .1' pos='0 0 -.1' friction='.4 .01' surfacevel='0 0 0 0 0 2' condim='4'/>"
                    "<body pos='.2 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' mass='1' friction='.4 .01'/></body></worldbody></mujoco>";
  static const int held[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_IMPLICIT_EULER};
  for (size_t m = 0; m < sizeof held / sizeof *held; ++m) {
    simWorld w = make_world(xml, held[m], HF_FRICTION_ANCHORED, 1e-3);
    double *q = sim_q(&w), *v = sim_v(&w);
    v[1] = 0.4, v[5] = 2; // as the table turns
    run_for(&w, 1);
    double radius = hypot(q[0], q[1]), angle = atan2(q[1], q[0]), turn = 2 * atan2(q[6], q[3]);
    run_for(&w, 4);
    double swept = fmod(atan2(q[1], q[0]) - angle - 8 + 8 * 3.14159265358979323846, 2 * 3.14159265358979323846);
    double turned = fmod(2 * atan2(q[6], q[3]) - turn - 8 + 8 * 3.14159265358979323846, 2 * 3.14159265358979323846);
    if (swept > 3) swept -= 2 * 3.14159265358979323846;
    if (turned > 3) turned -= 2 * 3.14159265358979323846;
    print_message("method %s: radius %.9f, then %.9f m; angle %.2g rad, turn %.2g rad off in 4 s\n", hf_method_name(held[m]), radius, hypot(q[0], q[1]), swept, turned);
    assert_near(radius, 0.2, 1e-4); // it slips a little before friction holds it
    assert_near(hypot(q[0], q[1]), radius, 1e-6);
    assert_near(swept, 0, 1e-5);
    assert_near(turned, 0, 1e-5);
    sim_world_free(&w);
  }
}

// A ball on a belt slides until it rolls at 2/7 of the belt's speed, spinning backwards: m v = int f, 2/5 m r^2 w = r int f, and v + r w = u.
static void test_ball_rolls_on_a_belt(void** state) {
  (void)state;
  const char* xml = "<mujoco><option timestep='0.001'/><custom><numeric name='hf.stiffness' data='1e6'/></custom><worldbody>"
                    "<geom type='plane' size='1 1 1' friction='.4' surfacevel='1 0 0'/><body pos='0 0 .1'><freejoint/><geom size='.1' mass='1' friction='.4'/></body></worldbody></mujoco>";
  for (int m = 0; m < METHODS; ++m) {
    simWorld w = make_world(xml, methods[m], HF_FRICTION_ANCHORED, 1e-3);
    run_for(&w, 2);
    const double* v = hf_state_v(w.state);
    print_message("method %s: v %.6f (%.6f), spin %.5f rad/s\n", hf_method_name(methods[m]), v[0], 2.0 / 7, v[4]);
    assert_near(v[0], 2.0 / 7, 1e-3); // the ball sinks in by 1e-5 m, and a step errs where sliding ends
    assert_near(v[0] - 0.1 * v[4], 1, 1e-3);
    sim_world_free(&w);
  }
}

// The reported slip is that over the belt: a box that rests in the world on a belt that moves slips at the belt's speed.
static void test_contacts_report_slip_over_the_surface(void** state) {
  (void)state;
  const char* xml = "<mujoco><option timestep='0.001'/><worldbody><geom name='belt' type='plane' size='1 1 1' friction='.4' surfacevel='0 .7 0'/>"
                    "<body pos='0 0 .0999'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1' mass='1' friction='.4'/></body></worldbody></mujoco>";
  simWorld w = make_world(xml, HF_METHOD_TAMSI, HF_FRICTION_ANCHORED, 1e-3);
  run_for(&w, 0.5);
  assert_int_equal(hf_sim_contact_count(w.sim), 4);
  double force = 0;
  for (int i = 0; i < 4; ++i) {
    hfContact c = hf_sim_contact(w.sim, i);
    double way = c.n_W.z > 0 ? 1 : -1; // A is the box where the normal points up
    assert_near(-way * c.vt.y, 0.7, 1e-12);
    assert_int_equal(c.stick, 0);
    force += way * c.ft.y;
  }
  assert_near(force, MU * G, 1e-6 * MU * G); // friction at its bound, along the belt
  hfError error;
  assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, &error), HF_OK);
  hfContact c = hf_sim_contact(w.sim, 0);
  assert_near(fabs(c.vt.y), 0.7, 1e-12);
  sim_world_free(&w);
}

// The step problem has the drift of each contact, keeps it in its file, and solves to the same bits from there.
static void test_problem_has_the_drift(void** state) {
  (void)state;
  simWorld w = make_world(BELT("1 0 0", "0"), HF_METHOD_TAMSI, HF_FRICTION_ANCHORED, 1e-3);
  run_for(&w, 0.1);
  const hfStepProblem* p = NULL;
  hfStepProblem* read = NULL;
  hfError error;
  char path[] = "/tmp/holdfast_belt_XXXXXX";
  assert_at_least(mkstemp(path), 0);
  assert_int_equal(hf_sim_problem(w.sim, w.state, w.input, &p, &error), HF_OK);
  assert_non_null(p->drift);
  for (int i = 0; i < p->nrow; i += 3) { // A is the belt or the box; the tangents lie in the plane
    assert_near(p->drift[i], 0, 0);
    assert_near(hypot(p->drift[i + 1], p->drift[i + 2]), U, 1e-14);
  }
  assert_int_equal(hf_step_problem_write(p, path, &error), HF_OK);
  if (hf_step_problem_read(&read, path, &error) != HF_OK) fail_msg("%s", error.message);
  assert_memory_equal(read->drift, p->drift, sizeof *p->drift * (size_t)p->nrow);
  hf_step_problem_free(read);
  remove(path);
  sim_world_free(&w);
}

// A parameter overlay stops and starts a belt.
static void test_overlay_changes_the_speed(void** state) {
  (void)state;
  hfModel* model = parse_model(BELT("0 0 0", "0"));
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_params_create(&params, model, &error), HF_OK);
  simWorld w = {.state = hf_state_create(model), .input = hf_input_create(model)};
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_sim_create(&w.sim, hf_params_model(params), &config, &error), HF_OK);
  run_for(&w, 0.2);
  assert_near(along(hf_state_v(w.state)), 0, 1e-9);
  hf_params_field(params, HF_FIELD_geom_surface_velocity)[0] = U;
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  run_for(&w, 1);
  assert_near(along(hf_state_v(w.state)), U, 1e-6);
  hf_sim_free(w.sim), hf_state_free(w.state), hf_input_free(w.input);
  hf_params_free(params);
  hf_model_free(model);
}

static void test_switching_refuses(void** state) {
  (void)state;
  hfModel* model = parse_model(BELT("1 0 0", "0"));
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_SWITCHING;
  assert_int_equal(hf_sim_create(&sim, model, &config, &error), HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "surfacevel"));
  hf_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_takes_the_speed_of_a_belt),
      cmocka_unit_test(test_no_creep_uphill),
      cmocka_unit_test(test_turntable),
      cmocka_unit_test(test_ball_rolls_on_a_belt),
      cmocka_unit_test(test_contacts_report_slip_over_the_surface),
      cmocka_unit_test(test_problem_has_the_drift),
      cmocka_unit_test(test_overlay_changes_the_speed),
      cmocka_unit_test(test_switching_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
