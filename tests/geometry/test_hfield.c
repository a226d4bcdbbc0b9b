// Height fields: a flat one is a plane, distances are those of all its prisms, rays meet the triangles that are tried one by one, and
// contacts keep their features.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "step/geometry/facet.h"
#include "geometry/oracle.h"
#include "step/geometry/ray.h"

#include <stdio.h>

enum { NROW = 9, NCOL = 7, NTRI = 2 * (NROW - 1) * (NCOL - 1) };

typedef struct Terrain {
  double height[NROW * NCOL];
  int32_t region[NTRI];
  hfiHeightField field;
} Terrain;

static void make_terrain(Terrain* t, testRandom* r, double roughness) {
  double range[2];
  for (int i = 0; i < NROW * NCOL; ++i) t->height[i] = 0.2 + roughness * random_uniform(r, -1, 1);
  hfi_hfield_range(t->height, NROW * NCOL, range);
  hfiHeightField f = {.nrow = NROW, .ncol = NCOL, .half = {0.6, 0.8}, .base = 0.3, .dx = 1.2 / (NCOL - 1), .dy = 1.6 / (NROW - 1),
                      .lowest = range[0], .highest = range[1], .height = t->height};
  hfi_hfield_regions(&f, t->region);
  f.region = t->region;
  t->field = f;
}

static hfiShape field_shape(const Terrain* t) {
  hfiShape s = {HF_GEOM_HFIELD, {0, 0, 0}, NULL, &t->field};
  return s;
}

// ---- a flat field ----------------------------------------------------------------------------------

// On a flat field a shape has the contacts that it has with the plane, whatever the cells below it.
static void a_flat_field_is_a_plane(void** state) {
  (void)state;
  testRandom r = {41};
  printf("seed %llu\n", (unsigned long long)r.state);
  Terrain t;
  make_terrain(&t, &r, 0);
  hfiHullData data = random_hull(&r, 30, 1);
  hfiHull hull = hull_view(&data);
  hfiShape field = field_shape(&t), plane = {HF_GEOM_PLANE, {0, 0, 0}, NULL, NULL};
  for (int type = HF_GEOM_SPHERE; type < HFI_CONVEX_SHAPES; ++type)
    for (int k = 0; k < 300; ++k) {
      hfiShape A = random_shape(&r, type, 0.1, &hull, 1);
      hfPose X_WB = random_pose(&r, 1), X_BA = random_pose(&r, 0), top = pose_identity();
      if (type == HF_GEOM_MESH) X_WB = pose_identity();
      double size = type == HF_GEOM_MESH ? 1 : 0.1;
      if (type == HF_GEOM_MESH) t.field.half[0] = t.field.half[1] = 6, t.field.dx = 12.0 / (NCOL - 1), t.field.dy = 12.0 / (NROW - 1);
      X_BA.p = v3(random_uniform(&r, -0.3, 0.3), random_uniform(&r, -0.3, 0.3), 0.2 + size * random_uniform(&r, -0.2, 1.2));
      top.p.z = 0.2;
      hfPose X_WA = pose_mul(X_WB, X_BA), X_WP = pose_mul(X_WB, top);
      hfiContactPoint with[HFI_MAX_POINTS], flat[HFI_MAX_POINTS];
      int n = hfi_collide(&A, &X_WA, &field, &X_WB, 0.02, with), m = hfi_collide(&A, &X_WA, &plane, &X_WP, 0.02, flat);
      if (n != m) fail_msg("%s: %d contacts, %d with the plane", kTypeName[type], n, m);
      for (int i = 0; i < n; ++i) { // The order is the same too; tolerance: rounding of a turn there and back.
        assert_near(with[i].depth, flat[i].depth, 1e-14);
        assert_near(v3_norm(v3_sub(with[i].n_W, flat[i].n_W)), 0, 1e-14);
        assert_near(v3_norm(v3_sub(with[i].p_WCa, flat[i].p_WCa)), 0, 1e-13);
        assert_near(v3_norm(v3_sub(with[i].p_WCb, flat[i].p_WCb)), 0, 1e-13);
      }
    }
  hfi_hull_release(&data);
}

static void features_stay_while_a_shape_slides_over_cells(void** state) {
  (void)state;
  testRandom r = {42};
  Terrain t;
  make_terrain(&t, &r, 0);
  hfiShape field = field_shape(&t), box = {HF_GEOM_BOX, {0.17, 0.11, 0.05}, NULL, NULL};
  hfPose X_B = pose_identity(), X = pose_identity();
  uint32_t first[4];
  for (int k = 0; k < 500; ++k) {
    hfiContactPoint p[HFI_MAX_POINTS];
    X.p = v3(-0.3 + 0.0011 * k, 0.1 + 0.0007 * k, 0.2 + 0.05 - 1e-4);
    assert_int_equal(hfi_collide(&box, &X, &field, &X_B, 0, p), 4);
    for (int i = 0; i < 4; ++i) {
      if (k == 0) first[i] = p[i].feature;
      assert_int_equal(p[i].feature, first[i]);
      for (int j = 0; j < i; ++j) assert_int_not_equal(p[i].feature, p[j].feature);
    }
  }
}

// ---- distances -------------------------------------------------------------------------------------

// The prism below a triangle as a convex hull.
static hfiHullData triangle_prism(const hfiHeightField* f, int c, int r, int upper) {
  static const int32_t tri[24] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 3, 2, 3, 0};
  hfVec3 a = hfi_hfield_vertex(f, c, r), b = hfi_hfield_vertex(f, c + 1, r + 1), k = upper ? hfi_hfield_vertex(f, c, r + 1) : hfi_hfield_vertex(f, c + 1, r);
  hfVec3 top[3] = {a, upper ? b : k, upper ? k : b};
  double vert[18];
  for (int i = 0; i < 3; ++i) v3_store(vert + 3 * i, top[i]), v3_store(vert + 9 + 3 * i, v3(top[i].x, top[i].y, -f->base));
  hfiHullData hull;
  assert_int_equal(hfi_hull_build(&hull, 6, vert, 8, tri, NULL), HF_OK);
  return hull;
}

// Shapes that are apart from a rough field: the distance is that of the nearest of its prisms, by GJK with each.
static void distance_is_that_of_the_nearest_prism(void** state) {
  (void)state;
  testRandom r = {43};
  printf("seed %llu\n", (unsigned long long)r.state);
  Terrain t;
  hfPose X_B = pose_identity();
  for (int world = 0; world < 24; ++world) {
    make_terrain(&t, &r, 0.03 * (1 + world % 6));
    hfiShape field = field_shape(&t);
    hfiHullData data[NTRI], own = random_hull(&r, 20, 0.15);
    hfiHull hull[NTRI], mine = hull_view(&own);
    for (int k = 0; k < NTRI; ++k) data[k] = triangle_prism(&t.field, k / 2 % (NCOL - 1), k / 2 / (NCOL - 1), k % 2), hull[k] = hull_view(&data[k]);
    for (int type = HF_GEOM_SPHERE; type < HFI_CONVEX_SHAPES; ++type)
      for (int k = 0; k < 25; ++k) {
        hfiShape A = random_shape(&r, type, 0.15, &mine, 1);
        hfPose X = random_pose(&r, 0);
        X.p = v3(random_uniform(&r, -1, 1), random_uniform(&r, -1.2, 1.2), random_uniform(&r, -0.7, 1));
        double nearest = INFINITY;
        for (int i = 0; i < NTRI; ++i) {
          hfiShape prism = {HF_GEOM_MESH, {0}, &hull[i], NULL};
          hfiContactPoint c;
          if (hfi_distance(&A, &X, &prism, &X_B, INFINITY, &c)) nearest = min2(nearest, -c.depth);
        }
        if (nearest < 1e-3) continue; // where they overlap a prism's side counts too
        hfiContactPoint c;
        assert_true(hfi_distance(&A, &X, &field, &X_B, INFINITY, &c));
        // 1e-9: the accuracy of GJK for curved shapes; a contact may have the normal of a face that is within HFI_FACET_ANGLE
        if (fabs(-c.depth - nearest) > 1e-9 + 0.5 * sqr(HFI_FACET_ANGLE) * nearest) fail_msg("%s at %g %g %g: distance %.12g, prisms %.12g", kTypeName[type], X.p.x, X.p.y, X.p.z, -c.depth, nearest);
      }
    for (int k = 0; k < NTRI; ++k) hfi_hull_release(&data[k]);
    hfi_hull_release(&own);
  }
}

// A ball with its centre above a rough field touches it in the nearest point of its triangles, and in no point that is not on them.
static void a_ball_touches_the_nearest_point(void** state) {
  (void)state;
  testRandom r = {44};
  Terrain t;
  hfPose X_B = pose_identity();
  for (int k = 0; k < 40000; ++k) {
    if (k % 100 == 0) make_terrain(&t, &r, 0.1);
    hfiShape field = field_shape(&t), ball = {HF_GEOM_SPHERE, {0.12, 0, 0}, NULL, NULL}, dot = {HF_GEOM_SPHERE, {0, 0, 0}, NULL, NULL};
    hfPose X = pose_identity();
    X.p = v3(random_uniform(&r, -0.5, 0.5), random_uniform(&r, -0.7, 0.7), 0);
    X.p.z = hfi_hfield_surface(&t.field, X.p.x, X.p.y) + random_uniform(&r, 0.02, 0.15);
    hfiContactPoint p[HFI_MAX_POINTS], nearest;
    int n = hfi_collide(&ball, &X, &field, &X_B, 0, p);
    assert_true(hfi_distance(&dot, &X, &field, &X_B, INFINITY, &nearest));
    double deepest = -INFINITY;
    for (int i = 0; i < n; ++i) {
      deepest = max2(deepest, p[i].depth);
      assert_near(p[i].p_WCb.z, hfi_hfield_surface(&t.field, p[i].p_WCb.x, p[i].p_WCb.y), 1e-7); // the slack of edges in steep triangles
      assert_near(v3_norm(v3_sub(p[i].p_WCa, X.p)), 0.12, 1e-12);
      assert_near(v3_dot(v3_sub(p[i].p_WCb, p[i].p_WCa), p[i].n_W), p[i].depth, 1e-12);
      assert_above(v3_dot(p[i].n_W, v3_sub(X.p, p[i].p_WCb)), 0);
    }
    if (n == 0) assert_at_most(nearest.depth, -0.12 + 1e-9);
    else assert_near(deepest, 0.12 + nearest.depth, 1e-9);
  }
}

// A ball is spared most parts of a field, an ellipsoid is not: with equal axes it has the same contacts, above the field, in it and beside it. (Two of 20,000 are
// at the border between two parts, and the search for the nearest points of the ellipsoid finds a contact with both.)
static void a_ball_has_the_contacts_of_an_ellipsoid(void** state) {
  (void)state;
  testRandom r = {45};
  Terrain t;
  hfPose X_B = pose_identity();
  int others = 0;
  for (int k = 0; k < 20000; ++k) {
    if (k % 100 == 0) make_terrain(&t, &r, random_uniform(&r, 0, 0.2));
    double radius = random_log(&r, 0.02, 0.5), margin = random_chance(&r, 0.5) ? 0.05 * radius : 0;
    hfiShape field = field_shape(&t), ball = {HF_GEOM_SPHERE, {radius, 0, 0}, NULL, NULL}, egg = {HF_GEOM_ELLIPSOID, {radius, radius, radius}, NULL, NULL};
    hfPose X = pose_identity();
    X.p = v3(random_uniform(&r, -0.8, 0.8), random_uniform(&r, -1, 1), 0);
    X.p.z = hfi_hfield_surface(&t.field, X.p.x, X.p.y) + random_uniform(&r, -0.2, 1.1) * radius;
    hfiContactPoint p[HFI_MAX_POINTS], e[HFI_MAX_POINTS];
    int n = hfi_collide(&ball, &X, &field, &X_B, margin, p);
    int same = hfi_collide(&egg, &X, &field, &X_B, margin, e) == n;
    others += !same;
    for (int i = 0; same && i < n; ++i) {
      double nearest = INFINITY;
      for (int j = 0; j < n; ++j) nearest = min2(nearest, v3_norm(v3_sub(p[i].p_WCb, e[j].p_WCb)) + fabs(p[i].depth - e[j].depth));
      assert_below(nearest, 1e-6); // what the search for the nearest points of curved shapes leaves
    }
  }
  assert_at_most(others, 2);
}

// ---- rays ------------------------------------------------------------------------------------------

// First point t > 0 of a ray on a triangle, from either side (Moeller and Trumbore 1997); infinite: none.
static double meet_triangle(hfVec3 o, hfVec3 d, hfVec3 a, hfVec3 b, hfVec3 c) {
  hfVec3 e = v3_sub(b, a), f = v3_sub(c, a), h = v3_cross(d, f), s = v3_sub(o, a), q = v3_cross(s, e);
  double det = v3_dot(e, h), u = v3_dot(s, h) / det, v = v3_dot(d, q) / det, t = v3_dot(f, q) / det;
  return det != 0 && u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : INFINITY;
}

static double meet_quad(hfVec3 o, hfVec3 d, hfVec3 a, hfVec3 b, hfVec3 c, hfVec3 e) {
  return min2(meet_triangle(o, d, a, b, c), meet_triangle(o, d, a, c, e));
}

static hfVec3 lowered(const hfiHeightField* f, hfVec3 p) { return v3(p.x, p.y, -f->base); }

static double meet_all(const hfiHeightField* f, hfVec3 o, hfVec3 d) {
  double t = INFINITY;
  for (int r = 0; r < f->nrow - 1; ++r)
    for (int c = 0; c < f->ncol - 1; ++c) {
      hfVec3 p = hfi_hfield_vertex(f, c, r), q = hfi_hfield_vertex(f, c + 1, r + 1);
      t = min2(t, min2(meet_triangle(o, d, p, hfi_hfield_vertex(f, c + 1, r), q), meet_triangle(o, d, p, q, hfi_hfield_vertex(f, c, r + 1))));
    }
  for (int c = 0; c < f->ncol - 1; ++c)
    for (int r = 0; r < f->nrow; r += f->nrow - 1) {
      hfVec3 p = hfi_hfield_vertex(f, c, r), q = hfi_hfield_vertex(f, c + 1, r);
      t = min2(t, meet_quad(o, d, p, q, lowered(f, q), lowered(f, p)));
    }
  for (int r = 0; r < f->nrow - 1; ++r)
    for (int c = 0; c < f->ncol; c += f->ncol - 1) {
      hfVec3 p = hfi_hfield_vertex(f, c, r), q = hfi_hfield_vertex(f, c, r + 1);
      t = min2(t, meet_quad(o, d, p, q, lowered(f, q), lowered(f, p)));
    }
  double x = f->half[0], y = f->half[1], z = -f->base;
  return min2(t, meet_quad(o, d, v3(-x, -y, z), v3(x, -y, z), v3(x, y, z), v3(-x, y, z)));
}

static void rays_meet_the_nearest_triangle(void** state) {
  (void)state;
  testRandom r = {45};
  printf("seed %llu\n", (unsigned long long)r.state);
  Terrain t;
  for (int k = 0; k < 20000; ++k) {
    if (k % 500 == 0) make_terrain(&t, &r, k % 1000 ? 0.15 : 0.02);
    hfiShape field = field_shape(&t);
    hfVec3 o = v3(random_uniform(&r, -1, 1), random_uniform(&r, -1, 1), random_uniform(&r, -0.6, 0.8)), d = random_unit(&r), n;
    if (k % 7 == 0) d = v3(0, 0, k % 2 ? 1 : -1);
    if (k % 7 == 1) d = v3(k % 2 ? 1 : -1, 0, 0);
    double want = meet_all(&t.field, o, d), got = INFINITY;
    int hit = hfi_ray_shape(&field, o, d, &got, &n);
    assert_int_equal(hit, want < INFINITY);
    if (!hit) continue;
    assert_near(got, want, 1e-12 * (1 + want) / max2(fabs(v3_dot(n, d)), 1e-3)); // a grazing ray moves far along the surface
    assert_near(v3_norm(n), 1, 1e-14);
    assert_false(fabs(o.x) < t.field.half[0] && fabs(o.y) < t.field.half[1] && o.z > t.field.highest && v3_dot(n, d) > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_field_is_a_plane),
      cmocka_unit_test(features_stay_while_a_shape_slides_over_cells),
      cmocka_unit_test(distance_is_that_of_the_nearest_prism),
      cmocka_unit_test(a_ball_touches_the_nearest_point),
      cmocka_unit_test(a_ball_has_the_contacts_of_an_ellipsoid),
      cmocka_unit_test(rays_meet_the_nearest_triangle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
