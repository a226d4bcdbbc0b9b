// holdfast bench gripper: the gripper that shakes a mug, 5 s at h = 3 ms, beside MuJoCo on the same
// file with its default solver and with its recipe for grasping (elliptic cones, impratio 10).
// The runs of the two alternate, so that other programs disturb both alike. Each pair of runs gives a ratio of
// processor times, and the median of the ratios counts.
#include "experiment.h"

#include "common/world.h"
#include "peer_mujoco.h"
#include "data.h"

#include <math.h>

enum { STEPS = 1667, MOST_RUNS = 101 };
static const char* const SCENE = "models/gripper_mug.xml";

// A way in which MuJoCo runs the scene.
typedef struct variant {
  const char* name;
  const char* options; // attributes of MuJoCo's <option>
} variant;
static const variant variants[] = {{"default", ""},
                                   {"grasp_recipe", "cone=\"elliptic\" impratio=\"10\""}};

// ---- ours ----------------------------------------------------------------------------------------

typedef struct ours {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfInput* input;
} ours;

// Loads the scene and makes what a run needs. Returns 0, or -1 with the error.
static int open_ours(ours* o, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  char path[DATA_PATH];
  if (hf_model_load(&o->model, data_path(path, SCENE), NULL, NULL, error) < 0) return -1;
  if (hf_sim_create(&o->sim, o->model, &config, error) < 0) return -1;

  o->state = hf_state_create(o->model);
  o->input = hf_input_create(o->model);
  return o->state && o->input ? 0 : -1;
}

static void close_ours(ours* o) {
  hf_sim_free(o->sim);
  hf_state_free(o->state);
  hf_input_free(o->input);
  hf_model_free(o->model);
}

// Mean time of a step in one run [us].
static double run_ours(ours* o, int key) {
  hf_state_set_key(o->state, o->input, o->model, key, NULL);
  double start = processor_clock();
  for (int i = 0; i < STEPS; ++i) hf_sim_step(o->sim, o->state, o->input, NULL, NULL);
  return 1e6 * (processor_clock() - start) / STEPS;
}

// ---- MuJoCo --------------------------------------------------------------------------------------

// Mean time of a step in one run of MuJoCo [us]. A motor lifts and lowers the gripper with a force of this
// amplitude [N] at a frequency [Hz], and another one squeezes the mug with 10 N.
static double run_peer(const PeerMujoco* peer, mjModel* m, mjData* d, int key, double amplitude, double hz) {
  static const double TURN = 6.283185307179586; // [rad]
  static const double STEP = 0.003; // [s]
  double ctrl[2] = {0, 10};
  peer->mj_resetDataKeyframe(m, d, key);

  double start = processor_clock();
  for (int i = 0; i < STEPS; ++i) {
    ctrl[0] = amplitude * sin(TURN * hz * STEP * i);
    peer->mj_setState(m, d, ctrl, MUJOCO_STATE_CTRL);
    peer->mj_step(m, d);
  }
  return 1e6 * (processor_clock() - start) / STEPS;
}

// ---- both ----------------------------------------------------------------------------------------

// Reports the medians of our times and MuJoCo's in one variant, and judges the median of their ratios.
static void report_times(result* r, const char* name, double* mine, double* theirs, double* ratio, int runs) {
  char what[128];
  double over = median(ratio, runs);
  result_compare(r, name, median(mine, runs), median(theirs, runs), "us");
  snprintf(what, sizeof what, "%s: our time over MuJoCo's", name);
  result_must(r, name, what, over, "at most 0.5", over <= 0.5, 0);
}

// Runs ours and a variant of MuJoCo in turns, from a keyframe, and reports the times.
static void compare(const PeerMujoco* peer, const variant* v, ours* o, int key, int runs, result* r) {
  char path[DATA_PATH];
  mjModel* m = peer_mujoco_load(peer, data_path(path, SCENE), v->options);
  mjData* d = m ? peer->mj_makeData(m) : NULL;

  if (d) {
    // the sine of the motor that lifts: amplitude [N] and frequency [Hz]; MuJoCo gets it as a control
    const double* signal = hf_model_signal_data(o->model) + hf_model_signal_adr(o->model)[0];
    double mine[MOST_RUNS];
    double theirs[MOST_RUNS];
    double ratio[MOST_RUNS];
    for (int i = 0; i < runs; ++i) {
      mine[i] = run_ours(o, key);
      theirs[i] = run_peer(peer, m, d, key, signal[0], signal[1]);
      ratio[i] = mine[i] / theirs[i];
    }

    char name[96];
    snprintf(name, sizeof name, "%s_%s", hf_model_name(o->model, HF_OBJECT_KEY, key), v->name);
    report_times(r, name, mine, theirs, ratio, runs);
    peer->mj_deleteData(d);
  } else {
    result_note(r, "MuJoCo does not load the scene as %s", v->name);
  }
  if (m) peer->mj_deleteModel(m);
}

// The experiment: ours beside MuJoCo from every keyframe, or ours alone. Returns the exit status.
static int run(const experimentOptions* options, result* r) {
  ours o = {0};
  hfError error = {HF_OK, ""};
  if (open_ours(&o, &error) != 0) {
    say_error("%s", error.message);
    close_ours(&o);
    return CLI_FAILED;
  }

  PeerMujoco peer;
  int runs = options->quick ? 5 : MOST_RUNS;
  if (peer_mujoco_open(&peer) == 0) {
    result_note(r, "peer: MuJoCo %s; the paper's 2019 figure is 74 us a step on another machine",
                peer.mj_versionString());
    for (int key = 0; key < o.model->nkey; ++key)
      for (size_t v = 0; v < sizeof variants / sizeof *variants; ++v)
        compare(&peer, &variants[v], &o, key, runs, r);
    peer_mujoco_close(&peer);
  } else {
    double mine[MOST_RUNS];
    for (int i = 0; i < runs; ++i) mine[i] = run_ours(&o, 0);
    result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON): our time alone");
    result_figure(r, "rim", median(mine, runs), "us");
  }

  close_ours(&o);
  return CLI_GOOD;
}

const experiment experiment_bench_gripper = {"gripper",
                                             "a gripper that shakes a mug, beside MuJoCo", run};
