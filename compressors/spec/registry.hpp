#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// One known scheme. A new one is a file and a line in registry.cpp.
struct SchemeEntry {
  std::string_view name;
  std::string_view parameters;  ///< for people: "rank=4 (1..), min_compression_rate=0"
  std::string_view summary;     ///< one sentence, with its source
  std::unique_ptr<Scheme> (*make)(SchemeParameters& parameters);
};

const std::vector<SchemeEntry>& schemes();

/// Reads "name" or "name:parameter=value,...". Throws InputError naming the known schemes or
/// parameters when one is unknown.
std::unique_ptr<Scheme> parse_scheme(std::string_view text);

/// A scheme taken apart for what computes it: every parameter is there, so that standard values
/// stand in the scheme's file alone.
struct NamedScheme {
  std::unique_ptr<Scheme> scheme;
  std::string name;
  SchemeParameters parameters;
};

/// As parse_scheme.
NamedScheme parse_named_scheme(std::string_view text);

}  // namespace gradwire
