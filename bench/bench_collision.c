// bench_collision: time per pair of shapes, apart by a little, overlapping and far.
//
// Each figure is the least of several rounds over 512 random pairs [ns]. "near": signed distances spread
// over +-10 % of the size; "flat": one lies flat on the other (where both have flat parts).
#include "build/hull.h"
#include "step/geometry/hull_index.h"
#include "step/geometry/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 512, ROUNDS = 15, TYPES = HFI_CONVEX_SHAPES, RINGS = 8, TURNS = 16 };

typedef struct Pair { hfPose X_WA, X_WB; } Pair;

static uint64_t state = 1;
static double uniform(double lo, double hi) { // xorshift64*
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return lo + (hi - lo) * (double)((state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static hfQuat turn(void) {
  hfQuat q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  return q_unit(q);
}

// A globe of RINGS x TURNS quadrilaterals, radius 0.1.
static hfiHullData make_globe(void) {
  double vert[3 * (RINGS * TURNS + 2)];
  int32_t tri[3 * 2 * TURNS * RINGS], n = 0, south = RINGS * TURNS, north = south + 1;
  for (int i = 0; i < RINGS; ++i)
    for (int j = 0; j < TURNS; ++j) {
      double latitude = HFI_PI * ((i + 1.0) / (RINGS + 1) - 0.5), longitude = 2 * HFI_PI * j / TURNS;
      v3_store(vert + 3 * (i * TURNS + j), v3(0.1 * cos(latitude) * cos(longitude), 0.1 * cos(latitude) * sin(longitude), 0.1 * sin(latitude)));
    }
  v3_store(vert + 3 * south, v3(0, 0, -0.1));
  v3_store(vert + 3 * north, v3(0, 0, 0.1));
  for (int j = 0; j < TURNS; ++j) {
    int k = (j + 1) % TURNS, top = (RINGS - 1) * TURNS;
    int32_t caps[6] = {south, k, j, north, top + j, top + k};
    for (int c = 0; c < 6; ++c) tri[n++] = caps[c];
    for (int i = 0; i + 1 < RINGS; ++i) {
      int32_t a = i * TURNS + j, b = i * TURNS + k, side[6] = {a, b, b + TURNS, a, b + TURNS, a + TURNS};
      for (int c = 0; c < 6; ++c) tri[n++] = side[c];
    }
  }
  hfiHullData hull;
  hfError error;
  if (hfi_hull_build(&hull, north + 1, vert, n / 3, tri, &error) != HF_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  return hull;
}

static double time_pairs(const hfiShape* A, const hfiShape* B, const Pair* pair, double* points) {
  double best = INFINITY;
  long count = 0;
  hfiContactPoint point[HFI_MAX_MANIFOLD];
  for (int r = 0; r < ROUNDS; ++r) {
    double start = now();
    count = 0;
    for (int i = 0; i < PAIRS; ++i) count += hfi_collide(A, &pair[i].X_WA, B, &pair[i].X_WB, 0.001, point);
    best = min2(best, (now() - start) / PAIRS);
  }
  *points = (double)count / PAIRS;
  return best;
}

// B at a random turn and direction, apart by a random part of the size.
static void place_near(const hfiShape* A, const hfiShape* B, Pair* pair) {
  for (int i = 0; i < PAIRS; ++i) {
    hfVec3 way = v3_unit(v3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)));
    pair[i].X_WA = pose_from(v3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)), turn());
    pair[i].X_WB = pose_from(v3_zero(), turn());
    if (A->type == HF_GEOM_PLANE) way = m3_col(pair[i].X_WA.R, 2);
    double lo = 0, hi = 1; // the distance at which they touch
    hfiContactPoint point[HFI_MAX_MANIFOLD];
    for (int k = 0; k < 40; ++k) {
      pair[i].X_WB.p = v3_axpy(0.5 * (lo + hi), way, pair[i].X_WA.p);
      if (hfi_collide(A, &pair[i].X_WA, B, &pair[i].X_WB, 0, point)) lo = 0.5 * (lo + hi);
      else hi = 0.5 * (lo + hi);
    }
    pair[i].X_WB.p = v3_axpy(lo + uniform(-0.01, 0.01), way, pair[i].X_WA.p);
  }
}

// B on top of A with parallel flat sides, a little aside and tilted by up to 1e-5.
static void place_flat(const hfiShape* A, const hfiShape* B, Pair* pair) {
  double top = A->type == HF_GEOM_PLANE ? 0 : A->size[A->type == HF_GEOM_BOX ? 2 : 1], bottom = B->size[B->type == HF_GEOM_BOX ? 2 : 1];
  for (int i = 0; i < PAIRS; ++i) {
    hfQuat spin = q_from_axis_angle(v3(0, 0, 1), uniform(-3, 3)), tilt = q_exp(v3(uniform(-1e-5, 1e-5), uniform(-1e-5, 1e-5), 0));
    pair[i].X_WA = pose_identity();
    pair[i].X_WB = pose_from(v3(uniform(-0.02, 0.02), uniform(-0.02, 0.02), top + bottom - 1e-5), q_mul(tilt, spin));
  }
}

int main(void) {
  hfiHullData globe = make_globe();
  hfiHull hull = {globe.nvert, globe.nface, globe.vert, globe.face_start, globe.face_vert, globe.face_plane, globe.edge_start, globe.edge_vert, NULL};
  hfiArena plan = {NULL, 0, 1 << 20}, arena = hfi_arena_allocate(&plan, NULL); // ample for the index of one hull
  if (!arena.base) return 1;
  arena.used = 0;
  hfiHullIndex index;
  hfi_hull_index_init(&index, &hull, &arena);
  hull.index = &index;
  hfiShape shape[TYPES];
  for (int t = 0; t < TYPES; ++t) {
    hfiShape s = {t, {0.1, 0.12, 0.08}, t == HF_GEOM_MESH ? &hull : NULL, NULL};
    shape[t] = s;
  }
  static Pair pair[PAIRS];
  printf("pair                    near ns  points   flat ns  points\n");
  for (int a = 0; a < TYPES; ++a)
    for (int b = a ? a : 1; b < TYPES; ++b) {
      double points;
      place_near(shape + a, shape + b, pair);
      double t = time_pairs(shape + a, shape + b, pair, &points);
      printf("%-9s %-9s %11.0f %7.2f", hf_geom_type_name(a), hf_geom_type_name(b), t, points);
      if ((a == HF_GEOM_PLANE || a >= HF_GEOM_CYLINDER) && (b == HF_GEOM_CYLINDER || b == HF_GEOM_BOX)) {
        place_flat(shape + a, shape + b, pair);
        t = time_pairs(shape + a, shape + b, pair, &points);
        printf(" %9.0f %7.2f", t, points);
      }
      printf("\n");
    }
  hfi_hull_release(&globe);
  hfi_release(arena.base);
  return 0;
}
