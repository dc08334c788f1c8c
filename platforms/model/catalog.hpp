#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// Names of the clusters that come with the program, sorted.
std::vector<std::string> catalog_names();

/// The cluster that `name_or_path` names: one of the catalogue, else a .txtpb file. Throws
/// InputError listing the catalogue when it is neither.
Cluster find_cluster(const std::string& name_or_path);

}  // namespace gradwire
