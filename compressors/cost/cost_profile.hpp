#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "compressors/cost/measuring_context.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// How far to believe a figure and where it comes from.
struct FigureSource {
  std::string standing;  ///< "measured", "published", "recalled", "derived", "assumed"
  std::string source;

  bool operator==(const FigureSource&) const = default;
};

/// A figure of a cost model; its unit stands where it is declared.
struct ModelFigure {
  double value = 0.0;
  FigureSource provenance;

  bool operator==(const ModelFigure&) const = default;
};

/// What one scheme needs beside its work.
struct SchemeFigures {
  std::string scheme;                             ///< name without parameters: "powersgd"
  Seconds fixed{0};                               ///< once an exchange, counted with the encoding
  std::optional<double> encode_dram_bytes_per_s;  ///< instead of the device's, while encoding
  FigureSource provenance;

  bool operator==(const SchemeFigures&) const = default;
};

/// Turns a scheme's work into time: for each half, the longer of launches x launch_s and bytes /
/// dram_bytes_per_s (the host launches while the device works), then host_syncs x host_sync_s.
struct WorkModel {
  ModelFigure launch_s;
  ModelFigure dram_bytes_per_s;
  ModelFigure host_sync_s;
  std::vector<SchemeFigures> schemes;

  /// Null where the scheme has none of its own.
  const SchemeFigures* figures_of(std::string_view scheme_name) const;
  bool operator==(const WorkModel&) const = default;
};

/// A scheme's spelling taken apart: "topk:fraction=0.1" is "topk" and {fraction: 0.1}.
struct SchemeText {
  std::string name;
  std::map<std::string, std::string> parameters;

  /// Put together again: "topk:fraction=0.1".
  std::string spelling() const;
  bool operator==(const SchemeText&) const = default;
};

SchemeText scheme_text_of(const Scheme& scheme);

/// A figure for one scheme on one model.
struct CostEntry {
  SchemeText scheme;  ///< with the parameters that matter; it fits any value of the others
  Elements elements{0};
  int tensors = 0;
  int ranks = 0;  ///< 0 for any number
  Seconds encode{0};
  Seconds decode{0};
  /// Where the source has the sum alone, what says how it is split; empty otherwise.
  std::string split_source;
  std::string date;  ///< of the figure, as far as known: "2021-03"
  FigureSource provenance;
  /// Not empty for a figure that is only taken when alternatives are asked for, and says why.
  std::string alternative_because;
  std::optional<MeasuredSpread> spread = std::nullopt;  ///< of a measured figure, where known

  bool has_parameters_of(const SchemeText& asked) const;
  bool has_size_of(const std::vector<TensorShape>& tensors) const;
  bool operator==(const CostEntry&) const = default;
};

/// What encoding and decoding cost on a kind of device: figures, and a model where there are none.
struct CostProfile {
  std::string name;
  std::vector<std::string> device_patterns;  ///< parts of a device's name that mean this profile
  std::optional<WorkModel> model;            ///< absent in a profile of measured figures alone
  std::vector<CostEntry> entries;
  std::optional<MeasuringContext> measuring =
      std::nullopt;  ///< of a profile that was measured in one go

  /// Whether `device_name` ("Tesla V100-DGXS-32GB") holds one of the patterns, case ignored.
  bool matches(const std::string& device_name) const;
  bool operator==(const CostProfile&) const = default;
};

/// Reads a profile from the text of a .txtpb (docs/formats/cost-profile.md); `name` stands where
/// the file name would. Throws InputError naming file and field: unknown field (line, column),
/// unknown scheme or parameter, a time that is negative, no standing, source or date, a sum without
/// its split, two entries for the same question.
CostProfile parse_cost_profile(const std::string& text, const std::string& name);

/// The same for a file. Throws InputError also when it cannot be read.
CostProfile read_cost_profile(const std::filesystem::path& path);

/// Writes `profile` as text that `parse_cost_profile` reads back as an equal one; entries stay in
/// their order. `profile` is one that it could have read.
void write_cost_profile(const CostProfile& profile, std::ostream& out);

/// The profiles that come with the program (compressors/cost/cost_profiles), sorted by name.
const std::vector<CostProfile>& cost_profiles();

/// The first profile that matches `device_name`; null when none does, the name being empty
/// included: the costs of one device say nothing about another's.
const CostProfile* find_cost_profile(const std::string& device_name);

}  // namespace gradwire
