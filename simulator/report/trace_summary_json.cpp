#include "simulator/report/json_writer.hpp"
#include "simulator/report/trace_summary_report.hpp"

namespace gradwire {
namespace {

std::optional<double> seconds(const std::optional<Seconds>& time) {
  return time ? std::optional<double>{time->count()} : std::nullopt;
}

void write_facts(JsonWriter& json, const TraceSummary& summary) {
  json.member("name", summary.name).member("format", summary.format);
  json.member("rank", summary.rank).member("world_size", summary.world_size);
  json.member("batch_size", summary.batch_size);
  json.key("devices").begin_array();
  for (const DeviceFacts& device : summary.devices) {
    json.begin_object(JsonLayout::kOneLine);
    json.member("index", device.index).member("name", device.name);
    json.member("multiprocessors", device.multiprocessors);
    json.key("memory_bytes");
    device.memory ? json.value(device.memory->count()) : json.value(nullptr);
    json.member("compute_capability", device.compute_capability).end_object();
  }
  json.end_array();
  json.key("software").begin_array();
  for (const Fact& fact : summary.software) {
    json.begin_object(JsonLayout::kOneLine).member("name", fact.name);
    json.member("value", fact.value).end_object();
  }
  json.end_array();
  json.key("provenance").begin_object();
  json.member("source", summary.provenance.source).member("licence", summary.provenance.licence);
  json.member("made_by", summary.provenance.made_by);
  json.member("left_out", summary.provenance.left_out);
  json.end_object();
  json.key("parallelism").begin_array();
  for (const Parallelism& item : summary.parallelism) {
    json.begin_object(JsonLayout::kOneLine).member("name", item.name);
    json.member("evidence", item.evidence).end_object();
  }
  json.end_array();
}

void write_iterations(JsonWriter& json, const TraceSummary& summary) {
  json.key("iterations").begin_array();
  for (const IterationSummary& iteration : summary.iterations) {
    json.begin_object(JsonLayout::kOneLine).member("number", iteration.number);
    json.member("representative", iteration.representative);
    json.member("inferred", iteration.inferred).member("complete", iteration.complete);
    json.member("length_s", iteration.length.count()).member("kernels", iteration.kernels);
    json.member("copies", iteration.copies);
    json.member("backward_kernels", iteration.backward_kernels);
    json.member("backward_passes", iteration.backward_passes);
    json.member("backward_kernel_busy_s", seconds(iteration.backward_kernel_busy));
    json.member("backward_busy_s", seconds(iteration.backward_busy));
    json.member("backward_span_s", iteration.backward_span.count()).end_object();
  }
  json.end_array();
  json.key("median");
  if (summary.median) {
    const MedianSummary& median = *summary.median;
    json.begin_object().member("iterations", median.iterations);
    json.member("kernels", median.kernels).member("backward_kernels", median.backward_kernels);
    json.member("backward_kernel_busy_s", seconds(median.backward_kernel_busy));
    json.member("backward_busy_s", seconds(median.backward_busy));
    json.member("backward_span_s", median.backward_span.count()).end_object();
  } else {
    json.value(nullptr);
  }
  json.member("iteration_period_s", seconds(summary.iteration_period));
}

void write_kernels(JsonWriter& json, const TraceSummary& summary) {
  json.key("kernels").begin_object().member("all", summary.kernels);
  json.member("outside_iterations", summary.kernels_outside_iterations);
  json.member("without_launch", summary.kernels_without_launch);
  json.key("classes").begin_array();
  for (const KernelClassSummary& item : summary.kernel_classes) {
    json.begin_object(JsonLayout::kOneLine).member("class", name_of(item.category));
    json.member("kernels", item.kernels).member("time_s", item.time.count());
    json.member("kernels_per_iteration", item.kernels_per_iteration);
    json.member("time_per_iteration_s", seconds(item.time_per_iteration)).end_object();
  }
  json.end_array().end_object();
}

void write_parameters(JsonWriter& json, const TraceSummary& summary) {
  json.key("parameters");
  if (!summary.parameters) {
    json.value(nullptr);
    return;
  }
  const ParameterSummary& item = *summary.parameters;
  json.begin_object().member("count", item.parameters).member("named", item.named);
  json.member("sized", item.sized).key("elements");
  item.elements ? json.value(item.elements->count()) : json.value(nullptr);
  json.key("bytes");
  item.bytes ? json.value(item.bytes->count()) : json.value(nullptr);
  json.member("ready_with_own_kernel", item.with_own_kernel);
  json.end_object();
}

void write_workload(JsonWriter& json, const TraceSummary& summary) {
  json.key("workload");
  if (!summary.workload) {
    json.value(nullptr);
    return;
  }
  const Workload& workload = *summary.workload;
  json.begin_object().member("device", workload.device_name);
  json.member("backward_busy_s", seconds(workload.backward_busy));
  json.member("backward_span_s", workload.backward_span.count());
  json.member("outside_backward_s", seconds(workload.outside_backward));
  json.member("first_bucket_cap_bytes", summary.caps.first.count());
  json.member("bucket_cap_bytes", summary.caps.rest.count());
  json.key("buckets").begin_array();
  for (const Bucket& bucket : summary.buckets) {
    json.begin_object(JsonLayout::kOneLine).member("parameters", bucket.gradients.size());
    json.member("elements", bucket.elements.count()).member("dtype", name_of(bucket.dtype));
    json.member("bytes", bucket.bytes().count()).member("ready_s", bucket.ready.count());
    json.end_object();
  }
  json.end_array();
  json.member("warnings", workload.warnings);
  json.end_object();
}

void write_communications(JsonWriter& json, const TraceSummary& summary) {
  json.key("communications").begin_array();
  for (const CommunicationSummary& item : summary.communications) {
    json.begin_object(JsonLayout::kOneLine).member("collective", name_of(item.collective));
    json.member("dtype", name_of(item.dtype)).member("ranks", item.group_size);
    json.member("count", item.count).key("elements").begin_array();
    for (const auto& size : item.sizes) {
      size ? json.value(size->count()) : json.value(nullptr);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_defects(JsonWriter& json, const TraceSummary& summary) {
  json.key("defects").begin_array();
  for (const Defect& defect : summary.defects) {
    json.begin_object(JsonLayout::kOneLine).member("kind", defect.kind);
    json.member("severity", name_of(defect.severity)).member("count", defect.count);
    json.member("example", defect.example).end_object();
  }
  json.end_array();
}

}  // namespace

void write_json(const TraceSummary& summary, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  write_facts(json, summary);
  write_iterations(json, summary);
  write_kernels(json, summary);
  write_parameters(json, summary);
  write_workload(json, summary);
  write_communications(json, summary);
  write_defects(json, summary);
  json.member("missing", summary.missing);
  json.end_object();
}

}  // namespace gradwire
