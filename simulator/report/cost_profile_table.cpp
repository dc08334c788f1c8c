#include "simulator/report/cost_profile_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"

namespace gradwire {
namespace {

std::string spread_percent(const CostEntry& entry) {
  const Seconds total = entry.encode + entry.decode;
  if (!entry.spread || !(total.count() > 0.0)) return "";
  const Seconds width = entry.spread->encode_high - entry.spread->encode_low +
                        entry.spread->decode_high - entry.spread->decode_low;
  return fmt::format("{:.1f}", 100.0 * (width / total));
}

std::string payload_rate(const CostEntry& entry) {
  const Seconds total = entry.encode + entry.decode;
  if (!(total.count() > 0.0)) return "";
  const Bytes payload = entry.elements * Bytes{4};
  return fmt::format("{:.3g}", static_cast<double>(payload.count()) / total.count() * 1e-9);
}

}  // namespace

TextTable measured_table(const std::vector<CostEntry>& entries) {
  TextTable table({{"scheme", TextTable::Align::kLeft},
                   {"elements"},
                   {"tensors"},
                   {"ranks"},
                   {"encode"},
                   {"decode"},
                   {"samples"},
                   {"spread %"},
                   {"payload GB/s"}});
  for (const CostEntry& entry : entries) {
    table.add_row({entry.scheme.spelling(), fmt::format("{}", entry.elements.count()),
                   fmt::format("{}", entry.tensors),
                   entry.ranks == 0 ? "any" : fmt::format("{}", entry.ranks),
                   format_duration(entry.encode), format_duration(entry.decode),
                   entry.spread ? fmt::format("{}", entry.spread->samples) : "",
                   spread_percent(entry), payload_rate(entry)});
  }
  return table;
}

std::vector<CostEntry> largest_of_each(const std::vector<CostEntry>& entries) {
  std::vector<CostEntry> largest;
  for (const CostEntry& entry : entries) {
    const auto same = std::find_if(largest.begin(), largest.end(), [&](const CostEntry& other) {
      return other.scheme == entry.scheme && other.ranks == entry.ranks;
    });
    if (same == largest.end()) {
      largest.push_back(entry);
    } else if (same->elements < entry.elements) {
      *same = entry;
    }
  }
  return largest;
}

}  // namespace gradwire
