// experiment tamsi-allegro: an Allegro hand turns a mug by an open-loop finger gait (TAMSI paper, section
// VI-B). 15 s at h = 0.7 ms with TAMSI, the same with error-controlled implicit Euler (quasi-Newton,
// a = 0.01) for the ratio of times, and MuJoCo on the same file with the controls of our run.
#include "tamsi/allegro.h"

#include "common/figure.h"
#include "peer_mujoco.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SCENE[] = "allegro_mug.xml";
enum { MUG_Q = 16, MUG_V = 16, NU = 16 };

typedef struct run {
  double seconds, wall, simulated; // asked, stepping, done [s]
  long steps, iterations;
  int cycles, held;
  double turn;          // range of the mug's angle about its axis within a cycle, mean [deg]
  double *time, *angle; // sampled every 10 ms
  int samples;
  double* controls; // (steps x NU), or NULL
} run_t;

// Turn of the mug about its own axis since the start [deg].
static double mug_angle(const double* q0, const double* q) {
  // q0^-1 q, of which w and z
  double w = q0[0] * q[0] + q0[1] * q[1] + q0[2] * q[2] + q0[3] * q[3];
  double z = q0[0] * q[3] - q0[3] * q[0] - (q0[1] * q[2] - q0[2] * q[1]);
  return 2 * atan2(z, w) * 180 / 3.14159265358979323846;
}

typedef struct sweep {
  double low, high, sum;
  int cycles;
} sweep; // of the angle in the present cycle

static void follow(sweep* s, double angle, int cycles) {
  if (cycles > s->cycles) {
    if (s->cycles > 0) s->sum += s->high - s->low; // the first cycle starts from the grasp
    s->cycles = cycles, s->low = s->high = angle;
  }
  s->low = fmin(s->low, angle), s->high = fmax(s->high, angle);
}

// Runs the gait; `wall` counts stepping only.
static int run_gait(const hfSimConfig* config, run_t* r) {
  world w;
  if (world_open(&w, SCENE, config, NULL) != CLI_GOOD) return CLI_FAILED;
  allegroGait gait;
  allegro_gait_start(&gait);
  double start[4], *q = hf_state_q(w.state);
  memcpy(start, q + MUG_Q + 3, sizeof start);
  sweep s = {0, 0, 0, 0};
  worldTotals totals = {0};
  int status = CLI_GOOD;
  while (status == CLI_GOOD && w.state->time < r->seconds) {
    allegro_gait_control(&gait, w.state->time, q, hf_state_v(w.state), hf_sim_actuator_force(w.sim),
                         w.input->ctrl);
    if (r->controls) memcpy(r->controls + NU * totals.steps, w.input->ctrl, sizeof(double) * NU);
    status = world_step(&w, 1, &totals);
    double angle = mug_angle(start, q + MUG_Q + 3);
    follow(&s, angle, gait.cycles);
    if (w.state->time >= 0.01 * r->samples && r->time)
      r->time[r->samples] = w.state->time, r->angle[r->samples++] = angle;
    show_progress(w.state->time / r->seconds, "%s, %d cycles",
                  hf_method_name(config->method < 0 ? 0 : config->method), gait.cycles);
  }
  clear_progress();
  double away =
      sqrt(pow(q[MUG_Q] - 0.095, 2) + pow(q[MUG_Q + 1] - 0.062, 2) + pow(q[MUG_Q + 2] - 0.095, 2));
  r->held = away < 0.1;
  r->cycles = gait.cycles;
  r->turn = s.cycles > 1 ? s.sum / (s.cycles - 1) : 0;
  r->wall = totals.wall, r->steps = totals.steps, r->iterations = totals.iterations,
  r->simulated = w.state->time;
  world_close(&w);
  return status;
}

// Microseconds a step of MuJoCo with the same controls.
static int time_mujoco(const run_t* r, double* microseconds) {
  PeerMujoco peer;
  if (peer_mujoco_open(&peer) != 0) return -1;
  mjModel* m = peer_mujoco_load(&peer, HF_SOURCE_DIR "/models/allegro_mug.xml", "");
  mjData* d = m ? peer.mj_makeData(m) : NULL;
  double begin = wall_clock();
  for (long i = 0; d && i < r->steps; ++i) {
    peer.mj_setState(m, d, r->controls + NU * i, MUJOCO_STATE_CTRL);
    peer.mj_step(m, d);
  }
  *microseconds = 1e6 * (wall_clock() - begin) / (double)r->steps;
  if (d) peer.mj_deleteData(d);
  if (m) peer.mj_deleteModel(m);
  peer_mujoco_close(&peer);
  return d ? 0 : -1;
}

static void report_tamsi(result* r, const run_t* t, int quick) {
  result_compare(r, "real_time_factor", t->simulated / t->wall, 2.14, "");
  result_compare(r, "step_time", 1e6 * t->wall / (double)t->steps, 327, "us");
  result_figure(r, "iterations_a_step", (double)t->iterations / (double)t->steps, "");
  result_figure(r, "cycles", t->cycles, "");
  result_figure(r, "turn_a_cycle", t->turn, "deg");
  result_must(r, "held", "the mug is in the hand at the end", t->held, "1", t->held, 0);
  result_must(r, "turns", "turn of the mug in a cycle", t->turn, "at least 20 degrees",
              t->turn >= 20, quick);
  figure f = {.title = "Allegro hand: the mug's turn about its axis",
              .xlabel = "time [s]",
              .ylabel = "angle [deg]"};
  figure_add(&f, "TAMSI, h = 0.7 ms", t->samples, t->time, t->angle, FIGURE_LINE);
  figure_write(&f, r, "figure9");
}

static int measure(const experimentOptions* options, result* r, run_t* t) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = HF_FRICTION_REGULARISED;
  if (run_gait(&config, t) != CLI_GOOD) return CLI_FAILED;
  report_tamsi(r, t, options->quick);
  double peer;
  if (time_mujoco(t, &peer) == 0) {
    double ours = 1e6 * t->wall / (double)t->steps;
    result_figure(r, "step_time_mujoco", peer, "us");
    result_must(r, "mujoco", "our time a step over MuJoCo's, same file and controls", ours / peer,
                "at most 0.5", ours <= 0.5 * peer, 1);
  } else
    result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON)");
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  run_t t = {.seconds = options->quick ? 4 : 15};
  size_t samples = (size_t)(100 * t.seconds) + 16, steps = (size_t)(t.seconds / 0.0007) + 16;
  t.time = malloc(sizeof *t.time * samples), t.angle = malloc(sizeof *t.angle * samples),
  t.controls = malloc(sizeof *t.controls * NU * steps);
  int status = t.time && t.angle && t.controls ? measure(options, r, &t) : CLI_FAILED;
  free(t.time), free(t.angle), free(t.controls);
  return status;
}

const experiment experiment_tamsi_allegro = {
    "tamsi-allegro", "an Allegro hand turns a mug (TAMSI, section VI-B)", run};
