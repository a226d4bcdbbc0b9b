// Flat contacts: which points they have, and that tiny rotations do not change the set of points.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "geometry/oracle.h"

#include <stdio.h>

static hfiShape box_of(double x, double y, double z) { hfiShape s = {HF_GEOM_BOX, {x, y, z}, NULL, NULL}; return s; }
static hfiShape cylinder_of(double r, double half) { hfiShape s = {HF_GEOM_CYLINDER, {r, half, 0}, NULL, NULL}; return s; }
static hfiShape capsule_of(double r, double half) { hfiShape s = {HF_GEOM_CAPSULE, {r, half, 0}, NULL, NULL}; return s; }
static hfiShape plane_of(void) { hfiShape s = {HF_GEOM_PLANE, {0, 0, 0}, NULL, NULL}; return s; }
static hfPose pose_at(double x, double y, double z, hfVec3 rotation) { return pose_from(v3(x, y, z), q_exp(rotation)); }

static int compare_features(const void* a, const void* b) {
  uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return x < y ? -1 : x > y;
}

// Contact points of `top` over `bottom`, sorted features and their number; each depth must be `depth`
// within `tol`, the normal +z within 2 tol/size.
static int features_of(const hfiShape* top, hfPose X_WT, const hfiShape* bottom, hfPose X_WB, double depth, double tol, uint32_t* feature) {
  hfiContactPoint point[HFI_MAX_MANIFOLD];
  int count = hfi_collide(top, &X_WT, bottom, &X_WB, 0, point);
  for (int i = 0; i < count; ++i) {
    assert_near(point[i].depth, depth, tol);
    assert_near(point[i].n_W.z, 1, 1e-9);
    feature[i] = point[i].feature;
  }
  qsort(feature, (size_t)count, sizeof *feature, compare_features);
  return count;
}

// Rests `top`, whose flat side is `height` below its origin, on the bottom's surface at z = 0, and tilts it every
// way by up to 1e-6 rad: the same `expected` points must stay.
static void check_tilts(const char* name, const hfiShape* top, hfQuat lie, double height, double size, const hfiShape* bottom, hfPose X_WB, hfVec3 at, int expected) {
  testRandom r = {17};
  uint32_t first[HFI_MAX_MANIFOLD], now[HFI_MAX_MANIFOLD];
  for (int k = 0; k < 500; ++k) {
    double depth = k % 2 ? 1e-9 : 1e-5; // pressed in, and barely touching
    hfVec3 tilt = v3_scale(k == 0 ? 0 : 1e-6, v3(random_uniform(&r, -1, 1), random_uniform(&r, -1, 1), random_uniform(&r, -1, 1)));
    hfPose X_WT = pose_from(v3(at.x, at.y, height - depth), q_mul(q_exp(tilt), lie));
    // any point of the flat side moves by at most |tilt| times its distance
    int count = features_of(top, X_WT, bottom, X_WB, depth, 2.5e-6 * size, k ? now : first);
    if (count == 0 && k % 2) continue; // tilted about a far point it hovers
    if (count != expected) print_error("%s: %d points, not %d (tilt %d)\n", name, count, expected, k);
    assert_int_equal(count, expected);
    if (k) assert_memory_equal(now, first, sizeof *now * (size_t)count);
  }
}

static const hfVec3 kOrigin = {0, 0, 0};

// The bottom and a side of a drawer's box: they meet in the plane x = 0.18, apart or overlapping by a rounding of the position, and the side reaches beyond the bottom in all
// directions. The corners of the bottom's face are the contact, whichever it is, with the normal -x to the last bit.
static void boxes_that_lie_flush_have_the_normal_of_their_faces(void** state) {
  (void)state;
  hfiShape bottom = box_of(0.18, 0.3, 0.02), side = box_of(0.02, 0.31, 0.3);
  for (int k = -4; k <= 4; ++k) {
    hfPose X_WA = pose_at(0, 0, -0.28, kOrigin), X_WB = pose_at(0.20 + 2.8e-17 * k, 0, 0, kOrigin);
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    assert_int_equal(hfi_collide(&bottom, &X_WA, &side, &X_WB, 1e-4, point), 4);
    for (int i = 0; i < 4; ++i) {
      assert_true(point[i].n_W.x == -1 && point[i].n_W.y == 0 && point[i].n_W.z == 0);
      assert_near(point[i].depth, 0, 2e-16);
      assert_near(fabs(point[i].p_WCa.y), 0.3, 1e-15);
    }
  }
}

static void boxes_keep_their_corners(void** state) {
  (void)state;
  double h[3] = {0.05, 0.03, 0.02}, wide[3] = {0.4, 0.4, 0.1};
  hfiHullData data[2] = {box_hull(h), box_hull(wide)};
  hfiHull hull[2] = {hull_view(data), hull_view(data + 1)};
  hfiShape box = box_of(h[0], h[1], h[2]), mesh = {HF_GEOM_MESH, {0}, hull, NULL}, floor = box_of(wide[0], wide[1], wide[2]), mesh_floor = {HF_GEOM_MESH, {0}, hull + 1, NULL}, plane = plane_of();
  hfPose below = pose_at(0, 0, -wide[2], kOrigin), same = pose_at(0, 0, -h[2], kOrigin), level = pose_identity();
  hfVec3 aside = v3(0.1, -0.05, 0), over_edge = v3(0.4, 0.1, 0), over_corner = v3(0.4, 0.4, 0);
  const hfiShape* tops[2] = {&box, &mesh};
  const hfiShape* floors[2] = {&floor, &mesh_floor};
  for (int t = 0; t < 2; ++t) {
    check_tilts("box on plane", tops[t], q_identity(), h[2], 0.06, &plane, level, aside, 4);
    for (int f = 0; f < 2; ++f) {
      check_tilts("box on floor", tops[t], q_identity(), h[2], 0.06, floors[f], below, aside, 4);
      check_tilts("box over the edge", tops[t], q_identity(), h[2], 0.06, floors[f], below, over_edge, 4);
      check_tilts("box over the corner", tops[t], q_identity(), h[2], 0.06, floors[f], below, over_corner, 4);
      check_tilts("box on its equal", tops[t], q_identity(), h[2], 0.06, tops[f], same, kOrigin, 4);
      check_tilts("box across its equal", tops[t], q_from_axis_angle(v3(0, 0, 1), HFI_PI / 2), h[2], 0.06, tops[f], same, kOrigin, 4);
      check_tilts("box turned 45 degrees", tops[t], q_from_axis_angle(v3(0, 0, 1), HFI_PI / 4), h[2], 0.06, tops[f], same, kOrigin, 8);
    }
  }
  for (int i = 0; i < 2; ++i) hfi_hull_release(data + i);
}

// A corner that moves out over an edge becomes two crossings of edges at the same place. The sum of the depths, which is the force, must not jump then:
// five points would have 5/4 of the depth of four. The two crossings are 2 out apart. One has the whole depth, the other a share of it that grows from 0
// at distance zero to 1 at a hundredth of the smaller box.
static void a_corner_over_an_edge_keeps_the_depth(void** state) {
  (void)state;
  double h = 0.02, corner = h * sqrt(2), depth = 1e-5;
  hfiShape top = box_of(h, h, h), floor = box_of(0.05, 0.05, 0.05);
  hfPose below = pose_at(0, 0, -0.05, kOrigin);
  for (int k = -5; k <= 5; ++k) {
    double out = 1e-6 * k, sum = 0;
    hfPose X_WT = pose_at(0.05 - corner + out, 0.01, h - depth, v3(0, 0, HFI_PI / 4));
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&top, &X_WT, &floor, &below, 0, point);
    assert_int_equal(count, out > 0 ? 5 : 4);
    for (int i = 0; i < count; ++i) sum += point[i].depth;
    assert_near(sum, (4 + max2(0, 2 * out) / (0.01 * h)) * depth, 1e-9 * depth); // Rounding of positions is 1e-12 of the depth.
  }
}

// The corners of a convex polygon, in order.
typedef struct outline {
  int n;
  double x[200], y[200];
} outline;

// The part of p on the left of the line through (ax, ay) with direction (dx, dy) (Sutherland and Hodgman 1974).
static outline cut_by_line(const outline* p, double ax, double ay, double dx, double dy) {
  outline out = {0};
  for (int i = 0; i < p->n; ++i) {
    int j = (i + 1) % p->n;
    double di = dx * (p->y[i] - ay) - dy * (p->x[i] - ax), dj = dx * (p->y[j] - ay) - dy * (p->x[j] - ax), t = di / (di - dj);
    if (di >= 0) out.x[out.n] = p->x[i], out.y[out.n++] = p->y[i];
    if ((di >= 0) != (dj >= 0)) out.x[out.n] = p->x[i] + t * (p->x[j] - p->x[i]), out.y[out.n++] = p->y[i] + t * (p->y[j] - p->y[i]);
  }
  return out;
}

static outline regular_outline(int n, double r, double x, double y, double turn) {
  outline p = {.n = n};
  for (int i = 0; i < n; ++i) p.x[i] = x + r * cos(turn + 2 * HFI_PI * i / n), p.y[i] = y + r * sin(turn + 2 * HFI_PI * i / n);
  return p;
}

static outline overlap_of(outline a, const outline* b) {
  for (int i = 0; i < b->n; ++i) {
    int j = (i + 1) % b->n;
    a = cut_by_line(&a, b->x[i], b->y[i], b->x[j] - b->x[i], b->y[j] - b->y[i]);
  }
  return a;
}

static double distance_to_corners(const outline* p, double x, double y) {
  double least = INFINITY;
  for (int i = 0; i < p->n; ++i) least = fmin(least, hypot(p->x[i] - x, p->y[i] - y));
  return least;
}

static double area_of(const outline* p) {
  double sum = 0;
  for (int i = 0, j = p->n - 1; i < p->n; j = i++) sum += p->x[j] * p->y[i] - p->x[i] * p->y[j];
  return 0.5 * sum;
}

// Faces of many edges, as of flanges and cans: all contact points are corners of the overlap of the two outlines, and where that is large, they are
// not on one side of its middle.
static void round_faces_meet_at_corners(void** state) {
  (void)state;
  testRandom random = {31};
  const int edges[] = {5, 12, 33, 64};
  for (int k = 0; k < 4000; ++k) {
    int na = edges[k % 4], nb = edges[k / 4 % 4], inside = 0;
    double ra = 0.05, rb = k % 3 ? 0.05 : 0.02, turn = random_uniform(&random, -3, 3), reach = k % 5 ? ra + rb : 1e-3;
    double x = random_uniform(&random, -1, 1) * reach, y = random_uniform(&random, -1, 1) * reach, mx = 0, my = 0;
    hfiHullData data[2] = {prism_hull(na, ra, 0.02), prism_hull(nb, rb, 0.02)};
    hfiHull hull[2] = {hull_view(data), hull_view(data + 1)};
    hfiShape bottom = {HF_GEOM_MESH, {0}, hull, NULL}, top = {HF_GEOM_MESH, {0}, hull + 1, NULL};
    hfPose X_WB = pose_identity(), X_WT = pose_at(x, y, 0.04 - 1e-5, v3(0, 0, turn));
    outline a = regular_outline(na, ra, 0, 0, 0), b = regular_outline(nb, rb, x, y, turn), both = overlap_of(b, &a);
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&top, &X_WT, &bottom, &X_WB, 0, point);
    if (both.n >= 3 && area_of(&both) > 1e-5) { // else a side may be nearer than the faces
      assert_at_least(count, 2); // those of a narrow lens may be two
      for (int i = 0; i < both.n; ++i) mx += both.x[i] / both.n, my += both.y[i] / both.n;
      for (int i = 0; i < count; ++i) {
        // A vertex counts as inside up to 4e-6 of the size, 0.1 m, beyond an edge. A crossing near it, whose place it takes, may be some ten times as far.
        assert_below(distance_to_corners(&both, point[i].p_WCb.x, point[i].p_WCb.y), 1e-5);
        inside += (point[i].p_WCb.x - mx) * (point[0].p_WCb.x - mx) + (point[i].p_WCb.y - my) * (point[0].p_WCb.y - my) < 0;
      }
      assert_above(inside, 0);
    }
    for (int i = 0; i < 2; ++i) hfi_hull_release(data + i);
  }
}

static void cylinders_keep_their_points(void** state) {
  (void)state;
  double wide[3] = {0.4, 0.4, 0.1};
  hfiHullData data = box_hull(wide);
  hfiHull hull = hull_view(&data);
  hfiShape can = cylinder_of(0.04, 0.06), rod = capsule_of(0.01, 0.05), floor = box_of(wide[0], wide[1], wide[2]), mesh = {HF_GEOM_MESH, {0}, &hull, NULL}, plane = plane_of(), drum = cylinder_of(0.3, 0.1);
  hfPose below = pose_at(0, 0, -0.1, kOrigin), level = pose_identity();
  hfQuat lying = q_from_axis_angle(v3_unit(v3(1, 2, 0)), HFI_PI / 2);
  hfVec3 aside = v3(0.1, -0.05, 0);
  const hfiShape* floors[4] = {&plane, &floor, &mesh, &drum};
  for (int f = 0; f < 4; ++f) {
    hfPose X = f ? below : level;
    check_tilts("can upright", &can, q_identity(), 0.06, 0.06, floors[f], X, aside, 4);
    check_tilts("can on its side", &can, lying, 0.04, 0.06, floors[f], X, aside, 2);
    check_tilts("rod on its side", &rod, lying, 0.01, 0.06, floors[f], X, aside, 2);
  }
  // over the edge: three rim points above the floor and the edge crossing the rim twice
  check_tilts("can over the edge", &can, q_identity(), 0.06, 0.06, &floor, below, v3(0.39, 0.1, 0), 5);
  check_tilts("can on its equal", &can, q_identity(), 0.06, 0.06, &can, pose_at(0, 0, -0.06, kOrigin), kOrigin, 4);
  hfi_hull_release(&data);
}

// A can that lies over the edge of the floor, pressed in by more than its tilt lifts it. Its deepest rim point goes round with the tilt; the points that carry
// it do not. The deepest point, feature 0, may join them with what it is deeper than they.
static void a_tilted_can_keeps_its_points_over_an_edge(void** state) {
  (void)state;
  hfiShape can = cylinder_of(0.04, 0.06), floor = box_of(0.4, 0.4, 0.1);
  hfPose below = pose_at(0, 0, -0.1, kOrigin);
  double depth = 1e-5;
  for (double tilt = 2e-5; tilt < 2e-4; tilt *= 1.5)
    for (int k = 0; k < 200; ++k) {
      double turn = 2 * HFI_PI * k / 200, carried = 0;
      hfPose X = pose_at(0.39, 0.1, 0.06 - depth, v3(tilt * cos(turn), tilt * sin(turn), 0));
      hfiContactPoint point[HFI_MAX_MANIFOLD];
      int count = hfi_collide(&can, &X, &floor, &below, 1e-4, point), fixed = 0;
      for (int i = 0; i < count; ++i)
        if (point[i].feature) carried = max2(carried, point[i].depth), ++fixed;
      assert_int_equal(fixed, 5);
      for (int i = 0; i < count; ++i)
        if (!point[i].feature) assert_at_most(point[i].depth, depth + 0.04 * tilt - carried + 1e-9);
    }
}

// A rod that overhangs the floor and tilts over its edge: the end above the floor stays a point as long as its gap is below the margin.
static void a_rod_keeps_its_points_over_an_edge(void** state) {
  (void)state;
  double r = 0.02, half = 0.03, inside = 0.02, margin = 2e-4, sunk = 1e-5;
  hfiShape rod = capsule_of(r, half), floor = box_of(0.4, 0.4, 0.1);
  hfPose below = pose_at(0, 0, -0.1, kOrigin);
  for (double tilt = 1e-5; tilt < 0.02; tilt *= 1.2) {
    hfPose X = pose_from(v3(0.4 - half + 2 * inside, 0.1, r - sunk), q_mul(q_exp(v3(0, tilt, 0)), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2)));
    double far = half * sin(tilt) - sunk; // gap at the end above the floor
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&rod, &X, &floor, &below, margin, point);
    assert_int_equal(count, far < margin ? 2 : 1);
    if (count == 2) assert_near(min2(point[0].depth, point[1].depth), -far, 1e-9);
  }
}

// A rod on a rod, of which it is turned away by more and more: from two points, at the ends, to one, at the crossing. The depth of the crossing stays c. An end is
// half sin(turn) beside the other axis. The sum of all depths, which is the force over the stiffness, is that of the crossing and one end: it does not jump.
static void a_turned_rod_comes_to_one_point_without_a_jump(void** state) {
  (void)state;
  double r = 0.02, half = 0.1, c = 1e-5, most = 0;
  hfiShape rod = capsule_of(r, half);
  hfQuat lying = q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2);
  hfPose below = pose_from(v3(0, 0, 0), lying);
  for (double turn = 1e-6; turn < 0.05; turn *= 1.05) {
    hfPose X = pose_from(v3(0, 0, 2 * r - c), q_mul(q_from_axis_angle(v3(0, 0, 1), turn), lying));
    double end = 2 * r - hypot(2 * r - c, half * sin(turn)), sum = 0;
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&rod, &X, &rod, &below, 0, point);
    for (int i = 0; i < count; ++i) sum += point[i].depth;
    assert_near(sum, c + max2(0, end), 1e-9); // ends within 1e-8 of the distance count as parallel
    most = max2(most, count);
  }
  assert_near(most, 3, 0);
}

static void parallel_sides_touch_in_two_points(void** state) {
  (void)state;
  hfiShape can = cylinder_of(0.04, 0.06), rod = capsule_of(0.01, 0.05), ridge = box_of(0.1, 0.1, 0.5);
  hfQuat lying = q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2);
  check_tilts("can on can", &can, lying, 0.04, 0.06, &can, pose_from(v3(0, 0, -0.04), lying), v3(0.02, 0, 0), 2);
  check_tilts("rod on rod", &rod, lying, 0.01, 0.06, &rod, pose_from(v3(0, 0, -0.01), lying), v3(0.02, 0, 0), 2);
  check_tilts("rod on can", &rod, lying, 0.01, 0.06, &can, pose_from(v3(0, 0, -0.04), lying), v3(0.02, 0, 0), 2);
  // an edge of the box on top, along x
  hfQuat edge_up = q_mul(lying, q_from_axis_angle(v3(0, 0, 1), HFI_PI / 4));
  check_tilts("can on an edge", &can, lying, 0.04, 0.06, &ridge, pose_from(v3(0, 0, -0.1 * sqrt(2)), edge_up), kOrigin, 2);
  check_tilts("rod on an edge", &rod, lying, 0.01, 0.06, &ridge, pose_from(v3(0, 0, -0.1 * sqrt(2)), edge_up), kOrigin, 2);
}

// A face of many corners is thinned to eight, always the same.
// A cylinder or capsule on its side, sunk in and tilted as soft contact tilts it: both ends touch until the
// upper one is out, each as deep as it is below the face.
static void tilted_sides_touch_at_both_ends(void** state) {
  (void)state;
  const double r = 0.03, half = 0.1, sunk = 2e-3, wide[3] = {0.4, 0.4, 0.1};
  hfiHullData data = box_hull(wide);
  hfiHull hull = hull_view(&data);
  hfiShape floors[2] = {box_of(wide[0], wide[1], wide[2]), {HF_GEOM_MESH, {0}, &hull, NULL}}, tops[2] = {cylinder_of(r, half), capsule_of(r, half)};
  hfPose below = pose_at(0, 0, -wide[2], kOrigin);
  for (int f = 0; f < 2; ++f)
    for (int t = 0; t < 2; ++t)
      for (double tilt = 1e-3; tilt < 0.05; tilt *= 1.3) {
        hfPose X = pose_from(v3(0.1, 0.05, r - sunk), q_mul(q_exp(v3(0, tilt, 0)), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2)));
        double drop = half * sin(tilt), bottom = t ? r : r * cos(tilt), depth[2] = {bottom - r + sunk + drop, bottom - r + sunk - drop};
        hfiContactPoint point[HFI_MAX_MANIFOLD];
        int count = hfi_collide(&tops[t], &X, &floors[f], &below, 0, point);
        assert_int_equal(count, depth[1] > 0 ? 2 : 1);
        double low = count == 2 ? min2(point[0].depth, point[1].depth) : point[0].depth, high = count == 2 ? max2(point[0].depth, point[1].depth) : low;
        assert_near(high, depth[0], 1e-9); // rounding of the closed forms and of the last GJK step
        if (count == 2) assert_near(low, depth[1], 1e-9);
      }
  hfi_hull_release(&data);
}

static void prisms_keep_their_points(void** state) {
  (void)state;
  hfiHullData data[2] = {prism_hull(32, 0.04, 0.06), prism_hull(5, 0.04, 0.06)};
  hfiHull hull[2] = {hull_view(data), hull_view(data + 1)};
  hfiShape round = {HF_GEOM_MESH, {0}, hull, NULL}, five = {HF_GEOM_MESH, {0}, hull + 1, NULL}, plane = plane_of(), floor = box_of(0.4, 0.4, 0.1), can = cylinder_of(0.04, 0.06);
  assert_int_equal(hull[0].nface, 34);
  hfPose below = pose_at(0, 0, -0.1, kOrigin), same = pose_at(0, 0, -0.06, kOrigin);
  hfVec3 aside = v3(0.1, -0.05, 0);
  check_tilts("prism on plane", &round, q_identity(), 0.06, 0.06, &plane, pose_identity(), aside, 8);
  check_tilts("prism on floor", &round, q_identity(), 0.06, 0.06, &floor, below, aside, 8);
  check_tilts("prism on its equal", &round, q_identity(), 0.06, 0.06, &round, same, kOrigin, 8);
  check_tilts("five corners on plane", &five, q_identity(), 0.06, 0.06, &plane, pose_identity(), aside, 5);
  check_tilts("five corners on floor", &five, q_identity(), 0.06, 0.06, &floor, below, aside, 5);
  check_tilts("five corners on a can", &five, q_identity(), 0.06, 0.06, &can, same, v3(0, 0.02, 0), 5);
  // on a side of the prism: the four corners of a rectangle
  hfQuat lying = q_mul(q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2), q_from_axis_angle(v3(0, 0, 1), -HFI_PI / 32));
  check_tilts("prism on its side", &round, lying, 0.04 * cos(HFI_PI / 32), 0.06, &floor, below, aside, 4);
  for (int i = 0; i < 2; ++i) hfi_hull_release(data + i);
}

// A roller with 24 sides lies with its lowest edge 10 um deep in a plane. Its next edges are 1.7, 6.7 and 14.6 mm higher, so that margins up to 16 mm find 2 to 14 vertices, of
// which eight are kept. The two that touch must always be among them.
static void a_wide_margin_keeps_the_points_that_touch(void** state) {
  (void)state;
  enum { SIDES = 24 };
  double r = 0.05, depth = 1e-5;
  hfiHullData data = prism_hull(SIDES, r, 0.1);
  hfiHull hull = hull_view(&data);
  hfiShape roller = {HF_GEOM_MESH, {0}, &hull, NULL}, plane = plane_of();
  hfPose level = pose_identity(), X_WR = pose_from(v3(0, 0, r - depth), q_from_axis_angle(v3(1, 0, 0), HFI_PI / 2)); // the axis lies along y
  X_WR = pose_mul(X_WR, pose_from(v3(0, 0, 0), q_from_axis_angle(v3(0, 0, 1), HFI_PI / 2))); // a vertex of each end is below the axis
  for (double margin = 0; margin < 0.016; margin += 2e-4) {
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&plane, &level, &roller, &X_WR, margin, point), touching = 0;
    for (int i = 0; i < count; ++i) touching += fabs(point[i].depth - depth) < 1e-12; // rounding of sizes of 0.1 m
    assert_int_equal(touching, 2);
  }
  hfi_hull_release(&data);
}

// A box of 2 mm on a floor of 2000 km, which lies every way: the sanitizer of undefined behaviour sees where places on such a floor have no cell.
static void a_small_box_on_a_huge_floor_keeps_its_corners(void** state) {
  (void)state;
  enum { PLACES = 100 };
  double h = 1e-3, half = 1e6, tilt = 1e-4;
  hfiShape box = box_of(h, h, h), floor = box_of(half, half, 1);
  for (int turn = 0; turn < 4; ++turn)
    for (int i = 0; i < PLACES; ++i) {
      hfPose X_WF = pose_at(0, 0, -1, v3(0, 0, turn * HFI_PI / 2)), X_WB = pose_at(0.1 * half, half * (1.8 * i / PLACES - 0.9), h - 1e-6, v3(0, tilt, 0));
      hfiContactPoint point[HFI_MAX_MANIFOLD];
      int count = hfi_collide(&box, &X_WB, &floor, &X_WF, 0, point);
      assert_int_equal(count, 4);
      for (int k = 0; k < count; ++k) assert_near(point[k].depth, 1e-6, 1.1 * tilt * h); // what the tilt lifts or lowers a corner
    }
}

// The cap of a cylinder lies on a box that is about as wide, tilted by up to 0.02 rad. Its deepest rim point has the depth that it is deeper than the other points. Where eight points
// were found before it, it took the place of the last one, also if that was the deepest of them: its depth then counted from a point that was gone.
static void the_deepest_point_takes_the_place_of_the_shallowest(void** state) {
  (void)state;
  testRandom r = {3};
  hfiShape cap = cylinder_of(0.03, 0.02), box = box_of(0.029, 0.024, 0.03);
  int full = 0;
  for (int k = 0; k < 50000; ++k) {
    double tilt = random_uniform(&r, 1e-4, 0.02), way = random_uniform(&r, 0, 2 * HFI_PI), depth = random_uniform(&r, 0, 0.4) * 0.03 * tilt;
    hfQuat turn = q_mul(q_exp(v3(tilt * cos(way), tilt * sin(way), 0)), q_from_axis_angle(v3(0, 0, 1), random_uniform(&r, 0, HFI_PI)));
    double lower = 0.03 * sin(tilt) + 0.02 * cos(tilt); // from its middle to its deepest rim point
    hfPose X_WA = pose_from(v3(random_uniform(&r, -0.01, 0.01), random_uniform(&r, -0.01, 0.01), lower - depth), turn), X_WB = pose_at(0, 0, -0.03, kOrigin);
    hfiContactPoint point[HFI_MAX_MANIFOLD], deepest;
    int count = hfi_collide(&cap, &X_WA, &box, &X_WB, 1e-3, point);
    if (count < HFI_MAX_MANIFOLD || point[count - 1].feature != 0) continue;
    assert_true(hfi_distance(&cap, &X_WA, &box, &X_WB, INFINITY, &deepest));
    double others = -INFINITY;
    for (int i = 0; i < count - 1; ++i) others = fmax(others, point[i].depth);
    // Points that do not touch carry nothing. 4e-6 of the size counts as rounding.
    assert_near(point[count - 1].depth, deepest.depth - fmax(0, others), 4e-6 * 0.05 + 1e-12);
    full++;
  }
  print_message("%d contacts with eight points\n", full);
  assert_above(full, 20);
}

// A cap lies over a box so that its rim crosses three edges of the box, which are ten candidates for eight points. It is tilted towards one of the edges, where its rim has two
// crossings, and now one of them is deeper, now the other. The sum of the depths, which is the force, must not jump where the deepest candidate joins the outermost ones.
static void a_thinned_cap_keeps_its_depth(void** state) {
  (void)state;
  enum { STEPS = 400 };
  double r = 0.0275, half = 0.0275, lean = 5.7e-4, most = 4e-5, before = 0;
  hfiShape cap = cylinder_of(r, half), box = box_of(0.0247, 0.028, 0.0165);
  hfPose below = pose_at(0, 0, -0.0165, kOrigin);
  int joined = 0;
  for (int k = 0; k <= STEPS; ++k) {
    hfQuat turn = q_mul(q_exp(v3(most * (2.0 * k / STEPS - 1), -lean, 0)), q_from_axis_angle(v3(0, 0, 1), 2.3));
    hfPose X_WA = pose_from(v3(0.0012, 0.0047, half + 1.45e-5), turn);
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    int count = hfi_collide(&cap, &X_WA, &box, &below, 1e-4, point);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += max2(0, point[i].depth), joined += point[i].feature == 0 && point[i].depth > 0;
    assert_above(count, 6);
    assert_above(sum, 1e-7);
    // No point moves by more than the step of the tilt times the width of the box. The one that joins loses what the deepest of the others wins.
    if (k) assert_near(sum, before, (HFI_MAX_MANIFOLD + 1) * 0.056 * 2 * most / STEPS);
    before = sum;
  }
  assert_above(joined, 0);
}

// A can or rod lies along the edge of a floor whose face falls away from the edge by some hundredths of a radian. It crosses the edge at a small angle, and a tilt of 1e-4 rad moves the
// crossing from one end to the other. Both ends stay points nevertheless, each as deep as the edge is in the side there; points between the crossing and an end would move along with it.
static void a_side_along_an_edge_keeps_both_ends(void** state) {
  (void)state;
  const double r = 0.026, half = 0.025, sunk = 1e-5, yaw = 0.003, wide[3] = {0.1, 0.1, 0.1};
  hfiHullData data = box_hull(wide);
  hfiHull hull = hull_view(&data);
  hfiShape floors[2] = {box_of(wide[0], wide[1], wide[2]), {HF_GEOM_MESH, {0}, &hull, NULL}}, tops[2] = {cylinder_of(r, half), capsule_of(r, half)};
  for (int i = 1; i < 4; ++i) // A capsule on a box has a function of its own.
    for (double fall = 0.02; fall < 0.3; fall *= 1.5)
      for (double tilt = -2e-4; tilt < 2.05e-4; tilt += 1e-5) {
        hfQuat lean = q_exp(v3(-fall, 0, 0));
        // The edge of the floor is the x axis; the face beside it falls towards +y.
        hfPose below = pose_from(v3_neg(q_rotate(lean, v3(0, -wide[1], wide[2]))), lean);
        hfPose X = pose_from(v3(0, 0, r - sunk), q_mul(q_exp(v3(0, tilt, yaw)), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2)));
        hfVec3 u = m3_col(X.R, 2);
        hfiContactPoint point[HFI_MAX_MANIFOLD];
        int count = hfi_collide(&tops[i / 2], &X, &floors[i % 2], &below, 1e-3, point);
        for (int side = -1; side <= 1; side += 2) {
          hfVec3 end = v3_axpy(side * half, u, X.p);
          double depth = r - hypot(end.y, end.z), off = INFINITY;
          for (int k = 0; k < count; ++k)
            if (fabs(point[k].p_WCb.x - end.x) < 1e-4) off = min2(off, fabs(point[k].depth - depth));
          assert_below(off, 1e-8); // the rim of a tilted cylinder is less deep than the end of its axis by r tilt^2/2 at most
        }
      }
  hfi_hull_release(&data);
}

static double sum_of_depths(const hfiContactPoint* point, int count) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += max2(0, point[k].depth);
  return sum;
}

// The edge of a body crosses the edge of a floor and falls towards the outside by a small angle, which is also that between the normal of the crossing and
// the normal of the floor. One end of the edge is over the floor and in it. The sum of the depths must not jump where the body no longer counts as lying on
// the face.
static void an_edge_over_an_outline_keeps_its_end(void** state) {
  (void)state;
  const double sunk = 1e-4, out = 0.008, wide[3] = {0.1, 0.1, 0.1}, small[3] = {0.02, 0.015, 0.015}, c = small[1] * sqrt(2), step = 1e-5;
  hfiHullData wide_data = box_hull(wide), small_data = box_hull(small);
  hfiHull wide_hull = hull_view(&wide_data), small_hull = hull_view(&small_data);
  hfiShape floors[2] = {box_of(wide[0], wide[1], wide[2]), {HF_GEOM_MESH, {0}, &wide_hull, NULL}};
  hfiShape tops[2] = {box_of(small[0], small[1], small[2]), {HF_GEOM_MESH, {0}, &small_hull, NULL}};
  const hfPose below = pose_from(v3(-wide[0], 0, -wide[2]), q_identity());
  for (int i = 0; i < 4; ++i) {
    double last = NAN, largest = 0;
    for (double fall = 1e-4; fall < 0.04; fall += step) {
      double along = (c * sin(fall) - out) / cos(fall); // from the middle of the edge to the crossing
      hfPose X =
          pose_from(v3(out, 0, along * sin(fall) + c * cos(fall) - sunk / cos(fall)), q_mul(q_exp(v3(0, fall, 0)), q_exp(v3(HFI_PI / 4, 0, 0))));
      hfiContactPoint point[HFI_MAX_MANIFOLD];
      double sum = sum_of_depths(point, hfi_collide(&tops[i / 2], &X, &floors[i % 2], &below, 1e-3, point));
      largest = fmax(largest, fabs(sum - last)); // fmax leaves the first out, which has no last one.
      last = sum;
    }
    print_message("largest jump of pair %d: %.1e\n", i, largest);
    // An end 0.012 m from the crossing rises by 0.012 * step, and fades within 0.027 rad.
    assert_below(largest, 2 * step * (0.02 + sunk / 0.027));
  }
  hfi_hull_release(&wide_data), hfi_hull_release(&small_data);
}

// A can or rod lies across a corner of a block, and moves over it from outside. Outside it has one point, inside the two ends of the part over the face, which begin
// at the same place. The sum of the depths must not jump: two whole ends would have twice the depth.
static void a_side_over_a_corner_keeps_the_depth(void** state) {
  (void)state;
  const double r = 0.026, half = 0.025, sunk = 1e-5, wide[3] = {0.05, 0.05, 0.05}, step = 1e-7;
  hfiHullData data = box_hull(wide);
  hfiHull hull = hull_view(&data);
  hfiShape floors[2] = {box_of(wide[0], wide[1], wide[2]), {HF_GEOM_MESH, {0}, &hull, NULL}}, tops[2] = {cylinder_of(r, half), capsule_of(r, half)};
  const hfPose below = pose_from(v3(-wide[0], -wide[1], -wide[2]), q_identity()); // The corner is the origin.
  const hfQuat turn = q_mul(q_from_axis_angle(v3(0, 0, 1), -HFI_PI / 4), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2));
  for (int i = 0; i < 4; ++i) {
    double last = NAN, largest = 0;
    int most = 0;
    for (double in = -2e-4; in < 2e-4; in += step) {
      hfPose X = pose_from(v3(-in / sqrt(2), -in / sqrt(2), r - sunk), turn);
      hfiContactPoint point[HFI_MAX_MANIFOLD];
      int count = hfi_collide(&tops[i / 2], &X, &floors[i % 2], &below, 0, point);
      double sum = sum_of_depths(point, count);
      largest = fmax(largest, fabs(sum - last)), last = sum, most = imax2(most, count);
    }
    print_message("largest jump of pair %d: %.1e, %d points\n", i, largest, most);
    assert_int_equal(most, 2);
    // The ends move apart by two steps in a step, and have their whole depth at a thousandth of the size, which is at least that of the can.
    assert_below(largest, 1.5 * 2 * step / (1e-3 * half) * sunk);
  }
  hfi_hull_release(&data);
}

// A rod bears on a corner of a block, on which it leans outwards: its normal is off that of the face, and its side, which is not quite level, crosses the two edges beside the corner.
// The points that are near each other carry what one point would: the ends do, and the corner has only the depth by which it is deeper.
static void a_rod_that_leans_on_a_corner_is_pushed_once(void** state) {
  (void)state;
  const double r = 0.02, half = 0.03, wide[3] = {0.05, 0.05, 0.05};
  hfiHullData data = box_hull(wide);
  hfiHull hull = hull_view(&data);
  hfiShape block = {HF_GEOM_MESH, {0}, &hull, NULL}, rod = capsule_of(r, half);
  const hfPose below = pose_from(v3(-wide[0], -wide[1], -wide[2]), q_identity()); // The corner is the origin.
  testRandom random = {5};
  int joined = 0;
  for (int k = 0; k < 20000; ++k) {
    // From 6e-3 rad off the face on, near ends are one point.
    double turn = -HFI_PI / 4 + random_uniform(&random, -0.3, 0.3), out = random_uniform(&random, 7e-3, 0.09), deep = random_log(&random, 1e-6, 1e-4);
    hfQuat lying = q_mul(q_from_axis_angle(v3(0, 0, 1), turn), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2 + random_uniform(&random, -0.02, 0.02)));
    hfVec3 u = q_rotate(lying, v3(0, 0, 1)), up = v3_unit(v3_axpy(-u.z, u, v3(0, 0, 1))), aside = v3_cross(u, up);
    if (aside.x + aside.y < 0) aside = v3_neg(aside);
    hfVec3 n = v3_add(v3_scale(cos(out), up), v3_scale(sin(out), aside));
    hfPose X = pose_from(v3_axpy(r - deep, n, v3_scale(random_uniform(&random, -0.3, 0.3) * half, u)), lying);
    hfiContactPoint point[HFI_MAX_MANIFOLD], deepest;
    int count = hfi_collide(&rod, &X, &block, &below, 0, point);
    assert_above(count, 0);
    assert_true(hfi_distance(&rod, &X, &block, &below, INFINITY, &deepest));
    double apart = 0;
    for (int i = 1; i < count; ++i) apart = max2(apart, v3_norm(v3_sub(point[i].p_WCb, point[0].p_WCb)));
    // Ends keep the share of their depth that their distance is of a tenth of the size.
    assert_at_most(sum_of_depths(point, count), (1 + count * apart / (0.1 * 2 * r)) * deepest.depth + 4e-6 * 2 * half);
    joined += count > 1 && point[count - 1].feature == 0;
  }
  print_message("%d corners beside ends of a side\n", joined);
  assert_above(joined, 100);
  hfi_hull_release(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_box_on_a_huge_floor_keeps_its_corners),
      cmocka_unit_test(round_faces_meet_at_corners),
      cmocka_unit_test(boxes_that_lie_flush_have_the_normal_of_their_faces),
      cmocka_unit_test(boxes_keep_their_corners),
      cmocka_unit_test(a_corner_over_an_edge_keeps_the_depth),
      cmocka_unit_test(the_deepest_point_takes_the_place_of_the_shallowest),
      cmocka_unit_test(cylinders_keep_their_points),
      cmocka_unit_test(a_tilted_can_keeps_its_points_over_an_edge),
      cmocka_unit_test(a_rod_keeps_its_points_over_an_edge),
      cmocka_unit_test(a_turned_rod_comes_to_one_point_without_a_jump),
      cmocka_unit_test(parallel_sides_touch_in_two_points),
      cmocka_unit_test(tilted_sides_touch_at_both_ends),
      cmocka_unit_test(a_thinned_cap_keeps_its_depth),
      cmocka_unit_test(a_side_along_an_edge_keeps_both_ends),
      cmocka_unit_test(an_edge_over_an_outline_keeps_its_end),
      cmocka_unit_test(a_side_over_a_corner_keeps_the_depth),
      cmocka_unit_test(a_rod_that_leans_on_a_corner_is_pushed_once),
      cmocka_unit_test(prisms_keep_their_points),
      cmocka_unit_test(a_wide_margin_keeps_the_points_that_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
