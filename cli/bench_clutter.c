// holdfast bench clutter: bodies of six shapes fall into a bin and come to rest, beside MuJoCo's solvers.
//
// Each engine makes its own fall: 1 s (falling), 3 s that are not timed, 0.25 s at rest (settled), in steps of 5 ms.
// Runs of ours and of MuJoCo alternate. The processor time of a step is a mean over the phase, and the median of the
// ratios counts. If several threads share our steps, it is the time that passes. MuJoCo has one thread.
//
// The peer of a ratio is the fastest of MuJoCo's solvers in that phase. The settled phase is also run with the option
// sleep of both engines. Growth is the exponent of n by which the time of a step grows from the first number of bodies
// that is at least 100 to the last; the growth of falls has runs of its own (clutter_growth.c).
#include "experiment.h"

#include "clutter_growth.h"
#include "clutter_scene.h"
#include "common/world.h"
#include "guard.h"
#include "peer_mujoco.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MOST_RUNS = 5,     // Runs of each engine on one scene.
  FEW_BODIES = 200,  // Scenes of up to this many bodies are run several times, and with MuJoCo's Newton too.
  GROWTH_FROM = 100, // Growth is measured from this number of bodies on,
  GROWTH_FALLS = 6,  // with this many falls of the last number.
  FALL = 200,        // Steps of the falling phase,
  WAIT = 600,        // of the time after it that is not timed,
  REST = 50,         // and of the settled phase.
  SEED = 1,
};

// The phases, and the solvers of MuJoCo.
enum { FALLING, SETTLED, PHASES };
static const char* const phase_names[PHASES] = {"falling", "settled"};
static const double goal[PHASES] = {0.4, 0.2}; // our time over MuJoCo's
static const double GOAL_GROWTH = 1.4;
static const char* const solvers[] = {"CG", "Newton"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };
static const char SLEEP[] = "sleep=\"enable\""; // a flag of MJCF

typedef struct times {
  double us[PHASES]; // mean time of a step [us]
} times;

typedef struct clutter {
  int bodies, threads;
  char path[64]; // the scene
  world w;
  times ours, peer[SOLVERS];   // medians; a solver that was not run has zeros
  double ratio[PHASES];        // our time over that of the fastest solver, NAN: no peer
  hfStepReport last[PHASES];   // report of the last step of a phase
  double iterations[PHASES];   // mean number of Newton iterations in a step
  double sleeping;             // mean time of a settled step of ours with the option sleep [us]
  double peer_sleeping;        // mean time of a settled step of MuJoCo's CG with its option sleep [us]
  int asleep;                  // bodies of ours that sleep then
} clutter;

// ---- ours ------------------------------------------------------------------------------------------

// Opens our scene. sleep: the option of that name. Returns 0 where that worked.
static int open_ours(clutter* c, int sleep, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  config.sleep = sleep;
  config.threads = c->threads;
  return clutter_open(&c->w, c->path, &config, error);
}

static double read_clock(const clutter* c) { return clutter_clock(c->threads); }

// Steps ours in a phase, and keeps its iterations. Returns the mean time of a step [us].
static double step_ours(clutter* c, int steps, int phase) {
  double iterations = 0;
  double start = read_clock(c);
  for (int i = 0; i < steps; ++i) {
    hf_sim_step(c->w.sim, c->w.state, NULL, &c->last[phase], NULL);
    iterations += c->last[phase].solve.iterations;
  }
  c->iterations[phase] = iterations / steps;
  return 1e6 * (read_clock(c) - start) / steps;
}

// Makes our fall from its beginning.
static times run_ours(clutter* c) {
  times t;
  hf_state_reset(c->w.state, c->w.model);
  t.us[FALLING] = step_ours(c, FALL, FALLING);
  step_ours(c, WAIT, SETTLED);
  t.us[SETTLED] = step_ours(c, REST, SETTLED);
  return t;
}

// ---- MuJoCo ----------------------------------------------------------------------------------------

// Steps MuJoCo's. Returns the mean time of a step [us].
static double step_peer(const PeerMujoco* peer, const clutter* c, const mjModel* m, mjData* d, int steps) {
  double start = read_clock(c);
  for (int i = 0; i < steps; ++i) peer->mj_step(m, d);
  return 1e6 * (read_clock(c) - start) / steps;
}

// Makes MuJoCo's fall from its beginning.
static times run_peer(const PeerMujoco* peer, const clutter* c, const mjModel* m, mjData* d) {
  times t;
  peer->mj_resetData(m, d);
  t.us[FALLING] = step_peer(peer, c, m, d, FALL);
  step_peer(peer, c, m, d, WAIT);
  t.us[SETTLED] = step_peer(peer, c, m, d, REST);
  return t;
}

// Writes the scene for one solver of MuJoCo beside ours and loads it; NULL where that fails.
static mjModel* load_peer(const PeerMujoco* peer, const clutter* c, const char* solver, const char* flags) {
  char path[96], option[64], message[512];
  snprintf(path, sizeof path, "%s.%s.xml", c->path, solver);
  snprintf(option, sizeof option, "solver=\"%s\"", solver);
  if (clutter_scene_write(path, c->bodies, SEED, option, flags) != 0) return NULL;
  mjModel* m = peer->mj_loadXML(path, NULL, message, sizeof message);
  unlink(path);
  return m;
}

// ---- both ------------------------------------------------------------------------------------------

// The medians of the times of several runs.
static times median_times(const times* t, int runs) {
  times middle;
  for (int p = 0; p < PHASES; ++p) {
    double us[MOST_RUNS];
    for (int i = 0; i < runs; ++i) us[i] = t[i].us[p];
    middle.us[p] = median(us, runs);
  }
  return middle;
}

// Keeps the largest ratio of times of each phase: ours over the fastest solver of MuJoCo.
static void note_ratios(clutter* c, const times* mine, const times* theirs, int runs) {
  for (int p = 0; p < PHASES; ++p) {
    double ratio[MOST_RUNS];
    for (int i = 0; i < runs; ++i) ratio[i] = mine[i].us[p] / theirs[i].us[p];
    c->ratio[p] = fmax(c->ratio[p], median(ratio, runs)); // fmax leaves NAN out
  }
}

// Runs ours and one solver of MuJoCo in turns. peer NULL: ours alone; c: the scene, in which the medians and the ratios
// are set; solver: its index in `solvers`; runs: how many of each.
// Returns 0, or -1 if MuJoCo does not load the scene.
static int compare(const PeerMujoco* peer, clutter* c, int solver, int runs) {
  mjModel* m = peer ? load_peer(peer, c, solvers[solver], "") : NULL;
  mjData* d = m ? peer->mj_makeData(m) : NULL;

  times mine[MOST_RUNS];
  times theirs[MOST_RUNS];
  int failed = peer && !d;
  for (int i = 0; i < runs && !failed; ++i) {
    show_progress((double)i / runs, "%d bodies, %s", c->bodies, solvers[solver]);
    mine[i] = run_ours(c);
    if (d) theirs[i] = run_peer(peer, c, m, d);
  }

  if (!failed) c->ours = median_times(mine, runs);
  if (d) {
    c->peer[solver] = median_times(theirs, runs);
    note_ratios(c, mine, theirs, runs);
    peer->mj_deleteData(d);
  }

  if (m) peer->mj_deleteModel(m);
  return failed ? -1 : 0;
}

// Makes the settled phase once more with the option sleep of both engines, and keeps its times. Returns 0 or -1.
static int run_sleeping(const PeerMujoco* peer, clutter* c, hfError* error) {
  clutter other = *c;
  memset(&other.w, 0, sizeof other.w); // it gets a world of its own

  int failed = open_ours(&other, 1, error); // 1: with sleep
  if (!failed) {
    show_progress(0.9, "%d bodies, sleep", c->bodies);
    c->sleeping = run_ours(&other).us[SETTLED];
    c->asleep = other.last[SETTLED].nsleep;
  }
  world_close(&other.w);

  mjModel* m = peer && !failed ? load_peer(peer, c, solvers[0], SLEEP) : NULL;
  mjData* d = m ? peer->mj_makeData(m) : NULL;
  if (d) {
    c->peer_sleeping = run_peer(peer, c, m, d).us[SETTLED];
    peer->mj_deleteData(d);
  }

  if (m) peer->mj_deleteModel(m);
  return failed;
}

// Runs one scene beside all solvers of MuJoCo that it is compared with (peer NULL: none). Returns 0 where that worked.
static int run_scene(const PeerMujoco* peer, clutter* c, const char* folder, int quick, hfError* error) {
  int is_small = c->bodies <= FEW_BODIES;
  int solver_count = peer && is_small ? SOLVERS : 1;
  int runs = is_small && !quick ? 3 : 1;

  snprintf(c->path, sizeof c->path, "%s/clutter.xml", folder);
  int failed = clutter_scene_write(c->path, c->bodies, SEED, "", "");
  if (failed)
    snprintf(error->message, sizeof error->message, "%s: cannot write", c->path);
  else
    failed = open_ours(c, 0, error);

  for (int solver = 0; solver < solver_count && !failed; ++solver) {
    failed = compare(peer, c, solver, runs);
    if (failed)
      snprintf(error->message, sizeof error->message, "MuJoCo does not load the scene of %d bodies", c->bodies);
  }
  if (!failed) failed = run_sleeping(peer, c, error);

  unlink(c->path);
  world_close(&c->w);
  return failed;
}

// ---- the table -------------------------------------------------------------------------------------

// One phase as a line of text: times, contacts, iterations, and those of MuJoCo's solvers.
static void describe_phase(char* text, size_t size, const clutter* c, int p) {
  int length = snprintf(text, size, "%5d %s: ours %.0f us, %d contacts, %.1f iterations", c->bodies, phase_names[p],
                        c->ours.us[p], c->last[p].ncontact, c->iterations[p]);
  for (int s = 0; s < SOLVERS && length < (int)size; ++s)
    if (c->peer[s].us[p] > 0)
      length += snprintf(text + length, size - (size_t)length, "; %s %.0f us", solvers[s], c->peer[s].us[p]);
}

// Prints a ratio of times of a phase, and judges it.
static void print_ratio(result* r, const clutter* c, const char* phase, double ratio, double most) {
  char name[64], what[160], want[32];
  snprintf(name, sizeof name, "%s_%d", phase, c->bodies);
  snprintf(what, sizeof what, "%d bodies %s: our time over that of MuJoCo's fastest solver", c->bodies, phase);
  snprintf(want, sizeof want, "at most %g", most);
  result_must(r, name, what, ratio, want, ratio <= most, 1);
}

// The time of a step of MuJoCo's fastest solver in a phase [us]; infinite: none was run.
static double fastest_peer(const clutter* c, int phase) {
  double us = INFINITY;
  for (int s = 0; s < SOLVERS; ++s)
    if (c->peer[s].us[phase] > 0) us = fmin(us, c->peer[s].us[phase]);
  return us;
}

// Prints the figures of one number of bodies, and judges them.
static void print_scene(result* r, const clutter* c) {
  char name[64], text[512];

  for (int p = 0; p < PHASES; ++p) {
    describe_phase(text, sizeof text, c, p);
    result_note(r, "%s", text);
    snprintf(name, sizeof name, "%s_%d", phase_names[p], c->bodies);
    result_figure(r, name, c->ours.us[p], "us");
    if (!isnan(c->ratio[p])) print_ratio(r, c, phase_names[p], c->ratio[p], goal[p]);
  }

  result_note(r, "%5d settled with sleep: ours %.0f us, %d asleep; MuJoCo's CG with its own %.0f us", c->bodies,
              c->sleeping, c->asleep, c->peer_sleeping);
  snprintf(name, sizeof name, "sleeping_%d", c->bodies);
  result_figure(r, name, c->sleeping, "us");
  if (!isnan(c->ratio[SETTLED])) print_ratio(r, c, "sleeping", c->sleeping / fastest_peer(c, SETTLED), goal[SETTLED]);
}

// Judges the exponent of growth of a phase. a, b: the scenes with the smaller and the larger number of bodies; first,
// last: our times of a step in them.
static void print_growth(result* r, const clutter* a, const clutter* b, int phase, double first, double last) {
  char name[64], what[128];
  double times_more = log((double)b->bodies / a->bodies);
  double ours = log(last / first) / times_more;
  snprintf(name, sizeof name, "growth_%s", phase_names[phase]);

  if (a->peer[0].us[phase] > 0)
    result_compare(r, name, ours, log(b->peer[0].us[phase] / a->peer[0].us[phase]) / times_more, "");
  else
    result_figure(r, name, ours, "");

  snprintf(what, sizeof what, "exponent of growth from %d to %d bodies, %s", a->bodies, b->bodies, phase_names[phase]);
  result_must(r, name, what, ours, "at most 1.4", ours <= GOAL_GROWTH, 1);
}

// Measures the growth from the first number of bodies that counts to the last one. Returns 0, or -1 with a message.
static int compare_sizes(result* r, const clutter* list, int count, int quick, const char* folder, hfError* error) {
  int first = 0;
  while (first < count && list[first].bodies < GROWTH_FROM) ++first;
  if (first >= count - 1) return 0;

  const clutter* a = &list[first];
  const clutter* b = &list[count - 1];

  clutterGrowth g = {.small = a->bodies, .large = b->bodies, .falls = quick ? 1 : GROWTH_FALLS, .threads = b->threads};
  if (clutter_measure_growth(&g, folder, error) != 0) return -1;

  result_note(r, "%5d and %d falling in turns: ours %.0f us and %.0f us, falls of %d: %d", g.small, g.large,
              1e6 * g.small_time, 1e6 * g.large_time, g.large, g.falls);
  print_growth(r, a, b, FALLING, g.small_time, g.large_time);
  print_growth(r, a, b, SETTLED, a->ours.us[SETTLED], b->ours.us[SETTLED]);
  return 0;
}

// Runs the scenes of `count` numbers of bodies, and judges the growth. Returns the exit status.
static int run_all(const PeerMujoco* peer, const experimentOptions* options, const int* bodies, int count,
                   const char* folder, result* r) {
  clutter list[MOST_SCENES];
  hfError error = {HF_OK, ""};
  for (int i = 0; i < count; ++i) {
    clutter* c = &list[i];
    memset(c, 0, sizeof *c);
    c->bodies = bodies[i];
    c->threads = options->threads ? options->threads : 1;
    for (int p = 0; p < PHASES; ++p) c->ratio[p] = NAN;

    if (run_scene(peer, c, folder, options->quick, &error) != 0) {
      say_error("%s", error.message);
      return CLI_FAILED;
    }
    print_scene(r, c);
  }

  if (compare_sizes(r, list, count, options->quick, folder, &error) == 0) return CLI_GOOD;
  say_error("%s", error.message);
  return CLI_FAILED;
}

// The experiment, with the numbers of bodies of the options or the usual ones. Returns the exit status.
static int run(const experimentOptions* options, result* r) {
  static const int usual[] = {50, 100, 200, 500, 1000};
  const int* bodies = usual;
  int count = options->quick ? 1 : (int)(sizeof usual / sizeof *usual);
  if (options->scenes) {
    bodies = options->bodies;
    count = options->scenes;
  }

  char folder[TEMPORARY_PATH];
  if (make_temporary_folder(folder, "clutter") != 0) return CLI_FAILED;
  PeerMujoco peer;
  int has_peer = peer_mujoco_open(&peer) == 0;
  if (has_peer)
    result_note(r, "peer: MuJoCo %s; its Newton up to %d bodies", peer.mj_versionString(), FEW_BODIES);
  else
    result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON): our times alone");

  int status = run_all(has_peer ? &peer : NULL, options, bodies, count, folder, r);
  rmdir(folder);
  if (has_peer) peer_mujoco_close(&peer);
  return status;
}

const experiment experiment_bench_clutter = {
    "clutter", "bodies that fall into a bin and come to rest, beside MuJoCo's solvers", run};
