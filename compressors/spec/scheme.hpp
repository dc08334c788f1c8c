#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"
#include "compressors/spec/device_work.hpp"

namespace gradwire {

/// The shape of one gradient. A tensor of two or more dimensions counts as a matrix of extents[0]
/// rows and all the rest as columns.
struct TensorShape {
  std::vector<std::int64_t> extents;  ///< empty for a scalar

  Elements elements() const;
  bool is_matrix() const { return extents.size() > 1; }
  std::int64_t rows() const { return extents.front(); }
  std::int64_t columns() const { return elements().count() / rows(); }
};

/// One collective of a compressed exchange. `elements` as CollectiveCall has them: the buffer of
/// one rank, for all-gather what each rank contributes.
struct Transfer {
  std::string what;  ///< "P", "Q", "1-D tensors", "signs", "values", "indices", "gradients"
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Elements elements{0};
  Bytes element_size{4};

  /// What a rank puts on the wire before the collective multiplies it.
  Bytes bytes() const { return elements * element_size; }
  bool operator==(const Transfer&) const = default;
};

/// A way of compressing gradients: what it sends for given tensors. Gradients are float32. No times
/// here: those are a cost profile's. Immutable.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// As `parse_scheme` reads it, with every parameter: "powersgd:rank=4,min_compression_rate=0".
  virtual std::string spelling() const = 0;

  /// The collectives that carry one exchange of `tensors`, in the order in which they are issued. A
  /// transfer of nothing is left out.
  virtual std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const = 0;

  /// What one exchange of `tensors` among `ranks` asks of each rank's host thread and device; each
  /// scheme's file says what is counted. Nothing for nothing.
  virtual DeviceWork work(const std::vector<TensorShape>& tensors, int ranks) const = 0;

  /// For a scheme that all-reduces every element in another type: the size of an element on the
  /// wire. Absent for every other scheme.
  virtual std::optional<Bytes> cast_size() const { return std::nullopt; }
};

/// Sum of the elements.
Elements total_elements(const std::vector<TensorShape>& tensors);

/// Sum of `Transfer::bytes`.
Bytes wire_bytes(const std::vector<Transfer>& transfers);

/// float32 bytes of `tensors` over their wire bytes under `scheme`.
double compression_ratio(const Scheme& scheme, const std::vector<TensorShape>& tensors);

/// Whether the work of `scheme` depends on the shapes of the tensors, not on their elements alone.
bool depends_on_shapes(const Scheme& scheme);

/// Whether every transfer is an all-reduce, whose bytes a rank do not grow with the ranks.
bool carried_by_all_reduce(const std::vector<Transfer>& transfers);

}  // namespace gradwire
