#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "platforms/model/catalog.hpp"
#include "simulator/cli/cluster_picture.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/engine/simgrid/find_any_cluster.hpp"
#include "simulator/questions/network_facts.hpp"
#include "simulator/report/cluster_report.hpp"

namespace gradwire {
namespace {

/// Of the ring all-reduce that is shown: about the gradients of ResNet-50.
constexpr Bytes kShownSize{100'000'000};

struct ClusterOptions {
  std::string cluster;
  std::string graph;
  bool json = false;
};

void list_catalog(bool json) {
  std::vector<Cluster> clusters;
  for (const std::string& name : catalog_names()) clusters.push_back(find_cluster(name));
  json ? write_clusters_json(clusters, std::cout) : write_clusters_text(clusters, std::cout);
}

void show_cluster(const ClusterOptions& options) {
  if (!options.graph.empty()) {
    check_picture_name(options.graph);
    refuse_overwriting(options.cluster, options.graph);
  }
  const Cluster cluster = find_any_cluster(options.cluster);
  const NetworkFacts facts = make_network_facts(cluster, kShownSize);
  if (!options.graph.empty()) write_cluster_picture(cluster, options.graph);
  options.json ? write_cluster_json(cluster, facts, std::cout)
               : write_cluster_text(cluster, facts, std::cout);
}

void run(const ClusterOptions& options) {
  if (!options.cluster.empty()) {
    show_cluster(options);
  } else if (options.graph.empty()) {
    list_catalog(options.json);
  } else {
    throw InputError("--graph: found without a cluster; the one to draw is needed before it");
  }
}

}  // namespace

void add_cluster_command(CLI::App& app) {
  auto options = std::make_shared<ClusterOptions>();
  CLI::App* command = app.add_subcommand(
      "cluster", "The catalogue of clusters, or one with its sources, what follows, and a picture");
  command->add_option("CLUSTER", options->cluster,
                      "A name of the catalogue, a .txtpb file or a SimGrid platform .xml; without "
                      "it the catalogue is listed");
  command->add_option("--graph", options->graph,
                      "Draw it: .svg (through Graphviz's dot), or .dot, the text for that");
  command->add_flag("--json", options->json, "The same as one JSON object on standard output");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
