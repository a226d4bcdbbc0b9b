// Reading the results of the last step or evaluation.
#include "sim/sim.h"

#include "switching/switching.h"

int hf_sim_contact_count(const hfSim* s) {
  return s->stepped ? s->method->contact_count(s->run) : s->world->ncontact;
}

hfContact hf_sim_contact(const hfSim* s, int i) {
  assert(i >= 0 && i < hf_sim_contact_count(s));
  return s->stepped ? s->method->contact(s->run, i) : hfi_discrete_evaluated_contact(s->discrete, i);
}

int hf_sim_pair_force(const hfSim* s, int body_a, int body_b, hfVec3* normal, hfVec3* friction) {
  int count = 0, nbody = s->model->nbody;
  *normal = *friction = v3_zero();
  if (body_a < 0 || body_a >= nbody || body_b >= nbody || (body_b < 0 && body_b != HF_ANY_BODY)) return -1;
  for (int i = 0; i < hf_sim_contact_count(s); ++i) {
    hfContact r = hf_sim_contact(s, i);
    double sign = r.body_a == body_a && (body_b < 0 || r.body_b == body_b)   ? 1
                  : r.body_b == body_a && (body_b < 0 || r.body_a == body_b) ? -1
                                                                             : 0;
    if (sign == 0) continue;
    *normal = v3_axpy(sign * r.fn, r.n_W, *normal);
    *friction = v3_axpy(sign, r.ft, *friction);
    count++;
  }
  return count;
}

const hfModel* hf_sim_model(const hfSim* s) { return s->model; }
const hfSimConfig* hf_sim_config(const hfSim* s) { return &s->config; }
double hf_sim_step_size(const hfSim* s) { return s->config.step; }
const double* hf_sim_ctrl(const hfSim* s) { return s->world->ctrl; }
const double* hf_sim_actuator_force(const hfSim* s) { return hf_actuation_force(&s->world->actuation); }
const double* hf_sim_target_force(const hfSim* s) { return s->world->actuation.target_force; }
const double* hf_sim_acceleration(const hfSim* s) { return s->acceleration; }
const double* hf_sim_sensors(const hfSim* s) { return s->sensor; }
const hfDynamics* hf_sim_dynamics(const hfSim* s) { return &s->world->dynamics; }

hfSwitch hf_sim_switch(const hfSim* s, int i) {
  assert(s->method == &hfi_method_switching);
  return hfi_switching_switch(s->run, i);
}

const hfRigidProblem* hf_sim_rigid(const hfSim* s) {
  return s->method == &hfi_method_switching ? hfi_switching_problem(s->run) : NULL;
}
