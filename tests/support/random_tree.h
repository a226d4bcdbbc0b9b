// Random worlds: trees of bodies with every kind of joint, alone and several on a body, welded bodies,
// sites and geoms. The same seed gives the same world.
#ifndef HF_TESTS_RANDOM_TREE_H
#define HF_TESTS_RANDOM_TREE_H

#include "support/random.h"
#include <holdfast/builder.h>

enum {
  TREE_FLOATING = 1, // every tree stands on a free joint
  TREE_NO_FREE = 2,  // no free joints
  TREE_ARMATURE = 4, // on half of the hinges and slides
  TREE_SPRINGS = 8,  // joint springs, and one fixed tendon with a spring
  TREE_NO_GRAVITY = 16,
};

typedef struct RandomTree {
  int max_bodies; // at least 1
  unsigned flags;
  hfQuat turn;    // turns the whole world: roots and gravity
} RandomTree;

RandomTree random_tree_default(void);
// Fails the running test if the builder refuses. Free with hf_model_free.
hfModel* random_tree_build(testRandom* r, const RandomTree* spec);
// Coordinates near the reference ones (rotations anywhere), velocities of order one.
void random_tree_state(testRandom* r, const hfModel* model, double* q, double* v);

#endif
