#pragma once

#include "base/units.hpp"

namespace gradwire {

/// How Gloo cuts a buffer for its ring all-reduce: equal segments, the same number a rank, at least
/// two a rank. Source: gloo/allreduce.cc (function ring) as of 2019 and later; the default limit of
/// a segment, 1 MiB, is AllreduceOptions' kMaxSegmentSize.
struct GlooSegments {
  std::int64_t count = 0;  ///< a multiple of the ranks
  Bytes bytes{0};          ///< of one, whole elements
};

/// Requires ranks >= 2 and elements >= 1.
GlooSegments gloo_segments(Elements elements, Bytes element_size, int ranks, Bytes largest);

/// Bytes that a rank with full segments sends in each of the two passes (reduce-scatter,
/// all-gather): all segments but those of one rank, and never more than the buffer holds. Segments
/// are rounded up, so this is at least (n-1)/n of the buffer.
Bytes gloo_bytes_a_pass(Elements elements, Bytes element_size, int ranks, Bytes largest);

}  // namespace gradwire
