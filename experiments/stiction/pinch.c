// Creep of a pinched capsule of 45 g (models/pinch.xml), held for 60 s at h = 2 ms with 12 N and 60 N:
// how far it sinks a second, from 1 s on. Beside it MuJoCo on the same file with its default solver,
// with elliptic cones and impratio 10 and 100, and with 10 noslip iterations.
#include "stiction/stiction.h"

#include "peer_mujoco.h"
#include "data.h"

#include <math.h>

enum { HEIGHT = 4 }; // qpos of the capsule's z
static const double STEP = 0.002;

typedef struct pinch {
  double creep, step_time;
} pinch; // [um/s], [us]

static int pinch_ours(const char* keyframe, double seconds, pinch* p) {
  hfSimConfig config = hf_sim_config_default();
  config.step = STEP;
  world w;
  if (world_open(&w, "pinch.xml", &config, keyframe) != CLI_GOOD) return CLI_FAILED;
  worldTotals totals = {0};
  int status = world_step(&w, (long)(1 / STEP), &totals);
  double z = hf_state_q(w.state)[HEIGHT];
  if (status == CLI_GOOD) status = world_step(&w, (long)((seconds - 1) / STEP), &totals);
  p->creep = 1e6 * fabs(hf_state_q(w.state)[HEIGHT] - z) / (seconds - 1);
  p->step_time = 1e6 * totals.wall / (double)totals.steps;
  world_close(&w);
  return status;
}

static double peer_height(const PeerMujoco* peer, const mjModel* m, const mjData* d) {
  double qpos[9];
  peer->mj_getState(m, d, qpos, MUJOCO_STATE_QPOS);
  return qpos[HEIGHT];
}

static int pinch_peer(const PeerMujoco* peer, const char* options, int key, double seconds,
                      pinch* p) {
  char path[DATA_PATH];
  mjModel* m = peer_mujoco_load(peer, data_path(path, "models/pinch.xml"), options);
  mjData* d = m ? peer->mj_makeData(m) : NULL;
  if (!d) return CLI_FAILED;
  peer->mj_resetDataKeyframe(m, d, key);
  double begin = wall_clock();
  for (int i = 0; i < 500; ++i) peer->mj_step(m, d);
  double z = peer_height(peer, m, d);
  // long enough to measure, short enough that the capsule is still between the pads
  int steps = (int)(fmin(seconds - 1, 4) / STEP);
  for (int i = 0; i < steps; ++i) peer->mj_step(m, d);
  p->creep = 1e6 * fabs(peer_height(peer, m, d) - z) / (steps * STEP);
  p->step_time = 1e6 * (wall_clock() - begin) / (500 + steps);
  peer->mj_deleteData(d);
  peer->mj_deleteModel(m);
  return CLI_GOOD;
}

typedef struct rival {
  const char *name, *options;
} rival;
static const rival rivals[] = {
    {"default", ""},
    {"elliptic_10", "cone=\"elliptic\" impratio=\"10\""},
    {"elliptic_100", "cone=\"elliptic\" impratio=\"100\""},
    {"noslip_10", "cone=\"elliptic\" impratio=\"10\" noslip_iterations=\"10\""}};

static void show_rivals(const PeerMujoco* peer, const char* keyframe, int key, double seconds,
                        result* r) {
  for (size_t i = 0; i < sizeof rivals / sizeof *rivals; ++i) {
    pinch p;
    char name[96];
    if (pinch_peer(peer, rivals[i].options, key, seconds, &p) != CLI_GOOD) {
      result_note(r, "MuJoCo does not load the pinch as %s", rivals[i].name);
      continue;
    }
    snprintf(name, sizeof name, "creep_%s_mujoco_%s", keyframe, rivals[i].name);
    result_figure(r, name, p.creep, "um/s");
    snprintf(name, sizeof name, "step_time_%s_mujoco_%s", keyframe, rivals[i].name);
    result_figure(r, name, p.step_time, "us");
  }
}

int stiction_pinch(const experimentOptions* options, result* r) {
  static const char* const keyframes[] = {"soft", "firm"};
  double seconds = options->quick ? 6 : 60;
  PeerMujoco peer;
  int has_peer = peer_mujoco_open(&peer) == 0, status = CLI_GOOD;
  if (!has_peer) result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON): ours alone");
  for (int k = 0; k < 2 && status == CLI_GOOD; ++k) {
    pinch p;
    char name[96], what[128];
    if ((status = pinch_ours(keyframes[k], seconds, &p)) != CLI_GOOD) break;
    snprintf(name, sizeof name, "creep_%s", keyframes[k]);
    result_figure(r, name, p.creep, "um/s");
    snprintf(what, sizeof what, "creep of the capsule held with %d N", k ? 60 : 12);
    result_must(r, name, what, p.creep, "below 0.001 um/s", p.creep < 0.001, 0);
    snprintf(name, sizeof name, "step_time_%s", keyframes[k]);
    result_figure(r, name, p.step_time, "us");
    if (has_peer) show_rivals(&peer, keyframes[k], k, seconds, r);
  }
  if (has_peer) peer_mujoco_close(&peer);
  return status;
}
