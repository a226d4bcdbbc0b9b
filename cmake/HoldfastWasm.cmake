# The core that steps a world, compiled for wasm32-wasi, so that a report can go on simulating in the page.
# Needs clang, lld and wasi-libc (Debian: clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32). Without them the
# page is built without the core and shows no "What if".
#
# Only optimised builds have it unless asked for: it compiles the whole core a second time.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(wanted ON)
else()
  set(wanted OFF)
endif()
option(HF_WITH_WASM "Put the core into the page (needs clang, lld and wasi-libc)" ${wanted})
set(page_core "")
find_program(HF_WASM_CLANG NAMES clang-14 clang-15 clang-16 clang-19 clang)
find_program(HF_WASM_LD NAMES wasm-ld-14 wasm-ld-15 wasm-ld-16 wasm-ld-19 wasm-ld)
if(NOT (HF_WITH_WASM AND HF_WITH_PAGE AND HF_NPM))
  return()
endif()
if(NOT (HF_WASM_CLANG AND HF_WASM_LD AND EXISTS /usr/include/wasm32-wasi/stdlib.h))
  message(STATUS "No clang, lld or wasi-libc: the page is built without the core; reports replay but cannot go on simulating")
  return()
endif()

set(wasm_folder ${PROJECT_BINARY_DIR}/viewer/core)
set(wasm_flags --target=wasm32-wasi -isystem /usr/include/wasm32-wasi -std=c17 -O2 -ffp-contract=off -fno-math-errno
               -fno-trapping-math -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -DHF_LIBRARY -DHF_INLINE_ACCESSORS -DNDEBUG -w
               -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include -I${PROJECT_SOURCE_DIR}/src)
set(wasm_sources ${core_sources} ${PROJECT_SOURCE_DIR}/viewer/core/core.c ${PROJECT_SOURCE_DIR}/viewer/core/alone.c)
list(FILTER wasm_sources EXCLUDE REGEX "/src/(sim/batch/|robot/manipulation/|base/threads.c)") # threads; robots' programs
foreach(name chunk stream describe)
  list(APPEND wasm_sources ${PROJECT_SOURCE_DIR}/src/io/record/${name}.c)
endforeach()
foreach(name session command history)
  list(APPEND wasm_sources ${PROJECT_SOURCE_DIR}/src/io/live/${name}.c)
endforeach()
foreach(source ${wasm_sources})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  string(REPLACE "/" "_" name ${name})
  set(object ${wasm_folder}/${name}.o)
  add_custom_command(OUTPUT ${object}
                     COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${HF_WASM_CLANG} ${wasm_flags} -MD -MF ${object}.d -c ${source} -o ${object}
                     DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name} for the page" VERBATIM)
  list(APPEND wasm_objects ${object})
endforeach()
file(MAKE_DIRECTORY ${wasm_folder})
set(page_core ${wasm_folder}/core.wasm)
add_custom_command(OUTPUT ${page_core}
                   COMMAND ${HF_WASM_CLANG} --target=wasm32-wasi -fuse-ld=${HF_WASM_LD} -L/usr/lib/wasm32-wasi -mexec-model=reactor
                           -Wl,--gc-sections,-z,stack-size=1048576,--strip-all -o ${page_core} ${wasm_objects} -lm
                   DEPENDS ${wasm_objects} COMMENT "Linking the core for the page" VERBATIM COMMAND_EXPAND_LISTS)
