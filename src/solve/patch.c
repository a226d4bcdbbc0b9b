// The kernels of a patch for every machine, and the choice at run time.
#include "solve/patch_kernels.h"

#include "base/cpu.h"

const hfiPatchKernels hfi_patch_kernels = KERNELS;

const hfiPatchKernels* hfi_patch_choose(void) {
  return hfi_cpu_has_avx() ? &hfi_patch_kernels_avx : &hfi_patch_kernels;
}
