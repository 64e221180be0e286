# cosi_protobuf_c(<target> PROTO <file> [C_PACKAGE <name>]) - a static library out of one .proto.
#
#  - The .proto stays as it is in proto/.  With C_PACKAGE a copy in the build tree gets two lines more, so
#    that package sigs.k8s.io.cosi.v1alpha2 does not become Sigs__K8s__Io__Cosi__V1alpha2__ (protobuf-c >= 1.4).
#  - COSI's protos import google/protobuf/descriptor.proto for their option extensions.  protoc-c drops those
#    but still includes google/protobuf/descriptor.pb-c.h: an empty header satisfies it.  The .proto itself
#    comes from proto/stub, so libprotobuf-dev is no build dependency.
#  - The __INIT macros cast const away, which clang's -Wcast-qual sees wherever they are used: sed takes them
#    through uintptr_t.
include_guard()
find_program(PROTOC_C NAMES protoc-c REQUIRED)
find_program(SED NAMES sed REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4.0)
pkg_get_variable(PROTOBUF_C_PROTOS libprotobuf-c includedir)

function(cosi_protobuf_c target)
  cmake_parse_arguments(A "" "PROTO;C_PACKAGE" "" ${ARGN})
  get_filename_component(src "${A_PROTO}" ABSOLUTE)
  get_filename_component(name "${A_PROTO}" NAME_WE)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}.gen")
  set(staged "${out}/${name}.proto")
  set(import "import \"google/protobuf/descriptor.proto\";")
  file(CONFIGURE OUTPUT "${out}/google/protobuf/descriptor.pb-c.h"
    CONTENT "/* empty: only option extensions are imported from it */\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${src}")
  file(READ "${src}" text)
  if(A_C_PACKAGE)
    string(REPLACE "${import}" "${import}\nimport \"protobuf-c/protobuf-c.proto\";\n\
option (pb_c_file).c_package = \"${A_C_PACKAGE}\";" text "${text}")
  endif()
  file(GENERATE OUTPUT "${staged}" CONTENT "${text}")
  add_custom_command(
    OUTPUT "${out}/${name}.pb-c.c" "${out}/${name}.pb-c.h"
    COMMAND "${PROTOC_C}" "--c_out=${out}" "-I${out}" "-I${PROJECT_SOURCE_DIR}/proto/stub"
      "-I${PROTOBUF_C_PROTOS}" "${staged}"
    COMMAND "${SED}" -i "s/(char [*])protobuf_c_empty_string/(char *)(uintptr_t)protobuf_c_empty_string/g"
      "${out}/${name}.pb-c.h"
    DEPENDS "${staged}" "${PROJECT_SOURCE_DIR}/proto/stub/google/protobuf/descriptor.proto"
    VERBATIM COMMENT "protoc-c ${name}.proto")
  add_library(${target} STATIC "${out}/${name}.pb-c.c" "${out}/${name}.pb-c.h")
  target_include_directories(${target} SYSTEM PUBLIC "${out}")
  target_link_libraries(${target} PUBLIC PkgConfig::PROTOBUF_C)
endfunction()
