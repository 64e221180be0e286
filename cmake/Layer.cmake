# cosid_layer(NAME [USES layer...] [LIBS library...]) - a static library out of core/NAME/*.c whose
# headers are reachable as "NAME/x.h", and only by those who list it: a wrong include does not compile.
include_guard()
function(cosid_layer name)
  cmake_parse_arguments(A "" "" "USES;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c")
  set(view "${PROJECT_BINARY_DIR}/layers/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${name}" "${view}/${name}" SYMBOLIC)
  add_library(${name} STATIC ${sources} "${CMAKE_CURRENT_SOURCE_DIR}/banned/banned.h")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${name} PUBLIC "${view}" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${name} PUBLIC ${A_USES} ${A_LIBS} PRIVATE cosid_flags)
endfunction()
