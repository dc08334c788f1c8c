#pragma once

#include <string>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// What find_cluster gives, or, for a path that ends in .xml, the SimGrid platform there. Throws
/// InputError as find_cluster and read_platform_xml do.
Cluster find_any_cluster(const std::string& name_or_path);

}  // namespace gradwire
