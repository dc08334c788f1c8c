#include "simulator/report/import_report_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gradwire {
namespace {

using testing::HasSubstr;
using testing::Not;

ImportReport report_of(std::uint64_t kernels, std::uint64_t linked) {
  ImportReport report;
  report.format = "kineto object";
  report.events = 100;
  report.kernels_in = kernels + 1;
  report.kernels_out = kernels;
  report.kernels_linked = linked;
  report.linked_by = {{"cudaLaunchKernel", linked}};
  report.backward_found_by = "marks";
  return report;
}

TEST(ImportReportText, SaysWhatWentInAndOut) {
  const std::string text = import_report_text(report_of(10, 10));
  EXPECT_THAT(text, HasSubstr("11 in, 10 kept"));
  EXPECT_THAT(text, HasSubstr("10 kernels (100.0 %) to their launch: cudaLaunchKernel 10"));
  EXPECT_THAT(text, Not(HasSubstr("DOUBTFUL")));
}

TEST(ImportReportText, ShoutsBelowNinetyPercentLinked) {
  EXPECT_THAT(import_report_text(report_of(10, 9)), Not(HasSubstr("DOUBTFUL")));
  EXPECT_THAT(import_report_text(report_of(100, 89)),
              HasSubstr("DOUBTFUL: only 89 of 100 kernels (89.0 %)"));
  EXPECT_THAT(import_report_text(report_of(10, 0)), HasSubstr("DOUBTFUL: only 0 of 10"));
}

TEST(ImportReportText, OfOurOwnFormatDoubtsNoLaunches) {
  ImportReport report;
  report.format = "gwt";
  report.kernels_in = report.kernels_out = 10;
  EXPECT_THAT(import_report_text(report), Not(HasSubstr("DOUBTFUL")));
}

TEST(ImportReportText, NamesCommunicationsThatVanished) {
  ImportReport report = report_of(10, 10);
  report.collectives_in = {{"all_reduce", 5}, {"broadcast", 2}};
  report.collectives_out = {{"all_reduce", 5}};
  const std::string text = import_report_text(report);
  EXPECT_THAT(text, HasSubstr("all_reduce 5 in, 5 kept; broadcast 2 in, 0 kept"));
  EXPECT_THAT(text, HasSubstr("LOST: 2 of 2 broadcast communications"));
  EXPECT_THAT(text, Not(HasSubstr("LOST: 0")));
}

TEST(ImportReportText, ListsDefectsWithSeverityCountAndExample) {
  ImportReport report = report_of(10, 10);
  report.count("event-lost", Severity::kDataLoss, "byte 17: a stray quote", 3);
  report.count("odd", Severity::kNote, "nothing much");
  const std::string text = import_report_text(report);
  EXPECT_THAT(text, testing::ContainsRegex("event-lost +data loss +3 +byte 17: a stray quote"));
  EXPECT_THAT(text, testing::ContainsRegex("odd +note +1 +nothing much"));
  EXPECT_THAT(text, HasSubstr("DATA LOST"));
}

}  // namespace
}  // namespace gradwire
