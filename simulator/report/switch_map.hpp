#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// The cables between two switches.
struct Trunk {
  int cables = 0;
  BitsPerSecond out;  ///< of all of them together
  BitsPerSecond back;

  /// "200 Gbps", "10 x 200 Gbps", "20 Gbps, back 10 Gbps".
  std::string label() const;

  bool operator==(const Trunk&) const = default;
};

/// What hangs on one switch.
struct MappedSwitch {
  std::string name;
  std::vector<int> nodes;
  std::map<int, Trunk> trunks;  ///< by the other switch; `out` leads to it
  int parent = -1;              ///< the one it hangs on, of what hangs alone on the rest; else -1
  std::vector<int> children;
};

/// The switches of a cluster and the cables between them, in the order in which nodes and then
/// links name them. One switch without topology.
class SwitchMap {
 public:
  explicit SwitchMap(const Cluster& cluster);

  const std::vector<MappedSwitch>& switches() const { return switches_; }
  /// Those that hang on no other: the root of a tree; of other networks all that are joined in
  /// circles.
  std::vector<int> core() const;

 private:
  int index_of(const std::string& name);
  void hang();

  std::map<std::string, int> indices_;
  std::vector<MappedSwitch> switches_;
};

}  // namespace gradwire
