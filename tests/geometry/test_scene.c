// Leaving out distant pairs loses no contact: the contacts of a model are those of all its pairs taken one by one, at poses
// that jump and at poses that move continuously. Nor does looking a second time at some pairs only. Gaps that no motion closes have no points.
#include "support/cmocka_all.h"

#include "step/geometry/distance.h"
#include "geometry/oracle.h"
#include "step/geometry/scene.h"

#include <holdfast/import.h>

#include <stdio.h>

enum { FEW = 24, SOME = 120, MANY = 130, MOST = 32768 }; // Pairs of FEW geoms, and of SOME as a robot may have, are listed for good; those of MANY are not.

// Each geom has a body of its own. There are geoms of every type, with sizes from flat to long. The mesh has so many vertices
// that its support points are found by walking along edges.
static void write_model(testRandom* r, int geoms, char* text, size_t size) {
  static const char* const type[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
  size_t n = (size_t)snprintf(text, size, "<mujoco><asset><mesh name='m' vertex='");
  for (int i = 0; i < 60; ++i) {
    hfVec3 x = random_unit(r);
    n += (size_t)snprintf(text + n, size - n, "%g %g %g ", 0.1 * x.x, 0.2 * x.y, 0.3 * x.z);
  }
  n += (size_t)snprintf(text + n, size - n, "'/></asset><worldbody>");
  for (int i = 0; i < geoms; ++i) {
    double a = 0.02 + 0.3 * random_uniform(r, 0, 1), b = 0.02 + 0.3 * random_uniform(r, 0, 1), c = 0.02 + 0.3 * random_uniform(r, 0, 1);
    n += (size_t)snprintf(text + n, size - n, "<body><freejoint/><geom type='%s' %s size='%g %g %g' mass='1' margin='%g'/>", type[i % 6],
                          i % 6 == 5 ? "mesh='m'" : "", a, b, c, 0.02 * random_uniform(r, 0, 1));
    n += (size_t)snprintf(text + n, size - n, "<geom size='1' contype='0' conaffinity='0' mass='1'/></body>"); // drawn only
  }
  snprintf(text + n, size - n, "<geom type='plane' size='0 0 1'/></worldbody></mujoco>");
}

static hfiShape shape_without_index(const hfiScene* s, int g, hfiHull* hull) {
  hfiShape shape = s->shape[g];
  if (!shape.hull) return shape;
  *hull = *shape.hull;
  hull->index = NULL;
  shape.hull = hull;
  return shape;
}

// Every pair that may touch, without anything that saves time.
static int collide_all(const hfiScene* s, const hfPose* X, hfiRawContact* out) {
  int count = 0;
  const double* margin = hf_model_geom_margin(s->model);
  for (int a = 0; a < s->model->ngeom; ++a)
    for (int b = a + 1; b < s->model->ngeom; ++b) {
      if (!hf_model_geom_contype(s->model)[a] || !hf_model_geom_contype(s->model)[b]) continue;
      hfiContactPoint p[HFI_MAX_MANIFOLD];
      hfiHull hull_a, hull_b;
      hfiShape A = shape_without_index(s, a, &hull_a), B = shape_without_index(s, b, &hull_b);
      int n = hfi_collide(&A, &X[a], &B, &X[b], margin[a] + margin[b], p);
      for (int k = 0; k < n; ++k, ++count)
        out[count].geom_a = a, out[count].geom_b = b, out[count].point = p[k];
    }
  return count;
}

static void compare(hfiScene* s, const hfPose* X, long* contacts) {
  static hfiRawContact culled[MOST], all[MOST];
  int dropped, count = hfi_scene_collide(s, X, NULL, culled, MOST, &dropped);
  assert_int_equal(count, collide_all(s, X, all));
  for (int i = 0; i < count; ++i) {
    assert_int_equal(culled[i].geom_a, all[i].geom_a);
    assert_int_equal(culled[i].geom_b, all[i].geom_b);
    assert_memory_equal(&culled[i].point.p_WCa, &all[i].point.p_WCa, sizeof(hfVec3));
  }
  *contacts += count;
}

// Pairs of which the scene knew the nearest points: all of them, and those of an ellipsoid or cylinder and a box, which have closed forms in other places.
static long known_pairs, known_beside_box;

static int same_point(const hfiRawContact* x, const hfiRawContact* y) {
  return x->geom_a == y->geom_a && x->geom_b == y->geom_b && x->point.feature == y->point.feature;
}

static void assert_same_contact(const hfiContactPoint* x, const hfiContactPoint* y) {
  assert_memory_equal(&x->p_WCa, &y->p_WCa, sizeof x->p_WCa);
  assert_memory_equal(&x->p_WCb, &y->p_WCb, sizeof x->p_WCb);
  assert_memory_equal(&x->n_W, &y->n_W, sizeof x->n_W);
  assert_memory_equal(&x->depth, &y->depth, sizeof x->depth);
}

// The points of a second query at the same poses, with a wider reach, and what the scene then knows of their pairs, have the bits of functions without memory.
static void compare_with_forgetful(const hfiScene* s, const hfPose* X, const double* reach, const hfiRawContact* found, int count) {
  const double* margin = hf_model_geom_margin(s->model);
  hfiContactPoint own[HFI_MAX_POINTS], known, nearest;
  for (int i = 0, k = 0; i < count; ++i) {
    int a = found[i].geom_a, b = found[i].geom_b, begins = i == 0 || found[i - 1].candidate != found[i].candidate;
    hfiHull hull_a, hull_b;
    hfiShape A = shape_without_index(s, a, &hull_a), B = shape_without_index(s, b, &hull_b);
    if (begins) k = 0, hfi_collide(&A, &X[a], &B, &X[b], margin[a] + margin[b] + (reach[a] + reach[b]), own);
    assert_same_contact(&found[i].point, &own[k++]);
    if (!begins || !hfi_scene_recent(s, X, found[i].candidate, &known)) continue;
    assert_true(hfi_distance(&A, &X[a], &B, &X[b], INFINITY, &nearest));
    assert_same_contact(&known, &nearest);
    known_pairs++, known_beside_box += A.type != HF_GEOM_MESH && B.type == HF_GEOM_BOX;
  }
}

// A second search with a wider reach of some geoms finds all points that a first search with that reach finds of their pairs,
// none twice, in the order of the pairs.
static void compare_second_search(testRandom* r, hfiScene* s, const hfPose* X, long* added) {
  static hfiRawContact twice[MOST], once[MOST];
  double reach[2 * MANY + 1] = {0};
  int32_t extended[2 * MANY + 1];
  int dropped, n = s->model->ngeom;
  for (int g = 0; g < n; ++g) reach[g] = 0.01 * random_uniform(r, 0, 1);
  int first = hfi_scene_collide(s, X, reach, twice, MOST, &dropped);
  for (int g = 0; g < n; ++g)
    if ((extended[g] = random_uniform(r, 0, 1) < 0.1)) reach[g] += 0.05;
  int count = hfi_scene_search_again(s, X, reach, extended, twice, first, MOST, &dropped);
  int all = hfi_scene_collide(s, X, reach, once, MOST, &dropped);
  compare_with_forgetful(s, X, reach, once, all);
  for (int i = 0; i < all; ++i) {
    int matches = 0;
    for (int k = 0; k < count; ++k) matches += same_point(&once[i], &twice[k]);
    if (extended[once[i].geom_a] || extended[once[i].geom_b]) assert_int_equal(matches, 1);
  }
  for (int k = 1; k < count; ++k) {
    assert_true(twice[k - 1].geom_a < twice[k].geom_a ||
                (twice[k - 1].geom_a == twice[k].geom_a && twice[k - 1].geom_b <= twice[k].geom_b));
    assert_int_equal(twice[k - 1].candidate == twice[k].candidate,
                     twice[k - 1].geom_a == twice[k].geom_a && twice[k - 1].geom_b == twice[k].geom_b);
  }
  *added += count - first;
}

// Bodies jump now and then, and move and turn a little in between, some of the time so little that a list lives long.
static void move_geoms(testRandom* r, int i, int ngeom, hfPose* X) {
  double step = i % 50 < 25 ? 0.01 : 1e-4;
  for (int g = 1; g < ngeom; ++g) {
    if (i % 50 == 0) X[g] = random_pose(r, 0.5);
    X[g].p = v3_axpy(step, random_vector(r), X[g].p);
    X[g].R = m3_mul(X[g].R, m3_from_quat(q_exp(v3_scale(step, random_vector(r)))));
  }
}

// A scene of so many geoms, and the memory that it lives in.
typedef struct Shapes {
  hfModel* model;
  hfiScene scene;
  hfiArena arena;
} Shapes;

static void parse_shapes(Shapes* x, const char* text) {
  hfError error = {HF_OK, ""};
  memset(x, 0, sizeof *x);
  assert_int_equal(hf_model_parse(&x->model, text, strlen(text), "shapes", ".", NULL, NULL, &error), HF_OK);
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_scene_init(&x->scene, x->model, &plan);
  x->arena = hfi_arena_allocate(&plan, NULL);
  hfi_scene_init(&x->scene, x->model, &x->arena);
}

static void make_shapes(Shapes* x, testRandom* r, int geoms) {
  static char text[1 << 15];
  write_model(r, geoms, text, sizeof text);
  parse_shapes(x, text);
  assert_int_equal(hf_model_geom_type(x->model)[0], HF_GEOM_PLANE); // fixed geoms come first
  assert_int_equal(x->scene.pairs.are_listed, geoms < MANY);
  assert_int_equal(x->scene.nactive, geoms + 1);
}

static void free_shapes(Shapes* x) {
  hfi_release(x->arena.base);
  hf_model_free(x->model);
}

static void check_culling(uint64_t seed, int geoms, int trials, int moves) {
  printf("seed %llu\n", (unsigned long long)seed);
  testRandom r = {seed};
  long contacts = 0, added = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Shapes shapes;
    make_shapes(&shapes, &r, geoms);
    hfPose X[2 * MANY + 1];
    X[0] = pose_identity();
    for (int i = 0; i < moves; ++i) {
      move_geoms(&r, i, shapes.model->ngeom, X);
      compare(&shapes.scene, X, &contacts);
      if (i % 10 == 0) compare_second_search(&r, &shapes.scene, X, &added);
    }
    free_shapes(&shapes);
  }
  printf("%ld contacts, %ld by second searches, %ld pairs known, %ld of them beside a box\n", contacts, added, known_pairs, known_beside_box);
  assert_above(contacts, 1000);
  assert_above(added, 100);
  assert_above(known_pairs, 100);
  assert_above(known_beside_box, 20);
}

static void few_pairs(void** state) {
  (void)state;
  check_culling(5, FEW, 20, 200);
}

static void many_pairs(void** state) {
  (void)state;
  check_culling(6, MANY, 1, 60);
}

// One geom falls past others that stand still, by 5 cm a query. No contact is lost, and a list serves more than five queries on average: the
// skin of that geom alone is wide.
static void check_fast_geom(int geoms) {
  testRandom r = {7};
  Shapes shapes;
  make_shapes(&shapes, &r, geoms);
  static hfiRawContact found[MOST];
  hfPose X[2 * MANY + 1];
  double reach[2 * MANY + 1] = {0};
  long contacts = 0;
  int lists = 0, dropped, fast = shapes.scene.active[1], moves = 200;
  X[0] = pose_identity();
  for (int g = 1; g < shapes.model->ngeom; ++g) X[g] = random_pose(&r, 0.5);
  X[fast].p = v3(0, 0, 5), reach[fast] = 0.05;
  for (int i = 0; i < moves; ++i) {
    X[fast].p.z -= 0.05;
    hfi_scene_collide(&shapes.scene, X, reach, found, MOST, &dropped);
    lists += shapes.scene.near.queries == 1;
    compare(&shapes.scene, X, &contacts);
  }
  assert_above(contacts, 1000);
  assert_below(5 * lists, moves);
  free_shapes(&shapes);
}

static void one_fast_geom(void** state) {
  (void)state;
  check_fast_geom(FEW);
  check_fast_geom(SOME);
}

// How many points a block that stands on a gap above another has within a reach of 10 mm. base: attributes of the body of that one; the joints of the block, and the axis that the first of them has.
static int points_above(const char* base, const char* joints, hfVec3 axis, double gap, double margin) {
  static hfiRawContact found[MOST];
  char text[1024];
  Shapes shapes;
  int dropped;
  snprintf(text, sizeof text, "<mujoco><asset><mesh name='m' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1'/></asset><worldbody>"
           "<body %s><geom type='mesh' mesh='m' margin='%g'/></body><body pos='0 0 .2'>%s<geom type='mesh' mesh='m' mass='1'/></body></worldbody></mujoco>", base, margin, joints);
  parse_shapes(&shapes, text);
  hfVec3 axes[2] = {axis, axis};
  hfPose X[2] = {pose_identity(), {m3_from_quat(q_exp(v3(0, 0, 0.3))), v3(0, 0, 0.2 + gap)}};
  const double reach[2] = {0, 0.01};
  int without = hfi_scene_collide(&shapes.scene, X, reach, found, MOST, &dropped);
  assert_above(without, 0);
  shapes.scene.options.axis_W = axes;
  int with = hfi_scene_collide(&shapes.scene, X, reach, found, MOST, &dropped);
  assert_true(with == without || with == 0);
  free_shapes(&shapes);
  return with;
}

static int points_above_gap(const char* joints, hfVec3 axis, double gap, double margin) { return points_above("", joints, axis, gap, margin); }

// What turns on a hinge about the normal of a gap never closes it: the gap has no points, however far the reach. All else may.
static void gap_along_hinge(void** state) {
  (void)state;
  const char* hinge = "<joint axis='0 0 1'/>";
  const hfVec3 z = {0, 0, 1}, x = {1, 0, 0};
  assert_int_equal(points_above_gap(hinge, z, 1e-3, 0), 0);
  assert_int_equal(points_above_gap(hinge, v3_neg(z), 1e-3, 0), 0);
  assert_int_equal(points_above_gap(hinge, z, 1e-8, 0), 0);
  assert_int_equal(points_above_gap(hinge, z, 1e-3, 9e-4), 0);
  assert_above(points_above_gap(hinge, z, 1e-3, 2e-3), 0);  // within the margin
  assert_above(points_above_gap(hinge, z, -1e-5, 0), 0);    // they overlap
  assert_above(points_above_gap("<joint axis='1 0 0'/>", x, 1e-3, 0), 0);
  assert_above(points_above_gap("<joint type='slide' axis='0 0 1'/>", z, 1e-3, 0), 0);
  assert_above(points_above_gap("<joint axis='0 0 1'/><joint axis='1 0 0'/>", z, 1e-3, 0), 0);
  assert_above(points_above("mocap='true'", hinge, z, 1e-3, 0), 0); // which is moved by hand
}

// How many points a box has that a joint moves beside a fixed box, at a distance `gap` along z, within a reach of 10 mm. axis: that of the joint; tilt of both boxes about x.
static int points_beside(const char* base, const char* joint, hfVec3 axis, double gap, double tilt, double flush) {
  static hfiRawContact found[MOST];
  char text[1024];
  Shapes shapes;
  int dropped;
  snprintf(text, sizeof text, "<mujoco><worldbody><body %s><geom type='box' size='.1 .1 .1'/></body><body pos='0 0 .2'>%s<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>", base, joint);
  parse_shapes(&shapes, text);
  hfMat3 R = m3_from_quat(q_exp(v3(tilt, 0, 0)));
  hfPose X[2] = {{R, v3_zero()}, {R, m3_mulv(R, v3(0.01, 0.02, 0.2 + gap))}};
  const double reach[2] = {0, 0.01};
  shapes.scene.options.axis_W = &axis, shapes.scene.options.flush = flush;
  int n = hfi_scene_collide(&shapes.scene, X, reach, found, MOST, &dropped);
  free_shapes(&shapes);
  return n;
}

// What slides across the normal of a gap never changes it: a drawer has no points with the walls along which it slides, unless they overlap.
static void gap_across_slide(void** state) {
  (void)state;
  const char* slide = "<joint type='slide' axis='1 0 0'/>";
  const hfVec3 x = {1, 0, 0}, z = {0, 0, 1}, oblique = {1, 0, 1e-6};
  assert_int_equal(points_beside("", slide, x, 1e-3, 0, 0), 0);
  assert_int_equal(points_beside("", slide, x, 1e-3, 0.3, 0), 0); // The boxes are tilted about the slide.
  assert_int_equal(points_beside("", slide, x, 0, 0, 1e-12), 0);
  assert_int_equal(points_beside("", slide, x, -1e-14, 0, 1e-12), 0); // Rounding does not count as an overlap.
  assert_above(points_beside("", slide, x, -1e-14, 0, 0), 0);         // With adhesion it does.
  assert_above(points_beside("", slide, x, -1e-9, 0, 1e-12), 0);
  assert_above(points_beside("", "<joint type='slide' axis='0 0 1'/>", z, 1e-3, 0, 1e-12), 0);
  assert_above(points_beside("", slide, v3_unit(oblique), 1e-3, 0, 1e-12), 0);
  assert_above(points_beside("", "<joint type='slide' axis='1 0 0'/><joint axis='0 1 0'/>", x, 1e-3, 0, 1e-12), 0);
  assert_above(points_beside("mocap='true'", slide, x, 1e-3, 0, 1e-12), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gap_across_slide), cmocka_unit_test(few_pairs), cmocka_unit_test(many_pairs), cmocka_unit_test(one_fast_geom), cmocka_unit_test(gap_along_hinge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
