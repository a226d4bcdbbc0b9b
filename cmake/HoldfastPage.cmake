# The page of viewer/ as bytes in the library: symbols hfi_page_begin and hfi_page_end.
#
# With npm the page is bundled from its sources (viewer/build.sh: npm ci by the lock file, esbuild).
# Without npm, or when it fails, the page is empty: everything else is built, reports are plots without a
# replay, and a message says so.
option(HF_WITH_PAGE "Build the page of the report and the live view (needs npm)" ON)
enable_language(ASM)

set(page ${PROJECT_BINARY_DIR}/viewer/page.html)
set(page_notices ${PROJECT_BINARY_DIR}/viewer/page.notices.txt) # licences of all that the page contains, ours among them
set(page_assembly ${PROJECT_BINARY_DIR}/viewer/page.S)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)
file(GENERATE OUTPUT ${page_assembly} CONTENT
"  .section .rodata
  .globl hfi_page_begin
  .globl hfi_page_end
  .hidden hfi_page_begin
  .hidden hfi_page_end
hfi_page_begin:
  .incbin \"${page}\"
hfi_page_end:
  .byte 0
  .section .note.GNU-stack,\"\",%progbits
")

find_program(HF_NPM npm)
include(HoldfastWasm)  # page_core: the core for the page, or empty
if(HF_WITH_PAGE AND HF_NPM)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/*)
  list(FILTER page_sources EXCLUDE REGEX node_modules)
  add_custom_command(OUTPUT ${page} COMMAND sh ${PROJECT_SOURCE_DIR}/viewer/build.sh ${HF_NPM} ${page} ${page_core}
                     DEPENDS ${page_sources} ${page_core} ${PROJECT_SOURCE_DIR}/LICENSE BYPRODUCTS ${page_notices} COMMENT "Bundling the page of the report and the live view" VERBATIM)
else()
  message(STATUS "No npm: the page of the report and the live view is left out; reports are plots without a replay")
  file(WRITE ${page} "")
  configure_file(${PROJECT_SOURCE_DIR}/LICENSE ${page_notices} COPYONLY)
endif()
set_property(SOURCE ${page_assembly} PROPERTY OBJECT_DEPENDS ${page})
target_sources(holdfast_objects PRIVATE ${page_assembly})
