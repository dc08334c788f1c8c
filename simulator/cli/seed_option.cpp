#include "simulator/cli/seed_option.hpp"
#include "base/number_text.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

namespace gradwire {

void add_seed_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& seed,
                     const std::string& description) {
  const CLI::Validator whole_number(
      [](const std::string& text) -> std::string {
        if (number_from<std::uint64_t>(text)) return {};
        return fmt::format("\"{}\" found; a whole number from 0 to {} is accepted", text,
                           std::numeric_limits<std::uint64_t>::max());
      },
      "");
  command.add_option(name, seed, description)->check(whole_number);
}

}  // namespace gradwire
