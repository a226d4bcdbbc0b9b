// The kernels of a patch for any machine, and the choice among them.
#include "solve/patch_kernels.h"

#include "base/cpu.h"

const hfiPatchKernels hfi_patch_kernels = KERNELS;

const hfiPatchKernels* hfi_patch_choose(void) {
  return hfi_cpu_has_avx() ? &hfi_patch_kernels_avx : &hfi_patch_kernels;
}
