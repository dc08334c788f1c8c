#include "simulator/report/validation_page.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gradwire {
namespace {

SetOutcome outcome_of(const std::string& name) {
  SetOutcome outcome;
  outcome.set.name = "S";
  outcome.set.description = name;
  outcome.models = {"simgrid"};
  Measurement measured;
  measured.median = Seconds{2.0};
  outcome.cases = {{name, measured, "", {{Seconds{2.2}, 0.1, 0.1}}}};
  outcome.summaries = {{0.1, 0.1, 0.1}};
  outcome.answered = {1};
  outcome.aim = {{"median", 0.1, 0.04}};
  outcome.set.likely_cause = "the dog ate it";
  return outcome;
}

std::string page_of(const std::vector<SetOutcome>& outcomes) {
  std::ostringstream out;
  write_validation_page(outcomes, out);
  return out.str();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ValidationPage, TellsErrorAimAndCause) {
  const std::string page = page_of({outcome_of("one")});
  EXPECT_NE(page.find("class=\"missed\">Aim: median of simgrid at most 4.00 %"), std::string::npos);
  EXPECT_NE(page.find("Most likely cause: the dog ate it"), std::string::npos);
  EXPECT_NE(page.find("<title>one: +10.00 %</title>"), std::string::npos);
}

TEST(ValidationPage, NothingOfASetBecomesMarkup) {
  const std::string page = page_of({outcome_of("<script>alert(\"&\")</script>")});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&quot;&amp;&quot;)"), std::string::npos);
}

TEST(ValidationPage, NeedsNoNetwork) {
  const std::string page = page_of({outcome_of("one")});
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
}

TEST(ValidationPage, EveryElementIsClosed) {
  SetOutcome failed = outcome_of("gone");
  failed.cases[0].failure = "no such file";
  failed.cases[0].answers.clear();
  const std::string page = page_of({outcome_of("one"), failed});
  for (const std::string element : {"table", "tr", "svg", "details", "div", "h2", "body", "html"}) {
    EXPECT_EQ(count_of(page, "<" + element + ">") + count_of(page, "<" + element + " "),
              count_of(page, "</" + element + ">"))
        << element;
  }
  EXPECT_NE(page.find("Failed: gone: no such file"), std::string::npos);
}

}  // namespace
}  // namespace gradwire
