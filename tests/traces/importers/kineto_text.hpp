#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "traces/importers/importer.hpp"

namespace gradwire::test {

/// Writes Kineto events, one a call, with times in microseconds, and puts them together to a file.
class KinetoText {
 public:
  /// Any event, as it is written.
  KinetoText& raw(const std::string& event);

  /// A kernel of device 0 with the extra `args` ("\"k\": 1, ...").
  KinetoText& kernel(const std::string& name, const std::string& ts, const std::string& dur,
                     int correlation, int stream = 7, const std::string& args = "");
  KinetoText& device_event(const std::string& category, const std::string& name,
                           const std::string& ts, const std::string& dur, int correlation,
                           const std::string& args = "");
  KinetoText& call(const std::string& name, const std::string& ts, int thread, int correlation,
                   int process = 100);
  /// An operator or annotation of the host.
  KinetoText& host(const std::string& category, const std::string& name, const std::string& ts,
                   const std::string& dur, int thread, const std::string& args = "");
  KinetoText& step(int number, const std::string& ts, const std::string& dur);

  /// A kernel and, 1 us long, the launch of it.
  KinetoText& launched(const std::string& name, const std::string& ts, const std::string& dur,
                       const std::string& launch_ts, int thread, int correlation);

  /// {"schemaVersion": 1, HEAD "traceEvents": [...] TAIL}
  std::string object(const std::string& head = "", const std::string& tail = "") const;
  std::string array() const;

 private:
  std::vector<std::string> events_;
};

/// gzip of `text`.
std::string gzip(const std::string& text);

/// Imports `text` from a file of this name.
Imported import_text(const std::string& text, bool strict = false,
                     const std::string& name = "trace.json");

/// The message of the InputError that the import of `text` throws; empty when it throws none.
std::string refusal_of(const std::string& text, bool strict = false,
                       const std::string& name = "trace.json");

/// How often a defect of `kind` was counted.
std::uint64_t times(const ImportReport& report, const std::string& kind);

/// The names in Trace::parallelism, in order, joined by a space.
std::string parallelism_of(const Trace& trace);

/// Two profiler steps of two forward kernels (thread 1) and two backward kernels (thread 2, inside
/// evaluate_function), one parameter each with an AccumulateGrad that launches nothing.
KinetoText two_iterations();

}  // namespace gradwire::test
