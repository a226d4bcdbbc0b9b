// A model with its dynamics and a state, for the tests of this folder.
#ifndef HF_TESTS_DYNAMICS_WORLD_H
#define HF_TESTS_DYNAMICS_WORLD_H

#include "math/vec3.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random_tree.h"
#include <holdfast/dynamics.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DOF = 64 }; // of a random tree with at most 10 bodies

typedef struct World {
  hfModel* model;
  hfDynamics* d;
  double q[MAX_DOF + 16], v[MAX_DOF];
} World;

static inline World world_make(hfModel* model) {
  World w = {.model = model};
  assert_at_most(model->nv, MAX_DOF);
  assert_int_equal(hf_dynamics_create(&w.d, model, NULL), HF_OK);
  memcpy(w.q, hf_model_qpos0(model), (size_t)model->nq * sizeof(double));
  return w;
}

static inline World world_random(testRandom* r, const RandomTree* spec) {
  World w = world_make(random_tree_build(r, spec));
  random_tree_state(r, w.model, w.q, w.v);
  hf_dynamics_set_position(w.d, w.q, NULL);
  hf_dynamics_set_velocity(w.d, w.v);
  return w;
}

static inline World world_finish(hfBuilder* b) {
  hfModel* model = NULL;
  hfError error;
  if (hf_builder_finish(b, &model, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  return world_make(model);
}

static inline void world_free(World* w) {
  hf_dynamics_free(w->d);
  hf_model_free(w->model);
}

static inline int add_inertial_body(hfBuilder* b, int parent, double mass, const double* com, const double* moments) {
  hfBodyDef d = hf_body_def_default();
  d.parent = parent;
  d.has_inertial = 1;
  d.mass = mass;
  for (int i = 0; i < 3; ++i) d.com[i] = com[i], d.inertia[i] = moments[i];
  int id = hf_builder_add_body(b, &d, NULL);
  assert_above(id, 0);
  return id;
}

static inline int add_plain_joint(hfBuilder* b, int body, int type) {
  hfJointDef d = hf_joint_def_default();
  d.body = body;
  d.type = type;
  int id = hf_builder_add_joint(b, &d, NULL);
  assert_at_least(id, 0);
  return id;
}

static inline void assert_vec_near(hfVec3 got, hfVec3 want, double tolerance) {
  assert_near(got.x, want.x, tolerance);
  assert_near(got.y, want.y, tolerance);
  assert_near(got.z, want.z, tolerance);
}

#endif
