#include "simulator/report/breakdown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulator/report/text_table.hpp"

namespace gradwire {

std::vector<std::int64_t> round_shares(const std::vector<double>& parts, std::int64_t total) {
  double sum = 0.0;
  for (const double part : parts) sum += std::max(part, 0.0);
  if (!(sum > 0.0)) return {};
  std::vector<std::int64_t> shares;
  std::vector<double> remainders;
  std::int64_t left = total;
  for (const double part : parts) {
    const double exact = std::max(part, 0.0) / sum * static_cast<double>(total);
    shares.push_back(static_cast<std::int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
    left -= shares.back();
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&remainders](std::size_t a, std::size_t b) {
    return remainders[a] > remainders[b];
  });
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) ++shares[order[i]];
  return shares;
}

std::vector<BreakdownPart> parts_of(const Breakdown& breakdown) {
  return {
      {"compute", "compute", breakdown.compute},
      {"compute slowed by overlap", "overlap_slowdown", breakdown.overlap_slowdown},
      {"encode", "encode", breakdown.encode, false},
      {"decode", "decode", breakdown.decode, false},
      {"waiting for the host thread", "host", breakdown.host, false},
      {"network, bytes", "exposed_bandwidth", breakdown.exposed_bandwidth},
      {"network, latency", "exposed_latency", breakdown.exposed_latency},
      {"waiting for other ranks", "waiting_for_ranks", breakdown.waiting},
  };
}

std::string format_part(Seconds time, Seconds total) {
  const double value = std::max(time.count(), 0.0);
  if (total >= Seconds{1.0}) return fmt::format("{:.3f} s", value);
  if (total >= Seconds{1e-3}) return fmt::format("{:.2f} ms", value * 1e3);
  return fmt::format("{:.2f} us", value * 1e6);
}

std::vector<std::string> format_shares(const std::vector<BreakdownPart>& parts) {
  std::vector<double> times;
  for (const BreakdownPart& part : parts) times.push_back(part.time.count());
  const std::vector<std::int64_t> permille = round_shares(times, 1000);
  std::vector<std::string> shares(parts.size(), "-");
  for (std::size_t i = 0; i < permille.size(); ++i) {
    shares[i] = fmt::format("{}.{} %", permille[i] / 10, permille[i] % 10);
  }
  return shares;
}

std::string breakdown_text(const Breakdown& breakdown) {
  std::vector<BreakdownPart> parts = parts_of(breakdown);
  const auto is_unused = [](const BreakdownPart& part) {
    return !part.always_shown && part.time == Seconds{0};
  };
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_unused), parts.end());
  const std::vector<std::string> shares = format_shares(parts);
  TextTable table({{"", TextTable::Align::kLeft}, {""}, {""}});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    table.add_row({parts[i].name, format_part(parts[i].time, breakdown.total()), shares[i]});
  }
  return table.text();
}

}  // namespace gradwire
