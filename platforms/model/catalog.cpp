#include "platforms/model/catalog.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors.hpp"
#include "platforms/model/catalog_texts.hpp"

namespace gradwire {

std::vector<std::string> catalog_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& entry : catalog_texts()) names.emplace_back(entry.name);
  return names;
}

Cluster find_cluster(const std::string& name_or_path) {
  for (const EmbeddedText& entry : catalog_texts()) {
    if (entry.name == name_or_path) {
      return parse_cluster(std::string{entry.text}, fmt::format("{}.txtpb", entry.name));
    }
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_path, ignored)) {
    throw InputError(
        fmt::format("{}: neither a file nor a cluster of the catalogue; the catalogue holds: {}",
                    name_or_path, fmt::join(catalog_names(), ", ")));
  }
  return read_cluster(name_or_path);
}

}  // namespace gradwire
