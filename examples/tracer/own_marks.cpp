// A training loop of your own that gradwire traces. Copy it, or compile it as it is:
//   g++ -std=c++17 -I GRADWIRE examples/tracer/own_marks.cpp -o own_marks -ldl
//   gradwire trace -- ./own_marks          recorded from outside, or
//   ./own_marks out/own_marks              tracing itself
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tracer/marks/capture_session.hpp"

namespace {

struct Layer {
  gradwire::MarkedParameter weight;
  std::vector<float> gradient;
};

/// Stands for the kernels that compute one layer's gradient.
void compute_gradient(Layer& layer) {
  for (float& value : layer.gradient) value = 0.5F * value + 1.0F;
}

void train(std::vector<Layer>& layers, std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const gradwire::IterationScope iteration(i);
    {
      const gradwire::BackwardScope backward;
      for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        compute_gradient(*layer);
        layer->weight.gradient_ready();  // after the launch of the kernels that complete it
      }
    }
    const gradwire::OptimizerScope optimizer;
  }
}

}  // namespace

int main(int count, char** arguments) {
  // Before the first CUDA call. Under `gradwire trace` it joins that recording.
  gradwire::CaptureSession::Options options;
  if (count > 1) options.output = arguments[1];
  gradwire::CaptureSession session(options);
  if (!session.started()) std::fprintf(stderr, "not traced: %s\n", session.why_not().c_str());
  gradwire::run_fact("batch_size", "32");

  std::vector<Layer> layers;
  layers.push_back({{"first.weight", {256, 64}}, std::vector<float>(256 * 64)});
  layers.push_back({{"second.weight", {10, 256}}, std::vector<float>(10 * 256)});
  train(layers, 5);
  return 0;
}
