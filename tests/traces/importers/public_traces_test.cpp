// The figures of traces-public/MANIFEST.md, counted as its second paragraph says. Skips where the
// files are absent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/errors.hpp"
#include "tests/traces/importers/kineto_text.hpp"
#include "traces/importers/iteration_inference.hpp"
#include "traces/importers/parameter_list.hpp"
#include "traces/importers/profile/iteration_marks.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_checks.hpp"

namespace gradwire {
namespace {

using test::times;

std::filesystem::path public_trace(const std::string& name) {
  return std::filesystem::path(GRADWIRE_SHARED_DIR) / "traces-public" / name;
}

/// One row of the MANIFEST's Kineto table. Milliseconds and megabytes as printed there;
/// per-iteration values are medians.
struct Row {
  const char* file;
  std::size_t iterations = 0;  ///< ProfilerSteps; 0 for none
  double step_ms = 0;
  double kernels = 0;  ///< per iteration
  std::size_t total = 0;
  std::size_t linked = 0;
  double backward_kernels = 0;
  double busy_ms = 0;
  double span_ms = 0;
  double nccl_kernels = 0;
  double nccl_ms = 0;
  double all_reduce_mb = 0;   ///< 0 where the MANIFEST has none
  double accumulates = 0;     ///< per iteration; of the file where it has no steps
  double million_params = 0;  ///< 0 where the MANIFEST has none
};

// "formats/mi250-minitoy-train": the second of its two steps holds no kernels. The MANIFEST counts
// its kernels in the first step alone, and no AccumulateGrad (the median of 2 and 0, rounded); see
// EmptyStep below.
const Row kRows[] = {
    {"kineto-resnet50-v100-torch1.9-nw4.json.gz", 6, 125.1, 1478, 8868, 8868, 557, 64.56, 67.22, 0,
     0, 0, 161, 25.56},
    {"kineto-resnet50-v100-torch1.8dev-list.json.gz", 6, 211.7, 1467, 9538, 8802, 540, 64.87, 67.04,
     0, 0, 0, 161, 25.56},
    {"kineto-resnet50-v100-torch1.8dev-autogradapi.json.gz", 0, 0, 9299, 9299, 9299, 3639, 619.47,
     1204.01, 0, 0, 0, 966, 0},
    {"hta-resnet50-ddp2-a100-rank0.json.gz", 3, 222.4, 900, 2700, 2700, 587, 25.14, 84.10, 7, 12.30,
     102.2, 161, 0},
    {"hta-dlrm-ddp8-a100-rank3-torch1.13.json.gz", 6, 76.8, 1428, 8568, 8568, 921, 29.46, 42.59, 10,
     30.09, 0, 259, 50.01},
    {"hta-compiled-ddp2-v100-rank1-torch2.0dev.json.gz", 5, 345.8, 3874, 19370, 19370, 1805, 77.80,
     251.32, 404, 59.57, 0, 404, 0},
    {"tracelens-resnet18-ddp8-mi300x-rank0.json.gz", 3, 16.0, 866, 2995, 2238, 526, 4.53, 5.29, 5,
     25.09, 23.4, 62, 11.69},
    {"param-dlrm-ddp8-v100/rank0.json.gz", 1, 14.5, 245, 245, 245, 100, 0.50, 3.81, 8, 5.80, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank1.json.gz", 1, 19.9, 310, 310, 246, 101, 0.52, 3.90, 8, 11.34, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank2.json.gz", 1, 13.0, 246, 246, 246, 101, 0.54, 3.82, 8, 3.49, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank3.json.gz", 1, 19.3, 315, 315, 251, 106, 0.55, 3.93, 8, 9.77, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank4.json.gz", 1, 18.0, 251, 251, 251, 106, 0.57, 4.67, 8, 6.59, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank5.json.gz", 1, 17.8, 245, 245, 245, 100, 0.50, 4.67, 8, 6.25, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank6.json.gz", 1, 13.1, 246, 246, 246, 101, 0.52, 3.81, 8, 3.56, 0, 16,
     0.62},
    {"param-dlrm-ddp8-v100/rank7.json.gz", 1, 12.5, 246, 246, 246, 101, 0.53, 3.78, 8, 1.75, 0, 16,
     0.62},
    {"param-resnet18-2080ti-torch2.0.json.gz", 0, 0, 9628, 9628, 9628, 5340, 2785.90, 9964.07, 0, 0,
     0, 1860, 0},
    {"hpdl-vgg16-t4-torch2.0.json.gz", 0, 0, 241, 241, 241, 143, 26.50, 26.81, 0, 0, 0, 32, 0},
    {"tracelens-b200-inference-cuda_driver.json.gz", 0, 0, 768, 768, 768, 0, 0, 0, 1, 0.02, 0, 0,
     0},
    {"formats/triton-a100-torch2.6.json.gz", 1, 13336.3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
    {"formats/alexnet-a100-fwd-cuda_sync.json.gz", 0, 0, 79, 79, 79, 0, 0, 0, 0, 0, 0, 0, 0},
    {"formats/large-integer.json.gz", 0, 0, 1, 1, 0, 0, 0, 0, 1, 0.05, 0, 0, 0},
    {"formats/event-sync.json.gz", 1, 3.2, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0},
    {"formats/gpu-user-annotation-gp100.json.gz", 0, 0, 130, 130, 130, 50, 0.10, 6.62, 0, 0, 0, 20,
     0},
};

double ms(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool is_kernel(const Kernel& kernel) {
  return kernel.category == KernelCategory::kCompute ||
         kernel.category == KernelCategory::kCommunication;
}

/// What the MANIFEST counts in one iteration, or in the whole file where no step is marked.
struct Figures {
  double kernels = 0;
  double backward_kernels = 0;
  Nanoseconds busy{0};
  Nanoseconds first{Nanoseconds::max()};
  Nanoseconds last{0};
  double nccl_kernels = 0;
  Nanoseconds nccl{0};
  double all_reduce_bytes = 0;
  double gradients = 0;
  double elements = 0;

  double span_ms() const { return backward_kernels > 0 ? ms(last - first) : 0.0; }
};

/// The MANIFEST puts a kernel without a launch into the step that holds its own start.
std::optional<std::int32_t> manifest_iteration(const Kernel& kernel, const Trace& trace) {
  return kernel.launch ? kernel.iteration : iteration_at(trace.iterations, kernel.start);
}

std::vector<Figures> count_figures(const Trace& trace, bool whole_file) {
  std::vector<Figures> figures(whole_file ? 1 : trace.iterations.size());
  const auto at = [&](std::optional<std::int32_t> iteration) -> Figures* {
    if (whole_file) return &figures[0];
    return iteration ? &figures[static_cast<std::size_t>(*iteration)] : nullptr;
  };
  for (const Kernel& kernel : trace.kernels) {
    Figures* of = at(manifest_iteration(kernel, trace));
    if (!is_kernel(kernel) || of == nullptr) continue;
    ++of->kernels;
    if (kernel.category == KernelCategory::kCommunication) {
      ++of->nccl_kernels;
      of->nccl += kernel.duration;
    } else if (kernel.in_backward) {
      ++of->backward_kernels;
      of->busy += kernel.duration;
      of->first = std::min(of->first, kernel.start);
      of->last = std::max(of->last, kernel.end());
    }
  }
  for (const Communication& communication : trace.communications) {
    Figures* of = at(communication.iteration);
    if (of == nullptr || communication.collective != CollectiveKind::kAllReduce ||
        !communication.in_elements)
      continue;
    of->all_reduce_bytes += static_cast<double>(
        (*communication.in_elements * element_size(communication.dtype).value_or(Bytes{0}))
            .count());
  }
  for (const Gradient& gradient : trace.gradients) {
    Figures* of = at(gradient.iteration);
    ++of->gradients;
    of->elements += static_cast<double>(gradient.elements.value_or(Elements{0}).count());
  }
  return figures;
}

template <class Value>
double median_of(const std::vector<Figures>& figures, Value value) {
  std::vector<double> values;
  for (const Figures& of : figures) values.push_back(value(of));
  return median(values);
}

class PublicTrace : public testing::TestWithParam<Row> {};

TEST_P(PublicTrace, HasTheFiguresOfTheManifest) {
  const Row& row = GetParam();
  const auto path = public_trace(row.file);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Imported imported = import_trace(path, ImportOptions{true});
  const Trace& trace = imported.trace;
  EXPECT_TRUE(find_trace_defects(trace).empty()) << find_trace_defects(trace).front();

  std::vector<double> steps;
  for (const IterationMark& mark : trace.iterations) {
    if (!mark.inferred) steps.push_back(ms(mark.end - mark.start));
  }
  EXPECT_EQ(steps.size(), row.iterations);
  EXPECT_NEAR(median(steps), row.step_ms, 0.051);
  EXPECT_EQ(std::count_if(trace.kernels.begin(), trace.kernels.end(), is_kernel),
            static_cast<std::ptrdiff_t>(row.total));
  EXPECT_EQ(std::count_if(trace.kernels.begin(), trace.kernels.end(),
                          [](const Kernel& kernel) { return is_kernel(kernel) && kernel.launch; }),
            static_cast<std::ptrdiff_t>(row.linked));

  const std::vector<Figures> figures = count_figures(trace, row.iterations == 0);
  EXPECT_EQ(median_of(figures, [](const Figures& of) { return of.kernels; }), row.kernels);
  EXPECT_EQ(median_of(figures, [](const Figures& of) { return of.backward_kernels; }),
            row.backward_kernels);
  EXPECT_NEAR(median_of(figures, [](const Figures& of) { return ms(of.busy); }), row.busy_ms,
              0.0051);
  EXPECT_NEAR(median_of(figures, [](const Figures& of) { return of.span_ms(); }), row.span_ms,
              0.0051);
  EXPECT_EQ(median_of(figures, [](const Figures& of) { return of.nccl_kernels; }),
            row.nccl_kernels);
  EXPECT_NEAR(median_of(figures, [](const Figures& of) { return ms(of.nccl); }), row.nccl_ms,
              0.0051);
  if (row.all_reduce_mb > 0) {
    EXPECT_NEAR(median_of(figures, [](const Figures& of) { return of.all_reduce_bytes / 1e6; }),
                row.all_reduce_mb, 0.051);
  }
  // The MANIFEST counts the undefined gradients of the main thread too, which are no gradients.
  const double undefined = static_cast<double>(times(imported.report, "accumulate-undefined")) /
                           static_cast<double>(figures.size());
  EXPECT_EQ(median_of(figures, [](const Figures& of) { return of.gradients; }) + undefined,
            row.accumulates);
  if (row.million_params > 0) {
    EXPECT_NEAR(median_of(figures, [](const Figures& of) { return of.elements / 1e6; }),
                row.million_params, 0.0051);
  }
  EXPECT_EQ(imported.report.collectives_in, imported.report.collectives_out);
  EXPECT_EQ(imported.report.kernels_in, imported.report.kernels_out);
}

INSTANTIATE_TEST_SUITE_P(Files, PublicTrace, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& tested) {
                           std::string name = tested.param.file;
                           name = name.substr(0, name.find(".json"));
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

#define IMPORT_OR_SKIP(variable, file)               \
  const auto variable##_path = public_trace(file);   \
  if (!std::filesystem::exists(variable##_path)) {   \
    GTEST_SKIP() << variable##_path << " is absent"; \
  }                                                  \
  const Imported variable = import_trace(variable##_path, ImportOptions{true})

TEST(PublicTraces, EmptyStepOfTheMi250FileIsIncomplete) {
  IMPORT_OR_SKIP(imported, "formats/mi250-minitoy-train.json.gz");
  const Trace& trace = imported.trace;
  const auto figures = count_figures(trace, false);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].kernels, 14);
  EXPECT_EQ(figures[0].backward_kernels, 7);
  EXPECT_NEAR(ms(figures[0].busy), 0.05, 0.0051);
  EXPECT_NEAR(figures[0].span_ms(), 7.30, 0.0051);
  EXPECT_EQ(figures[1].kernels, 0);
  EXPECT_TRUE(trace.iterations[0].complete && trace.iterations[0].representative);
  EXPECT_FALSE(trace.iterations[1].complete);
  EXPECT_EQ(trace.gradients.size(), 2u);
}

TEST(PublicTraces, FilesWithoutKernelsAreRefused) {
  for (const char* file :
       {"formats/cupti-range-no-kernels.json.gz", "formats/no-distributedInfo-rank.json.gz"}) {
    const auto path = public_trace(file);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
    EXPECT_THROW(import_trace(path, {}), InputError) << file;
  }
}

TEST(PublicTraces, ResNet50HasItsParameters) {
  IMPORT_OR_SKIP(imported, "kineto-resnet50-v100-torch1.9-nw4.json.gz");
  for (const Figures& of : count_figures(imported.trace, false)) {
    EXPECT_EQ(of.gradients, 161);
    EXPECT_EQ(of.elements, 25557032);
  }
  // The fully connected layer is the last of the forward pass, so its gradients are ready first.
  EXPECT_EQ(imported.trace.gradients[0].elements, Elements{1000});
  EXPECT_EQ(imported.trace.gradients[1].elements, Elements{2048 * 1000});
}

TEST(PublicTraces, ResNet50DdpLaunchesFiveAllReducesAnIteration) {
  IMPORT_OR_SKIP(imported, "hta-resnet50-ddp2-a100-rank0.json.gz");
  std::map<std::int32_t, std::vector<std::int64_t>> elements;
  for (const Communication& communication : imported.trace.communications) {
    if (communication.collective != CollectiveKind::kAllReduce) continue;
    EXPECT_EQ(communication.dtype, DType::kFloat32);
    EXPECT_EQ(communication.group_size, 2);
    elements[*communication.iteration].push_back(communication.in_elements->count());
  }
  ASSERT_EQ(elements.size(), 3u);
  for (const auto& [iteration, counts] : elements) {
    EXPECT_THAT(counts, testing::ElementsAre(2049000, 7875584, 6563840, 6637568, 2431040))
        << iteration;
  }
  EXPECT_TRUE(imported.trace.parallelism.empty());
}

TEST(PublicTraces, GradientsThatTakeTheBufferOverAreReadyBeforeTheirAllReduceEnds) {
  IMPORT_OR_SKIP(imported, "hta-resnet50-ddp2-a100-rank0.json.gz");
  EXPECT_EQ(imported.report.gradients_found_by,
            "AccumulateGrad: 0 ready with their own kernel, 483 with the last one launched before");
}

TEST(PublicTraces, JobsThatAreNotPlainDdpAreNamed) {
  const std::pair<const char*, const char*> expected[] = {
      {"hta-compiled-ddp2-v100-rank1-torch2.0dev.json.gz", "compiled-ddp"},
      {"hta-dlrm-ddp8-a100-rank3-torch1.13.json.gz", "model-parallel-embeddings"},
      {"param-dlrm-ddp8-v100/rank0.json.gz", "model-parallel-embeddings"},
      {"tracelens-resnet18-ddp8-mi300x-rank0.json.gz", ""},
      {"kineto-resnet50-v100-torch1.9-nw4.json.gz", ""},
      {"tracelens-b200-inference-cuda_driver.json.gz", ""},
  };
  for (const auto& [file, name] : expected) {
    IMPORT_OR_SKIP(imported, file);
    EXPECT_EQ(test::parallelism_of(imported.trace), name) << file;
  }
}

TEST(PublicTraces, IterationsWithoutMarksAreThoseOfTheMarks) {
  for (const char* file : {"kineto-resnet50-v100-torch1.9-nw4.json.gz",
                           "kineto-resnet50-v100-torch1.8dev-list.json.gz",
                           "hta-dlrm-ddp8-a100-rank3-torch1.13.json.gz",
                           "hta-compiled-ddp2-v100-rank1-torch2.0dev.json.gz"}) {
    IMPORT_OR_SKIP(imported, file);
    Trace trace = imported.trace;
    trace.iterations.clear();
    const auto found = infer_iterations(trace);
    ASSERT_TRUE(found) << file;
    std::map<std::int32_t, std::int64_t> marked;
    for (const Kernel& kernel : imported.trace.kernels) {
      if (kernel.category == KernelCategory::kCompute && kernel.iteration)
        ++marked[*kernel.iteration];
    }
    EXPECT_EQ(found->kernels_per_iteration, marked.at(0)) << file;
    // A phase other than the marks' cuts one iteration in two.
    const bool cut = !found->marks.front().complete || !found->marks.back().complete;
    const auto complete = static_cast<std::size_t>(
        std::count_if(found->marks.begin(), found->marks.end(),
                      [](const IterationMark& mark) { return mark.complete; }));
    EXPECT_EQ(complete + (cut ? 1 : 0), imported.trace.iterations.size()) << file;
  }
}

TEST(PublicTraces, FilesWithoutMarksHaveInferredIterations) {
  IMPORT_OR_SKIP(resnet18, "param-resnet18-2080ti-torch2.0.json.gz");
  EXPECT_EQ(resnet18.trace.iterations.size(), 30u);
  for (const Figures& of : count_figures(resnet18.trace, false)) EXPECT_EQ(of.gradients, 62);
  IMPORT_OR_SKIP(autograd, "kineto-resnet50-v100-torch1.8dev-autogradapi.json.gz");
  EXPECT_EQ(autograd.trace.iterations.size(), 6u);
  for (const Figures& of : count_figures(autograd.trace, false)) EXPECT_EQ(of.elements, 25557032);
  IMPORT_OR_SKIP(vgg, "hpdl-vgg16-t4-torch2.0.json.gz");
  ASSERT_EQ(vgg.trace.iterations.size(), 1u);
  EXPECT_TRUE(vgg.trace.iterations[0].representative);
  EXPECT_EQ(vgg.trace.gradients.size(), 32u);
}

TEST(PublicTraces, ExactlyOneCompleteIterationIsRepresentative) {
  for (const Row& row : kRows) {
    if (row.backward_kernels == 0) continue;
    IMPORT_OR_SKIP(imported, row.file);
    std::size_t count = 0;
    for (const IterationMark& mark : imported.trace.iterations) {
      if (!mark.representative) continue;
      ++count;
      EXPECT_TRUE(mark.complete);
    }
    EXPECT_EQ(count, 1u) << row.file;
  }
}

}  // namespace
}  // namespace gradwire
