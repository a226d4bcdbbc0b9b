// Reading the results of the last step or evaluation.
#include "sim/inside.h"

#include "base/error.h"

#include <holdfast/rigid.h>

// ---- contacts ---------------------------------------------------------------------------------------

int hf_sim_contact_count(const hfSim* s) {
  return s->stepped ? s->method->contact_count(s->run) : s->world->near.ncontact;
}

hfContact hf_sim_contact(const hfSim* s, int i) {
  assert(i >= 0 && i < hf_sim_contact_count(s));
  return s->stepped ? s->method->contact(s->run, i) : hfi_discrete_evaluated_contact(s->maker, i);
}

int hf_sim_contacts(const hfSim* s, hfContact* contacts, int capacity) {
  assert(capacity >= 0 && (contacts || capacity == 0));
  int count = hf_sim_contact_count(s);
  for (int i = 0; i < count && i < capacity; ++i) contacts[i] = hf_sim_contact(s, i);
  return count;
}

// Returns 1 if the first body of a contact is body_a and the second one body_b, -1 for the other order, 0 for other
// bodies. body_b may be HF_ANY_BODY, which is negative.
static int match_bodies(const hfContact* c, int body_a, int body_b) {
  if (c->body_a == body_a && (body_b < 0 || c->body_b == body_b)) return 1;
  if (c->body_b == body_a && (body_b < 0 || c->body_a == body_b)) return -1;
  return 0;
}

// Adds up the forces on body_a by its contacts with body_b, along the normals and across them [N]. Returns how many
// contacts they are, or -1 for bodies that do not exist.
int hf_sim_pair_force(const hfSim* s, int body_a, int body_b, hfVec3* normal, hfVec3* friction) {
  int nbody = s->model->nbody;
  *normal = v3_zero();
  *friction = v3_zero();
  if (body_a < 0 || body_a >= nbody || body_b >= nbody || (body_b < 0 && body_b != HF_ANY_BODY)) return -1;

  int count = 0;
  for (int i = 0; i < hf_sim_contact_count(s); ++i) {
    hfContact c = hf_sim_contact(s, i);
    double sign = match_bodies(&c, body_a, body_b);
    if (sign == 0) continue;
    *normal = v3_axpy(sign * c.fn, c.n_W, *normal);
    *friction = v3_axpy(sign, c.ft, *friction);
    count++;
  }
  return count;
}

// ---- bodies -----------------------------------------------------------------------------------------

// Writes pose and velocity of a body at the state where the sim is; either may be NULL. Refuses unknown names and other
// states.
hfStatus hf_sim_get_body(hfSim* s, const hfState* state, const char* body, hfPose* X_WB, hfMotion* V_WB,
                         hfError* error) {
  hfi_clear_error(error);
  hfDynamics* d = &s->world->dynamics;
  int b = body ? hf_model_find(s->model, HF_OBJECT_BODY, body) : -1;
  if (b < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no body \"%s\"", body ? body : "");

  hfStatus status = hfi_sim_complete_at(s, state, error);
  if (status < 0) return status;

  if (X_WB) *X_WB = hf_dynamics_body_pose(d, b);
  if (!V_WB) return HF_OK;

  hf_dynamics_set_velocity(d, hf_state_v(state));
  *V_WB = hf_dynamics_point_velocity(d, b, hf_dynamics_body_pose(d, b).p);
  return HF_OK;
}

const hfDynamics* hf_sim_dynamics(const hfSim* s) {
  hfi_world_need(s->world, HFI_FRESH_PLACED);
  return &s->world->dynamics;
}

// ---- numbers ----------------------------------------------------------------------------------------

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

// ---- results that only some methods have --------------------------------------------------------------

hfSwitch hf_sim_switch(const hfSim* s, int i) {
  assert(s->method->model_switch);
  return s->method->model_switch(s->run, i);
}

const hfRigidProblem* hf_sim_rigid(const hfSim* s) {
  return s->method->rigid_problem ? s->method->rigid_problem(s->run) : NULL;
}
