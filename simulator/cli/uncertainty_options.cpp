#include "simulator/cli/uncertainty_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "simulator/cli/seed_option.hpp"

namespace gradwire {
namespace {

/// Fewer iterations than this say nothing of how iterations vary.
constexpr std::size_t kFewestIterations = 3;

constexpr double kLargestFactor = 1000.0;

/// "5%" as 0.05.
double parse_sigma(std::string_view text, std::string_view option) {
  std::optional<double> percent;
  if (!text.empty() && text.back() == '%')
    percent = number_from<double>(text.substr(0, text.size() - 1));
  if (!percent || !(*percent >= 0.0 && *percent <= 100.0)) {
    throw InputError(
        fmt::format("{}: sigma of \"{}\" found; 0% to 100% is accepted, as in 5%", option, text));
  }
  return *percent / 100.0;
}

/// What `--straggler` says of some neighbouring ranks.
struct Straggler {
  int first = 0;
  int last = 0;
  double factor = 1.0;
  double sigma = 0.0;
};

[[noreturn]] void refuse_straggler(std::string_view text) {
  throw InputError(fmt::format(
      "--straggler: \"{}\" found; rank=3 or rank=0-7, with factor=1.5 or sigma=10% or both, is "
      "accepted",
      text));
}

void parse_ranks(std::string_view value, std::string_view text, int workers, Straggler& straggler) {
  const std::size_t dash = value.find('-', 1);
  const std::optional<int> first = number_from<int>(value.substr(0, dash));
  const std::optional<int> last =
      dash == std::string_view::npos ? first : number_from<int>(value.substr(dash + 1));
  if (!first || !last) refuse_straggler(text);
  if (*first < 0 || *last >= workers || *first > *last) {
    throw InputError(fmt::format(
        "--straggler: rank {} found; 0 to {} is accepted, a range ascending", value, workers - 1));
  }
  straggler.first = *first;
  straggler.last = *last;
}

void parse_factor(std::string_view value, std::string_view text, Straggler& straggler) {
  const std::optional<double> factor = number_from<double>(value);
  if (!factor) refuse_straggler(text);
  if (!(*factor > 0.0 && *factor <= kLargestFactor)) {
    throw InputError(
        fmt::format("--straggler: factor {} found; one above 0 and up to {} is accepted", value,
                    kLargestFactor));
  }
  straggler.factor = *factor;
}

/// "rank=3,factor=1.5,sigma=10%".
Straggler parse_straggler(std::string_view text, int workers) {
  Straggler straggler;
  std::vector<std::string_view> keys;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view field = text.substr(begin, end - begin);
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) refuse_straggler(text);
    const std::string_view key = field.substr(0, equals);
    const std::string_view value = field.substr(equals + 1);
    if (value.empty() || std::find(keys.begin(), keys.end(), key) != keys.end()) {
      refuse_straggler(text);
    }
    keys.push_back(key);
    if (key == "rank") {
      parse_ranks(value, text, workers, straggler);
    } else if (key == "factor") {
      parse_factor(value, text, straggler);
    } else if (key == "sigma") {
      straggler.sigma = parse_sigma(value, "--straggler");
    } else {
      refuse_straggler(text);
    }
    begin = end + 1;
  }
  if (keys.size() < 2 || std::find(keys.begin(), keys.end(), "rank") == keys.end()) {
    refuse_straggler(text);
  }
  return straggler;
}

std::string basis_of(const Straggler& straggler) {
  const bool one = straggler.first == straggler.last;
  std::string text = one ? fmt::format("rank {} computes, encodes and decodes", straggler.first)
                         : fmt::format("ranks {} to {} compute, encode and decode", straggler.first,
                                       straggler.last);
  text += fmt::format(" {} times as long", straggler.factor);
  if (straggler.sigma > 0.0) {
    text += fmt::format(", and from iteration to iteration lognormal with sigma {} %",
                        straggler.sigma * 100.0);
  }
  return text + " (as given)";
}

/// Factors and sigmas by rank; each stays empty where it is of no rank.
void apply_stragglers(const UncertaintyOptions& options, Question& question,
                      std::vector<double>& rank_sigmas) {
  const auto workers = static_cast<std::size_t>(question.scenario.workers);
  std::vector<double> factors(workers, 1.0);
  std::vector<double> sigmas(workers, 0.0);
  std::vector<char> seen(workers, 0);
  for (const std::string& text : options.stragglers) {
    const Straggler straggler = parse_straggler(text, question.scenario.workers);
    for (int rank = straggler.first; rank <= straggler.last; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      if (seen[r] != 0) {
        throw InputError(
            fmt::format("--straggler: rank {} found twice; each rank once is accepted", rank));
      }
      seen[r] = 1;
      factors[r] = straggler.factor;
      sigmas[r] = straggler.sigma;
    }
    question.assumptions.basis.push_back(basis_of(straggler));
  }
  if (std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; })) {
    question.scenario.compute_factors = std::move(factors);
    Workload& workload = question.scenario.workload.edit();
    workload.outside_backward.reset();
    if (!question.what_ifs.empty()) {
      workload.warnings.emplace_back(
          "what each what-if changes is told for ranks of equal speed; the answer is with the "
          "stragglers");
    }
  }
  if (std::any_of(sigmas.begin(), sigmas.end(), [](double sigma) { return sigma != 0.0; })) {
    rank_sigmas = std::move(sigmas);
  }
}

/// Of the logarithms, as a sigma of `--jitter` is.
double sigma_of(const std::vector<IterationFactor>& factors) {
  double sum = 0.0;
  double squares = 0.0;
  for (const IterationFactor& one : factors) sum += std::log(one.factor);
  const auto count = static_cast<double>(factors.size());
  for (const IterationFactor& one : factors) {
    const double distance = std::log(one.factor) - sum / count;
    squares += distance * distance;
  }
  return std::sqrt(squares / (count - 1.0));
}

std::string recorded_basis(const std::vector<IterationFactor>& factors) {
  const auto [fastest, slowest] = std::minmax_element(
      factors.begin(), factors.end(),
      [](const IterationFactor& a, const IterationFactor& b) { return a.factor < b.factor; });
  return fmt::format(
      "from iteration to iteration each rank computes, encodes and decodes as long as in one of "
      "the trace's {} complete iterations, drawn independently: {:.4g} (iteration {}) to {:.4g} "
      "(iteration {}) times as long as in the replayed one, sigma {:.2g} %",
      factors.size(), fastest->factor, fastest->iteration, slowest->factor, slowest->iteration,
      sigma_of(factors) * 100.0);
}

/// Where many ranks draw from few iterations, hardly a sample is without the slowest.
void warn_of_few_iterations(const std::vector<IterationFactor>& factors, int workers,
                            std::vector<std::string>& warnings) {
  constexpr double kHardlyAny = 0.05;
  const double others = 1.0 - 1.0 / static_cast<double>(factors.size());
  const double without = std::pow(others, workers);
  if (without > kHardlyAny) return;
  warnings.push_back(fmt::format(
      "of {} ranks that draw from {} iterations one draws the slowest in all samples but {:.2g} %, "
      "so p5, p50 and p95 are close to it; --jitter sigma={:.2g}% draws from a smooth distribution "
      "as wide",
      workers, factors.size(), without * 100.0, sigma_of(factors) * 100.0));
}

/// Whether `--jitter` asks for any, and what it adds to `jitter`.
bool add_jitter(const std::string& text, Question& question, ComputeJitter& jitter) {
  constexpr std::string_view kSigma = "sigma=";
  auto& basis = question.assumptions.basis;
  if (text.empty() || text == "none") return false;
  if (text == "trace") {
    const std::vector<IterationFactor> factors = question.scenario.workload->iteration_factors;
    if (factors.size() < kFewestIterations) {
      throw InputError(fmt::format(
          "--jitter: trace found, but the trace holds {} complete iterations; {} or more, or "
          "sigma=5%, is accepted",
          factors.size(), kFewestIterations));
    }
    for (const IterationFactor& one : factors) jitter.recorded.push_back(one.factor);
    basis.push_back(recorded_basis(factors));
    warn_of_few_iterations(factors, question.scenario.workers,
                           question.scenario.workload.edit().warnings);
    return true;
  }
  if (!text.starts_with(kSigma)) {
    throw InputError(fmt::format("--jitter: \"{}\" found; accepted: trace, none, sigma=5%", text));
  }
  jitter.sigma = parse_sigma(std::string_view(text).substr(kSigma.size()), "--jitter");
  basis.push_back(
      fmt::format("from iteration to iteration each rank's compute, encoding and decoding varies "
                  "by a lognormal "
                  "factor of median 1 and sigma {} %, independently (as given)",
                  jitter.sigma * 100.0));
  return true;
}

/// The seed of `--seed` decides the latencies too.
void reseed_latencies(std::uint64_t seed, Question& question) {
  LatencyJitter& jitter = *question.scenario.conditions.latency_jitter;
  const std::string before = jitter_basis(jitter);
  jitter.seed = seed;
  auto& basis = question.assumptions.basis;
  std::replace(basis.begin(), basis.end(), before, jitter_basis(jitter));
}

}  // namespace

void add_uncertainty_options(CLI::App& command, UncertaintyOptions& options) {
  command
      .add_option("--straggler", options.stragglers,
                  "Ranks that compute longer, and how much that varies: rank=3,factor=1.5 or "
                  "rank=0-7,factor=1.2,sigma=10%; repeatable")
      ->allow_extra_args(false);
  command.add_option(
      "--jitter", options.jitter,
      "How compute varies from iteration to iteration, for p5, p50 and p95: trace (as "
      "its iterations do), sigma=5% (lognormal), none (default)");
  command.add_option("--samples", options.samples, "Iterations that are drawn; default 1000")
      ->check(CLI::Range(1, 1'000'000));
  add_seed_option(command, "--seed", options.seed,
                  "What decides the draws: the same seed, the same answer; default 1");
}

std::optional<Sampling> apply_uncertainty(const UncertaintyOptions& options, Question& question) {
  Sampling sampling;
  apply_stragglers(options, question, sampling.jitter.rank_sigmas);
  const bool jitter = add_jitter(options.jitter, question, sampling.jitter);
  const bool latency = question.scenario.conditions.latency_jitter.has_value();
  if (latency && options.seed) reseed_latencies(*options.seed, question);
  const bool sampled = jitter || !sampling.jitter.rank_sigmas.empty();
  if (!sampled && !(latency && options.samples)) {
    if ((options.samples || options.seed) && !latency) {
      throw InputError(
          "--samples, --seed: found where nothing varies; they are accepted with --jitter trace or "
          "sigma=5%, --straggler rank=3,sigma=10%, or --latency-jitter sigma=20%");
    }
    return std::nullopt;
  }
  sampling.settings.samples = options.samples.value_or(sampling.settings.samples);
  sampling.settings.seed = options.seed.value_or(sampling.settings.seed);
  return sampling;
}

}  // namespace gradwire
