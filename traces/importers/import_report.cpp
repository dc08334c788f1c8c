#include "traces/importers/import_report.hpp"

#include <algorithm>

namespace gradwire {

void ImportReport::count(const std::string& kind, Severity severity, const std::string& example,
                         std::uint64_t times) {
  const auto found = std::find_if(defects.begin(), defects.end(),
                                  [&](const Defect& defect) { return defect.kind == kind; });
  if (found != defects.end()) {
    found->count += times;
  } else if (times > 0) {
    defects.push_back(Defect{kind, severity, times, example});
  }
}

bool ImportReport::lost_data() const {
  return std::any_of(defects.begin(), defects.end(),
                     [](const Defect& defect) { return defect.severity == Severity::kDataLoss; });
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kDataLoss:
      break;
  }
  return "data loss";
}

}  // namespace gradwire
