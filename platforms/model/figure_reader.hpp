#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

namespace schema {
class Figure;
class Link;
}  // namespace schema

/// Reads the figures of one cluster file and keeps where each comes from. Everything here throws
/// InputError naming the field: no value, source or standing, no number, no unit.
class FigureReader {
 public:
  int count(const schema::Figure& figure, const std::string& field);
  double factor(const schema::Figure& figure, const std::string& field);
  BitsPerSecond bandwidth(const schema::Figure& figure, const std::string& field);
  Seconds duration(const schema::Figure& figure, const std::string& field);
  Bytes bytes(const schema::Figure& figure, const std::string& field);
  LinkSpec link(const schema::Link& link, const std::string& field);
  /// The band beside a link's latency, when the file gives one.
  std::optional<LatencyBand> latency_band(const schema::Link& link, const std::string& field);

  [[noreturn]] void refuse(const std::string& field, const std::string& what) const;

  /// Of the figures read so far.
  std::vector<SourcedFigure> take_sources() { return std::move(sources_); }

 private:
  const std::string& take(const schema::Figure& figure, const std::string& field);

  std::vector<SourcedFigure> sources_;
};

}  // namespace gradwire
