#include <google/protobuf/text_format.h>

#include <ostream>
#include <string>

#include "base/errors.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/schema/cost_profile.pb.h"

namespace gradwire {
namespace {

schema::device::Standing standing_of(std::string text) {
  for (char& c : text) c = static_cast<char>(c - 'a' + 'A');
  schema::device::Standing standing = schema::device::STANDING_UNSPECIFIED;
  GW_CHECK(schema::device::Standing_Parse(text, &standing), "no standing of the format: " + text);
  return standing;
}

void fill(const ModelFigure& from, schema::cost::Figure& to) {
  to.set_value(from.value);
  to.set_standing(standing_of(from.provenance.standing));
  to.set_source(from.provenance.source);
}

void fill(const WorkModel& from, schema::cost::Model& to) {
  fill(from.launch_s, *to.mutable_launch_s());
  fill(from.dram_bytes_per_s, *to.mutable_dram_bytes_per_s());
  fill(from.host_sync_s, *to.mutable_host_sync_s());
  for (const SchemeFigures& figures : from.schemes) {
    schema::cost::SchemeFigures& scheme = *to.add_scheme();
    scheme.set_name(figures.scheme);
    scheme.set_fixed_s(figures.fixed.count());
    if (figures.encode_dram_bytes_per_s) {
      scheme.set_encode_dram_bytes_per_s(*figures.encode_dram_bytes_per_s);
    }
    scheme.set_standing(standing_of(figures.provenance.standing));
    scheme.set_source(figures.provenance.source);
  }
}

void fill(const MeasuringContext& from, schema::cost::Measuring& to) {
  to.set_device_kind(from.machine.kind == DeviceKind::kCpu ? schema::cost::CPU : schema::cost::GPU);
  to.set_device(from.machine.name);
  to.set_clocks(from.machine.clocks);
  for (const std::string& software : from.machine.software) to.add_software(software);
  to.set_implementation(from.implementation);
  to.set_method(from.method);
  to.set_date(from.date);
  for (const std::string& line : from.left_out) to.add_left_out(line);
}

void fill(const MeasuredSpread& from, schema::cost::Spread& to) {
  to.set_samples(from.samples);
  to.set_encode_low_s(from.encode_low.count());
  to.set_encode_high_s(from.encode_high.count());
  to.set_decode_low_s(from.decode_low.count());
  to.set_decode_high_s(from.decode_high.count());
}

void fill(const CostEntry& from, schema::cost::Entry& to) {
  to.set_scheme(from.scheme.spelling());
  to.set_elements(from.elements.count());
  to.set_tensors(from.tensors);
  to.set_ranks(from.ranks);
  to.set_encode_s(from.encode.count());
  to.set_decode_s(from.decode.count());
  to.set_split_source(from.split_source);
  to.set_standing(standing_of(from.provenance.standing));
  to.set_date(from.date);
  to.set_source(from.provenance.source);
  to.set_alternative_because(from.alternative_because);
  if (from.spread) fill(*from.spread, *to.mutable_spread());
}

std::string text_of(const schema::cost::CostProfile& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  GW_CHECK(printer.PrintToString(message, &text), "a message that cannot be printed");
  return text;
}

}  // namespace

void write_cost_profile(const CostProfile& profile, std::ostream& out) {
  // Part by part: what is known of all figures stands before them, whatever its field number.
  schema::cost::CostProfile head;
  head.set_name(profile.name);
  for (const std::string& pattern : profile.device_patterns) head.add_device_patterns(pattern);
  if (profile.model) fill(*profile.model, *head.mutable_model());
  if (profile.measuring) fill(*profile.measuring, *head.mutable_measuring());
  out << "# docs/formats/cost-profile.md\n" << text_of(head);
  for (const CostEntry& entry : profile.entries) {
    schema::cost::CostProfile part;
    fill(entry, *part.add_entry());
    out << text_of(part);
  }
}

}  // namespace gradwire
