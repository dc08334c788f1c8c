// traces/data/v100-bert-study against the list that it is made of and the model's own shapes
// (provenance.md beside it), and the sizes that compressors and DDP make of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "compressors/spec/registry.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/gradient_schedule.hpp"
#include "tests/support/model_parameters.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Trace shipped(const std::string& folder) {
  const auto path = std::filesystem::path{GRADWIRE_SOURCE_DIR} / "traces/data" / folder;
  return import_trace(path / "gradients.csv", {.strict = true}).trace;
}

Trace study_bert() { return shipped("v100-bert-study"); }

Workload study_workload() { return make_workload(study_bert(), "list", {}); }

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

/// The study's Chinese model: a vocabulary of 21128 and 5 labels.
Shapes model_shapes() {
  Shapes shapes;
  for (const test::Parameter& parameter : test::bert_base_parameters(21'128, 5)) {
    shapes[parameter.name] = parameter.shape;
  }
  return shapes;
}

/// A gradient as the list must have it.
struct Expected {
  std::string parameter;
  Nanoseconds ready{0};

  bool operator==(const Expected&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.parameter << " at " << expected.ready.count() << " ns";
}

/// The list made again as provenance.md says: the head first, ready at the start, then the measured
/// list without its own head, each time 235 ms / 66.335 ms as late, to the nanosecond.
std::vector<Expected> made_again() {
  std::vector<Expected> out;
  for (const char* head : {"classifier.bias", "classifier.weight", "bert.pooler.dense.bias",
                           "bert.pooler.dense.weight"}) {
    out.push_back({head});
  }
  const Trace measured = shipped("v100-bert-gradready");
  const auto last = static_cast<double>(measured.gradients.back().ready.count());
  for (const Gradient& gradient : measured.gradients) {
    std::string name = gradient.parameter;
    if (name.starts_with("qa_outputs")) continue;
    if (const auto at = name.find("dense_act"); at != std::string::npos) name.erase(at + 5, 4);
    const double ready = static_cast<double>(gradient.ready.count()) * 235e6 / last;
    out.push_back({name, Nanoseconds{std::llround(ready)}});
  }
  return out;
}

TEST(StudyBert, IsMadeOfTheMeasuredListAsItsProvenanceSays) {
  std::vector<Expected> found;
  for (const Gradient& gradient : study_bert().gradients) {
    found.push_back({gradient.parameter, gradient.ready});
  }
  EXPECT_EQ(found, made_again());
}

TEST(StudyBert, HasTheModelsParametersOneByOneInFloat32) {
  Shapes shapes;
  for (const Gradient& gradient : study_bert().gradients) {
    shapes[gradient.parameter] = gradient.shape;
    EXPECT_EQ(gradient.dtype, DType::kFloat32);
  }
  EXPECT_EQ(shapes, model_shapes());
}

TEST(StudyBert, HasItsFigures) {
  const Workload workload = study_workload();
  EXPECT_EQ(workload.gradients.size(), 201U);
  EXPECT_EQ(workload.total_elements(), Elements{102'271'493});
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{235'000'000});
  EXPECT_EQ(workload.batch, 12);
  EXPECT_EQ(workload.compute_standing, "derived");
  EXPECT_THAT(workload.compute_basis, AllOf(HasSubstr("235 ms"), HasSubstr("unknown batch")));
  EXPECT_THAT(workload.warnings, Not(Contains(HasSubstr("batch size"))));
}

TEST(StudyBert, SaysWhereItComesFrom) {
  const Trace trace = study_bert();
  EXPECT_THAT(trace.provenance.source,
              AllOf(HasSubstr("zhuangwang93/Espresso"), HasSubstr("a0294e3a3159")));
  EXPECT_EQ(trace.provenance.licence, "Apache-2.0");
  EXPECT_EQ(trace.devices.at(0).name, "V100-32GB");
}

/// Megabytes that a rank sends of it as `what`.
double megabytes(const std::vector<Transfer>& transfers, const std::string& what) {
  double bytes = 0.0;
  for (const Transfer& transfer : transfers) {
    if (!what.empty() && transfer.what != what) continue;
    bytes += static_cast<double>(transfer.elements.count() * transfer.element_size.count());
  }
  return bytes * 1e-6;
}

// P, Q and the total with the 1-D tensors, worked out from the model's shapes apart from this code.
TEST(StudyBert, IsSentByPowerSgdInTheStudysSizes) {
  struct Row {
    int rank;
    double p, q, total;
  };
  std::vector<TensorShape> shapes;
  for (const Gradient& gradient : study_bert().gradients) shapes.push_back({gradient.shape});
  for (const Row& row :
       {Row{4, 1.686, 1.382, 3.557}, Row{8, 3.371, 2.749, 6.609}, Row{16, 6.743, 5.477, 12.708}}) {
    const auto sent = parse_scheme("powersgd:rank=" + std::to_string(row.rank))->transfers(shapes);
    EXPECT_NEAR(megabytes(sent, "P"), row.p, 0.0006) << row.rank;
    EXPECT_NEAR(megabytes(sent, "Q"), row.q, 0.0006) << row.rank;
    EXPECT_NEAR(megabytes(sent, ""), row.total, 0.0006) << row.rank;
  }
}

// MiB, from the same source.
TEST(StudyBert, FillsTheBucketsThatDdpMakes) {
  const std::vector<Bucket> buckets = make_buckets(study_workload().gradients, BucketCaps{});
  ASSERT_EQ(buckets.size(), 14U);
  const auto mebibytes = [&buckets](std::size_t i) {
    return static_cast<double>(buckets[i].bytes().count()) / (1024.0 * 1024.0);
  };
  EXPECT_NEAR(mebibytes(0), 2.27, 0.005);
  for (std::size_t i = 1; i < 13; ++i) EXPECT_NEAR(mebibytes(i), 27.04, 0.005) << i;
  EXPECT_NEAR(mebibytes(13), 63.41, 0.005);
}

}  // namespace
}  // namespace gradwire
