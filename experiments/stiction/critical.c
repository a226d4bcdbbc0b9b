// Where a grasp lets go. The friction coefficient is set to 0.999 and 1.001 of the critical one and
// the load is ramped up slowly: with the smaller it must slide, with the larger it must hold.
//
//   gravity   pinch of two pads, N each:    mu_c = W/(2 N)
//   torque    two sphere tips, condim 4:    torsional mu_c = T/(2 N) [m]
//   shaking   the pads moved sinusoidally (w) along their plane: the springs k_t in parallel amplify the
//             load m A w^2 by 1/(1 - (w/w_n)^2), w_n = sqrt(2 n k_t/m)
#include "stiction/stiction.h"

#include <math.h>
#include <string.h>

static const double SQUEEZE = 12, MASS = 0.045, STEP = 0.002; // [N], [kg], [s]

// A pinch whose object gets its load as an applied force. Friction coefficients are set in a parameter overlay.
typedef struct grip {
  hfModel* model;
  hfParams* params;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  int body;
} grip;

static void close_grip(grip* g) {
  hf_sim_free(g->sim), hf_state_free(g->state), hf_input_free(g->input), hf_params_free(g->params),
      hf_model_free(g->model);
}

// Sets a friction coefficient of all geoms. column: 0 for sliding, 1 for torsion.
static int open_grip(grip* g, const char* text, int column, double mu, hfError* error) {
  memset(g, 0, sizeof *g);
  if (hf_model_parse(&g->model, text, strlen(text), "critical", ".", NULL, NULL, error) < 0 ||
      hf_params_create(&g->params, g->model, error) < 0)
    return -1;
  double* friction = hf_params_field(g->params, HF_FIELD_geom_friction);
  for (int i = 0; i < g->model->ngeom; ++i) friction[3 * i + column] = mu;
  if (hf_params_update(g->params, error) < 0) return -1;
  hfSimConfig config = hf_sim_config_default();
  config.step = STEP;
  if (hf_sim_create(&g->sim, hf_params_model(g->params), &config, error) < 0) return -1;
  g->state = hf_state_create(g->model);
  g->input = hf_input_create(g->model);
  g->body = hf_model_find(g->model, HF_OBJECT_BODY, "object");
  if (!g->state || !g->input || g->body < 0) return -1;
  return hf_state_set_key(g->state, g->input, g->model, 0, error);
}

#define FINGERS(shape, condim)                                                                     \
  "<mujoco><option timestep='0.002' gravity='0 0 0'/><default><geom friction='0.5 0.005 0' "       \
  "condim='" condim "'/></default><worldbody>"                                                     \
  "<body name='base'><joint name='base' type='slide' axis='0 0 1'/><inertial pos='0 0 0' "         \
  "mass='10' diaginertia='1 1 1'/>"                                                                \
  "<body pos='-0.03 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom " shape                  \
  " mass='0.1'/></body>"                                                                           \
  "<body pos='0.03 0 0'><joint name='r' type='slide' axis='-1 0 0'/><geom " shape                  \
  " mass='0.1'/></body></body>"                                                                    \
  "<body name='object'><freejoint/><geom type='box' size='0.02 0.03 0.03' "                        \
  "mass='0.045'/></body></worldbody>"                                                              \
  "<actuator><position joint='base' kp='1e8' kv='1e4'/><motor joint='l'/><motor "                  \
  "joint='r'/></actuator>"                                                                         \
  "<keyframe><key ctrl='0 12 12'/></keyframe></mujoco>"

static const char PADS[] = FINGERS("type='box' size='0.01 0.015 0.015'", "3");
static const char TIPS[] = FINGERS("type='sphere' size='0.01'", "4");

// Steps while the load grows slowly to `load`. component: 0 to 2 for a force, 3 to 5 for a torque. Returns the displacement
// along that component at the end, or NAN.
static double ramp_load(grip* g, int component, double load, double seconds) {
  hfError error = {HF_OK, ""};
  long steps = (long)(seconds / STEP), settle = 250;
  for (long i = 0; i < settle + steps + settle; ++i) {
    double fraction = fmin(1, fmax(0, (double)(i - settle) / (double)steps));
    hfForce* wrench = &g->input->wrench[g->body];
    (component < 3 ? &wrench->f.x : &wrench->n.x)[component % 3] = fraction * load;
    if (hf_sim_step(g->sim, g->state, g->input, NULL, &error) < 0) {
      say_error("critical: %s", error.message);
      return NAN;
    }
  }
  const double* q = hf_state_q(g->state) + g->model->nq - 7;
  return component < 3 ? fabs(q[component]) : 2 * fabs(q[component + 1]); // small angle
}

// The displacement when mu is `scale` times the critical coefficient.
static double load_at(const char* scene, int column, double mu, int component, double load,
                      double seconds) {
  grip g;
  hfError error = {HF_OK, ""};
  double moved = NAN;
  if (open_grip(&g, scene, column, mu, &error) == HF_OK)
    moved = ramp_load(&g, component, load, seconds);
  else
    say_error("critical: %s", error.message);
  close_grip(&g);
  return moved;
}

static int judge(result* r, const char* id, const char* what, double held, double slid,
                 double threshold) {
  char name[64];
  if (isnan(held) || isnan(slid)) return CLI_FAILED;
  snprintf(name, sizeof name, "%s_at_1.001", id);
  result_figure(r, name, held, "m or rad");
  snprintf(name, sizeof name, "%s_at_0.999", id);
  result_figure(r, name, slid, "m or rad");
  result_must(r, id, what, slid / fmax(held, 1e-12),
              "moves less than the threshold at 1.001 and more at 0.999",
              held < threshold && slid > threshold, 0);
  return CLI_GOOD;
}

// ---- shaking -------------------------------------------------------------------------------------

// The largest slip of the object against the pads while the base shakes with amplitude A and frequency f [Hz].
static double shake_at(double mu, double amplitude, double f, int periods) {
  grip g;
  hfError error = {HF_OK, ""};
  double w = 2 * 3.14159265358979323846 * f, rest = 0, moved = NAN;
  if (open_grip(&g, PADS, 0, mu, &error) == HF_OK) {
    long settle = 250, steps = (long)(periods / f / STEP);
    for (long i = 0; i < settle + steps; ++i) {
      double t = (double)(i - settle) * STEP,
             grow = fmin(1, fmax(0, t * f / (0.5 * periods))); // the amplitude grows during half of the time
      g.input->ctrl[0] = i < settle ? 0 : amplitude * grow * sin(w * t);
      if (hf_sim_step(g.sim, g.state, g.input, NULL, &error) < 0) break;
      double z = hf_state_q(g.state)[g.model->nq - 5] - hf_state_q(g.state)[0];
      if (i == settle) rest = z, moved = 0;
      if (i > settle) moved = fmax(moved, fabs(z - rest));
    }
  }
  close_grip(&g);
  return moved;
}

int stiction_critical(const experimentOptions* options, result* r) {
  double seconds = options->quick ? 2 : 20, weight = MASS * 9.81, mu = weight / (2 * SQUEEZE);
  double held = load_at(PADS, 0, 1.001 * mu, 2, -weight, seconds),
         slid = load_at(PADS, 0, 0.999 * mu, 2, -weight, seconds);
  if (judge(r, "critical_gravity",
            "load by gravity: holds at 1.001 of the critical friction, slides at 0.999", held, slid,
            1e-5) != CLI_GOOD)
    return CLI_FAILED;
  double torque = 0.02, lever = torque / (2 * SQUEEZE);
  held = load_at(TIPS, 1, 1.001 * lever, 3, torque, seconds),
  slid = load_at(TIPS, 1, 0.999 * lever, 3, torque, seconds);
  if (judge(r, "critical_torque",
            "torque about the normal: holds at 1.001 of the critical friction, slides at 0.999",
            held, slid, 1e-2) != CLI_GOOD)
    return CLI_FAILED;
  // shaking: 8 contact points of k_t = 0.8 x 5e5 N/m in parallel
  double f = 5, w = 2 * 3.14159265358979323846 * f, wn2 = 8 * 0.4e6 / MASS, amplitude = 0.02;
  double critical = MASS * amplitude * w * w / (1 - w * w / wn2) / (2 * SQUEEZE);
  int periods = options->quick ? 10 : 40;
  held = shake_at(1.01 * critical, amplitude, f, periods),
  slid = shake_at(0.99 * critical, amplitude, f, periods);
  result_figure(r, "shaking_at_1.01", held, "m");
  result_figure(r, "shaking_at_0.99", slid, "m");
  result_must(r, "critical_shaking",
              "shaking: holds at 1.01 of the critical friction, slides at 0.99",
              slid / fmax(held, 1e-12), "moves less than 5 um at 1.01 and more at 0.99",
              held < 5e-6 && slid > 5e-6, 0);
  return CLI_GOOD;
}
