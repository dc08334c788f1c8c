#pragma once

#include <filesystem>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// Whether `path` ends as a picture may: .svg or .dot. Throws InputError when it does not.
void check_picture_name(const std::filesystem::path& path);

/// Writes a picture of the cluster: .dot is Graphviz's text, .svg what its `dot` draws from it.
/// Throws InputError for a network whose links do not tell what they join, EnvironmentError where
/// `dot` is not installed or fails, or `path` cannot be written.
void write_cluster_picture(const Cluster& cluster, const std::filesystem::path& path);

}  // namespace gradwire
