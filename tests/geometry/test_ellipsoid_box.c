// The closed form of ellipsoid against box beside the general function for convex shapes, at random poses: near and
// far, over faces, edges and corners.
#include "geometry/oracle.h"
#include "geometry/pairs.h"

#include <stdlib.h>
#include <string.h>

static void test_agrees_with_the_general_function(void** state) {
  (void)state;
  testRandom r = {11};
  int touching = 0, closed = 0, cases = is_full() ? 1000000 : 30000;
  for (int i = 0; i < cases; ++i) {
    double size = random_log(&r, 0.05, 2), margin = 0.1 * size;
    hfiShape A = random_shape(&r, HF_GEOM_ELLIPSOID, random_log(&r, 0.3, 3) * size, NULL, 0),
             B = random_shape(&r, HF_GEOM_BOX, random_log(&r, 0.3, 3) * size, NULL, 0);
    hfPose X_WA = random_pose(&r, 0.1), X_WB = random_pose(&r, 0.1);
    double scale = shape_size(&A) + shape_size(&B);
    X_WB.p = v3_axpy(random_uniform(&r, 0, 1.1) * scale, random_unit(&r), X_WA.p);
    hfiContactPoint own[HFI_MAX_MANIFOLD], general[HFI_MAX_MANIFOLD];
    int n = hfi_ellipsoid_box(&A, &X_WA, &B, &X_WB, margin, own),
        m = hfi_convex_convex(&A, &X_WA, &B, &X_WB, margin, general);
    if (n != m) { // only where the distance is the margin to rounding
      const hfiContactPoint* p = n ? own : general;
      if (fabs(p->depth + margin) > 1e-9 * scale) fail_msg("case %d: %d and %d contacts", i, n, m);
      continue;
    }
    if (!n) continue;
    touching++;
    closed += own->depth != general->depth;
    // no overlap is smaller than the true one; the general function comes within its own rounding of it
    if (!(fabs(own->depth - general->depth) <= 1e-9 * scale))
      fail_msg("case %d (seed 11): depth %.17g, in general %.17g", i, own->depth, general->depth);
    if (!(v3_norm(v3_sub(own->n_W, general->n_W)) <= 1e-4))
      continue; // two faces as near as each other
    // along a face the point is as exact as the square root of the depth
    if (!(v3_norm(v3_sub(own->p_WCb, general->p_WCb)) <= 1e-4 * scale))
      fail_msg("case %d: points %g apart", i, v3_norm(v3_sub(own->p_WCb, general->p_WCb)));
  }
  print_message("seed 11: %d touch, %d of them by other arithmetic\n", touching, closed);
  assert_true(touching > cases / 10 && closed > cases / 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_function)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
