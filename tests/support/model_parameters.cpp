#include "tests/support/model_parameters.hpp"

namespace gradwire::test {
namespace {

using Parameters = std::vector<Parameter>;

void add_batch_norm(Parameters& out, const std::string& name, std::int64_t channels) {
  out.push_back({name + ".weight", {channels}});
  out.push_back({name + ".bias", {channels}});
}

/// A layer with a matrix (outputs x inputs) and a bias.
void add_linear(Parameters& out, const std::string& name, std::int64_t outputs,
                std::int64_t inputs) {
  out.push_back({name + ".weight", {outputs, inputs}});
  out.push_back({name + ".bias", {outputs}});
}

/// torchvision/models/resnet.py, Bottleneck: 1x1, 3x3, 1x1 with four times the planes, each with
/// its batch norm; the first block of a layer has a down-sampling 1x1 besides.
void add_bottleneck(Parameters& out, const std::string& name, std::int64_t inputs,
                    std::int64_t planes, bool downsample) {
  out.push_back({name + ".conv1.weight", {planes, inputs, 1, 1}});
  add_batch_norm(out, name + ".bn1", planes);
  out.push_back({name + ".conv2.weight", {planes, planes, 3, 3}});
  add_batch_norm(out, name + ".bn2", planes);
  out.push_back({name + ".conv3.weight", {4 * planes, planes, 1, 1}});
  add_batch_norm(out, name + ".bn3", 4 * planes);
  if (downsample) {
    out.push_back({name + ".downsample.0.weight", {4 * planes, inputs, 1, 1}});
    add_batch_norm(out, name + ".downsample.1", 4 * planes);
  }
}

Parameters resnet(const std::vector<int>& blocks) {
  Parameters out;
  out.push_back({"conv1.weight", {64, 3, 7, 7}});
  add_batch_norm(out, "bn1", 64);
  std::int64_t inputs = 64;
  std::int64_t planes = 64;
  for (std::size_t layer = 0; layer < blocks.size(); ++layer) {
    for (int block = 0; block < blocks[layer]; ++block) {
      const std::string name = "layer" + std::to_string(layer + 1) + "." + std::to_string(block);
      add_bottleneck(out, name, inputs, planes, block == 0);
      inputs = 4 * planes;
    }
    planes *= 2;
  }
  add_linear(out, "fc", 1000, inputs);
  return out;
}

/// transformers/models/bert/modeling_bert.py, BertLayer.
void add_bert_layer(Parameters& out, const std::string& name, std::int64_t hidden,
                    std::int64_t intermediate) {
  for (const char* part : {"query", "key", "value"}) {
    add_linear(out, name + ".attention.self." + part, hidden, hidden);
  }
  add_linear(out, name + ".attention.output.dense", hidden, hidden);
  add_batch_norm(out, name + ".attention.output.LayerNorm", hidden);
  add_linear(out, name + ".intermediate.dense", intermediate, hidden);
  add_linear(out, name + ".output.dense", hidden, intermediate);
  add_batch_norm(out, name + ".output.LayerNorm", hidden);
}

}  // namespace

Elements Parameter::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return Elements{product};
}

std::vector<Parameter> resnet50_parameters() { return resnet({3, 4, 6, 3}); }

std::vector<Parameter> resnet101_parameters() { return resnet({3, 4, 23, 3}); }

std::vector<Parameter> bert_base_parameters(std::int64_t vocabulary, std::int64_t labels) {
  constexpr std::int64_t kHidden = 768;
  constexpr std::int64_t kPositions = 512;
  Parameters out;
  out.push_back({"bert.embeddings.word_embeddings.weight", {vocabulary, kHidden}});
  out.push_back({"bert.embeddings.position_embeddings.weight", {kPositions, kHidden}});
  out.push_back({"bert.embeddings.token_type_embeddings.weight", {2, kHidden}});
  add_batch_norm(out, "bert.embeddings.LayerNorm", kHidden);
  for (int layer = 0; layer < 12; ++layer) {
    add_bert_layer(out, "bert.encoder.layer." + std::to_string(layer), kHidden, 4 * kHidden);
  }
  add_linear(out, "bert.pooler.dense", kHidden, kHidden);
  add_linear(out, "classifier", labels, kHidden);
  return out;
}

std::vector<ReadyGradient> reverse_order_gradients(const std::vector<Parameter>& parameters) {
  std::vector<ReadyGradient> gradients;
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    ReadyGradient gradient;
    gradient.parameter = parameter->name;
    gradient.shape = parameter->shape;
    gradient.elements = parameter->elements();
    gradient.ready = Seconds{static_cast<double>(gradients.size() + 1)};
    gradients.push_back(gradient);
  }
  return gradients;
}

}  // namespace gradwire::test
