// Stiff layers: bodies of several shapes and masses rest, slide and fall on layers of 1e6 to 1e14 N/m, with short and long steps. Nothing may be thrown up.
//
// A layer that carries a body is deformed by m g/k, down to 1e-15 m here. Jacobians by differences with displacements of 1.5e-8 m left the contact, so that
// a box of 1 kg that rested on 1e14 N/m gained 0.77 J with the status ok. Nothing else than the Jacobian was wrong: the method sdirk rested with formulas,
// and not with `--jacobian fd`.
#include "runs.h"

#include "sim/inside.h"
#include "methods/switching/inside.h"

static const double G = 10;

// ---- scenes -----------------------------------------------------------------------------------------

typedef struct Shape {
  const char* name;
  const char* geom;
  double height; // of the body's origin when it stands on the floor [m]
} Shape;

static const Shape shapes[] = {
    {"box", "<geom type='box' size='.05 .05 .05' mass='%g' friction='%s'/>", 0.05},
    {"cylinder", "<geom type='cylinder' size='.04 .03' mass='%g' friction='%s'/>", 0.03},
    {"lying capsule", "<geom type='capsule' size='.03 .1' euler='0 90 0' mass='%g' friction='%s'/>",
     0.03},
    {"sphere", "<geom type='sphere' size='.05' mass='%g' friction='%s'/>", 0.05},
    {"plate", "<geom type='box' size='.2 .1 .001' mass='%g' friction='%s'/>", 0.001},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static simWorld stiff_world(const Shape* shape, double mass, const char* friction, double k,
                            double lift, const hfSimConfig* config) {
  char geom[256], xml[1024];
  snprintf(geom, sizeof geom, shape->geom, mass,
           friction); // NOLINT: the formats are those of the table above
  snprintf(xml, sizeof xml,
           "<mujoco><option gravity='0 0 -10'/><custom><numeric name='hf.stiffness' "
           "data='%g'/></custom><worldbody>"
           "<geom type='plane' size='0 0 1' friction='%s'/><body pos='0 0 "
           "%.17g'><freejoint/>%s</body></worldbody></mujoco>",
           k, friction, shape->height + lift, geom);
  return switching_world(xml, config);
}

static double energy_of(const simWorld* w) {
  const hfDynamics* d = hf_sim_dynamics(w->sim);
  return hf_dynamics_kinetic_energy(d) + hf_dynamics_potential_energy(d, hf_state_q(w->state));
}

// Steps a world `steps` times. *gain becomes the largest energy above that of the start [J]. Returns the last status.
static hfStatus run_and_measure(simWorld* w, int steps, double* gain) {
  hfError error;
  hfStatus status = HF_OK;
  assert_int_equal(hf_sim_evaluate(w->sim, w->state, w->input, &error), HF_OK);
  double start = energy_of(w);
  *gain = 0;
  for (int i = 0; i < steps && status == HF_OK; ++i) {
    hfStepReport report;
    status = hf_sim_step(w->sim, w->state, w->input, &report, &error);
    assert_at_least(status, 0);
    *gain = fmax(*gain, energy_of(w) - start);
  }
  return status;
}

// ---- rest -------------------------------------------------------------------------------------------

// A body that stands on the floor stays there: in both models of contact, with and without friction.
static void test_rest(void** state) {
  (void)state;
  static const double mass[] = {1e-3, 1, 1e3}, step[] = {1e-4, 1e-3, 1e-2};
  static const char* friction[] = {"0", "0.5"};
  double worst = 0;
  for (int n = 0; n < SHAPES * 9 * 3 * 3 * 2 * 2; ++n) {
    int at = n;
    const Shape* shape = &shapes[at % SHAPES];
    double k = pow(10, 6 + (at /= SHAPES) % 9), m = mass[(at /= 9) % 3], h = step[(at /= 3) % 3],
           gain;
    const char* mu = friction[(at /= 3) % 2];
    int mode = (at /= 2) % 2 ? HF_CONTACT_MODEL_COMPLIANT : HF_CONTACT_MODEL_SWITCHING;
    hfSimConfig config = switching_config(mode, h);
    simWorld w = stiff_world(shape, m, mu, k, 0, &config);
    double z = sim_q(&w)[2];
    hfStatus status = run_and_measure(&w, 20, &gain);
    double moved = fabs(sim_q(&w)[2] - z), share = gain / (m * G * shape->height);
    if (status != HF_OK || share > 1e-9 ||
        moved > 3 * m * G / k + 1e-7) // The accuracy of a position in one step is 1e-7 m.
      fail_msg("%s of %g kg, mu %s, %g N/m, step %g, mode %d: status %d, gain %.3g J, moved %.3g m",
               shape->name, m, mu, k, h, mode, status, gain, moved);
    worst = fmax(worst, share);
    sim_world_free(&w);
  }
  print_message("largest gain %.2g of m g z\n", worst);
}

// ---- falls ------------------------------------------------------------------------------------------

// A box falls on an edge, slides and comes to rest. No step adds energy beyond what springs give back, and the method either gets to the end or says that it
// did not. With Jacobians by differences 7 of 15 such runs gained 5 mJ to 15 J of 1.5 J, ended early or did not end within a minute.
static void test_fall(void** state) {
  (void)state;
  static const double step[] = {1e-4, 1e-3, 1e-2};
  for (int n = 0; n < 9 * 3; ++n) {
    double k = pow(10, 6 + n % 9), h = step[n / 9], gain;
    hfSimConfig config = switching_config(HF_CONTACT_MODEL_SWITCHING, h);
    simWorld w = stiff_world(
        &(Shape){"brick",
                 "<geom type='box' size='.05 .04 .03' euler='10 20 0' mass='%g' friction='%s'/>",
                 0.1},
        1, "0.5", k, 0, &config);
    sim_v(&w)[0] = 1;
    hfStatus status = run_and_measure(&w, (int)(0.4 / h), &gain);
    double speed = 0;
    for (int i = 0; i < 6; ++i) speed = fmax(speed, fabs(sim_v(&w)[i]));
    if (status != HF_OK || gain > 1e-6 || speed > 1e-3)
      fail_msg("%g N/m, step %g: status %d, gain %.3g J, speed %.3g", k, h, status, gain, speed);
    sim_world_free(&w);
  }
}

// A ball hits a layer of damping ratio 1/2 and rebounds with exp(-2 pi/(3 sqrt 3)) of its speed, however stiff the layer is (docs/theory/switching.md). It
// hits so fast that the layer is much deeper than `touch`, where the damping sets in.
static void test_rebound(void** state) {
  (void)state;
  static const double stiffness[] = {1e6, 1e8, 1e10, 1e11};
  for (int i = 0; i < 4; ++i) {
    hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
    simWorld w = stiff_world(&shapes[3], 1, "0", stiffness[i], 1e-3, &config);
    double speed = 20, gain;
    sim_v(&w)[2] = -speed;
    hfStatus status = run_and_measure(&w, 5, &gain);
    double ratio = sim_v(&w)[2] / speed, theory = exp(-2 * acos(-1) / (3 * sqrt(3)));
    print_message("%g N/m: rebound %.6f, theory %.6f\n", stiffness[i], ratio, theory);
    assert_int_equal(status, HF_OK);
    assert_below(gain, 1e-3);
    // gravity acts for 5 ms; the damping is missing over `touch`, a share of touch/(speed sqrt(m/k)) of the depth
    assert_below(fabs(ratio - theory), 5e-3 + 2e-6 / (speed * sqrt(1 / stiffness[i])));
    sim_world_free(&w);
  }
}

// ---- the Jacobian -----------------------------------------------------------------------------------

// A ball that slides and spins about the normal: no row turns and nothing else than the layer has a slope, so that the Jacobian is exact.
#define SLIDER                                                                                     \
  "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='0 0 1' condim='6' "      \
  "friction='0.5 0.02 0.01'/><body pos='0 0 0.0999'>"                                              \
  "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' "       \
  "axis='0 0 1'/><joint type='hinge' axis='0 0 1'/>"                                               \
  "<geom type='sphere' size='0.1' mass='1' condim='6' friction='0 0 "                              \
  "0'/></body></worldbody></mujoco>"
enum { UNKNOWNS = 2 * 4 + 6 };

// Central differences of the rate.
static void difference_jacobian(hfiSwitching* s, const double* x, double* D) {
  const double shift = 1e-10; // Rounding of the depth, 1e-17 m, makes 1e-7 of the slopes.
  for (int j = 0; j < UNKNOWNS; ++j) {
    double at[UNKNOWNS], f[2][UNKNOWNS];
    for (int side = 0; side < 2; ++side) {
      memcpy(at, x, sizeof at);
      at[j] += side ? -shift : shift;
      assert_int_equal(hfi_compliant_rate(s, 0, at, f[side]), HF_OK);
    }
    for (int i = 0; i < UNKNOWNS; ++i) D[i * UNKNOWNS + j] = (f[0][i] - f[1][i]) / (2 * shift);
  }
}

// All laws, with deformations at which friction sticks and slips, above and below the depth at which damping sets in, and open.
static void test_jacobian(void** state) {
  (void)state;
  static const double depth[] = {5e-7, 5e-5, -1e-5}, slide[] = {1e-8, 2e-4};
  double worst = 0;
  for (int n = 0; n < 4 * 2 * 3 * 2; ++n) {
    hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
    config.switching.rigid.layer.law = n % 4;
    config.switching.rigid.layer.tangential_law = n / 4 % 2 ? HF_LAYER_STIFFENING : HF_LAYER_LINEAR;
    simWorld w = switching_world(SLIDER, &config);
    hfStepReport report;
    hfError error;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, &report, &error), HF_OK);
    hfiSwitching* s = w.sim->run;
    hf_accel_begin(s->rigid->accel, NULL, NULL); // The input of the step has gone.
    assert_int_equal(s->layers.count, 1);
    double xi = slide[n / 24], rest = s->rigid->tracks.list[0].held, J[UNKNOWNS * UNKNOWNS],
           D[UNKNOWNS * UNKNOWNS];
    double x[UNKNOWNS] = {
        0, 0,      1e-4 + rest - depth[n / 8 % 3], 0, 1e-7, 2e-7, 1e-4, 1e-7, xi, 0.3 * xi, 0, 0,
        0, 10 * xi};
    assert_int_equal(hfi_compliant_jacobian(s, 0, x, J), HF_OK);
    difference_jacobian(s, x, D);
    double scale = 0, error_of = 0;
    for (int i = 0; i < UNKNOWNS * UNKNOWNS; ++i)
      scale = fmax(scale, fabs(D[i])), error_of = fmax(error_of, fabs(J[i] - D[i]));
    if (!(error_of < 1e-4 * scale)) // The change of the damping with the deformation is left out.
      fail_msg("law %d and %d, depth %g, deformation %g: largest slope %g, difference %g", n % 4,
               n / 4 % 2, depth[n / 8 % 3], xi, scale, error_of);
    worst = fmax(worst, error_of / scale);
    sim_world_free(&w);
  }
  print_message("largest difference %.2g of the largest slope\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest), cmocka_unit_test(test_fall),
                                     cmocka_unit_test(test_rebound),
                                     cmocka_unit_test(test_jacobian)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
