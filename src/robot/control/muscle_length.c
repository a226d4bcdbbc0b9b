// The lengths of a muscle whose file gives no lengthrange, found as MuJoCo's compiler finds them: a copy of the world, without gravity, contacts,
// springs, dampers, joint friction and actuators, is pulled along the muscle from qpos0, once to its short side and once to its long side. Muscles on
// hinges, slides and tendons share a copy; a muscle on anything else gets a copy of its own, in which a motor stands for it.
//
//   tau = -+ J^T f,   f = accel / |M^-1 J^T|, at most maxforce / |J|,   v <- v exp(-h / timeconst) before each step
//
// The least length in the last `interval` of `inttotal` seconds on the short side and the greatest on the long side are its range. A length that
// moves in that time by more than `tolrange` of the range has no bounds.
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

hfiLengthSearch hfi_length_search_default(void) {
  return (hfiLengthSearch){
      .useexisting = 1, .accel = 20, .timeconst = 1, .timestep = 0.01, .inttotal = 10, .interval = 2, .tolrange = 0.05};
}

// ---- the copy -----------------------------------------------------------------------------------

void hfi_puller_free(hfiPuller* p) {
  if (!p) return;
  hf_actuation_free(p->actuation);
  hf_dynamics_free(p->dynamics);
  hf_input_free(p->input);
  hf_state_free(p->state);
  hf_sim_free(p->sim);
  hf_model_free(p->model);
  free(p->J);
  free(p->x);
  free(p);
}

// The model of what the builder has so far, in which only limits and equalities act. NULL if it cannot be finished yet.
static hfModel* copy_world(hfBuilder* b, double timestep) {
  hfModel* model = NULL;
  hfWorld* w = hf_builder_world(b);
  hfWorld saved = *w;

  w->timestep = timestep;
  w->disable_contact = 1;
  w->disable_frictionloss = 1;
  w->disable_spring = 1;
  w->disable_damper = 1;
  w->disable_gravity = 1;
  w->disable_actuation = 1;
  hf_builder_finish(b, &model, NULL);

  *hf_builder_world(b) = saved;
  return model;
}

// NULL where the builder's model cannot be finished yet, or there is no memory.
static hfiPuller* make_puller(hfBuilder* b, const hfiLengthSearch* s) {
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_TAMSI;
  config.accuracy = 0;
  config.sleep = 0;
  config.mujoco_softness = 1;
  config.step = s->timestep;

  hfiPuller* p = calloc(1, sizeof *p);
  if (p) p->model = copy_world(b, s->timestep);
  int made = p && p->model && hf_sim_create(&p->sim, p->model, &config, NULL) >= 0 && hf_dynamics_create(&p->dynamics, p->model, NULL) >= 0 &&
             hf_actuation_create(&p->actuation, p->model, NULL) >= 0 && (p->state = hf_state_create(p->model)) &&
             (p->input = hf_input_create(p->model)) && (p->J = calloc((size_t)p->model->nv + 1, sizeof *p->J)) &&
             (p->x = calloc((size_t)p->model->nv + 1, sizeof *p->x));
  if (made) return p;

  hfi_puller_free(p);
  return NULL;
}

// A copy whose last actuator is a motor in the place of the muscle. NULL as make_puller.
static hfiPuller* make_own_puller(hfBuilder* b, const hfActuatorDef* d, const hfiLengthSearch* s) {
  hfActuatorDef motor = hf_actuator_def_default();
  motor.trntype = d->trntype;
  motor.cranklength = d->cranklength;
  memcpy(motor.trnid, d->trnid, sizeof motor.trnid);
  memcpy(motor.gear, d->gear, sizeof motor.gear);

  if (hf_builder_add_actuator(b, &motor, NULL) < 0) return NULL;
  hfiPuller* p = make_puller(b, s);
  if (p) p->is_own = 1;
  --b->actuator.count;
  return p;
}

// ---- the search ---------------------------------------------------------------------------------

static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

// Writes p->J and returns the length of the muscle. Leaves the dynamics at q and v, with M factored.
static double find_length(hfiPuller* p, const hfActuatorDef* d) {
  const hfModel* m = p->model;
  const double* q = hf_state_q(p->state);
  double gear = d->gear[0];
  int id = d->trnid[0];

  hf_dynamics_set_position(p->dynamics, q, p->input);
  hf_dynamics_set_velocity(p->dynamics, hf_state_v(p->state));
  hf_dynamics_update_mass_matrix(p->dynamics);
  hf_dynamics_factor(p->dynamics);
  memset(p->J, 0, sizeof *p->J * (size_t)m->nv);

  // a hinge or a slide
  if (d->trntype == HF_TRANSMISSION_JOINT && !p->is_own) {
    p->J[hf_model_jnt_dofadr(m)[id]] = gear;
    return gear * q[hf_model_jnt_qposadr(m)[id]];
  }

  // the motor that stands for the muscle
  hf_actuation_update(p->actuation, p->dynamics, q);
  if (p->is_own) {
    hf_actuation_moment(p->actuation, m->nu - 1, p->J);
    return hf_actuation_length(p->actuation)[m->nu - 1];
  }

  // a tendon
  hf_actuation_tendon_moment(p->actuation, id, p->J);
  for (int i = 0; i < m->nv; ++i) p->J[i] *= gear;
  return gear * hf_actuation_tendon_length(p->actuation)[id];
}

// Takes one step towards the short side (sign -1) or the long side (1). Returns the length before it, or NAN after a refusal.
static double pull(hfiPuller* p, const hfActuatorDef* d, const hfiLengthSearch* s, double sign) {
  int nv = p->model->nv;
  double decay = hfi_exp(-s->timestep / max2(0.01, s->timeconst));
  double* v = hf_state_mutable_v(p->state);
  for (int i = 0; i < nv; ++i) v[i] *= decay;

  // x = M^-1 J^T
  double length = find_length(p, d);
  memcpy(p->x, p->J, sizeof *p->x * (size_t)nv);
  hf_dynamics_solve(p->dynamics, p->x);

  double force = s->accel / max2(1e-15, norm(p->x, nv));
  if (s->maxforce > 0) force = min2(force, s->maxforce / max2(1e-15, norm(p->J, nv)));
  for (int i = 0; i < nv; ++i) p->input->force[i] = sign * force * p->J[i];
  return hf_sim_step(p->sim, p->state, p->input, NULL, NULL) < 0 ? NAN : length;
}

// Finds the least and the greatest length at the end of a pull. Returns 0 after a refusal.
static int find_end(hfiPuller* p, const hfActuatorDef* d, const hfiLengthSearch* s, double sign, double end[2]) {
  int steps = (int)ceil(s->inttotal / s->timestep - 1e-9);
  int last = (int)ceil(s->interval / s->timestep - 1e-9);

  hf_state_reset(p->state, p->model);
  end[0] = INFINITY;
  end[1] = -INFINITY;

  for (int i = 0; i < steps; ++i) {
    double length = pull(p, d, s, sign);
    if (!isfinite(length)) return 0;
    if (i < steps - max2(1, last)) continue;
    end[0] = min2(end[0], length);
    end[1] = max2(end[1], length);
  }
  return 1;
}

// Pulls to both sides and sets d->lengthrange. Returns 0 where that finds no bounds.
static int find_bounds(hfiPuller* p, hfActuatorDef* d, const hfiLengthSearch* s) {
  double low[2];
  double high[2];
  if (!find_end(p, d, s, -1, low) || !find_end(p, d, s, 1, high)) return 0;

  double range = high[1] - low[0];
  double moving = max2(low[1] - low[0], high[1] - high[0]);
  if (!(range > 0) || moving > s->tolrange * range) return 0;
  d->lengthrange[0] = low[0];
  d->lengthrange[1] = high[1];
  return 1;
}

// Whether a hinge, a slide or a tendon is pulled, which needs no motor in the copy.
static int has_one_coordinate(const hfBuilder* b, const hfActuatorDef* d) {
  if (d->trntype == HF_TRANSMISSION_TENDON) return 1;
  return d->trntype == HF_TRANSMISSION_JOINT && hf_joint_info(b->joint.data[d->trnid[0]].type).nq == 1;
}

int hfi_find_muscle_length(hfBuilder* b, hfActuatorDef* d, const hfiLengthSearch* s, hfiPuller** puller) {
  if (has_one_coordinate(b, d)) {
    if (!*puller) *puller = make_puller(b, s);
    return *puller && d->gear[0] != 0 && find_bounds(*puller, d, s);
  }

  hfiPuller* own = make_own_puller(b, d, s);
  int found = own && find_bounds(own, d, s);
  hfi_puller_free(own);
  return found;
}
