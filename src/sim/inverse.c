// Inverse dynamics of a step.
//
// Every law, also that of contact, gives its impulse as a function of the velocity v1 at the end of the step. So the force that makes a step end with
// v1 is the residual of the step problem, and nothing has to be solved:
//
//   tau = (A v1 - p* - sum_b J_b^T gamma_b(J_b v1))/h.
#include "sim/sim.h"

#include "base/error.h"
#include "step/problem/algebra.h"

#include <string.h>

hfStatus hf_sim_inverse(hfSim* s, const hfState* state, const hfInput* in, const double* v1,
                        double* force, hfError* error) {
  hfi_clear_error(error);
  hfInput free_input = in ? *in : (hfInput){0};
  free_input.velocity_target = NULL;
  hfi_sim_need_sensors(s);
  hfStatus status = hfi_sim_begin(s, state, &free_input, error);
  if (status == HF_OK) status = hfi_sim_check_velocities(s, v1, "the velocity v1", error);
  if (status != HF_OK) return status;
  hfi_discrete_problem(s->discrete, state, &free_input, 1);
  s->stepped = 0;
  const hfStepProblem* p = &s->discrete->assembly.problem;
  double* end = s->discrete->v1; // a copy: force may be v1
  memcpy(end, v1, sizeof *v1 * (size_t)p->nv);
  if (s->config.gyroscopic) hfi_flight_solution(&s->discrete->flight, &s->world->dynamics, p->h, end, end);
  hfi_discrete_add_missed(s->discrete, state, end);
  hfi_discrete_bend_again(s->discrete, end);
  hfi_problem_residual(p, s->config.solver.coupling, end, force, NULL);
  for (int i = 0; i < p->nv; ++i) force[i] /= p->h;
  return HF_OK;
}
