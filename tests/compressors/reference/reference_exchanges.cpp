// What a scheme's reference makes of given gradients, to be compared with other implementations.
//
// usage: reference_exchanges SCHEME SEED RANKS SHAPES < gradients > results
//
// SHAPES: "16x3x3x3,7" is a 4-D tensor and a vector. All input and output are float32 as the
// machine has them. Input: for each exchange, rank by rank, one gradient of all tensors, until the
// input ends. Output: first the Q with which PowerSGD begins, matrix by matrix, columns x rank each
// (no value for other schemes); then for each exchange, rank by rank, the result and the error
// memory (no value where the scheme has none). Exit status 2 and a message where the input does not
// fit.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "compressors/reference/reference.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

std::int64_t read_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
    throw InputError(fmt::format("\"{}\" is no whole number", text));
  }
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::vector<TensorShape> read_shapes(std::string_view text) {
  std::vector<TensorShape> shapes;
  for (const std::string_view tensor : split(text, ',')) {
    shapes.emplace_back();
    for (const std::string_view extent : split(tensor, 'x')) {
      shapes.back().extents.push_back(read_number(extent));
    }
  }
  return shapes;
}

/// Fills `values` from the input; false where it ends in front of the first.
bool read_values(std::vector<float>& values) {
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  std::cin.read(reinterpret_cast<char*>(values.data()), bytes);
  if (std::cin.gcount() == 0) return false;
  if (std::cin.gcount() != bytes) throw InputError("the gradients end within an exchange");
  return true;
}

void write_values(std::span<const float> values) {
  std::cout.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(float)));
}

struct CompressedMatrix {
  std::size_t begin;  ///< of its elements in the gradient
  std::size_t rows;
  std::size_t columns;
  std::size_t rank;
};

std::vector<CompressedMatrix> compressed_matrices(const Scheme& scheme,
                                                  const std::vector<TensorShape>& shapes) {
  std::vector<CompressedMatrix> matrices;
  std::size_t begin = 0;
  for (const TensorShape& shape : shapes) {
    for (const Transfer& transfer : scheme.transfers({shape})) {
      if (transfer.what != "P") continue;
      const auto rows = static_cast<std::size_t>(shape.rows());
      matrices.push_back({begin, rows, static_cast<std::size_t>(shape.columns()),
                          static_cast<std::size_t>(transfer.elements.count()) / rows});
    }
    begin += static_cast<std::size_t>(shape.elements().count());
  }
  return matrices;
}

/// The Q of each matrix, seen from outside: the first P of a new job is M Q, so that an M of one 1
/// a row has rows of Q for its P. A matrix of fewer rows than columns takes several new jobs, which
/// draw the same Q.
std::vector<float> first_q(std::string_view spelling, const std::vector<TensorShape>& shapes,
                           std::uint64_t seed) {
  const std::vector<CompressedMatrix> matrices =
      compressed_matrices(*parse_scheme(spelling), shapes);
  std::vector<std::vector<float>> qs(matrices.size());
  const auto unfinished = [&] {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (qs[i].size() < matrices[i].columns * matrices[i].rank) return true;
    }
    return false;
  };
  while (unfinished()) {
    std::vector<float> gradient(static_cast<std::size_t>(total_elements(shapes).count()));
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const CompressedMatrix& matrix = matrices[i];
      const std::size_t known = qs[i].size() / matrix.rank;
      for (std::size_t row = 0; row < matrix.rows && known + row < matrix.columns; ++row) {
        gradient[matrix.begin + row * matrix.columns + known + row] = 1.0F;
      }
    }
    const RankReference job = make_reference(spelling, shapes, seed, 0);
    const std::vector<float> all_p = values_of<float>(job.reference->encode(0, gradient, 1).back());
    std::span<const float> left{all_p};
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const CompressedMatrix& matrix = matrices[i];
      const std::size_t missing = matrix.columns * matrix.rank - qs[i].size();
      const auto rows_of_q = left.first(std::min(matrix.rows * matrix.rank, missing));
      qs[i].insert(qs[i].end(), rows_of_q.begin(), rows_of_q.end());
      left = left.subspan(matrix.rows * matrix.rank);
    }
  }
  std::vector<float> joined;
  for (const std::vector<float>& q : qs) joined.insert(joined.end(), q.begin(), q.end());
  return joined;
}

void run(std::string_view spelling, std::uint64_t seed, int ranks,
         const std::vector<TensorShape>& shapes) {
  const auto elements = static_cast<std::size_t>(total_elements(shapes).count());
  if (elements == 0 || ranks < 1) throw InputError("neither ranks nor elements may be 0");
  std::vector<RankReference> job;
  for (int rank = 0; rank < ranks; ++rank) {
    job.push_back(make_reference(spelling, shapes, seed, rank));
  }
  write_values(first_q(spelling, shapes, seed));
  std::vector<float> values(elements * job.size());
  while (read_values(values)) {
    std::vector<std::vector<float>> gradients;
    for (std::size_t rank = 0; rank < job.size(); ++rank) {
      const auto gradient = std::span<const float>{values}.subspan(rank * elements, elements);
      gradients.emplace_back(gradient.begin(), gradient.end());
    }
    const std::vector<std::vector<float>> averaged = exchange_gradients(job, gradients);
    for (std::size_t rank = 0; rank < job.size(); ++rank) {
      write_values(averaged[rank]);
      write_values(job[rank].reference->memory());
    }
  }
}

}  // namespace
}  // namespace gradwire

int main(int count, char** words) {
  if (count != 5) {
    std::fputs("usage: reference_exchanges SCHEME SEED RANKS SHAPES < gradients > results\n",
               stderr);
    return 2;
  }
  try {
    gradwire::run(words[1], static_cast<std::uint64_t>(gradwire::read_number(words[2])),
                  static_cast<int>(gradwire::read_number(words[3])),
                  gradwire::read_shapes(words[4]));
  } catch (const gradwire::InputError& error) {
    std::fprintf(stderr, "reference_exchanges: %s\n", error.what());
    return 2;
  }
  return std::cout.flush() ? 0 : 3;
}
