// Continuous time on whole scenes: error control over windows of 25 ms, conservation, contact, friction
// with memory, trouble.
#include "support/cmocka_all.h"
#include "support/alloc.h"
#include "support/near.h"

#include "methods/continuous/continuous.h"
#include "ode/problems.h"
#include "continuous/scenes.h"

static const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
static const char* const names[] = {"rk3", "implicit Euler", "sdirk"};
static const double window = 0.025;

static hfStatus create(hfiContinuous** c, const hfModel* m, const hfAccelConfig* accel, const hfIntegratorConfig* config, hfError* error) {
  hfiWorldConfig own = {.max_contacts = accel->max_contacts, .scene_signals = 1, .drive_law = -1};
  hfiWorld* world = NULL;
  hfStatus status = hfi_world_create(&world, m, &own, error);
  if (status == HF_OK) status = hfi_continuous_create(c, world, accel, config, 1, error);
  if (status != HF_OK) hfi_world_free(world);
  return status;
}

static void drop(hfiContinuous* c) {
  hfiWorld* world = c->world;
  hfi_continuous_free(c);
  hfi_world_free(world);
}

static hfiContinuous* make(const hfModel* m, int friction, hfIntegratorConfig config) {
  hfAccelConfig accel = hf_accel_config_default();
  accel.friction = friction;
  hfiContinuous* c = NULL;
  hfError error = {0};
  if (create(&c, m, &accel, &config, &error) != HF_OK) fail_msg("%s", error.message);
  return c;
}

static hfIntegratorConfig controlled(int method, double accuracy) {
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = method;
  c.accuracy = accuracy;
  c.newton = HF_NEWTON_QUASI;
  c.step = 0.1;
  return c;
}

static void advance(hfiContinuous* c, hfState* s, double h) {
  hfError error = {0};
  hfStatus status = hfi_continuous_step(c, s, NULL, h, &error);
  if (status != HF_OK) fail_msg("status %d at %g s: %s", status, s->time, error.message);
}

// ---- windows ----------------------------------------------------------------------------------------

// Worst error over windows, in accuracies, of x(window) against `flow` on coordinates (position, speed).
typedef void flowFn(const void* model, double t, double* x);

static double worst_window(hfiContinuous* c, hfState* s, double t_end, int q, int v, flowFn* flow, const void* model, int only_speed) {
  double worst = 0;
  while (s->time < t_end - 1e-9) {
    double x[2] = {hf_state_q(s)[q], hf_state_v(s)[v]};
    flow(model, s->time, x);
    advance(c, s, window);
    if (!only_speed) worst = fmax(worst, fabs(hf_state_q(s)[q] - x[0]));
    worst = fmax(worst, fabs(hf_state_v(s)[v] - x[1]));
  }
  return worst;
}

static void flow_pendulum(const void* model, double t, double* x) {
  pendulumModel p = {9.81 / 0.5, 0};
  hfOde ode = pendulum_ode(&p);
  (void)model;
  oracle_flow(&ode, t, window, 50, x);
}
static void flow_ball(const void* model, double t, double* x) {
  (void)t;
  x[0] -= 0.05; // height of the lowest point
  ball_flow(model, window, x);
  x[0] += 0.05;
}
static void flow_box(const void* model, double t, double* x) { x[1] = box_flow(model, t, x[1], t + window); }

static void check_windows(const char* name, const char* mjcf, double t_end, int q, int v, double q0, flowFn* flow, const void* model, int only_speed, int friction, const int* digits) {
  hfModel* m = scene(mjcf);
  for (int k = 0; k < 3; ++k)
    for (int d = 2; d <= digits[k]; d += 2) {
      double accuracy = pow(10, -d);
      hfState* s = hf_state_create(m);
      hfiContinuous* c = make(m, friction, controlled(methods[k], accuracy));
      hf_state_mutable_q(s)[q] = q0;
      double worst = worst_window(c, s, t_end, q, v, flow, model, only_speed) / accuracy;
      print_message("%s, %s, a = %g: %.2f a\n", name, names[k], accuracy, worst);
      assert_below(worst, 10);
      drop(c);
      hf_state_free(s);
    }
  hf_model_free(m);
}

static void test_pendulum(void** state) {
  (void)state;
  const int digits[] = {8, 6, 8};
  check_windows("pendulum", PENDULUM, 2, 0, 0, 2.5, flow_pendulum, NULL, 0, HF_FRICTION_REGULARISED, digits);
}

static void test_ball(void** state) {
  (void)state;
  ballModel b = {0.1, 9.81, 1e3};
  const int digits[] = {6, 6, 8};
  check_windows("ball", BALL, 1, 2, 2, 1.05, flow_ball, &b, 0, HF_FRICTION_REGULARISED, digits);
}

// Resting on its spring, which carries its weight exactly: the horizontal motion is the paper's.
static void test_box(void** state) {
  (void)state;
  boxModel box = box_paper(0);
  const int digits[] = {4, 4, 6};
  hfModel* m = scene(BOX);
  for (int k = 0; k < 3; ++k)
    for (int d = 2; d <= digits[k]; d += 2) {
      double accuracy = pow(10, -d);
      hfState* s = hf_state_create(m);
      hfiContinuous* c = make(m, HF_FRICTION_REGULARISED, controlled(methods[k], accuracy));
      hf_state_mutable_q(s)[1] = -0.33 * 9.8 / 1e3;
      double worst = worst_window(c, s, 0.5, 0, 0, flow_box, &box, 1) / accuracy;
      print_message("box, %s, a = %g: %.2f a\n", names[k], accuracy, worst);
      assert_below(worst, 10);
      drop(c);
      hf_state_free(s);
    }
  hf_model_free(m);
}

// The flip of a torque-free body, its energy and its angular momentum in space.
static void test_dzhanibekov_body(void** state) {
  (void)state;
  hfModel* m = scene(SPINNER);
  for (int k = 0; k < 3; ++k) {
    double accuracy = k == 1 ? 1e-5 : 1e-7, worst = 0;
    hfState* s = hf_state_create(m);
    hfiContinuous* c = make(m, HF_FRICTION_REGULARISED, controlled(methods[k], accuracy));
    bodyModel body = {{1, 2, 3}};
    hfOde ode = body_ode(&body);
    double* w = hf_state_mutable_v(s) + 3;
    w[0] = .01, w[1] = 1;
    while (s->time < 12.5 - 1e-9) {
      double x[7];
      memcpy(x, hf_state_q(s) + 3, 4 * sizeof *x);
      memcpy(x + 4, w, 3 * sizeof *x);
      oracle_flow(&ode, 0, window, 20, x);
      advance(c, s, window);
      worst = fmax(worst, largest_difference(x, hf_state_q(s) + 3, 4));
      worst = fmax(worst, largest_difference(x + 4, w, 3));
    }
    print_message("Dzhanibekov, %s, a = %g: %.2f a\n", names[k], accuracy, worst / accuracy);
    assert_below(worst, 10 * accuracy);
    assert_below(w[1], 0); // flipped at 10.377 s
    hfQuat q = q_load(hf_state_q(s) + 3);
    hfVec3 L = q_rotate(q, v3(w[0], 2 * w[1], 3 * w[2]));
    // 500 windows at below a each, grown by the flip's instability e^(0.58 t) from 1e-2 to 1
    assert_near(L.x, .01, 500 * 10 * accuracy);
    assert_near(L.y, 2, 500 * 10 * accuracy);
    assert_near(L.z, 0, 500 * 10 * accuracy);
    drop(c);
    hf_state_free(s);
  }
  hf_model_free(m);
}

// ---- constraints and contact --------------------------------------------------------------------------

// A free body tied at a point: the point stays, energy stays.
static void test_tied_pendulum_keeps_its_point_and_energy(void** state) {
  (void)state;
  hfModel* m = scene(TIED_PENDULUM);
  for (int k = 0; k < 3; k += 2) {
    hfState* s = hf_state_create(m);
    hfiContinuous* c = make(m, HF_FRICTION_REGULARISED, controlled(methods[k], 1e-7));
    hfDynamics* d;
    assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
    hf_state_mutable_v(s)[3] = 3;
    hf_state_mutable_v(s)[4] = 4;
    double E[2];
    for (int i = 0; i < 2; ++i) {
      hf_dynamics_set_position(d, hf_state_q(s), NULL);
      hf_dynamics_set_velocity(d, hf_state_v(s));
      E[i] = hf_dynamics_kinetic_energy(d) + hf_dynamics_potential_energy(d, hf_state_q(s));
      for (int j = 0; i == 0 && j < 80; ++j) {
        advance(c, s, window);
        for (int x = 0; x < 3; ++x) assert_near(hf_state_q(s)[x], 0, 1e-6); // ten accuracies
      }
    }
    assert_near(E[1], E[0], 80 * 10 * 1e-7 * 10); // windows, times 10 a, times forces of about 10 N
    hf_dynamics_free(d);
    drop(c);
    hf_state_free(s);
  }
  hf_model_free(m);
}

// A block on an incline, tan = 0.3: creeps by v_s tan/mu with the regularised law, by nothing with the
// anchored one; slides with g (sin - mu cos) where mu = 0.2.
static void test_incline(void** state) {
  (void)state;
  const char* text = "<mujoco><option gravity='2.8185 0 -9.3949'/>"
                     "<custom><numeric name='hf.stiffness' data='1e4'/><numeric name='hf.dissipation' data='10'/>"
                     "<numeric name='hf.stiction_speed' data='1e-3'/></custom>"
                     "<worldbody><geom type='plane' size='0 0 1' friction='%s 0 0' condim='3'/><body pos='0 0 0.05'><freejoint/>"
                     "<geom type='box' size='0.1 0.1 0.05' mass='1' friction='0.1 0 0' condim='3'/></body></worldbody></mujoco>";
  const int laws[] = {HF_FRICTION_REGULARISED, HF_FRICTION_SMOOTH, HF_FRICTION_ANCHORED};
  for (int slides = 0; slides < 2; ++slides)
    for (int l = 0; l < 3; ++l) {
      char mjcf[1024];
      snprintf(mjcf, sizeof mjcf, text, slides ? "0.2" : "0.5");
      hfModel* m = scene(mjcf);
      hfState* s = hf_state_create(m);
      hfIntegratorConfig config = controlled(HF_METHOD_SDIRK, 1e-6);
      hfiContinuous* c = make(m, laws[l], config);
      for (int i = 0; i < 100; ++i) advance(c, s, 0.005);
      double x = hf_state_q(s)[0], v = hf_state_v(s)[0];
      for (int i = 0; i < 100; ++i) advance(c, s, 0.005);
      double speed = (hf_state_q(s)[0] - x) / 0.5, a = (hf_state_v(s)[0] - v) / 0.5;
      double tan = 0.3, want[3] = {1e-3 * tan / 0.5, 1e-3 * 0.6 / sqrt(1 - 0.36), 0};
      print_message("incline, law %d: speed %.3e m/s, acceleration %.6f m/s^2\n", laws[l], speed, a);
      if (slides) assert_near(a, 2.8185 - 0.2 * 9.3949, 1e-4); // normal force settled to 1e-5
      else assert_near(speed, want[l], 2e-6);                  // one accuracy over half a second
      drop(c);
      hf_state_free(s);
      hf_model_free(m);
    }
}

// Fixed steps of implicit Euler with contact, an analytic Jacobian and both Newtons land on one answer.
static void test_jacobians_and_newtons_agree(void** state) {
  (void)state;
  hfModel* m = scene(MIXTURE);
  double q[4][32];
  for (int k = 0; k < 4; ++k) {
    hfIntegratorConfig config = controlled(HF_METHOD_IMPLICIT_EULER, 1e-3);
    config.error_control = 0;
    config.step = 0.001;
    config.newton_tolerance = 1e-11;
    config.newton = k & 1;
    config.jacobian = k >> 1;
    hfState* s = hf_state_create(m);
    hfiContinuous* c = make(m, HF_FRICTION_REGULARISED, config);
    hf_state_mutable_v(s)[0] = 2;
    int64_t evaluations = 0, iterations = 0, failed = 0;
    for (int i = 0; i < 200; ++i) {
      advance(c, s, 0.001);
      hfIntegratorReport r = hfi_continuous_report(c);
      evaluations += r.evaluations;
      iterations += r.iterations;
      failed += r.failed;
    }
    print_message("%s Newton, %s Jacobian: %ld evaluations, %ld iterations, %ld failed\n", k & 1 ? "quasi" : "full",
                  k >> 1 ? "analytic" : "forward", (long)evaluations, (long)iterations, (long)failed);
    memcpy(q[k], hf_state_q(s), (size_t)m->nq * sizeof(double));
    drop(c);
    hf_state_free(s);
  }
  // steps that fail and are halved differ between the four: errors of implicit Euler at 1 ms
  for (int k = 1; k < 4; ++k) assert_below(largest_difference(q[0], q[k], m->nq), 1e-3);
  hf_model_free(m);
}

// Same state in, same bits out, whatever the integrator did before.
static void test_steps_depend_on_the_state_alone(void** state) {
  (void)state;
  hfModel* m = scene(MIXTURE);
  hfState *s = hf_state_create(m), *copy = hf_state_create(m);
  hfiContinuous* one = make(m, HF_FRICTION_ANCHORED, controlled(HF_METHOD_IMPLICIT_EULER, 1e-4));
  hfiContinuous* two = make(m, HF_FRICTION_ANCHORED, controlled(HF_METHOD_IMPLICIT_EULER, 1e-4));
  for (int i = 0; i < 10; ++i) advance(one, s, 0.01);
  memcpy(copy, s, s->size);
  advance(one, s, 0.01);
  advance(two, copy, 0.01);
  assert_memory_equal(s, copy, s->size);
  drop(one);
  drop(two);
  hf_state_free(s);
  hf_state_free(copy);
  hf_model_free(m);
}

// No step allocates, whatever it meets.
static void test_steps_allocate_nothing(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  hfModel* m = scene(MIXTURE);
  for (int k = 0; k < 3; ++k) {
    hfState* s = hf_state_create(m);
    hfiContinuous* c = make(m, HF_FRICTION_ANCHORED, controlled(methods[k], 1e-4));
    hf_state_mutable_v(s)[0] = 2;
    long before = alloc_count();
    for (int i = 0; i < 20; ++i) advance(c, s, 0.01);
    assert_int_equal(alloc_count() - before, 0);
    drop(c);
    hf_state_free(s);
  }
  hf_model_free(m);
}

// Every allocation of creation may fail: refused, nothing left behind.
static void test_creation_survives_every_failed_allocation(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  hfModel* m = scene(MIXTURE);
  hfAccelConfig accel = hf_accel_config_default();
  hfIntegratorConfig config = controlled(HF_METHOD_SDIRK, 1e-3);
  hfStatus status = HF_ERROR_MEMORY;
  int failed = 0;
  for (int n = 1; status == HF_ERROR_MEMORY; ++n) {
    hfiContinuous* c = NULL;
    long live = alloc_live();
    alloc_fail_at(n);
    status = create(&c, m, &accel, &config, NULL);
    alloc_fail_at(0);
    failed += status == HF_ERROR_MEMORY;
    if (status == HF_OK) drop(c);
    else assert_null(c);
    assert_int_equal(alloc_live(), live);
  }
  assert_int_equal(status, HF_OK);
  assert_at_least(failed, 4);
  hf_model_free(m);
}

// ---- trouble ------------------------------------------------------------------------------------------

static void test_stiff_scene_with_an_explicit_method(void** state) {
  (void)state;
  hfModel* m = scene("<mujoco><option gravity='0 0 -9.81'/><custom><numeric name='hf.stiffness' data='1e9'/></custom>"
                     "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.06'><freejoint/>"
                     "<geom type='sphere' size='0.05' mass='0.01'/></body></worldbody></mujoco>");
  hfIntegratorConfig config = controlled(HF_METHOD_RK3, 1e-3);
  config.error_control = 0;
  config.step = 0.01;
  config.smallest_step = 1e-4;
  hfiContinuous* c = make(m, HF_FRICTION_REGULARISED, config);
  hfState* s = hf_state_create(m);
  hfStatus status = HF_OK;
  double before = 0, height = 0;
  for (int i = 0; i < 20 && status == HF_OK; ++i) {
    before = s->time;
    height = hf_state_q(s)[2];
    status = hfi_continuous_step(c, s, NULL, 0.01, NULL);
  }
  assert_int_equal(status, HF_STEP_TOO_SMALL);
  assert_at_least(s->time, before); // touches at sqrt(2 0.01/9.81) = 45.15 ms
  assert_below(s->time, 0.0452);
  assert_above(hf_state_q(s)[2], 0.05);
  assert_at_most(hf_state_q(s)[2], height);
  assert_near(hf_state_q(s)[2], 0.06 - 0.5 * 9.81 * s->time * s->time, 1e-13);
  drop(c);
  hf_state_free(s);
  hf_model_free(m);
}

// Two prisms with sixteen sides overlap edge to edge. Which face the contact points lie on jumps with the sign of the angle between them, and
// either face pushes towards the other: no implicit step has a solution at any length. Contacts that are held get across, and the prisms
// do not jump apart: they turn by less than the angle between two faces.
static void test_contacts_that_jump_are_held(void** state) {
  (void)state;
  enum { SIDES = 16 };
  char vertices[2 * SIDES * 48], text[sizeof vertices + 1024];
  int used = 0;
  for (int i = 0; i < 2 * SIDES; ++i) {
    double angle = HFI_PI * (i / 2 / (SIDES / 2.) + 0.5), r = 0.0145;
    used += snprintf(vertices + used, sizeof vertices - (size_t)used, " %.6g %g %.6g", r * cos(angle), i % 2 ? r : -r, r * sin(angle));
  }
  snprintf(text, sizeof text, "<mujoco><asset><mesh name='prism' vertex='%s'/></asset><worldbody>"
                              "<body><joint axis='0 1 0' pos='0 0 0.1'/><geom type='mesh' mesh='prism' mass='0.1'/>"
                              "<body pos='0 0 -0.02'><joint axis='1 0 0'/><inertial pos='0 0 0' mass='0.05' diaginertia='1e-5 1e-5 1e-5'/>"
                              "<body pos='0 0 0.01'><joint axis='0 1 0'/><geom type='mesh' mesh='prism' mass='0.1'/></body></body></body>"
                              "</worldbody></mujoco>", vertices);
  hfModel* m = scene(text);
  for (int k = 0; k < 2; ++k) {
    hfIntegratorConfig config = controlled(k ? HF_METHOD_SDIRK : HF_METHOD_IMPLICIT_EULER, 1e-3);
    config.error_control = 0;
    config.step = 0.002;
    config.smallest_step = 2e-9;
    config.max_steps = 2000;
    hfiContinuous* c = make(m, HF_FRICTION_ANCHORED, config);
    hfState* s = hf_state_create(m);
    int64_t held = 0;
    for (int i = 0; i < 50; ++i) {
      assert_int_equal(hfi_continuous_step(c, s, NULL, 0.002, NULL), HF_OK);
      held += hfi_continuous_report(c).held;
    }
    assert_above(held, 0);
    for (int i = 0; i < m->nv; ++i) assert_near(hf_state_q(s)[i], 0, 2 * HFI_PI / SIDES);
    drop(c);
    hf_state_free(s);
  }
  hf_model_free(m);
}

static void test_bad_options(void** state) {
  (void)state;
  hfModel* m = scene(PENDULUM);
  hfAccelConfig accel = hf_accel_config_default();
  hfIntegratorConfig config = controlled(HF_METHOD_RK3, 0);
  hfiContinuous* c = NULL;
  hfError error;
  assert_int_equal(create(&c, m, &accel, &config, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "accuracy"));
  config = controlled(HF_METHOD_RK3, 1e-3);
  config.step = -1;
  assert_int_equal(create(&c, m, &accel, &config, &error), HF_ERROR_ARGUMENT);
  accel.friction = HF_FRICTION_COULOMB;
  config.step = 1;
  assert_int_equal(create(&c, m, &accel, &config, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "coulomb"));
  assert_null(c);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_dzhanibekov_body),
      cmocka_unit_test(test_tied_pendulum_keeps_its_point_and_energy),
      cmocka_unit_test(test_incline),
      cmocka_unit_test(test_jacobians_and_newtons_agree),
      cmocka_unit_test(test_steps_depend_on_the_state_alone),
      cmocka_unit_test(test_steps_allocate_nothing),
      cmocka_unit_test(test_creation_survives_every_failed_allocation),
      cmocka_unit_test(test_stiff_scene_with_an_explicit_method),
      cmocka_unit_test(test_contacts_that_jump_are_held),
      cmocka_unit_test(test_bad_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
