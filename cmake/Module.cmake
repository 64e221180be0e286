# cosi_module(NAME SRCS file... [USES lib...] [LIBS library...] [DEFS definition...] [DIR folder])
# modules/NAME.so: exports cosi_module alone, has no undefined symbol, links only what the daemon keeps
# loaded.  With DIR it goes there instead and is not installed; TARGET names its target.
include_guard()
function(cosi_module name)
  cmake_parse_arguments(A "" "DIR;TARGET" "SRCS;USES;LIBS;DEFS" ${ARGN})
  set(target "module_${name}")
  if(A_TARGET)
    set(target "${A_TARGET}")
  endif()
  set(dir "${PROJECT_BINARY_DIR}/modules")
  if(A_DIR)
    set(dir "${A_DIR}")
  endif()
  add_library(${target} MODULE ${A_SRCS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${name}" PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${dir}" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/module.map")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE ${A_DEFS})
  target_link_libraries(${target} PRIVATE cosid_flags ${A_USES} ${A_LIBS})
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/module.map" -Wl,--as-needed)
  if(NOT COSID_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  # The daemon refuses files that others may write to, which a umask of 002 would make.
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND chmod go-w "$<TARGET_FILE:${target}>" VERBATIM)
  if(NOT A_DIR)
    install(TARGETS ${target} DESTINATION "${COSID_MODULE_DIR}")
  endif()
endfunction()
