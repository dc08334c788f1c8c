// The step mode against SimGrid's own ring all-reduce in SMPI, a program that shares no line with
// ours.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/temporary_folder.hpp"

namespace gradwire {
namespace {

// What makes SMPI a plain network: no factors and overheads of old clusters, no compute time, every
// send a rendezvous; "lr" is its ring (logical ring, reduce-scatter then all-gather). The overheads
// are tables of size:fixed:per-byte; SMPI of 3.32 crashes on a bare 0.
constexpr const char* kOptions =
    "--cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:1e15 "
    "--cfg=network/weight-S:0 --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 "
    "--cfg=smpi/bw-factor:1 --cfg=smpi/lat-factor:1 --cfg=smpi/os:0:0:0 --cfg=smpi/or:0:0:0 "
    "--cfg=smpi/ois:0:0:0 --cfg=smpi/async-small-thresh:0 --cfg=smpi/send-is-detached-thresh:0 "
    "--cfg=smpi/simulate-computation:0 --cfg=smpi/wtime:0 --cfg=smpi/allreduce:lr "
    "--log=root.thres:critical";

/// What `command` prints on both streams.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
    output += buffer.data();
  }
  pclose(pipe);
  return output;
}

bool installed(const char* program) {
  return std::system(fmt::format("command -v {} > /dev/null 2>&1", program).c_str()) == 0;
}

/// The same cluster as test::flat_cluster(ranks, 10e9, 20e-6), as SMPI reads it.
void write_platform(int ranks, const std::filesystem::path& platform,
                    const std::filesystem::path& hosts) {
  std::ofstream xml(platform);
  std::ofstream names(hosts);
  xml << "<?xml version=\"1.0\"?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n";
  for (int i = 0; i < ranks; ++i) {
    xml << fmt::format(
        "<host id=\"rank{0}\" speed=\"1Gf\"/>"
        "<link id=\"out{0}\" bandwidth=\"1250000000Bps\" latency=\"20us\"/>"
        "<link id=\"in{0}\" bandwidth=\"1250000000Bps\" latency=\"0us\"/>\n",
        i);
    names << fmt::format("rank{}\n", i);
  }
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      if (i == j) continue;
      xml << fmt::format(
          "<route src=\"rank{0}\" dst=\"rank{1}\" symmetrical=\"NO\">"
          "<link_ctn id=\"out{0}\"/><link_ctn id=\"in{1}\"/></route>\n",
          i, j);
    }
  }
  xml << "</zone></platform>\n";
}

TEST(StepMode, TakesAsLongAsTheRingAllReduceOfSmpiWithinOneInAThousandOn8And16Ranks) {
  if (!installed("smpicc") || !installed("smpirun")) {
    GTEST_SKIP() << "smpicc and smpirun are not installed (Debian: libsimgrid-dev)";
  }
  const test::TemporaryFolder folder;
  const std::string program = (folder.path() / "smpi_ring").string();
  const std::string messages = output_of(fmt::format(
      "smpicc -O1 {}/tests/simulator/engine/smpi_ring.c -o {}", GRADWIRE_SOURCE_DIR, program));
  ASSERT_TRUE(std::filesystem::exists(program)) << messages;
  for (const int ranks : {8, 16}) {
    const std::int64_t elements = 1'600'000;  // both 8 and 16 divide it
    const auto platform = folder.path() / "platform.xml";
    const auto hosts = folder.path() / "hosts";
    write_platform(ranks, platform, hosts);
    const std::string output = output_of(fmt::format(
        "cd {} && smpirun -np {} -platform {} -hostfile {} {} {} {}", folder.path().string(), ranks,
        platform.string(), hosts.string(), kOptions, program, elements));
    double smpi = 0.0;
    double sum = 0.0;
    ASSERT_EQ(std::sscanf(output.c_str(), "seconds %lf sum %lf", &smpi, &sum), 2) << output;
    EXPECT_EQ(sum, ranks);  // it did reduce
    const auto schedule =
        make_schedule({CollectiveKind::kAllReduce, Elements{elements}, Bytes{4}}, ranks);
    const double step =
        play_simgrid(test::collectives_in_a_row({schedule}), test::flat_cluster(ranks, 10e9, 20e-6),
                     {}, {SimgridMode::kStep, false})
            .end.count();
    EXPECT_NEAR(step, smpi, 1e-3 * smpi) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace gradwire
