#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "simulator/calibration/collective_table.hpp"

namespace gradwire {
namespace {

using Kind = CollectiveKind;

/// Names that nccl-tests and users give a collective.
constexpr std::pair<std::string_view, Kind> kSpellings[] = {
    {"all_reduce", Kind::kAllReduce},
    {"allreduce", Kind::kAllReduce},
    {"all_gather", Kind::kAllGather},
    {"allgather", Kind::kAllGather},
    {"reduce_scatter", Kind::kReduceScatter},
    {"reducescatter", Kind::kReduceScatter},
    {"all_to_all", Kind::kAllToAll},
    {"alltoall", Kind::kAllToAll},
    {"sendrecv", Kind::kSendReceive},
    {"broadcast", Kind::kBroadcast},
    {"reduce", Kind::kReduce},
};

/// Of NCCL's names of types; absent for others.
std::optional<std::int64_t> bytes_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::int64_t> kTypes[] = {
      {"int8", 1},     {"uint8", 1}, {"f8e4m3", 1},   {"f8e5m2", 1}, {"fp8_e4m3", 1},
      {"fp8_e5m2", 1}, {"half", 2},  {"bfloat16", 2}, {"int32", 4},  {"uint32", 4},
      {"float", 4},    {"int64", 8}, {"uint64", 8},   {"double", 8}};
  for (const auto& [name, bytes] : kTypes) {
    if (name == type) return bytes;
  }
  return {};
}

class TableIdentifier {
 public:
  TableIdentifier(const CollectiveTable& table, const TableClaims& claims)
      : table_(table), claims_(claims) {}

  TableIdentity identify() {
    read_parts();
    identity_.kind = kind();
    identity_.ranks = ranks();
    identity_.nodes = nodes();
    for (const TableRow& row : table_.rows) {
      check_bandwidths(row, row.out_of_place);
      if (row.in_place) check_bandwidths(row, *row.in_place);
    }
    return std::move(identity_);
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", table_.file, line, what));
  }

  /// Size over what the count stands for: 1 where a rank's whole buffer is counted, the number of
  /// ranks where a part of it is.
  void read_parts() {
    for (const TableRow& row : table_.rows) {
      const auto bytes = bytes_of_type(row.type);
      if (!bytes || row.count.count() == 0) continue;
      if (row.count.count() > row.size.count() || row.size.count() % row.count.count() != 0 ||
          row.size.count() / row.count.count() % *bytes != 0) {
        refuse(row.line, fmt::format("size {} is no multiple of count {} of type {}",
                                     row.size.count(), row.count.count(), row.type));
      }
      const std::int64_t parts = row.size.count() / row.count.count() / *bytes;
      if (parts_ && *parts_ != parts) {
        refuse(row.line, fmt::format("size is {} times what is counted, but {} times in the rows "
                                     "above; one job a table is accepted",
                                     parts, *parts_));
      }
      parts_ = parts;
    }
  }

  /// What the columns allow.
  std::vector<Kind> candidates() const {
    const TableRow& row = table_.rows.front();
    const bool reduces = row.reduction != "none";
    const bool rooted = row.root.value_or(-1) >= 0;
    std::vector<Kind> kinds;
    const auto allow = [&](Kind kind, bool whole, bool reducing, bool with_root) {
      if (parts_ && whole != (*parts_ == 1)) return;
      // A send-receive has a reduction in its column, which means nothing.
      if (!row.reduction.empty() && kind != Kind::kSendReceive && reducing != reduces) return;
      if (row.root && with_root != rooted) return;
      kinds.push_back(kind);
    };
    allow(Kind::kAllReduce, true, true, false);
    allow(Kind::kSendReceive, true, false, false);
    allow(Kind::kBroadcast, true, false, true);
    allow(Kind::kReduce, true, true, true);
    allow(Kind::kAllGather, false, false, false);
    allow(Kind::kAllToAll, false, false, false);
    allow(Kind::kReduceScatter, false, true, false);
    return kinds;
  }

  Kind kind() {
    const std::vector<Kind> allowed = candidates();
    const auto is_allowed = [&](Kind kind) {
      return std::find(allowed.begin(), allowed.end(), kind) != allowed.end();
    };
    std::vector<std::string_view> names;
    for (const Kind kind : allowed) names.push_back(name_of(kind));
    if (!table_.header.test.empty()) {
      const Kind said = kind_of_test();
      if (claims_.kind && *claims_.kind != said) {
        refuse(table_.line, fmt::format("--collective {} found, but the table is of {}",
                                        name_of(*claims_.kind), name_of(said)));
      }
      if (!is_allowed(said)) refuse_kind(said, names);
      return said;
    }
    if (claims_.kind) {
      if (!is_allowed(*claims_.kind)) refuse_kind(*claims_.kind, names);
      return *claims_.kind;
    }
    if (allowed.size() == 1) return by(allowed.front(), "its columns");
    const Kind named = kind_of_file_name();
    if (is_allowed(named)) return by(named, "its file's name");
    if (is_allowed(Kind::kAllReduce) && !is_allowed(Kind::kBroadcast) && largest_factor() > 1.02) {
      return by(Kind::kAllReduce, "bus over algorithm bandwidth");
    }
    refuse(table_.line, fmt::format("the file does not say of which collective the table is; its "
                                    "columns allow {}; --collective says it",
                                    fmt::join(names, ", ")));
  }

  Kind by(Kind kind, std::string_view evidence) {
    identity_.inferred.push_back(
        fmt::format("the collective, {}, is known by {}", name_of(kind), evidence));
    return kind;
  }

  [[noreturn]] void refuse_kind(Kind kind, const std::vector<std::string_view>& names) const {
    refuse(table_.rows.front().line,
           fmt::format("columns that are not those of {} found; they allow: {}", name_of(kind),
                       names.empty() ? "nothing that is known"
                                     : fmt::format("{}", fmt::join(names, ", "))));
  }

  Kind kind_of_test() const {
    for (const auto& [name, kind] : kSpellings) {
      if (name == table_.header.test) return kind;
    }
    refuse(
        table_.line,
        fmt::format("a table of {}_perf found; all_reduce, all_gather, reduce_scatter, alltoall, "
                    "broadcast, reduce and sendrecv are accepted",
                    table_.header.test));
  }

  /// kOpaque when the name holds none or several.
  Kind kind_of_file_name() const {
    std::string name = table_.file.substr(table_.file.find_last_of('/') + 1);
    for (char& character : name) {
      character = character == '-'
                      ? '_'
                      : static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    }
    std::set<Kind> found;
    for (const auto& [spelling, kind] : kSpellings) {
      const std::size_t at = name.find(spelling);
      if (at == std::string::npos) continue;
      found.insert(kind);
      name.erase(at, spelling.size());  // "all_reduce" is no "reduce"
    }
    return found.size() == 1 ? *found.begin() : Kind::kOpaque;
  }

  double largest_factor() const {
    double factor = 0.0;
    double largest = 0.0;
    for (const TableRow& row : table_.rows) {
      if (row.out_of_place.algorithm_gigabytes <= largest) continue;
      largest = row.out_of_place.algorithm_gigabytes;
      factor = row.out_of_place.bus_gigabytes / largest;
    }
    return factor;
  }

  int ranks() {
    const int said = table_.header.ranks();
    if (claims_.ranks && said > 0 && *claims_.ranks != said) {
      refuse(table_.line, fmt::format("--ranks {} found, but the table's header lists {} ranks",
                                      *claims_.ranks, said));
    }
    const int given = said > 0 ? said : claims_.ranks.value_or(0);
    const int parts = parts_ && *parts_ > 1 && *parts_ < 1'000'000 ? static_cast<int>(*parts_) : 0;
    if (given > 0) {
      if (parts > 0 && parts != given) {
        refuse(table_.rows.front().line,
               fmt::format("size over count says {} ranks, but {} are given", parts, given));
      }
      return checked_ranks(given);
    }
    if (parts > 0) return inferred_ranks(parts, "size over count");
    if (identity_.kind == Kind::kAllReduce) {
      auto [least, most] = ranks_by_factor();
      if (claims_.gpus_per_node) {  // whole nodes
        const int gpus = *claims_.gpus_per_node;
        if (least <= most / gpus * gpus && (least + gpus - 1) / gpus == most / gpus) {
          least = most = most / gpus * gpus;
        }
      }
      if (least == most) return inferred_ranks(least, "bus over algorithm bandwidth");
      refuse(table_.line,
             fmt::format("the file does not say how many ranks there were; bus over algorithm "
                         "bandwidth allows {} to {}; --ranks says it, perhaps --gpus-per-node",
                         least, most));
    }
    refuse(table_.line, "the file does not say how many ranks there were; --ranks says it");
  }

  int checked_ranks(int ranks) const {
    if (ranks >= 2) return ranks;
    refuse(table_.line,
           fmt::format("{} rank found; a collective among 2 or more is accepted", ranks));
  }

  int inferred_ranks(int ranks, std::string_view evidence) {
    identity_.inferred.push_back(fmt::format("the {} ranks are known by {}", ranks, evidence));
    return checked_ranks(ranks);
  }

  /// bus / algorithm = 2 (n-1) / n, both printed to 0.005.
  std::pair<int, int> ranks_by_factor() const {
    constexpr double kMost = 1e6;
    double least = 2.0;
    double most = kMost;
    for (const TableRow& row : table_.rows) {
      const double algorithm = row.out_of_place.algorithm_gigabytes;
      const double bus = row.out_of_place.bus_gigabytes;
      if (algorithm < 0.1) continue;
      const double low = (bus - 0.005) / (algorithm + 0.005);
      const double high = (bus + 0.005) / (algorithm - 0.005);
      if (low < 2.0) least = std::max(least, std::ceil(2.0 / (2.0 - low)));
      if (high < 2.0) most = std::min(most, std::floor(2.0 / (2.0 - high)));
    }
    if (least > most) {
      refuse(table_.line, "bus over algorithm bandwidth fits no number of ranks of an all-reduce");
    }
    return {static_cast<int>(least), static_cast<int>(most)};
  }

  int nodes() {
    const std::vector<std::string>& hosts = table_.header.hosts;
    const std::set<std::string> names(hosts.begin(), hosts.end());
    const int found = static_cast<int>(names.size());
    if (found > 0) {
      for (const std::string& name : names) {
        if (std::count(hosts.begin(), hosts.end(), name) * found == identity_.ranks) continue;
        identity_.inferred.emplace_back(
            "hosts hold different numbers of ranks: no node is like another");
        return 0;
      }
      if (claims_.gpus_per_node && *claims_.gpus_per_node * found != identity_.ranks) {
        refuse(table_.line,
               fmt::format("--gpus-per-node {} found, but the header lists {} ranks on "
                           "{} hosts",
                           *claims_.gpus_per_node, identity_.ranks, found));
      }
      return found;
    }
    if (!claims_.gpus_per_node) return 0;
    if (identity_.ranks % *claims_.gpus_per_node != 0) {
      refuse(table_.line, fmt::format("--gpus-per-node {} found; {} ranks do not fill such nodes",
                                      *claims_.gpus_per_node, identity_.ranks));
    }
    return identity_.ranks / *claims_.gpus_per_node;
  }

  /// As printed: two decimals of a bandwidth, three or more digits of a time.
  void check_bandwidths(const TableRow& row, const TableTiming& timing) const {
    const auto differ = [](double printed, double computed) {
      return std::abs(printed - computed) > 0.011 + 0.003 * computed;
    };
    const double algorithm = static_cast<double>(row.size.count()) / timing.time.count() * 1e-9;
    if (differ(timing.algorithm_gigabytes, algorithm)) {
      refuse(row.line, fmt::format("algbw {} GB/s found, but size over time is {:.2f}",
                                   timing.algorithm_gigabytes, algorithm));
    }
    const double bus = algorithm * bus_factor(identity_.kind, identity_.ranks);
    if (differ(timing.bus_gigabytes, bus)) {
      refuse(row.line,
             fmt::format("busbw {} GB/s found, but {} among {} ranks has {:.2f}",
                         timing.bus_gigabytes, name_of(identity_.kind), identity_.ranks, bus));
    }
  }

  const CollectiveTable& table_;
  const TableClaims& claims_;
  std::optional<std::int64_t> parts_;
  TableIdentity identity_;
};

}  // namespace

double bus_factor(CollectiveKind kind, int ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  switch (kind) {
    case Kind::kAllReduce:
      return 2.0 * others;
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
      return others;
    default:
      return 1.0;
  }
}

TableIdentity identify_table(const CollectiveTable& table, const TableClaims& claims) {
  GW_CHECK(!table.rows.empty(), "a table has rows");
  return TableIdentifier(table, claims).identify();
}

}  // namespace gradwire
