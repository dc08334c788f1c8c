#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gradwire::test {

/// A row of nccl-tests as the program prints it, with the bandwidths that follow from `busfactor`.
inline std::string table_row(std::int64_t size, int parts, double microseconds, double bus_factor,
                             const char* redop = "sum", int root = -1) {
  const double algorithm = static_cast<double>(size) / microseconds * 1e-3;
  const std::string half = fmt::format("  {:.4f}  {:.2f}  {:.2f}      0", microseconds, algorithm,
                                       algorithm * bus_factor);
  return fmt::format("{:12} {:12}     float  {:>6}  {:6}{}{}\n", size, size / 4 / parts, redop,
                     root, half, half);
}

/// The lines above the rows: `gpus` ranks on each of `nodes` hosts.
inline std::string table_header(const std::string& test, int nodes, int gpus) {
  std::string text;
  if (!test.empty()) text += "# Collective test starting: " + test + "\n";
  text +=
      "# nThread 1 nGpus 1 minBytes 4 maxBytes 1073741824 step: 2(factor)\n#\n# Using devices\n";
  for (int rank = 0; rank < nodes * gpus; ++rank) {
    text += fmt::format("#  Rank {:2} Group  0 Pid {} on host{} device  {} [0x07] NVIDIA A100\n",
                        rank, 4000 + rank, rank / gpus, rank % gpus);
  }
  return text +
         "#\n#                                          out-of-place             in-place\n"
         "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
         "time   algbw   busbw #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
         "(us)  (GB/s)  (GB/s)       \n";
}

inline std::string table_end() {
  return "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 2.62677 \n#\n\n";
}

/// An all-reduce of sizes 1 kB to 512 MB in steps of 2, in exactly latency_us + size /
/// bytes_per_us.
inline std::string all_reduce_output(int nodes, int gpus, double latency_us, double bytes_per_us) {
  const int ranks = nodes * gpus;
  const double factor = 2.0 * (ranks - 1) / ranks;
  std::string text = table_header("all_reduce_perf", nodes, gpus);
  for (std::int64_t size = 1024; size <= 536870912; size *= 2) {
    text += table_row(size, 1, latency_us + static_cast<double>(size) / bytes_per_us, factor);
  }
  return text + table_end();
}

}  // namespace gradwire::test
