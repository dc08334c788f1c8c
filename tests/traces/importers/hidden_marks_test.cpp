// Public traces with all that marks iterations and the backward pass hidden. Skips where they are
// absent.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "traces/importers/iteration_inference.hpp"
#include "traces/importers/profile/iteration_marks.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

/// Compute kernels of each iteration by name, the iterations that `wanted` refuses apart.
template <class Wanted>
std::map<std::int32_t, std::map<std::uint32_t, int>> kernels_by_iteration(const Trace& trace,
                                                                          Wanted wanted) {
  std::map<std::int32_t, std::map<std::uint32_t, int>> kernels;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.category != KernelCategory::kCompute || !kernel.iteration) continue;
    if (wanted(trace.iterations[static_cast<std::size_t>(*kernel.iteration)])) {
      ++kernels[*kernel.iteration][kernel.name];
    }
  }
  return kernels;
}

// Decision 11, on every training trace of a V100 or A100 with at least three steps: the same number
// of complete iterations, cut ones apart, and the same kernels in each, up to a rotation.
TEST(HiddenMarks, IterationsWithoutAnyMarksAreThoseOfTheMarks) {
  for (const char* file :
       {"kineto-resnet50-v100-torch1.9-nw4.json.gz",
        "kineto-resnet50-v100-torch1.8dev-list.json.gz", "hta-resnet50-ddp2-a100-rank0.json.gz",
        "hta-dlrm-ddp8-a100-rank3-torch1.13.json.gz",
        "hta-compiled-ddp2-v100-rank1-torch2.0dev.json.gz"}) {
    const auto path = std::filesystem::path(GRADWIRE_SHARED_DIR) / "traces-public" / file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
    const Imported imported = import_trace(path, ImportOptions{true});
    Trace trace = imported.trace;
    trace.iterations.clear();
    trace.backwards.clear();
    for (Kernel& kernel : trace.kernels) {
      kernel.iteration.reset();
      kernel.in_backward = false;
    }
    const auto found = infer_iterations(trace);
    ASSERT_TRUE(found) << file;
    EXPECT_FALSE(found->single) << file;
    trace.iterations = found->marks;
    ImportReport report;
    assign_kernels(trace, report);
    const auto complete = [](const IterationMark& mark) { return mark.complete; };
    const auto marked = kernels_by_iteration(imported.trace, complete);
    const auto inferred = kernels_by_iteration(trace, complete);
    const bool cut = !found->marks.front().complete || !found->marks.back().complete;
    EXPECT_EQ(inferred.size() + (cut ? 1 : 0), marked.size()) << file;
    // What the marks call the usual iteration: the one that most of them equal.
    std::map<std::map<std::uint32_t, int>, int> usual;
    for (const auto& [iteration, kernels] : marked) ++usual[kernels];
    const auto most =
        std::max_element(usual.begin(), usual.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::size_t equal = 0;
    for (const auto& [iteration, kernels] : inferred) equal += kernels == most->first ? 1U : 0U;
    EXPECT_GE(equal + 1, inferred.size()) << file;
  }
}

}  // namespace
}  // namespace gradwire
