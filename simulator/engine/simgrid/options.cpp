#include "simulator/engine/simgrid/options.hpp"

namespace gradwire {

const std::vector<SimgridOption>& simgrid_options() {
  static const std::vector<SimgridOption> kOptions = {
      {"network/model", "CM02",
       "flow level with the link's own figures; the default LV08 multiplies latency by 13"},
      {"network/latency-factor", "1.0", "latencies are given as they act"},
      {"network/bandwidth-factor", "1.0", "bandwidths are given as they act"},
      {"network/weight-S", "0.0", "flows share links equally, whatever their latency"},
      {"network/crosstraffic", "0", "acknowledgements take no bandwidth from the other direction"},
      {"network/TCP-gamma", "1e15", "no window bounds a flow; 0 would mean another thing in 3.32"},
      {"network/optim", "Lazy", "only flows that changed are updated"},
      {"network/maxmin-selective-update", "1", "what Lazy needs"},
      {"cpu/model", "Cas01", "one op runs on one device at the device's speed"},
      {"cpu/optim", "Lazy", "only ops that changed are updated"},
      {"surf/precision", "1e-9", "seconds; simulated times are exact to a nanosecond"},
      {"maxmin/precision", "1e-5", "SimGrid's default, stated"},
      {"maxmin/concurrency-limit", "-1", "a link carries any number of flows at once"},
  };
  return kOptions;
}

}  // namespace gradwire
