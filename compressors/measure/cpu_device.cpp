#include "compressors/measure/cpu_device.hpp"

#include <chrono>
#include <span>

#include "compressors/measure/cpu_machine.hpp"
#include "compressors/reference/random.hpp"
#include "compressors/reference/reference.hpp"
#include "compressors/reference/reference_registry.hpp"
#include "compressors/reference/simulated_collective.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Standard normal values, the same in every run.
std::vector<float> random_gradient(Elements elements) {
  Random random(kSeed, own_stream(0));
  std::vector<float> gradient(static_cast<std::size_t>(elements.count()));
  for (float& value : gradient) value = static_cast<float>(random.normal());
  return gradient;
}

class CpuExchange : public MeasuredExchange {
 public:
  explicit CpuExchange(const MeasuredQuestion& question)
      : rank_(make_reference(question.scheme, question.shapes, kSeed, 0)),
        ranks_(question.ranks),
        gradient_(random_gradient(total_elements(question.shapes))),
        averaged_(gradient_.size()) {}

  EncodeDecodeTime run() override {
    EncodeDecodeTime time;
    std::span<const Transfer> left = rank_.transfers;
    const int rounds = rank_.reference->rounds();
    for (int round = 0; round < rounds; ++round) {
      const auto begin = Clock::now();
      const std::vector<WireMessage> sent = rank_.reference->encode(round, gradient_, ranks_);
      time.encode += Clock::now() - begin;
      std::vector<WireMessage> results;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        results.push_back(collective_result(
            left[i].kind, std::vector<WireMessage>(static_cast<std::size_t>(ranks_), sent[i])));
      }
      left = left.subspan(sent.size());
      const auto received = Clock::now();
      rank_.reference->decode(round, results, ranks_, averaged_);
      (round + 1 < rounds ? time.encode : time.decode) += Clock::now() - received;
    }
    return time;
  }

 private:
  using Clock = std::chrono::steady_clock;

  RankReference rank_;
  int ranks_;
  std::vector<float> gradient_;
  std::vector<float> averaged_;
};

class CpuDevice : public MeasuredDevice {
 public:
  CpuDevice() : machine_(read_cpu_machine()) {
    MeasuredImplementation reference{
        "reference", "plain code on one thread of the CPU, made to be read and not to be fast", {}};
    for (const ReferenceEntry& entry : references()) {
      reference.schemes.emplace_back(entry.scheme);
    }
    implementations_.push_back(std::move(reference));
  }

  const MeasuredMachine& machine() const override { return machine_; }
  const std::vector<MeasuredImplementation>& implementations() const override {
    return implementations_;
  }

  /// An element: gradient, result, memory, a copy while encoding, and a selection's magnitudes and
  /// 8-byte places, 40 bytes, with room for vectors that grow by doubling. A byte on the wire, for
  /// each rank: sent, gathered, taken out of the message, and narrow indices as wide ones.
  Bytes memory_for(const MeasuredQuestion& question) const override {
    constexpr std::int64_t kBytesAnElement = 64;
    constexpr std::int64_t kCopiesOfAMessage = 6;
    const auto scheme = parse_scheme(question.scheme);
    const Bytes wire = wire_bytes(scheme->transfers(question.shapes));
    return total_elements(question.shapes) * Bytes{kBytesAnElement} +
           wire * (kCopiesOfAMessage * question.ranks);
  }

  Bytes free_memory() const override { return free_cpu_memory(); }

  std::unique_ptr<MeasuredExchange> make(const MeasuredQuestion& question) override {
    return std::make_unique<CpuExchange>(question);
  }

 private:
  MeasuredMachine machine_;
  std::vector<MeasuredImplementation> implementations_;
};

}  // namespace

std::unique_ptr<MeasuredDevice> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace gradwire
