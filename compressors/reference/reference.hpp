#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compressors/reference/wire_message.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// What a scheme computes, in plain code on the CPU: the state of one rank (error memory, random
/// numbers, factors kept from one exchange to the next) for a fixed list of tensors. Made to be
/// read and compared with, not to be fast.
///
/// A gradient is float32, all tensors one behind the other, each row by row; n is the number of its
/// elements. One exchange is one or more rounds: in each, every rank encodes, the collectives run,
/// every rank decodes. All ranks take part in every exchange.
class Reference {
 public:
  virtual ~Reference() = default;

  /// Rounds of one exchange, each of which needs the results of the one before it.
  virtual int rounds() const { return 1; }

  /// This rank's messages of `round`: the transfers of the scheme from the first that no earlier
  /// round has carried, in the order of `Scheme::transfers`, each `Transfer::bytes` long.
  /// `gradient` (n elements, the same in all rounds) is this rank's own; `ranks` take part.
  virtual std::vector<WireMessage> encode(int round, std::span<const float> gradient,
                                          int ranks) = 0;

  /// Takes what the collectives made of all ranks' messages of `round`, one result a message, and
  /// writes what it can to `averaged` (n elements, the same buffer in all rounds), which is
  /// complete after the last round.
  virtual void decode(int round, const std::vector<WireMessage>& results, int ranks,
                      std::span<float> averaged) = 0;

  /// Error memory: n elements of what this rank has not sent yet, in units of the gradient. Empty
  /// for a scheme without one.
  virtual std::span<const float> memory() const { return {}; }

  /// Whether the result estimates the average of the gradients, in their units. Else only its
  /// direction means something, and the distance to the average nothing.
  virtual bool gives_average() const { return true; }
};

/// A reference with the transfers that its messages are held to.
struct RankReference {
  std::unique_ptr<Reference> reference;
  std::vector<Transfer> transfers;
};

/// Rank `rank`'s state for `spelling` ("powersgd:rank=2", as `parse_scheme` reads it) before the
/// first exchange of tensors of these shapes. All ranks of a job get the same `spelling`, `shapes`
/// and `seed`. Throws InputError for an unknown scheme or parameter, or a scheme that has no
/// reference.
RankReference make_reference(std::string_view spelling, const std::vector<TensorShape>& shapes,
                             std::uint64_t seed, int rank);

/// One exchange among as many ranks as there are references, in this process: gives for each rank
/// the gradient that its optimiser takes, mostly the average over the ranks of what was sent (each
/// scheme's file says what). `gradients`: one a rank, n elements each. Nothing is sent, and nothing
/// changes, where n is 0.
std::vector<std::vector<float>> exchange_gradients(
    std::span<RankReference> references, const std::vector<std::vector<float>>& gradients);

}  // namespace gradwire
