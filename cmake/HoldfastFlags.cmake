# Language, warnings and floating-point rules, shared by every target of ours.
#
# -ffp-contract=off and no value-changing flag: the same bits from gcc and clang, -O1 and -O3.
add_library(holdfast_flags INTERFACE)
target_compile_features(holdfast_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
target_compile_definitions(holdfast_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(holdfast_flags INTERFACE
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wcast-qual -Wwrite-strings -Wundef -Wno-unused-function)
# Vectors here have a few elements: GCC's vectorised loops spend more on their prologues than they gain.
# What pays in vectors is written lane by lane, which GCC finds without them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(holdfast_flags INTERFACE -fno-tree-loop-vectorize)
endif()
# GCC 12 fuses the alternating sums and differences of products (vfmaddsub) although -ffp-contract=off forbids it. So a build for a processor that could,
# as by -march=native, gets none of these instructions.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(holdfast_flags INTERFACE -mno-fma -mno-fma4 -mno-avx512f)
endif()
# Small structs are cleared and copied by moves: GCC's string instructions for them take tens of cycles to
# start, 3 % of a step.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(small "unrolled_loop:256:noalign,libcall:-1:noalign")
  target_compile_options(holdfast_flags INTERFACE -mmemset-strategy=${small} -mmemcpy-strategy=${small})
endif()
# Hardening of optimised builds, for they parse foreign files and serve sockets: checked copies, and addresses of other libraries that are
# bound at the start and then read-only. The wings that step a world have no stack protector: they read no file, and what it would cost them was not measured;
# all else has (CMakeLists.txt, target holdfast_guarded).
include(CheckCCompilerFlag)
check_c_compiler_flag(-fstack-protector-strong HF_HAS_STACK_PROTECTOR)
add_library(holdfast_guarded INTERFACE)
if(NOT HF_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  target_compile_options(holdfast_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(holdfast_flags INTERFACE -Wl,-z,relro,-z,now)
  if(HF_HAS_STACK_PROTECTOR)
    target_compile_options(holdfast_guarded INTERFACE -fstack-protector-strong)
    set(HF_STACK_PROTECTOR -fstack-protector-strong)
  endif()
endif()
if(HF_SANITIZE)
  target_compile_options(holdfast_flags INTERFACE -fsanitize=${HF_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(holdfast_flags INTERFACE -fsanitize=${HF_SANITIZE})
endif()
if(HF_BUILD_FUZZ) # coverage feedback for libFuzzer; the targets themselves link it
  target_compile_options(holdfast_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HF_COVERAGE)
  target_compile_options(holdfast_flags INTERFACE --coverage -DHF_COVERAGE)
  target_link_options(holdfast_flags INTERFACE --coverage)
endif()
target_link_libraries(holdfast_flags INTERFACE m Threads::Threads)
find_package(Threads REQUIRED)
