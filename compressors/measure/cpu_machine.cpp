#include "compressors/measure/cpu_machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/utf8.hpp"

namespace gradwire {
namespace {

/// Empty where the file cannot be read: what it would say is then unknown, which is no error.
std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Of the first line "key : value".
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != key) continue;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!value.empty()) return repair_utf8(value);
  }
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const std::string_view body = trimmed(text);
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (error != std::errc{} || end == body.data() || value < 0) return std::nullopt;
  return value;
}

/// Control groups' second version; the group of this process is the root of what it sees.
std::optional<Bytes> left_by_control_group() {
  const auto most = whole_number(text_of("/sys/fs/cgroup/memory.max"));
  const auto used = whole_number(text_of("/sys/fs/cgroup/memory.current"));
  if (!most || !used) return std::nullopt;  // "max" is no number: no limit
  return Bytes{std::max<std::int64_t>(0, *most - *used)};
}

}  // namespace

MeasuredMachine parse_cpu_machine(std::string_view cpuinfo, std::string_view architecture) {
  MeasuredMachine machine;
  machine.kind = DeviceKind::kCpu;
  machine.name = value_of(cpuinfo, "model name").value_or(fmt::format("{} CPU", architecture));
  const auto megahertz = value_of(cpuinfo, "cpu MHz");
  machine.clocks = megahertz ? fmt::format("{} MHz when asked, as the system tells it", *megahertz)
                             : "not told by the system";
  return machine;
}

MeasuredMachine read_cpu_machine() {
  utsname system{};
  uname(&system);
  MeasuredMachine machine = parse_cpu_machine(text_of("/proc/cpuinfo"), system.machine);
  machine.software = {GRADWIRE_COMPILER, fmt::format("{} {}", system.sysname, system.release)};
  return machine;
}

std::optional<Bytes> parse_available_memory(std::string_view meminfo) {
  const auto kibibytes = value_of(meminfo, "MemAvailable");
  const auto count = kibibytes ? whole_number(*kibibytes) : std::nullopt;
  if (!count) return std::nullopt;
  return Bytes{*count * 1024};
}

Bytes free_cpu_memory() {
  const Bytes unknown{std::numeric_limits<std::int64_t>::max()};
  return std::min(parse_available_memory(text_of("/proc/meminfo")).value_or(unknown),
                  left_by_control_group().value_or(unknown));
}

}  // namespace gradwire
