// The sensors of a sim.
#include "sim/sensor.h"
#include "sim/sim.h"

#include <string.h>

void hfi_sim_clear_constraint_forces(hfSim* s) {
  memset(s->limit_force, 0, sizeof *s->limit_force * (size_t)s->model->njnt);
  memset(s->equality_force, 0, sizeof *s->equality_force * 6 * (size_t)s->model->neq);
}

void hfi_sim_take_row_forces(hfSim* s) {
  const hfiRows* rows = &s->actuation.rows;
  hfi_sim_clear_constraint_forces(s);
  for (int b = 0; b < rows->n.nblock; ++b) {
    const hfiRowBlock* block = &rows->block[b];
    double force[6];
    if (block->source != HFI_ROW_JOINT_LIMIT && block->source != HFI_ROW_EQUALITY) continue;
    hfi_rows_force(rows, block, s->v1, force);
    if (block->source == HFI_ROW_JOINT_LIMIT) s->limit_force[block->id] += force[0];
    else memcpy(s->equality_force + 6 * block->id, force, sizeof *force * (size_t)block->dim);
  }
}

void hfi_sim_sense(hfSim* s, const hfState* state, const hfInput* in, int stepped) {
  const double* q = hf_state_q(state);
  hf_dynamics_velocity(&s->dynamics, hf_state_v(state));
  hf_actuation_update(&s->actuation, &s->dynamics, q);
  for (int i = 0; stepped && i < s->ncontact; ++i) s->result[i] = hf_sim_contact(s, i);
  hfiSensorInput x = {.dynamics = &s->dynamics,
                      .actuation = &s->actuation,
                      .time = state->time,
                      .q = q,
                      .vdot = s->acceleration,
                      .limit_force = stepped ? s->limit_force : NULL,
                      .equality_force = stepped ? s->equality_force : NULL,
                      .wrench = in ? in->wrench : NULL,
                      .contact = s->result,
                      .ncontact = stepped ? s->ncontact : 0};
  hfi_sensors(&x, s->sensor);
}
