#include "base/files/json_scan.h"

#include <gtest/gtest.h>

namespace sonde {
namespace json_scan_test {

TEST(JsonScan, FindsTheEndOfStrings) {
  EXPECT_EQ(string_end(R"("ab" x)", 0), 4U);
  EXPECT_EQ(string_end(R"("a\"b" x)", 0), 6U);
  EXPECT_EQ(string_end(R"("a\\" x)", 0), 5U);
  EXPECT_EQ(string_end(R"("a\\\" x)", 0), kNowhere);
  EXPECT_EQ(string_end(R"(")", 0), kNowhere);
}

TEST(JsonScan, FindsTheEndOfValues) {
  EXPECT_EQ(value_end(R"({"a": [1, "}]"]}, 2)", 0), 16U);
  EXPECT_EQ(value_end("12.5, 3", 0), 4U);
  EXPECT_EQ(value_end("true}", 0), 4U);
  EXPECT_EQ(value_end(R"({"a": [1)", 0), kNowhere);
  EXPECT_EQ(value_end("12", 0), kNowhere) << "a number may go on where a text breaks off";
  EXPECT_EQ(value_end("", 0), kNowhere);
  EXPECT_EQ(value_end("]", 0), kNowhere);
}

TEST(JsonScan, UnescapesTexts) {
  EXPECT_EQ(unescape_json(R"(a\"b\\c\/d\n)"), "a\"b\\c/d\n");
  EXPECT_EQ(unescape_json(R"(\u0041\u00e9\u20ac)"), "A\u00e9\u20ac");
  EXPECT_EQ(unescape_json(R"(\ud83d\ude00)"), "\U0001F600");
  EXPECT_EQ(unescape_json(R"(\ud83d!)"), "\uFFFD!");
  EXPECT_EQ(unescape_json(R"(\q\u12\)"), R"(\q\u12\)");
}

TEST(JsonScan, PutsJsonOnOneLine) {
  EXPECT_EQ(one_line_json("[\n  [1,2],\n  [ ]\n]"), "[[1, 2], []]");
  EXPECT_EQ(one_line_json(R"({"a , b":1})"), R"({"a , b": 1})");
  EXPECT_EQ(one_line_json(R"(["broken)"), R"(["broken)");
}

TEST(JsonScan, TakesQuotesOff) {
  EXPECT_EQ(without_quotes("\"a\" \n"), "a");
  EXPECT_EQ(without_quotes(" 12 "), "12");
  EXPECT_EQ(without_quotes("\""), "\"");
  EXPECT_EQ(without_quotes(""), "");
}

}  // namespace json_scan_test
}  // namespace sonde
