#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/unit_text.hpp"
#include "simulator/report/text_table.hpp"
#include "simulator/report/trace_summary_report.hpp"

namespace gradwire {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kMaxSizesShown = 8;

std::string milliseconds(Seconds time) { return fmt::format("{:.3f}", time.count() * 1e3); }

std::string milliseconds(const std::optional<Seconds>& time) {
  return time ? milliseconds(*time) : "-";
}

std::string mebibytes(Bytes bytes) {
  return fmt::format("{:.4g} MiB", static_cast<double>(bytes.count()) / (1024.0 * 1024.0));
}

std::string headline(const TraceSummary& summary) {
  std::string text = fmt::format("{}: {} iteration{}", summary.name, summary.iterations.size(),
                                 summary.iterations.size() == 1 ? "" : "s");
  if (summary.median) {
    text += fmt::format(", backward pass {}", format_duration(summary.median->backward_span));
    text += summary.median->backward_kernel_busy
                ? fmt::format(" with kernels running for {} of it (medians)",
                              format_duration(*summary.median->backward_kernel_busy))
                : ", no kernels recorded";
  } else {
    text += ", no backward pass";
  }
  if (summary.parameters) {
    text += fmt::format(", {} parameters", summary.parameters->parameters);
    if (summary.parameters->bytes) {
      text += fmt::format(" of {}", format_bytes(*summary.parameters->bytes));
    }
  }
  return text + "\n";
}

std::string describe(const DeviceFacts& device) {
  std::string text =
      fmt::format("{}: {}", device.index, device.name.empty() ? "unknown" : device.name);
  if (device.multiprocessors) text += fmt::format(", {} multiprocessors", *device.multiprocessors);
  if (device.memory) text += fmt::format(", {}", format_bytes(*device.memory));
  if (!device.compute_capability.empty()) {
    text += fmt::format(", compute capability {}", device.compute_capability);
  }
  return text;
}

void write_facts(const TraceSummary& summary, std::ostream& out) {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  const auto add = [&table](const char* what, const std::string& text) {
    if (!text.empty()) table.add_row({what, text});
  };
  add("format", summary.format);
  for (const DeviceFacts& device : summary.devices) add("device", describe(device));
  for (const Fact& fact : summary.software) {
    add("software", fmt::format("{} {}", fact.name, fact.value));
  }
  if (summary.rank) {
    add("rank", summary.world_size ? fmt::format("{} of {}", *summary.rank, *summary.world_size)
                                   : fmt::format("{}", *summary.rank));
  }
  if (summary.batch_size) add("batch", fmt::format("{} samples", *summary.batch_size));
  add("source", summary.provenance.source);
  add("licence", summary.provenance.licence);
  add("made by", summary.provenance.made_by);
  add("left out", fmt::format("{}", fmt::join(summary.provenance.left_out, ", ")));
  for (const Parallelism& item : summary.parallelism) {
    add("parallelism", fmt::format("{} ({})", item.name, item.evidence));
  }
  out << table.text();
}

std::string remarks(const IterationSummary& iteration) {
  std::string text = iteration.representative ? "representative" : "";
  const auto add = [&text](const char* remark) {
    if (!text.empty()) text += ", ";
    text += remark;
  };
  if (iteration.inferred) add("inferred");
  if (!iteration.complete) add("cut");
  if (iteration.backward_passes > 1) {
    add(fmt::format("{} backward passes", iteration.backward_passes).c_str());
  }
  return text;
}

void write_iterations(const TraceSummary& summary, std::ostream& out) {
  if (summary.iterations.empty()) return;
  TextTable table({{"iteration"},
                   {"length ms"},
                   {"kernels"},
                   {"backward: kernels"},
                   {"kernels ms"},
                   {"busy ms"},
                   {"span ms"},
                   {"", Align::kLeft}});
  for (const IterationSummary& iteration : summary.iterations) {
    table.add_row(
        {fmt::format("{}", iteration.number), milliseconds(iteration.length),
         fmt::format("{}", iteration.kernels), fmt::format("{}", iteration.backward_kernels),
         milliseconds(iteration.backward_kernel_busy), milliseconds(iteration.backward_busy),
         milliseconds(iteration.backward_span), remarks(iteration)});
  }
  if (summary.median) {
    const MedianSummary& median = *summary.median;
    table.add_row({"median", "", fmt::format("{}", median.kernels),
                   fmt::format("{}", median.backward_kernels),
                   milliseconds(median.backward_kernel_busy), milliseconds(median.backward_busy),
                   milliseconds(median.backward_span),
                   fmt::format("of {} complete", median.iterations)});
  }
  out << '\n' << table.text();
  if (summary.iteration_period) {
    out << fmt::format("from one backward pass to the next: {} ms\n",
                       milliseconds(*summary.iteration_period));
  }
}

void write_kernel_classes(const TraceSummary& summary, std::ostream& out) {
  if (summary.kernels == 0) return;
  TextTable table({{"kernels", Align::kLeft},
                   {"an iteration"},
                   {"ms an iteration"},
                   {"in all"},
                   {"ms in all"}});
  for (const KernelClassSummary& item : summary.kernel_classes) {
    table.add_row(
        {std::string{name_of(item.category)},
         item.kernels_per_iteration ? fmt::format("{}", *item.kernels_per_iteration) : "-",
         milliseconds(item.time_per_iteration), fmt::format("{}", item.kernels),
         milliseconds(item.time)});
  }
  out << '\n' << table.text();
  if (summary.kernels_outside_iterations > 0) {
    out << fmt::format("{} of {} kernels lie outside the iterations\n",
                       summary.kernels_outside_iterations, summary.kernels);
  }
}

void write_parameters(const TraceSummary& summary, std::ostream& out) {
  if (!summary.parameters) return;
  const ParameterSummary& parameters = *summary.parameters;
  out << fmt::format("\n{} parameters", parameters.parameters);
  if (parameters.elements) out << fmt::format(", {} elements", parameters.elements->count());
  if (parameters.bytes) out << fmt::format(", {}", format_bytes(*parameters.bytes));
  if (!parameters.elements) out << fmt::format(", {} with a size", parameters.sized);
  out << fmt::format(", {} with a name\n", parameters.named);
  if (summary.kernels == 0) return;
  out << fmt::format(
      "gradients ready on the device: {} with an accumulating kernel of their own, {} with the "
      "last "
      "kernel before\n",
      parameters.with_own_kernel, parameters.parameters - parameters.with_own_kernel);
}

void write_buckets(const TraceSummary& summary, std::ostream& out) {
  if (summary.buckets.empty()) return;
  TextTable table(
      {{"bucket"}, {"parameters"}, {"elements"}, {"dtype", Align::kLeft}, {"MB"}, {"ready ms"}});
  for (std::size_t i = 0; i < summary.buckets.size(); ++i) {
    const Bucket& bucket = summary.buckets[i];
    table.add_row({fmt::format("{}", i), fmt::format("{}", bucket.gradients.size()),
                   fmt::format("{}", bucket.elements.count()), std::string{name_of(bucket.dtype)},
                   fmt::format("{:.3f}", static_cast<double>(bucket.bytes().count()) / 1e6),
                   milliseconds(bucket.ready)});
  }
  out << fmt::format("\nDDP buckets of the representative iteration (first cap {}, then {})\n",
                     mebibytes(summary.caps.first), mebibytes(summary.caps.rest))
      << table.text();
}

std::string list_sizes(const CommunicationSummary& communication) {
  std::string text;
  const std::size_t shown = std::min(communication.sizes.size(), kMaxSizesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ' ';
    const auto& size = communication.sizes[i];
    text += size ? fmt::format("{}", size->count()) : "?";
  }
  if (shown < communication.sizes.size()) {
    text += fmt::format(" and {} more", communication.sizes.size() - shown);
  }
  return text;
}

void write_communications(const TraceSummary& summary, std::ostream& out) {
  if (summary.communications.empty()) return;
  TextTable table({{"communication", Align::kLeft},
                   {"dtype", Align::kLeft},
                   {"ranks"},
                   {"in all"},
                   {summary.representative ? "representative iteration" : "counted"},
                   {"elements of each", Align::kLeft}});
  for (const CommunicationSummary& item : summary.communications) {
    table.add_row({std::string{name_of(item.collective)}, std::string{name_of(item.dtype)},
                   item.group_size ? fmt::format("{}", *item.group_size) : "?",
                   fmt::format("{}", item.count), fmt::format("{}", item.sizes.size()),
                   list_sizes(item)});
  }
  out << '\n' << table.text();
}

void write_list(const char* title, const std::vector<std::string>& lines, std::ostream& out) {
  if (lines.empty()) return;
  out << '\n' << title << '\n';
  for (const std::string& line : lines) out << "  - " << line << '\n';
}

}  // namespace

void write_text(const TraceSummary& summary, std::ostream& out) {
  out << headline(summary);
  write_facts(summary, out);
  write_iterations(summary, out);
  write_kernel_classes(summary, out);
  write_parameters(summary, out);
  write_buckets(summary, out);
  write_communications(summary, out);
  if (summary.workload) write_list("Warnings", summary.workload->warnings, out);
  write_list("Missing", summary.missing, out);
  std::vector<std::string> defects;
  for (const Defect& defect : summary.defects) {
    defects.push_back(fmt::format("{} ({}), {} times: {}", defect.kind, name_of(defect.severity),
                                  defect.count, defect.example));
  }
  write_list("Defects of the import", defects, out);
}

}  // namespace gradwire
