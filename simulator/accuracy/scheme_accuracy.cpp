#include "simulator/accuracy/scheme_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "compressors/reference/reference.hpp"
#include "compressors/reference/reference_registry.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/accuracy/gradient_check.hpp"

namespace gradwire {
namespace {

double squared_norm(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

/// Both are finite. The relative error is left out where the result is no average.
ExchangeError error_of(const std::vector<double>& result, const std::vector<double>& average,
                       bool gives_average) {
  double squared_distance = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < average.size(); ++i) {
    const double difference = result[i] - average[i];
    squared_distance += difference * difference;
    product += result[i] * average[i];
  }
  const double norm = std::sqrt(squared_norm(average));
  const double result_norm = std::sqrt(squared_norm(result));
  ExchangeError error;
  if (gives_average && norm > 0.0) error.relative_error = std::sqrt(squared_distance) / norm;
  if (norm > 0.0 && result_norm > 0.0) error.cosine = product / (norm * result_norm);
  return error;
}

void add(const std::vector<double>& values, std::vector<double>& sum) {
  sum.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
}

}  // namespace

std::optional<FigureSpread> SchemeAccuracy::relative_errors() const {
  std::vector<double> errors;
  for (const ExchangeError& exchange : exchanges) {
    if (exchange.relative_error) errors.push_back(*exchange.relative_error);
  }
  if (errors.empty()) return std::nullopt;
  std::sort(errors.begin(), errors.end());
  return FigureSpread{median_of_sorted(errors), errors.back()};
}

std::optional<FigureSpread> SchemeAccuracy::cosines() const {
  std::vector<double> cosines;
  for (const ExchangeError& exchange : exchanges) {
    if (exchange.cosine) cosines.push_back(*exchange.cosine);
  }
  if (cosines.empty()) return std::nullopt;
  std::sort(cosines.begin(), cosines.end());
  return FigureSpread{median_of_sorted(cosines), cosines.front()};
}

SchemeAccuracy measure_accuracy(const RecordedGradients& gradients, std::string_view spelling,
                                std::uint64_t seed, const std::function<void()>& exchanged) {
  std::vector<RankReference> references;
  for (int rank = 0; rank < gradients.ranks; ++rank) {
    references.push_back(make_reference(spelling, gradients.shapes, seed, rank));
  }
  SchemeAccuracy accuracy;
  accuracy.scheme = parse_scheme(spelling)->spelling();
  accuracy.payload = total_elements(gradients.shapes) * Bytes{4};
  accuracy.wire = wire_bytes(references.front().transfers);
  accuracy.gives_average = references.front().reference->gives_average();
  accuracy.error_memory = !references.front().reference->memory().empty();

  std::vector<double> sum_of_averages;
  std::vector<double> sum_of_results;
  bool all_in_sum = true;
  for (int iteration = 0; iteration < gradients.iterations; ++iteration) {
    const std::vector<std::vector<float>> all_ranks = gradients.read(iteration);
    const std::vector<double> average = average_gradient(all_ranks);
    const std::vector<float> received = exchange_gradients(references, all_ranks).front();
    const std::vector<double> result(received.begin(), received.end());
    const bool sound = all_finite(average);
    const bool measured = sound && all_finite(result);
    accuracy.exchanges.push_back(measured ? error_of(result, average, accuracy.gives_average)
                                          : ExchangeError{});
    if (measured) {
      ++accuracy.measured_iterations;
      add(average, sum_of_averages);
      add(result, sum_of_results);
    } else {
      all_in_sum = false;
      if (sound) ++accuracy.broken_results;
    }
    exchanged();
  }
  if (all_in_sum) {
    accuracy.sum = error_of(sum_of_results, sum_of_averages, accuracy.gives_average);
  }
  return accuracy;
}

void check_measurable(std::string_view spelling) { make_reference(spelling, {}, 0, 0); }

std::vector<std::string> usual_compressors() {
  static const std::map<std::string_view, std::vector<std::string>> kUsual = {
      {"powersgd", {"powersgd:rank=1", "powersgd:rank=4"}},
      {"topk", {"topk:fraction=0.1", "topk:fraction=0.01"}},
      {"qsgd", {"qsgd:bits=4", "qsgd:bits=8"}},
  };
  std::vector<std::string> spellings;
  for (const ReferenceEntry& entry : references()) {
    const auto usual = kUsual.find(entry.scheme);
    if (usual == kUsual.end()) {
      spellings.emplace_back(entry.scheme);
    } else {
      spellings.insert(spellings.end(), usual->second.begin(), usual->second.end());
    }
  }
  return spellings;
}

}  // namespace gradwire
