// The closed form of ellipsoid against box beside the general function for convex shapes, at random poses: near and
// far, over faces, edges and corners.
#include "build/hull.h"
#include "geometry/oracle.h"
#include "step/geometry/pairs.h"

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
  assert_above(touching, cases / 10);
  assert_above(closed, cases / 40);
}

// A box whose face along +x an ellipsoid overlaps by `depth`, with its lowest point `beyond` the side along +y of that face.
typedef struct beyondSide {
  hfiShape ellipsoid, box;
  hfPose X_WA, X_WB;
  double scale, depth, beyond;
} beyondSide;

static beyondSide random_beyond_side(testRandom* r) {
  beyondSide s = {.ellipsoid = random_shape(r, HF_GEOM_ELLIPSOID, random_log(r, 0.3, 3), NULL, 0), .box = random_shape(r, HF_GEOM_BOX, random_log(r, 0.3, 3), NULL, 0)};
  hfPose X_BA = random_pose(r, 0);
  s.X_WB = random_pose(r, 1);
  s.scale = shape_size(&s.ellipsoid) + shape_size(&s.box);
  s.depth = random_log(r, 1e-9, 1e-5) * s.scale, s.beyond = random_log(r, 1e-8, 1e-2) * s.scale;
  hfVec3 e = v3_load(s.ellipsoid.size), row = v3_mul(e, m3_row(X_BA.R, 0)), low = v3_scale(-1 / v3_norm(row), m3_mulv(X_BA.R, v3_mul(e, row)));
  X_BA.p = v3_sub(v3(s.box.size[0] - s.depth, s.box.size[1] + s.beyond, random_uniform(r, -0.9, 0.9) * s.box.size[2]), low);
  s.X_WA = pose_mul(s.X_WB, X_BA);
  return s;
}

// The closest points prove that the edge at that side is what touches: that of the box is on the edge, and that of the ellipsoid is its support point against the normal.
static void check_edge(const beyondSide* s, const hfiContactPoint* point, int i) {
  hfVec3 b = pose_inv_point(s->X_WB, point->p_WCb), e = v3_load(s->ellipsoid.size), reach = v3_mul(e, m3_tmulv(s->X_WA.R, point->n_W));
  hfVec3 support = pose_point(s->X_WA, v3_scale(-1 / v3_norm(reach), v3_mul(e, reach)));
  double off_edge = max2(fabs(b.x - s->box.size[0]), fabs(b.y - s->box.size[1])), off_support = v3_norm(v3_sub(point->p_WCa, support));
  if (!(max2(off_edge, off_support) <= 1e-9 * s->scale)) // as close as witnesses face each other (polish.c), with room for flat ellipsoids
    fail_msg("case %d: %g beside the edge, %g from the support point; beyond %g, depth %g, scale %g", i, off_edge, off_support, s->beyond, s->depth, s->scale);
}

// Points that were found in the face, or beside the box, made a body that rests on an edge turn to and fro.
static void test_just_beyond_a_side(void** state) {
  (void)state;
  testRandom r = {12};
  int cases = is_full() ? 300000 : 10000, touching = 0;
  for (int i = 0; i < cases; ++i) {
    beyondSide s = random_beyond_side(&r);
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    if (hfi_ellipsoid_box(&s.ellipsoid, &s.X_WA, &s.box, &s.X_WB, 0.1 * s.scale, point) != 1) continue;
    touching++;
    check_edge(&s, point, i);
  }
  print_message("seed 12: %d touch\n", touching);
  assert_above(touching, cases / 2);
}

// The same with a mesh in the place of the box.
static void test_just_beyond_a_side_of_a_mesh(void** state) {
  (void)state;
  testRandom r = {13};
  int cases = is_full() ? 10000 : 500, touching = 0;
  for (int i = 0; i < cases; ++i) {
    beyondSide s = random_beyond_side(&r);
    double vert[24];
    for (int k = 0; k < 24; ++k) vert[k] = (k / 3 >> k % 3 & 1 ? 1 : -1) * s.box.size[k % 3];
    hfiHullData data = brute_hull(vert, 8);
    hfiHull hull = hull_view(&data);
    hfiShape mesh = {HF_GEOM_MESH, {0, 0, 0}, &hull, NULL};
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    if (hfi_convex_convex(&s.ellipsoid, &s.X_WA, &mesh, &s.X_WB, 0.1 * s.scale, point) == 1) touching++, check_edge(&s, point, i);
    hfi_hull_release(&data);
  }
  print_message("seed 13: %d touch\n", touching);
  assert_above(touching, cases / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_function),
                                     cmocka_unit_test(test_just_beyond_a_side),
                                     cmocka_unit_test(test_just_beyond_a_side_of_a_mesh)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
