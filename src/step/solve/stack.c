// The kernels of a stack for every machine, the choice of kernels at run time, and compact rows written out.
#include "step/solve/stack_kernels.h"

#include "base/cpu.h"

// Returns row i of a stack; a compact row is written out to room (12).
const double* hfi_stack_row(const hfiStack* stack, int i, double* room) {
  if (!stack->nfree) return stack->J + i * stack->ld;

  int dim = stack->dim;
  int row = i % dim;
  int forces = hfi_force_rows(dim);
  const double* F = stack->J + i / dim * hfi_compact_size(dim);
  const double* A = F + 4 * forces + 6 * row;

  // [F A_1 -F A_2]; nobody reads the columns of a second body if there is one body
  for (int c = 0; c < 3; ++c) {
    double f = row < forces ? F[4 * row + c] : 0;
    room[c] = f;
    room[3 + c] = A[c];
    room[6 + c] = -f;
    room[9 + c] = A[3 + c];
  }
  return room;
}

// Writes out the compact rows of a stack to `to` (nrow x ld): [F A_1 -F A_2] of two bodies, [F A_1 0] of one. `two`, a
// constant, is 1 for two bodies.
HFI_FORCE_INLINE void write_out(const hfiStack* stack, int two, double* to, int dim) {
  const double* F = stack->J;
  for (int32_t k = 0; k < stack->nblock; ++k, F += hfi_compact_size(dim)) {
    const double* A = F + 4 * hfi_force_rows(dim);
    for (int r = 0; r < dim; ++r, A += 6, to += two ? 12 : 8) {
      hfiTwo zero = {0, 0};
      hfiTwo xy = r < 3 ? *(const hfiTwo*)(F + 4 * r) : zero;
      double z = r < 3 ? F[4 * r + 2] : 0;
      hfiTwo* out = (hfiTwo*)to;

      out[0] = xy;
      out[1] = (hfiTwo){z, A[0]};
      out[2] = *(const hfiTwo*)(A + 1);
      out[3] = two ? -xy : zero;
      if (!two) continue;
      out[4] = (hfiTwo){-z, A[3]};
      out[5] = *(const hfiTwo*)(A + 4);
    }
  }
}

// Returns the rows of a stack as a dense matrix: its own, or, for free bodies, written into `room`.
const double* hfi_stack_rows(const hfiStack* stack, double* room) {
  if (!stack->nfree) return stack->J;
  if (stack->nfree == 2)
    HFI_BY_SIZE(stack->dim, write_out, stack, 1, room);
  else
    write_out(stack, 0, room, stack->dim);
  return room;
}

const hfiStackKernels hfi_stack_kernels = KERNELS;

const hfiStackKernels* hfi_stack_choose(void) {
  return hfi_cpu_has_avx() ? &hfi_stack_kernels_avx : &hfi_stack_kernels;
}
