#include "platforms/model/figure_reader.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "platforms/schema/cluster.pb.h"

namespace gradwire {
namespace {

std::string standing_text(schema::Standing standing) {
  switch (standing) {
    case schema::MEASURED:
      return "measured";
    case schema::PUBLISHED:
      return "published";
    case schema::RECALLED:
      return "recalled";
    case schema::DERIVED:
      return "derived";
    case schema::ASSUMED:
      return "assumed";
    default:
      return {};
  }
}

constexpr std::string_view kFieldWithBand = "nic.latency";

}  // namespace

int FigureReader::count(const schema::Figure& figure, const std::string& field) {
  const std::string& text = take(figure, field);
  const std::optional<int> value = number_from<int>(text);
  if (!value) {
    refuse(field, fmt::format("\"{}\" is not a whole number; one from 1 up is accepted", text));
  }
  return *value;
}

double FigureReader::factor(const schema::Figure& figure, const std::string& field) {
  const std::string& text = take(figure, field);
  const std::optional<double> value = number_from<double>(text);
  if (!value) {
    refuse(field, fmt::format("\"{}\" is not a number; a factor such as 0.5 is accepted", text));
  }
  return *value;
}

BitsPerSecond FigureReader::bandwidth(const schema::Figure& figure, const std::string& field) {
  return parse_bandwidth(take(figure, field), field);
}

Seconds FigureReader::duration(const schema::Figure& figure, const std::string& field) {
  return parse_duration(take(figure, field), field);
}

Bytes FigureReader::bytes(const schema::Figure& figure, const std::string& field) {
  return parse_bytes(take(figure, field), field);
}

LinkSpec FigureReader::link(const schema::Link& link, const std::string& field) {
  LinkSpec spec;
  spec.bandwidth = bandwidth(link.bandwidth(), field + ".bandwidth");
  spec.latency = duration(link.latency(), field + ".latency");
  return spec;
}

std::optional<LatencyBand> FigureReader::latency_band(const schema::Link& link,
                                                      const std::string& field) {
  const schema::Figure& figure = link.latency();
  if (figure.low().empty() && figure.high().empty()) return std::nullopt;
  const LatencyBand band{parse_duration(figure.low(), field + ".latency.low"),
                         parse_duration(figure.high(), field + ".latency.high")};
  const Seconds value = parse_duration(figure.value(), field + ".latency");
  if (band.low > value || band.high < value) {
    refuse(field + ".latency", "lies outside its own band; low <= value <= high is accepted");
  }
  return band;
}

void FigureReader::refuse(const std::string& field, const std::string& what) const {
  throw InputError(fmt::format("{}: {}", field, what));
}

const std::string& FigureReader::take(const schema::Figure& figure, const std::string& field) {
  if (figure.value().empty()) {
    refuse(field, "has no value; one is needed (value: \"...\", with its unit)");
  }
  if (figure.source().empty()) {
    refuse(field, "has no source; say where the value comes from (source: \"...\")");
  }
  if (field != kFieldWithBand && !(figure.low().empty() && figure.high().empty())) {
    refuse(field, fmt::format("has a band (low, high); only {} takes one", kFieldWithBand));
  }
  std::string standing = standing_text(figure.standing());
  if (standing.empty()) {
    refuse(field, "has no standing; accepted: MEASURED, PUBLISHED, RECALLED, DERIVED, ASSUMED");
  }
  sources_.push_back({field, figure.value(), std::move(standing), figure.source()});
  return figure.value();
}

}  // namespace gradwire
