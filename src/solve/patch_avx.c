// The kernels of a patch with vectors of four, where the compiler makes them (CMakeLists.txt): no
// fused multiply-add, so that every element is rounded as on other machines.
#include "solve/patch_kernels.h"

const hfiPatchKernels hfi_patch_kernels_avx = KERNELS;
