# unit_tests(LAYER [LIBS library...]) - every tests/unit/LAYER/test_X.c is a cmocka program LAYER_test_X,
# and the test LAYER/test_X with the labels "unit" and LAYER: ctest -L LAYER, ctest -R '^LAYER/'.
include_guard()

# unit_program(OUT LAYER SOURCE [library...]) - the program alone; its target goes to OUT.
function(unit_program out layer source)
  get_filename_component(name "${source}" NAME_WE)
  set(target "${layer}_${name}")
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE ${ARGN} PkgConfig::CMOCKA cosid_flags)
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
