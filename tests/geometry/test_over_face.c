// Contacts of a round shape and a hull that a face of the hull decides (over_face.c), beside those of GJK, EPA and Newton's method, which find the contact of
// the same two shapes in the other order.
#include "build/hull.h"
#include "step/geometry/convex.h"
#include "geometry/oracle.h"
#include "step/geometry/over_face.h"
#include "step/geometry/pairs.h"
#include "step/geometry/touch.h"

#include "support/cmocka_all.h"

enum { HULLS = 5 };

typedef struct Hulls {
  hfiHullData data[HULLS];
  hfiHull hull[HULLS];
} Hulls;

static Hulls make_hulls(testRandom* r) {
  const double half[3] = {0.9, 0.5, 0.7};
  Hulls h = {.data = {random_hull(r, 6, 1), random_hull(r, 20, 1), random_hull(r, 60, 1), box_hull(half), prism_hull(24, 0.8, 0.6)}};
  for (int i = 0; i < HULLS; ++i) h.hull[i] = hull_view(&h.data[i]);
  return h;
}

static void free_hulls(Hulls* h) {
  for (int i = 0; i < HULLS; ++i) hfi_hull_release(&h->data[i]);
}

// A round shape A beside, or in, a hull B.
typedef struct Pair {
  hfiShape A, B;
  hfPose X_WA, X_WB;
  double scale;
} Pair;

static Pair random_pair(testRandom* r, const Hulls* h) {
  Pair p = {.A = random_shape(r, HF_GEOM_SPHERE + random_int(r, 4), random_log(r, 0.1, 2), NULL, 0),
            .B = random_shape(r, HF_GEOM_MESH, 1, h->hull, HULLS),
            .X_WA = random_pose(r, 0.1),
            .X_WB = random_pose(r, 0.1)};
  p.scale = shape_size(&p.A) + shape_size(&p.B);
  p.X_WB.p = v3_axpy(random_uniform(r, 0.1, 1.2) * p.scale, random_unit(r), p.X_WA.p);
  return p;
}

// Does a face of the hull decide the contact?
static int face_decides(const Pair* p) {
  hfiCores cores = hfi_cores(&p->A, &p->X_WA, &p->B, &p->X_WB);
  hfiClosest closest;
  return hfi_closest_over_face(&cores, &closest);
}

// The contact of A and B, in the world; with the hull first it is found by GJK, EPA and Newton's method.
static hfiContactPoint contact_of(const Pair* p, int hull_first) {
  hfiContactPoint at;
  if (hull_first) {
    assert_true(hfi_convex_single(&p->B, &p->X_WB, &p->A, &p->X_WA, INFINITY, NULL, &at));
    hfi_points_to_world(&p->X_WB, &at, 1);
    swap_point(&at);
  } else {
    assert_true(hfi_convex_single(&p->A, &p->X_WA, &p->B, &p->X_WB, INFINITY, NULL, &at));
    hfi_points_to_world(&p->X_WA, &at, 1);
  }
  return at;
}

// Accuracy of the general way: distance as a share of the size [-], and angle of the normal [rad]. Where no guess of polish.c is right, depth and normal stay as GJK and EPA leave
// them: where the witness is within 1e-7 of the size of an outline, so that neither the face nor the edge fits well enough, and rarely elsewhere.
typedef struct Accuracy {
  double distance, angle;
} Accuracy;
static const Accuracy polished = {1e-10, 1e-5}, unpolished = {1e-6, 1e-3};

// How far the lowest point of a sphere or ellipsoid A may be off across the normal where its height is off by the accuracy of GJK and EPA, a share e = 1e-6 of the size: a point
// x beside it is higher by at least x^2/(2 R), where R is the largest radius of curvature. [m]
static double witness_accuracy(const Pair* p) {
  const double* a = p->A.size;
  if (p->A.type == HF_GEOM_SPHERE) return sqrt(2 * a[0] * 1e-6 * p->scale);
  double longest = max2(a[0], max2(a[1], a[2])), shortest = min2(a[0], min2(a[1], a[2]));
  return sqrt(2 * sqr(longest) / shortest * 1e-6 * p->scale);
}

// Two contacts of a pair have the same depth. Apart they have the same normal, too; shapes may overlap along two directions by the same depth.
static int is_same(const Pair* p, const hfiContactPoint* face, const hfiContactPoint* other, Accuracy accuracy) {
  double turned = v3_norm(v3_sub(face->n_W, other->n_W));
  return fabs(face->depth - other->depth) <= accuracy.distance * p->scale && (face->depth > 0 || turned <= accuracy.angle);
}

static void check_same(const Pair* p, const hfiContactPoint* face, const hfiContactPoint* other, int i) {
  double turned = v3_norm(v3_sub(face->n_W, other->n_W));
  if (!is_same(p, face, other, unpolished)) fail_msg("case %d: depth %.17g and %.17g, normals %g rad apart", i, face->depth, other->depth, turned);
}

// The contact of a face is proven where the shapes are apart: the separation along its normal is the distance of its points, that of A is on A, and that of B on B.
static void check_proof(const Pair* p, const hfiContactPoint* face) {
  hfVec3 a = pose_inv_point(p->X_WA, face->p_WCa), b = pose_inv_point(p->X_WB, face->p_WCb), n_A = m3_tmulv(p->X_WA.R, face->n_W),
         n_B = m3_tmulv(p->X_WB.R, face->n_W);
  double slack = 1e-13 * p->scale; // rounding
  assert_near(oracle_gap(&p->A, &p->X_WA, &p->B, &p->X_WB, face->n_W), -face->depth, slack);
  assert_near(v3_dot(v3_neg(n_A), a), oracle_support(&p->A, v3_neg(n_A)), slack);
  assert_near(v3_dot(n_B, b), oracle_support(&p->B, n_B), slack);
  if (face->depth < 0) assert_at_most(hfi_nearest(&p->B, b).distance, slack);
}

static void test_agrees_with_the_general_way(void** state) {
  (void)state;
  testRandom r = {21};
  Hulls hulls = make_hulls(&r);
  int cases = is_full() ? 1000000 : 40000, decided[2] = {0, 0}, turned = 0, imprecise = 0;
  for (int i = 0; i < cases; ++i) {
    Pair p = random_pair(&r, &hulls);
    if (!face_decides(&p)) continue;
    hfiContactPoint face = contact_of(&p, 0), general = contact_of(&p, 1);
    decided[face.depth > 0]++;
    check_proof(&p, &face);
    check_same(&p, &face, &general, i);
    imprecise += !is_same(&p, &face, &general, polished);
    int another_way = v3_norm(v3_sub(face.n_W, general.n_W)) > unpolished.angle, has_one_point = p.A.type == HF_GEOM_SPHERE || p.A.type == HF_GEOM_ELLIPSOID;
    turned += another_way;
    if (!another_way && has_one_point) assert_at_most(v3_norm(v3_sub(face.p_WCa, general.p_WCa)), witness_accuracy(&p));
  }
  print_message("seed 21: of %d pairs a face decides %d that are apart and %d that overlap; the general way finds another normal for %d, and %d less "
                "accurately than 1e-10\n",
                cases, decided[0], decided[1], turned, imprecise);
  assert_at_most(turned, 1 + cases / 10000);
  assert_at_most(imprecise, 1 + cases / 10000);
  assert_above(decided[0], cases / 10);
  assert_above(decided[1], cases / 20);
  free_hulls(&hulls);
}

static Pair moved(const Pair* p, hfVec3 way, double share) {
  Pair m = *p;
  m.X_WA.p = v3_axpy(share, way, p->X_WA.p);
  return m;
}

// Where a shape leaves the region in which a face decides, depth and normal go on from where they were. The border is found by bisection.
static void test_goes_on_where_an_edge_begins_to_decide(void** state) {
  (void)state;
  testRandom r = {22};
  Hulls hulls = make_hulls(&r);
  int cases = is_full() ? 300000 : 20000, borders = 0;
  for (int i = 0; i < cases; ++i) {
    Pair p = random_pair(&r, &hulls);
    hfVec3 way = v3_scale(0.5 * p.scale, random_unit(&r));
    double in = 0, out = 1;
    Pair end = moved(&p, way, 1);
    if (!face_decides(&p) || face_decides(&end)) continue;
    while (out - in > 1e-14) {
      double middle = 0.5 * (in + out);
      Pair m = moved(&p, way, middle);
      *(face_decides(&m) ? &in : &out) = middle;
    }
    Pair before = moved(&p, way, in), after = moved(&p, way, out);
    hfiContactPoint face = contact_of(&before, 0), edge = contact_of(&after, 0);
    check_proof(&before, &face);
    check_same(&before, &face, &edge, i);
    ++borders;
  }
  print_message("seed 22: %d borders\n", borders);
  assert_above(borders, cases / 50);
  free_hulls(&hulls);
}

// The nearest points of a hull to points outside, over faces, edges and corners, and inside: against GJK.
static void test_nearest_points_of_a_hull(void** state) {
  (void)state;
  testRandom r = {23};
  Hulls hulls = make_hulls(&r);
  int outside = 0, cases = 20000;
  for (int i = 0; i < cases; ++i) {
    hfiShape mesh = random_shape(&r, HF_GEOM_MESH, 1, hulls.hull, HULLS);
    hfVec3 p = v3_scale(random_uniform(&r, 0, 2), random_unit(&r));
    hfiNearest near = hfi_nearest(&mesh, p), by_gjk;
    if (!hfi_nearest_outside(&mesh, p, &by_gjk)) {
      assert_at_most(near.distance, 1e-8); // on the surface or inside
      continue;
    }
    assert_near(near.distance, by_gjk.distance, 1e-13);
    assert_at_most(v3_norm(v3_sub(near.point, by_gjk.point)), 1e-12); // of points at least 1e-9 away: rounding over distance
    ++outside;
  }
  assert_above(outside, cases / 4);
  free_hulls(&hulls);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_the_general_way),
                                     cmocka_unit_test(test_goes_on_where_an_edge_begins_to_decide), cmocka_unit_test(test_nearest_points_of_a_hull)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
