// Load, write as SDFormat or URDF, load again: the second model moves as the first one does. Links may be more than bodies, and have other
// origins, but coordinates, mass matrix and bias are the same, and geoms that collide stand at the same places with the same sizes.
#ifndef HF_TESTS_ROBOT_TRIP_H
#define HF_TESTS_ROBOT_TRIP_H

#include "support/cmocka_all.h"

#include <glob.h>
#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef hfStatus (*robotWriter)(const hfModel* model, const char* path, hfDiagnostics* diagnostics, hfError* error);

static char trip_folder[] = "/tmp/holdfast_robot_XXXXXX";

static inline int make_trip_folder(void** state) { return (void)state, mkdtemp(trip_folder) ? 0 : -1; }
static inline int remove_trip_folder(void** state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", trip_folder);
  return system(command);
}
static inline const char* trip_file(robotWriter write) {
  static char path[128];
  snprintf(path, sizeof path, "%s/robot.%s", trip_folder, write == hf_model_write_sdf ? "sdf" : "urdf");
  return path;
}

// Rounding of poses and angles along a chain of some tens of links, beside the size of the numbers.
#define TRIP_TOLERANCE 1e-12

static inline uint64_t* trip_seed(void) {
  static uint64_t seed = 88172645463325252u;
  return &seed;
}
// A number from -1 to 1 (xorshift64).
static inline double trip_random(void) {
  uint64_t* x = trip_seed();
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return 2 * (double)(*x >> 11) / 9007199254740992.0 - 1;
}

static inline int trip_collides(const hfModel* m, int g) { return hf_model_geom_contype(m)[g] || hf_model_geom_conaffinity(m)[g]; }

// Whether the format can say this geom; the next one from `g` on, or -1.
static inline int next_said(const hfModel* m, int g, robotWriter write) {
  for (; g < m->ngeom; ++g) {
    int type = hf_model_geom_type(m)[g];
    if (trip_collides(m, g) && ((type != HF_GEOM_HFIELD && type != HF_GEOM_PLANE) || write == hf_model_write_sdf)) return g;
  }
  return -1;
}

static inline hfVec3 trip_point(hfPose X, const double* p) {
  hfVec3 r = X.p;
  r.x += X.R.m[0] * p[0] + X.R.m[1] * p[1] + X.R.m[2] * p[2];
  r.y += X.R.m[3] * p[0] + X.R.m[4] * p[1] + X.R.m[5] * p[2];
  r.z += X.R.m[6] * p[0] + X.R.m[7] * p[1] + X.R.m[8] * p[2];
  return r;
}

// How far a hull reaches in a direction of the world.
static inline double trip_reach(const hfModel* m, int g, hfPose X, const double d[3]) {
  int mesh = hf_model_geom_mesh(m)[g];
  const double* v = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[mesh];
  double most = -INFINITY;
  for (int i = 0; i < hf_model_mesh_vertnum(m)[mesh]; ++i) {
    hfVec3 p = trip_point(X, v + 3 * i);
    most = fmax(most, p.x * d[0] + p.y * d[1] + p.z * d[2]);
  }
  return most;
}

static inline void assert_near(double x, double y, double scale, const char* path, const char* what) {
  if (!(fabs(x - y) <= TRIP_TOLERANCE * scale)) fail_msg("%s: %s is %.17g, not %.17g", path, what, y, x);
}

// Vertices stand at the same places of the world, but for the rounding of heights to 255 steps.
static inline void compare_height_fields(const hfModel* a, int i, hfPose X, const hfModel* b, int k, hfPose Y, const char* path) {
  int f = hf_model_geom_hfield(a)[i], g = hf_model_geom_hfield(b)[k], nrow = hf_model_hfield_nrow(a)[f], ncol = hf_model_hfield_ncol(a)[f];
  const double *z = hf_model_hfield_height(a) + hf_model_hfield_adr(a)[f], *w = hf_model_hfield_height(b) + hf_model_hfield_adr(b)[g];
  const double *range = hf_model_hfield_range(a) + 2 * f, step = (range[1] - range[0]) / 255;
  assert_int_equal(hf_model_hfield_nrow(b)[g], nrow);
  assert_int_equal(hf_model_hfield_ncol(b)[g], ncol);
  for (int n = 0; n < 2; ++n) assert_near(hf_model_hfield_size(a)[3 * f + n], hf_model_hfield_size(b)[3 * g + n], 1, path, "the size of a height field");
  for (int n = 0; n < nrow * ncol; ++n) {
    const double p[3] = {0, 0, z[n]}, q[3] = {0, 0, w[n]};
    hfVec3 u = trip_point(X, p), v = trip_point(Y, q);
    if (!(fabs(u.x - v.x) + fabs(u.y - v.y) + fabs(u.z - v.z) <= 0.501 * step * sqrt(3))) fail_msg("%s: height %d is %g from where it was", path, n, u.z - v.z);
  }
}

static inline double trip_distance(hfVec3 p, hfVec3 q) { return sqrt(pow(p.x - q.x, 2) + pow(p.y - q.y, 2) + pow(p.z - q.z, 2)); }

static inline void compare_hulls(const hfModel* a, int i, hfPose X, const hfModel* b, int k, hfPose Y, const char* path) {
  for (int n = 0; n < 20; ++n) {
    const double d[3] = {trip_random(), trip_random(), trip_random()};
    double reach = trip_reach(a, i, X, d);
    assert_near(reach, trip_reach(b, k, Y, d), 1 + fabs(reach), path, "the reach of a hull");
  }
}

// An ellipsoid with half axes s reaches |diag(s) R^T d| from its centre in the direction d. The mesh lies at most 0.5 % inside.
static inline void compare_ellipsoid(const double* s, hfPose X, const hfModel* b, int k, hfPose Y, const char* path) {
  for (int n = 0; n < 20; ++n) {
    const double d[3] = {trip_random(), trip_random(), trip_random()};
    double reach = 0;
    for (int i = 0; i < 3; ++i) reach += pow(s[i] * (X.R.m[i] * d[0] + X.R.m[3 + i] * d[1] + X.R.m[6 + i] * d[2]), 2);
    double found = trip_reach(b, k, Y, d) - (X.p.x * d[0] + X.p.y * d[1] + X.p.z * d[2]);
    if (!(found <= (1 + 1e-9) * sqrt(reach) && found >= 0.995 * sqrt(reach))) fail_msg("%s: an ellipsoid reaches %g, not %g", path, found, sqrt(reach));
  }
}

static inline void compare_poses(hfPose X, hfPose Y, int turns, const char* path) {
  assert_near(0, trip_distance(X.p, Y.p), 10, path, "the distance of a geom");
  for (int n = 0; n < 9 && turns; ++n) assert_near(X.R.m[n], Y.R.m[n], 1, path, "the orientation of a geom");
}

static inline void compare_geom(const hfModel* a, int i, hfPose X, const hfModel* b, int k, hfPose Y, const char* path) {
  int type = hf_model_geom_type(a)[i], became = hf_model_geom_type(b)[k];
  assert_near(hf_model_geom_friction(a)[3 * i], hf_model_geom_friction(b)[3 * k], 1, path, "a friction");
  assert_near(hf_model_geom_restitution(a)[i], hf_model_geom_restitution(b)[k], 1, path, "a restitution");
  if (type == HF_GEOM_HFIELD) {
    compare_height_fields(a, i, X, b, k, Y, path);
  } else if (type == HF_GEOM_MESH) {
    compare_hulls(a, i, X, b, k, Y, path);
  } else if (type == HF_GEOM_ELLIPSOID && became == HF_GEOM_MESH) {
    compare_ellipsoid(hf_model_geom_size(a) + 3 * i, X, b, k, Y, path);
  } else {
    assert_true(type == became || (type == HF_GEOM_CAPSULE && became == HF_GEOM_CYLINDER));
    for (int n = 0; n < 3 && type != HF_GEOM_PLANE; ++n)
      if (hf_model_geom_size(a)[3 * i + n] != hf_model_geom_size(b)[3 * k + n]) assert_near(hf_model_geom_size(a)[3 * i + n], hf_model_geom_size(b)[3 * k + n], 1, path, "a size");
    compare_poses(X, Y, type != HF_GEOM_SPHERE, path);
  }
}

// The two balls of a capsule that became a cylinder. Returns the second one.
static inline int compare_ends(const hfModel* a, int i, hfPose X, const hfModel* b, int k, const hfDynamics* y, robotWriter write, const char* path) {
  for (int sign = -1; sign <= 1; sign += 2) {
    const double end[3] = {0, 0, sign * hf_model_geom_size(a)[3 * i + 1]};
    k = next_said(b, k + 1, write);
    assert_at_least(k, 0);
    assert_true(hf_model_geom_type(b)[k] == HF_GEOM_SPHERE);
    assert_near(hf_model_geom_size(a)[3 * i], hf_model_geom_size(b)[3 * k], 1, path, "the radius of an end");
    assert_near(0, trip_distance(trip_point(X, end), hf_dynamics_geom_pose(y, k).p), 10, path, "the distance of an end");
  }
  return k;
}

static inline void compare_geoms(const hfModel* a, const hfDynamics* x, const hfModel* b, const hfDynamics* y, robotWriter write, const char* path) {
  int i = next_said(a, 0, write), k = next_said(b, 0, write);
  for (; i >= 0 && k >= 0; i = next_said(a, i + 1, write), k = next_said(b, k + 1, write)) {
    hfPose X = hf_dynamics_geom_pose(x, i);
    compare_geom(a, i, X, b, k, hf_dynamics_geom_pose(y, k), path);
    int divided = hf_model_geom_type(a)[i] == HF_GEOM_CAPSULE && hf_model_geom_type(b)[k] == HF_GEOM_CYLINDER;
    assert_true(!divided || write == hf_model_write_urdf);
    if (divided) k = compare_ends(a, i, X, b, k, y, write, path);
  }
  if (i >= 0 || k >= 0) fail_msg("%s: the numbers of geoms that collide differ", path);
}

static inline void compare_motion(const hfModel* a, hfDynamics* x, const hfModel* b, hfDynamics* y, const char* path) {
  int n = a->nv;
  double *M = calloc((size_t)(n * n) + 1, sizeof *M), *N = calloc((size_t)(n * n) + 1, sizeof *N), most = 0;
  assert_true(M && N);
  hf_dynamics_dense_mass_matrix(x, M), hf_dynamics_dense_mass_matrix(y, N);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) assert_near(M[i * n + k], N[i * n + k], sqrt(M[i * n + i] * M[k * n + k]), path, "an entry of the mass matrix");
  for (int i = 1; i < a->nbody; ++i) most = fmax(most, 9.81 * hf_model_body_subtreemass(a)[i]); // weights at 1 m cancel where a robot is balanced
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(hf_dynamics_bias(x)[i]));
  for (int i = 0; i < n; ++i) assert_near(hf_dynamics_bias(x)[i], hf_dynamics_bias(y)[i], most, path, "the bias");
  free(M), free(N);
  assert_int_equal(b->nv, n);
}

static inline void compare_joints(const hfModel* a, const hfModel* b, robotWriter write, const char* path) {
  assert_int_equal(a->njnt, b->njnt);
  for (int j = 0; j < a->njnt; ++j) {
    int type = hf_model_jnt_type(a)[j], dof = hf_model_jnt_dofadr(a)[j];
    assert_int_equal(hf_model_jnt_type(b)[j], type);
    if (hf_joint_info(type).nv > 1) continue;
    assert_int_equal(hf_model_jnt_limited(a)[j], hf_model_jnt_limited(b)[j]);
    for (int k = 0; k < 2 && hf_model_jnt_limited(a)[j]; ++k) assert_near(hf_model_jnt_range(a)[2 * j + k], hf_model_jnt_range(b)[2 * j + k], 1, path, "a limit");
    assert_near(hf_model_dof_damping(a)[dof], hf_model_dof_damping(b)[dof], 1, path, "a damping");
    assert_near(hf_model_dof_frictionloss(a)[dof], hf_model_dof_frictionloss(b)[dof], 1, path, "a friction loss");
    assert_near(hf_model_dof_armature(a)[dof], hf_model_dof_armature(b)[dof], 1, path, "an armature");
    if (write != hf_model_write_sdf) continue;
    assert_near(hf_model_jnt_stiffness(a)[j], hf_model_jnt_stiffness(b)[j], 1, path, "a spring");
    int q = hf_model_jnt_qposadr(a)[j];
    if (hf_model_jnt_stiffness(a)[j] != 0) assert_near(hf_model_qpos_spring(a)[q], hf_model_qpos_spring(b)[q], 1, path, "the rest of a spring");
  }
}

static inline void compare_robots(const hfModel* a, const hfModel* b, robotWriter write, const char* path) {
  hfDynamics *x = NULL, *y = NULL;
  hfError error;
  if (a->nv != b->nv || a->nq != b->nq) fail_msg("%s: %d dofs became %d", path, a->nv, b->nv);
  assert_int_equal(hf_dynamics_create(&x, a, &error), HF_OK);
  assert_int_equal(hf_dynamics_create(&y, b, &error), HF_OK);
  double *q = calloc((size_t)a->nq + 1, sizeof *q), *v = calloc((size_t)a->nv + 1, sizeof *v);
  assert_true(q && v);
  compare_joints(a, b, write, path);
  for (int posture = 0; posture < 4; ++posture) {
    memcpy(q, hf_model_qpos0(a), sizeof *q * (size_t)a->nq);
    for (int i = 0; i < a->nv; ++i) v[i] = trip_random();
    if (posture) hf_model_integrate(a, q, v, 1);
    for (int i = 0; i < a->nv; ++i) v[i] = trip_random();
    hf_dynamics_set_position(x, q, NULL), hf_dynamics_set_position(y, q, NULL);
    hf_dynamics_set_velocity(x, v), hf_dynamics_set_velocity(y, v);
    hf_dynamics_update_mass_matrix(x), hf_dynamics_update_mass_matrix(y);
    hf_dynamics_update_bias(x), hf_dynamics_update_bias(y);
    compare_motion(a, x, b, y, path);
    compare_geoms(a, x, b, y, write, path);
  }
  free(q), free(v);
  hf_dynamics_free(x), hf_dynamics_free(y);
}

// Returns 1, or 0 where the format cannot say the model.
static inline int check_robot(const hfModel* first, robotWriter write, const char* path) {
  hfModel* again = NULL;
  hfError error;
  hfStatus status = write(first, trip_file(write), NULL, &error);
  if (status == HF_ERROR_UNSUPPORTED && write == hf_model_write_urdf) return 0;
  if (status != HF_OK) fail_msg("%s: %s", path, error.message);
  if (hf_model_load(&again, trip_file(write), NULL, NULL, &error) != HF_OK) fail_msg("%s: %s", path, error.message);
  compare_robots(first, again, write, path);
  hf_model_free(again);
  return 1;
}

static inline int check_robots(const char* pattern, robotWriter write) {
  glob_t found;
  int count = 0;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    hfModel* model = NULL;
    hfError error;
    if (hf_model_load(&model, found.gl_pathv[i], NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
    count += check_robot(model, write, found.gl_pathv[i]);
    hf_model_free(model);
  }
  globfree(&found);
  return count;
}

#endif
