// The lengths of a muscle whose file gives no lengthrange, found as MuJoCo's compiler finds them. A copy of the world,
// without gravity, contacts, springs, dampers, joint friction and actuators, is pulled along the muscle from qpos0,
// once to its short side and once to its long side. Muscles on hinges, slides and tendons share a copy. A muscle on
// anything else gets a copy of its own, in which a motor stands for it.
//
//   tau = -+ J^T f,   f = accel / |M^-1 J^T|, at most maxforce / |J|,   v <- v exp(-h / timeconst) before each step
//
// The least length in the last `interval` of `inttotal` seconds on the short side and the greatest on the long side are
// its range. A length that moves in that time by more than `tolrange` of the range has no bounds.
//
//   J  d length / d v (nv), with the gear     h  timestep of the search [s]
#include "robot/control/muscle_length.h"

#include "build/builder.h"
#include "math/vec3.h"

#include <holdfast/actuation.h>
#include <holdfast/sim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The shortest time constant of the damping [s].
static const double LEAST_DAMPING_TIME = 0.01;
// A norm that divides counts as at least this large [1/kg, m].
static const double LEAST_NORM = 1e-15;
// A number of steps this little above a whole number is that number [-].
static const double STEP_ROUNDING = 1e-9;

// A copy of the world in which a muscle is pulled.
struct hfiPuller {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfDynamics* dynamics;
  hfActuation* actuation;
  double* J;  // (nv)
  double* x;  // M^-1 J^T (nv)
  int is_own; // 1: the last actuator stands for the muscle
};

// Returns MuJoCo's defaults.
hfiLengthSearch hfi_length_search_default(void) {
  return (hfiLengthSearch){
      .useexisting = 1,
      .accel = 20,
      .timeconst = 1,
      .timestep = 0.01,
      .inttotal = 10,
      .interval = 2,
      .tolrange = 0.05,
  };
}

// ---- the copy -----------------------------------------------------------------------------------

// Frees a copy; NULL is allowed.
void hfi_puller_free(hfiPuller* puller) {
  if (!puller) return;
  hf_actuation_free(puller->actuation);
  hf_dynamics_free(puller->dynamics);
  hf_input_free(puller->input);
  hf_state_free(puller->state);
  hf_sim_free(puller->sim);
  hf_model_free(puller->model);
  free(puller->J);
  free(puller->x);
  free(puller);
}

// Returns the model of what the builder has so far, in which only limits and equalities act. NULL if it cannot be
// finished yet.
static hfModel* copy_world(hfBuilder* builder, double timestep) {
  hfModel* model = NULL;
  hfWorld* w = hf_builder_world(builder);
  hfWorld saved = *w;

  w->timestep = timestep;
  w->disable_contact = 1;
  w->disable_frictionloss = 1;
  w->disable_spring = 1;
  w->disable_damper = 1;
  w->disable_gravity = 1;
  w->disable_actuation = 1;
  hf_builder_finish(builder, &model, NULL);

  *hf_builder_world(builder) = saved;
  return model;
}

// Makes everything that a pull needs. Returns NULL where the builder's model cannot be finished yet, or there is no
// memory.
static hfiPuller* make_puller(hfBuilder* builder, const hfiLengthSearch* search) {
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_TAMSI;
  config.accuracy = 0;
  config.sleep = 0;
  config.mujoco_softness = 1;
  config.step = search->timestep;

  hfiPuller* puller = calloc(1, sizeof *puller);
  if (puller) puller->model = copy_world(builder, search->timestep);
  if (!puller || !puller->model) {
    hfi_puller_free(puller);
    return NULL;
  }

  const hfModel* model = puller->model;
  size_t vector = (size_t)model->nv + 1;
  puller->state = hf_state_create(model);
  puller->input = hf_input_create(model);
  puller->J = calloc(vector, sizeof *puller->J);
  puller->x = calloc(vector, sizeof *puller->x);
  int is_complete = puller->state && puller->input && puller->J && puller->x;
  if (is_complete && hf_sim_create(&puller->sim, model, &config, NULL) >= 0 &&
      hf_dynamics_create(&puller->dynamics, model, NULL) >= 0 &&
      hf_actuation_create(&puller->actuation, model, NULL) >= 0)
    return puller;

  hfi_puller_free(puller);
  return NULL;
}

// Makes a copy whose last actuator is a motor in the place of the muscle, or returns NULL.
static hfiPuller* make_own_puller(hfBuilder* builder, const hfActuatorDef* def, const hfiLengthSearch* search) {
  hfActuatorDef motor = hf_actuator_def_default();
  motor.trntype = def->trntype;
  motor.cranklength = def->cranklength;
  memcpy(motor.trnid, def->trnid, sizeof motor.trnid);
  memcpy(motor.gear, def->gear, sizeof motor.gear);

  if (hf_builder_add_actuator(builder, &motor, NULL) < 0) return NULL;
  hfiPuller* puller = make_puller(builder, search);
  if (puller) puller->is_own = 1;
  --builder->actuator.count;
  return puller;
}

// ---- the search ---------------------------------------------------------------------------------

// |x| of n numbers.
static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

// Writes puller->J and returns the length of the muscle. Leaves the dynamics at q and v, with M factored.
static double find_length(hfiPuller* puller, const hfActuatorDef* def) {
  const hfModel* model = puller->model;
  const double* q = hf_state_q(puller->state);
  double gear = def->gear[0];
  int id = def->trnid[0];

  hf_dynamics_set_position(puller->dynamics, q, puller->input);
  hf_dynamics_set_velocity(puller->dynamics, hf_state_v(puller->state));
  hf_dynamics_update_mass_matrix(puller->dynamics);
  hf_dynamics_factor(puller->dynamics);
  memset(puller->J, 0, sizeof *puller->J * (size_t)model->nv);

  // a hinge or a slide
  if (def->trntype == HF_TRANSMISSION_JOINT && !puller->is_own) {
    puller->J[hf_model_jnt_dofadr(model)[id]] = gear;
    return gear * q[hf_model_jnt_qposadr(model)[id]];
  }

  // the motor that stands for the muscle, the last actuator of its own copy
  hf_actuation_update(puller->actuation, puller->dynamics, q);
  if (puller->is_own) {
    hf_actuation_moment(puller->actuation, model->nu - 1, puller->J);
    return hf_actuation_length(puller->actuation)[model->nu - 1];
  }

  // a tendon
  hf_actuation_tendon_moment(puller->actuation, id, puller->J);
  for (int i = 0; i < model->nv; ++i) puller->J[i] *= gear;
  return gear * hf_actuation_tendon_length(puller->actuation)[id];
}

// Takes one step towards the short side (sign -1) or the long side (1). Returns the length before it, or NAN after a
// refusal.
static double pull(hfiPuller* puller, const hfActuatorDef* def, const hfiLengthSearch* search, double sign) {
  int nv = puller->model->nv;
  double decay = hfi_exp(-search->timestep / max2(LEAST_DAMPING_TIME, search->timeconst));
  double* v = hf_state_mutable_v(puller->state);
  for (int i = 0; i < nv; ++i) v[i] *= decay;

  // x = M^-1 J^T
  double length = find_length(puller, def);
  memcpy(puller->x, puller->J, sizeof *puller->x * (size_t)nv);
  hf_dynamics_solve(puller->dynamics, puller->x);

  // the force
  double force = search->accel / max2(LEAST_NORM, norm(puller->x, nv));
  if (search->maxforce > 0) force = min2(force, search->maxforce / max2(LEAST_NORM, norm(puller->J, nv)));
  for (int i = 0; i < nv; ++i) puller->input->force[i] = sign * force * puller->J[i];
  return hf_sim_step(puller->sim, puller->state, puller->input, NULL, NULL) < 0 ? NAN : length;
}

// Finds the least and the greatest length at the end of a pull. Returns 0 after a refusal.
static int find_end(hfiPuller* puller, const hfActuatorDef* def, const hfiLengthSearch* search, double sign,
                    double end[2]) {
  int steps = (int)ceil(search->inttotal / search->timestep - STEP_ROUNDING);
  int last = (int)ceil(search->interval / search->timestep - STEP_ROUNDING);

  hf_state_reset(puller->state, puller->model);
  end[0] = INFINITY;
  end[1] = -INFINITY;

  for (int i = 0; i < steps; ++i) {
    double length = pull(puller, def, search, sign);
    if (!isfinite(length)) return 0;
    if (i < steps - max2(1, last)) continue;

    end[0] = min2(end[0], length);
    end[1] = max2(end[1], length);
  }
  return 1;
}

// Pulls to both sides and sets def->lengthrange. Returns 0 where that finds no bounds.
static int find_bounds(hfiPuller* puller, hfActuatorDef* def, const hfiLengthSearch* search) {
  double low[2];
  double high[2];
  if (!find_end(puller, def, search, -1, low) || !find_end(puller, def, search, 1, high)) return 0;

  double range = high[1] - low[0];
  double moving = max2(low[1] - low[0], high[1] - high[0]);

  if (!(range > 0) || moving > search->tolrange * range) return 0;

  def->lengthrange[0] = low[0];
  def->lengthrange[1] = high[1];
  return 1;
}

// Whether a hinge, a slide or a tendon is pulled, which needs no motor in the copy.
static int has_one_coordinate(const hfBuilder* builder, const hfActuatorDef* def) {
  if (def->trntype == HF_TRANSMISSION_TENDON) return 1;
  return def->trntype == HF_TRANSMISSION_JOINT && hf_joint_info(builder->joint.data[def->trnid[0]].type).nq == 1;
}

// Finds def->lengthrange of a muscle. *puller is NULL or what an earlier call made. Returns 0 where there are no
// bounds.
int hfi_find_muscle_length(hfBuilder* builder, hfActuatorDef* def, const hfiLengthSearch* search, hfiPuller** puller) {
  if (has_one_coordinate(builder, def)) {
    if (!*puller) *puller = make_puller(builder, search);
    return *puller && def->gear[0] != 0 && find_bounds(*puller, def, search);
  }

  hfiPuller* own = make_own_puller(builder, def, search);
  int found = own && find_bounds(own, def, search);
  hfi_puller_free(own);
  return found;
}
