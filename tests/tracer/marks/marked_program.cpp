// A user's program with marks: what it does is its first argument.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "tracer/marks/capture_session.hpp"

namespace {

void train(std::uint64_t iterations) {
  const gradwire::MarkedParameter weight("layer.weight", {3, 4}, "bfloat16");
  const std::vector<gradwire::MarkedParameter> copies = {weight};
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const gradwire::IterationScope iteration(i);
    { const gradwire::ForwardScope forward; }
    {
      const gradwire::BackwardScope backward;
      gradwire::gradient_ready("layer.bias", 4);
      copies.front().gradient_ready();
    }
    const gradwire::OptimizerScope optimizer;
  }
}

/// Nanoseconds that a mark and a gradient's mark take together, without the tracer.
double nanoseconds_a_pair() {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int attempt = 0; attempt < 20; ++attempt) {
    constexpr int kPairs = 100000;
    const auto start = Clock::now();
    for (int i = 0; i < kPairs; ++i) {
      gradwire::mark(GW_FORWARD_BEGIN);
      gradwire::gradient_ready("layer.weight", 12);
    }
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    best = std::min(best, spent.count() / kPairs);
  }
  return best;
}

void trace_itself(const std::string& output, const std::string& library) {
  gradwire::CaptureSession session({output, library});
  std::printf("started %d\n", session.started() ? 1 : 0);
  std::printf("why_not %s\n", session.why_not().c_str());
  const char* const nvtx = std::getenv("NVTX_INJECTION64_PATH");
  std::printf("nvtx %s\n", nvtx == nullptr ? "(null)" : nvtx);
  gradwire::run_fact("batch_size", "32");
  train(1);
  session.stop();
  std::printf("started %d\n", session.started() ? 1 : 0);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  const auto argument = [&](int i) { return std::string(i < count ? arguments[i] : ""); };
  if (what == "train") {
    train(2);
  } else if (what == "time") {
    std::printf("%.3f\n", nanoseconds_a_pair());
  } else if (what == "session") {
    trace_itself(argument(2), argument(3));
  } else if (what == "two sessions") {
    trace_itself(argument(2), argument(3));
    trace_itself(argument(2), argument(3));
  } else if (what == "marks first") {
    gradwire::mark(GW_ITERATION_BEGIN, 0);
    trace_itself(argument(2), argument(3));
  } else if (what == "threads") {
    const gradwire::CaptureSession session({argument(2), argument(3)});
    std::thread first([] { train(50); });
    std::thread second([] { train(50); });
    first.join();
    second.join();
  } else {
    return 1;
  }
  return 0;
}
