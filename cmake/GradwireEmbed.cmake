# gradwire_embed(OUTPUT_VARIABLE HEADER path FUNCTION name FILES ...): generates a source file that defines
# gradwire::FUNCTION(), declared in HEADER, as the list of the FILES' names and texts, in the order given, and puts its
# path into OUTPUT_VARIABLE. The program needs no path to them when it runs.
function(gradwire_embed output_variable)
  cmake_parse_arguments(ARG "" "HEADER;FUNCTION" "FILES" ${ARGN})
  set(output "${PROJECT_BINARY_DIR}/generated/embedded/${ARG_FUNCTION}.cpp")
  set(inputs)
  foreach(file IN LISTS ARG_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE input)
    list(APPEND inputs "${input}")
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DHEADER=${ARG_HEADER}" "-DFUNCTION=${ARG_FUNCTION}"
            "-DINPUTS=${inputs}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake"
    DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake"
    VERBATIM)
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()
