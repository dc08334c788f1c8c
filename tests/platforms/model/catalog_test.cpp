#include "platforms/model/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/input_file.hpp"
#include "platforms/model/catalog_texts.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::filesystem::path kFolder =
    std::filesystem::path(GRADWIRE_SOURCE_DIR) / "platforms" / "catalog";

TEST(Catalog, HoldsExactlyTheFilesOfItsFolder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(catalog_names(), files);
}

TEST(Catalog, HoldsTheTextsOfItsFilesByteByByte) {
  for (const EmbeddedText& entry : catalog_texts()) {
    EXPECT_EQ(entry.text, read_whole_file(kFolder / (std::string{entry.name} + ".txtpb")));
  }
}

TEST(Catalog, EveryClusterIsNamedAsItsFileAndSaysWhereItsFiguresComeFrom) {
  for (const std::string& name : catalog_names()) {
    const Cluster cluster = find_cluster(name);
    EXPECT_EQ(cluster.name, name);
    // Two counts, a link of two figures, another inside nodes of several GPUs; then what the
    // cluster has beyond one switch.
    EXPECT_GE(cluster.sources.size(), cluster.gpus_per_node > 1 ? 6U : 4U);
    for (const SourcedFigure& figure : cluster.sources) {
      EXPECT_GT(figure.source.size(), 20U) << name << " " << figure.field;
    }
  }
}

// The study: 24 p3.8xlarge of 4 V100 at 10 Gbps; alpha is not known and says so.
TEST(Catalog, TheStudysClusterHasNinetySixV100AtTenGigabitsPerSecond) {
  const Cluster cluster = find_cluster("study-24x4-v100-10g");
  EXPECT_EQ(cluster.nodes, 24);
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_EQ(cluster.gpus(), 96);
  EXPECT_EQ(cluster.device, "V100");
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.count(), 1e10);
  EXPECT_DOUBLE_EQ(cluster.nic.latency.count(), 25e-6);
  EXPECT_EQ(cluster.nic_latency_band, (LatencyBand{Seconds{10e-6}, Seconds{50e-6}}));
  const auto alpha = std::find_if(cluster.sources.begin(), cluster.sources.end(),
                                  [](const SourcedFigure& f) { return f.field == "nic.latency"; });
  ASSERT_NE(alpha, cluster.sources.end());
  EXPECT_EQ(alpha->standing, "assumed");
}

TEST(Catalog, TheEightGpuFormHasNinetySixV100AtTwentyFiveGigabitsPerSecond) {
  const Cluster cluster = find_cluster("study-12x8-v100-25g");
  EXPECT_EQ(cluster.gpus(), 96);
  EXPECT_EQ(cluster.gpus_per_node, 8);
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.count(), 2.5e10);
}

TEST(Catalog, TheContendedFormsDifferFromTheStudysClusterInTheirNetworkAlone) {
  const Cluster study = find_cluster("study-24x4-v100-10g");
  const Cluster racks = find_cluster("study-24x4-v100-10g-racks-4to1");
  ASSERT_NE(racks.topology, nullptr);
  EXPECT_EQ(racks.topology->describe(), "6 racks of 4 nodes, oversubscribed 4 to 1");
  EXPECT_DOUBLE_EQ(racks.trunk_bandwidth(0).count(), 4 * 10e9 / 4);
  const Cluster slow = find_cluster("study-24x4-v100-10g-slow-nic");
  EXPECT_EQ(slow.slow_nics, (std::vector<SlowNic>{{5, 0.5}}));
  for (const Cluster* cluster : {&racks, &slow}) {
    EXPECT_EQ(cluster->gpus(), study.gpus());
    EXPECT_EQ(cluster->gpus_per_node, study.gpus_per_node);
    EXPECT_EQ(cluster->nic, study.nic);
    EXPECT_EQ(cluster->nic_latency_band, study.nic_latency_band);
    EXPECT_EQ(cluster->intra, study.intra);
  }
}

TEST(Catalog, APathIsReadAsAFile) {
  const test::TemporaryFolder folder;
  std::string text{catalog_texts().front().text};
  const std::string name{catalog_texts().front().name};
  text.replace(text.find(name), name.size(), "mine");
  EXPECT_EQ(find_cluster(folder.write("mine.txtpb", text).string()).name, "mine");
}

TEST(Catalog, WhatIsNeitherNameNorFileIsRefusedWithTheListOfNames) {
  const std::string text = test::input_error_of([] { find_cluster("study-24x4"); });
  EXPECT_THAT(text, StartsWith("study-24x4: neither"));
  for (const std::string& name : catalog_names()) EXPECT_THAT(text, HasSubstr(name));
}

TEST(Catalog, ABrokenFileIsRefusedForWhatIsWrongWithIt) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("broken.txtpb", "nodes: 2");
  EXPECT_THAT(test::input_error_of([&] { find_cluster(path.string()); }),
              AllOf(StartsWith(path.string() + ":1:"), Not(HasSubstr("neither"))));
}

}  // namespace
}  // namespace gradwire
