// Principal axes of inertias (math/eigen3.h).
#include "math/eigen3.h"
#include "support/near.h"
#include "support/random_pose.h"

// What is left off the diagonal in the axes of an inertia that is R diag(moments) R^T, over its trace.
static double left_over(const double moments[3], hfMat3 R) {
  double diagonal[6] = {moments[0], moments[1], moments[2], 0, 0, 0}, S[6], D[6];
  sym3_rotate(R, diagonal, S);
  sym3_rotate(m3_transpose(m3_from_quat(principal_axes(S))), S, D);
  return max2(fabs(D[3]), max2(fabs(D[4]), fabs(D[5]))) / (S[0] + S[1] + S[2]);
}

// Light bodies have moments beside which 1e-12 kg m^2, below which MuJoCo calls entries zero, is not nothing.
static void axes_of_light_bodies_are_exact(void** state) {
  (void)state;
  testRandom r = {3};
  for (int k = 0; k < 10000; ++k) {
    double size = random_log(&r, 1e-6, 10), moments[3] = {size, 0.8 * size, random_uniform(&r, 0.3, 0.6) * size};
    double left = left_over(moments, m3_from_quat(random_quat(&r)));
    if (!(left < 1e-15)) fail_msg("moments about %g kg m^2: %g of them is left off the diagonal", size, left);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(axes_of_light_bodies_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
