// Chains of light links on connects under heavy loads. Oracles: conserved momenta, energy that never grows, and runs with steps that follow the links.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A chain along x: `first` (or none, where it is 0), n links, a load. All inertias are the same about all axes.
typedef struct Chain {
  int n;
  double link, load, first; // masses [kg]
  int fixed;                // 1: its start is tied to the world
} Chain;

static const double LENGTH = 0.04, RADIUS = 0.05; // of a link, and from the centre of a load to its tie [m]

static int count_bodies(const Chain* c) { return c->n + 1 + (c->first > 0); }
static double mass_of(const Chain* c, int i) {
  if (c->first > 0 && i == 0) return c->first;
  return i == count_bodies(c) - 1 ? c->load : c->link;
}
static double half_of(const Chain* c, int i) { return mass_of(c, i) == c->link ? LENGTH / 2 : RADIUS; }
static double inertia_of(const Chain* c, int i) { return mass_of(c, i) * 1e-3; }

// Writes the scene: each body has its tie to the one before it at its start.
static hfModel* make_chain(const Chain* c, double gravity) {
  enum { SIZE = 400 };
  int nbody = count_bodies(c), used;
  char *text = malloc((size_t)(nbody + 2) * SIZE), *ties = malloc((size_t)(nbody + 2) * SIZE);
  double x = 0;
  used = snprintf(text, SIZE, "<mujoco><option gravity='0 0 %g'/><worldbody>", -gravity);
  int tied = snprintf(ties, SIZE, "</worldbody><equality>");
  for (int i = 0; i < nbody; ++i) {
    double half = half_of(c, i), I = inertia_of(c, i);
    used += snprintf(text + used, SIZE, "<body name='b%d' pos='%g 0 0'><freejoint/><inertial pos='0 0 0' mass='%g' diaginertia='%g %g %g'/></body>", i, x + half, mass_of(c, i), I, I, I);
    if (i > 0) tied += snprintf(ties + tied, SIZE, "<connect body1='b%d' body2='b%d' anchor='%g 0 0'/>", i, i - 1, -half);
    else if (c->fixed) tied += snprintf(ties + tied, SIZE, "<connect body1='b0' anchor='%g 0 0'/>", -half);
    x += 2 * half;
  }
  snprintf(ties + tied, SIZE, "</equality></mujoco>");
  char* all = malloc((size_t)(used + tied) + SIZE);
  sprintf(all, "%s%s", text, ties);
  hfModel* m = parse_model(all);
  free(text), free(ties), free(all);
  return m;
}

static simWorld make_world(const Chain* c, double gravity, double h) { return sim_world_of(make_chain(c, gravity), HF_METHOD_TAMSI, h, 1e-8); }

// Angular momentum about the origin, energy and the like, of bodies whose coordinates and velocities are those of their free joints.
typedef struct Sums { double L[3], energy; } Sums;

static void add_turned(const double* quat, double scale, const double* w, double* L) {
  double s = quat[0], u[3] = {quat[1], quat[2], quat[3]}, t[3];
  for (int i = 0; i < 3; ++i) t[i] = 2 * (u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3]);
  for (int i = 0; i < 3; ++i) L[i] += scale * (w[i] + s * t[i] + u[(i + 1) % 3] * t[(i + 2) % 3] - u[(i + 2) % 3] * t[(i + 1) % 3]);
}

static Sums sum_up(const Chain* c, const hfState* state, double gravity) {
  Sums s = {{0}, 0};
  for (int b = 0; b < count_bodies(c); ++b) {
    const double *q = hf_state_q(state) + 7 * b, *v = hf_state_v(state) + 6 * b, m = mass_of(c, b), I = inertia_of(c, b);
    for (int i = 0; i < 3; ++i) {
      s.L[i] += m * (q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3]);
      s.energy += 0.5 * (m * v[i] * v[i] + I * v[3 + i] * v[3 + i]);
    }
    s.energy += m * gravity * q[2];
    add_turned(q + 3, I, v + 3, s.L);
  }
  return s;
}

// Takes a step that must have no status. Returns how far the worst connect is open.
static double step_well(simWorld* w) {
  hfStepReport report;
  hfError error;
  hfStatus status = hf_sim_step(w->sim, w->state, w->input, &report, &error);
  if (status != HF_OK) fail_msg("%s at %g s, open by %g m", hf_status_name(status), w->state->time, report.violation.equality_distance.amount);
  return report.violation.equality_distance.amount;
}

// Loads that swing down from the side, 1e2 to 1e5 times as heavy as a link: the connects stay closed to 2 cm, half a link, and the energy is never larger than at the
// start. The sum differs from it by what a step moves, m g v h, and by the springs of the rows.
static void test_swinging_loads(void** state) {
  (void)state;
  static const Chain chains[] = {{.n = 1, .link = 1e-3, .load = 1, .fixed = 1},   {.n = 2, .link = 1e-3, .load = 10, .fixed = 1}, {.n = 5, .link = 1e-3, .load = 10, .fixed = 1},
                                 {.n = 20, .link = 1e-3, .load = 10, .fixed = 1}, {.n = 20, .link = 1e-4, .load = 10, .fixed = 1}, {.n = 50, .link = 1e-2, .load = 1, .fixed = 1}};
  static const double steps[] = {0.001, 0.002, 0.005, 0.01};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 4; ++k) {
      simWorld w = make_world(&chains[i], 9.81, steps[k]);
      double start = sum_up(&chains[i], w.state, 9.81).energy, fastest = 6; // about sqrt(2 g 2 m)
      while (w.state->time < 1) {
        double open = step_well(&w);
        if (open > 0.02) fail_msg("chain %d, step %g s: open by %g m", i, steps[k], open);
        assert_below(sum_up(&chains[i], w.state, 9.81).energy, start + chains[i].load * 9.81 * fastest * steps[k]);
      }
      sim_world_free(&w);
    }
}

// A chain of 1 g links with 10 kg at both ends spins and bends, tied to nothing: its angular momentum stays, and its energy does not grow. A damper against the world
// took part in the first. (Points of a connect that are up to 1 mm apart turn the two bodies with up to 1 mm times their force.)
static void test_free_chain(void** state) {
  (void)state;
  const Chain chain = {.n = 10, .link = 1e-3, .load = 10, .first = 10};
  static const double steps[] = {0.002, 0.005, 0.01};
  for (int k = 0; k < 3; ++k) {
    simWorld w = make_world(&chain, 0, steps[k]);
    double middle = RADIUS * 2 + LENGTH * 5;
    for (int b = 0; b < count_bodies(&chain); ++b) {
      double* v = hf_state_mutable_v(w.state) + 6 * b;
      double x = hf_state_q(w.state)[7 * b] - middle;
      v[1] = 10 * x + 0.5 * sin(7 * x), v[2] = 0.5 * cos(5 * x), v[5] = 10;
    }
    Sums start = sum_up(&chain, w.state, 0);
    double size = sqrt(start.L[0] * start.L[0] + start.L[1] * start.L[1] + start.L[2] * start.L[2]);
    while (w.state->time < 2) {
      step_well(&w);
      Sums now = sum_up(&chain, w.state, 0);
      for (int i = 0; i < 3; ++i) assert_near(now.L[i], start.L[i], 0.02 * size);
      assert_below(now.energy, start.energy * (1 + 1e-9));
    }
    sim_world_free(&w);
  }
}

// Time between the first two moments at which the load is below the tie, going the same way [s].
static double measure_period(const Chain* c, double h) {
  simWorld w = make_world(c, 9.81, h);
  double angle = 0.3, before = 1, crossed[3] = {0};
  int count = 0;
  for (int b = 0; b < count_bodies(c); ++b) { // turned about y from the horizontal, to 0.3 rad beside the vertical
    double *q = hf_state_mutable_q(w.state) + 7 * b, r = q[0], turn = acos(-1) / 2 - angle;
    q[0] = r * sin(angle), q[2] = -r * cos(angle), q[3] = cos(turn / 2), q[5] = sin(turn / 2);
  }
  while (count < 3 && w.state->time < 5) {
    step_well(&w);
    double x = hf_state_q(w.state)[7 * (count_bodies(c) - 1)];
    if (x * before < 0) crossed[count++] = w.state->time - h * x / (x - before);
    before = x;
  }
  assert_int_equal(count, 3);
  sim_world_free(&w);
  return crossed[2] - crossed[0];
}

// A pendulum of 5 links of 1 g and 10 kg has the period that it has at steps of 0.1 ms, which follow the links without dampers. At 10 ms the connects are open by
// 4 mm, together a tenth of its length.
static void test_period(void** state) {
  (void)state;
  const Chain chain = {.n = 5, .link = 1e-3, .load = 10, .fixed = 1};
  double period = measure_period(&chain, 1e-4);
  assert_near(measure_period(&chain, 0.001), period, 0.003 * period);
  assert_near(measure_period(&chain, 0.002), period, 0.005 * period);
  assert_near(measure_period(&chain, 0.01), period, 0.04 * period);
}

// Method mlcp has no dampers: links whirl, and come apart though their rows close. A step says so before an equality is open by the length of the chain; none did.
static void test_whirling_links_say_so(void** state) {
  (void)state;
  static const Chain chains[] = {{.n = 5, .link = 1e-3, .load = 0.1, .fixed = 1}, {.n = 20, .link = 1e-3, .load = 10, .fixed = 1}};
  static const double steps[] = {0.01, 0.005};
  for (int i = 0; i < 2; ++i) {
    simWorld w = sim_world_of(make_chain(&chains[i], 9.81), HF_METHOD_MLCP, steps[i], 1e-8);
    hfStepReport report = {0};
    hfError error;
    while (report.status == HF_OK && w.state->time < 2) hf_sim_step(w.sim, w.state, w.input, &report, &error);
    assert_int_equal(report.status, HF_LET_GO);
    assert_int_equal(report.let_go_kind, HF_OBJECT_EQUALITY);
    assert_below(report.violation.equality_distance.amount, chains[i].n * LENGTH);
    sim_world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_swinging_loads), cmocka_unit_test(test_free_chain), cmocka_unit_test(test_period), cmocka_unit_test(test_whirling_links_say_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
