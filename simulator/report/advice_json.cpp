#include <ostream>

#include "simulator/report/advice_report.hpp"
#include "simulator/report/json_writer.hpp"

namespace gradwire {
namespace {

void write_accuracy(const SchemeAccuracy& accuracy, JsonWriter& json) {
  const std::optional<FigureSpread> errors = accuracy.relative_errors();
  const std::optional<FigureSpread> cosines = accuracy.cosines();
  json.begin_object(JsonLayout::kOneLine);
  json.member("relative_error_median_ratio", errors ? std::optional(errors->median) : std::nullopt);
  json.member("cosine_median_ratio", cosines ? std::optional(cosines->median) : std::nullopt);
  json.member("sum_relative_error_ratio", accuracy.sum.relative_error);
  json.member("sum_cosine_ratio", accuracy.sum.cosine);
  json.end_object();
}

void write_row(const AdviceReport& report, const AdviceRow& row, JsonWriter& json) {
  json.begin_object();
  json.member("what", row.what);
  json.member("kind", name_of(row.kind));
  json.key("mode");
  row.mode ? json.value(name_of(*row.mode)) : json.value(nullptr);
  json.member("backward_sync_s", row.time.count());
  json.member("same_samples_s", row.comparable_time.count());
  json.member("speedup_ratio", row.speedup);
  json.member("speedup_low_ratio", row.speedup_low);
  json.member("speedup_high_ratio", row.speedup_high);
  json.member("outcome", name_of(row.outcome()));
  json.member("standing", row.standing);
  json.member("changes", row.changes);
  json.member("not_advised", row.not_advised);
  json.key("accuracy");
  const SchemeAccuracy* accuracy = accuracy_of(report, row);
  accuracy != nullptr ? write_accuracy(*accuracy, json) : (void)json.value(nullptr);
  json.member("basis", row.basis);
  json.end_object();
}

void write_rows(const char* name, const AdviceReport& report, const std::vector<AdviceRow>& rows,
                JsonWriter& json) {
  json.key(name).begin_array();
  for (const AdviceRow& row : rows) write_row(report, row, json);
  json.end_array();
}

void write_by_bucket(const ByBucketAdvice& found, JsonWriter& json) {
  json.begin_object();
  json.key("buckets").begin_array();
  for (const BucketAdvice& bucket : found.buckets) {
    json.begin_object(JsonLayout::kOneLine);
    json.member("payload_bytes", bucket.payload.count());
    json.member("ready_s", bucket.ready.count());
    json.member("compressor", bucket.scheme);
    json.end_object();
  }
  json.end_array();
  json.member("compresses", found.compresses);
  json.member("is_uniform", found.is_uniform);
  json.member("uniform", found.uniform);
  json.member("uniform_backward_sync_s", found.uniform_time.count());
  json.member("exact", found.exact);
  json.member("combinations", found.combinations);
  json.member("played", found.played);
  json.end_object();
}

void write_score(const SchemeScore& score, JsonWriter& json) {
  json.begin_object();
  json.member("compressor", score.scheme);
  json.member("all_reduced", score.all_reduced);
  json.member("codec_budget_s", score.budget.count());
  json.member("codec_budget_low_s", score.budget_low.count());
  json.member("codec_budget_high_s", score.budget_high.count());
  json.key("codec_s");
  score.codec ? json.value(score.codec->count()) : json.value(nullptr);
  json.member("standing", score.standing);
  json.member("why_no_cost", score.why_no_cost);
  json.member("under_budget", score.is_under_budget());
  json.member("growth_ratio", score.growth);
  json.member("growth_from_workers", score.fewer_workers);
  json.member("workers_growth_ratio", score.workers_growth);
  json.member("scales", score.scales());
  json.member("hidden_fraction", score.hidden);
  json.member("hides", score.hides());
  json.member("compression_ratio", score.ratio);
  json.member("needed_ratio", score.needed_ratio);
  json.member("sufficient_and_not_more", score.is_sufficient_and_not_more());
  json.member("launches", score.launches);
  json.member("gradients", score.gradients);
  json.member("launches_little", score.launches_little());
  json.member("yes", score.yes());
  json.end_object();
}

}  // namespace

void write_json(const AdviceReport& report, std::ostream& out) {
  const Advice& advice = report.advice;
  JsonWriter json(out);
  json.begin_object();
  json.member("trace", report.trace);
  json.member("device", report.device);
  json.member("cluster", report.cluster);
  json.member("workers", report.workers);
  json.member("bandwidth_bits_per_s", report.bandwidth.count());
  json.member("batch", report.batch);
  json.member("cost_profile", report.cost_profile);
  json.member("costs_fit_device", advice.costs_fit);
  json.key("compress");
  advice.has_verdict() ? json.value(advice.to_take() != nullptr) : json.value(nullptr);
  json.key("best_compressor");
  advice.best_compressor() != nullptr ? write_row(report, *advice.best_compressor(), json)
                                      : (void)json.value(nullptr);
  json.member("winners", advice.winners());
  json.member("best_baseline", advice.best_baseline);
  json.member("best_baseline_backward_sync_s", advice.best_baseline_time.count());
  write_rows("ranked", report, advice.ranked, json);
  write_rows("instead", report, advice.instead, json);
  json.key("by_bucket");
  advice.by_bucket ? write_by_bucket(*advice.by_bucket, json) : (void)json.value(nullptr);
  json.key("scorecard").begin_array();
  for (const SchemeScore& score : advice.scorecard) write_score(score, json);
  json.end_array();
  json.member("accuracy_basis", report.accuracy_basis);
  json.member("assumptions", advice.basis);
  json.member("warnings", advice.warnings);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
