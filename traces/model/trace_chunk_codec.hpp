#pragma once

#include <cstddef>
#include <string>

#include "traces/model/trace.hpp"

namespace gradwire {

namespace schema {
class Chunk;
}

/// The records of a .gwt file to and from trace.proto. Text that is not UTF-8, which protobuf
/// refuses, is repaired.

/// Puts what the first chunk holds besides names: header and marks.
void encode_head(const Trace& trace, schema::Chunk& chunk);

/// Each appends one record to `chunk` and returns about how many bytes it takes there.
std::size_t append_name(const std::string& name, schema::Chunk& chunk);
std::size_t append_record(const Kernel& kernel, schema::Chunk& chunk);
std::size_t append_record(const Communication& communication, schema::Chunk& chunk);
std::size_t append_record(const Gradient& gradient, schema::Chunk& chunk);

/// Appends all that `chunk` holds to `trace`.
void decode_chunk(const schema::Chunk& chunk, Trace& trace);

}  // namespace gradwire
