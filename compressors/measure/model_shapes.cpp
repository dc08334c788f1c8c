#include "compressors/measure/model_shapes.hpp"

#include <cstdint>

namespace gradwire {
namespace {

using Shapes = std::vector<TensorShape>;

/// A weight and a bias, or a norm's scale and shift.
void add_pair(Shapes& out, std::vector<std::int64_t> weight) {
  const std::int64_t outputs = weight.front();
  out.push_back({std::move(weight)});
  out.push_back({{outputs}});
}

/// A convolution without bias, and its batch norm.
void add_convolution(Shapes& out, std::int64_t outputs, std::int64_t inputs, std::int64_t kernel) {
  out.push_back({{outputs, inputs, kernel, kernel}});
  add_pair(out, {outputs});
}

/// torchvision/models/resnet.py: Bottleneck of 1x1, 3x3, 1x1 with four times the planes; the first
/// block of a layer has a down-sampling 1x1 besides.
Shapes resnet(const std::vector<int>& blocks) {
  Shapes out;
  add_convolution(out, 64, 3, 7);
  std::int64_t inputs = 64;
  std::int64_t planes = 64;
  for (const int count : blocks) {
    for (int block = 0; block < count; ++block) {
      add_convolution(out, planes, inputs, 1);
      add_convolution(out, planes, planes, 3);
      add_convolution(out, 4 * planes, planes, 1);
      if (block == 0) add_convolution(out, 4 * planes, inputs, 1);
      inputs = 4 * planes;
    }
    planes *= 2;
  }
  add_pair(out, {1000, inputs});
  return out;
}

Shapes resnet50() { return resnet({3, 4, 6, 3}); }
Shapes resnet101() { return resnet({3, 4, 23, 3}); }

/// transformers/models/bert/modeling_bert.py.
Shapes bert_base() {
  constexpr std::int64_t kVocabulary = 21128;
  constexpr std::int64_t kPositions = 512;
  constexpr std::int64_t kHidden = 768;
  constexpr std::int64_t kLabels = 5;
  Shapes out = {{{kVocabulary, kHidden}}, {{kPositions, kHidden}}, {{2, kHidden}}};
  add_pair(out, {kHidden});
  for (int layer = 0; layer < 12; ++layer) {
    for (int part = 0; part < 4; ++part) add_pair(out, {kHidden, kHidden});  // q, k, v, output
    add_pair(out, {kHidden});
    add_pair(out, {4 * kHidden, kHidden});
    add_pair(out, {kHidden, 4 * kHidden});
    add_pair(out, {kHidden});
  }
  add_pair(out, {kHidden, kHidden});
  add_pair(out, {kLabels, kHidden});
  return out;
}

struct KnownModel {
  const char* name;
  Shapes (*shapes)();
};

constexpr KnownModel kModels[] = {
    {"resnet50", resnet50}, {"resnet101", resnet101}, {"bert-base", bert_base}};

}  // namespace

std::string known_model_names() {
  std::string names;
  for (const KnownModel& model : kModels) {
    if (!names.empty()) names += ", ";
    names += model.name;
  }
  return names;
}

std::optional<MeasuredModel> find_model(std::string_view name) {
  for (const KnownModel& model : kModels) {
    if (name == model.name) return MeasuredModel{model.name, model.shapes()};
  }
  return std::nullopt;
}

}  // namespace gradwire
