#include "simulator/accuracy/npy_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <random>

#include "tests/simulator/accuracy/npy_bytes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using test::npy_bytes;
using test::npy_floats;
using testing::AllOf;
using testing::HasSubstr;

class NpyFileTest : public testing::Test {
 protected:
  std::string fault_of(std::string_view bytes) const {
    const auto path = folder_.write("g.npy", bytes);
    std::string fault = test::input_error_of([&] { NpyFile{path}; });
    EXPECT_THAT(fault, HasSubstr(path.string()));
    return fault;
  }

  /// Of a file whose dictionary is this and whose elements are `bytes` zeros.
  std::string fault_of_header(const std::string& header, std::size_t bytes) const {
    return fault_of(npy_bytes(header, std::string(bytes, '\0')));
  }

  NpyFile open(std::string_view bytes) const { return NpyFile(folder_.write("g.npy", bytes)); }

  test::TemporaryFolder folder_;
};

TEST_F(NpyFileTest, GivesRowsInAnyOrder) {
  NpyFile file = open(npy_floats("(2, 3)", {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.rows(), 2);
  EXPECT_EQ(file.columns(), 3);
  EXPECT_EQ(file.dtype(), DType::kFloat32);
  EXPECT_EQ(file.row(1), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(file.row(0), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(file.row(1), (std::vector<float>{4, 5, 6}));
}

TEST_F(NpyFileTest, TakesOneDimensionForOneRow) {
  NpyFile file = open(npy_floats("(3,)", {1, 2, 3}));
  EXPECT_EQ(file.rows(), 1);
  EXPECT_EQ(file.row(0), (std::vector<float>{1, 2, 3}));
}

TEST_F(NpyFileTest, ReadsLittleEndianFloat32AndFloat16InEveryFormat) {
  for (const int major : {1, 2, 3}) {
    // IEEE 754: 0x3fc00000 is 1.5, 0xff800000 -infinity; of binary16 0x3e00 1.5, 0x0001 2^-24.
    NpyFile wide = open(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                                  std::string_view("\x00\x00\xc0\x3f\x00\x00\x80\xff", 8), major));
    EXPECT_EQ(wide.row(0), (std::vector<float>{1.5F, -std::numeric_limits<float>::infinity()}));
    NpyFile half = open(npy_bytes("{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}",
                                  std::string_view("\x00\x3e\x01\x00", 4), major));
    EXPECT_EQ(half.dtype(), DType::kFloat16);
    EXPECT_EQ(half.row(0), (std::vector<float>{1.5F, 0x1p-24F}));
  }
}

TEST_F(NpyFileTest, RefusesOtherTypesAndOrders) {
  const auto of_type = [&](const std::string& descr) {
    return fault_of_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,)}", 8);
  };
  EXPECT_THAT(of_type("'>f4'"), AllOf(HasSubstr("`>f4` (big-endian)"), HasSubstr("'<f4'")));
  EXPECT_THAT(of_type("'|O'"), HasSubstr("`|O` (pickled Python objects)"));
  EXPECT_THAT(of_type("'<f8'"), HasSubstr("`<f8`; '<f4' (float32)"));
  EXPECT_THAT(of_type("'<i4'"), HasSubstr("`<i4`"));
  EXPECT_THAT(of_type("''"), HasSubstr("``"));
  EXPECT_THAT(of_type("[('a', '<f4')]"), HasSubstr("one type in quotes"));
  EXPECT_THAT(fault_of_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", 8),
              HasSubstr("Fortran order"));
}

TEST_F(NpyFileTest, RefusesShapesThatAreNoIterations) {
  const auto of_shape = [&](const std::string& shape) {
    return fault_of_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", 8);
  };
  EXPECT_THAT(of_shape("()"), HasSubstr("has 0 dimensions"));
  EXPECT_THAT(of_shape("(1, 1, 2)"), HasSubstr("has 3 dimensions"));
  EXPECT_THAT(of_shape("(0, 2)"), HasSubstr("holds 0 iterations of 2 elements"));
  EXPECT_THAT(of_shape("(2, 0)"), HasSubstr("holds 2 iterations of 0 elements"));
  // Products that are 2 in 64 bits, or do not fit.
  EXPECT_THAT(of_shape("(1, 2147483648)"), HasSubstr("1 to 2147483647 of each"));
  EXPECT_THAT(of_shape("(9223372036854775807, 2)"), HasSubstr("1 to 2147483647 of each"));
  EXPECT_THAT(of_shape("(2147483647, 2147483647)"), HasSubstr("has 8 bytes behind its header"));
}

TEST_F(NpyFileTest, RefusesMissingAndTrailingBytes) {
  const std::string whole = npy_floats("(2, 3)", {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(
      fault_of(whole.substr(0, whole.size() - 1)),
      AllOf(HasSubstr("has 23 bytes"), HasSubstr("2 x 3 elements of float32 take 2 of 12")));
  EXPECT_THAT(fault_of(whole + '\0'), HasSubstr("has 25 bytes"));
  EXPECT_THAT(fault_of(whole + whole), HasSubstr("exactly as many"));
}

TEST_F(NpyFileTest, RefusesWhatIsNoNpyFile) {
  EXPECT_THAT(fault_of(""), HasSubstr("is empty"));
  EXPECT_THAT(fault_of("parameter,shape\n"), HasSubstr("begins with `paramete`"));
  EXPECT_THAT(fault_of("PK\x03\x04zip-archive"), HasSubstr("torch.save"));
  std::string other = npy_floats("(1,)", {1});
  other[6] = 4;
  EXPECT_THAT(fault_of(other), HasSubstr("is .npy format 4.0; 1.0, 2.0 and 3.0"));
  EXPECT_THAT(test::input_error_of([&] { NpyFile{folder_ / "none.npy"}; }), HasSubstr("none.npy"));
  EXPECT_THAT(test::input_error_of([&] { NpyFile{folder_.path()}; }), HasSubstr("directory"));
}

TEST_F(NpyFileTest, RefusesHeadersLongerThanTheFileOrAbsurd) {
  EXPECT_THAT(fault_of(std::string_view("\x93NUMPY\x01\x00\xff\xff{}", 12)),
              HasSubstr("header is 65535 bytes long; the file has 2"));
  EXPECT_THAT(
      fault_of(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + std::string(70000, ' ')),
      AllOf(HasSubstr("4294967295 bytes long"), HasSubstr("at most 65536")));
  EXPECT_THAT(fault_of(std::string_view("\x93NUMPY\x01\x00\x10", 9)),
              HasSubstr("ends at byte 9, inside the .npy header"));
}

TEST_F(NpyFileTest, RefusesAFileThatShrinksMeanwhile) {
  const auto path = folder_.write("g.npy", npy_floats("(2, 1)", {1, 2}));
  NpyFile file(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THAT(test::input_error_of([&] { file.row(1); }), HasSubstr("only 3 of 4 bytes"));
  EXPECT_EQ(file.row(0), std::vector<float>{1});
}

// Every prefix, and 3000 times one to four bytes of the head replaced, removed or put in.
TEST_F(NpyFileTest, IsReadOrRefusedWhateverItsHeadHolds) {
  const std::string good = npy_floats("(2, 3)", {1, 2, 3, 4, 5, 6});
  int read = 0;
  const auto open_or_refuse = [&](std::string_view bytes) {
    try {
      NpyFile file = open(bytes);
      for (std::int64_t row = 0; row < file.rows(); ++row) {
        EXPECT_EQ(static_cast<std::int64_t>(file.row(row).size()), file.columns());
      }
      ++read;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
    }
  };
  for (std::size_t length = 0; length < good.size(); ++length) {
    open_or_refuse(std::string_view{good}.substr(0, length));
  }
  EXPECT_EQ(read, 0);
  std::mt19937 random(7);
  const std::string alphabet("\x00\x01\x02\x03\xff'\"{}()[],:0123456789-<>fFT \n", 33);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (std::size_t left = 1 + below(4); left > 0; --left) {
      const std::size_t at = below(80);
      const char c = alphabet[below(alphabet.size())];
      switch (below(3)) {
        case 0:
          bytes[at] = c;
          break;
        case 1:
          bytes.erase(at, 1);
          break;
        default:
          bytes.insert(at, 1, c);
      }
    }
    open_or_refuse(bytes);
  }
  EXPECT_GT(read, 0);  // a blank for a blank
  EXPECT_LT(read, 3000);
}

}  // namespace
}  // namespace gradwire
