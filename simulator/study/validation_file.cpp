#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/study/schema/validation.pb.h"
#include "simulator/study/validation.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

class SetReader {
 public:
  explicit SetReader(const std::filesystem::path& path) : path_(path) {}

  ValidationSet read() {
    read_text_proto(path_, message_);
    ValidationSet set;
    set.name = message_.name().empty() ? path_.stem().string() : message_.name();
    set.description = message_.description();
    set.source = required("source", message_.source());
    set.cause = message_.cause();
    set.aim_median = percent("aim_median_percent", message_.aim_median_percent());
    set.aim_p90 = percent("aim_p90_percent", message_.aim_p90_percent());
    if (message_.payload_share() != 0.0) share_ = message_.payload_share();
    if (!(share_ > 0.0 && share_ <= 1.0)) {
      refuse("payload_share", fmt::format("{} found; above 0 to 1 is accepted", share_));
    }
    if (share_ != 1.0) {
      set.basis.push_back(
          fmt::format("{:.0f} % of a link's rate carry payload ({})", share_ * 100.0,
                      required("payload_share_source", message_.payload_share_source())));
    }
    latency_ = parse_duration(required("latency", message_.latency()), place("latency"));
    set.basis.push_back(fmt::format("{} a message ({})", format_duration(latency_),
                                    required("latency_source", message_.latency_source())));
    for (const schema::ValidationCase& item : message_.case_()) set.cases.push_back(read(item));
    if (set.cases.empty()) refuse("case", "none found; at least one is accepted");
    return set;
  }

 private:
  std::string place(const std::string& field) const {
    return fmt::format("{}: {}", path_.string(), field);
  }

  [[noreturn]] void refuse(const std::string& field, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place(field), what));
  }

  const std::string& required(const std::string& field, const std::string& text) const {
    if (text.empty()) refuse(field, "none found; it is needed");
    return text;
  }

  double percent(const char* field, double value) const {
    if (!(value > 0.0)) refuse(field, fmt::format("{} found; more than 0 is accepted", value));
    return value / 100.0;
  }

  ValidationCase read(const schema::ValidationCase& item) const {
    const auto field = [&](const char* name) {
      return fmt::format("case \"{}\": {}", item.name(), name);
    };
    ValidationCase result;
    result.name = required("case: name", item.name());
    result.measured = Seconds{item.measured_s()};
    result.low = Seconds{item.low_s()};
    result.high = Seconds{item.high_s()};
    if (!(result.low > Seconds{0} && result.low <= result.measured &&
          result.measured <= result.high)) {
      refuse(field("measured_s"),
             fmt::format("{} between {} and {} found; a median within its samples is accepted",
                         item.measured_s(), item.low_s(), item.high_s()));
    }
    Scenario& scenario = result.scenario;
    scenario.workload = read_workload(path_.parent_path() / required(field("trace"), item.trace()),
                                      {}, WorkloadOptions{});
    scenario.workers = item.workers();
    scenario.cluster.name = message_.name();
    scenario.cluster.nodes = item.workers();
    scenario.cluster.gpus_per_node = 1;
    const BitsPerSecond rate =
        parse_bandwidth(required(field("bandwidth"), item.bandwidth()), place(field("bandwidth")));
    scenario.cluster.nic = {rate * share_, latency_};
    scenario.cluster.intra = scenario.cluster.nic;
    if (!item.bucket_cap().empty()) {
      scenario.caps.rest = parse_bytes(item.bucket_cap(), place(field("bucket_cap")));
    }
    if (!item.compressor().empty() && item.compressor() != "none") {
      scenario.compression.scheme = parse_scheme(item.compressor());
      if (!scenario.compression.scheme->cast_size()) {
        refuse(field("compressor"),
               fmt::format("\"{}\" found; none or a cast is accepted", item.compressor()));
      }
    }
    check_scenario(scenario);
    return result;
  }

  std::filesystem::path path_;
  schema::ValidationSet message_;
  double share_ = 1.0;
  Seconds latency_{0};
};

}  // namespace

ValidationSet read_validation_set(const std::filesystem::path& path) {
  return SetReader(path).read();
}

}  // namespace gradwire
