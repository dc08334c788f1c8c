#include "simulator/report/monte_carlo_report.hpp"

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "simulator/study/verdict.hpp"

namespace gradwire {

std::string monte_carlo_text(const MonteCarlo& samples) {
  const TimeSpread& times = samples.backward_sync;
  std::string text = fmt::format(
      "p5 / p50 / p95 of backward plus synchronisation over {} samples, seed {}, by the "
      "recurrence: "
      "{} / {} / {}; mean {}.\n",
      samples.settings.samples, samples.settings.seed, format_duration(times.p5),
      format_duration(times.p50), format_duration(times.p95), format_duration(times.mean));
  for (const SpeedupSpread& speedup : samples.speedups) {
    text += fmt::format(
        "Against {} in the same samples: {:.3f} / {:.3f} / {:.3f} times as fast; a win, by {:.0f} "
        "% "
        "or more, in {:.1f} % of them.\n",
        speedup.baseline, speedup.p5, speedup.p50, speedup.p95, kTieBand * 100.0,
        speedup.win_share * 100.0);
  }
  return text;
}

void write_monte_carlo(const MonteCarlo& samples, JsonWriter& json) {
  const TimeSpread& times = samples.backward_sync;
  json.begin_object();
  json.member("count", samples.settings.samples);
  json.member("seed", samples.settings.seed);
  json.member("backward_sync_p5_s", times.p5.count());
  json.member("backward_sync_p50_s", times.p50.count());
  json.member("backward_sync_p95_s", times.p95.count());
  json.member("backward_sync_mean_s", times.mean.count());
  json.key("speedups").begin_array();
  for (const SpeedupSpread& speedup : samples.speedups) {
    json.begin_object();
    json.member("baseline", speedup.baseline);
    json.member("speedup_p5_ratio", speedup.p5);
    json.member("speedup_p50_ratio", speedup.p50);
    json.member("speedup_p95_ratio", speedup.p95);
    json.member("speedup_mean_ratio", speedup.mean);
    json.member("win_share", speedup.win_share);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace gradwire
