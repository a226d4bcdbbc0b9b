// Outlines with many edges, and the points of facets that are far larger than others.
#include "step/geometry/clip.h"
#include "step/geometry/outline.h"
#include "support/near.h"
#include "support/random.h"

#include <math.h>

// A regular polygon in the plane z = 0, counter-clockwise about z.
static hfiFacet regular_facet(int edges, double radius, double x, double y) {
  hfiFacet f = {.kind = HFI_FACET_POLYGON, .count = edges, .normal = {0, 0, 1}, .size = 2 * radius};
  for (int k = 0; k < edges; ++k) {
    double angle = 2 * HFI_PI * k / edges;
    f.vertex[k] = v3(x + radius * cos(angle), y + radius * sin(angle), 0);
    f.id[k] = k;
  }
  return f;
}

// The edges of a convex polygon that x is beyond, straight from the definition.
static hfiEdgeSet edges_by_definition(const hfiFacet* f, hfVec3 x, double near) {
  hfiEdgeSet set = 0;
  for (int k = 0; k < f->count; ++k) {
    hfVec3 a = f->vertex[k], d = v3_unit(v3_sub(f->vertex[(k + 1) % f->count], a));
    if (v3_dot(v3_cross(d, f->normal), v3_sub(x, a)) > near) set |= (hfiEdgeSet)1 << k;
  }
  return set;
}

// Points inside, outside and near the rim, one after the other and far from each other.
static void test_edges_beyond_are_those_of_the_definition(void** state) {
  (void)state;
  testRandom r = {61};
  const int edges[] = {3, 8, 9, 30, 64};
  for (int k = 0; k < 5; ++k) {
    hfiFacet f = regular_facet(edges[k], 0.05, 0.3, -0.2);
    hfiOutline o;
    hfi_outline_make(&o, &f, v3(0, 0, -1));
    for (int trial = 0; trial < 2000; ++trial) {
      double angle = random_uniform(&r, -4, 4), far = 0.05 * random_uniform(&r, 0, trial % 2 ? 1.1 : 4), near = 1e-7;
      hfVec3 x = v3(0.3 + far * cos(angle), -0.2 + far * sin(angle), random_uniform(&r, -1, 1));
      hfiEdgeSet set = edges_by_definition(&f, x, near);
      assert_true(hfi_outline_edges_beyond(&o, x, near) == set);
      int one = hfi_outline_edge_beyond(&o, x, near);
      assert_true(one < 0 ? set == 0 : (int)(set >> one & 1));
    }
  }
}

// Not a number in the offset of an edge shows whether the edge is looked at, because a point counts as beyond such an edge. Those that face a point by less than
// the radius of the inner circle cannot cut it off. For a point 1.2 radii from the middle, these are all but 2 acos(1/1.2) = 67 degrees of 360, 12 of 64 edges.
static void test_edges_that_cannot_cut_a_point_off_are_not_looked_at(void** state) {
  (void)state;
  testRandom r = {62};
  hfiFacet f = regular_facet(64, 0.05, 0, 0);
  double inner = 0.05 * cos(HFI_PI / 64);
  hfiOutline clean;
  hfi_outline_make(&clean, &f, v3(0, 0, 1));
  for (int trial = 0; trial < 1000; ++trial) {
    double angle = random_uniform(&r, -4, 4);
    hfVec3 x = v3(0.06 * cos(angle), 0.06 * sin(angle), 0);
    hfiOutline o = clean;
    int left_out = 0;
    o.facing = random_int(&r, 64);
    for (int k = 0; k < 64; ++k)
      if (v3_dot(o.out[k], x) < inner * (1 - 1e-9)) o.offset[k] = NAN, ++left_out;
    assert_at_least(left_out, 64 - 13);
    assert_true(hfi_outline_edges_beyond(&o, x, 1e-7) == edges_by_definition(&f, x, 1e-7));
  }
}

// The corner of a square of 1 mm lies on the corner of a floor, both at x = y = `corner`, and the first vertex of the floor is `width` away. The two corners are
// 1e-9 m apart, which is less than 4e-6 of the size: they are one point.
static void check_floor(double width, double corner) {
  hfiFacet floor = {.kind = HFI_FACET_POLYGON, .count = 4, .normal = {0, 0, 1}, .size = width, .id = {0, 1, 2, 3}}, square = floor;
  hfVec3 far[4] = {{-width, -1, 0}, {corner, -1, 0}, {corner, corner, 0}, {-width, corner, 0}};
  hfVec3 near[4] = {{1e-9, 1e-9, 0}, {1e-9, -1e-3, 0}, {-1e-3, -1e-3, 0}, {-1e-3, 1e-9, 0}};
  square.normal = v3(0, 0, -1), square.size = 5e-4;
  for (int k = 0; k < 4; ++k) floor.vertex[k] = far[k], square.vertex[k] = v3_add(v3(corner, corner, 0), near[k]);
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  assert_int_equal(hfi_clip_facets(&floor, &square, 1, points), 4);
  assert_int_equal(hfi_clip_facets(&square, &floor, 1, points), 4);
}

// The corner is half of the last digit of the width, so that the distances from the first vertex to the two corners are rounded apart. At the greatest widths
// these distances have more cells than integers can count.
static void test_corner_on_the_corner_of_a_large_floor_is_one_point(void** state) {
  (void)state;
  for (double width = 1; width < 1e25; width *= 2) check_floor(width, fmin(0.01, 0.5 * (nextafter(width, INFINITY) - width)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges_beyond_are_those_of_the_definition),
      cmocka_unit_test(test_edges_that_cannot_cut_a_point_off_are_not_looked_at),
      cmocka_unit_test(test_corner_on_the_corner_of_a_large_floor_is_one_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
