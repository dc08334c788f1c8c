# Run by gradwire_embed: writes OUTPUT, which defines gradwire::FUNCTION() of HEADER from the texts INPUTS.
set(delimiter "gradwire_text")
set(entries "")
foreach(input IN LISTS INPUTS)
  file(READ "${input}" text)
  string(FIND "${text}" ")${delimiter}\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${input} holds the end mark of a raw string")
  endif()
  cmake_path(GET input STEM LAST_ONLY name)
  string(APPEND entries "    {\"${name}\", R\"${delimiter}(${text})${delimiter}\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from text files; see cmake/GradwireEmbed.cmake.
#include \"${HEADER}\"

namespace gradwire {
namespace {

using namespace std::string_view_literals;  // the length of a text is not counted at compile time

constexpr EmbeddedText kTexts[] = {
${entries}};

}  // namespace

std::span<const EmbeddedText> ${FUNCTION}() { return kTexts; }

}  // namespace gradwire
")
