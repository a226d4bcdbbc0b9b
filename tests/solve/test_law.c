// The laws: closed forms, derivatives and potentials by finite differences, the anchor's memory.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "math/vec3.h"
#include "step/law/contact_response.h"
#include "solve/potential.h"

#include <string.h>

static const int dims[4] = {1, 3, 4, 6};

static hfContactLaw make_law(int friction) {
  hfContactLaw c = {.stiffness = 1000,
                    .dissipation = 2,
                    .depth = 0.01,
                    .normal_force0 = 7,
                    .mu = {0.5, 0.02, 0.01},
                    .stiction_speed = {1e-2, 2e-2, 3e-2},
                    .k_t = {800, 0.3, 0.2},
                    .c_t = {5, 2e-3, 1e-3},
                    .xi0 = {1e-3, -2e-3, 5e-3, -1e-2, 2e-2},
                    .friction = friction};
  return c;
}

typedef struct response {
  double gamma[6], pi_mu, gnn, gtn[5], gtt[7];
  int active, coupled;
} response;

static response respond(const hfContactLaw* c, double h, int dim, int coupling, double lag,
                        const double* s) {
  response r;
  hfiContactResponse got;
  memset(&r, 0, sizeof r);
  memset(&got, 0x5a, sizeof got); // everything that is read must have been written
  hfi_contact_respond(c, h, dim, coupling, lag, s, r.gamma, &got);
  r.pi_mu = got.pi_mu, r.gnn = got.gnn, r.active = got.active, r.coupled = got.coupled;
  for (int i = 0; i < dim - 1 && got.pi_mu > 0; ++i) r.gtn[i] = got.gtn[i];
  for (int i = 0; i < (dim < 3 ? 0 : dim == 3 ? 3 : dim == 4 ? 4 : 7) && got.pi_mu > 0; ++i)
    r.gtt[i] = got.gtt[i];
  return r;
}

static void test_normal_force(void** state) {
  (void)state;
  hfContactLaw c = make_law(HF_FRICTION_ANCHORED);
  double d, h = 1e-3;
  assert_near(hfi_contact_normal_force(&c, h, 0, &d), 10, 0); // k depth
  assert_near(d, -1000 * (2 * .01 + h), 1e-12);
  assert_near(hfi_contact_normal_force(&c, h, -1, &d), 1000 * 3 * .011,
              1e-12);                                         // approaching at 1 m/s
  assert_near(hfi_contact_normal_force(&c, h, .5, &d), 0, 0); // leaves at 1/d: no pull
  assert_near(d, 0, 0);
  c.dissipation = 0;
  assert_near(hfi_contact_normal_force(&c, h, 10, &d), 0, 0); // separates within the step
  c.depth = -.01;
  assert_near(hfi_contact_normal_force(&c, h, -20, &d), 1000 * .01, 1e-12); // a gap that closes
}

// Slip carries mu pi against the slip, for every group and law but the smooth one (which approaches
// it).
static void test_slip_is_bounded(void** state) {
  (void)state;
  double h = 1e-3, s[6] = {-.1, 30, -40, 500, -600, 800};
  for (int law = 0; law < 4; ++law) {
    hfContactLaw c = make_law(law);
    memset(c.xi0, 0, sizeof c.xi0);
    response r = respond(&c, h, 6, HF_COUPLING_TWO_WAY, 0, s);
    double pi = 1000 * 1.2 * .0101, smooth = law == HF_FRICTION_SMOOTH ? 1e-4 : 1e-14; // (v_s/s)^2
    assert_near(r.pi_mu, pi, 1e-12);
    assert_near(r.gamma[0], h * pi, 1e-15);
    assert_near(r.gamma[1], -h * .5 * pi * .6, smooth * pi);
    assert_near(r.gamma[2], h * .5 * pi * .8, smooth * pi);
    assert_near(r.gamma[3], -h * .02 * pi, smooth * pi);
    assert_near(r.gamma[4], h * .01 * pi * .6, smooth * pi);
    assert_near(r.gamma[5], -h * .01 * pi * .8, smooth * pi);
    assert_true(r.coupled);
  }
}

static void test_stick(void** state) {
  (void)state;
  double h = 1e-3, s[3] = {0, 3e-3, -4e-3}; // half of v_s
  hfContactLaw c = make_law(HF_FRICTION_REGULARISED);
  response r = respond(&c, h, 3, HF_COUPLING_TWO_WAY, 0, s);
  assert_near(r.gamma[1], -h * .5 * 10 * .3, 1e-16);
  assert_near(r.gamma[2], h * .5 * 10 * .4, 1e-16);
  c = make_law(
      HF_FRICTION_ANCHORED); // -(k_t (xi0 + h s) + c_t s), and it does not feel the normal force
  r = respond(&c, h, 3, HF_COUPLING_TWO_WAY, 0, s);
  assert_near(r.gamma[1], -h * (800 * (1e-3 + h * 3e-3) + 5 * 3e-3), 1e-16);
  assert_near(r.gamma[2], -h * (800 * (-2e-3 - h * 4e-3) - 5 * 4e-3), 1e-16);
  assert_near(r.gtn[0], 0, 0);
  assert_false(r.coupled);
  double at_rest[3] = {0, 0, 0}; // a loaded anchor holds without any velocity
  r = respond(&c, h, 3, HF_COUPLING_TWO_WAY, 0, at_rest);
  assert_near(r.gamma[1], -h * .8, 1e-16);
}

static void test_couplings(void** state) {
  (void)state;
  hfContactLaw c = make_law(HF_FRICTION_REGULARISED);
  double h = 1e-3, s[3] = {-.1, 1, 0};
  response r = respond(&c, h, 3, HF_COUPLING_ONE_WAY, 0, s);
  assert_near(r.gamma[0], h * 7, 1e-16); // frozen
  assert_near(r.gamma[1], -h * .5 * 7, 1e-16);
  assert_near(r.gnn, 0, 0);
  assert_false(r.coupled);
  r = respond(&c, h, 3, HF_COUPLING_FRICTIONLESS, 0, s);
  assert_near(r.gamma[1], 0, 0);
  assert_above(r.gnn, 0);
  r = respond(&c, h, 3, HFI_COUPLING_LAGGED, 3, s);
  assert_near(r.gamma[1], -h * .5 * 3, 1e-16);
  assert_near(r.gamma[0], h * 1000 * 1.2 * .0101, 1e-15);
  assert_false(r.coupled);
}

static void test_no_tangential_stiffness_is_no_friction(void** state) {
  (void)state;
  hfContactLaw c = make_law(HF_FRICTION_ANCHORED);
  double h = 1e-3, s[3] = {0, 1, 2}, xi[2];
  c.k_t[0] = c.c_t[0] = 0;
  response r = respond(&c, h, 3, HF_COUPLING_TWO_WAY, 0, s);
  assert_near(r.gamma[1], 0, 0);
  assert_near(r.gtt[0], 0, 0);
  assert_near(contact_potential(&c, h, 3, 10, s), contact_potential(&c, h, 1, 10, s), 0);
  assert_int_equal(hfi_contact_slips(&c, h, 3, s, r.gamma), 0);
  hfi_contact_deformation(&c, h, 3, r.gamma, xi);
  assert_near(xi[0], 0, 0);
}

// Entry (i, j) of G.
static double entry(const response* r, int i, int j) {
  static const int at[6][6] = {{-1, -1, -1, -1, -1, -1}, {-1, 0, 1, -1, -1, -1},
                               {-1, 1, 2, -1, -1, -1},   {-1, -1, -1, 3, -1, -1},
                               {-1, -1, -1, -1, 4, 5},   {-1, -1, -1, -1, 5, 6}};
  if (i == 0) return j == 0 ? r->gnn : 0;
  if (j == 0) return r->gtn[i - 1];
  return at[i][j] < 0 ? 0 : r->gtt[at[i][j]];
}

static void random_rows(testRandom* r, double* s) {
  double scale = random_log(r, 1e-3, 1); // from deep inside the disc to far outside
  for (int i = 0; i < 6; ++i) s[i] = scale * random_normal(r);
}

// Central differences with step e err by e^2 times the third derivative and eps/e; kinks make
// single samples wrong, so those whose stick state or contact differs within the stencil are
// skipped, counted.
static void test_derivative_against_differences(void** state) {
  (void)state;
  testRandom r = {41};
  int checked = 0, trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    hfContactLaw c = make_law(trial % 3);
    int dim = dims[random_int(&r, 4)];
    static const int couplings[4] = {HF_COUPLING_TWO_WAY, HF_COUPLING_ONE_WAY,
                                     HF_COUPLING_FRICTIONLESS, HFI_COUPLING_LAGGED};
    int coupling = couplings[random_int(&r, 4)];
    double s[6], h = random_log(&r, 1e-4, 1e-2), lag = random_uniform(&r, 0, 20), worst = 0,
                 kink = 0;
    random_rows(&r, s);
    response here = respond(&c, h, dim, coupling, lag, s);
    for (int j = 0; j < dim; ++j) {
      double e = 1e-7 * (1e-3 + fabs(s[j])), lo[6], hi[6];
      memcpy(lo, s, sizeof s);
      memcpy(hi, s, sizeof s);
      lo[j] -= e, hi[j] += e;
      response a = respond(&c, h, dim, coupling, lag, lo),
               b = respond(&c, h, dim, coupling, lag, hi);
      for (int i = 0; i < dim; ++i) {
        double difference = -(b.gamma[i] - a.gamma[i]) / (2 * e),
               scale = 1e-6 + fabs(entry(&here, i, i)) + fabs(difference);
        worst = fmax(worst, fabs(difference - entry(&here, i, j)) / scale);
        kink = fmax(kink, fabs(entry(&a, i, j) - entry(&b, i, j)) / scale);
      }
    }
    if (kink > 1e-3) continue;
    ++checked;
    assert_below(worst, 2e-3); // differences of gamma ~ 1e-2 over 1e-10: six digits, friction less
  }
  assert_above(checked, 9 * trials / 10);
}

static void test_potential_against_differences(void** state) {
  (void)state;
  testRandom r = {42};
  for (int trial = 0; trial < 4000; ++trial) {
    hfContactLaw c = make_law(trial % 3);
    if (trial % 5 == 0) c.dissipation = 0;
    if (trial % 7 == 0) c.dissipation = 200; // the normal force ends by dissipation, not separation
    int dim = dims[random_int(&r, 4)];
    double s[6], h = random_log(&r, 1e-4, 1e-2), lag = random_uniform(&r, 0, 20);
    random_rows(&r, s);
    response here = respond(&c, h, dim, HFI_COUPLING_LAGGED, lag, s);
    for (int j = 0; j < dim; ++j) {
      double e = 1e-6, lo[6], hi[6];
      memcpy(lo, s, sizeof s);
      memcpy(hi, s, sizeof s);
      lo[j] -= e, hi[j] += e;
      double difference = (contact_potential(&c, h, dim, lag, hi) -
                           contact_potential(&c, h, dim, lag, lo)) /
                          (2 * e);
      // error: e times the jump of the curvature at a kink (at most entry ~ h kappa or h b/v_s),
      // and 1e-16 potential/e
      double curvature =
          fabs(entry(&here, j, j)) + h * (c.mu[0] * lag / 1e-2 + 800 * h + 5 + 1000 * (h + 2));
      assert_near(difference, -here.gamma[j], e * curvature + 1e-9);
    }
  }
}

static void test_potential_is_convex(void** state) {
  (void)state;
  testRandom r = {43};
  for (int trial = 0; trial < 10000; ++trial) {
    hfContactLaw c = make_law(trial % 3);
    double a[6], b[6], m[6], h = 1e-3, lag = 12;
    random_rows(&r, a);
    random_rows(&r, b);
    for (int i = 0; i < 6; ++i) m[i] = .5 * (a[i] + b[i]);
    double fa = contact_potential(&c, h, 6, lag, a),
           fb = contact_potential(&c, h, 6, lag, b);
    assert_at_most(contact_potential(&c, h, 6, lag, m), .5 * (fa + fb) + 1e-14);
  }
}

// Stick: xi = xi0 + h s. Slip: k_t xi + c_t (xi - xi0)/h = mu pi t, so the anchor never holds more
// than the bound, and a step that continues the slip changes nothing more.
static void test_deformation(void** state) {
  (void)state;
  hfContactLaw c = make_law(HF_FRICTION_ANCHORED);
  double h = 1e-3, xi[5], stick[6] = {0, 1e-3, 2e-3, 1e-2, 1e-2, -1e-2};
  response r = respond(&c, h, 6, HF_COUPLING_TWO_WAY, 0, stick);
  assert_int_equal(hfi_contact_slips(&c, h, 6, stick, r.gamma), 0);
  hfi_contact_deformation(&c, h, 6, r.gamma, xi);
  for (int i = 0; i < 5; ++i) assert_near(xi[i], c.xi0[i] + h * stick[1 + i], 1e-17);

  double slip[6] = {0, 30, 40, 1e-2, 300, -400};
  r = respond(&c, h, 6, HF_COUPLING_TWO_WAY, 0, slip);
  assert_int_equal(hfi_contact_slips(&c, h, 6, slip, r.gamma), 1 << HF_SLIDING | 1 << HF_ROLLING);
  hfi_contact_deformation(&c, h, 6, r.gamma, xi);
  for (int i = 0; i < 2; ++i)
    assert_near(800 * xi[i] + 5 * (xi[i] - c.xi0[i]) / h, -r.gamma[1 + i] / h, 1e-11);
  assert_near(hypot(r.gamma[1], r.gamma[2]), h * .5 * 10, 1e-16);
  for (int step = 0; step < 200; ++step) { // creeps to k_t |xi| = mu pi along the slip, no further
    memcpy(c.xi0, xi, sizeof c.xi0);
    r = respond(&c, h, 6, HF_COUPLING_TWO_WAY, 0, slip);
    hfi_contact_deformation(&c, h, 6, r.gamma, xi);
    assert_at_most(800 * hypot(xi[0], xi[1]), 5 * (1 + 1e-12));
  }
  assert_near(800 * hypot(xi[0], xi[1]), 5, 1e-9);
  assert_near(xi[1] / xi[0], 40. / 30, 1e-3);
}

static void test_saturated_rows(void** state) {
  (void)state;
  hfSaturatedRow servo = {.s0 = 1, .kappa = 10, .lo = -3, .hi = 5};
  double G, h = 1e-2;
  assert_near(hfi_saturated_respond(&servo, h, .8, &G), h * 2, 1e-16);
  assert_near(G, h * 10, 0);
  assert_near(hfi_saturated_respond(&servo, h, -9, &G), h * 5, 0);
  assert_near(G, 0, 0);
  assert_near(hfi_saturated_respond(&servo, h, 9, &G), -h * 3, 0);
  hfSaturatedRow limit = {.s0 = 0, .kappa = 10, .lo = 0, .hi = INFINITY};
  assert_near(hfi_saturated_respond(&limit, h, 1, &G), 0, 0); // a limit never pulls
  assert_near(hfi_saturated_respond(&limit, h, -1e6, &G), h * 1e7, 1e-6);
  hfSaturatedRow equality = {.s0 = .5, .kappa = 10, .lo = -INFINITY, .hi = INFINITY};
  assert_near(hfi_saturated_respond(&equality, h, 2, &G), -h * 15, 1e-15);
  for (double s = -2; s < 3; s += .013)
    for (int i = 0; i < 2; ++i) {
      const hfSaturatedRow* row = i ? &servo : &limit;
      double e = 1e-6, slope = (saturated_potential(row, h, s + e) -
                                saturated_potential(row, h, s - e)) /
                               (2 * e);
      assert_near(slope, -hfi_saturated_respond(row, h, s, &G),
                  10 * h * e + 1e-10); // kink: kappa h e
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_normal_force),
      cmocka_unit_test(test_slip_is_bounded),
      cmocka_unit_test(test_stick),
      cmocka_unit_test(test_couplings),
      cmocka_unit_test(test_no_tangential_stiffness_is_no_friction),
      cmocka_unit_test(test_derivative_against_differences),
      cmocka_unit_test(test_potential_against_differences),
      cmocka_unit_test(test_potential_is_convex),
      cmocka_unit_test(test_deformation),
      cmocka_unit_test(test_saturated_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
