// Inverse dynamics of a step.
//
// Every law, also that of contact, gives its impulse as a function of the velocity v1 at the end of the step. So the force that makes a step end with
// v1 is the residual of the step problem, and nothing has to be solved:
//
//   tau = (A v1 - p* - sum_b J_b^T gamma_b(J_b v1))/h.
#include "sim/sim.h"

#include "base/error.h"
#include "step/law/contact.h"

#include <string.h>

// r = A v1 - p*
static void momentum_residual(const hfStepProblem* p, const double* v1, double* r) {
  for (int t = 0; t < p->ntree; ++t) {
    int first = p->tree_start[t], n = p->tree_start[t + 1] - first;
    const double* M = p->M + p->M_start[t];
    for (int i = 0; i < n; ++i) {
      double sum = p->diag[first + i] * v1[first + i] - p->p[first + i];
      for (int j = 0; j < n; ++j) sum += M[i * n + j] * v1[first + j];
      r[first + i] = sum;
    }
  }
}

static void block_impulse(const hfStepProblem* p, const hfStepBlock* b, int coupling,
                          const double* s, double* gamma) {
  if (b->law == HF_LAW_CONTACT) {
    hfiContactResponse out;
    const hfContactLaw* law = &p->contact[b->param];
    hfi_contact_respond(law, p->h, b->dim, coupling, 0, s, gamma, &out);
    return;
  }
  for (int i = 0; i < b->dim; ++i) {
    double slope;
    gamma[i] = hfi_saturated_respond(&p->saturated[b->param + i], p->h, s[i], &slope);
  }
}

// r -= J^T gamma
static void subtract_impulse(const hfStepProblem* p, const hfStepBlock* b, const double* gamma,
                             double* r) {
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    double* at = r + p->tree_start[piece->tree];
    for (int i = 0; i < b->dim; ++i)
      for (int c = 0; c < piece->ncol; ++c)
        at[p->cols[piece->col + c]] -= p->J[piece->jac + i * piece->ncol + c] * gamma[i];
  }
}

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
  momentum_residual(p, end, force);
  for (int b = 0; b < p->nblock; ++b) {
    const hfStepBlock* block = &p->block[b];
    double gamma[6];
    double velocity[6];
    hfi_block_velocity(p, block, end, velocity);
    block_impulse(p, block, s->config.solver.coupling, velocity, gamma);
    subtract_impulse(p, block, gamma, force);
  }
  for (int i = 0; i < p->nv; ++i) force[i] /= p->h;
  return HF_OK;
}
