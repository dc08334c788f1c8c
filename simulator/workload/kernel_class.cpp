#include "simulator/workload/kernel_class.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace gradwire {
namespace {

constexpr std::string_view kOther = "other";

struct KernelClass {
  std::string_view name;
  std::vector<std::string_view> patterns;  // lower case
};

/// Spellings of cuDNN, cuBLAS, MIOpen, rocBLAS (Tensile's "Cijk"), Triton and PyTorch's own
/// kernels, as they stand in traces of V100, A100, T4 and MI300X. Convolutions before products of
/// matrices, whose names theirs hold.
const std::vector<KernelClass>& classes() {
  static const std::vector<KernelClass> kClasses = {
      {"attention", {"flash", "fmha", "attention", "attn"}},
      {"convolution",
       {"conv", "scudnn", "cask_cudnn", "winograd", "wgrad", "dgrad", "fprop", "nchwtonhwc",
        "nhwctonchw", "miopen", "igemm", "scalepackedtensor"}},
      {"gemm", {"gemm", "gemv", "cutlass", "cublas", "splitk", "cijk_"}},
      {"normalisation",
       {"bn_bw", "bn_fw", "batch_norm", "batchnorm", "layer_norm", "layernorm", "group_norm",
        "groupnorm", "rmsnorm"}},
      {"softmax", {"softmax"}},
      {"pooling", {"pool"}},
      {"embedding", {"embedding", "index_put", "indexselect", "index_select", "gather"}},
      {"reduction", {"reduce"}},
      {"elementwise", {"elementwise", "pointwise", "fused_dropout", "multi_tensor_apply"}},
      {"copy", {"memcpy", "memset", "copy", "transpose", "catarray"}},
  };
  return kClasses;
}

}  // namespace

std::string_view kernel_class_of(std::string_view kernel_name) {
  std::string name{kernel_name};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const KernelClass& known : classes()) {
    for (const std::string_view pattern : known.patterns) {
      if (name.find(pattern) != std::string::npos) return known.name;
    }
  }
  return kOther;
}

const std::vector<std::string_view>& kernel_classes() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const KernelClass& known : classes()) names.push_back(known.name);
    names.push_back(kOther);
    return names;
  }();
  return kNames;
}

}  // namespace gradwire
