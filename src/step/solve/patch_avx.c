// The kernels of a patch, compiled for AVX, whose vectors have four numbers (cmake/HoldfastVectors.cmake). Fused multiply-add is off, so that every element
// is rounded as on other machines.
#include "step/solve/patch_kernels.h"

const hfiPatchKernels hfi_patch_kernels_avx = KERNELS;
