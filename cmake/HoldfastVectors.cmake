# The vector units of x86-64.
#
# With HF_AVX everything is compiled for AVX, which rounds as SSE2 does where multiplications and additions
# are not fused (HoldfastFlags.cmake): the same bits on every machine. Without, only the kernels of
# src/step/solve/stack_kernels.h are, and chosen when a solver is created.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  return()
endif()
if(CMAKE_CROSSCOMPILING)
  set(host_avx ON)
else()
  include(CheckCSourceRuns)
  check_c_source_runs("#include <cpuid.h>
    int main(void) { unsigned a, b, c, d; return !(__get_cpuid(1, &a, &b, &c, &d) && c >> 28 & 1); }" HF_HOST_AVX)
  set(host_avx ${HF_HOST_AVX})
endif()
option(HF_AVX "x86-64: needs a processor with AVX, as nearly all have" ${host_avx})
set_source_files_properties(src/step/solve/stack_avx.c PROPERTIES COMPILE_OPTIONS "-mavx")
# How vectors are passed differs with and without AVX. Only inline functions pass them here.
target_compile_options(holdfast_flags INTERFACE -Wno-psabi)
if(HF_AVX)
  target_compile_options(holdfast_flags INTERFACE -mavx)
  set_source_files_properties(src/base/cpu.c PROPERTIES COMPILE_DEFINITIONS HFI_NEEDS_AVX)
  # Vectors of three numbers: what compilers put together for four lanes costs more than it saves.
  file(GLOB narrow_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/step/dynamics/*.c ${PROJECT_SOURCE_DIR}/src/step/contact/*.c)
  set_source_files_properties(${narrow_sources} PROPERTIES COMPILE_OPTIONS "-mprefer-vector-width=128")
endif()
set_source_files_properties(src/base/cpu.c PROPERTIES COMPILE_OPTIONS "-mno-avx;-mxsave")
# The velocities of a link are stored and at once loaded for the next one. GCC stores components xy and z, but loads x and yz: the processor
# waits for both stores, 6 % of the step of an arm. Without vectors of straight-line code it stores and loads single numbers.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set_property(SOURCE src/step/dynamics/velocity.c APPEND PROPERTY COMPILE_OPTIONS -fno-tree-slp-vectorize)
endif()
