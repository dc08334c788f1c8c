#include "compressors/reference/reference.hpp"

#include <algorithm>

#include "compressors/reference/simulated_collective.hpp"

namespace gradwire {
namespace {

void check_messages(const std::vector<WireMessage>& messages, std::span<const Transfer> transfers) {
  GW_CHECK(messages.size() <= transfers.size(), "more messages than the scheme has transfers");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    GW_CHECK(element_size(messages[i].type) == transfers[i].element_size,
             transfers[i].what + ": another element size than the scheme's");
    GW_CHECK(static_cast<std::int64_t>(messages[i].bytes.size()) == transfers[i].bytes().count(),
             transfers[i].what + ": another length than the scheme's");
  }
}

}  // namespace

std::vector<std::vector<float>> exchange_gradients(
    std::span<RankReference> references, const std::vector<std::vector<float>>& gradients) {
  GW_CHECK(!references.empty() && references.size() == gradients.size(), "one gradient a rank");
  const std::size_t elements = gradients.front().size();
  for (const std::vector<float>& gradient : gradients) {
    GW_CHECK(gradient.size() == elements, "gradients of one length");
  }
  std::vector<std::vector<float>> averaged(gradients.size(), std::vector<float>(elements));
  if (elements == 0) return averaged;

  const int ranks = static_cast<int>(references.size());
  std::span<const Transfer> left = references.front().transfers;
  for (int round = 0; round < references.front().reference->rounds(); ++round) {
    std::vector<std::vector<WireMessage>> sent;  // by rank, then by transfer
    for (std::size_t rank = 0; rank < references.size(); ++rank) {
      sent.push_back(references[rank].reference->encode(round, gradients[rank], ranks));
      check_messages(sent.back(), left);
      GW_CHECK(sent.back().size() == sent.front().size(), "the ranks send different transfers");
    }
    std::vector<WireMessage> results;
    for (std::size_t transfer = 0; transfer < sent.front().size(); ++transfer) {
      std::vector<WireMessage> contributions;
      for (std::vector<WireMessage>& messages : sent) {
        contributions.push_back(std::move(messages[transfer]));
      }
      results.push_back(collective_result(left[transfer].kind, contributions));
    }
    left = left.subspan(results.size());
    for (std::size_t rank = 0; rank < references.size(); ++rank) {
      references[rank].reference->decode(round, results, ranks, averaged[rank]);
    }
  }
  GW_CHECK(left.empty(), "a transfer of the scheme was not sent");
  return averaged;
}

}  // namespace gradwire
