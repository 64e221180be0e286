# cosi_protobuf_c(<target> PROTO <file> [C_PACKAGE <name>] [IMPORT_DIRS ...])
#
# A static library <target> out of one .proto, generated with protoc-c in the build tree.
#  - The .proto stays as upstream has it.  With C_PACKAGE a copy in the build tree gets two lines more, so that
#    package sigs.k8s.io.cosi.v1alpha2 does not become Sigs__K8s__Io__Cosi__V1alpha2__ (protobuf-c >= 1.4).
#  - COSI's protos import google/protobuf/descriptor.proto for their option extensions.  protoc-c drops extensions but
#    still writes  #include "google/protobuf/descriptor.pb-c.h" : an empty header satisfies it.
#    descriptor.proto itself comes from proto/stub/, so libprotobuf-dev is no build dependency.
find_program(PROTOC_C NAMES protoc-c REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.3.3)

include_guard()
function(cosi_protobuf_c target)
  cmake_parse_arguments(A "" "PROTO;C_PACKAGE" "IMPORT_DIRS" ${ARGN})
  get_filename_component(src "${A_PROTO}" ABSOLUTE)
  get_filename_component(name "${A_PROTO}" NAME_WE)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}.gen")
  file(MAKE_DIRECTORY "${out}/google/protobuf")
  file(WRITE "${out}/google/protobuf/descriptor.pb-c.h.in" "/* empty: only option extensions are imported from it */\n")
  configure_file("${out}/google/protobuf/descriptor.pb-c.h.in" "${out}/google/protobuf/descriptor.pb-c.h" COPYONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${src}")
  set(staged "${out}/${name}.proto")
  file(READ "${src}" text)
  if(A_C_PACKAGE)
    string(REPLACE "import \"google/protobuf/descriptor.proto\";"
      "import \"google/protobuf/descriptor.proto\";\nimport \"protobuf-c/protobuf-c.proto\";\noption (pb_c_file).c_package = \"${A_C_PACKAGE}\";"
      text "${text}")
  endif()
  file(GENERATE OUTPUT "${staged}" CONTENT "${text}")
  set(inc "-I${out}" "-I${PROJECT_SOURCE_DIR}/proto/stub")
  pkg_get_variable(pbc_inc libprotobuf-c includedir)
  list(APPEND inc "-I${pbc_inc}")
  add_custom_command(
    OUTPUT "${out}/${name}.pb-c.c" "${out}/${name}.pb-c.h"
    COMMAND "${PROTOC_C}" "--c_out=${out}" ${inc} "${staged}"
    DEPENDS "${staged}" "${PROJECT_SOURCE_DIR}/proto/stub/google/protobuf/descriptor.proto"
    VERBATIM COMMENT "protoc-c ${name}.proto")
  add_library(${target} STATIC "${out}/${name}.pb-c.c" "${out}/${name}.pb-c.h")
  target_include_directories(${target} SYSTEM PUBLIC "${out}")      # SYSTEM: no clang-tidy noise from generated headers
  target_link_libraries(${target} PUBLIC PkgConfig::PROTOBUF_C)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()
