// bench_dynamics [MODEL.xml …]: time of kinematics + M + factorisation + bias against MuJoCo's
// mj_kinematics, mj_comPos, mj_crb, mj_factorM, mj_comVel, mj_rne. Without arguments: the iiwa 14, the
// Allegro hand and the quadruped of models/. Exit status 1 where a model failed or MuJoCo was faster.
#include "dynamics_timing.h"

#include <stdio.h>

enum { BATCHES = 301 };

static const char* const DEFAULTS[] = {HF_SOURCE_DIR "/models/iiwa14.xml", HF_SOURCE_DIR "/models/allegro_right.xml",
                                       HF_SOURCE_DIR "/models/quadruped.xml"};

static int run(const char* path, const PeerMujoco* peer) {
  DynamicsTiming t;
  hfError error;
  if (dynamics_timing_run(&t, path, peer, BATCHES, &error) != HF_OK) {
    fprintf(stderr, "%s: %s\n", path, error.message);
    return 1;
  }
  printf("%3d %9.3f", t.nv, t.ours);
  if (peer) printf(" %9.3f %7.2f %9.1e %9.1e", t.peer, t.ours / t.peer, t.M_error, t.bias_error);
  printf("  %s\n", path);
  return peer && t.ours > t.peer;
}

int main(int argc, char** argv) {
  PeerMujoco peer;
  int has_peer = peer_mujoco_open(&peer) == 0, failed = 0;
  if (has_peer) printf("MuJoCo %s\n nv   ours us MuJoCo us   ratio M differs      bias  model\n", peer.mj_versionString());
  else printf("no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON)\n nv   ours us  model\n");
  for (int i = 1; i < argc; ++i) failed |= run(argv[i], has_peer ? &peer : NULL);
  for (int i = 0; argc == 1 && i < 3; ++i) failed |= run(DEFAULTS[i], has_peer ? &peer : NULL);
  if (has_peer) peer_mujoco_close(&peer);
  return failed;
}
