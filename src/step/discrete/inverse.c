// Step problems that nobody solves: those of an evaluation, and those of inverse dynamics.
//
// Every law, also the law of contact, gives its impulse as a function of the velocity v1 at the end of the step. So the
// force that makes a step end with v1 is the residual of the step problem, and nothing has to be solved:
//
//   tau = (A v1 - p* - sum_b J_b^T gamma_b(J_b v1))/h.
#include "step/discrete/inside.h"

#include "step/problem/algebra.h"

#include <string.h>

const hfStepProblem* hfi_discrete_problem(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  hfi_discrete_make_problem(s, state, in);
  if (s->config.gyroscopic) hfi_discrete_begin_flight(s);
  return &s->assembly.problem;
}

// Makes the problem of an evaluation, without rows: those of an earlier step would predict contacts of its motion.
void hfi_discrete_evaluate_contacts(hfiDiscrete* s, const hfState* state) {
  hfi_assembly_begin(&s->assembly, &s->world->dynamics, s->config.step, hf_state_v(state));
  hfi_rows_begin(&s->world->actuation.rows, &s->assembly.problem);
  hfi_discrete_find_contacts(s, 0);
  hfi_discrete_add_contacts(s, state);
}

// Writes force (nv), the generalised forces with which a step from this state ends with the velocities v1 (nv):
// r(v1)/h, r the residual of the step problem. The problem and s->v1 are those of the inverse afterwards.
void hfi_discrete_inverse(hfiDiscrete* s, const hfState* state, const hfInput* in, const double* v1, double* force) {
  hfi_discrete_make_problem(s, state, in);

  // velocities of the step problem: those before the inertial motion of free bodies
  const hfStepProblem* p = &s->assembly.problem;
  double* end = s->v1; // a copy: force may be v1
  memcpy(end, v1, sizeof *v1 * (size_t)p->nv);
  if (s->config.gyroscopic) hfi_flight_solution(&s->flight, &s->world->dynamics, p->h, end, end);

  // contacts that these velocities close, and their paths
  hfi_discrete_add_missed(s, state, end);
  hfi_discrete_follow_paths_again(s, end);

  hfi_problem_residual(p, s->config.solver.coupling, end, force, NULL);
  for (int i = 0; i < p->nv; ++i) force[i] /= p->h;
}
