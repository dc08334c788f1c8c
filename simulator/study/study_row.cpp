#include "simulator/study/study_row.hpp"

#include <algorithm>
#include <concepts>

#include "base/byte_codec.hpp"

namespace gradwire {

template <class Row, class Field>
requires std::same_as<std::remove_const_t<Row>, StudyRow>
void each_field(Row& row, Field& field) {
  field(row.answers);
  field(row.iteration);
  field(row.breakdown);
  field(row.network.collectives);  // apart: there is padding between them
  field(row.network.busy);
  field(row.band);
  field(row.overlap_slowdown);
  field(row.scaling_efficiency);
  field(row.study_outside);
  field(row.study_inside);
  field(row.compressor);
  field(row.overlap);
  field(row.verdicts);
  field(row.failure);
}

template <class Compressor, class Field>
requires std::same_as<std::remove_const_t<Compressor>, RowCompressor>
void each_field(Compressor& compressor, Field& field) {
  field(compressor.wire_bytes);
  field(compressor.encode);
  field(compressor.decode);
  field(compressor.standing);
  field(compressor.overlapped);
}

template <class AVerdict, class Field>
requires std::same_as<std::remove_const_t<AVerdict>, Verdict>
void each_field(AVerdict& verdict, Field& field) {
  field(verdict.baseline);
  field(verdict.baseline_time);
  field(verdict.speedup);
  field(verdict.speedup_low);
  field(verdict.speedup_high);
  field(verdict.nominal_speedup);
}

std::string to_bytes(const StudyRow& row) {
  ByteWriter writer;
  writer(row);
  return writer.take();
}

StudyRow row_from_bytes(const CellKey& key, std::string_view bytes) {
  StudyRow row;
  ByteReader reader(bytes);
  reader(row);
  row.key = key;
  return row;
}

std::optional<double> study_form_distance(const StudyRow& row) {
  if (!row.study_outside) return std::nullopt;
  return *row.study_outside / row.main() - 1.0;
}

double disagreement(const StudyRow& row) {
  std::optional<Seconds> low;
  std::optional<Seconds> high;
  for (const std::optional<Seconds>& answer : row.answers) {
    if (!answer) continue;
    low = low ? std::min(*low, *answer) : *answer;
    high = high ? std::max(*high, *answer) : *answer;
  }
  return low ? (*high - *low) / *low : 0.0;
}

}  // namespace gradwire
