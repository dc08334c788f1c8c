#include "compressors/cuda/device_exchange.hpp"

#include "base/errors.hpp"

namespace gradwire {

/// A rank with the buffers of its messages.
class DeviceExchange::Member {
 public:
  explicit Member(LocalRank rank) : rank_(std::move(rank)) {
    use_device(rank_.device);
    stream_ = std::make_unique<OwnStream>();
    encoded_ = std::make_unique<DeviceEvent>();
    communicated_ = std::make_unique<DeviceEvent>();
    for (const Transfer& transfer : rank_.compressor.transfers) {
      const bool gathers = transfer.kind == CollectiveKind::kAllGather;
      GW_CHECK(gathers || transfer.kind == CollectiveKind::kAllReduce, "another collective");
      const auto own = static_cast<std::size_t>(transfer.bytes().count());
      const auto ranks = static_cast<std::size_t>(rank_.transport->ranks());
      buffers_.emplace_back(gathers ? own * ranks : own);
      // A rank's contribution is written to where it will lie among the others'.
      const auto place = gathers ? own * static_cast<std::size_t>(rank_.transport->rank()) : 0;
      results_.push_back(buffers_.back().get());
      messages_.push_back(buffers_.back().get() + place);
    }
  }

  bool sends() const { return !rank_.compressor.transfers.empty(); }
  int rounds() const { return compressor().rounds(); }
  Transport& transport() { return *rank_.transport; }
  DeviceCompressor& compressor() const { return *rank_.compressor.compressor; }

  void encode(int round, const LocalGradient& gradient) {
    if (round == 0) first_ = 0;
    types_ = compressor().messages(round);
    use_device(rank_.device);
    compressor().encode(round, gradient.gradient, of_round(messages_), gradient.stream);
    encoded_->record(gradient.stream);
    encoded_->hold(stream_->get());
  }

  void communicate() {
    use_device(rank_.device);
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const Transfer& transfer = rank_.compressor.transfers[first_ + i];
      void* buffer = results_[first_ + i];
      if (transfer.kind == CollectiveKind::kAllGather) {
        transport().all_gather(buffer, types_[i], transfer.elements.count(), stream_->get());
      } else {
        transport().all_reduce(buffer, types_[i], transfer.elements.count(), stream_->get());
      }
    }
  }

  void decode(int round, const LocalGradient& gradient) {
    use_device(rank_.device);
    communicated_->record(stream_->get());
    communicated_->hold(gradient.stream);
    compressor().decode(round, of_round(results_), gradient.averaged, gradient.stream);
    first_ += types_.size();
  }

 private:
  std::span<void* const> of_round(const std::vector<void*>& all) const {
    GW_CHECK(first_ + types_.size() <= all.size(), "more messages than the scheme has transfers");
    return std::span{all}.subspan(first_, types_.size());
  }

  LocalRank rank_;
  std::unique_ptr<OwnStream> stream_;
  std::unique_ptr<DeviceEvent> encoded_;
  std::unique_ptr<DeviceEvent> communicated_;
  std::vector<DeviceArray<std::byte>> buffers_;  // by transfer
  std::vector<void*> results_;                   // by transfer: the buffer
  std::vector<void*> messages_;                  // by transfer: this rank's place in it
  std::size_t first_ = 0;                        // transfer of the round
  std::vector<DType> types_;                     // of the round's messages
};

DeviceExchange::DeviceExchange(std::vector<LocalRank> ranks) {
  GW_CHECK(!ranks.empty(), "no rank takes part");
  for (LocalRank& rank : ranks) members_.push_back(std::make_unique<Member>(std::move(rank)));
}

DeviceExchange::~DeviceExchange() = default;

const DeviceCompressor& DeviceExchange::compressor(std::size_t rank) const {
  return members_[rank]->compressor();
}

void DeviceExchange::run(std::span<const LocalGradient> gradients) {
  GW_CHECK(gradients.size() == members_.size(), "one gradient a rank");
  Member& first = *members_.front();
  if (!first.sends()) return;
  for (int round = 0; round < first.rounds(); ++round) {
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->encode(round, gradients[i]);
    first.transport().begin_group();
    for (const std::unique_ptr<Member>& member : members_) member->communicate();
    first.transport().end_group();
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->decode(round, gradients[i]);
  }
}

}  // namespace gradwire
