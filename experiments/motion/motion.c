// experiment motion: what a step keeps of the laws of motion. README.md beside this file tells what is measured and
// why.
#include "motion/motion.h"

int motion_open(world* w, const char* xml, double h) { return motion_open_by(w, xml, HF_METHOD_TAMSI, h); }

int motion_open_by(world* w, const char* xml, int method, double h) {
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  config.method = method;
  return world_parse(w, xml, "motion", &config);
}

int motion_weigh(motionBalance* b, const world* w) {
  hfVec3 linear;
  if (!b->dynamics && hf_dynamics_create(&b->dynamics, w->model, NULL) < 0) return CLI_FAILED;
  hf_dynamics_set_position(b->dynamics, hf_state_q(w->state), NULL);
  hf_dynamics_set_velocity(b->dynamics, hf_state_v(w->state));
  b->kinetic = hf_dynamics_kinetic_energy(b->dynamics);
  b->energy = b->kinetic + hf_dynamics_potential_energy(b->dynamics, hf_state_q(w->state));
  hf_dynamics_momentum(b->dynamics, hf_dynamics_com(b->dynamics, 0), &linear, &b->angular);
  return CLI_GOOD;
}

void motion_balance_free(motionBalance* b) {
  hf_dynamics_free(b->dynamics);
  b->dynamics = NULL;
}

static int run(const experimentOptions* options, result* r) {
  int (*const parts[])(const experimentOptions*, result*) = {motion_flight, motion_top, motion_through, motion_spin,
                                                             motion_bounce, motion_cradle, motion_roll};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    int status = parts[i](options, r);
    if (status != CLI_GOOD) return status;
  }
  return CLI_GOOD;
}

const experiment experiment_motion = {"motion", "free flight, impacts and rolling against closed forms", run};
