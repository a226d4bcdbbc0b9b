# Kernels that are compiled for a vector unit of their own, and chosen when a solver is created.
#
# The kernels name the lanes they want. AVX without fused multiply-add rounds as SSE2 does: the same bits
# on every machine.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(src/solve/patch_avx.c PROPERTIES COMPILE_OPTIONS "-mavx")
  set_source_files_properties(src/base/cpu.c PROPERTIES COMPILE_OPTIONS "-mxsave" COMPILE_DEFINITIONS HFI_WITH_AVX)
endif()
