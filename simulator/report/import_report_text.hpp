#pragma once

#include <string>

#include "traces/importers/import_report.hpp"

namespace gradwire {

/// Share of linked kernels below which an import is loudly doubted.
inline constexpr double kDoubtfulLinkedShare = 0.9;

/// An import for people: what went in and out, how things were found, defects by kind, and a line
/// in capitals for each thing that puts the result in doubt (few kernels linked to their launch,
/// communications or data lost). Lines end in "\n".
std::string import_report_text(const ImportReport& report);

}  // namespace gradwire
