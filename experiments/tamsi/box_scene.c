// The stick-slip box of the paper as a scene, for the replay of experiment tamsi-box: a box on a floor under the same force, moved by the
// method tamsi, beside the exact flow of the equation (box_model.h).
#include "common/world.h"
#include "tamsi/box_work.h"

#include <math.h>

static const char SCENE[] =
    "<mujoco><option timestep='0.001' gravity='0 0 -9.8'/><custom><numeric name='hf.stiction_speed' data='1e-4'/></custom><worldbody>"
    "<geom type='plane' size='1 1 1' friction='1'/><body name='box' pos='0 0 .05'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
    "<geom type='box' size='.08 .05 .05' mass='.33' friction='1'/></body></worldbody></mujoco>";

// Largest difference of the velocity over a second [m/s].
int box_replay(result* r) {
  boxModel box = box_paper(0);
  hfSimConfig config = hf_sim_config_default();
  config.friction = HF_FRICTION_REGULARISED;
  world w;
  if (world_parse(&w, SCENE, "box", &config) != CLI_GOOD) return CLI_FAILED;
  int status = world_record(&w, r, "box.hfrec", 0.01);
  double exact = 0, worst = 0;
  for (int i = 0; i < 1000 && status == CLI_GOOD; ++i) {
    double t = w.state->time;
    w.input->force[0] = box_force(&box, t + hf_sim_step_size(w.sim)); // implicit Euler takes the force of the end
    status = world_step(&w, 1, NULL);
    exact = box_flow(&box, t, exact, w.state->time);
    if (t > 0.1) worst = fmax(worst, fabs(hf_state_v(w.state)[0] - exact)); // the box has settled on the floor
  }
  world_close(&w);
  if (status != CLI_GOOD) return status;
  result_figure(r, "scene_velocity_error", worst, "m/s");
  result_must(r, "scene", "the same box as a scene, stepped by 1 ms: difference of its velocity from the exact flow", worst, "below 0.01 m/s", worst < 0.01, 0);
  return CLI_GOOD;
}
