// The hulls of real robots' meshes: well formed, and their contacts proven like those of test_pairs.c.
// Skipped where the models are not there.
#include "geometry/distance.h"
#include "geometry/oracle.h"

#include <holdfast/import.h>
#include <stdio.h>

static const char* const kModel[] = {"franka_emika_panda/panda.xml", "kuka_iiwa_14/iiwa14.xml", "robotiq_2f85/2f85.xml", "unitree_go1/go1.xml", "universal_robots_ur10e/ur10e.xml"};
enum { MODELS = sizeof kModel / sizeof *kModel };

static hfModel* load(const char* name) {
  char path[1024];
  const char* folder = getenv("HF_SHARED_MODELS");
  snprintf(path, sizeof path, "%s/mujoco_menagerie/%s", folder ? folder : HF_SOURCE_DIR "/../shared/models", name);
  FILE* file = fopen(path, "r");
  if (!file) return NULL;
  fclose(file);
  hfModel* model = NULL;
  hfError error;
  if (hf_model_load(&model, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return model;
}

static double hull_size(const hfiHull* h) {
  double size = 0;
  for (int i = 0; i < 3 * h->nvert; ++i) size = max2(size, fabs(h->vert[i]));
  return size;
}

// Faces hold their vertices, no vertex is above a face, a walk along edges finds the farthest vertex.
static void check_hull(testRandom* r, const hfiHull* h) {
  double size = hull_size(h);
  for (int f = 0; f < h->nface; ++f) {
    hfVec3 n = v3_load(h->face_plane + 4 * f);
    double top = -INFINITY;
    for (int i = 0; i < h->nvert; ++i) top = max2(top, v3_dot(n, v3_load(h->vert + 3 * i)));
    // faces merge within 1e-7 of the diameter; a sliver's plane may lean by more than it is off
    assert_near(top, h->face_plane[4 * f + 3], 2e-6 * size);
  }
  hfiShape s = {HF_GEOM_MESH, {0}, h};
  for (int k = 0; k < 50; ++k) {
    hfVec3 d = random_unit(r);
    hfiShape plane = {HF_GEOM_PLANE, {0}, NULL};
    hfVec3 t1, t2;
    v3_tangents(d, &t1, &t2);
    hfPose X_WA = {m3_from_cols(t1, t2, d), {0, 0, 0}}, X_WB = pose_identity();
    hfiContactPoint c;
    assert_true(hfi_distance(&plane, &X_WA, &s, &X_WB, INFINITY, &c)); // by the walk
    assert_near(c.depth, oracle_support(&s, v3_neg(d)), 1e-12 * size);  // by trying all
  }
}

static void check_contact(testRandom* r, const hfiHull* a, const hfiHull* b) {
  hfiShape A = {HF_GEOM_MESH, {0}, a}, B = {HF_GEOM_MESH, {0}, b};
  double size = hull_size(a) + hull_size(b);
  hfPose X_WA = random_pose(r, 0.1), X_WB = random_pose(r, 0.1);
  X_WB.p = v3_axpy(size * random_uniform(r, 0.1, 1), random_unit(r), X_WA.p);
  hfiContactPoint c, point[HFI_MAX_MANIFOLD];
  assert_true(hfi_distance(&A, &X_WA, &B, &X_WB, INFINITY, &c));
  assert_near(oracle_gap(&A, &X_WA, &B, &X_WB, c.n_W), -c.depth, 1e-12 * size);
  if (c.depth > 0) assert_true(oracle_search(r, &A, &X_WA, &B, &X_WB, c.n_W, 200) <= -c.depth + 1e-9 * size);
  int count = hfi_collide(&A, &X_WA, &B, &X_WB, 0, point);
  if (fabs(c.depth) > 1e-6 * size) assert_int_equal(count > 0, c.depth > 0);
  double deepest = -INFINITY;
  for (int i = 0; i < count; ++i) deepest = max2(deepest, point[i].depth);
  if (count) assert_near(deepest, c.depth, 2e-5 * size);
}

static void hulls_of_robots(void** state) {
  (void)state;
  testRandom r = {53};
  printf("seed %llu\n", (unsigned long long)r.state);
  int found = 0, meshes = 0;
  for (int i = 0; i < MODELS; ++i) {
    hfModel* m = load(kModel[i]);
    if (!m) continue;
    found++;
    meshes += m->nmesh;
    for (int k = 0; k < m->nmesh; ++k) {
      hfiHull hull = hfi_model_hull(m, k);
      check_hull(&r, &hull);
      for (int j = 0; j < (getenv("HF_FULL") ? 1000 : 5); ++j) {
        hfiHull other = hfi_model_hull(m, random_int(&r, m->nmesh));
        check_contact(&r, &hull, &other);
      }
    }
    hf_model_free(m);
  }
  if (!found) skip();
  printf("%d meshes of %d models\n", meshes, found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hulls_of_robots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
