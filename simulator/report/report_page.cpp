#include "simulator/report/report_page.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "base/errors.hpp"
#include "simulator/report/report_page_texts.hpp"

namespace gradwire {
namespace {

std::string_view page_text(std::string_view name) {
  const auto texts = report_page_texts();
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const EmbeddedText& text) { return text.name == name; });
  GW_CHECK(found != texts.end(), "a part of the report's page is not in the program");
  return found->text;
}

}  // namespace

void write_report_page(const std::string& json, std::ostream& out) {
  constexpr std::string_view kMark = "@@";  // around the name of what belongs in its place
  std::string_view rest = page_text("page");
  for (bool inside = false; !rest.empty(); inside = !inside) {
    const std::size_t end = std::min(rest.find(kMark), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (!inside) {
      out << part;
    } else if (part == "data") {
      out << json;
    } else {
      out << page_text(part);
    }
    rest.remove_prefix(std::min(end + kMark.size(), rest.size()));
  }
}

void write_static_charts_script(const std::string& json, std::ostream& out) {
  out << page_text("vega") << "\nvar report = " << json << ";\n";
  for (const std::string_view part : {"figures", "charts", "static"}) out << page_text(part);
}

}  // namespace gradwire
