// The kernels of a stack, compiled for AVX, whose vectors have four numbers (cmake/HoldfastVectors.cmake). Fused
// multiply-add is off, so that every element is rounded as on other machines.
#include "step/solve/stack_kernels.h"

const hfiStackKernels hfi_stack_kernels_avx = KERNELS;
