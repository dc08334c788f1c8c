#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gradwire {

/// Adds an option that takes a whole number from 0 to 2^64 - 1, and refuses all else: CLI11 alone
/// reads -1 as another number.
void add_seed_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& seed,
                     const std::string& description);

}  // namespace gradwire
