// MuJoCo as a peer, loaded at run time: neither its headers nor its library are needed to build.
// Serves the benchmarks and those tests that call MuJoCo directly.
#ifndef HF_BENCH_PEER_MUJOCO_H
#define HF_BENCH_PEER_MUJOCO_H

typedef struct mjModel_ mjModel;
typedef struct mjData_ mjData;

// Bits of the state vector of mj_setState.
enum { MUJOCO_STATE_QPOS = 1 << 1, MUJOCO_STATE_QVEL = 1 << 2, MUJOCO_STATE_CTRL = 1 << 6 };

// The functions that are called, by MuJoCo's names.
#define PEER_MUJOCO_FUNCTIONS(X)                                                        \
  X(mjModel*, mj_loadXML, (const char* file, const void* vfs, char* error, int size))   \
  X(mjModel*, mj_loadModel, (const char* file, const void* vfs))                        \
  X(void, mj_deleteModel, (mjModel * m))                                                \
  X(mjData*, mj_makeData, (const mjModel* m))                                           \
  X(void, mj_deleteData, (mjData * d))                                                  \
  X(const char*, mj_versionString, (void))                                              \
  X(int, mj_stateSize, (const mjModel* m, int signature))                               \
  X(void, mj_setState, (const mjModel* m, mjData* d, const double* state, int signature)) \
  X(void, mj_getState, (const mjModel* m, const mjData* d, double* state, int signature)) \
  X(void, mj_resetData, (const mjModel* m, mjData* d))                                  \
  X(void, mj_resetDataKeyframe, (const mjModel* m, mjData* d, int key))                 \
  X(void, mj_step, (const mjModel* m, mjData* d))                                       \
  X(void, mj_kinematics, (const mjModel* m, mjData* d))                                 \
  X(void, mj_comPos, (const mjModel* m, mjData* d))                                     \
  X(void, mj_crb, (const mjModel* m, mjData* d))                                        \
  X(void, mj_factorM, (const mjModel* m, mjData* d))                                    \
  X(void, mj_comVel, (const mjModel* m, mjData* d))                                     \
  X(void, mj_rne, (const mjModel* m, mjData* d, int with_acceleration, double* force))  \
  X(void, mj_mulM, (const mjModel* m, const mjData* d, double* result, const double* x)) \
  X(void, mj_jac, (const mjModel* m, const mjData* d, double* linear, double* angular, const double* point, int body)) \
  X(void, mj_local2Global, (mjData * d, double* pos, double* mat, const double* local_pos, const double* local_quat, int body, unsigned char same_frame)) \
  X(void, mj_integratePos, (const mjModel* m, double* qpos, const double* qvel, double h)) \
  X(void, mj_differentiatePos, (const mjModel* m, double* qvel, double h, const double* qpos1, const double* qpos2))

typedef struct PeerMujoco {
  void* library;
#define X(result, name, arguments) result(*name) arguments;
  PEER_MUJOCO_FUNCTIONS(X)
#undef X
} PeerMujoco;

// Opens the library that HF_MUJOCO_LIB names, else the one of the Python package `mujoco` as seen by
// HF_PEERS_PYTHON or python3. Returns 0, or -1 where there is none.
int peer_mujoco_open(PeerMujoco* peer);
// Loads a scene with further attributes of its <option> element ("" for none); NULL where that fails.
mjModel* peer_mujoco_load(const PeerMujoco* peer, const char* path, const char* options);
void peer_mujoco_close(PeerMujoco* peer);

#endif
