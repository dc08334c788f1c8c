#include "compressors/spec/registry.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "compressors/spec/casts.hpp"
#include "compressors/spec/powersgd.hpp"
#include "compressors/spec/quantisers.hpp"
#include "compressors/spec/selections.hpp"
#include "compressors/spec/signsgd.hpp"

namespace gradwire {

const std::vector<SchemeEntry>& schemes() {
  static const std::vector<SchemeEntry> kEntries = {
      {"none", "", "float32 as it is: DDP's all-reduce", make_none},
      {"fp16", "", "cast to float16 and all-reduced: PyTorch's fp16_compress_hook", make_fp16},
      {"bf16", "", "cast to bfloat16 and all-reduced: PyTorch's bf16_compress_hook", make_bf16},
      {"powersgd", "rank=4, min_compression_rate=0, start_iter=0, hook_sync=true",
       "low-rank factors P and Q, all-reduced one after the other; 1-D tensors uncompressed "
       "(Vogels et al., arXiv 1905.13727)",
       make_powersgd},
      {"signsgd", "", "one bit an element, majority vote after an all-gather (arXiv 1810.05291)",
       make_signsgd},
      {"ef-signsgd", "",
       "one bit an element and one scale a rank, averaged after an all-gather; error feedback "
       "(arXiv 1901.09847)",
       make_ef_signsgd},
      {"mstopk", "fraction=0.01, rounds=20, index_bytes=4",
       "the largest elements by a threshold found in rounds (MSTop-K, arXiv 2101.00505 as the "
       "study's code has it); values and indices all-gathered",
       make_mstopk},
      {"topk", "fraction=0.01, index_bytes=4",
       "the largest elements exactly; values and indices all-gathered", make_topk},
      {"randomk", "fraction=0.01, shared_seed=true, index_bytes=4",
       "random elements: all-reduced when all ranks draw the same ones, else all-gathered with "
       "indices",
       make_randomk},
      {"qsgd", "bits=4, bucket=512",
       "random levels of each bucket's norm, in codes of a fixed width, all-gathered (arXiv "
       "1610.02132)",
       make_qsgd},
  };
  return kEntries;
}

std::unique_ptr<Scheme> parse_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::string accepted;
  for (const SchemeEntry& entry : schemes()) {
    if (entry.name == name) {
      SchemeParameters parameters(colon == std::string_view::npos ? std::string_view{}
                                                                  : text.substr(colon + 1));
      std::unique_ptr<Scheme> scheme = entry.make(parameters);
      parameters.refuse_unread(name);
      return scheme;
    }
    accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", entry.name);
  }
  throw InputError(
      fmt::format("compressor: \"{}\" is no known scheme; accepted: {}", name, accepted));
}

NamedScheme parse_named_scheme(std::string_view text) {
  std::unique_ptr<Scheme> scheme = parse_scheme(text);
  const std::string full = scheme->spelling();
  const std::size_t colon = full.find(':');
  return {std::move(scheme), full.substr(0, colon),
          SchemeParameters(colon == std::string::npos ? "" : full.substr(colon + 1))};
}

}  // namespace gradwire
