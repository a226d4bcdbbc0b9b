// The state as one vector x = (q, v, act) for the methods of continuous time.
#include "step/world/world.h"

#include <string.h>

void hfi_state_load(const hfState* s, double* x) {
  memcpy(x, hf_state_q(s), (size_t)s->nq * sizeof *x);
  memcpy(x + s->nq, hf_state_v(s), (size_t)s->nv * sizeof *x);
  memcpy(x + s->nq + s->nv, hf_state_act(s), (size_t)s->na * sizeof *x);
}

void hfi_state_store(hfState* s, const double* x) {
  memcpy(hf_state_mutable_q(s), x, (size_t)s->nq * sizeof *x);
  memcpy(hf_state_mutable_v(s), x + s->nq, (size_t)s->nv * sizeof *x);
  memcpy(hf_state_mutable_act(s), x + s->nq + s->nv, (size_t)s->na * sizeof *x);
}
