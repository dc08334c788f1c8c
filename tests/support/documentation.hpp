#pragma once

#include <string>

namespace gradwire::test {

/// The first fenced block of a page below docs/ ("formats/cluster.md"), so that what the page shows
/// is tested.
std::string first_example_of(const std::string& page);

}  // namespace gradwire::test
