#include "tests/traces/importers/kineto_text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "base/errors.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire::test {

KinetoText& KinetoText::raw(const std::string& event) {
  events_.push_back(event);
  return *this;
}

KinetoText& KinetoText::device_event(const std::string& category, const std::string& name,
                                     const std::string& ts, const std::string& dur, int correlation,
                                     const std::string& args) {
  return raw(fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": 7, "ts": {}, "dur": {},)"
      "\n"
      R"("args": {{"device": 0, "stream": 7, "correlation": {}{}{}}}}})",
      category, name, ts, dur, correlation, args.empty() ? "" : ", ", args));
}

KinetoText& KinetoText::kernel(const std::string& name, const std::string& ts,
                               const std::string& dur, int correlation, int stream,
                               const std::string& args) {
  return raw(fmt::format(
      R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": {}, "ts": {}, "dur": {},)"
      "\n"
      R"("args": {{"device": 0, "stream": {}, "correlation": {}{}{}}}}})",
      name, stream, ts, dur, stream, correlation, args.empty() ? "" : ", ", args));
}

KinetoText& KinetoText::call(const std::string& name, const std::string& ts, int thread,
                             int correlation, int process) {
  return raw(fmt::format(
      R"({{"ph": "X", "cat": "cuda_runtime", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": 1,)"
      "\n"
      R"("args": {{"cbid": 211, "correlation": {}}}}})",
      name, process, thread, ts, correlation));
}

KinetoText& KinetoText::host(const std::string& category, const std::string& name,
                             const std::string& ts, const std::string& dur, int thread,
                             const std::string& args) {
  return raw(fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 100, "tid": {}, "ts": {}, "dur": {},)"
      "\n"
      R"("args": {{{}}}}})",
      category, name, thread, ts, dur, args));
}

KinetoText& KinetoText::step(int number, const std::string& ts, const std::string& dur) {
  return host("user_annotation", fmt::format("ProfilerStep#{}", number), ts, dur, 1);
}

KinetoText& KinetoText::launched(const std::string& name, const std::string& ts,
                                 const std::string& dur, const std::string& launch_ts, int thread,
                                 int correlation) {
  kernel(name, ts, dur, correlation);
  return call("cudaLaunchKernel", launch_ts, thread, correlation);
}

std::string KinetoText::array() const {
  return fmt::format("[\n{}\n]\n", fmt::join(events_, ",\n"));
}

std::string KinetoText::object(const std::string& head, const std::string& tail) const {
  return fmt::format("\n{{\n\"schemaVersion\": 1,\n{}\"traceEvents\": {}{}}}\n", head, array(),
                     tail);
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string zipped(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(zipped.data());
  stream.avail_out = static_cast<uInt>(zipped.size());
  deflate(&stream, Z_FINISH);
  zipped.resize(stream.total_out);
  deflateEnd(&stream);
  return zipped;
}

Imported import_text(const std::string& text, bool strict, const std::string& name) {
  const TemporaryFolder folder;
  return import_trace(folder.write(name, text), ImportOptions{strict});
}

std::string refusal_of(const std::string& text, bool strict, const std::string& name) {
  try {
    import_text(text, strict, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::uint64_t times(const ImportReport& report, const std::string& kind) {
  for (const Defect& defect : report.defects) {
    if (defect.kind == kind) return defect.count;
  }
  return 0;
}

std::string parallelism_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const Parallelism& parallelism : trace.parallelism) names.push_back(parallelism.name);
  return fmt::format("{}", fmt::join(names, " "));
}

KinetoText two_iterations() {
  KinetoText text;
  for (int i = 0; i < 2; ++i) {
    const int t = 1000 * (i + 1);
    const int id = 10 * (i + 1);
    const auto at = [&](int offset) { return std::to_string(t + offset); };
    text.step(i + 5, at(0), "900");
    text.launched("forward_a", at(20), "50", at(10), 1, id);
    text.launched("forward_b", at(80), "50", at(20), 1, id + 1);
    text.host("cpu_op", "autograd::engine::evaluate_function: MmBackward0", at(200), "50", 2);
    text.launched("backward_b", at(220), "100", at(210), 2, id + 2);
    text.host("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
              at(251), "8", 2);
    text.host("cpu_op", "torch::autograd::AccumulateGrad", at(252), "5", 2,
              R"("Input Dims": [[64, 3, 7, 7]], "Input type": ["float"])");
    text.host("cpu_op", "autograd::engine::evaluate_function: MmBackward1", at(300), "50", 2);
    text.launched("backward_a", at(330), "200", at(310), 2, id + 3);
    text.host("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
              at(351), "8", 2);
    text.host("cpu_op", "torch::autograd::AccumulateGrad", at(352), "5", 2,
              R"("Input Dims": [[1000]], "Input type": ["float"])");
  }
  return text;
}

}  // namespace gradwire::test
