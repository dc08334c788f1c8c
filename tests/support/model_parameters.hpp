#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire::test {

/// A parameter as a model registers it.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;

  Elements elements() const;
};

/// Parameters of torchvision's ResNet-50 and ResNet-101 with 1000 classes, in registration order.
std::vector<Parameter> resnet50_parameters();
std::vector<Parameter> resnet101_parameters();

/// Parameters of transformers' BertForSequenceClassification of base size, in registration order.
/// The study's Chinese model has a vocabulary of 21128 and 5 labels, the English uncased one of
/// 30522 and, by default, 2 labels.
std::vector<Parameter> bert_base_parameters(std::int64_t vocabulary, std::int64_t labels);

/// The gradients of `parameters` in float32 on one device, ready in reverse registration order, one
/// each second.
std::vector<ReadyGradient> reverse_order_gradients(const std::vector<Parameter>& parameters);

}  // namespace gradwire::test
