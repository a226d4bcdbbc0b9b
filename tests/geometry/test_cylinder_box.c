// The closed form of cylinder against box beside the general function for convex shapes, at random poses: near and
// far, sides against faces, edges and corners, along and across. The oracle is the overlap along the normal.
#include "geometry/oracle.h"
#include "step/geometry/pairs.h"

enum { CASES = 100000 };

// The deepest point of a manifold.
static const hfiContactPoint* deepest(const hfiContactPoint* p, int n) {
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (p[i].depth > p[best].depth) best = i;
  return p + best;
}

static void test_agrees_with_the_general_function(void** state) {
  (void)state;
  testRandom r = {12};
  int touching = 0, closed = 0;
  for (int i = 0; i < CASES; ++i) {
    double size = random_log(&r, 0.05, 2), margin = 0.1 * size;
    hfiShape A = random_shape(&r, HF_GEOM_CYLINDER, random_log(&r, 0.3, 3) * size, NULL, 0),
             B = random_shape(&r, HF_GEOM_BOX, random_log(&r, 0.3, 3) * size, NULL, 0);
    hfPose X_WA = random_pose(&r, 0.1), X_WB = random_pose(&r, 0.1);
    if (i % 4 == 0) X_WA.R = X_WB.R; // side flat on a face
    double scale = shape_size(&A) + shape_size(&B);
    X_WB.p = v3_axpy(random_uniform(&r, 0, 1.1) * scale, random_unit(&r), X_WA.p);
    hfiContactPoint own[HFI_MAX_MANIFOLD], general[HFI_MAX_MANIFOLD];
    int n = hfi_cylinder_box(&A, &X_WA, &B, &X_WB, margin, own),
        m = hfi_convex_convex(&A, &X_WA, &B, &X_WB, margin, general);
    if (!n != !m) { // only where the distance is the margin to rounding
      const hfiContactPoint* p = n ? deepest(own, n) : deepest(general, m);
      if (fabs(p->depth + margin) > 1e-9 * scale) fail_msg("case %d: %d and %d contacts", i, n, m);
      continue;
    }
    if (!n) continue;
    const hfiContactPoint *a = deepest(own, n), *b = deepest(general, m);
    touching++;
    if (a->depth == b->depth) continue;
    closed++;
    // the same overlap, or a smaller one that the normal has: the least of all directions counts, and the general
    // function is content with a rounding where shapes are curved
    double gap = oracle_gap(&A, &X_WA, &B, &X_WB, a->n_W);
    if (!(fabs(a->depth - b->depth) <= 1e-9 * scale) &&
        !(a->depth < b->depth && fabs(a->depth + gap) <= 1e-9 * scale))
      fail_msg("case %d (seed 12): depth %.17g, in general %.17g", i, a->depth, b->depth);
    if (!(v3_norm(v3_sub(a->n_W, b->n_W)) <= 1e-4))
      continue; // two directions as good as each other
    if (n == 1 && m == 1 && !(v3_norm(v3_sub(a->p_WCb, b->p_WCb)) <= 1e-4 * scale))
      fail_msg("case %d: points %g apart", i, v3_norm(v3_sub(a->p_WCb, b->p_WCb)));
  }
  print_message("seed 12: %d touch, %d of them by other arithmetic\n", touching, closed);
  assert_above(touching, CASES / 10);
  assert_above(closed, CASES / 40);
}

// A cylinder that lies with its side on a face, near two edges of the box and almost along the face: the normal is that of the face. The normal across the
// side and an edge shows nearly the same overlap, of a point beyond the end of the cylinder. EPA leads there in one of 10,000 cases.
static void test_side_on_a_face_near_its_edges(void** state) {
  (void)state;
  testRandom r = {13};
  int cases = 0;
  for (int i = 0; i < 2 * CASES; ++i) {
    double radius = random_log(&r, 0.01, 0.1), half = random_log(&r, 0.01, 0.1), tilt = random_log(&r, 1e-7, 1e-3);
    double turn = random_uniform(&r, -0.5, 0.5), roll = random_uniform(&r, 0, 6), depth = random_log(&r, 0.1, 10) * half * tilt; // of the lower end
    hfiShape A = {.type = HF_GEOM_CYLINDER, .size = {radius, half}}, B = {.type = HF_GEOM_BOX, .size = {random_log(&r, 0.05, 0.8), random_log(&r, 0.05, 0.8), random_log(&r, 0.05, 0.8)}};
    hfVec3 along = {cos(turn) * cos(tilt), sin(turn) * cos(tilt), random_int(&r, 2) ? sin(tilt) : -sin(tilt)}, t1, t2;
    v3_tangents(along, &t1, &t2);
    hfVec3 side = v3_add(v3_scale(cos(roll), t1), v3_scale(sin(roll), t2));
    hfVec3 p = {B.size[0] - half * random_uniform(&r, 1.01, 1.9), random_uniform(&r, -1, 1) * (B.size[1] - 0.5 * half), B.size[2] + radius * cos(tilt) + half * sin(tilt) - depth};
    hfPose X_WA = {m3_from_cols(side, v3_cross(along, side), along), p}, X_WB = pose_identity();
    if (fabs(p.y) + half * fabs(along.y) > B.size[1] || half * along.x - p.x > B.size[0]) continue; // an end is beyond the face
    hfiContactPoint points[HFI_MAX_MANIFOLD];
    int n = hfi_cylinder_box(&A, &X_WA, &B, &X_WB, 1e-3, points);
    cases++;
    assert_above(n, 0);
    for (int k = 0; k < n; ++k) assert_below(v3_norm(v3_cross(points[k].n_W, (hfVec3){0, 0, 1})), 1e-12);
    // The height of the lower end is rounded like the sizes.
    if (!(fabs(deepest(points, n)->depth - depth) <= 1e-14)) fail_msg("case %d (seed 13): depth %.17g, should be %.17g", i, deepest(points, n)->depth, depth);
  }
  assert_above(cases, CASES);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_function), cmocka_unit_test(test_side_on_a_face_near_its_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
