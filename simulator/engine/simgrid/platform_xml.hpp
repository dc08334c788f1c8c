#pragma once

#include <filesystem>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// A SimGrid platform file as a cluster, read through SimGrid in a process of its own. Every host
/// is a node of one GPU; they are numbered by name in natural order (n2 before n10), their speeds
/// are relative to the fastest. What lies between them is a RoutedNetwork of the file's links: a
/// SHARED link is one for both directions, a SPLITDUPLEX link two; the latency is that of the
/// links. NICs bound nothing beside the links: they have no latency and the largest sum of
/// bandwidths over which a host sends, or receives. A FATPIPE link bounds each message, not their
/// sum; what it is to all routes becomes the cluster's flow_cap.
///
/// Throws InputError naming the file: what SimGrid refuses, warns of, or crashes on, in its words;
/// less than 2 hosts or more than RoutedNetwork::kMaxNodes; a bandwidth, latency or speed that is
/// no positive number; things that change over time; Wi-Fi; FATPIPE links that bound some routes
/// and not others.
Cluster read_platform_xml(const std::filesystem::path& path);

}  // namespace gradwire
