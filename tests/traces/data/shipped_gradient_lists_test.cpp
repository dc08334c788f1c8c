// The gradient lists in traces/data/ against the parameters of their models, the buckets of DDP,
// and the public files that the figures come from (provenance.md beside each).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <map>

#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/gradient_schedule.hpp"
#include "tests/support/model_parameters.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Trace shipped(const std::string& folder) {
  const auto path = std::filesystem::path{GRADWIRE_SOURCE_DIR} / "traces/data" / folder;
  return import_trace(path / "gradients.csv", {.strict = true}).trace;
}

Trace resnet101() { return shipped("v100-resnet101-gradready"); }
Trace bert() { return shipped("v100-bert-gradready"); }

std::string with_dots(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ".";
  return text;
}

/// Name -> shape.
std::map<std::string, std::string> shapes_of(const Trace& trace) {
  std::map<std::string, std::string> shapes;
  for (const Gradient& gradient : trace.gradients) {
    shapes[gradient.parameter] = with_dots(gradient.shape);
  }
  return shapes;
}

std::map<std::string, std::string> shapes_of(const std::vector<test::Parameter>& parameters) {
  std::map<std::string, std::string> shapes;
  for (const test::Parameter& parameter : parameters) {
    shapes[parameter.name] = with_dots(parameter.shape);
  }
  return shapes;
}

/// Figures of the source: tensors, elements, microseconds from the first to the last.
void expect_figures(const Trace& trace, std::size_t tensors, std::int64_t elements,
                    std::int64_t span_us) {
  const Workload workload = make_workload(trace, "list", {});
  EXPECT_EQ(workload.gradients.size(), tensors);
  EXPECT_EQ(workload.total_elements(), Elements{elements});
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{span_us * 1000});
  EXPECT_EQ(workload.gradients.front().ready, Seconds{0});
  for (const ReadyGradient& gradient : workload.gradients) {
    EXPECT_EQ(gradient.dtype, DType::kFloat32);
  }
  EXPECT_THAT(workload.warnings,
              Contains(HasSubstr("batch size behind the ready times is unknown")));
}

TEST(ShippedGradientLists, OfResNet101HasItsFigures) {
  expect_figures(resnet101(), 314, 44'549'160, 120'391);
}

TEST(ShippedGradientLists, OfBertHasItsFigures) {
  expect_figures(bert(), 199, 108'897'794, 66'335);
}

TEST(ShippedGradientLists, OfResNet101HasTheModelsParametersOneByOne) {
  EXPECT_EQ(shapes_of(resnet101()), shapes_of(test::resnet101_parameters()));
}

// Without pooler and classifier, with a head for question answering, a vocabulary filled up to
// 30528, and `dense_act` where transformers has `dense`.
TEST(ShippedGradientLists, OfBertHasTheParametersOfAQuestionAnsweringModel) {
  std::map<std::string, std::string> expected;
  for (const auto& [registered, shape] : shapes_of(test::bert_base_parameters(30'528, 2))) {
    std::string name = registered;
    if (name.find("pooler") != std::string::npos) continue;
    const std::string intermediate = "intermediate.dense";
    if (const auto at = name.find(intermediate); at != std::string::npos) {
      name.insert(at + intermediate.size(), "_act");
    }
    if (name.starts_with("classifier")) name.replace(0, 10, "qa_outputs");
    expected[name] = shape;
  }
  EXPECT_EQ(shapes_of(bert()), expected);
}

// MiB, worked out from the model's shapes beforehand, apart from this code.
TEST(ShippedGradientLists, OfResNet101GivesTheBucketsThatDdpMakes) {
  const Workload workload = make_workload(resnet101(), "list", {});
  std::vector<double> mebibytes;
  for (const Bucket& bucket : make_buckets(workload.gradients, BucketCaps{})) {
    mebibytes.push_back(static_cast<double>(bucket.bytes().count()) / (1024.0 * 1024.0));
  }
  const auto near = [](double value) { return testing::DoubleNear(value, 0.005); };
  EXPECT_THAT(mebibytes, ElementsAre(near(7.82), near(30.04), near(25.04), near(26.57), near(25.57),
                                     near(25.57), near(25.14), near(4.19)));
}

TEST(ShippedGradientLists, SayWhereTheyComeFrom) {
  for (const Trace& trace : {resnet101(), bert()}) {
    EXPECT_THAT(trace.provenance.source, HasSubstr("zhuangwang93/Espresso"));
    EXPECT_THAT(trace.provenance.source, HasSubstr("model_tensor.py"));
    EXPECT_THAT(trace.provenance.source, HasSubstr("a0294e3a3159"));
    EXPECT_EQ(trace.provenance.licence, "Apache-2.0");
    EXPECT_EQ(trace.devices.at(0).name, "V100-32GB");
    EXPECT_FALSE(trace.batch_size);
  }
}

/// Same names, elements and gaps in the same order.
void expect_public_file(const Trace& trace, const std::filesystem::path& path) {
  simdjson::dom::parser parser;
  simdjson::dom::array tensors;
  ASSERT_EQ(parser.load(path.string())["tensors"].get(tensors), simdjson::SUCCESS);
  ASSERT_EQ(tensors.size(), trace.gradients.size());
  Nanoseconds ready{0};
  std::size_t index = 0;
  for (const simdjson::dom::element tensor : tensors) {
    const Gradient& gradient = trace.gradients[index++];
    ready += std::chrono::microseconds{tensor["gap_us"].get_int64().value()};
    EXPECT_EQ(gradient.parameter, tensor["name"].get_string().value());
    EXPECT_EQ(gradient.elements, Elements{tensor["elems"].get_int64().value()});
    EXPECT_EQ(gradient.ready, ready) << gradient.parameter;
  }
}

TEST(ShippedGradientLists, AreThePublicFiles) {
  const auto folder = std::filesystem::path{GRADWIRE_SHARED_DIR} / "traces-public" / "compression";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the public lists are not at hand: " << folder;
  expect_public_file(resnet101(), folder / "espresso-gradready-resnet101.json");
  expect_public_file(bert(), folder / "espresso-gradready-bert.json");
}

}  // namespace
}  // namespace gradwire
