#pragma once

#include <string>
#include <vector>

namespace gradwire {

/// Whether `device_name` ("Tesla V100-DGXS-32GB") holds one of `patterns`, case ignored and no
/// number cut: "A10" is no part of "A100".
bool name_has_pattern(const std::string& device_name, const std::vector<std::string>& patterns);

}  // namespace gradwire
