// Free flight conserves energy and momentum, to the order of the integrator.
#include "dynamics/rk4.h"
#include "dynamics/trees.h"

typedef struct Invariants { double energy; hfVec3 linear, angular; } Invariants;

static Invariants measure(World* w) {
  Invariants r;
  hf_dynamics_set_position(w->d, w->q, NULL);
  hf_dynamics_set_velocity(w->d, w->v);
  r.energy = hf_dynamics_kinetic_energy(w->d) + hf_dynamics_potential_energy(w->d, w->q);
  hf_dynamics_momentum(w->d, v3(0.3, -0.2, 0.1), &r.linear, &r.angular);
  return r;
}

// Largest relative change of energy and momenta.
static double drift(const Invariants* a, const Invariants* b) {
  double energy = fabs(a->energy - b->energy) / fmax(1, fabs(a->energy));
  double linear = v3_norm(v3_sub(a->linear, b->linear)) / fmax(1, v3_norm(a->linear));
  double angular = v3_norm(v3_sub(a->angular, b->angular)) / fmax(1, v3_norm(a->angular));
  return fmax(energy, fmax(linear, angular));
}

static void semi_implicit_step(World* w, double h) {
  double tau[MAX_DOF] = {0}, vdot[MAX_DOF];
  hf_dynamics_set_position(w->d, w->q, NULL);
  hf_dynamics_forward(w->d, w->v, tau, NULL, vdot);
  for (int i = 0; i < w->model->nv; ++i) w->v[i] += h * vdot[i];
  hf_model_integrate(w->model, w->q, w->v, h);
}

static double drift_after(const World* start, void (*step)(World*, double), double time, int steps) {
  World w = *start;
  Invariants before = measure(&w);
  for (int k = 0; k < steps; ++k) step(&w, time / steps);
  Invariants after = measure(&w);
  return drift(&before, &after);
}

// RK4 over 0.1 s with h = 0.5 ms: h^4 times rates of up to (20/s)^5 is 1e-7; typical trees do far better,
// so 1e-8 is asked of all and the order of the single worst is not lost in rounding.
static void check_rk4(World* w, testRandom* r) {
  (void)r;
  double error = drift_after(w, rk4_step, 0.1, 200);
  assert_near(error, 0, 1e-8);
}

static void test_rk4(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  spec.flags = TREE_FLOATING | TREE_NO_GRAVITY | TREE_ARMATURE;
  for_random_trees(&spec, TREES, check_rk4);
}

// In uniform gravity the energy of a tree on any joints is conserved; momentum is not.
static void check_energy_in_gravity(World* w, testRandom* r) {
  (void)r;
  World end = *w;
  double before = measure(&end).energy;
  for (int k = 0; k < 200; ++k) rk4_step(&end, 0.1 / 200);
  assert_near(measure(&end).energy, before, 1e-8 * fmax(10, fabs(before)));
}

static void test_energy_in_gravity(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_energy_in_gravity);
}

// Semi-implicit Euler is of first order: halving h halves the drift. Summed over trees, so that one
// whose leading error happens to cancel does not decide.
static double coarse_drift, fine_drift;

static void sum_euler_drift(World* w, testRandom* r) {
  (void)r;
  coarse_drift += drift_after(w, semi_implicit_step, 0.1, 200);
  fine_drift += drift_after(w, semi_implicit_step, 0.1, 400);
}

static void test_euler_order(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  spec.flags = TREE_FLOATING | TREE_NO_GRAVITY | TREE_ARMATURE;
  coarse_drift = fine_drift = 0;
  for_random_trees(&spec, TREES, sum_euler_drift);
  assert_near(coarse_drift / fine_drift, 2, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {tree_test(test_rk4), tree_test(test_energy_in_gravity), tree_test(test_euler_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
