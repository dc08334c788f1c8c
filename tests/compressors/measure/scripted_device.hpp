#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compressors/measure/measured_device.hpp"
#include "compressors/measure/measurement_run.hpp"

namespace gradwire::test {

/// A device whose times are what a script says, beside a clock that it alone moves. Encoding takes
/// 1 us an element, decoding 1 us an element and rank; each exchange of a piece 10 % longer than
/// the one before it. What is not timed (the other ranks' messages) takes no time.
class ScriptedDevice : public MeasuredDevice {
 public:
  const MeasuredMachine& machine() const override { return machine_; }
  const std::vector<MeasuredImplementation>& implementations() const override {
    return implementations_;
  }
  Bytes memory_for(const MeasuredQuestion& question) const override {
    return total_elements(question.shapes) * Bytes{4} * question.ranks;
  }
  Bytes free_memory() const override { return free; }
  std::unique_ptr<MeasuredExchange> make(const MeasuredQuestion& question) override {
    made.push_back(question);
    return std::make_unique<Exchange>(*this, question);
  }

  /// Surroundings with this device's clock that stop when so many exchanges were run.
  MeasurementSurroundings surroundings() {
    return {[this] { return now; }, [this] { return runs >= stop_after; },
            [this](std::size_t done, std::size_t pieces) {
              told.push_back(std::to_string(done) + "/" + std::to_string(pieces));
            }};
  }

  Bytes free{1'000'000'000};
  Seconds now{100.0};  ///< any beginning
  int runs = 0;
  int stop_after = 1'000'000;
  std::vector<MeasuredQuestion> made;
  std::vector<std::string> told;  ///< progress

 private:
  class Exchange : public MeasuredExchange {
   public:
    Exchange(ScriptedDevice& device, const MeasuredQuestion& question)
        : device_(device),
          elements_(static_cast<double>(total_elements(question.shapes).count())),
          ranks_(question.ranks) {}

    EncodeDecodeTime run() override {
      const double factor = 1.0 + 0.1 * run_++;
      const EncodeDecodeTime time{Seconds{1e-6 * elements_ * factor},
                                  Seconds{1e-6 * elements_ * ranks_ * factor}};
      device_.now += time.encode + time.decode;
      ++device_.runs;
      return time;
    }

   private:
    ScriptedDevice& device_;
    double elements_;
    int ranks_;
    int run_ = 0;
  };

  MeasuredMachine machine_{DeviceKind::kGpu, "Made-up 1", "1 MHz", {"driver 1.2"}};
  std::vector<MeasuredImplementation> implementations_ = {
      {"scripted", "times from a script", {"fp16", "signsgd", "topk", "powersgd"}}};
};

}  // namespace gradwire::test
