# Warnings.cmake - what every C file of ours is compiled with; generated code is not.
include_guard()
add_library(cosid_flags INTERFACE)
target_compile_definitions(cosid_flags INTERFACE _GNU_SOURCE COSID_VERSION="${PROJECT_VERSION}")
target_compile_options(cosid_flags INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wwrite-strings -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wformat=2 -Wundef -Wconversion -fstack-protector-strong
  $<$<C_COMPILER_ID:Clang>:-Wno-sign-conversion> # which gcc's -Wconversion does not have in C
  $<$<BOOL:${COSID_WERROR}>:-Werror>)
target_link_options(cosid_flags INTERFACE -Wl,-z,relro,-z,now)
# Poisoned functions: every C file includes it last.
target_include_directories(cosid_flags INTERFACE "${PROJECT_SOURCE_DIR}/core/banned")
option(COSID_TRACE "note each function that runs (./dev trace)" OFF)
if(COSID_TRACE)
  # addr2line of binutils 2.40 takes files for others in DWARF 5.
  target_compile_options(cosid_flags INTERFACE -finstrument-functions -gdwarf-4)
endif()
if(COSID_SANITIZE)
  add_compile_options(-fsanitize=${COSID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${COSID_SANITIZE})
  target_compile_definitions(cosid_flags INTERFACE COSID_SANITIZED)
elseif(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$" AND
       NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE=")  # a distribution's own level stays
  target_compile_options(cosid_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
