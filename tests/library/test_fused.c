// Steps of joints compiled for a processor that can fuse products and sums give the bits of the library: our flags keep the compiler from fusing them
// (cmake/HoldfastFlags.cmake). tests/CMakeLists.txt compiles this file with -mfma, which comes before our flags.
#include "support/cmocka_all.h"
#include "support/random.h"

#include "base/compile.h"
#include "step/dynamics/dynamics.h"

// The same functions once more, compiled here.
#define hfi_joint_integrate  here_joint_integrate
#define hf_model_integrate   here_model_integrate
#define hfi_joint_difference here_joint_difference
#define hf_model_difference  here_model_difference
void here_joint_integrate(int type, double* q, const double* v, double h);
void here_model_integrate(const hfModel* m, double* q, const double* v, double h);
void here_joint_difference(int type, const double* q0, const double* q1, double h, double* v);
void here_model_difference(const hfModel* m, const double* q0, const double* q1, double h, double* v);
#include "../../src/step/dynamics/integrate.c"
#undef hfi_joint_integrate

static void test_a_ball_turns_to_the_same_bits(void** state) {
  (void)state;
  testRandom r = {7};
  for (int i = 0; i < 100000; ++i) {
    double q[4], v[3], here[4];
    for (int k = 0; k < 4; ++k) here[k] = q[k] = random_normal(&r);
    for (int k = 0; k < 3; ++k) v[k] = random_normal(&r);
    hfi_joint_integrate(HF_JOINT_BALL, q, v, 0.1);
    here_joint_integrate(HF_JOINT_BALL, here, v, 0.1);
    assert_memory_equal(q, here, sizeof q);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_ball_turns_to_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
