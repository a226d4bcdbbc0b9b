// The index of a hull spares work and changes no bit. The oracle is a visit to every point, or the same question to the hull
// without index.
#include "support/cmocka_all.h"

#include "build/hull.h"
#include "step/geometry/distance.h"
#include "step/geometry/hull_index.h"
#include "step/geometry/nearest.h"
#include "geometry/oracle.h"

#include <stdio.h>

enum { MOST = 700 };

static hfiArena make_arena(void) {
  hfiArena plan = {NULL, 0, 1 << 20};
  return hfi_arena_allocate(&plan, NULL);
}

// Points on a coarse grid, so that many values are equal, or anywhere.
static void fill_points(testRandom* r, int n, double* x) {
  int coarse = random_int(r, 2);
  for (int i = 0; i < n; ++i) x[i] = coarse ? random_int(r, 5) - 2 : random_uniform(r, -1, 1);
}

static hfiLinear random_function(testRandom* r) {
  hfiLinear f = {random_int(r, 2) ? random_unit(r) : v3(random_int(r, 3) - 1, random_int(r, 3) - 1, 1), random_int(r, 2)};
  return f;
}

static void a_tree_finds_what_a_visit_to_all_finds(void** state) {
  (void)state;
  testRandom r = {7};
  printf("seed %llu\n", (unsigned long long)r.state);
  static double x[4 * MOST];
  static int32_t found[MOST];
  hfiArena memory = make_arena();
  for (int k = 0; k < 2000; ++k) {
    int count = 1 + random_int(&r, MOST), stride = 3 + random_int(&r, 2), above = 0;
    fill_points(&r, count * stride, x);
    hfiArena arena = memory;
    hfiLinearTree tree;
    hfi_tree_init(&tree, count, stride, x, &arena);
    hfiLinear f = random_function(&r);
    int32_t best = 0;
    for (int32_t i = 1; i < count; ++i)
      if (hfi_linear(&f, &tree, i) > hfi_linear(&f, &tree, best)) best = i;
    assert_int_equal(hfi_tree_largest(&tree, &f, random_int(&r, count)), best);
    double least = hfi_linear(&f, &tree, random_int(&r, count));
    int n = hfi_tree_above(&tree, &f, least, found, MOST);
    for (int32_t i = 0; i < count; ++i) {
      while (above < n && found[above] < i) above++;
      if (hfi_linear(&f, &tree, i) >= least) assert_true(above < n && found[above] == i);
    }
    // those that do not belong there miss the bound by a rounding only
    for (int i = 0; i < n; ++i) assert_at_least(hfi_linear(&f, &tree, found[i]), least - 1e-13);
    if (n > 1) assert_int_equal(hfi_tree_above(&tree, &f, least, found, n - 1), -1);
  }
  hfi_release(memory.base);
}

// Random, or with axes along those of the world: many vertices are then equally far.
static hfPose some_pose(testRandom* r, double reach) {
  hfPose X = random_pose(r, reach);
  if (random_int(r, 3) == 0) X.R = m3_identity();
  if (random_int(r, 6) == 0) X.R = m3_from_quat((hfQuat){sqrt(0.5), sqrt(0.5), 0, 0});
  return X;
}

static void compare_pair(testRandom* r, const hfiShape* plain, const hfiShape* indexed, const hfiShape* other) {
  hfPose A = some_pose(r, 1.2), B = some_pose(r, 1.2);
  hfiContactPoint p[HFI_MAX_MANIFOLD], q[HFI_MAX_MANIFOLD];
  int n = hfi_collide(plain, &A, other, &B, 0.3, p);
  assert_int_equal(n, hfi_collide(indexed, &A, other, &B, 0.3, q));
  for (int i = 0; i < n; ++i) {
    assert_memory_equal(&p[i].p_WCa, &q[i].p_WCa, sizeof p[i].p_WCa);
    assert_memory_equal(&p[i].n_W, &q[i].n_W, sizeof p[i].n_W);
    assert_int_equal(p[i].feature, q[i].feature);
  }
  int found = hfi_distance(plain, &A, other, &B, INFINITY, p);
  assert_int_equal(found, hfi_distance(indexed, &A, other, &B, INFINITY, q));
  if (found) assert_memory_equal(&p->depth, &q->depth, sizeof p->depth);
  hfVec3 x = v3_scale(random_uniform(r, 0, 2), random_unit(r));
  hfiNearest near = hfi_nearest(plain, x), same = hfi_nearest(indexed, x);
  assert_memory_equal(&near, &same, sizeof near);
}

static void an_index_changes_no_bit(void** state) {
  (void)state;
  testRandom r = {11};
  printf("seed %llu\n", (unsigned long long)r.state);
  int rounds = is_full() ? 400 : 20;
  hfiArena memory = make_arena();
  for (int k = 0; k < rounds; ++k) {
    hfiHullData data[3] = {random_hull(&r, 60, 1), prism_hull(64, 0.5, 0.4), prism_hull(24, 0.7, 0.2)};
    for (int h = 0; h < 3; ++h) {
      hfiArena arena = memory;
      hfiHullIndex index;
      hfiHull plain = hull_view(&data[h]), indexed = plain;
      hfi_hull_index_init(&index, &plain, &arena);
      indexed.index = &index;
      hfiShape A = {HF_GEOM_MESH, {0}, &plain, NULL}, B = {HF_GEOM_MESH, {0}, &indexed, NULL};
      for (int type = 0; type < HFI_CONVEX_SHAPES; ++type)
        for (int i = 0; i < 40; ++i) {
          hfiShape other = random_shape(&r, type, 1, &plain, 1);
          compare_pair(&r, &A, &B, &other);
        }
    }
    for (int h = 0; h < 3; ++h) hfi_hull_release(&data[h]);
  }
  hfi_release(memory.base);
}

// Of all directions, also those between cells, the farthest vertex is listed, with all that are as far but for a rounding.
static void a_cell_lists_the_farthest_vertices(void** state) {
  (void)state;
  testRandom r = {13};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiArena memory = make_arena();
  hfiHullData data[3] = {random_hull(&r, 60, 1), prism_hull(64, 0.5, 0.4), prism_hull(24, 0.7, 0.2)};
  int listed = 0;
  for (int k = 0; k < 3; ++k) {
    hfiArena arena = memory;
    hfiHull hull = hull_view(&data[k]);
    hfiHullIndex* index = HFI_TAKE(&arena, hfiHullIndex, 1);
    hfi_hull_index_init(index, &hull, &arena);
    for (int i = 0; i < 20000; ++i) {
      hfVec3 d = i % 2 ? random_unit(&r) : v3(random_int(&r, 9) - 4, random_int(&r, 9) - 4, random_int(&r, 9) - 4); // borders are at multiples of a quarter
      const hfiDirectionCell* cell = hfi_hull_cell(index, d);
      double top = -INFINITY;
      for (int v = 0; v < hull.nvert; ++v) top = max2(top, v3_dot(d, v3_load(hull.vert + 3 * v)));
      for (int v = 0, j; v < hull.nvert && cell->count && v3_norm2(d) > 0; ++v) {
        if (v3_dot(d, v3_load(hull.vert + 3 * v)) < top - 1e-12) continue;
        for (j = 0; j < cell->count && cell->vertex[j] != v;) ++j;
        assert_below(j, cell->count);
        listed++;
      }
    }
    hfi_hull_release(&data[k]);
  }
  printf("%d listed vertices found\n", listed);
  assert_above(listed, 30000);
  hfi_release(memory.base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_tree_finds_what_a_visit_to_all_finds),
                                     cmocka_unit_test(an_index_changes_no_bit), cmocka_unit_test(a_cell_lists_the_farthest_vertices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
