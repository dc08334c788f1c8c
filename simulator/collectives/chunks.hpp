#pragma once

#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// Bytes of a pipeline's chunk: 512 KiB, assumed (the order of NCCL's chunks of its Simple
/// protocol, recalled).
inline constexpr Bytes kPipelineChunk{std::int64_t{512} * 1024};

/// `elements` cut in `parts` whole-element chunks, the larger ones first; sizes differ by at most
/// one.
std::vector<Elements> even_chunks(Elements elements, int parts);

/// Where each chunk of `even_chunks` begins, from `first` on, and where the last one ends: parts +
/// 1 entries.
std::vector<Elements> chunk_bounds(Elements elements, int parts, Elements first = Elements{0});

/// How many elements lie in front of chunk `index` (0 .. parts) of `even_chunks`.
Elements elements_before(Elements elements, int parts, int index);

/// In how many chunks of about `chunk` at most a pipeline carries `elements`: 1 or more, none of
/// them empty but where there is nothing to carry.
int pipeline_chunks(Elements elements, Bytes element_size, Bytes chunk = kPipelineChunk);

}  // namespace gradwire
