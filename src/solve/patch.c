// The kernels of a patch for any machine, and the choice among them.
#include "solve/patch_kernels.h"

const hfiPatchKernels hfi_patch_kernels = KERNELS;

const hfiPatchKernels* hfi_patch_choose(void) {
#ifdef HFI_WITH_AVX
  if (__builtin_cpu_supports("avx")) return &hfi_patch_kernels_avx;
#endif
  return &hfi_patch_kernels;
}
