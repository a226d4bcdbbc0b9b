// Random scenes with MuJoCo's numbers at random states, as tests/actuation/mujoco_scenes.py writes them.
#ifndef HF_TESTS_MUJOCO_SCENE_H
#define HF_TESTS_MUJOCO_SCENE_H

#include "support/peer.h"

#include <holdfast/actuation.h>
#include <holdfast/import.h>

typedef struct mujocoScene {
  FILE* in;
  hfModel* model;
  hfDynamics* dynamics;
  hfActuation* actuation;
} mujocoScene;

// Rows of a state, in the order of the file. X(name, count)
#define MUJOCO_STATE_ROWS(X)                                                                           \
  X(state, 0) X(qpos, m->nq) X(qvel, m->nv) X(ctrl, m->nu) X(act, m->na) X(time, 1)                    \
  X(wrench, 6 * m->nbody) X(qacc, m->nv) X(length, m->nu) X(velocity, m->nu) X(moment, m->nu * m->nv)  \
  X(tendonlength, m->ntendon) X(tendonJ, m->ntendon * m->nv) X(bias, m->nv) X(tendonvelocity, m->ntendon) X(force, m->nu) X(jointforce, m->nv)       \
  X(passive, m->nv) X(rate, m->na) X(actnext, m->na) X(neq, 1) X(eqpos, (int)s->neq[0])                \
  X(eqJ, (int)s->neq[0] * m->nv) X(sensor, m->nsensordata)

typedef struct mujocoState {
#define X(name, count) double* name;
  MUJOCO_STATE_ROWS(X)
#undef X
} mujocoState;

static inline void mujoco_state_read(mujocoState* s, const mujocoScene* w) {
  const hfModel* m = w->model;
#define X(name, count) s->name = peer_row(w->in, #name, count);
  MUJOCO_STATE_ROWS(X)
#undef X
}
static inline void mujoco_state_free(mujocoState* s) {
#define X(name, count) free(s->name);
  MUJOCO_STATE_ROWS(X)
#undef X
}

// Loads FOLDER/SCENE.xml and opens FOLDER/STATES.txt.
static inline void mujoco_scene_load(mujocoScene* w, const char* folder, const char* scene, const char* states) {
  char path[256];
  hfError error;
  snprintf(path, sizeof path, "%s/%s.xml", folder, scene);
  if (hf_model_load(&w->model, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  snprintf(path, sizeof path, "%s/%s.txt", folder, states);
  w->in = fopen(path, "r");
  assert_non_null(w->in);
  assert_int_equal(hf_dynamics_create(&w->dynamics, w->model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&w->actuation, w->model, NULL), HF_OK);
}

static inline void mujoco_scene_open(mujocoScene* w, const char* folder, int index) {
  char name[16];
  snprintf(name, sizeof name, "%d", index);
  mujoco_scene_load(w, folder, name, name);
  double* sizes = peer_row(w->in, "sizes", 7);
  const int ours[] = {w->model->nq, w->model->nv, w->model->nu, w->model->na, w->model->ntendon, w->model->nsensordata, w->model->nbody};
  for (int i = 0; i < 7; ++i) assert_int_equal(ours[i], (int)sizes[i]);
  free(sizes);
}

static inline void mujoco_scene_close(mujocoScene* w) {
  fclose(w->in);
  hf_actuation_free(w->actuation);
  hf_dynamics_free(w->dynamics);
  hf_model_free(w->model);
}

// Kinematics and actuation of a scene at a state.
static inline void mujoco_scene_evaluate(mujocoScene* w, const mujocoState* s) {
  hf_dynamics_set_position(w->dynamics, s->qpos, NULL);
  hf_dynamics_set_velocity(w->dynamics, s->qvel);
  hf_actuation_update(w->actuation, w->dynamics, s->qpos);
  hf_actuation_forces(w->actuation, s->act, s->ctrl, w->model->world.timestep);
}

// Calls compare for every state of random scenes; skips without MuJoCo.
static inline void mujoco_scenes_compare(int seed, void (*compare)(mujocoScene*, const mujocoState*)) {
  char folder[] = "/tmp/holdfast_scenes_XXXXXX", arguments[64];
  int scenes = is_full() ? 200 : 20, states = 5;
  snprintf(arguments, sizeof arguments, "%d %d %d", scenes, states, seed);
  if (peer_run(folder, "actuation/mujoco_scenes.py", arguments) != 0) skip();
  for (int i = 0; i < scenes; ++i) {
    mujocoScene w = {0};
    mujocoState s;
    print_message("scene %d (seed %d)\n", i, seed + i);
    mujoco_scene_open(&w, folder, i);
    for (int k = 0; k < states; ++k) {
      mujoco_state_read(&s, &w);
      mujoco_scene_evaluate(&w, &s);
      compare(&w, &s);
      mujoco_state_free(&s);
    }
    mujoco_scene_close(&w);
  }
  peer_remove(folder);
}

#endif
