#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"

namespace gradwire {

/// One half (out-of-place or in-place) of a row of nccl-tests.
struct TableTiming {
  Seconds time{0};                   ///< of one collective, above zero
  double algorithm_gigabytes = 0.0;  ///< GB/s as printed, so with two decimals
  double bus_gigabytes = 0.0;        ///< GB/s as printed
  bool wrong = false;                ///< results were wrong
};

struct TableRow {
  int line = 0;    ///< of the file, from 1
  Bytes size{0};   ///< as nccl-tests count it: the larger of a rank's two buffers; above zero
  Elements count;  ///< of what a rank gives to one message's receiver, or of the whole buffer
  std::string type;
  std::string reduction;    ///< "sum", "none"; empty when there is no such column
  std::optional<int> root;  ///< -1 is none
  TableTiming out_of_place;
  std::optional<TableTiming> in_place;
};

/// What stands above a table.
struct TableHeader {
  std::string test;                ///< "all_reduce" of "all_reduce_perf"; empty when not said
  std::vector<std::string> hosts;  ///< of each rank; empty when not said
  int groups = 1;                  ///< communicators that ran at the same time

  int ranks() const { return static_cast<int>(hosts.size()); }
};

/// One table of a file, rows as printed.
struct CollectiveTable {
  std::string file;
  int line = 0;  ///< of its column names
  TableHeader header;
  std::vector<TableRow> rows;
  std::vector<std::string> notes;  ///< what was left out, and whether the table ends early
};

/// Which collective among how many ranks a table is of, and how that is known.
struct TableIdentity {
  CollectiveKind kind = CollectiveKind::kOpaque;
  int ranks = 0;
  int nodes = 0;                      ///< 0: not known
  std::vector<std::string> inferred;  ///< what the file does not say itself
};

/// What the user says of tables that do not say it themselves.
struct TableClaims {
  std::optional<CollectiveKind> kind;
  std::optional<int> ranks;
  std::optional<int> gpus_per_node;
};

/// (n-1)/n and the like: bus bandwidth over algorithm bandwidth (nccl-tests, PERFORMANCE.md); 1 for
/// broadcast, reduce and send-receive.
double bus_factor(CollectiveKind kind, int ranks);

/// The kind by header, by the columns (an all-gather's count is a part of its size, ...) or by the
/// file's name, where they and `claims` agree; ranks by the header, by size over count, or by bus
/// over algorithm bandwidth where that allows one number only. Throws InputError with file and line
/// when they disagree, do not suffice (and what option does), or when a row's bandwidths are not
/// those of its size and time.
TableIdentity identify_table(const CollectiveTable& table, const TableClaims& claims);

}  // namespace gradwire
