# cosi_module(NAME SRCS file... [USES lib...] [LIBS library...]) - modules/NAME.so: exports cosi_module
# alone, has no undefined symbol, links only what the daemon keeps loaded.
include_guard()
function(cosi_module name)
  cmake_parse_arguments(A "" "" "SRCS;USES;LIBS" ${ARGN})
  add_library(module_${name} MODULE ${A_SRCS})
  set_target_properties(module_${name} PROPERTIES OUTPUT_NAME "${name}" PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/modules")
  target_include_directories(module_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(module_${name} PRIVATE cosid_flags ${A_USES} ${A_LIBS})
  if(NOT COSID_SANITIZE)
    target_link_options(module_${name} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS module_${name} DESTINATION "${COSID_MODULE_DIR}")
endfunction()
