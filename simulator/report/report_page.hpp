#pragma once

#include <iosfwd>
#include <string>

#include "simulator/questions/report_content.hpp"

namespace gradwire {

/// What the page and its charts are made of, as one JSON document that holds no '<', so that it can
/// stand inside a script element.
std::string report_json(const StudySpec& spec, const StudyOutcome& outcome,
                        const ReportContent& content);

/// A study's report: one HTML file that needs nothing else (docs/report.md). `json` as report_json
/// makes it.
void write_report_page(const std::string& json, std::ostream& out);

/// A script for node that writes the page's charts as SVG files into the folder that is its first
/// argument.
void write_static_charts_script(const std::string& json, std::ostream& out);

}  // namespace gradwire
