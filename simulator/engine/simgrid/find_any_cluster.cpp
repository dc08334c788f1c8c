#include "simulator/engine/simgrid/find_any_cluster.hpp"

#include <filesystem>

#include "platforms/model/catalog.hpp"
#include "simulator/engine/simgrid/platform_xml.hpp"

namespace gradwire {

Cluster find_any_cluster(const std::string& name_or_path) {
  const std::filesystem::path path = name_or_path;
  std::error_code ignored;
  if (path.extension() == ".xml" && std::filesystem::exists(path, ignored)) {
    return read_platform_xml(path);
  }
  return find_cluster(name_or_path);
}

}  // namespace gradwire
