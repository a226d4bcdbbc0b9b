// The closed form of cylinder against box beside the general function for convex shapes, at random poses: near and
// far, sides against faces, edges and corners, along and across. The oracle is the overlap along the normal.
#include "geometry/oracle.h"
#include "geometry/pairs.h"

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
  assert_true(touching > CASES / 10 && closed > CASES / 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_function)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
