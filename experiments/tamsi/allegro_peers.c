// The same gaits by error-controlled implicit Euler and by MuJoCo.
//
// Implicit Euler keeps its step size and its Jacobian over the whole run, as in the paper; the targets are
// held for 3 ms, its largest step.
#include "tamsi/allegro.h"

#include "peer_mujoco.h"
#include "data.h"
#include <holdfast/accel_problem.h>

#include <string.h>

static const double LONGEST = 0.003, ACCURACY = 0.01; // [s], [-]

static hfIntegratorConfig configure(const allegroEuler* how) {
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = HF_METHOD_IMPLICIT_EULER;
  c.error_control = !how->fixed;
  c.accuracy = ACCURACY;
  c.step = LONGEST;
  c.extrapolate = 0; // as in the paper
  c.newton = how->full ? HF_NEWTON_FULL : HF_NEWTON_QUASI;
  c.jacobian = how->analytic ? HF_JACOBIAN_ANALYTIC : HF_JACOBIAN_FORWARD;
  c.tals = how->tals;
  c.newton_tolerance = 0.05 * ACCURACY; // fixed steps: the share of the accuracy that error control leaves to Newton
  return c;
}

// What the servos give at their targets.
static void servo_torques(const hfModel* m, const double* target, const double* q, const double* v,
                          double* torque) {
  for (int i = 0; i < ALLEGRO_JOINTS; ++i) {
    const double *gain = hf_model_actuator_gainprm(m) + 3 * i,
                 *bias = hf_model_actuator_biasprm(m) + 3 * i;
    torque[i] = gain[0] * target[i] + bias[1] * q[i] + bias[2] * v[i];
  }
}

// Targets at time t of the state x = (q, v). Returns the cycle.
static int set_targets(const allegroCase* c, const world* w, allegroScript* script, double t,
                       const double* x) {
  double torque[ALLEGRO_JOINTS], *target = w->input->ctrl;
  if (c->gait) {
    allegro_targets(c->gait, t, target);
    return allegro_cycle(c->gait, t);
  }
  servo_torques(w->model, script->target, x, x + ALLEGRO_NQ, torque);
  allegro_script_targets(script, t, x, x + ALLEGRO_NQ, torque, target);
  return script->cycle;
}

static int advance_all(const allegroCase* c, world* w, hfIntegrator* in, allegroResult* out,
                       hfError* error) {
  double t = 0, x[ALLEGRO_NQ + ALLEGRO_NV] = {0}, begin = processor_clock();
  allegroScript script;
  allegro_script_start(&script);
  memcpy(x, hf_state_q(w->state), sizeof *x * ALLEGRO_NQ);
  while (t < c->seconds - 1e-9) {
    int cycle = set_targets(c, w, &script, t, x);
    hfStatus status = hf_integrator_advance(in, &t, x, t + LONGEST, error);
    if (status != HF_OK) return CLI_FAILED;
    allegro_motion_follow(&out->motion, t, cycle, x + ALLEGRO_MUG);
    show_progress(t / c->seconds, "implicit Euler");
  }
  clear_progress();
  hfIntegratorReport report = hf_integrator_report(in);
  out->elapsed = processor_clock() - begin;
  out->simulated = t, out->steps = (long)report.steps, out->iterations = (long)report.iterations;
  out->evaluations = (long)report.evaluations;
  return CLI_GOOD;
}

int allegro_run_euler(const allegroCase* c, const allegroEuler* how, allegroResult* out) {
  hfSimConfig unused = hf_sim_config_default();
  hfAccelConfig accel = hf_accel_config_default();
  hfIntegratorConfig config = configure(how);
  hfError error = {HF_OK, ""};
  hfAccel* a = NULL;
  hfIntegrator* in = NULL;
  world w;
  memset(out, 0, sizeof *out);
  allegro_motion_start(&out->motion);
  if (world_open(&w, c->scene, &unused, c->keyframe) != CLI_GOOD) return CLI_FAILED;
  accel.friction = HF_FRICTION_REGULARISED;
  int status = hf_accel_create(&a, w.model, &accel, &error) < 0 ? CLI_FAILED : CLI_GOOD;
  if (status == CLI_GOOD) {
    hf_accel_begin(a, NULL, w.input);
    hfOde ode = hf_accel_ode(a);
    status = hf_integrator_create(&in, &ode, &config, &error) < 0
                 ? CLI_FAILED
                 : advance_all(c, &w, in, out, &error);
  }
  if (status != CLI_GOOD) say_error("implicit Euler: %s", error.message);
  hf_integrator_free(in);
  hf_accel_free(a);
  world_close(&w);
  return status;
}

static void step_mujoco(const PeerMujoco* peer, const allegroCase* c, const mjModel* m, mjData* d,
                        allegroResult* out) {
  double target[ALLEGRO_JOINTS], q[ALLEGRO_NQ], begin = processor_clock();
  for (double t = 0; t < c->seconds - 1e-9; t = c->step * (double)++out->steps) {
    allegro_targets(c->gait, t, target);
    peer->mj_setState(m, d, target, MUJOCO_STATE_CTRL);
    peer->mj_step(m, d);
    peer->mj_getState(m, d, q, MUJOCO_STATE_QPOS);
    allegro_motion_follow(&out->motion, t + c->step, allegro_cycle(c->gait, t), q + ALLEGRO_MUG);
  }
  out->elapsed = processor_clock() - begin;
  out->simulated = c->step * (double)out->steps;
}

int allegro_run_mujoco(const allegroCase* c, allegroResult* out) {
  PeerMujoco peer;
  char file[128], path[DATA_PATH];
  memset(out, 0, sizeof *out);
  allegro_motion_start(&out->motion);
  if (peer_mujoco_open(&peer) != 0) return -1;
  snprintf(file, sizeof file, "models/%s", c->scene);
  mjModel* m = peer_mujoco_load(&peer, data_path(path, file), "");
  mjData* d = m ? peer.mj_makeData(m) : NULL;
  if (d) step_mujoco(&peer, c, m, d, out);
  if (d) peer.mj_deleteData(d);
  if (m) peer.mj_deleteModel(m);
  peer_mujoco_close(&peer);
  return d ? 0 : -1;
}
