#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "simulator/report/study_report.hpp"
#include "simulator/study/run_study.hpp"
#include "simulator/study/study_spec.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/training_trace.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

constexpr const char* kStudy = R"(
name: "small"
workload { trace: "trace.gwt" }
grid {
  cluster: "study-24x4-v100-10g"
  workers: [1, 8]
  bandwidth: ["1Gbps", "10Gbps"]
}
)";

/// A folder with a small trace and a study of it.
class StudyFolder {
 public:
  explicit StudyFolder(const std::string& study) {
    write_trace(test::training_trace(), folder / "trace.gwt");
    path = folder.write("study.txtpb", study);
  }

  test::TemporaryFolder folder;
  std::filesystem::path path;
};

TEST(Study, RunsEveryCombinationInTheOrderOfItsLists) {
  const StudyFolder folder(kStudy);
  const StudySpec spec = read_study(folder.path);
  const StudyOutcome outcome = run_study(spec, {}, {});
  ASSERT_EQ(outcome.rows.size(), 4U);
  EXPECT_EQ(outcome.cells, 4U);
  EXPECT_EQ(outcome.rows[1].key.workers, 1);
  EXPECT_EQ(outcome.rows[1].key.bandwidth, BitsPerSecond{10e9});
  EXPECT_EQ(outcome.rows[2].key.workers, 8);
  EXPECT_EQ(outcome.rows[2].key.bandwidth, BitsPerSecond{1e9});
  for (const StudyRow& row : outcome.rows) EXPECT_EQ(row.answers.size(), 3U);
  // One worker has the span of the representative iteration, 4100 ns, on any network.
  EXPECT_NEAR(outcome.rows[0].main().count(), 4100e-9, 1e-12);
  EXPECT_DOUBLE_EQ(outcome.rows[1].scaling_efficiency, 1.0);
  EXPECT_GT(outcome.rows[2].main(), outcome.rows[3].main());
  EXPECT_LT(outcome.largest_disagreement, 1e-3);
}

TEST(Study, RunsOnAPlatformFileOfSimgrids) {
  const StudyFolder folder(
      "workload { trace: 'trace.gwt' } grid { cluster: 'star.xml' workers: [4] engine: "
      "['simgrid', 'recurrence'] }");
  folder.folder.write(
      "star.xml",
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM "
      "\"https://simgrid.org/simgrid.dtd\"><platform "
      "version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" "
      "bw=\"10Gbps\" lat=\"10us\"/></platform>");
  const StudyOutcome outcome = run_study(read_study(folder.path), {}, {});
  ASSERT_EQ(outcome.rows.size(), 1U);
  EXPECT_GT(outcome.rows[0].main(), Seconds{4100e-9});
  EXPECT_LT(outcome.largest_disagreement, 1e-3);
  folder.folder.write("star.xml", "hello");
  EXPECT_THAT(
      test::input_error_of([&] { read_study(folder.path); }),
      ::testing::AllOf(::testing::HasSubstr("star.xml"), ::testing::HasSubstr("Parse error")));
}

Seconds answer_with(const std::string& fields) {
  const StudyFolder folder(
      "workload { trace: 'trace.gwt' } grid { cluster: 'study-24x4-v100-10g' workers: [16] " +
      fields + " }");
  const StudyOutcome outcome = run_study(read_study(folder.path), {}, {});
  return outcome.rows.at(0).main();
}

TEST(Study, PlaysTheAllReduceThatAGridNames) {
  const Seconds ring = answer_with("all_reduce: 'ring'");
  EXPECT_EQ(answer_with(""), ring);
  // Gradients of some bytes are all latency, of which a tree has less.
  EXPECT_LT(answer_with("all_reduce: 'double_tree'"), ring);
  EXPECT_EQ(answer_with("all_reduce: 'nccl'"), answer_with("all_reduce: 'double_tree'"));
}

TEST(Study, PlaysEveryMessageWhereAGridSaysSo) {
  // One rank a node: messages of one latency, which step mode needs.
  const std::string flat = "cluster: 'flat.txtpb' workers: [6] engine: 'simgrid' ";
  const auto run = [&](const std::string& mode) {
    const StudyFolder folder("workload { trace: 'trace.gwt' } grid { " + flat + mode + " }");
    const std::string nic =
        "nic { bandwidth { value: '1Gbps' standing: ASSUMED source: 'x' } latency { value: '20us' "
        "standing: ASSUMED source: 'x' } }";
    const std::string count = " { standing: ASSUMED source: 'x' value: ";
    folder.folder.write("flat.txtpb", "name: 'flat' nodes" + count + "'6' } gpus_per_node" + count +
                                          "'1' } " + nic);
    return run_study(read_study(folder.path), {}, {}).rows.at(0).main().count();
  };
  EXPECT_NEAR(run("simgrid_mode: 'step'"), run(""), run("") * 1e-3);
}

TEST(Study, ShufflesAreAnAxisOfSeeds) {
  const StudyFolder folder(
      "workload { trace: 'trace.gwt' } grid { cluster: 'study-24x4-v100-10g-racks-4to1' workers: "
      "[96] shuffle_seed: 7 shuffles: 3 engine: 'simgrid' }");
  const StudyOutcome outcome = run_study(read_study(folder.path), {}, {});
  ASSERT_EQ(outcome.rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(outcome.rows[i].key.shuffle_seed, 7 + i);
}

TEST(Study, StopsBetweenCellsAndKeepsThoseThatAreDone) {
  const StudyFolder folder(kStudy);
  const StudySpec spec = read_study(folder.path);
  std::size_t done = 0;
  StudyObserver observer;
  observer.progress = [&](std::size_t now, std::size_t) { done = now; };
  observer.stop = [&] { return done > 0; };
  const StudyOutcome outcome = run_study(spec, {}, observer);
  EXPECT_EQ(outcome.rows.size(), done);
  EXPECT_GT(done, 0U);
  EXPECT_LT(done, 4U);
  EXPECT_EQ(outcome.cells, 4U);
}

TEST(Study, AnAxisWithoutEffectIsSaid) {
  // Four ranks fill one node and send nothing over the network.
  const StudyFolder folder(
      "workload { trace: 'trace.gwt' } grid { cluster: 'study-24x4-v100-10g' workers: [4] "
      "bandwidth: ['1Gbps', '10Gbps'] engine: ['recurrence'] }");
  const StudyOutcome outcome = run_study(read_study(folder.path), {}, {});
  bool said = false;
  for (const std::string& warning : outcome.warnings) {
    said = said || warning == "bandwidth: all its values give the same answer";
  }
  EXPECT_TRUE(said);
}

TEST(Study, TheCsvHasALineForEachCellAndUnitsInItsHeader) {
  const StudyFolder folder(kStudy);
  const StudySpec spec = read_study(folder.path);
  std::ostringstream csv;
  write_study_csv(spec, run_study(spec, {}, {}), csv);
  std::istringstream lines(csv.str());
  std::string header;
  std::getline(lines, header);
  EXPECT_EQ(header.rfind("grid,workload,cluster,workers,bandwidth_bits_per_s,nic_latency_s,", 0),
            0U);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 4U);
}

TEST(Study, ComparesEveryCompressorWithFloat32AndFp16) {
  const StudyFolder folder(
      "workload { trace: 'trace.gwt' } grid { cluster: 'study-24x4-v100-10g' workers: [8] "
      "engine: ['recurrence'] compressor: ['none', 'fp16', 'signsgd'] }");
  const StudySpec spec = read_study(folder.path);
  const StudyOutcome outcome = run_study(spec, {}, {});
  ASSERT_EQ(outcome.rows.size(), 3U);
  EXPECT_FALSE(outcome.rows[0].compressor.has_value());
  EXPECT_TRUE(outcome.rows[0].verdicts.empty());
  ASSERT_EQ(outcome.rows[1].verdicts.size(), 1U);
  ASSERT_EQ(outcome.rows[2].verdicts.size(), 2U);
  const double none = outcome.rows[0].main().count();
  const double fp16 = outcome.rows[1].main().count();
  const double signsgd = outcome.rows[2].main().count();
  // The quick recurrence takes all ranks as equal where a ring has slow and fast links.
  EXPECT_NEAR(outcome.rows[1].verdicts[0].speedup, none / fp16, 1e-3);
  EXPECT_NEAR(outcome.rows[2].verdicts[0].speedup, none / signsgd, 1e-3);
  EXPECT_NEAR(outcome.rows[2].verdicts[1].speedup, fp16 / signsgd, 1e-3);
  std::ostringstream text;
  write_study_text(spec, outcome, text);
  EXPECT_NE(text.str().find("Against float32: "), std::string::npos);
  EXPECT_NE(text.str().find("of 2 compressed cells ("), std::string::npos);
}

TEST(Study, GivesTheSameBytesTwice) {
  const StudyFolder folder(kStudy);
  const StudySpec spec = read_study(folder.path);
  std::ostringstream first;
  std::ostringstream second;
  write_study_csv(spec, run_study(spec, {}, {}), first);
  write_study_csv(spec, run_study(spec, {}, {}), second);
  EXPECT_EQ(first.str(), second.str());
}

TEST(StudyFile, EachFaultIsOneSentenceWithFileAndField) {
  const auto text_of = [](const std::string& study) {
    const StudyFolder folder(study);
    std::string text = test::input_error_of([&] { run_study(read_study(folder.path), {}, {}); });
    const std::string path = folder.path.string();
    if (text.rfind(path, 0) == 0) text = text.substr(path.size());
    return text;
  };
  const std::string workload = "workload { name: 'v100' trace: 'trace.gwt' } ";
  const auto grid = [](const std::string& fields) {
    return "grid { cluster: 'study-24x4-v100-10g' " + fields + " }";
  };
  EXPECT_EQ(text_of(grid("workers: 1")), ": workload: none found; at least one is accepted");
  EXPECT_EQ(text_of(workload), ": grid: none found; at least one is accepted");
  EXPECT_EQ(text_of("workload {} " + grid("workers: 1")),
            ": workload: no trace found; a file is accepted");
  EXPECT_EQ(text_of(workload + "grid { workers: 1 }"),
            ": cluster: none found; a catalogue name, a .txtpb or a SimGrid .xml is accepted");
  EXPECT_EQ(text_of(workload + grid("")), ": workers: none found; at least one is accepted");
  EXPECT_EQ(text_of(workload + grid("workers: [8, 8]")),
            ": workers: an entry stands there twice; each is accepted once");
  EXPECT_NE(text_of(workload + grid("workers: 1 bandwidth: '10'")).find("has no unit"),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 bandwith: '10Gbps'")).find(":1:"),
            std::string::npos);  // line 1, with the column behind it
  EXPECT_NE(text_of(workload + grid("workers: 97")).find("97 found"), std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 0")).find("0 found"), std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 compressor: 'zip'")).find(": compressor: "),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 engine: 'magic'")).find(": engine: "),
            std::string::npos);
  for (const std::string field : {"compute_speedup", "encode_divisor", "payload_growth"}) {
    for (const std::string factor : {"0", "-1", "nan", "inf", "1e30"}) {
      EXPECT_NE(
          text_of(workload + grid("workers: 1 " + field + ": " + factor)).find(": " + field + ": "),
          std::string::npos)
          << field << factor;
    }
  }
  EXPECT_NE(text_of("workload { trace: 'trace.gwt' batch: 0 } " + grid("workers: 1"))
                .find("batch: 0 found"),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 shuffle_seed: 1 engine: 'recurrence'"))
                .find("simgrid is not first"),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 all_gather: 'star'")).find(": all_gather: "),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 all_reduce: 'star'")).find(": all_reduce: "),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 shuffles: 0")).find(": shuffles: 0 found"),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 simgrid_mode: 'slow'")).find(": simgrid_mode: "),
            std::string::npos);
  EXPECT_NE(text_of(workload + grid("workers: 1 mode: 'both'")).find(": mode: "),
            std::string::npos);
  EXPECT_EQ(text_of(workload + grid("name: 'a' workers: 1 workload: 'vgg'")),
            ": grid \"a\": workload: \"vgg\" found; the study has v100");
  EXPECT_EQ(text_of(workload + grid("name: 'a' workers: 1") + grid("workers: 1")),
            ": grid: one without a name found; several need one each");
  EXPECT_EQ(text_of(workload + grid("name: 'a' workers: 1") + grid("name: 'a' workers: 1")),
            ": grid: an entry stands there twice; each is accepted once");
}

constexpr const char* kCompressed = R"(
workload { trace: ")" GRADWIRE_SOURCE_DIR R"(/traces/data/v100-resnet50-b32/trace.gwt" }
grid {
  cluster: "study-24x4-v100-10g"
  workers: 8
  compressor: ["fp16", "powersgd:rank=4"]
  engine: "recurrence"
  encode_divisor: [1, 2]
}
)";

TEST(Study, TakesACostThatAWhatIfDividesForDerived) {
  const StudyFolder folder(kCompressed);
  std::vector<std::string> standings;
  for (const StudyRow& row : run_study(read_study(folder.path), {}, {}).rows) {
    standings.push_back(row.compressor->standing);
  }
  EXPECT_EQ(standings,
            (std::vector<std::string>{"not counted", "not counted", "recalled", "derived"}));
}

TEST(Study, WhatIfsAreAnAxisAndIdleOnesAreSaid) {
  const StudyFolder folder(R"(
workload { trace: ")" GRADWIRE_SOURCE_DIR R"(/traces/data/v100-resnet50-b32/trace.gwt" }
grid {
  cluster: "study-24x4-v100-10g"
  workers: 8
  compressor: ["none", "powersgd:rank=4"]
  engine: "recurrence"
  what_if: ["none", "compute=2", "compute=2; encode=4", "bandwidth=x1"]
}
)");
  const StudySpec spec = read_study(folder.path);
  const StudyOutcome outcome = run_study(spec, {}, {});
  ASSERT_EQ(outcome.rows.size(), 8U);
  const auto milliseconds = [&](std::size_t cell) {
    return outcome.rows[cell].main().count() * 1e3;
  };
  EXPECT_EQ(outcome.rows[4].key.what_if, "compute=2; encode=4");
  EXPECT_EQ(outcome.rows[4].key.compressor, "none");
  const double backward = outcome.workloads[0]->backward_span.count() * 1e3;
  // Serial compression: exactly what the what-if takes off is gone.
  const double encode = outcome.rows[1].compressor->encode.count() * 1e3;
  EXPECT_NEAR(milliseconds(1) - milliseconds(3), backward / 2, 1e-6);
  EXPECT_NEAR(milliseconds(3) - milliseconds(5), encode * 3 / 4, 1e-6);
  EXPECT_EQ(milliseconds(2), milliseconds(4));  // no compressor: nothing to encode
  EXPECT_EQ(milliseconds(6), milliseconds(0));
  // The baseline of a verdict has been through the same what-ifs.
  EXPECT_NEAR(outcome.rows[3].verdicts[0].baseline_time.count() * 1e3, milliseconds(2), 1e-6);
  EXPECT_EQ(outcome.rows[5].compressor->standing, "derived");
  EXPECT_EQ(outcome.rows[3].compressor->standing, "recalled");
  EXPECT_EQ(compute_standing(outcome, outcome.rows[3]), "derived");
  EXPECT_THAT(outcome.warnings,
              testing::Contains("what if bandwidth=x1: changes nothing at 8 workers"));
  EXPECT_THAT(outcome.warnings,
              testing::Not(testing::Contains(testing::HasSubstr("what if compute"))));
  EXPECT_THAT(outcome.warnings,
              testing::Not(testing::Contains(testing::HasSubstr("what if encode"))));
}

TEST(Study, CountsEncodeBetweenMeasuredFiguresApartFromMeasuredEncode) {
  const StudyFolder folder(kCompressed);
  const StudySpec spec = read_study(folder.path);
  StudyOutcome outcome = run_study(spec, {}, {});
  const auto said = [&] {
    std::ostringstream out;
    write_study_text(spec, outcome, out);
    return out.str();
  };
  EXPECT_NE(
      said().find("4 of 4 compressed cells rest on measured compute, 0 on measured encode.\n"),
      std::string::npos)
      << said();
  outcome.rows[2].compressor->standing = "measured";
  outcome.rows[3].compressor->standing = "interpolated";
  EXPECT_NE(said().find("1 on measured encode, 1 on encode between measured figures.\n"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace gradwire
