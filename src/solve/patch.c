// The kernels of a patch for every machine, and the choice at run time.
#include "solve/patch_kernels.h"

#include "base/cpu.h"

const double* hfi_patch_row(const hfiPatch* patch, int i, double* room) {
  if (!patch->nfree) return patch->J + i * patch->ld;
  int dim = patch->dim, row = i % dim, pushing = hfi_pushing_rows(dim);
  const double *F = patch->J + i / dim * hfi_compact_size(dim), *A = F + 4 * pushing + 6 * row;
  for (int c = 0; c < 3; ++c) {
    double push = row < pushing ? F[4 * row + c] : 0;
    room[c] = push, room[3 + c] = A[c];
    room[6 + c] = -push, room[9 + c] = A[3 + c]; // of the second body, if there is one
  }
  return room;
}

// Writes out the compact rows of a patch of one body or of two. Callers pass constants for `dim` and `two` where many patches have them.
HFI_COPIED void write_out(const hfiPatch* patch, int dim, int two, double* to) {
  const double* F = patch->J;
  for (int32_t k = 0; k < patch->nblock; ++k, F += hfi_compact_size(dim)) {
    const double* A = F + 4 * hfi_pushing_rows(dim);
    for (int r = 0; r < dim; ++r, A += 6, to += two ? 12 : 8) {
      double x = r < 3 ? F[4 * r] : 0, y = r < 3 ? F[4 * r + 1] : 0, z = r < 3 ? F[4 * r + 2] : 0;
      to[0] = x, to[1] = y, to[2] = z, to[3] = A[0], to[4] = A[1], to[5] = A[2], to[6] = two ? -x : 0, to[7] = two ? -y : 0;
      if (two) to[8] = -z, to[9] = A[3], to[10] = A[4], to[11] = A[5];
    }
  }
}

const double* hfi_patch_rows(const hfiPatch* patch, double* room) {
  if (!patch->nfree) return patch->J;
  if (patch->nfree == 2 && patch->dim == 6)
    write_out(patch, 6, 1, room);
  else
    write_out(patch, patch->dim, patch->nfree == 2, room);
  return room;
}

const hfiPatchKernels hfi_patch_kernels = KERNELS;

const hfiPatchKernels* hfi_patch_choose(void) {
  return hfi_cpu_has_avx() ? &hfi_patch_kernels_avx : &hfi_patch_kernels;
}
