#include "compressors/measure/measurement_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/unit_text.hpp"

namespace gradwire {
namespace {

constexpr int kWarmUps = 2;
constexpr int kFewestSamples = 3;

/// For a scheme whose cost does not depend on them.
constexpr int kAnyRanks = 2;

/// Of the memory that is free: the estimates are no exact ones, and others need some as well.
constexpr double kUsableMemory = 0.75;

double elements_of(const MeasurementPiece& piece) {
  return static_cast<double>(total_elements(piece.shapes).count());
}

/// How long making an exchange and running it once took, collectives included.
struct PieceTime {
  double elements = 0.0;
  Seconds make{0};
  Seconds run{0};
};

class MeasurementRun {
 public:
  MeasurementRun(const MeasurementPlan& plan, const MeasurementSettings& settings,
                 MeasuredDevice& device, const MeasurementSurroundings& surroundings)
      : plan_(plan),
        settings_(settings),
        device_(device),
        surroundings_(surroundings),
        end_(surroundings.now() + settings.budget) {
    outcome_.left_out = plan.left_out;
    for (const MeasurementPiece& piece : plan.pieces) elements_left_ += elements_of(piece);
  }

  MeasurementOutcome outcome() {
    for (std::size_t i = 0; i < plan_.pieces.size() && !outcome_.stopped; ++i) {
      const MeasurementPiece& piece = plan_.pieces[i];
      surroundings_.progress(i, plan_.pieces.size());
      if (const auto reason = reason_to_leave_out(piece)) {
        outcome_.left_out.push_back(fmt::format("{}: {}", piece.text(), *reason));
      } else {
        measure(piece);
      }
      elements_left_ -= elements_of(piece);
    }
    if (!outcome_.stopped) surroundings_.progress(plan_.pieces.size(), plan_.pieces.size());
    return std::move(outcome_);
  }

 private:
  MeasuredQuestion question_of(const MeasurementPiece& piece) const {
    return {plan_.implementation, piece.scheme, piece.shapes,
            piece.ranks == 0 ? kAnyRanks : piece.ranks};
  }

  Seconds left() const { return end_ - surroundings_.now(); }

  int fewest_samples() const { return std::min(kFewestSamples, settings_.samples); }

  /// In proportion to the elements, from the last piece of the scheme with these ranks, or with as
  /// many as there were.
  std::optional<Seconds> foretold(const MeasurementPiece& piece) const {
    const auto scheme = known_.find(piece.scheme);
    if (scheme == known_.end()) return std::nullopt;
    const auto same = scheme->second.find(piece.ranks);
    const PieceTime& known =
        same == scheme->second.end() ? std::prev(scheme->second.end())->second : same->second;
    return (known.make + known.run * (kWarmUps + fewest_samples())) *
           (elements_of(piece) / known.elements);
  }

  std::optional<std::string> reason_to_leave_out(const MeasurementPiece& piece) const {
    const Bytes needed = device_.memory_for(question_of(piece));
    const Bytes free = device_.free_memory();
    if (static_cast<double>(needed.count()) > kUsableMemory * static_cast<double>(free.count())) {
      return fmt::format("needs about {} of memory; {} are free, of which {:.0f} % are used",
                         format_bytes(needed), format_bytes(free), 100.0 * kUsableMemory);
    }
    if (left() <= Seconds{0}) return "the budget is used up";
    const auto time = foretold(piece);
    if (time && *time > left()) {
      return fmt::format("would take about {}; {} of the budget are left", format_duration(*time),
                         format_duration(left()));
    }
    return std::nullopt;
  }

  /// True when the run was stopped.
  bool stopped() {
    outcome_.stopped = outcome_.stopped || surroundings_.stop();
    return outcome_.stopped;
  }

  void measure(const MeasurementPiece& piece) {
    if (stopped()) return;
    const Seconds begin = surroundings_.now();
    const Seconds share_end = begin + left() * (elements_of(piece) / elements_left_);
    const auto exchange = device_.make(question_of(piece));
    const Seconds made = surroundings_.now();
    for (int i = 0; i < kWarmUps; ++i) {
      if (stopped()) return;
      exchange->run();
    }
    MeasuredPiece measured{piece, {}};
    while (static_cast<int>(measured.samples.size()) < settings_.samples) {
      if (stopped()) return;
      const bool enough = static_cast<int>(measured.samples.size()) >= fewest_samples();
      if (enough && surroundings_.now() >= share_end) break;
      measured.samples.push_back(exchange->run());
    }
    const auto runs = static_cast<double>(kWarmUps + measured.samples.size());
    known_[piece.scheme][piece.ranks] = {elements_of(piece), made - begin,
                                         (surroundings_.now() - made) / runs};
    outcome_.measured.push_back(std::move(measured));
  }

  const MeasurementPlan& plan_;
  const MeasurementSettings& settings_;
  MeasuredDevice& device_;
  const MeasurementSurroundings& surroundings_;
  Seconds end_;
  double elements_left_ = 0.0;
  std::map<std::string, std::map<int, PieceTime>> known_;  // by scheme and ranks: the last piece
  MeasurementOutcome outcome_;
};

}  // namespace

MeasurementOutcome run_measurement(const MeasurementPlan& plan, const MeasurementSettings& settings,
                                   MeasuredDevice& device,
                                   const MeasurementSurroundings& surroundings) {
  return MeasurementRun(plan, settings, device, surroundings).outcome();
}

}  // namespace gradwire
