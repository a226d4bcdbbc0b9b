// Time of kinematics + M + factorisation + bias, beside MuJoCo's for the same model.
#ifndef HF_BENCH_DYNAMICS_TIMING_H
#define HF_BENCH_DYNAMICS_TIMING_H

#include "peer_mujoco.h"
#include <holdfast/model.h>

typedef struct DynamicsTiming {
  int nv;
  double ours;       // median over batches [us]
  double peer;       // 0 without a peer [us]
  double M_error;    // largest difference over the largest entry, at the states that are timed
  double bias_error;
} DynamicsTiming;

// peer may be NULL. `path` is an MJCF file, `batches` the number of interleaved timings of each.
hfStatus dynamics_timing_run(DynamicsTiming* timing, const char* path, const PeerMujoco* peer, int batches, hfError* error);

#endif
