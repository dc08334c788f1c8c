#include "traces/importers/registry.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "traces/importers/byte_source.hpp"
#include "traces/importers/capture/capture_importer.hpp"
#include "traces/importers/gradient_list/gradient_list_importer.hpp"
#include "traces/importers/json_scan.hpp"
#include "traces/importers/kineto/kineto_importer.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::string_view kAccepted =
    "a .gwt or .gwc file, a PyTorch profiler (Kineto) trace, .json or .json.gz, or a gradient "
    "list, .csv "
    "or .json, is accepted";

Imported read_own(const std::filesystem::path& path, const ImportOptions& options) {
  DecodedTrace decoded = read_trace(path);
  Imported imported;
  imported.report.format = "gwt";
  for (const std::string& loss : decoded.losses) {
    if (options.strict) {
      throw InputError(fmt::format("{}: {}; --strict accepts only traces that lose nothing",
                                   path.string(), loss));
    }
    imported.report.count("chunk-lost", Severity::kDataLoss, loss);
  }
  imported.report.kernels_in = imported.report.kernels_out = decoded.trace.kernels.size();
  imported.trace = std::move(decoded.trace);
  return imported;
}

/// A tar archive tells itself at byte 257 of its first header (POSIX.1-1988 ustar).
bool is_tar(std::string_view head) {
  constexpr std::size_t kMagicAt = 257;
  return head.size() > kMagicAt && head.substr(kMagicAt).starts_with("ustar");
}

std::string printable(std::string_view head) {
  std::string text;
  for (const char c : head.substr(0, 16)) {
    text.push_back(c >= ' ' && c <= '~' ? c : '.');
  }
  return text;
}

/// A pipe gives its bytes once, and a trace is looked at before it is read.
void refuse_pipe(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored) || std::filesystem::is_socket(path, ignored)) {
    throw InputError(
        fmt::format("{}: is a pipe; write it to a file first: {}", path.string(), kAccepted));
  }
}

}  // namespace

Imported import_trace(const std::filesystem::path& path, const ImportOptions& options) {
  refuse_pipe(path);
  const std::string head = read_head(path, kHeadBytes);
  if (head.empty()) throw InputError(fmt::format("{}: is empty; {}", path.string(), kAccepted));
  if (is_gwt(head)) return read_own(path, options);
  const CaptureImporter capture;
  if (capture.sniff(head)) return capture.read(path, options);
  if (is_tar(head)) {
    throw InputError(fmt::format("{}: is a tar archive; unpack it and give one rank's trace: {}",
                                 path.string(), kAccepted));
  }
  // The list first: any JSON may be a trace of Kineto's, whose list of events can come late.
  const GradientListImporter gradient_list;
  if (gradient_list.sniff(head)) return gradient_list.read(path, options);
  const KinetoImporter kineto;
  if (kineto.sniff(head)) return kineto.read(path, options);
  if (skip_space(head, 0) == head.size()) {
    throw InputError(fmt::format("{}: begins with {} bytes of white space; {}", path.string(),
                                 head.size(), kAccepted));
  }
  throw InputError(fmt::format("{}: begins with `{}` at byte 0, which is no known trace format; {}",
                               path.string(), printable(head), kAccepted));
}

}  // namespace gradwire
