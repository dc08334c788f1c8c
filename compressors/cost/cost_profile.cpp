#include "compressors/cost/cost_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compressors/cost/cost_profile_texts.hpp"
#include "compressors/cost/device_name.hpp"

namespace gradwire {

const SchemeFigures* WorkModel::figures_of(std::string_view scheme_name) const {
  const auto found = std::find_if(
      schemes.begin(), schemes.end(),
      [scheme_name](const SchemeFigures& figures) { return figures.scheme == scheme_name; });
  return found == schemes.end() ? nullptr : &*found;
}

SchemeText scheme_text_of(const Scheme& scheme) {
  const std::string spelling = scheme.spelling();
  const std::size_t colon = spelling.find(':');
  SchemeText text{spelling.substr(0, colon), {}};
  std::string_view rest{spelling};
  rest.remove_prefix(colon == std::string::npos ? spelling.size() : colon + 1);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    text.parameters.emplace(item.substr(0, equals), item.substr(equals + 1));
  }
  return text;
}

std::string SchemeText::spelling() const {
  std::string text = name;
  for (const auto& [parameter, value] : parameters) {
    text += fmt::format("{}{}={}", text.size() == name.size() ? ":" : ",", parameter, value);
  }
  return text;
}

bool CostEntry::has_parameters_of(const SchemeText& asked) const {
  return scheme.name == asked.name &&
         std::all_of(scheme.parameters.begin(), scheme.parameters.end(),
                     [&asked](const auto& parameter) {
                       const auto found = asked.parameters.find(parameter.first);
                       return found != asked.parameters.end() && found->second == parameter.second;
                     });
}

bool CostEntry::has_size_of(const std::vector<TensorShape>& shapes) const {
  return elements == total_elements(shapes) && static_cast<std::size_t>(tensors) == shapes.size();
}

bool CostProfile::matches(const std::string& device_name) const {
  return name_has_pattern(device_name, device_patterns);
}

const std::vector<CostProfile>& cost_profiles() {
  static const std::vector<CostProfile> kProfiles = [] {
    std::vector<CostProfile> result;
    for (const EmbeddedText& entry : cost_profile_texts()) {
      result.push_back(
          parse_cost_profile(std::string{entry.text}, fmt::format("{}.txtpb", entry.name)));
    }
    return result;
  }();
  return kProfiles;
}

const CostProfile* find_cost_profile(const std::string& device_name) {
  for (const CostProfile& profile : cost_profiles()) {
    if (profile.matches(device_name)) return &profile;
  }
  return nullptr;
}

}  // namespace gradwire
