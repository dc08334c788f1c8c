#include "compressors/measure/measurement_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

constexpr int kLargestExponent = 30;
constexpr std::int64_t kLargestSize = std::int64_t{1} << kLargestExponent;

std::optional<int> exponent_of(std::string_view text) {
  if (!text.starts_with("2^")) return std::nullopt;
  const auto exponent = number_from<std::int64_t>(text.substr(2));
  if (!exponent || *exponent < 0 || *exponent > kLargestExponent) return std::nullopt;
  return static_cast<int>(*exponent);
}

/// The sizes of "2^10..2^20", "2^16" or "1000"; none where it is something else.
std::vector<Elements> sizes_of(std::string_view item) {
  std::vector<Elements> sizes;
  if (const auto dots = item.find(".."); dots != std::string_view::npos) {
    const auto first = exponent_of(item.substr(0, dots));
    const auto last = exponent_of(item.substr(dots + 2));
    for (int e = first.value_or(0); first && last && e <= *last; ++e) {
      sizes.emplace_back(std::int64_t{1} << e);
    }
  } else if (const auto exponent = exponent_of(item)) {
    sizes.emplace_back(std::int64_t{1} << *exponent);
  } else if (const auto size = number_from<std::int64_t>(item);
             size && *size >= 1 && *size <= kLargestSize) {
    sizes.emplace_back(*size);
  }
  return sizes;
}

std::string text_of(Elements size) {
  int exponent = 0;
  while ((std::int64_t{1} << exponent) < size.count()) ++exponent;
  const bool power = exponent > 0 && (std::int64_t{1} << exponent) == size.count();
  return power ? fmt::format("2^{} elements", exponent) : fmt::format("{} elements", size.count());
}

/// One scheme of a request, with what the plan must know of its costs.
struct PlannedScheme {
  std::unique_ptr<Scheme> scheme;
  bool grows_with_ranks;
  bool looks_at_shapes;

  explicit PlannedScheme(const std::string& text) : scheme(parse_scheme(text)) {
    const std::vector<TensorShape> flat = {{{1 << 20}}};
    const DeviceWork work = scheme->work(flat, 2);
    grows_with_ranks = work.decode != scheme->work(flat, 3).decode;
    looks_at_shapes = depends_on_shapes(*scheme);
    if (!looks_at_shapes && work == DeviceWork{}) {
      throw InputError(
          fmt::format("compressor: {} encodes and decodes nothing that could be measured", text));
    }
  }
};

std::vector<PlannedScheme> planned_schemes(const MeasurementRequest& request,
                                           const MeasuredImplementation& implementation,
                                           std::vector<std::string>& left_out) {
  std::vector<PlannedScheme> planned;
  for (const std::string& text : request.schemes) {
    PlannedScheme next(text);
    const std::string spelling = next.scheme->spelling();
    for (const PlannedScheme& other : planned) {
      if (other.scheme->spelling() == spelling) {
        throw InputError(fmt::format("compressor: {} stands there twice", spelling));
      }
    }
    const auto& known = implementation.schemes;
    if (std::find(known.begin(), known.end(), scheme_text_of(*next.scheme).name) == known.end()) {
      left_out.push_back(
          fmt::format("{}: the {} implementation does not have it", spelling, implementation.name));
    } else if (next.looks_at_shapes && request.models.empty()) {
      left_out.push_back(fmt::format(
          "{}: its cost depends on the tensors' shapes, and no model was asked for", spelling));
    } else {
      planned.push_back(std::move(next));
    }
  }
  return planned;
}

struct Tensors {
  MeasuredModel model;
  bool is_flat;

  std::pair<Elements, std::size_t> question() const {
    return {total_elements(model.shapes), model.shapes.size()};
  }
};

/// Sizes and models by elements. A profile tells them apart by elements and tensors alone, so the
/// first of several that agree in both is kept.
std::vector<Tensors> all_tensors(const MeasurementRequest& request,
                                 std::vector<std::string>& left_out) {
  std::vector<Tensors> all;
  for (const Elements size : request.sizes) {
    all.push_back({{text_of(size), {{{size.count()}}}}, true});
  }
  for (const MeasuredModel& model : request.models) {
    const Tensors next{model, false};
    const auto same = std::find_if(all.begin(), all.end(), [&next](const Tensors& other) {
      return other.question() == next.question();
    });
    if (same == all.end()) {
      all.push_back(next);
    } else {
      left_out.push_back(
          fmt::format("{}: has the elements and tensors of {}, by which a profile "
                      "tells models apart",
                      model.name, same->model.name));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Tensors& a, const Tensors& b) {
    return a.question().first < b.question().first;
  });
  return all;
}

std::vector<int> distinct_ranks(std::vector<int> ranks) {
  for (const int count : ranks) {
    if (count < 1) throw InputError(fmt::format("ranks: {} found; 1 or more is accepted", count));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace

MeasurementRequest standard_request(DeviceKind kind) {
  MeasurementRequest request;
  request.schemes = {"fp16",
                     "bf16",
                     "powersgd:rank=1",
                     "powersgd:rank=2",
                     "powersgd:rank=4",
                     "powersgd:rank=8",
                     "powersgd:rank=16",
                     "signsgd",
                     "ef-signsgd",
                     "mstopk:fraction=0.1",
                     "mstopk:fraction=0.01",
                     "mstopk:fraction=0.001",
                     "topk:fraction=0.1",
                     "topk:fraction=0.01",
                     "topk:fraction=0.001",
                     "randomk:fraction=0.1",
                     "randomk:fraction=0.01",
                     "randomk:fraction=0.001",
                     "qsgd:bits=2",
                     "qsgd:bits=4",
                     "qsgd:bits=8"};
  const bool gpu = kind == DeviceKind::kGpu;
  request.sizes = parse_sizes(gpu ? "2^10..2^28" : "2^10..2^20", "sizes");
  request.models.push_back(*find_model("resnet50"));
  if (gpu) {
    request.models.push_back(*find_model("resnet101"));
    request.models.push_back(*find_model("bert-base"));
  }
  request.ranks = {2, 8, 32, 96};
  return request;
}

std::vector<Elements> parse_sizes(std::string_view text, std::string_view what) {
  std::vector<Elements> sizes;
  std::string_view left = text;
  while (true) {
    const std::string_view item = left.substr(0, left.find(','));
    const std::vector<Elements> more = sizes_of(item);
    if (more.empty()) {
      throw InputError(fmt::format(
          "{}: \"{}\" found; 2^10..2^20, 2^16 or 1000 is accepted, from 1 to 2^{} elements", what,
          item, kLargestExponent));
    }
    sizes.insert(sizes.end(), more.begin(), more.end());
    if (item.size() == left.size()) break;
    left.remove_prefix(item.size() + 1);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string MeasurementPiece::text() const {
  return fmt::format("{} on {}{}", scheme, model,
                     ranks == 0 ? "" : fmt::format(" with {} ranks", ranks));
}

MeasurementPlan make_measurement_plan(const MeasurementRequest& request,
                                      const MeasuredImplementation& implementation) {
  MeasurementPlan plan;
  plan.implementation = implementation.name;
  const std::vector<int> all_ranks = distinct_ranks(request.ranks);
  const std::vector<PlannedScheme> planned =
      planned_schemes(request, implementation, plan.left_out);
  for (const Tensors& tensors : all_tensors(request, plan.left_out)) {
    for (const PlannedScheme& one : planned) {
      if (one.looks_at_shapes && tensors.is_flat) continue;
      const std::vector<int> ranks = one.grows_with_ranks ? all_ranks : std::vector<int>{0};
      for (const int count : ranks) {
        plan.pieces.push_back(
            {one.scheme->spelling(), tensors.model.name, tensors.model.shapes, count});
      }
    }
  }
  if (plan.pieces.empty()) {
    throw InputError(fmt::format("nothing is left to measure{}{}",
                                 plan.left_out.empty() ? "" : ": ",
                                 plan.left_out.empty() ? "" : plan.left_out.front()));
  }
  return plan;
}

}  // namespace gradwire
