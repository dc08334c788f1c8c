#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "compressors/cuda/device_compressor.hpp"
#include "compressors/reference/simulated_collective.hpp"

namespace gradwire::test {

/// What an exchange by kernels did, with everything copied to the host.
struct KernelExchange {
  std::vector<std::vector<WireMessage>> sent;  ///< by rank, then by transfer
  std::vector<std::vector<float>> averaged;    ///< by rank
};

/// All ranks of a job on one device, one after another; the collectives are the reference's.
class KernelJob {
 public:
  KernelJob(std::string_view spelling, const std::vector<TensorShape>& shapes, int ranks,
            std::uint64_t seed, KernelDesign design = KernelDesign::kFused)
      : elements_(static_cast<std::size_t>(total_elements(shapes).count())) {
    for (int rank = 0; rank < ranks; ++rank) {
      ranks_.push_back(make_device_compressor(spelling, shapes, seed, rank, ranks, design));
    }
  }

  KernelExchange exchange(const std::vector<std::vector<float>>& gradients) {
    std::vector<DeviceArray<float>> on_device;
    std::vector<DeviceArray<float>> averaged;
    for (const std::vector<float>& gradient : gradients) {
      on_device.emplace_back(gradient);
      // Not zero, so that what a kernel forgets to write is seen.
      averaged.emplace_back(std::vector<float>(elements_, 1e30F));
    }
    KernelExchange done;
    done.sent.resize(ranks_.size());
    std::size_t transfer = 0;
    for (int round = 0; round < ranks_.front().compressor->rounds(); ++round) {
      const std::size_t count = ranks_.front().compressor->messages(round).size();
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        encode(rank, round, transfer, on_device[rank].get(), done);
      }
      std::vector<DeviceArray<std::byte>> results;
      std::vector<void*> pointers;
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<WireMessage> contributions;
        for (const auto& messages : done.sent) contributions.push_back(messages[transfer + i]);
        results.emplace_back(
            collective_result(transfers()[transfer + i].kind, contributions).bytes);
        pointers.push_back(results.back().get());
      }
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].compressor->decode(round, pointers, averaged[rank].get(), nullptr);
      }
      wait_for(nullptr);
      transfer += count;
    }
    for (const DeviceArray<float>& values : averaged) done.averaged.push_back(values.on_host());
    return done;
  }

  const std::vector<Transfer>& transfers() const { return ranks_.front().transfers; }

  std::vector<float> memory(std::size_t rank) const {
    const float* memory = ranks_[rank].compressor->memory();
    if (memory == nullptr) return {};
    std::vector<float> values(elements_);
    copy_to_host(values.data(), memory, elements_ * sizeof(float), nullptr);
    return values;
  }

 private:
  void encode(std::size_t rank, int round, std::size_t transfer, const float* gradient,
              KernelExchange& done) {
    const std::vector<DType> types = ranks_[rank].compressor->messages(round);
    std::vector<DeviceArray<std::byte>> messages;
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(transfers()[transfer + i].bytes().count());
      messages.emplace_back(std::vector<std::byte>(bytes, std::byte{0xA5}));
      pointers.push_back(messages.back().get());
    }
    ranks_[rank].compressor->encode(round, gradient, pointers, nullptr);
    for (std::size_t i = 0; i < types.size(); ++i) {
      done.sent[rank].push_back({types[i], messages[i].on_host()});
    }
  }

  std::size_t elements_;
  std::vector<DeviceCompressorAndTransfers> ranks_;
};

}  // namespace gradwire::test
