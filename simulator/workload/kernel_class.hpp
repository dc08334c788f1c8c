#pragma once

#include <string_view>
#include <vector>

namespace gradwire {

/// What kind of work a kernel does, told by its name as CUDA libraries and PyTorch spell it: one of
/// `kernel_classes()`. The first class with a pattern in the name counts, "other" without any.
std::string_view kernel_class_of(std::string_view kernel_name);

/// The classes, in the order in which they are tried; "other" last.
const std::vector<std::string_view>& kernel_classes();

}  // namespace gradwire
