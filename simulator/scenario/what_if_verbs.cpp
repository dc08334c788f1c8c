#include "simulator/scenario/what_if_verbs.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/scenario/what_if.hpp"

namespace gradwire {
namespace {

WhatIfReading read_compute(WhatIfWords& words) {
  const double factor = words.factor(words.value());
  const bool kept = words.option("gaps", {"scaled", "kept"}) == "kept";
  const bool scaled_codec = words.option("codec", {"fixed", "scaled"}) == "scaled";
  return {[=](Scenario scenario) {
    scenario = kept ? with_faster_kernels(std::move(scenario), factor)
                    : with_faster_compute(std::move(scenario), factor);
    return scaled_codec ? with_cheaper_encode(std::move(scenario), factor) : scenario;
  }};
}

WhatIfReading read_kernels(WhatIfWords& words) {
  const std::size_t colon = words.value().find(':');
  if (colon == std::string::npos) {
    words.refuse("no class found; a class of kernels and a factor are accepted, as in gemm:2");
  }
  const std::string kernel_class = words.value().substr(0, colon);
  const double factor = words.factor(words.value().substr(colon + 1));
  return {[=](Scenario scenario) {
    return with_faster_kernels(std::move(scenario), factor, kernel_class);
  }};
}

template <bool kEncode, bool kDecode>
WhatIfReading read_codec(WhatIfWords& words) {
  const double divisor = words.factor(words.value());
  return {[=](Scenario scenario) {
    return with_cheaper_codec(std::move(scenario), kEncode ? divisor : 1.0,
                              kDecode ? divisor : 1.0);
  }};
}

WhatIfReading read_costs_of(WhatIfWords& words) {
  const std::shared_ptr<const Scheme> scheme = parse_scheme(words.whole_value());
  return {[=](Scenario scenario) { return with_costs_of(std::move(scenario), scheme); }, true};
}

WhatIfReading read_payload(WhatIfWords& words) {
  const double factor = words.factor(words.value());
  return {[=](Scenario scenario) { return with_payload(std::move(scenario), factor); }};
}

/// "x2" is a factor on what is there.
bool is_relative(const std::string& value) { return !value.empty() && value.front() == 'x'; }

WhatIfReading read_bandwidth(WhatIfWords& words) {
  if (is_relative(words.value())) {
    const double factor = words.factor(words.value().substr(1));
    return {[=](Scenario scenario) {
      const BitsPerSecond bandwidth = scenario.cluster.nic.bandwidth * factor;
      return with_bandwidth(std::move(scenario), bandwidth);
    }};
  }
  const BitsPerSecond bandwidth = parse_bandwidth(words.value(), words.place());
  return {[=](Scenario scenario) { return with_bandwidth(std::move(scenario), bandwidth); }, true};
}

WhatIfReading read_latency(WhatIfWords& words) {
  if (is_relative(words.value())) {
    const double factor = words.factor(words.value().substr(1));
    return {[=](Scenario scenario) {
      const Seconds latency = scenario.cluster.nic.latency * factor;
      return with_latency(std::move(scenario), latency);
    }};
  }
  const Seconds latency = parse_duration(words.value(), words.place());
  return {[=](Scenario scenario) { return with_latency(std::move(scenario), latency); }, true};
}

constexpr int kMostRanks = 1'000'000;

WhatIfReading read_workers(WhatIfWords& words) {
  const int workers = words.count(words.value(), kMostRanks);
  return {[=](Scenario scenario) { return with_workers(std::move(scenario), workers); }, true};
}

WhatIfReading read_gpus_per_node(WhatIfWords& words) {
  const int gpus = words.count(words.value(), kMostRanks);
  return {[=](Scenario scenario) { return with_gpus_per_node(std::move(scenario), gpus); }, true};
}

WhatIfReading read_bucket_cap(WhatIfWords& words) {
  const Bytes cap = parse_bytes(words.value(), words.place());
  return {[=](Scenario scenario) {
            BucketCaps caps = scenario.caps;
            caps.rest = cap;
            return with_bucket_caps(std::move(scenario), caps);
          },
          true};
}

WhatIfReading read_first_bucket(WhatIfWords& words) {
  const Bytes cap = parse_bytes(words.value(), words.place());
  return {[=](Scenario scenario) {
            BucketCaps caps = scenario.caps;
            caps.first = cap;
            return with_bucket_caps(std::move(scenario), caps);
          },
          true};
}

WhatIfReading read_accumulate(WhatIfWords& words) {
  const int passes = words.count(words.value(), 10'000);
  return {[=](Scenario scenario) { return with_accumulation(std::move(scenario), passes); }, true};
}

WhatIfReading read_overlap(WhatIfWords& words) {
  if (words.value() != "off") {
    words.refuse(fmt::format("\"{}\" found; off is accepted", words.value()));
  }
  return {[](Scenario scenario) { return without_overlap(std::move(scenario)); }, true};
}

WhatIfReading read_mode(WhatIfWords& words) {
  const CompressionMode mode = compression_mode_from_name(words.value());
  return {[=](Scenario scenario) { return with_mode(std::move(scenario), mode); }, true};
}

WhatIfReading read_dtype(WhatIfWords& words) {
  static const std::map<std::string, DType> kTypes = {{"float32", DType::kFloat32},
                                                      {"fp16", DType::kFloat16},
                                                      {"bf16", DType::kBfloat16},
                                                      {"float64", DType::kFloat64}};
  const auto found = kTypes.find(words.value());
  if (found == kTypes.end()) {
    words.refuse(
        fmt::format("\"{}\" found; accepted: float32, fp16, bf16, float64", words.value()));
  }
  const DType dtype = found->second;
  return {[=](Scenario scenario) { return with_gradient_dtype(std::move(scenario), dtype); }, true};
}

WhatIfReading read_batch(WhatIfWords& words) {
  const int batch = words.count(words.value(), 1'000'000'000);
  const double share = words.share("fixed", 0.0);
  return {[=](Scenario scenario) { return with_batch(std::move(scenario), batch, share); }, true};
}

WhatIfReading read_slowdown(WhatIfWords& words) {
  const double factor = words.factor(words.value());
  if (factor < 1.0) words.refuse(fmt::format("{} found; 1 or more is accepted", words.value()));
  return {[=](Scenario scenario) { return with_overlap_slowdown(std::move(scenario), factor); },
          true};
}

}  // namespace

const std::vector<WhatIfEntry>& what_if_entries() {
  static const std::vector<WhatIfEntry> kEntries = {
      {{"compute", "S[,gaps=kept][,codec=scaled]",
        "the backward pass is S times as fast; its idle gaps too unless kept, encode and decode "
        "only with codec=scaled"},
       "compute",
       read_compute},
      {{"kernels", "CLASS:S", "kernels of one class (gemm, convolution, ...) are S times as fast"},
       "compute",
       read_kernels},
      {{"encode", "K", "encoding takes 1/K of its time"}, "encode", read_codec<true, false>},
      {{"decode", "K", "decoding takes 1/K of its time"}, "decode", read_codec<false, true>},
      {{"codec", "K", "encoding and decoding take 1/K of their time"},
       "codec",
       read_codec<true, true>},
      {{"costs-of", "SCHEME", "encode and decode cost what those of another compressor do"},
       "costs",
       read_costs_of},
      {{"payload", "F", "every collective carries F times the elements"}, "payload", read_payload},
      {{"bandwidth", "25Gbps or xF", "the NICs' bandwidth, or F times it"},
       "bandwidth",
       read_bandwidth},
      {{"latency", "10us or xF", "the latency between nodes, or F times it"},
       "latency",
       read_latency},
      {{"workers", "N", "so many ranks"}, "workers", read_workers},
      {{"gpus-per-node", "N", "so many GPUs share a NIC, on as many nodes as that takes"},
       "gpus-per-node",
       read_gpus_per_node},
      {{"bucket-cap", "25MiB", "DDP's bucket cap"}, "bucket-cap", read_bucket_cap},
      {{"first-bucket", "1MiB", "DDP's first bucket cap"}, "first-bucket", read_first_bucket},
      {{"accumulate", "K", "gradients of K backward passes are exchanged once"},
       "accumulate",
       read_accumulate},
      {{"overlap", "off", "nothing is sent before the backward pass has ended"},
       "overlap",
       read_overlap},
      {{"mode", "serial or overlapped", "compressed after the backward pass, or beside it"},
       "mode",
       read_mode},
      {{"dtype", "fp16, bf16, ...", "the type of the gradients; compute stays"},
       "dtype",
       read_dtype},
      {{"batch", "B[,fixed=SHARE]",
        "samples a rank and iteration; the backward pass in proportion, but for a fixed share"},
       "batch",
       read_batch},
      {{"slowdown", "F", "compute takes F times as long while communicating"},
       "slowdown",
       read_slowdown},
  };
  return kEntries;
}

}  // namespace gradwire
