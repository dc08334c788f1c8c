#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/cli/tracer_environment.hpp"
#include "traces/importers/capture/capture_overview.hpp"

namespace gradwire {

/// The captures of one run: those with kernels first, ranks in order.
struct RunCaptures {
  std::vector<std::filesystem::path> files;
  std::vector<CaptureOverview> overviews;  ///< of each file
  std::size_t unreadable = 0;              ///< further files, which are none
};

/// Reads what is in `folder`. A file that cannot be read is named on standard error, and stays.
RunCaptures read_run_captures(RunFolder& folder);

struct ConversionOptions {
  std::filesystem::path
      output;           ///< of the trace, or what the traces of several processes are named after
  std::string made_by;  ///< for the provenance
  bool keep_captures = false;
};

/// Writes one trace for each process with kernels, and on standard error what became of every
/// process, and the first trace as `inspect` shows it. A capture that gives no trace is kept beside
/// the output, and so are all with `keep_captures`; others are removed. Gives the exit status: 0; 3
/// when nothing was recorded or a trace could not be made; 128 and the signal when one came.
int convert_captures(RunFolder& folder, const RunCaptures& captures,
                     const ConversionOptions& options);

}  // namespace gradwire
