// holdfast bench dynamics: the time of kinematics, M, factorisation and bias beside MuJoCo's, on an arm, a hand and a
// legged robot of models/.
#include "experiment.h"

#include "dynamics_timing.h"
#include "data.h"

typedef struct timedModel {
  const char* name;
  const char* file;
} timedModel;

static const timedModel models[] = {{"iiwa14", "models/iiwa14.xml"},
                                    {"allegro", "models/allegro_right.xml"},
                                    {"quadruped", "models/quadruped.xml"}};
enum { MODELS = sizeof models / sizeof *models };

// Times one model, and judges the ratio if there is a peer. Returns the exit status.
static int time_model(const timedModel* model, const PeerMujoco* peer, int batches, result* r) {
  DynamicsTiming t;
  hfError error = {HF_OK, ""};
  char path[DATA_PATH];
  if (dynamics_timing_run(&t, data_path(path, model->file), peer, batches, &error) != HF_OK) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }

  if (!peer) {
    result_figure(r, model->name, t.ours, "us");
    return CLI_GOOD;
  }

  result_compare(r, model->name, t.ours, t.peer, "us");
  char what[128];
  snprintf(what, sizeof what, "%s: our time over MuJoCo's", model->name);
  result_must(r, model->name, what, t.ours / t.peer, "at most 1", t.ours <= t.peer, 0);
  return CLI_GOOD;
}

// The experiment: times all models. Returns the exit status.
static int run(const experimentOptions* options, result* r) {
  PeerMujoco peer;
  int has_peer = peer_mujoco_open(&peer) == 0;
  if (has_peer)
    result_note(r, "peer: MuJoCo %s", peer.mj_versionString());
  else
    result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON): our times alone");

  int batches = options->quick ? 31 : 301;
  int status = CLI_GOOD;
  for (int i = 0; i < MODELS && status == CLI_GOOD; ++i)
    status = time_model(&models[i], has_peer ? &peer : NULL, batches, r);
  if (has_peer) peer_mujoco_close(&peer);
  return status;
}

const experiment experiment_bench_dynamics = {
    "dynamics", "kinematics, mass matrix, factorisation and bias, beside MuJoCo", run};
