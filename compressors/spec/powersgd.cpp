#include "compressors/spec/powersgd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace gradwire {
namespace {

constexpr int kMaxRank = 65536;

class PowerSgd : public Scheme {
 public:
  PowerSgd(int rank, double min_compression_rate, int start_iter, bool hook_sync)
      : rank_(rank),
        min_compression_rate_(min_compression_rate),
        start_iter_(start_iter),
        hook_sync_(hook_sync) {}

  std::string spelling() const override {
    return fmt::format("powersgd:rank={},min_compression_rate={}{}{}", rank_, min_compression_rate_,
                       start_iter_ == 0 ? "" : fmt::format(",start_iter={}", start_iter_),
                       hook_sync_ ? "" : ",hook_sync=false");
  }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    Elements plain{0};
    Elements p{0};
    Elements q{0};
    for (const TensorShape& tensor : tensors) {
      if (!compresses(tensor)) {
        plain += tensor.elements();
        continue;
      }
      const std::int64_t rank = effective_rank(tensor);
      p += Elements{tensor.rows() * rank};
      q += Elements{tensor.columns() * rank};
    }
    std::vector<Transfer> transfers;
    const auto add = [&](const char* what, Elements elements) {
      if (elements.count() == 0) return;
      transfers.push_back({what, CollectiveKind::kAllReduce, elements, Bytes{4}});
    };
    add("1-D tensors", plain);
    add("P", p);
    add("Q", q);
    return transfers;
  }

  /// RankKReducer and its caller. Encode: two launches a tensor (gradient plus memory, copied: 20
  /// bytes an element) and for each matrix P = M Q (4 bytes an element). Between the transfers of P
  /// and Q: on P Gram-Schmidt column by column: 4 launches to normalise a column, 4 to take it from
  /// the columns behind it, of which the last has none: 8 r - 4, moving about 12 r (r + 1) bytes a
  /// row; then Q = M^T P. Decode: P Q^T and two launches for the memory, 24 bytes an element. The
  /// timer's device synchronisations are no host_syncs here: they are in what a launch costs there.
  /// 1-D tensors' packing is not counted.
  DeviceWork work(const std::vector<TensorShape>& tensors, int) const override {
    DeviceWork work;
    for (const TensorShape& tensor : tensors) {
      const auto elements = static_cast<double>(tensor.elements().count());
      if (elements == 0.0) continue;
      work.encode.launches += 2;
      work.encode.dram_bytes += 20.0 * elements;
      if (!compresses(tensor)) continue;
      const std::int64_t rank = effective_rank(tensor);
      work.encode.launches += 1;
      work.encode.dram_bytes += 4.0 * elements;
      work.between.launches += 1 + 8 * rank - 4;
      work.between.dram_bytes +=
          4.0 * elements + 12.0 * static_cast<double>(tensor.rows() * rank * (rank + 1));
      work.decode.launches += 3;
      work.decode.dram_bytes += 24.0 * elements;
    }
    if (hook_sync_ && work.decode.launches > 0) work.hook_syncs = 1;
    return work;
  }

 private:
  std::int64_t effective_rank(const TensorShape& matrix) const {
    return std::min({matrix.rows(), matrix.columns(), static_cast<std::int64_t>(rank_)});
  }

  /// torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook._should_compress:
  /// (rows + columns) * rank * min_compression_rate < rows * columns.
  bool compresses(const TensorShape& tensor) const {
    if (!tensor.is_matrix() || tensor.elements().count() == 0) return false;
    if (min_compression_rate_ == 0.0) return true;
    const auto factors = static_cast<double>((tensor.rows() + tensor.columns()) * rank_);
    return factors * min_compression_rate_ < static_cast<double>(tensor.elements().count());
  }

  int rank_;
  double min_compression_rate_;
  int start_iter_;
  bool hook_sync_;
};

}  // namespace

std::unique_ptr<Scheme> make_powersgd(SchemeParameters& parameters) {
  const int rank = parameters.integer("rank", 4, 1, kMaxRank);
  const double rate = parameters.number("min_compression_rate", 0.0, -1e-12, 1e6);
  const int start_iter = parameters.integer("start_iter", 0, 0, std::numeric_limits<int>::max());
  return std::make_unique<PowerSgd>(rank, rate, start_iter, parameters.truth("hook_sync", true));
}

}  // namespace gradwire
