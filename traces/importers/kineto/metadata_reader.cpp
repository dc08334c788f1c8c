#include "traces/importers/kineto/metadata_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <limits>

#include "traces/importers/decimal_time.hpp"
#include "traces/importers/kineto/event_reader.hpp"

namespace gradwire {
namespace {

namespace dom = simdjson::dom;

// Facts about the software; everything else may name people, hosts or jobs.
constexpr std::array<std::string_view, 9> kSoftwareKeys = {
    "schemaVersion",       "cupti_version",     "cuda_runtime_version",
    "cuda_driver_version", "roctracer_version", "hip_runtime_version",
    "hip_driver_version",  "record_shapes",     "with_stack",
};

std::optional<std::int32_t> small_member(const dom::element& object, std::string_view key) {
  std::int64_t value = 0;
  if (object[key].get(value) || value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(value);
}

DeviceFacts read_device(const dom::element& element) {
  DeviceFacts device;
  device.index = small_member(element, "id").value_or(0);
  std::string_view name;
  if (!element["name"].get(name)) device.name = std::string(name);
  device.multiprocessors = small_member(element, "numSms");
  std::int64_t memory = 0;
  if (!element["totalGlobalMem"].get(memory) && memory > 0) device.memory = Bytes{memory};
  const auto major = small_member(element, "computeMajor");
  const auto minor = small_member(element, "computeMinor");
  if (major && minor) device.compute_capability = fmt::format("{}.{}", *major, *minor);
  return device;
}

void read_devices(const dom::element& value, ProfileRecords& records) {
  dom::array devices;
  if (value.get(devices)) return;
  for (const dom::element device : devices) {
    if (device.is_object()) records.devices.push_back(read_device(device));
  }
}

void read_distributed(const dom::element& value, ProfileRecords& records) {
  if (!value.is_object()) return;
  records.rank = small_member(value, "rank");
  records.world_size = small_member(value, "world_size");
  if (records.rank.value_or(0) < 0) records.rank.reset();
  if (records.world_size.value_or(1) < 1) records.world_size.reset();
  for (const std::string_view key : {"backend", "nccl_version"}) {
    std::string_view text;
    if (!value[key].get(text)) records.software.push_back({std::string(key), std::string(text)});
  }
}

}  // namespace

void read_metadata(const std::vector<MetadataText>& metadata, ProfileRecords& records,
                   ImportReport& report) {
  dom::parser parser;
  for (const MetadataText& item : metadata) {
    if (item.key == "baseTimeNanoseconds") {
      records.base_time_ns = parse_integer(without_quotes(item.value));
      continue;
    }
    dom::element value;
    if (parser.parse(item.value).get(value)) {
      report.count("metadata-unreadable", Severity::kNote,
                   fmt::format("byte {}: the value of \"{}\" is not JSON", item.offset, item.key));
      continue;
    }
    if (item.key == "deviceProperties") read_devices(value, records);
    if (item.key == "distributedInfo") read_distributed(value, records);
    if (item.key == "schemaVersion")
      records.schema_version = std::string(without_quotes(item.value));
    for (const std::string_view key : kSoftwareKeys) {
      if (key == item.key && !value.is_object() && !value.is_array()) {
        records.software.push_back({item.key, std::string(without_quotes(item.value))});
      }
    }
  }
}

}  // namespace gradwire
