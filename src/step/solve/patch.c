// The kernels of a patch for every machine, the choice of kernels at run time, and compact rows written out.
#include "step/solve/patch_kernels.h"

#include "base/cpu.h"

const double* hfi_patch_row(const hfiPatch* patch, int i, double* room) {
  if (!patch->nfree) return patch->J + i * patch->ld;
  int dim = patch->dim, row = i % dim, forces = hfi_pushing_rows(dim);
  const double *F = patch->J + i / dim * hfi_compact_size(dim), *A = F + 4 * forces + 6 * row;
  for (int c = 0; c < 3; ++c) {
    double f = row < forces ? F[4 * row + c] : 0;
    room[c] = f, room[3 + c] = A[c];
    room[6 + c] = -f, room[9 + c] = A[3 + c]; // columns of the second body; nobody reads them if there is one
  }
  return room;
}

// Writes out the compact rows of a patch: [F A_1 -F A_2] of two bodies, [F A_1 0] of one. `two` is a constant.
HFI_COPIED void write_out(const hfiPatch* patch, int two, double* to, int dim) {
  const double* F = patch->J;
  for (int32_t k = 0; k < patch->nblock; ++k, F += hfi_compact_size(dim)) {
    const double* A = F + 4 * hfi_pushing_rows(dim);
    for (int r = 0; r < dim; ++r, A += 6, to += two ? 12 : 8) {
      hfiTwo zero = {0, 0}, xy = r < 3 ? *(const hfiTwo*)(F + 4 * r) : zero, *out = (hfiTwo*)to;
      double z = r < 3 ? F[4 * r + 2] : 0;
      out[0] = xy, out[1] = (hfiTwo){z, A[0]}, out[2] = *(const hfiTwo*)(A + 1);
      out[3] = two ? -xy : zero;
      if (two) out[4] = (hfiTwo){-z, A[3]}, out[5] = *(const hfiTwo*)(A + 4);
    }
  }
}

const double* hfi_patch_rows(const hfiPatch* patch, double* room) {
  if (!patch->nfree) return patch->J;
  if (patch->nfree == 2)
    HFI_BY_SIZE(patch->dim, write_out, patch, 1, room);
  else
    write_out(patch, 0, room, patch->dim);
  return room;
}

const hfiPatchKernels hfi_patch_kernels = KERNELS;

const hfiPatchKernels* hfi_patch_choose(void) {
  return hfi_cpu_has_avx() ? &hfi_patch_kernels_avx : &hfi_patch_kernels;
}
