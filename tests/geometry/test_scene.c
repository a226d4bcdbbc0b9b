// Leaving out distant pairs loses no contact: the contacts of a model are those of all its pairs taken one by one, at poses
// that jump and at poses that move continuously.
#include "support/cmocka_all.h"

#include "geometry/oracle.h"
#include "geometry/scene.h"

#include <holdfast/import.h>

#include <stdio.h>

enum { GEOMS = 24, MOST = 4096 };

// A body a geom, of every type; sizes from flat to long.
static void write_model(testRandom* r, char* text, size_t size) {
  static const char* const type[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
  size_t n = (size_t)snprintf(text, size, "<mujoco><worldbody>");
  for (int i = 0; i < GEOMS; ++i)
    n += (size_t)snprintf(
        text + n, size - n,
        "<body><freejoint/><geom type='%s' size='%g %g %g' mass='1' margin='%g'/></body>",
        type[i % 5], 0.02 + 0.3 * random_uniform(r, 0, 1), 0.02 + 0.3 * random_uniform(r, 0, 1),
        0.02 + 0.3 * random_uniform(r, 0, 1), 0.02 * random_uniform(r, 0, 1));
  snprintf(text + n, size - n, "<geom type='plane' size='0 0 1'/></worldbody></mujoco>");
}

static int collide_all(const hfiScene* s, const hfPose* X, hfiRawContact* out) {
  int count = 0;
  const double* margin = hf_model_geom_margin(s->model);
  for (int a = 0; a < s->model->ngeom; ++a)
    for (int b = a + 1; b < s->model->ngeom; ++b) {
      hfiContactPoint p[HFI_MAX_MANIFOLD];
      int n = hfi_collide(&s->shape[a], &X[a], &s->shape[b], &X[b], max2(margin[a], margin[b]), p);
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

static void test_culling(void** state) {
  (void)state;
  uint64_t seed = 5;
  printf("seed %llu\n", (unsigned long long)seed);
  testRandom r = {seed};
  long contacts = 0;
  for (int trial = 0; trial < 20; ++trial) {
    char text[8192];
    write_model(&r, text, sizeof text);
    hfModel* model = NULL;
    hfError error = {HF_OK, ""};
    assert_int_equal(hf_model_parse(&model, text, strlen(text), "shapes", ".", NULL, NULL, &error),
                     HF_OK);
    assert_int_equal(hf_model_geom_type(model)[0], HF_GEOM_PLANE); // fixed geoms come first
    hfiScene scene;
    hfiArena plan = hfi_arena(NULL, 0);
    hfi_scene_init(&scene, model, &plan);
    void* memory = malloc(plan.used + 64);
    hfiArena arena = hfi_arena(memory, plan.used + 64);
    hfi_scene_init(&scene, model, &arena);
    hfPose X[GEOMS + 1];
    X[0] = pose_identity();
    for (int i = 0; i < 200; ++i) {
      for (int g = 1; g <= GEOMS; ++g) {
        if (i % 50 == 0)
          X[g] = random_pose(&r, 0.5);
        else
          X[g].p = v3_axpy(0.01, random_vector(&r), X[g].p);
      }
      compare(&scene, X, &contacts);
    }
    free(memory);
    hf_model_free(model);
  }
  printf("%ld contacts\n", contacts);
  assert_true(contacts > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_culling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
