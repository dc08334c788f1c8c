#include "simulator/cli/cluster_picture.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/child_program.hpp"
#include "simulator/report/cluster_graph.hpp"

namespace gradwire {
namespace {

/// A folder of its own among the system's temporary ones, which goes with this.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = std::filesystem::temp_directory_path() / "gradwire-graph-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw EnvironmentError(fmt::format("{}: no folder can be made there", name));
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Throws InputError for a network whose links say not what they join, as those of a SimGrid
/// platform.
void check_drawable(const Cluster& cluster) {
  if (cluster.topology == nullptr) return;
  for (int link = 0; link < cluster.topology->links(); ++link) {
    const LinkEnds ends = cluster.topology->ends(link);
    if (ends.from != ends.to) continue;
    throw InputError(fmt::format(
        "--graph: cluster \"{}\" does not tell what link {} joins, so that no picture can be made "
        "of it; a cluster of the catalogue or a .txtpb is accepted",
        cluster.name, ends.from));
  }
}

std::string drawn_by_dot(const ClusterGraph& graph) {
  const ScratchFolder scratch;
  const std::filesystem::path text = scratch.path() / "cluster.dot";
  const std::filesystem::path svg = scratch.path() / "cluster.svg";
  OutputFile file(text);
  write_dot(graph, file.stream());
  file.commit();
  const int status = run_program({"dot", "-Tsvg", "-o", svg.string(), text.string()});
  if (status == kProgramNotFound) {
    throw EnvironmentError(
        "--graph: Graphviz's dot draws the picture and is not found; package graphviz (a .dot file "
        "needs none)");
  }
  if (status != 0) {
    throw EnvironmentError(fmt::format("--graph: Graphviz's dot ended with status {}", status));
  }
  return read_whole_file(svg);
}

}  // namespace

void check_picture_name(const std::filesystem::path& path) {
  if (path.extension() == ".svg" || path.extension() == ".dot") return;
  throw InputError(fmt::format("--graph: {} found; a name that ends in .svg or .dot is accepted",
                               path.string()));
}

void write_cluster_picture(const Cluster& cluster, const std::filesystem::path& path) {
  check_drawable(cluster);
  check_writable(path);
  const ClusterGraph graph = draw_cluster(cluster);
  if (path.extension() == ".dot") {
    OutputFile file(path);
    write_dot(graph, file.stream());
    file.commit();
    return;
  }
  const std::string svg = drawn_by_dot(graph);
  OutputFile file(path);
  file.stream() << svg;
  file.commit();
}

}  // namespace gradwire
