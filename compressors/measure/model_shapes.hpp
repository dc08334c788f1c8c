#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// Whose gradients are exchanged.
struct MeasuredModel {
  std::string name;  ///< "resnet50", or what a file is called
  std::vector<TensorShape> shapes;
};

/// Names of the models that the program knows, for messages: "resnet50, resnet101, bert-base".
std::string known_model_names();

/// The shapes of a known model's parameters, in registration order: torchvision's ResNet-50 and
/// ResNet-101 with 1000 classes; transformers' BertForSequenceClassification of base size with the
/// study's vocabulary of 21128 and 5 labels. Absent for another name.
std::optional<MeasuredModel> find_model(std::string_view name);

}  // namespace gradwire
