// Impacts of several contacts at once (docs/theory/impacts.md), by closed forms.
#include "support/near.h"
#include "support/sim_world.h"

#include <stdio.h>

// ---- flat falls ---------------------------------------------------------------------------------------

typedef struct Fallen {
  const char* name;
  const char* geom;
  double height; // of its centre where it lies [m]
  const char* turn;
} Fallen;

static const Fallen kFallen[] = {
    {"box", "type='box' size='.06 .04 .03'", 0.03, "1 0 0 0"},
    {"cube", "type='box' size='.05 .05 .05'", 0.05, "1 0 0 0"},
    {"standing cylinder", "type='cylinder' size='.04 .05'", 0.05, "1 0 0 0"},
    {"lying cylinder", "type='cylinder' size='.04 .05'", 0.04, "1 1 0 0"},
    {"lying capsule", "type='capsule' size='.04 .05'", 0.04, "1 1 0 0"},
};
enum { FALLEN = sizeof kFallen / sizeof *kFallen };

// The highest point above the floor after the first impact of a body that falls flat by 0.1 m, and the fastest turn.
static void fall_flat(const Fallen* body, double e, double h, double* rebound, double* turn) {
  char xml[600];
  snprintf(xml, sizeof xml,
           "<mujoco><custom><numeric name='hf.restitution' data='%g'/></custom><worldbody><geom type='plane' size='9 9 1'/>"
           "<body pos='0 0 %.17g' quat='%s'><freejoint/><geom %s/></body></worldbody></mujoco>",
           e, body->height + 0.1, body->turn, body->geom);
  simWorld w = sim_world_make(xml, h, 1e-10);
  int has_bounced = 0;
  *rebound = *turn = 0;
  for (double t = 0; t < 0.43; t += h) { // The first impact is at 0.143 s; with e = 1 the next top is at 0.286 s.
    double before = sim_v(&w)[2];
    sim_world_step(&w, 1);
    has_bounced |= sim_v(&w)[2] > before + 0.1;
    if (has_bounced) *rebound = fmax(*rebound, sim_q(&w)[2] - body->height);
    for (int i = 3; i < 6; ++i) *turn = fmax(*turn, fabs(sim_v(&w)[i]));
    if (has_bounced && sim_v(&w)[2] < -0.01) break;
  }
  sim_world_free(&w);
}

// Newton's law on all corners at once: the body rises to e^2 times the height from which it fell, and does not turn. 2 %: a step moves the
// centre by the mean velocity, and the overlap before the impact is below 1e-4 m. No turn: all corners have the same speed to rounding.
static void test_flat_falls(void** state) {
  (void)state;
  static const double e[] = {0.3, 0.5, 0.8, 1};
  static const double h[] = {1e-4, 5e-4, 1e-3, 2e-3, 5e-3};
  for (int k = 0; k < FALLEN; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 5; ++j) {
        double rebound, turn;
        fall_flat(&kFallen[k], e[i], h[j], &rebound, &turn);
        double want = 0.1 * e[i] * e[i];
        if (!(fabs(rebound - want) < 0.02 * want && turn < 1e-6))
          fail_msg("%s, e = %g, h = %g: rebound %g for %g m, turn %g rad/s", kFallen[k].name, e[i], h[j], rebound, want, turn);
      }
}


// ---- balls on a table ---------------------------------------------------------------------------------

enum { MOST_BALLS = 16 };
static const double kRadius = 0.03;

// Balls of 0.2 kg without gravity at the places x, y (n each), the first with the velocity (vx, 0, 0). mirrored: the file lists them in
// reverse order. Ball i of the places has the dofs from place_dof(i).
static simWorld make_balls(const double (*place)[2], int n, double vx, double e, double friction, int is_reversed, double h) {
  char xml[4000];
  snprintf(xml, sizeof xml, "<mujoco><option gravity='0 0 0'/><custom><numeric name='hf.restitution' data='%g'/></custom><worldbody>", e);
  for (int k = 0; k < n; ++k) {
    const double* p = place[is_reversed ? n - 1 - k : k];
    snprintf(xml + strlen(xml), sizeof xml - strlen(xml),
             "<body pos='%.17g %.17g 0'><freejoint/><geom size='%g' mass='.2' friction='%g'/></body>", p[0], p[1], kRadius, friction);
  }
  strcat(xml, "</worldbody></mujoco>");
  simWorld w = sim_world_make(xml, h, 1e-10);
  sim_v(&w)[is_reversed ? 6 * (n - 1) : 0] = vx;
  return w;
}

static int place_of(int i, int n, int is_reversed) { return is_reversed ? n - 1 - i : i; }

static double kinetic_energy(simWorld* w, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 6; ++k) sum += 0.5 * (k < 3 ? 0.2 : 0.4 * 0.2 * kRadius * kRadius) * sim_v(w)[6 * i + k] * sim_v(w)[6 * i + k];
  return sum;
}

// A ball at 1 m/s meets two that touch, both at once, e = 1 and no friction. With c = cos 30 degrees, impulses gamma/m = 2 c/(1 + 2 c^2) along
// the lines of centres: each of the two gets (0.6, +-0.6 tan 30 deg), the first one keeps 1 - 2 c gamma/m = -0.2. One step, so that the
// gap of 1e-6 m is all that differs from touching: 1e-4 m/s.
static void test_one_ball_against_two(void** state) {
  (void)state;
  const double c = sqrt(0.75), gap = 1e-6;
  const double place[3][2] = {{-2 * kRadius * c - gap, 0}, {0, kRadius}, {0, -kRadius}};
  for (int is_reversed = 0; is_reversed < 2; ++is_reversed) {
    simWorld w = make_balls(place, 3, 1, 1, 0, is_reversed, 1e-3);
    sim_world_step(&w, 1);
    const double* v[3];
    for (int i = 0; i < 3; ++i) v[i] = sim_v(&w) + 6 * place_of(i, 3, is_reversed);
    assert_near(v[0][0], -0.2, 1e-4);
    assert_near(v[1][0], 0.6, 1e-4);
    assert_near(v[1][1], 0.6 / sqrt(3), 1e-4);
    assert_near(v[2][0], v[1][0], 1e-14);
    assert_near(v[2][1], -v[1][1], 1e-14);
    assert_near(kinetic_energy(&w, 3), 0.1, 1e-14);
    sim_world_free(&w);
  }
}

// Fifteen balls in a triangle that touch, with the tip towards the first ball.
static void place_rack(double (*place)[2]) {
  int n = 0;
  place[n][0] = -0.2, place[n++][1] = 0;
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k <= row; ++k) {
      place[n][0] = sqrt(3) * kRadius * row;
      place[n++][1] = kRadius * (2 * k - row);
    }
}

// The break of a rack is mirror symmetric, and has nowhere more energy than before: until 0.3 s, with and without friction. Rounding grows by the
// factor of some hundred in each collision of two balls: 1e-9 m until the balls that the break sets apart meet again.
static void test_break_is_symmetric(void** state) {
  (void)state;
  double place[MOST_BALLS][2];
  place_rack(place);
  for (int k = 0; k < 8; ++k) {
    double e = k & 1 ? 1 : 0.95, friction = k & 2 ? 0.2 : 0, h = k & 4 ? 5e-3 : 1e-3;
    simWorld w = make_balls((const double(*)[2])place, MOST_BALLS, 3, e, friction, 0, h);
    double energy = kinetic_energy(&w, MOST_BALLS);
    for (double t = 0; t < 0.3; t += h) {
      sim_world_step(&w, 1);
      double now = kinetic_energy(&w, MOST_BALLS);
      if (!(now <= energy * (1 + 1e-12))) fail_msg("case %d: %g J grow to %g J at %g s", k, energy, now, t);
      energy = now;
      const double* q = sim_q(&w);
      for (int row = 0, first = 1; row < 5; first += ++row)
        for (int i = 0; i <= row; ++i) {
          const double *a = q + 7 * (first + i), *b = q + 7 * (first + row - i);
          if (!(fabs(a[0] - b[0]) < 1e-9 && fabs(a[1] + b[1]) < 1e-9)) fail_msg("case %d, %g s: %g %g", k, t, a[0] - b[0], a[1] + b[1]);
        }
    }
    sim_world_free(&w);
  }
}

// The same break with the balls in reverse order in the file.
static void test_break_in_reverse_order(void** state) {
  (void)state;
  double place[MOST_BALLS][2];
  place_rack(place);
  for (int k = 0; k < 4; ++k) {
    simWorld w[2];
    for (int r = 0; r < 2; ++r) {
      w[r] = make_balls((const double(*)[2])place, MOST_BALLS, 3, 0.9, k & 1 ? 0.2 : 0, r, k & 2 ? 5e-3 : 1e-3);
      sim_world_step(&w[r], k & 2 ? 30 : 150);
    }
    for (int i = 0; i < MOST_BALLS; ++i)
      for (int j = 0; j < 3; ++j) assert_near(sim_q(&w[0])[7 * i + j], sim_q(&w[1])[7 * (MOST_BALLS - 1 - i) + j], 1e-9);
    for (int r = 0; r < 2; ++r) sim_world_free(&w[r]);
  }
}

// ---- a stack ------------------------------------------------------------------------------------------

// A box falls flat on three that lie on each other. All stay upright, their energy never grows, and at the end they lie on each other. Where the
// corners meet at once nothing turns them: 1e-6 rad/s, a millionth of what one corner after the other gave (2 rad/s).
static void test_struck_stack(void** state) {
  (void)state;
  for (int k = 0; k < 9; ++k) {
    static const double e[] = {0.3, 0.5, 0.8}, h[] = {5e-4, 2e-3, 5e-3};
    char xml[2000];
    snprintf(xml, sizeof xml, "<mujoco><custom><numeric name='hf.restitution' data='%g'/></custom><worldbody><geom type='plane' size='9 9 1'/>", e[k / 3]);
    for (int i = 0; i < 4; ++i)
      snprintf(xml + strlen(xml), sizeof xml - strlen(xml), "<body pos='0 0 %g'><freejoint/><geom type='box' size='.05 .05 .05'/></body>",
               0.05 + 0.1 * i + (i == 3 ? 0.1 : 0));
    strcat(xml, "</worldbody></mujoco>");
    simWorld w = sim_world_make(xml, h[k % 3], 1e-10);
    double energy = INFINITY;
    for (double t = 0; t < 2; t += h[k % 3]) {
      sim_world_step(&w, 1);
      double now = 0; // m = 1 kg
      for (int i = 0; i < 4; ++i) {
        const double* v = sim_v(&w) + 6 * i;
        now += 0.5 * v[2] * v[2] + 9.81 * sim_q(&w)[7 * i + 2];
        for (int r = 3; r < 6; ++r)
          if (!(fabs(v[r]) < 1e-6)) fail_msg("case %d, %g s: box %d turns at %g rad/s", k, t, i, v[r]);
      }
      // an overlap of 3e-5 m at four points of 5e5 N/m holds 1e-3 J, and gives it back
      if (!(now < energy + 1e-3)) fail_msg("case %d, %g s: %g J grow to %g J", k, t, energy, now);
      energy = now;
    }
    for (int i = 0; i < 4; ++i) assert_near(sim_q(&w)[7 * i + 2], 0.05 + 0.1 * i, 5e-4);
    sim_world_free(&w);
  }
}

// ---- methods without restitution ----------------------------------------------------------------------

// Methods that do not read hf.restitution refuse it by the names of the geom and the method, also if it appears later as a parameter.
static void test_restitution_is_refused_where_it_is_not_read(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK, HF_METHOD_SWITCHING};
  hfModel* base = parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/><geom name='ball' size='.1'/></body></worldbody></mujoco>");
  hfParams* params = NULL;
  assert_int_equal(hf_params_create(&params, base, NULL), HF_OK);
  for (int k = 0; k < 4; ++k) {
    hfSimConfig config = hf_sim_config_default();
    hfError error;
    hfSim* sim = NULL;
    hfState* s = hf_state_create(base);
    config.method = methods[k];

    hf_params_field(params, HF_FIELD_geom_restitution)[1] = 0;
    assert_int_equal(hf_params_update(params, NULL), HF_OK);
    assert_int_equal(hf_sim_create(&sim, hf_params_model(params), &config, &error), HF_OK);
    assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_OK);

    hf_params_field(params, HF_FIELD_geom_restitution)[1] = 0.5;
    assert_int_equal(hf_params_update(params, NULL), HF_OK);
    assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_ERROR_UNSUPPORTED);
    hf_sim_free(sim);
    assert_int_equal(hf_sim_create(&sim, hf_params_model(params), &config, &error), HF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "geom \"ball\""));
    assert_non_null(strstr(error.message, hf_method_name(methods[k])));
    hf_state_free(s);
  }
  hf_params_free(params);
  hf_model_free(base);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat_falls),         cmocka_unit_test(test_one_ball_against_two),   cmocka_unit_test(test_break_is_symmetric),
      cmocka_unit_test(test_break_in_reverse_order), cmocka_unit_test(test_struck_stack),
      cmocka_unit_test(test_restitution_is_refused_where_it_is_not_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
