#include "compressors/cuda/kernel_device.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "compressors/cuda/device_compressor.hpp"
#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/random_gradient.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kGradientSeed = 2;  // a scheme's draws have nothing of its gradient
constexpr const char* kFusedName = "fused";
constexpr const char* kStudyName = "2021";

/// The messages of one exchange lie where an exchange over a network would have them: this rank's
/// at the front of what all ranks' would be.
class KernelExchangeTimer : public MeasuredExchange {
 public:
  KernelExchangeTimer(const MeasuredQuestion& question, KernelDesign design)
      : elements_(total_elements(question.shapes).count()),
        gradient_(static_cast<std::size_t>(elements_)),
        averaged_(gradient_.size()) {
    const auto transfers = parse_scheme(question.scheme)->transfers(question.shapes);
    const bool gathers = !carried_by_all_reduce(transfers);
    // The sum of one rank's messages is that rank's: with one rank, no all-reduce is needed.
    const int ranks = gathers ? question.ranks : 1;
    own_ = make_device_compressor(question.scheme, question.shapes, kSeed, 0, ranks, design);
    for (const Transfer& transfer : own_.transfers) {
      const auto bytes = static_cast<std::size_t>(transfer.bytes().count());
      results_.emplace_back(bytes * static_cast<std::size_t>(ranks));
      pointers_.push_back(results_.back().get());
    }
    if (gathers) {
      GW_CHECK(own_.compressor->rounds() == 1, "all-gathers of one round are measured alone");
      for (int rank = 1; rank < ranks; ++rank) fill_place(rank, question, design);
    }
    draw_gradient(own_key(kGradientSeed, 0), elements_, gradient_.get(), stream_.get());
    wait_for(stream_.get());
  }

  EncodeDecodeTime run() override {
    EncodeDecodeTime time;
    const int rounds = own_.compressor->rounds();
    std::size_t first = 0;
    begin_.record(stream_.get());
    for (int round = 0; round < rounds; ++round) {
      const std::span<void* const> messages =
          std::span{pointers_}.subspan(first, own_.compressor->messages(round).size());
      own_.compressor->encode(round, gradient_.get(), messages, stream_.get());
      if (round + 1 == rounds) encoded_.record(stream_.get());
      own_.compressor->decode(round, messages, averaged_.get(), stream_.get());
      first += messages.size();
    }
    decoded_.record(stream_.get());
    time.decode = decoded_.since(encoded_);
    time.encode = encoded_.since(begin_);
    return time;
  }

 private:
  /// What `rank` would send; beyond kDistinctRanks the same as one of these.
  void fill_place(int rank, const MeasuredQuestion& question, KernelDesign design) {
    if (rank >= kDistinctRanks) {
      for (std::size_t i = 0; i < results_.size(); ++i) {
        copy_on_device(place(i, rank), place(i, 1 + rank % (kDistinctRanks - 1)), bytes_of(i),
                       stream_.get());
      }
      return;
    }
    const DeviceCompressorAndTransfers other = make_device_compressor(
        question.scheme, question.shapes, kSeed, rank, question.ranks, design);
    draw_gradient(own_key(kGradientSeed, rank), elements_, gradient_.get(), stream_.get());
    std::vector<void*> messages;
    for (std::size_t i = 0; i < results_.size(); ++i) messages.push_back(place(i, rank));
    other.compressor->encode(0, gradient_.get(), messages, stream_.get());
    wait_for(stream_.get());
  }

  std::size_t bytes_of(std::size_t transfer) const {
    return static_cast<std::size_t>(own_.transfers[transfer].bytes().count());
  }

  void* place(std::size_t transfer, int rank) const {
    return results_[transfer].get() + bytes_of(transfer) * static_cast<std::size_t>(rank);
  }

  std::int64_t elements_;
  OwnStream stream_;
  DeviceArray<float> gradient_;
  DeviceArray<float> averaged_;
  DeviceCompressorAndTransfers own_;
  std::vector<DeviceArray<std::byte>> results_;  // by transfer: all ranks', this one's first
  std::vector<void*> pointers_;                  // to these
  DeviceEvent begin_;
  DeviceEvent encoded_;
  DeviceEvent decoded_;
};

class KernelDevice : public MeasuredDevice {
 public:
  KernelDevice(MeasuredMachine machine, std::function<Bytes()> free_memory)
      : machine_(std::move(machine)), free_memory_(std::move(free_memory)) {
    MeasuredImplementation fused{kFusedName, "gradwire's kernels, few launches an exchange", {}};
    MeasuredImplementation study{
        kStudyName, "gradwire's kernels in the launch structure of the study's code of 2021", {}};
    for (const DeviceEntry& entry : device_entries()) {
      fused.schemes.emplace_back(entry.scheme);
      if (entry.study != nullptr) study.schemes.emplace_back(entry.scheme);
    }
    implementations_ = {std::move(fused), std::move(study)};
  }

  const MeasuredMachine& machine() const override { return machine_; }
  const std::vector<MeasuredImplementation>& implementations() const override {
    return implementations_;
  }

  /// An element: gradient, result and memory (4 bytes each), for another rank's compressor while
  /// its message is made a second memory, and twice the most that a scheme keeps beside (the
  /// study's MSTop-K: magnitude, mark and an 8-byte place). A byte on the wire once for each rank.
  /// Counted, not measured.
  Bytes memory_for(const MeasuredQuestion& question) const override {
    constexpr std::int64_t kBytesAnElement = 16 + 2 * 13;
    const auto scheme = parse_scheme(question.scheme);
    const Bytes wire = wire_bytes(scheme->transfers(question.shapes));
    return total_elements(question.shapes) * Bytes{kBytesAnElement} + wire * (question.ranks + 2);
  }

  Bytes free_memory() const override { return free_memory_(); }

  std::unique_ptr<MeasuredExchange> make(const MeasuredQuestion& question) override {
    return std::make_unique<KernelExchangeTimer>(question, question.implementation == kStudyName
                                                               ? KernelDesign::kStudy
                                                               : KernelDesign::kFused);
  }

 private:
  MeasuredMachine machine_;
  std::function<Bytes()> free_memory_;
  std::vector<MeasuredImplementation> implementations_;
};

}  // namespace

std::unique_ptr<MeasuredDevice> make_kernel_device(MeasuredMachine machine,
                                                   std::function<Bytes()> free_memory) {
  return std::make_unique<KernelDevice>(std::move(machine), std::move(free_memory));
}

}  // namespace gradwire
