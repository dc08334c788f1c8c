# How every folder of the floor plan becomes one target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # no NDEBUG: a check that vanishes in Release is no check
endif()

add_library(gradwire_options INTERFACE)
target_compile_options(gradwire_options INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(GRADWIRE_WERROR)
  target_compile_options(gradwire_options INTERFACE -Werror)
endif()

# gradwire_library(NAME SOURCES ... HEADERS ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
# Headers are included by their path from the project's root and are verified to compile alone.
function(gradwire_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE gradwire_options ${ARG_PRIVATE_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_sources(${name} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  target_link_libraries(${name} ${scope} ${ARG_DEPENDS})
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# gradwire_proto_library(NAME FILE.proto ...): protoc's C++ code, included by the .proto's path from the root
# ("traces/schema/trace.pb.h"). Generated code is compiled without our warnings.
function(gradwire_proto_library name)
  set(sources)
  set(generated_root "${PROJECT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${generated_root}")
  foreach(proto IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH proto BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(RELATIVE_PATH proto BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    string(REGEX REPLACE "\\.proto$" "" stem "${relative}")
    add_custom_command(
      OUTPUT "${generated_root}/${stem}.pb.cc" "${generated_root}/${stem}.pb.h"
      COMMAND protobuf::protoc "--proto_path=${PROJECT_SOURCE_DIR}" "--cpp_out=${generated_root}" "${relative}"
      DEPENDS "${proto}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      VERBATIM)
    list(APPEND sources "${generated_root}/${stem}.pb.cc")
  endforeach()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC "${generated_root}")
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()
