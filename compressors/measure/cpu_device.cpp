#include "compressors/measure/cpu_device.hpp"

#include <algorithm>
#include <chrono>

#include "compressors/measure/cpu_machine.hpp"
#include "compressors/reference/random.hpp"
#include "compressors/reference/reference.hpp"
#include "compressors/reference/reference_registry.hpp"
#include "compressors/reference/simulated_collective.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kGradientSeed = 2;  // a scheme's draws have nothing of its gradient

/// Standard normal values, the same in every run.
std::vector<float> random_gradient(Elements elements, int rank) {
  const RandomKey key = own_key(kGradientSeed, rank);
  std::vector<float> gradient(static_cast<std::size_t>(elements.count()));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] = static_cast<float>(random_normal(random_bits(key, 0, i)));
  }
  return gradient;
}

/// What ranks 1 to `kDistinctRanks` - 1 send in their first exchange.
std::vector<std::vector<WireMessage>> messages_of_others(const MeasuredQuestion& question) {
  std::vector<std::vector<WireMessage>> others;
  for (int rank = 1; rank < std::min(question.ranks, kDistinctRanks); ++rank) {
    const RankReference other = make_reference(question.scheme, question.shapes, kSeed, rank);
    others.push_back(other.reference->encode(
        0, random_gradient(total_elements(question.shapes), rank), question.ranks));
  }
  return others;
}

class CpuExchange : public MeasuredExchange {
 public:
  explicit CpuExchange(const MeasuredQuestion& question)
      : own_(make_reference(question.scheme, question.shapes, kSeed, 0)),
        ranks_(question.ranks),
        gradient_(random_gradient(total_elements(question.shapes), 0)),
        averaged_(gradient_.size()) {
    const bool gathers = !carried_by_all_reduce(own_.transfers);
    if (gathers && own_.reference->rounds() == 1) others_ = messages_of_others(question);
  }

  EncodeDecodeTime run() override {
    EncodeDecodeTime time;
    std::size_t carried = 0;
    const int rounds = own_.reference->rounds();
    for (int round = 0; round < rounds; ++round) {
      const auto begin = Clock::now();
      const std::vector<WireMessage> sent = own_.reference->encode(round, gradient_, ranks_);
      time.encode += Clock::now() - begin;
      const std::vector<WireMessage> results = exchange(sent, carried);
      carried += sent.size();
      const auto received = Clock::now();
      own_.reference->decode(round, results, ranks_, averaged_);
      (round + 1 < rounds ? time.encode : time.decode) += Clock::now() - received;
    }
    return time;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// What the collectives make of `sent`, whose first is transfer `first` of the scheme.
  std::vector<WireMessage> exchange(const std::vector<WireMessage>& sent, std::size_t first) const {
    std::vector<WireMessage> results;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::vector<WireMessage> contributions;
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
        const std::size_t turn = rank % (others_.size() + 1);
        contributions.push_back(turn == 0 ? sent[i] : others_[turn - 1][i]);
      }
      results.push_back(collective_result(own_.transfers[first + i].kind, contributions));
    }
    return results;
  }

  RankReference own_;
  int ranks_;
  std::vector<float> gradient_;
  std::vector<float> averaged_;
  std::vector<std::vector<WireMessage>> others_;  ///< by rank from 1, then by transfer; or none
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
  /// 8-byte places. A byte on the wire, for each rank: sent, gathered, taken out of the message.
  /// 1.1 to 3.2 times the peaks of twelve runs (measured, 2026-12).
  Bytes memory_for(const MeasuredQuestion& question) const override {
    constexpr std::int64_t kBytesAnElement = 48;
    constexpr std::int64_t kCopiesOfAMessage = 4;
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
