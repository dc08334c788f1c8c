#include "simulator/cli/seed_option.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

namespace gradwire {

void add_seed_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& seed,
                     const std::string& description) {
  const CLI::Validator whole_number(
      [](const std::string& text) -> std::string {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size()) return {};
        return fmt::format("\"{}\" found; a whole number from 0 to {} is accepted", text,
                           std::numeric_limits<std::uint64_t>::max());
      },
      "");
  command.add_option(name, seed, description)->check(whole_number);
}

}  // namespace gradwire
