// Spatial algebra (spatial.h) of several links side by side, one in each lane. Every lane is computed and rounded as a
// single link is.
#ifndef HFI_MATH_SPATIAL_LANES_H
#define HFI_MATH_SPATIAL_LANES_H

#include "base/gather.h"
#include "math/spatial.h"

// Several hfVec3, hfMat3, hfMotion, hfForce and hfiInertia, a component of all of them in each hfiLanes.
typedef struct hfiVec3s { hfiLanes x, y, z; } hfiVec3s;
typedef struct hfiMat3s { hfiLanes m[9]; } hfiMat3s;
typedef struct hfiMotions { hfiVec3s w, v; } hfiMotions;
typedef struct hfiForces { hfiVec3s n, f; } hfiForces;
typedef struct hfiInertias { hfiLanes m; hfiVec3s h; hfiLanes I[6]; } hfiInertias;

static inline hfiVec3s v3s_add(hfiVec3s a, hfiVec3s b) { return (hfiVec3s){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline hfiVec3s v3s_sub(hfiVec3s a, hfiVec3s b) { return (hfiVec3s){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline hfiVec3s v3s_scale(hfiLanes s, hfiVec3s a) { return (hfiVec3s){s * a.x, s * a.y, s * a.z}; }
static inline hfiVec3s v3s_cross(hfiVec3s a, hfiVec3s b) {
  return (hfiVec3s){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline hfiVec3s m3s_mulv(hfiMat3s a, hfiVec3s v) {
  const hfiLanes* m = a.m;
  return (hfiVec3s){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                    m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

static inline hfiMotions mos_add(hfiMotions a, hfiMotions b) {
  return (hfiMotions){v3s_add(a.w, b.w), v3s_add(a.v, b.v)};
}
static inline hfiForces fos_add(hfiForces a, hfiForces b) {
  return (hfiForces){v3s_add(a.n, b.n), v3s_add(a.f, b.f)};
}
// Motion cross force.
static inline hfiForces mos_cross_force(hfiMotions a, hfiForces b) {
  return (hfiForces){v3s_add(v3s_cross(a.w, b.n), v3s_cross(a.v, b.f)), v3s_cross(a.w, b.f)};
}
// Symmetric 3x3 matrices (xx yy zz xy xz yz) times vectors.
static inline hfiVec3s sym3s_mulv(const hfiLanes* I, hfiVec3s w) {
  return (hfiVec3s){I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
                    I[4] * w.x + I[5] * w.y + I[2] * w.z};
}
// F = I V
static inline hfiForces inertias_mul(const hfiInertias* I, hfiMotions V) {
  return (hfiForces){v3s_add(sym3s_mulv(I->I, V.w), v3s_cross(I->h, V.v)),
                     v3s_sub(v3s_scale(I->m, V.v), v3s_cross(I->h, V.w))};
}

#endif
