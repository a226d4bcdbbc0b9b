// Step problems that nobody solves: those of an evaluation, and those of inverse dynamics.
//
// Every law, also the law of contact, gives its impulse as a function of the velocity v1 at the end of the step. So the force that makes a step
// end with v1 is the residual of the step problem, and nothing has to be solved:
//
//   tau = (A v1 - p* - sum_b J_b^T gamma_b(J_b v1))/h.
#include "step/discrete/discrete.h"

#include "step/problem/algebra.h"

#include <string.h>

void hfi_discrete_evaluate_contacts(hfiDiscrete* d, const hfState* state) {
  hfi_assembly_begin(&d->assembly, &d->world->dynamics, d->config.step, hf_state_v(state));
  hfi_rows_begin(&d->world->actuation.rows, &d->assembly.problem); // Rows of an earlier step would predict contacts of its motion.
  hfi_discrete_find_contacts(d, 0);
  hfi_discrete_add_contacts(d, state);
}

void hfi_discrete_inverse(hfiDiscrete* d, const hfState* state, const hfInput* in, const double* v1, double* force) {
  hfi_discrete_problem(d, state, in, 1);

  // velocities of the step problem: those before the inertial motion of free bodies
  const hfStepProblem* p = &d->assembly.problem;
  double* end = d->v1; // a copy: force may be v1
  memcpy(end, v1, sizeof *v1 * (size_t)p->nv);
  if (d->config.gyroscopic) hfi_flight_solution(&d->flight, &d->world->dynamics, p->h, end, end);

  // contacts that these velocities close, and their paths
  hfi_discrete_add_missed(d, state, end);
  hfi_discrete_bend_again(d, end);

  hfi_problem_residual(p, d->config.solver.coupling, end, force, NULL);
  for (int i = 0; i < p->nv; ++i) force[i] /= p->h;
}
