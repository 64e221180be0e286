# unit_tests(LAYER [LIBS library...]) - every tests/unit/LAYER/test_X.c is a cmocka program LAYER_test_X,
# and the test LAYER/test_X with the labels "unit" and LAYER: ctest -L LAYER, ctest -R '^LAYER/'.
include_guard()

# What did not run does not pass: tests/unit/strict.c.
function(unit_strict target)
  if(NOT TARGET unit_strict)
    add_library(unit_strict OBJECT "${PROJECT_SOURCE_DIR}/tests/unit/strict.c")
    target_link_libraries(unit_strict PRIVATE PkgConfig::CMOCKA cosid_flags)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:unit_strict>)
  target_link_options(${target} PRIVATE
    "-Wl,--wrap=_cmocka_run_group_tests,--wrap=_skip,--wrap=_exit")
endfunction()

# unit_program(OUT LAYER SOURCE [library...]) - the program alone; its target goes to OUT.
function(unit_program out layer source)
  get_filename_component(name "${source}" NAME_WE)
  set(target "${layer}_${name}")
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE ${ARGN} PkgConfig::CMOCKA cosid_flags)
  unit_strict(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set(${out} "${target}" PARENT_SCOPE)
endfunction()

function(unit_tests layer)
  cmake_parse_arguments(A "" "" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/test_*.c")
  foreach(source ${sources})
    unit_program(target ${layer} "${source}" ${A_LIBS})
    get_filename_component(name "${source}" NAME_WE)
    add_test(NAME ${layer}/${name} COMMAND ${target})
    set_tests_properties(${layer}/${name} PROPERTIES LABELS "unit;${layer}")
  endforeach()
endfunction()
