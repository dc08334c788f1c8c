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

namespace {

/// All parts in one unit, so that a column of them compares by eye.
std::string show_time(Seconds time, Seconds total) {
  const double value = std::max(time.count(), 0.0);
  if (total >= Seconds{1.0}) return fmt::format("{:.3f} s", value);
  if (total >= Seconds{1e-3}) return fmt::format("{:.2f} ms", value * 1e3);
  return fmt::format("{:.2f} us", value * 1e6);
}

}  // namespace

std::string breakdown_text(const Breakdown& breakdown) {
  struct Part {
    const char* name;
    Seconds time;
  };
  std::vector<Part> parts = {
      {"compute", breakdown.compute},
      {"compute slowed by overlap", breakdown.overlap_slowdown},
      {"encode", breakdown.encode},
      {"decode", breakdown.decode},
      {"waiting for the host thread", breakdown.host},
      {"network, bytes", breakdown.exposed_bandwidth},
      {"network, latency", breakdown.exposed_latency},
      {"waiting for other ranks", breakdown.waiting},
  };
  const auto is_unused = [](const Part& part) {
    const std::string_view name = part.name;
    const bool compression = name.ends_with("code") || name.ends_with("host thread");
    return compression && part.time == Seconds{0};
  };
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_unused), parts.end());
  std::vector<double> times;
  for (const Part& part : parts) times.push_back(part.time.count());
  const std::vector<std::int64_t> permille = round_shares(times, 1000);
  TextTable table({{"", TextTable::Align::kLeft}, {""}, {""}});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string share =
        permille.empty() ? "-" : fmt::format("{}.{} %", permille[i] / 10, permille[i] % 10);
    table.add_row({parts[i].name, show_time(parts[i].time, breakdown.total()), share});
  }
  return table.text();
}

}  // namespace gradwire
