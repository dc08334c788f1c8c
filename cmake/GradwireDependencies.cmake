# Everything comes from the distribution's packages; see bootstrap for their names.

find_package(Protobuf REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
find_path(GRADWIRE_VEGA_FOLDER vega-view.min.js PATHS /usr/share/javascript/vega NO_DEFAULT_PATH
          DOC "Folder of Vega's modules (libjs-vega); the report's charts")
if(NOT GRADWIRE_VEGA_FOLDER)
  message(FATAL_ERROR "Vega's modules are missing: install libjs-vega, or set GRADWIRE_VEGA_FOLDER")
endif()

if(GRADWIRE_CUDA)
  # CMake 3.25 deprecates a target that CUDA 13 has no more, and stops at it, for projects that ask for 3.25 (Debian 12).
  set(gradwire_minimum "${CMAKE_MINIMUM_REQUIRED_VERSION}")
  set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_MINIMUM_REQUIRED_VERSION "${gradwire_minimum}")
endif()
