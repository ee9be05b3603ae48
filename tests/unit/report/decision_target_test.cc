#include <gtest/gtest.h>

#include "report/decision/decision_format.h"

namespace sonde {
namespace decision_target_test {

std::string target(std::string_view text) {
  const auto parsed = parse_decision_target(text);
  return parsed ? std::string(parsed->format->name) + " to " + parsed->file : parsed.error().message;
}

TEST(DecisionTarget, by_ending) {
  EXPECT_EQ(target("out.txt"), "text to out.txt");
  EXPECT_EQ(target("out.json"), "json to out.json");
  EXPECT_EQ(target("a.b/comment.md"), "markdown to a.b/comment.md");
  EXPECT_EQ(target("junit.xml"), "junit to junit.xml");
  EXPECT_EQ(target("gate.sarif"), "sarif to gate.sarif");
  EXPECT_EQ(target("gate.sarif.json"), "sarif to gate.sarif.json");
  EXPECT_EQ(target("page.html"), "html to page.html");
}

TEST(DecisionTarget, by_name) {
  EXPECT_EQ(target("codequality:gl.json"), "codequality to gl.json");
  EXPECT_EQ(target("bencher:a:b"), "bencher to a:b");
  EXPECT_EQ(target("text:-"), "text to -");
  EXPECT_EQ(target("./a:b.json"), "json to ./a:b.json");
}

TEST(DecisionTarget, errors_say_what_to_write) {
  EXPECT_TRUE(target("junti:a.xml").starts_with("unknown format 'junti', did you mean 'junit'? (text, json, "));
  EXPECT_EQ(target("out.sarfi").substr(0, 50), "the name 'out.sarfi' does not end in .txt, .json, ");
  EXPECT_TRUE(target("out.sarfi").contains("did you mean '.sarif'?"));
  EXPECT_TRUE(target("result").contains("text:result"));
  EXPECT_EQ(target("junit:"), "'junit:' has a format but no file; write junit:FILE");
  EXPECT_EQ(target(""), "the name of the output file is missing");
}

TEST(DecisionTarget, names_and_endings_are_of_one_format) {
  for (const DecisionFormat* format : decision_formats()) {
    EXPECT_EQ(*find_decision_format(format->name), format);
    EXPECT_FALSE(format->description.empty());
    if (!format->ending.empty()) {
      EXPECT_EQ(parse_decision_target("x" + std::string(format->ending))->format, format);
    }
  }
}

}  // namespace decision_target_test
}  // namespace sonde
