// Reading the results of the last step or evaluation.
#include "sim/sim.h"

#include "base/error.h"
#include "methods/switching/switching.h"

#include <string.h>

int hf_sim_contact_count(const hfSim* s) {
  return s->stepped ? s->method->contact_count(s->run) : s->world->ncontact;
}

hfContact hf_sim_contact(const hfSim* s, int i) {
  assert(i >= 0 && i < hf_sim_contact_count(s));
  return s->stepped ? s->method->contact(s->run, i) : hfi_discrete_evaluated_contact(s->discrete, i);
}

int hf_sim_contacts(const hfSim* s, hfContact* contacts, int capacity) {
  assert(capacity >= 0 && (contacts || capacity == 0));
  int count = hf_sim_contact_count(s);
  for (int i = 0; i < count && i < capacity; ++i) contacts[i] = hf_sim_contact(s, i);
  return count;
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

hfStatus hfi_sim_complete_at(hfSim* s, const hfState* state, hfError* error) {
  hfiWorld* w = s->world;
  if (!w->placed || state->nq != s->model->nq || memcmp(hf_state_q(state), w->q, sizeof *w->q * (size_t)state->nq) != 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the sim is not at this state: step or evaluate it first");
  hfi_world_complete(w);
  return HF_OK;
}

hfStatus hf_sim_get_body(hfSim* s, const hfState* state, const char* body, hfPose* X_WB, hfMotion* V_WB, hfError* error) {
  hfi_clear_error(error);
  hfiWorld* w = s->world;
  int b = body ? hf_model_find(s->model, HF_OBJECT_BODY, body) : -1;
  if (b < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no body \"%s\"", body ? body : "");
  hfStatus status = hfi_sim_complete_at(s, state, error);
  if (status < 0) return status;
  if (X_WB) *X_WB = hf_dynamics_body_pose(&w->dynamics, b);
  if (!V_WB) return HF_OK;
  hf_dynamics_velocity(&w->dynamics, hf_state_v(state));
  *V_WB = hf_dynamics_point_velocity(&w->dynamics, b, hf_dynamics_body_pose(&w->dynamics, b).p);
  return HF_OK;
}

const hfModel* hf_sim_model(const hfSim* s) { return s->model; }
const hfSimConfig* hf_sim_config(const hfSim* s) { return &s->config; }
double hf_sim_step_size(const hfSim* s) { return s->config.step; }
const double* hf_sim_ctrl(const hfSim* s) { return s->world->given; }
const double* hf_sim_actuator_force(const hfSim* s) { return hf_actuation_force(&s->world->actuation); }
const double* hf_sim_target_force(const hfSim* s) {
  hfi_need_forces(&s->world->actuation);
  return s->world->actuation.target_force;
}
const double* hf_sim_acceleration(const hfSim* s) { return s->acceleration; }
const hfDynamics* hf_sim_dynamics(const hfSim* s) {
  hfi_world_complete(s->world);
  return &s->world->dynamics;
}

hfSwitch hf_sim_switch(const hfSim* s, int i) {
  assert(s->method == &hfi_method_switching);
  return hfi_switching_switch(s->run, i);
}

const hfRigidProblem* hf_sim_rigid(const hfSim* s) {
  return s->method == &hfi_method_switching ? hfi_switching_problem(s->run) : NULL;
}
