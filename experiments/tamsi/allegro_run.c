// The hand by TAMSI: a scene, servo gains and rotor inertia laid over it, a gait.
#include "tamsi/allegro.h"

#include <string.h>

static const double FRAME = 0.01; // between poses recorded [s]
// Of the residual: speeds of 0.1 m/s to 1e-6 m/s, as the paper's limit of 1e-2 v_s for the slip. [-]
static const double TOLERANCE = 1e-5;

// Servos tau = kp (u - q) - kd v, the thumb's first joint 1.6 times as stiff, as in the published scene.
static int lay_over(const allegroCase* c, hfParams* p, hfError* error) {
  double *gain = hf_params_field(p, HF_FIELD_actuator_gainprm),
         *bias = hf_params_field(p, HF_FIELD_actuator_biasprm),
         *armature = hf_params_field(p, HF_FIELD_dof_armature);
  for (int i = 0; i < ALLEGRO_JOINTS; ++i) {
    double kp = c->kp * (i == 12 ? 1.6 : 1);
    armature[i] = c->rotor;
    if (c->kp > 0) gain[3 * i] = kp, bias[3 * i + 1] = -kp, bias[3 * i + 2] = -c->kd;
  }
  return hf_params_update(p, error) < 0 ? CLI_FAILED : CLI_GOOD;
}

typedef struct runner {
  world w;
  hfParams* params; // what the world's sim steps
  hfRecorder* recorder;
  allegroScript script;
} runner;

static int open_runner(runner* r, const allegroCase* c, const char* record, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = HF_FRICTION_REGULARISED;
  config.step = c->step;
  config.solver.tolerance = TOLERANCE;
  memset(r, 0, sizeof *r);
  allegro_script_start(&r->script);
  if (world_open(&r->w, c->scene, &config, c->keyframe) != CLI_GOOD) return CLI_FAILED;
  hf_sim_free(r->w.sim);
  r->w.sim = NULL;
  if (hf_params_create(&r->params, r->w.model, error) < 0 ||
      lay_over(c, r->params, error) != CLI_GOOD ||
      hf_sim_create(&r->w.sim, hf_params_model(r->params), &config, error) < 0 ||
      (record && hf_recorder_open(&r->recorder, record, r->w.model, c->scene, error) < 0))
    return CLI_FAILED;
  return CLI_GOOD;
}

static int set_targets(runner* r, const allegroCase* c) {
  double t = r->w.state->time, *target = r->w.input->ctrl;
  if (c->gait) {
    allegro_targets(c->gait, t, target);
    return allegro_cycle(c->gait, t);
  }
  allegro_script_targets(&r->script, t, hf_state_q(r->w.state), hf_state_v(r->w.state),
                         hf_sim_actuator_force(r->w.sim), target);
  return r->script.cycle;
}

static int step_all(runner* r, const allegroCase* c, allegroResult* out, hfError* error) {
  hfState* state = r->w.state;
  hfStepReport report;
  double start = state->time, frame = start, begin = processor_clock();
  while (state->time < start + c->seconds - 1e-9) {
    int cycle = set_targets(r, c);
    if (hf_sim_step(r->w.sim, state, r->w.input, &report, error) < 0) return CLI_FAILED;
    out->steps++, out->iterations += report.solve.iterations, out->contacts += report.ncontact;
    allegro_motion_follow(&out->motion, state->time, cycle, hf_state_q(state) + ALLEGRO_MUG);
    if (r->recorder && state->time >= frame - 1e-9) {
      frame += FRAME;
      if (hf_recorder_add_frame(r->recorder, r->w.sim, state, r->w.input, error) < 0) return CLI_FAILED;
    }
  }
  out->elapsed = processor_clock() - begin;
  out->simulated = state->time - start;
  return CLI_GOOD;
}

int allegro_run(const allegroCase* c, const char* record, allegroResult* out) {
  hfError error = {HF_OK, ""}, closing = {HF_OK, ""};
  runner r;
  memset(out, 0, sizeof *out);
  allegro_motion_start(&out->motion);
  int status = open_runner(&r, c, record, &error);
  if (status == CLI_GOOD) status = step_all(&r, c, out, &error);
  if (hf_recorder_close(r.recorder, &closing) < 0 && status == CLI_GOOD)
    status = CLI_FAILED, error = closing;
  if (status != CLI_GOOD && error.message[0]) say_error("%s: %s", c->name, error.message);
  world_close(&r.w);
  hf_params_free(r.params);
  return status;
}
