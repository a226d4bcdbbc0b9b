// What memory costs: the gripper of the TAMSI paper with anchored and with regularised friction. Runs
// alternate and each pair gives a ratio of processor times, so that both see the same disturbances; the
// median of the ratios counts.
#include "stiction/stiction.h"

enum { STEPS = 1667, MOST = 101 };

static int time_law(int friction, double* microseconds) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = friction;
  world w;
  if (world_open(&w, "gripper_mug.xml", &config, "rim") != CLI_GOOD) return CLI_FAILED;
  double begin = processor_clock();
  int status = world_step(&w, STEPS, NULL);
  *microseconds = 1e6 * (processor_clock() - begin) / STEPS;
  world_close(&w);
  return status;
}

int stiction_cost(const experimentOptions* options, result* r) {
  double anchored[MOST], regularised[MOST], ratio[MOST];
  int runs = options->quick ? 5 : MOST;
  for (int i = 0; i < runs; ++i) {
    if (time_law(HF_FRICTION_ANCHORED, &anchored[i]) != CLI_GOOD ||
        time_law(HF_FRICTION_REGULARISED, &regularised[i]) != CLI_GOOD)
      return CLI_FAILED;
    ratio[i] = anchored[i] / regularised[i];
  }
  double over = median(ratio, runs);
  result_figure(r, "step_time_anchored", median(anchored, runs), "us");
  result_figure(r, "step_time_regularised", median(regularised, runs), "us");
  result_must(r, "cost", "time a step of anchored over regularised friction, gripper", over,
              "at most 1.15", over <= 1.15, 1);
  return CLI_GOOD;
}
