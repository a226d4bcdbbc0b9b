// Random vectors and poses of the tests.
#ifndef HF_TESTS_RANDOM_POSE_H
#define HF_TESTS_RANDOM_POSE_H

#include "math/vec3.h"
#include "support/random.h"

static inline hfVec3 random_vector(testRandom* r) { return v3(random_normal(r), random_normal(r), random_normal(r)); }
static inline hfVec3 random_unit(testRandom* r) { return v3_unit(random_vector(r)); }
static inline hfQuat random_quat(testRandom* r) {
  hfQuat q = {random_normal(r), random_normal(r), random_normal(r), random_normal(r)};
  return q_unit(q);
}
static inline hfPose random_pose(testRandom* r, double spread) { return pose_from(v3_scale(spread, random_vector(r)), random_quat(r)); }

#endif
