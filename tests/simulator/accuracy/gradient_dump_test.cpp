#include "simulator/accuracy/gradient_dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/accuracy/npy_bytes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using test::npy_bytes;
using test::npy_floats;
using testing::AllOf;
using testing::HasSubstr;

class GradientDump : public testing::Test {
 protected:
  std::string fault_of(const std::vector<std::filesystem::path>& files,
                       const std::filesystem::path& list) const {
    return test::input_error_of([&] { open_gradient_dump(files, list); });
  }

  test::TemporaryFolder folder_;
  std::filesystem::path list_ =
      folder_.write("p.csv", "parameter,shape\nfc.weight,2x1\nscale,\n");  // 3 elements
  std::filesystem::path two_iterations_ =
      folder_.write("r0.npy", npy_floats("(2, 3)", {1, 2, 3, 4, 5, 6}));
};

TEST_F(GradientDump, GivesEachIterationOfAllRanksAndTheTensors) {
  const auto other = folder_.write("r1.npy", npy_floats("(2, 3)", {7, 8, 9, 10, 11, 12}));
  const RecordedGradients gradients = open_gradient_dump({two_iterations_, other}, list_);
  EXPECT_EQ(gradients.ranks, 2);
  EXPECT_EQ(gradients.iterations, 2);
  EXPECT_EQ(gradients.names, (std::vector<std::string>{"fc.weight", "scale"}));
  ASSERT_EQ(gradients.shapes.size(), 2U);
  EXPECT_EQ(gradients.shapes[0].extents, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(gradients.shapes[1].extents.empty());
  EXPECT_FALSE(gradients.stored_as_float16);
  EXPECT_EQ(gradients.read(1), (std::vector<std::vector<float>>{{4, 5, 6}, {10, 11, 12}}));
}

TEST_F(GradientDump, SaysWhereSomeRankIsFloat16) {
  const auto half =
      folder_.write("r1.npy", npy_bytes("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3)}",
                                        std::string(12, '\0')));
  EXPECT_TRUE(open_gradient_dump({two_iterations_, half}, list_).stored_as_float16);
}

TEST_F(GradientDump, RefusesAnotherNumberOfElementsThanTheList) {
  const auto flat = folder_.write("flat.npy", npy_floats("(6,)", {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(fault_of({two_iterations_, flat}, list_),
              AllOf(HasSubstr("flat.npy: has 6 elements an iteration; the 2 parameters of"),
                    HasSubstr("p.csv have 3")));
  // A sum of 2^64 + 6, which wraps to 6.
  const auto huge = folder_.write("huge.csv",
                                  "parameter,shape\na,4611686018427387904\nb,4611686018427387904\n"
                                  "c,4611686018427387904\nd,4611686018427387904\ne,6\n");
  EXPECT_THAT(fault_of({flat}, huge), HasSubstr("has 6 elements an iteration; the 5 parameters"));
}

TEST_F(GradientDump, RefusesRanksOfDifferentLength) {
  const auto one = folder_.write("r1.npy", npy_floats("(3,)", {1, 2, 3}));
  EXPECT_THAT(fault_of({two_iterations_, one}, list_),
              AllOf(HasSubstr("r1.npy: has 1 iterations and"), HasSubstr("r0.npy has 2")));
}

TEST_F(GradientDump, RefusesNoFilesAndABadList) {
  EXPECT_THAT(fault_of({}, list_), HasSubstr("no file"));
  EXPECT_THAT(fault_of({two_iterations_}, two_iterations_), HasSubstr("r0.npy:1: the header"));
}

}  // namespace
}  // namespace gradwire
