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

// An ellipsoid whose lowest point over a face of the box is beyond a side of that face, by 1e-8 to 1e-2 of its size, touches the edge there. The closest points prove it: that of the
// box is on the edge, and that of the ellipsoid is its support point against the normal. Points that were found in the face, or beside the box, made a body at rest on an edge
// turn to and fro.
static void test_just_beyond_a_side(void** state) {
  (void)state;
  testRandom r = {12};
  int cases = is_full() ? 300000 : 10000, touching = 0;
  for (int i = 0; i < cases; ++i) {
    hfiShape A = random_shape(&r, HF_GEOM_ELLIPSOID, random_log(&r, 0.3, 3), NULL, 0), B = random_shape(&r, HF_GEOM_BOX, random_log(&r, 0.3, 3), NULL, 0);
    hfPose X_WB = random_pose(&r, 1), X_BA = random_pose(&r, 0);
    double scale = shape_size(&A) + shape_size(&B), depth = random_log(&r, 1e-9, 1e-5) * scale, beyond = random_log(&r, 1e-8, 1e-2) * scale;
    hfVec3 e = v3_load(A.size), row = v3_mul(e, m3_row(X_BA.R, 0)), low = v3_scale(-1 / v3_norm(row), m3_mulv(X_BA.R, v3_mul(e, row)));
    hfVec3 at = v3(B.size[0] - depth, B.size[1] + beyond, random_uniform(&r, -0.9, 0.9) * B.size[2]); // the lowest point over the face of +x
    X_BA.p = v3_sub(at, low);
    hfPose X_WA = pose_mul(X_WB, X_BA);
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    if (hfi_ellipsoid_box(&A, &X_WA, &B, &X_WB, 0.1 * scale, point) != 1) continue;
    touching++;
    hfVec3 b = pose_inv_point(X_WB, point->p_WCb), n_A = m3_tmulv(X_WA.R, point->n_W), reach = v3_mul(e, n_A);
    hfVec3 support = pose_point(X_WA, v3_scale(-1 / v3_norm(reach), v3_mul(e, reach)));
    double off_edge = max2(fabs(b.x - B.size[0]), fabs(b.y - B.size[1])), off_support = v3_norm(v3_sub(point->p_WCa, support));
    if (!(off_edge <= 1e-9 * scale && off_support <= 1e-9 * scale)) // as close as witnesses face each other (polish.c), with room for flat ellipsoids
      fail_msg("case %d (seed 12): %g beside the edge, %g from the support point; beyond %g, depth %g, scale %g", i, off_edge, off_support, beyond, depth, scale);
  }
  print_message("seed 12: %d touch\n", touching);
  assert_true(touching > cases / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_function),
                                     cmocka_unit_test(test_just_beyond_a_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
