// Every pair of shapes at random poses against the oracle of oracle.h; symmetry, rigid motion.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "step/geometry/facet.h"
#include "geometry/oracle.h"

#include <stdio.h>

enum { HULLS = 6, TYPES = HFI_CONVEX_SHAPES };
static hfiHullData hull_data[HULLS];
static hfiHull hulls[HULLS];

static int make_hulls(void** state) {
  (void)state;
  testRandom r = {7};
  for (int i = 0; i < HULLS; ++i) {
    double h[3] = {0.5, 0.3, 0.8};
    hull_data[i] = i == 0 ? box_hull(h) : random_hull(&r, 4 + 5 * i, 1);
    hulls[i] = hull_view(hull_data + i);
  }
  return 0;
}

static int drop_hulls(void** state) {
  (void)state;
  for (int i = 0; i < HULLS; ++i) hfi_hull_release(hull_data + i);
  return 0;
}

typedef struct Pair {
  hfiShape A, B;
  hfPose X_WA, X_WB;
  double scale; // of rounding [m]
  hfiContactPoint point[HFI_MAX_MANIFOLD];
  int count, deepest;
} Pair;

// Two shapes near each other, at most one a plane; found with an unbounded margin.
static Pair random_pair(testRandom* r, int ta, int tb) {
  Pair p;
  double size = random_log(r, 0.05, 2);
  p.A = random_shape(r, ta, random_log(r, 0.3, 3) * size, hulls, HULLS);
  p.B = random_shape(r, tb, random_log(r, 0.3, 3) * size, hulls, HULLS);
  p.X_WA = random_pose(r, 0.1);
  p.X_WB = random_pose(r, 0.1);
  p.scale = shape_size(&p.A) + shape_size(&p.B);
  p.X_WB.p = v3_axpy(random_uniform(r, 0, 1.3) * p.scale, random_unit(r), p.X_WA.p);
  return p;
}

static void collide(Pair* p, double margin) {
  p->count = hfi_collide(&p->A, &p->X_WA, &p->B, &p->X_WB, margin, p->point);
  p->deepest = 0;
  for (int i = 1; i < p->count; ++i) if (p->point[i].depth > p->point[p->deepest].depth) p->deepest = i;
}

static int is_solid(const Pair* p) { return p->A.type != HF_GEOM_PLANE && p->B.type != HF_GEOM_PLANE; }

// How much deeper the lowest point of a cylinder's rim is than the deepest point, where that is another one; 0 where the pair has no such point. Its feature is 0; on a plane it
// follows that of the last of the four fixed points.
static double lowest_of_rim(const Pair* p) {
  int shift = p->A.type == HF_GEOM_CYLINDER ? 16 : 0;
  if (p->A.type != HF_GEOM_CYLINDER && p->B.type != HF_GEOM_CYLINDER) return 0;
  for (int i = 1; i < p->count; ++i) {
    uint32_t feature = p->point[i].feature >> shift, before = p->point[i - 1].feature >> shift;
    int is_lowest = is_solid(p) ? p->point[i].feature == 0 : feature % 8 == 4 && before + 1 == feature;
    if (is_lowest && i != p->deepest && p->point[i].depth > 0) return p->point[i].depth;
  }
  return 0;
}

static int is_rod(const hfiShape* s) { return s->type == HF_GEOM_CAPSULE || s->type == HF_GEOM_CYLINDER; }

// Do the points lie on the cap of a cylinder? Their normal is then that of the cap.
static int is_on_cap(const Pair* p) {
  hfVec3 n = p->point[0].n_W;
  return (p->A.type == HF_GEOM_CYLINDER && fabs(v3_dot(n, m3_col(p->X_WA.R, 2))) > 1 - 1e-12) ||
         (p->B.type == HF_GEOM_CYLINDER && fabs(v3_dot(n, m3_col(p->X_WB.R, 2))) > 1 - 1e-12);
}

// Does a capsule or cylinder touch with its side, where the normal is n_W? If neither of two does, two caps touch, and the point that their rims share has its full depth.
static int has_side(const hfiShape* s, const hfPose* X_W, hfVec3 n_W) { return is_rod(s) && fabs(v3_dot(n_W, m3_col(X_W->R, 2))) <= HFI_SIDE_TILT; }

// Is n_W, which points out of the shape, the normal of a flat face of it, so that what touches it lies on the face?
static int is_on_face(const hfiShape* s, const hfPose* X_W, hfVec3 n_W) {
  hfiFacet f;
  hfi_facet(s, X_W, n_W, &f);
  return f.kind == HFI_FACET_POLYGON && v3_norm(v3_cross(f.normal, n_W)) <= HFI_FACET_ANGLE;
}

// Is the last point where two round sides, a round side and the rim of a cap or the outline of a face, or a capsule and the edge of a box cross?
static int is_crossing(const Pair* p, uint32_t feature) {
  int capsules = (p->A.type == HF_GEOM_CAPSULE) + (p->B.type == HF_GEOM_CAPSULE), boxes = (p->A.type == HF_GEOM_BOX) + (p->B.type == HF_GEOM_BOX);
  hfVec3 n = p->point[0].n_W;
  if (capsules == 2 || (capsules == 1 && boxes == 1)) return (feature | feature >> 16) % 65536 == 2;
  if (feature != 0 || is_on_cap(p) || is_on_face(&p->A, &p->X_WA, v3_neg(n)) || is_on_face(&p->B, &p->X_WB, n)) return 0;
  return has_side(&p->A, &p->X_WA, n) || has_side(&p->B, &p->X_WB, n);
}

// The depth of the pair: that of its deepest point, and what the lowest point of a rim is deeper; of what crosses with overlapping ends, that of the deeper end and what the
// crossing is deeper than it.
static double depth_of(const Pair* p) {
  double ends = -INFINITY;
  int last = p->count - 1;
  for (int i = 0; i < last; ++i) ends = max2(ends, p->point[i].depth);
  int crosses = last > 0 && ends > 0 && is_crossing(p, p->point[last].feature);
  return crosses ? ends + p->point[last].depth : p->point[p->deepest].depth + lowest_of_rim(p);
}

// True signed distance of a plane and a shape.
static double plane_gap(const Pair* p) {
  int a = p->A.type == HF_GEOM_PLANE;
  const hfPose* plane = a ? &p->X_WA : &p->X_WB;
  const hfPose* other = a ? &p->X_WB : &p->X_WA;
  hfVec3 m = m3_col(plane->R, 2);
  return v3_dot(m, v3_sub(other->p, plane->p)) - oracle_support(a ? &p->B : &p->A, m3_tmulv(other->R, v3_neg(m)));
}

static void check_points(const Pair* p) {
  for (int i = 0; i < p->count; ++i) {
    const hfiContactPoint* c = p->point + i;
    double tol = 1e-14 * (p->scale + v3_norm(p->X_WA.p) + v3_norm(p->X_WB.p));
    assert_true(v3_finite(c->p_WCa) && v3_finite(c->p_WCb) && isfinite(c->depth));
    assert_near(v3_norm(c->n_W), 1, 1e-14);
    hfVec3 ab = v3_sub(c->p_WCb, c->p_WCa);
    assert_near(v3_dot(ab, c->n_W), c->depth, tol * 4);
    assert_near(v3_norm(v3_axpy(-c->depth, c->n_W, ab)), 0, tol * 4);
    for (int j = 0; j < i; ++j) assert_int_not_equal(c->feature, p->point[j].feature);
  }
}

// The signed distance is proven. tol: relative to the shapes' size.
static int check_distance(testRandom* r, const Pair* p, const hfiContactPoint* c, double tol, int tries) {
  double got = -c->depth, size = p->scale;
  if (!is_solid(p)) return fabs(got - plane_gap(p)) <= tol * size;
  double reached = oracle_gap(&p->A, &p->X_WA, &p->B, &p->X_WB, c->n_W), found = -INFINITY;
  // apart, the witness points prove that there is no better normal
  if (got <= 0) found = oracle_search(r, &p->A, &p->X_WA, &p->B, &p->X_WB, c->n_W, tries);
  if (fabs(reached - got) <= tol * size && found <= got + tol * size) return 1;
  print_error("%s-%s: distance %.15g, its normal gives %.15g, the search %.15g\n", kTypeName[p->A.type], kTypeName[p->B.type], got, reached, found);
  return 0;
}

static hfiContactPoint distance(const Pair* p) {
  hfiContactPoint c;
  assert_true(hfi_distance(&p->A, &p->X_WA, &p->B, &p->X_WB, INFINITY, &c));
  return c;
}

static void random_pairs_reach_the_oracle(void** state) {
  (void)state;
  testRandom r = {2024};
  printf("seed %llu\n", (unsigned long long)r.state);
  int rounds = is_full() ? 4000 : 60;
  int failures = 0, imprecise = 0, pairs = 0;
  for (int k = 0; k < rounds; ++k)
    for (int ta = 0; ta < TYPES; ++ta)
      for (int tb = 0; tb < TYPES; ++tb) {
        if (ta == HF_GEOM_PLANE && tb == HF_GEOM_PLANE) continue;
        Pair p = random_pair(&r, ta, tb);
        collide(&p, 100);
        assert_above(p.count, 0);
        check_points(&p);
        hfiContactPoint exact = distance(&p);
        // rounding; where no guess of polish.c is right, the accuracy of EPA for curved pairs remains
        int precise = check_distance(&r, &p, &exact, 1e-10, 1000);
        failures += !precise && !check_distance(&r, &p, &exact, 1e-6, 1000);
        imprecise += !precise;
        pairs++;
        // a face takes over from a normal within HFI_FACET_ANGLE = 3e-3 of its own: second order in it
        assert_near(depth_of(&p), exact.depth, 1e-5 * p.scale);
      }
  printf("%d of %d pairs beyond 1e-10\n", imprecise, pairs);
  assert_int_equal(failures, 0);
  assert_at_most(imprecise, 1 + pairs / 10000);
}

// The overlap without points is the depth of the deepest point, for boxes to the tolerance of flat contacts.
static void an_overlap_is_that_of_the_deepest_point(void** state) {
  (void)state;
  testRandom r = {31};
  for (int k = 0; k < 2000; ++k) {
    Pair p = random_pair(&r, k % 4 ? HF_GEOM_BOX : HF_GEOM_CAPSULE, HF_GEOM_BOX);
    collide(&p, 0);
    double deepest = p.count ? max2(0, p.point[p.deepest].depth) : 0;
    // a face takes over from a normal within HFI_FACET_ANGLE = 3e-3 of its own: second order in it
    assert_near(hfi_overlap_depth(&p.A, &p.X_WA, &p.B, &p.X_WB), deepest, 1e-5 * p.scale);
  }
}

static void swapping_mirrors_the_contact(void** state) {
  (void)state;
  testRandom r = {5};
  printf("seed %llu\n", (unsigned long long)r.state);
  for (int k = 0; k < 3000; ++k) {
    Pair p = random_pair(&r, random_int(&r, TYPES), 1 + random_int(&r, TYPES - 1)), q = p;
    q.A = p.B, q.B = p.A, q.X_WA = p.X_WB, q.X_WB = p.X_WA;
    collide(&p, 0.1);
    collide(&q, 0.1);
    assert_int_equal(p.count, q.count);
    if (!p.count) continue;
    assert_near(depth_of(&p), depth_of(&q), 1e-9 * p.scale);
  }
}

static void a_rigid_motion_moves_the_contact(void** state) {
  (void)state;
  testRandom r = {11};
  printf("seed %llu\n", (unsigned long long)r.state);
  for (int k = 0; k < 3000; ++k) {
    Pair p = random_pair(&r, random_int(&r, TYPES), 1 + random_int(&r, TYPES - 1)), q = p;
    hfPose X = random_pose(&r, 1);
    q.X_WA = pose_mul(X, p.X_WA);
    q.X_WB = pose_mul(X, p.X_WB);
    collide(&p, 0.1);
    collide(&q, 0.1);
    assert_int_equal(p.count, q.count);
    for (int i = 0; i < p.count; ++i) {
      assert_int_equal(p.point[i].feature, q.point[i].feature);
      assert_near(p.point[i].depth, q.point[i].depth, 1e-11 * (1 + p.scale));
    }
  }
}

// Distance between a line, through p along the unit vector u, and the segment from a to b.
static double line_to_segment(hfVec3 p, hfVec3 u, hfVec3 a, hfVec3 b) {
  hfVec3 r = v3_sub(a, p), d = v3_sub(b, a);
  r = v3_axpy(-v3_dot(r, u), u, r), d = v3_axpy(-v3_dot(d, u), u, d);
  double t = v3_norm2(d) > 0 ? clamp(-v3_dot(r, d) / v3_norm2(d), 0, 1) : 0;
  return v3_norm(v3_axpy(t, d, r));
}

// The corner of a mesh under the side of a cylinder, with an edge that is nearly parallel to the cylinder and dips by up to some milliradians: the depth
// is at most that of the nearest point of an edge, and not that of a point beyond its end.
static void a_corner_touches_a_side(void** state) {
  (void)state;
  double h[3] = {0.03, 0.02, 0.025}, r = 0.03;
  testRandom random = {31};
  hfiHullData data = box_hull(h);
  hfiHull hull = hull_view(&data);
  hfiShape cylinder = {HF_GEOM_CYLINDER, {r, 0.05, 0}, NULL, NULL}, mesh = {HF_GEOM_MESH, {0}, &hull, NULL};
  hfQuat upright = q_mul(q_exp(v3(0.6, 0, 0)), q_identity()); // an edge along x is on top
  for (int k = 0; k < 20000; ++k) {
    hfVec3 tilt = v3(random_uniform(&random, -0.1, 0.1), random_uniform(&random, 0, 5e-3), random_uniform(&random, -5e-3, 5e-3));
    hfPose X_M = pose_from(v3_zero(), q_mul(q_exp(tilt), upright));
    hfVec3 corner = pose_point(X_M, v3(-h[0], h[1], h[2]));
    hfVec3 u = v3(1, 0, 0), out = v3(0, sin(random_uniform(&random, -0.3, 0.3)), 0);
    out.z = sqrt(1 - out.y * out.y);
    hfPose X_C = pose_from(v3_axpy(r - 1e-6, out, v3_add(corner, v3(random_uniform(&random, -0.02, 0.02), 0, 0))), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2));
    double distance = INFINITY;
    for (int i = 0; i < 3; ++i) {
      double end[3] = {-h[0], h[1], h[2]};
      end[i] = -end[i];
      distance = min2(distance, line_to_segment(X_C.p, u, corner, pose_point(X_M, v3_load(end))));
    }
    hfiContactPoint at;
    assert_true(hfi_distance(&cylinder, &X_C, &mesh, &X_M, INFINITY, &at));
    assert_at_most(at.depth, r - distance + 1e-12); // a face may be a shorter way out
  }
  hfi_hull_release(&data);
}

// A cylinder or capsule that lies along another and tilts in their common plane, on one that overlaps it by 1 mm in the middle: both ends of the overlap are points as long as both are
// deep, each as deep as it is, and the sum of the depths does not jump where one leaves.
static void sides_along_each_other_touch_at_both_ends(void** state) {
  (void)state;
  double r = 0.02, half = 0.03, depth = 1e-3;
  int types[2] = {HF_GEOM_CAPSULE, HF_GEOM_CYLINDER};
  hfiShape lower = {HF_GEOM_CYLINDER, {r, 2 * half, 0}, NULL, NULL};
  hfPose X_lower = pose_from(v3_zero(), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2));
  for (int t = 0; t < 2; ++t) {
    double before = 2 * depth;
    for (int k = 0; k <= 60; ++k) {
      double tilt = k * 1e-3, rise = half * sin(tilt);
      hfiShape upper = {types[t], {r, half, 0}, NULL, NULL};
      hfPose X = pose_from(v3(0, 0, 2 * r - depth), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2 + tilt));
      hfiContactPoint point[HFI_MAX_POINTS];
      int count = hfi_collide(&upper, &X, &lower, &X_lower, 0, point);
      double sum = 0;
      for (int i = 0; i < count; ++i) sum += point[i].depth;
      if (fabs(rise - depth) > 2e-2 * depth) assert_int_equal(count, rise < depth ? 2 : 1);
      assert_near(sum, rise < depth ? 2 * depth : depth + rise, 5e-2 * depth); // less by 1 - cos(tilt) of the radius at each point
      assert_near(sum, before, 1.2e-3 * half);                                 // a step of the tilt lifts an end by 1e-3 of that
      before = sum;
    }
  }
}

// The side of a capsule or cylinder on the rim of a cap, near which it ends: where the deepest point of the rim joins the ends of the side, it has the depth
// that it has beyond theirs. With all its depth the rim pushed with twice the force as soon as it was deeper than the end by rounding.
static void a_side_on_the_rim_of_a_cap_pushes_once(void** state) {
  (void)state;
  double radius = 0.05, half = 0.04, r = 0.02, length = 0.1;
  testRandom random = {17};
  int joined = 0;
  for (int k = 0; k < 4000; ++k) {
    Pair p = {.A = {HF_GEOM_CYLINDER, {radius, half, 0}, NULL, NULL}, .X_WA = pose_identity(), .scale = 0.1};
    p.B = (hfiShape){k % 2 ? HF_GEOM_CAPSULE : HF_GEOM_CYLINDER, {r, length, 0}, NULL, NULL};
    // The axis lies along x, dips by the tilt and ends within a millimetre of the rim, over which it is as much as makes a depth of up to 5 mm.
    double tilt = random_uniform(&random, 0.01, 0.09), side = random_uniform(&random, -0.8, 0.8) * radius, depth = random_uniform(&random, 0, 5e-3);
    double end = sqrt(sqr(radius) - sqr(side)) + random_uniform(&random, -1e-3, 1e-3);
    hfVec3 centre = v3(end - length * cos(tilt), side, half + r - depth + length * sin(tilt));
    hfQuat about_z = q_from_axis_angle(v3(0, 0, 1), random_uniform(&random, -HFI_PI, HFI_PI));
    p.X_WB = pose_from(q_rotate(about_z, centre), q_mul(about_z, q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2 + tilt)));
    collide(&p, 1);
    assert_above(p.count, 0);
    assert_near(depth_of(&p), distance(&p).depth, 1e-5 * p.scale);
    joined += p.count == 3 && p.point[2].feature == 0 && !is_on_cap(&p);
  }
  assert_above(joined, 100);
}

// A capsule nearly along an edge of a box, which it crosses at 8 mrad, touches it with both ends. While it tilts by 0.1 mrad to both sides, the point where they cross moves from
// one end to the other, and no end lets go: each is within 5 um of the depth of 20 um.
static void a_capsule_along_an_edge_keeps_both_ends(void** state) {
  (void)state;
  hfiShape A = {HF_GEOM_CAPSULE, {0.02, 0.03, 0}, NULL, NULL}, B = {HF_GEOM_BOX, {0.05, 0.05, 0.05}, NULL, NULL};
  hfVec3 out = v3_unit(v3(0, 0.3, 1)), edge = v3(1, 0, 0);
  hfQuat crossing = q_mul(q_from_axis_angle(out, 8e-3), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2));
  for (int i = -20; i <= 20; ++i) {
    Pair p = {.A = A, .B = B, .X_WB = pose_identity(), .scale = 0.1};
    p.X_WA = pose_from(v3_axpy(0.01998, out, v3(0, 0.05, 0.05)), q_mul(q_from_axis_angle(v3_cross(edge, out), 5e-6 * i), crossing));
    collide(&p, 0.001);
    assert_in_range(p.count, 2, 3);
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(p.point[k].feature, k);
      assert_near(p.point[k].depth, 2e-5, 5e-6);
    }
    assert_near(depth_of(&p), distance(&p).depth, 1e-8);
  }
}

// A capsule deep inside another, or inside the edge of a box, which it crosses: the sum of the forces of its points, which are as their depths, has the
// direction of least overlap. An end that overlaps, too, may turn it by what it is allowed to have another normal: by 0.12 rad, where it keeps 0.86 of its
// depth at 0.14 rad. (Ends that kept all their depth turned it by up to 1.5 rad.)
static void a_deep_crossing_pushes_along_the_least_overlap(void** state) {
  (void)state;
  testRandom r = {11};
  int found[2] = {0, 0};
  for (int i = 0; i < 20000; ++i) {
    int box = i % 2;
    Pair p = {.A = {HF_GEOM_CAPSULE, {0.04, random_uniform(&r, 0.02, 0.1), 0}, NULL, NULL}, .scale = 0.1};
    p.B = (hfiShape){box ? HF_GEOM_BOX : HF_GEOM_CAPSULE, {0.03, random_uniform(&r, 0.02, 0.1), 0.03}, NULL, NULL};
    p.X_WA = random_pose(&r, 0.05), p.X_WB = random_pose(&r, 0.05);
    collide(&p, 0);
    if (p.count == 0 || !is_crossing(&p, p.point[p.count - 1].feature)) continue;
    hfVec3 sum = v3_zero();
    for (int k = 0; k < p.count; ++k) sum = v3_axpy(p.point[k].depth, p.point[k].n_W, sum);
    assert_above(v3_dot(v3_unit(sum), distance(&p).n_W), cos(0.13));
    ++found[box];
  }
  assert_above(found[0], 1000);
  assert_above(found[1], 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs_reach_the_oracle),
      cmocka_unit_test(a_corner_touches_a_side),
      cmocka_unit_test(sides_along_each_other_touch_at_both_ends),
      cmocka_unit_test(a_side_on_the_rim_of_a_cap_pushes_once),
      cmocka_unit_test(a_capsule_along_an_edge_keeps_both_ends),
      cmocka_unit_test(a_deep_crossing_pushes_along_the_least_overlap),
      cmocka_unit_test(an_overlap_is_that_of_the_deepest_point),
      cmocka_unit_test(swapping_mirrors_the_contact),
      cmocka_unit_test(a_rigid_motion_moves_the_contact),
  };
  return cmocka_run_group_tests(tests, make_hulls, drop_hulls);
}
