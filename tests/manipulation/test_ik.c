// Inverse kinematics, against closed forms, differences, optimality conditions and round trips.
#include "manipulation/arms.h"
#include "robot/manipulation/arm.h"
#include "support/alloc.h"
#include "support/sim_world.h"

// ---- the box problem ------------------------------------------------------------------------------

// Every choice of free, lower and upper: the one whose solution is feasible with multipliers of the right sign.
static int enumerate(int n, const double* H, const double* g, const double* lo, const double* hi,
                     double* best) {
  int patterns = 1, found = 0;
  for (int i = 0; i < n; ++i) patterns *= 3;
  for (int p = 0; p < patterns; ++p) {
    double A[25], x[5];
    int at[5], ok = 1;
    for (int i = 0, code = p; i < n; ++i, code /= 3) at[i] = code % 3 - 1;
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) A[n * i + k] = at[i] ? i == k : H[n * i + k];
      x[i] = at[i] < 0 ? lo[i] : at[i] > 0 ? hi[i] : g[i];
    }
    for (int c = 0; c < n; ++c) // Gauss-Jordan; diagonally dominant enough here
      for (int r = 0; r < n; ++r) {
        if (r == c) continue;
        double f = A[n * r + c] / A[n * c + c];
        for (int k = 0; k < n; ++k) A[n * r + k] -= f * A[n * c + k];
        x[r] -= f * x[c];
      }
    for (int i = 0; i < n; ++i) x[i] /= A[n * i + i];
    for (int i = 0; i < n; ++i) {
      double m = -g[i];
      for (int k = 0; k < n; ++k) m += H[n * i + k] * x[k];
      ok = ok && x[i] >= lo[i] - 1e-12 && x[i] <= hi[i] + 1e-12 &&
           (at[i] == 0 || -at[i] * m >= -1e-12);
    }
    if (ok) found++, memcpy(best, x, sizeof *x * (size_t)n);
  }
  return found;
}

static void test_box(void** state) {
  (void)state;
  testRandom r = {11};
  print_message("seed 11\n");
  for (int k = 0; k < 2000; ++k) {
    int n = 1 + random_int(&r, 5);
    double B[25], H[25] = {0}, g[5], lo[5], hi[5], x[5], U[25], y[5], want[5];
    int32_t at[5], index[5];
    for (int i = 0; i < n * n; ++i) B[i] = random_uniform(&r, -1, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        H[n * i + j] = i == j ? 0.2 : 0;
        for (int l = 0; l < n; ++l) H[n * i + j] += B[n * l + i] * B[n * l + j];
      }
      g[i] = random_uniform(&r, -3, 3);
      lo[i] = random_uniform(&r, -1, 0.5), hi[i] = lo[i] + random_uniform(&r, 0, 1),
      x[i] = random_uniform(&r, -2, 2);
    }
    assert_at_least(enumerate(n, H, g, lo, hi, want), 1);
    assert_above(hfi_box_minimise(&(hfiBoxProblem){n, H, g, lo, hi, x, at, U, y, index}), 0);
    for (int i = 0; i < n; ++i) assert_near(x[i], want[i], 1e-9); // condition numbers up to 100
  }
}

// ---- kinematics -----------------------------------------------------------------------------------

static void test_jacobian(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14_wsg50.xml", "wsg_grasp");
  assert_int_equal(t.n, 7);
  testRandom r = {3};
  double q[MOST_JOINTS], J[6 * MOST_JOINTS];
  const double e = 1e-6;
  arm_draw(&t, &r, 0.9, q);
  hf_arm_move(t.arm, q);
  hf_arm_jacobian(t.arm, J);
  for (int i = 0; i < t.n; ++i) {
    double kept = q[i];
    q[i] = kept - e, hf_arm_move(t.arm, q);
    hfPose a = hf_arm_pose(t.arm);
    q[i] = kept + e, hf_arm_move(t.arm, q);
    hfMotion d = hf_pose_error(a, hf_arm_pose(t.arm));
    const double got[6] = {d.w.x, d.w.y, d.w.z, d.v.x, d.v.y, d.v.z};
    for (int k = 0; k < 6; ++k)
      assert_near(got[k] / (2 * e), J[k * t.n + i], 1e-8); // e^2 and 1e-16/e
    q[i] = kept;
  }
  arm_close(&t);
}

// The reach of the stretched iiwa 14 with its gripper: link lengths of its data sheet.
static void test_pose(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14_wsg50.xml", "wsg_grasp");
  double q[7] = {0};
  hf_arm_move(t.arm, q);
  hfPose X = hf_arm_pose(t.arm);
  assert_near(X.p.z, 0.1575 + 0.2025 + 0.2045 + 0.2155 + 0.1845 + 0.2155 + 0.081 + 0.114 + 0.092,
              1e-12);
  assert_near(X.R.m[7], 1, 1e-12); // fingers, along y, point up
  assert_near(hf_arm_effort(t.arm, 6), 40, 0);
  arm_close(&t);
}

// ---- differential ---------------------------------------------------------------------------------

// Without limits: x = w + J^T (J J^T + lambda^2)^-1 (V - J w), solved here by elimination.
static void closed_form(int n, const double* J, const double* V, const double* w, double lambda,
                        double* x) {
  double A[36], b[6];
  for (int r = 0; r < 6; ++r) {
    b[r] = V[r];
    for (int i = 0; i < n; ++i) b[r] -= J[r * n + i] * w[i];
    for (int c = 0; c < 6; ++c) {
      A[6 * r + c] = r == c ? lambda * lambda : 0;
      for (int i = 0; i < n; ++i) A[6 * r + c] += J[r * n + i] * J[c * n + i];
    }
  }
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) {
      if (r == c) continue;
      double f = A[6 * r + c] / A[6 * c + c];
      for (int k = c; k < 6; ++k) A[6 * r + k] -= f * A[6 * c + k];
      b[r] -= f * b[c];
    }
  for (int i = 0; i < n; ++i) {
    x[i] = w[i];
    for (int r = 0; r < 6; ++r) x[i] += J[r * n + i] * b[r] / A[7 * r];
  }
}

static void weighted_jacobian(const testArm* t, double length, double* J) {
  hf_arm_jacobian(t->arm, J);
  for (int i = 0; i < 3 * t->n; ++i) J[i] *= length;
}

// A twist at random, and its numbers V (6) with rotations weighted by the length.
static hfMotion draw_twist(testRandom* r, double length, double* V) {
  hfMotion twist = {{random_normal(r), random_normal(r), random_normal(r)},
                    {random_normal(r), random_normal(r), random_normal(r)}};
  v3_store(V, v3_scale(length, twist.w));
  v3_store(V + 3, twist.v);
  return twist;
}

static void test_rate_closed_form(void** state) {
  (void)state;
  static const char* const files[][2] = {
      {"iiwa14.xml", "flange"}, {"iiwa7_wsg50.xml", "wsg_grasp"}, {"ur10.xml", "hand"}};
  testRandom r = {5};
  for (int f = 0; f < 3; ++f) {
    testArm t;
    arm_open(&t, files[f][0], files[f][1]);
    for (int k = 0; k < 50; ++k) {
      double q[MOST_JOINTS], posture[MOST_JOINTS], x[MOST_JOINTS], want[MOST_JOINTS],
          J[6 * MOST_JOINTS], w[MOST_JOINTS], V[6];
      arm_draw(&t, &r, 0.9, q), arm_draw(&t, &r, 0.9, posture);
      hfIkConfig c = hf_ik_config_default();
      c.damping = 0.05, c.posture = posture, c.posture_gain = 0.3;
      c.period = 1e-9; // ranges do not bind
      hf_arm_move(t.arm, q);
      weighted_jacobian(&t, c.length, J);
      hfMotion twist = draw_twist(&r, c.length, V);
      for (int i = 0; i < t.n; ++i) w[i] = c.posture_gain * (posture[i] - q[i]);
      hf_arm_rate(t.arm, twist, &c, x, NULL);
      closed_form(t.n, J, V, w, c.damping, want);
      for (int i = 0; i < t.n; ++i)
        assert_near(x[i], want[i], 1e-8 * (1 + fabs(want[i])) / c.damping); // cond ~ (1/lambda)^2
    }
    arm_close(&t);
  }
}

// Under limits: within them, and no feasible change lowers the value (Karush, Kuhn, Tucker).
static void test_rate_limits(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  testRandom r = {17};
  int bound = 0;
  for (int k = 0; k < 300; ++k) {
    double q[7], x[7], J[42], speed[7], V[6], value[6];
    arm_draw(&t, &r, 1.0, q);
    for (int i = 0; i < 7; ++i) speed[i] = random_uniform(&r, 0.1, 1);
    hfIkConfig c = hf_ik_config_default();
    c.speed = speed, c.period = 0.1, c.damping = 0.01;
    hf_arm_move(t.arm, q);
    weighted_jacobian(&t, c.length, J);
    hfMotion twist = draw_twist(&r, c.length, V);
    hfIkReport report;
    hf_arm_rate(t.arm, twist, &c, x, &report);
    for (int m = 0; m < 6; ++m) {
      value[m] = -V[m];
      for (int i = 0; i < 7; ++i) value[m] += J[7 * m + i] * x[i];
    }
    int limited = 0;
    for (int i = 0; i < 7; ++i) {
      const double* range = arm_range(&t, i);
      double lo = fmin(fmax((range[0] - q[i]) / c.period, -speed[i]), speed[i]),
             hi = fmin(fmax((range[1] - q[i]) / c.period, -speed[i]), speed[i]);
      double slope = c.damping * c.damping * x[i];
      for (int m = 0; m < 6; ++m) slope += J[7 * m + i] * value[m];
      assert_at_least(x[i], lo);
      assert_at_most(x[i], hi);
      if (x[i] == lo)
        assert_true(slope >= -1e-9), limited++;
      else if (x[i] == hi)
        assert_true(slope <= 1e-9), limited++;
      else
        assert_near(slope, 0, 1e-9); // values are of order 1
    }
    assert_int_equal(report.limited, limited);
    bound += limited > 0;
  }
  assert_above(bound, 100);
  arm_close(&t);
}

// A posture moves a seven-joint arm without moving its tip; the tip's drift is the step's second order, made good by
// tracking.
static void test_nullspace(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  double q[7] = {0.2, 0.6, 0.1, -1.5, 0.3, 1.0, 0},
         posture[7] = {-0.8, 0.6, 0.9, -1.5, 0.3, 1.0, 0};
  hfSetpoint ref[7];
  hf_arm_move(t.arm, q);
  hfPose X = hf_arm_pose(t.arm);
  for (int i = 0; i < 7; ++i) ref[i] = (hfSetpoint){q[i], 0, 0};
  hfIkConfig c = hf_ik_config_default();
  c.posture = posture, c.posture_gain = 1;
  double before = 0, after = 0, moved = 0;
  for (int k = 0; k < 2000; ++k) {
    hf_arm_track(t.arm, X, &c, ref, NULL);
    hfMotion e = hf_pose_error(hf_arm_pose(t.arm), X);
    assert_true(sqrt(e.v.x * e.v.x + e.v.y * e.v.y + e.v.z * e.v.z) <
                2e-5); // lambda^2/sigma^2 of the posture's pull, and h^2
  }
  for (int i = 0; i < 7; ++i) {
    before += (q[i] - posture[i]) * (q[i] - posture[i]),
        after += (ref[i].q - posture[i]) * (ref[i].q - posture[i]);
    moved = fmax(moved, fabs(ref[i].q - q[i]));
  }
  assert_below(after, 0.9 * before);
  assert_above(moved, 0.1);
  arm_close(&t);
}

// Stretched upwards the iiwa cannot rise, and cannot turn about x: rates stay below |V|/(2 lambda) and the answer says so.
static void test_singular(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  double q[7] = {0}, rate[7];
  hfIkConfig c = hf_ik_config_default();
  hfMotion up = {{0, 0, 0}, {0, 0, 0.1}};
  hfIkReport report;
  hf_arm_move(t.arm, q);
  assert_int_equal(hf_arm_rate(t.arm, up, &c, rate, &report), HF_NO_SOLUTION);
  assert_near(report.position_error, 0.1, 1e-9);
  for (int i = 0; i < 7; ++i) assert_at_most(fabs(rate[i]), 0.1 / (2 * c.damping));
  for (int i = 0; i < 7; ++i) q[i] = 1e-5 * (i + 1); // next to it
  hf_arm_move(t.arm, q);
  hf_arm_rate(t.arm, up, &c, rate, &report);
  for (int i = 0; i < 7; ++i) assert_at_most(fabs(rate[i]), 0.1 / (2 * c.damping));
  arm_close(&t);
}

// Towards a place that is out of reach: ranges and speeds hold at every step, and a joint outside its range comes back.
static void test_track_limits(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  double speed[7] = {1.48, 1.48, 1.74, 1.3, 2.26, 2.35, 2.35};
  hfSetpoint ref[7] = {{0.2, 0, 0}, {2.2, 0, 0}, {0, 0, 0}, {-1, 0, 0},
                       {0, 0, 0},   {1, 0, 0},   {0, 0, 0}}; // joint 2 is 0.1 outside
  hfPose X = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {3, 3, 0}};
  hfIkConfig c = hf_ik_config_default();
  c.speed = speed;
  int status = HF_OK;
  long calls;
  for (int k = 0; k < 2000; ++k) {
    calls = alloc_count();
    status = hf_arm_track(t.arm, X, &c, ref, NULL);
    assert_true(alloc_count() == calls);
    for (int i = 0; i < 7; ++i) {
      assert_at_most(fabs(ref[i].v), speed[i] * (1 + 1e-12));
      if (k > 50)
        assert_true(ref[i].q >= arm_range(&t, i)[0] - 1e-12 &&
                    ref[i].q <= arm_range(&t, i)[1] + 1e-12);
    }
  }
  assert_int_equal(status, HF_NO_SOLUTION);
  arm_close(&t);
}

// ---- iterating ------------------------------------------------------------------------------------

static void test_round_trips(void** state) {
  (void)state;
  round_trip("iiwa14.xml", "flange", 100);
  round_trip("iiwa7_wsg50.xml", "wsg_grasp", 100);
  round_trip("ur10.xml", "hand", 100);
}
static const char planar[] =
    "<mujoco><worldbody><body><joint axis='0 0 1'/><geom size='0.1'/><body pos='1 0 0'><joint "
    "axis='0 0 1'/><geom size='0.1'/>"
    "<body name='tip' pos='0.7 0 0'><geom size='0.1'/></body></body></body></worldbody></mujoco>";

static hfPose planar_pose(double x, double y, double angle) {
  hfPose X = {{{cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1}}, {x, y, 0}};
  return X;
}

// Two links in the plane: the elbow of the law of cosines. The tip's direction is given, so that there is one answer.
static void test_planar(void** state) {
  (void)state;
  hfModel* m = parse_model(planar);
  hfArm* arm = NULL;
  assert_int_equal(hf_arm_create(&arm, m, "tip", NULL, NULL), HF_OK);
  hfIkConfig c = hf_ik_config_default();
  for (double distance = 0.4; distance < 1.69; distance += 0.1)
    for (int side = -1; side <= 1; side += 2) {
      double elbow = side * acos((distance * distance - 1 - 0.49) / 1.4), direction = 0.4;
      double shoulder = direction - atan2(0.7 * sin(elbow), 1 + 0.7 * cos(elbow)),
             q[2] = {0.1, 0.2};
      hfPose X =
          planar_pose(distance * cos(direction), distance * sin(direction), shoulder + elbow);
      assert_int_equal(hf_arm_solve(arm, X, &c, q, NULL), HF_OK);
      assert_near(remainder(q[0] - shoulder, 6.283185307179586), 0,
                  1e-5); // tolerances over the smallest lever
      assert_near(remainder(q[1] - elbow, 6.283185307179586), 0, 1e-5);
    }
  hf_arm_free(arm);
  hf_model_free(m);
}

// The iteration ends as soon as both errors are within their tolerances: looser ones take fewer iterations, and the error
// left is between the loose and the tight tolerance.
static void test_tolerances(void** state) {
  (void)state;
  hfModel* m = parse_model(planar);
  hfArm* arm = NULL;
  assert_int_equal(hf_arm_create(&arm, m, "tip", NULL, NULL), HF_OK);
  hfIkReport report[3];
  for (int i = 0; i < 3; ++i) {
    hfIkConfig c = hf_ik_config_default();
    c.position_tolerance = i == 1 ? 1e-12 : 1e-2, c.rotation_tolerance = i == 2 ? 1e-12 : 1e-2;
    double q[2] = {0.1, 0.2}, there[2] = {0.7, 1.1};
    hf_arm_move(arm, there);
    assert_int_equal(hf_arm_solve(arm, hf_arm_pose(arm), &c, q, &report[i]), HF_OK);
    assert_at_most(report[i].position_error, c.position_tolerance);
    assert_at_most(report[i].rotation_error, c.rotation_tolerance);
  }
  assert_above(report[1].iterations, report[0].iterations);
  assert_above(report[2].iterations, report[0].iterations);
  assert_above(report[0].position_error, 1e-12);
  assert_above(report[0].rotation_error, 1e-12);
  hf_arm_free(arm);
  hf_model_free(m);
}

// Beyond the reach of 1.7 m the nearest place is the stretched arm, and the status says that it is no solution.
static void test_unreachable(void** state) {
  (void)state;
  hfModel* m = parse_model(planar);
  hfArm* arm = NULL;
  assert_int_equal(hf_arm_create(&arm, m, "tip", NULL, NULL), HF_OK);
  hfIkConfig c = hf_ik_config_default();
  hfIkReport report;
  double q[2] = {1, -2};
  assert_int_equal(
      hf_arm_solve(arm, planar_pose(2.5 * cos(0.4), 2.5 * sin(0.4), 0.4), &c, q, &report),
      HF_NO_SOLUTION);
  assert_near(report.position_error, 0.8,
              1e-3); // the descent ends where a step gains less than 1e-6
  assert_true(report.restarts == c.restarts);
  c.iterations = 1;
  q[0] = 1, q[1] = -2;
  assert_int_equal(hf_arm_solve(arm, planar_pose(1, 0.5, 0.7), &c, q, &report), HF_NOT_CONVERGED);
  hf_arm_free(arm);
  hf_model_free(m);
}

// Targets beyond the reach of an arm with seven joints, with the default configuration. The flange of the iiwa is never
// farther from its shoulder (0, 0, 0.36) than the links are long, 0.42 + 0.4 + 0.126 m: what is missing is at least the rest
// of the distance, and no more than half as much again, because the orientation may cost some of it.
static void test_unreachable_by_seven_joints(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  testRandom r = {31};
  print_message("seed 31\n");
  for (int k = 0; k < 30; ++k) {
    double there[MOST_JOINTS], q[MOST_JOINTS], distance = random_uniform(&r, 1.3, 4);
    arm_draw(&t, &r, 0.9, there), arm_draw(&t, &r, 0.5, q);
    hf_arm_move(t.arm, there);
    hfPose X = hf_arm_pose(t.arm);
    hfVec3 away = {X.p.x, X.p.y, X.p.z - 0.36};
    double scale = distance / sqrt(away.x * away.x + away.y * away.y + away.z * away.z);
    X.p = (hfVec3){scale * away.x, scale * away.y, 0.36 + scale * away.z};
    hfIkConfig c = hf_ik_config_default();
    hfIkReport report;
    assert_int_equal(hf_arm_solve(t.arm, X, &c, q, &report), HF_NO_SOLUTION);
    double missing = distance - 0.946;
    assert_above(report.position_error, missing - 1e-9);
    assert_below(report.position_error, 1.5 * missing);
  }
  arm_close(&t);
}

static void test_not_finite(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  hfIkConfig c = hf_ik_config_default();
  hfPose X = hf_arm_pose(t.arm);
  hfMotion V = {{0, NAN, 0}, {0, 0, 0}};
  double q[7] = {1, 2, 3, 4, 5, 6, 7};
  hfSetpoint s[7] = {{1, 2, 3}};
  X.p.x = INFINITY;
  assert_int_equal(hf_arm_rate(t.arm, V, &c, q, NULL), HF_ERROR_NONFINITE);
  assert_int_equal(hf_arm_solve(t.arm, X, &c, q, NULL), HF_ERROR_NONFINITE);
  assert_int_equal(hf_arm_track(t.arm, X, &c, s, NULL), HF_ERROR_NONFINITE);
  for (int i = 0; i < 7; ++i) assert_true(q[i] == i + 1);
  assert_true(s[0].q == 1 && s[0].v == 2 && s[0].a == 3);
  arm_close(&t);
}

// Every number of the configuration outside of its range is refused by the functions that read it, and nothing changes: a posture that
// is not a number gave rates of thousands of radians a second.
static void test_configurations_that_are_refused(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  hfPose X = hf_arm_pose(t.arm);
  hfMotion V = {{0, 0, 0}, {0.1, 0, 0}};
  double nan7[7] = {0, 0, 0, NAN, 0, 0, 0}, negative7[7] = {1, 1, -1, 1, 1, 1, 1}, q[7] = {1, 2, 3, 4, 5, 6, 7};
  hfSetpoint s[7] = {{1, 2, 3}};
  for (int k = 0; k < 13; ++k) {
    hfIkConfig c = hf_ik_config_default();
    double* numbers[] = {&c.length, &c.damping, &c.posture_gain, &c.period, &c.tolerance, &c.position_tolerance, &c.rotation_tolerance};
    if (k < 7) *numbers[k] = k % 2 ? -1 : NAN;
    if (k == 7) c.length = 0;
    if (k == 8) c.period = 0;
    if (k == 9) c.iterations = -1;
    if (k == 10) c.restarts = -1;
    if (k == 11) c.speed = negative7;
    if (k == 12) c.posture = nan7;
    int both = k < 3 || k == 7 || k == 12, searching = both || k == 5 || k == 6 || k == 9 || k == 10, moving = both || !searching;
    hfStatus want = k == 12 ? HF_ERROR_NONFINITE : HF_ERROR_ARGUMENT;
    if (searching) assert_int_equal(hf_arm_solve(t.arm, X, &c, q, NULL), want);
    if (moving) assert_int_equal(hf_arm_rate(t.arm, V, &c, q, NULL), want);
    if (moving) assert_int_equal(hf_arm_track(t.arm, X, &c, s, NULL), want);
  }
  hfIkConfig c = hf_ik_config_default();
  q[6] = NAN;
  assert_int_equal(hf_arm_solve(t.arm, X, &c, q, NULL), HF_ERROR_NONFINITE);
  for (int i = 0; i < 6; ++i) assert_true(q[i] == i + 1);
  s[3].a = INFINITY;
  assert_int_equal(hf_arm_track(t.arm, X, &c, s, NULL), HF_ERROR_NONFINITE);
  assert_true(s[0].q == 1 && s[0].v == 2 && s[0].a == 3);
  arm_close(&t);
}

static void test_refusals(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa_pick.xml", "iiwa_wsg_grasp");
  hfArm* arm = NULL;
  hfError error;
  assert_int_equal(hf_arm_create(&arm, t.model, "nothing", NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "nothing"));
  assert_int_equal(hf_arm_create(&arm, t.model, "water_bottle", NULL, &error),
                   HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "water_bottle"));
  assert_int_equal(hf_arm_create(&arm, t.model, "work_table", NULL, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_arm_create(&arm, t.model, "iiwa_link3", "iiwa_link5", &error),
                   HF_ERROR_ARGUMENT);
  assert_null(arm);
  assert_int_equal(hf_arm_create(&arm, t.model, "iiwa_link7", "iiwa_link5", &error), HF_OK);
  assert_int_equal(hf_arm_size(arm), 3);
  hf_arm_free(arm);
  arm_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box),         cmocka_unit_test(test_jacobian),
      cmocka_unit_test(test_pose),        cmocka_unit_test(test_rate_closed_form),
      cmocka_unit_test(test_rate_limits), cmocka_unit_test(test_nullspace),
      cmocka_unit_test(test_singular),    cmocka_unit_test(test_track_limits),
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_planar),      cmocka_unit_test(test_tolerances), cmocka_unit_test(test_unreachable),
      cmocka_unit_test(test_unreachable_by_seven_joints),
      cmocka_unit_test(test_not_finite),  cmocka_unit_test(test_configurations_that_are_refused), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
