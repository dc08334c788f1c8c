#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

#include "simulator/report/cluster_graph.hpp"

namespace gradwire {
namespace {

/// For a quoted string: dot ends it at a quote, obeys backslashes and reads "&lt;" as HTML does.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character == '&') {
      result += "&amp;";
    } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
      result += ' ';
    } else {
      result += character;
    }
  }
  return result;
}

std::string label_of(const std::vector<std::string>& lines) {
  std::string label;
  for (const std::string& line : lines) label += (label.empty() ? "" : "\\n") + escaped(line);
  return label;
}

std::string_view looks_of(DrawnBox::Kind kind) {
  switch (kind) {
    case DrawnBox::Kind::kSwitch:
      return R"(shape=box style="filled,rounded" fillcolor="#dbe7f5" color="#31669c")";
    case DrawnBox::Kind::kNodes:
      return R"(shape=box style=filled fillcolor="#eef5e6" color="#5b7f33")";
    case DrawnBox::Kind::kOdd:
      return R"(shape=box style=filled fillcolor="#fbe3d6" color="#b3411b" penwidth=2)";
    case DrawnBox::Kind::kLeftOut:
      break;
  }
  return R"(shape=box style=dashed color="#777777" fontcolor="#555555")";
}

std::string_view layout_of(ClusterGraph::Layout layout) {
  switch (layout) {
    case ClusterGraph::Layout::kTree:
      return "ranksep=0.6";
    case ClusterGraph::Layout::kCircle:
      return "layout=circo mindist=1.3 splines=true";
    case ClusterGraph::Layout::kSprings:
      break;
  }
  return "layout=neato overlap=scale splines=true";
}

/// 1 for the slowest line of a picture, one more for four times the rate, 6 at most.
double width_of(BitsPerSecond rate, BitsPerSecond slowest) {
  return std::min(6.0, 1.0 + std::log2(rate.count() / slowest.count()) / 2.0);
}

}  // namespace

void write_dot(const ClusterGraph& graph, std::ostream& out) {
  std::vector<std::string> title{graph.title};
  title.insert(title.end(), graph.notes.begin(), graph.notes.end());
  out << "graph cluster {\n";
  fmt::print(out, "  graph [label=\"{}\" labelloc=t fontname=\"Helvetica\" fontsize=13",
             label_of(title));
  fmt::print(out, " {}]\n", layout_of(graph.layout));
  out << "  node [fontname=\"Helvetica\" fontsize=11]\n";
  out << "  edge [fontname=\"Helvetica\" fontsize=10 color=\"#444444\"]\n";
  for (std::size_t box = 0; box < graph.boxes.size(); ++box) {
    fmt::print(out, "  b{} [label=\"{}\" {}]\n", box, label_of(graph.boxes[box].lines),
               looks_of(graph.boxes[box].kind));
  }
  const auto slowest = std::min_element(
      graph.lines.begin(), graph.lines.end(),
      [](const DrawnLine& one, const DrawnLine& other) { return one.rate < other.rate; });
  for (const DrawnLine& line : graph.lines) {
    fmt::print(out, "  b{} -- b{} [label=\"{}\" penwidth={:.1f}]\n", line.upper, line.lower,
               escaped(line.label), width_of(line.rate, slowest->rate));
  }
  out << "}\n";
}

}  // namespace gradwire
