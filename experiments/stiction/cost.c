// What memory costs: the gripper of the TAMSI paper with anchored and with regularised friction, runs
// alternating, median times compared.
#include "stiction/stiction.h"

enum { MOST = 41 };

static int time_law(int friction, double* microseconds) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = friction;
  world w;
  if (world_open(&w, "gripper_mug.xml", &config, "rim") != CLI_GOOD) return CLI_FAILED;
  worldTotals totals = {0};
  int status = world_step(&w, 1667, &totals);
  *microseconds = 1e6 * totals.wall / (double)totals.steps;
  world_close(&w);
  return status;
}

int stiction_cost(const experimentOptions* options, result* r) {
  double anchored[MOST], regularised[MOST];
  int runs = options->quick ? 5 : MOST;
  for (int i = 0; i < runs; ++i)
    if (time_law(HF_FRICTION_ANCHORED, &anchored[i]) != CLI_GOOD ||
        time_law(HF_FRICTION_REGULARISED, &regularised[i]) != CLI_GOOD)
      return CLI_FAILED;
  double ours = median(anchored, runs), plain = median(regularised, runs);
  result_figure(r, "step_time_anchored", ours, "us");
  result_figure(r, "step_time_regularised", plain, "us");
  result_must(r, "cost", "time a step of anchored over regularised friction, gripper", ours / plain,
              "at most 1.15", ours <= 1.15 * plain, 1);
  return CLI_GOOD;
}
