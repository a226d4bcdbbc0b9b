// Times of a step of small and large heaps that fall.
//
// The speed of a machine may change by a third within a minute, also while nothing else runs. Therefore a large fall
// and five small ones are stepped in turns: after each step of the large heap the present small one makes five.
// A second of both takes 200 and 1000 steps.
#include "clutter_growth.h"

#include "clutter_scene.h"

#include <string.h>
#include <unistd.h>

enum { STEPS = 200, SMALL_FALLS = 5 }; // steps of a fall, small falls beside each large one

// Loads a scene and makes its sim and state. Returns 0, or -1 with the error; the world is to be closed in both cases.
int clutter_open(world* w, const char* path, const hfSimConfig* config, hfError* error) {
  memset(w, 0, sizeof *w);
  if (hf_model_load(&w->model, path, NULL, NULL, error) < 0) return -1;
  if (hf_sim_create(&w->sim, w->model, config, error) < 0) return -1;

  w->state = hf_state_create(w->model);
  if (w->state) return 0;
  snprintf(error->message, sizeof error->message, "out of memory");
  return -1;
}

double clutter_clock(int threads) { return threads > 1 ? wall_clock() : processor_clock(); }

// Opens a heap of so many bodies at the beginning of its fall.
static int open_fall(world* w, int bodies, int seed, int threads, const char* folder, hfError* error) {
  char path[96];
  hfSimConfig config = hf_sim_config_default();
  config.threads = threads;
  snprintf(path, sizeof path, "%s/growth.xml", folder);

  memset(w, 0, sizeof *w);
  if (clutter_scene_write(path, bodies, (unsigned)seed, "", "") != 0) {
    snprintf(error->message, sizeof error->message, "%s: cannot write", path);
    return -1;
  }

  int failed = clutter_open(w, path, &config, error);
  unlink(path);
  return failed;
}

// Steps a heap, and returns the time of a step [s].
static double time_steps(const world* w, int steps, int threads) {
  double start = clutter_clock(threads);
  for (int i = 0; i < steps; ++i) hf_sim_step(w->sim, w->state, NULL, NULL, NULL);
  return (clutter_clock(threads) - start) / steps;
}

// Makes one large fall and, beside it, SMALL_FALLS small ones one after another, and adds their mean times a step [s]
// to the answer. fall: its number, which chooses the seeds. Returns 0, or not 0 with a message in *error.
static int measure_fall(clutterGrowth* g, int fall, const char* folder, hfError* error) {
  world large, small = {0};
  int failed = open_fall(&large, g->large, fall + 1, g->threads, folder, error);

  for (int i = 0; i < STEPS && !failed; ++i) {
    // the next small heap, after STEPS steps of the present one
    if (i % (STEPS / SMALL_FALLS) == 0) {
      show_progress((fall + (double)i / STEPS) / g->falls, "growth");
      world_close(&small);
      failed = open_fall(&small, g->small, SMALL_FALLS * fall + i / (STEPS / SMALL_FALLS) + 1, 1, folder, error);
    }

    if (failed) break;
    // time_steps makes as many steps as its second argument says, and returns the mean time of one [s]
    g->large_time += time_steps(&large, 1, g->threads) / STEPS;
    g->small_time += time_steps(&small, SMALL_FALLS, g->threads) / STEPS;
  }
  world_close(&small);
  world_close(&large);

  return failed;
}

// Makes all falls and sets the mean times of a step [s]. Returns 0, or -1 with the error.
int clutter_measure_growth(clutterGrowth* g, const char* folder, hfError* error) {
  g->small_time = 0;
  g->large_time = 0;
  for (int fall = 0; fall < g->falls; ++fall)
    if (measure_fall(g, fall, folder, error) != 0) return -1;

  g->small_time /= g->falls;
  g->large_time /= g->falls;
  return 0;
}
