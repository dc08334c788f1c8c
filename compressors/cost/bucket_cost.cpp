#include "compressors/cost/bucket_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/unit_text.hpp"

namespace gradwire {
namespace {

/// Of a profile's model, what one scheme needs.
struct Rates {
  const WorkModel& model;
  double encode_bytes_per_s;
  double bytes_per_s;
  Seconds fixed{0};

  Rates(const WorkModel& of, const Scheme& scheme)
      : model(of), encode_bytes_per_s(of.dram_bytes_per_s.value), bytes_per_s(encode_bytes_per_s) {
    const SchemeFigures* own = model.figures_of(scheme_text_of(scheme).name);
    if (own == nullptr) return;
    encode_bytes_per_s = own->encode_dram_bytes_per_s.value_or(bytes_per_s);
    fixed = own->fixed;
  }

  StageCost stage(const PhaseWork& work, double rate) const {
    return {Seconds{static_cast<double>(work.launches) * model.launch_s.value},
            Seconds{work.dram_bytes / rate}, Seconds{work.host_syncs * model.host_sync_s.value}};
  }
};

std::vector<TensorShape> all_of(const std::vector<std::vector<TensorShape>>& buckets) {
  std::vector<TensorShape> all;
  for (const auto& bucket : buckets) all.insert(all.end(), bucket.begin(), bucket.end());
  return all;
}

/// Each bucket's part of the elements.
std::vector<double> shares_of(const std::vector<std::vector<TensorShape>>& buckets) {
  const auto all = static_cast<double>(total_elements(all_of(buckets)).count());
  std::vector<double> shares;
  for (const auto& bucket : buckets) {
    const auto elements = static_cast<double>(total_elements(bucket).count());
    shares.push_back(all > 0.0 ? elements / all : 0.0);
  }
  return shares;
}

}  // namespace

BucketCosts bucket_costs(const CostProfile& profile, const Scheme& scheme,
                         const std::vector<std::vector<TensorShape>>& buckets, int ranks,
                         const EncodeDecodeCost& whole) {
  if (!profile.model) return spread_by_elements(buckets, whole.encode, whole.decode);
  const Rates rates(*profile.model, scheme);
  const std::vector<double> shares = shares_of(buckets);
  BucketCosts costs;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const DeviceWork work = scheme.work(buckets[i], ranks);
    BucketCost cost{rates.stage(work.encode, rates.encode_bytes_per_s),
                    rates.stage(work.between, rates.encode_bytes_per_s),
                    rates.stage(work.decode, rates.bytes_per_s)};
    cost.encode.host += rates.fixed * shares[i];
    cost.decode.wait += work.hook_syncs * Seconds{profile.model->host_sync_s.value};
    costs.buckets.push_back(cost);
  }
  if (rates.fixed.count() > 0.0) {
    costs.notes.push_back(fmt::format(
        "The {} that an exchange takes whatever its size are spread over the buckets by elements, "
        "as time of the host thread: if every bucket paid them, overlapping would be slower.",
        format_duration(rates.fixed)));
  }
  if (whole.is_entry) {
    const DeviceWork work = scheme.work(all_of(buckets), ranks);
    const Seconds model =
        rates.stage(work.before_last_transfer(), rates.encode_bytes_per_s).alone() + rates.fixed +
        rates.stage(work.decode, rates.bytes_per_s).alone();
    if (!(model.count() > 0.0)) {
      return spread_by_elements(buckets, whole.encode, whole.decode);
    }
    const double factor = whole.total() / model;
    for (BucketCost& cost : costs.buckets) cost = cost * factor;
    costs.notes.push_back(fmt::format(
        "The figure is of one exchange of all gradients; a bucket's host and device times are the "
        "model's ({} for all) times {:.3g}.",
        format_duration(model), factor));
  }
  return costs;
}

BucketCosts spread_by_elements(const std::vector<std::vector<TensorShape>>& buckets, Seconds encode,
                               Seconds decode) {
  BucketCosts costs;
  for (const double share : shares_of(buckets)) {
    BucketCost cost;
    cost.encode.device = encode * share;
    cost.decode.device = decode * share;
    costs.buckets.push_back(cost);
  }
  costs.notes.emplace_back(
      "Encode and decode times are spread over the buckets by elements, all of it as time of the "
      "device and none of the host thread.");
  return costs;
}

}  // namespace gradwire
