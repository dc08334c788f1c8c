#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compressors/reference/reference_registry.hpp"

namespace gradwire {

/// What selections compare: |value|, where infinities and NaN count as the largest finite float32.
/// So they are sent first, every rank sees them, and no threshold becomes infinite.
float selection_magnitude(float value);

/// A scheme that sends k elements of all tensors taken as one vector, k as the scheme has it.
/// Result: at each element the sum over the ranks of what they sent there, added in the order of
/// the ranks, over the number of ranks; 0 where nobody sent.
///
/// With memory (Stich, Cordonnier, Jaggi, "Sparsified SGD with Memory", arXiv 1809.07599, algorithm
/// 1): what is selected from, and sent, is the gradient plus the memory; what is not sent is the
/// next memory. The memory of a sent element is exactly 0, also after an infinity or a NaN.
class Selection : public Reference {
 public:
  std::vector<WireMessage> encode(int round, std::span<const float> gradient, int ranks) override;
  void decode(int round, const std::vector<WireMessage>& results, int ranks,
              std::span<float> averaged) override;
  std::span<const float> memory() const override { return memory_; }

 protected:
  enum class Memory { kNone, kOfWhatWasNotSent };

  Selection(const ReferenceSetting& setting, Memory memory);

  /// The places of `k` different elements of `vector`, ascending. `k` is at most its length.
  virtual std::vector<std::int64_t> select(std::span<const float> vector, std::int64_t k) = 0;

 private:
  std::int64_t k_ = 0;
  std::int64_t index_bytes_ = 0;       // 0: all ranks select the same, no index is sent
  std::vector<float> memory_;          // n elements, or none
  std::vector<std::int64_t> indices_;  // selected by the last encode
};

}  // namespace gradwire
