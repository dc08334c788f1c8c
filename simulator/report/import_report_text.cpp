#include "simulator/report/import_report_text.hpp"

#include <fmt/format.h>

#include <map>

#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

std::uint64_t find_count(const Counts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

double linked_share(const ImportReport& report) {
  return static_cast<double>(report.kernels_linked) / static_cast<double>(report.kernels_out);
}

std::string list_counts(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  return text;
}

std::string list_collectives(const ImportReport& report) {
  std::string text;
  for (const auto& [name, in] : report.collectives_in) {
    text += fmt::format("{}{} {} in, {} kept", text.empty() ? "" : "; ", name, in,
                        find_count(report.collectives_out, name));
  }
  return text;
}

std::string defect_table(const ImportReport& report) {
  using Align = TextTable::Align;
  TextTable table({{"defect", Align::kLeft},
                   {"severity", Align::kLeft},
                   {"count"},
                   {"first one", Align::kLeft}});
  for (const Defect& defect : report.defects) {
    table.add_row({defect.kind, std::string{name_of(defect.severity)},
                   fmt::format("{}", defect.count), defect.example});
  }
  return table.text();
}

std::string doubts(const ImportReport& report) {
  std::string text;
  const bool tells_launches =
      !report.linked_by.empty() || report.kernels_linked > 0 || !report.backward_found_by.empty();
  if (tells_launches && report.kernels_out > 0 && linked_share(report) < kDoubtfulLinkedShare) {
    text += fmt::format(
        "DOUBTFUL: only {} of {} kernels ({:.1f} %) are linked to their launch; the others "
        "belong to no iteration\n",
        report.kernels_linked, report.kernels_out, 100.0 * linked_share(report));
  }
  for (const auto& [name, in] : report.collectives_in) {
    const std::uint64_t out = find_count(report.collectives_out, name);
    if (out < in) text += fmt::format("LOST: {} of {} {} communications\n", in - out, in, name);
  }
  if (report.lost_data()) {
    text += "DATA LOST: see the defects of severity \"data loss\"; --strict refuses such a file\n";
  }
  return text;
}

}  // namespace

std::string import_report_text(const ImportReport& report) {
  TextTable table({{"", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}});
  const auto add = [&table](const char* what, const std::string& text) {
    if (!text.empty()) table.add_row({what, text});
  };
  add("format", report.format);
  if (report.events > 0) add("events", fmt::format("{}", report.events));
  add("kernels", fmt::format("{} in, {} kept", report.kernels_in, report.kernels_out));
  if (report.kernels_linked > 0) {
    add("linked", fmt::format("{} kernels ({:.1f} %) to their launch: {}", report.kernels_linked,
                              100.0 * linked_share(report), list_counts(report.linked_by)));
  }
  add("collectives", list_collectives(report));
  add("iterations by", report.iterations_found_by);
  add("backward by", report.backward_found_by);
  add("gradients by", report.gradients_found_by);
  std::string text = table.text();
  if (!report.defects.empty()) text += '\n' + defect_table(report);
  const std::string doubt = doubts(report);
  if (!doubt.empty()) text += '\n' + doubt;
  return text;
}

}  // namespace gradwire
