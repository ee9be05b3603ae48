#include "report/text/plain_text.h"

#include <gtest/gtest.h>

#include "report/tables/quantity.h"
#include "report/text/sentence.h"

namespace sonde {
namespace plain_text_test {

TEST(PlainText, invalid_utf8_is_replaced) {
  EXPECT_EQ(valid_utf8("a\xFF"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("\xF0\x9F\x94\xA5"), "\xF0\x9F\x94\xA5");
}

TEST(PlainText, one_line_has_no_control_characters) {
  EXPECT_EQ(one_line("a\nb\x1b[31m\x7f"
                     "c\xC2\x9B"
                     "d\xC2\xA0"
                     "e"),
            "a b [31m c d\xC2\xA0"
            "e");
}

TEST(PlainText, xml) {
  EXPECT_EQ(xml_text("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;'");
  EXPECT_EQ(xml_text(std::string_view("\0\x1b\n\t\r", 5)), "\xEF\xBF\xBD\xEF\xBF\xBD\n\t&#13;");
  EXPECT_EQ(xml_text("\xEF\xBF\xBE!"), "\xEF\xBF\xBD!");
}

TEST(AmountText, digits_as_asked_for) {
  EXPECT_EQ(amount_text(200.4e6, Unit::nanoseconds), "200 ms");
  EXPECT_EQ(amount_text(200.4e6, Unit::nanoseconds, 4), "200.4 ms");
  EXPECT_EQ(amount_text(96, Unit::nanoseconds), "96 ns");
  EXPECT_EQ(amount_text(0.04, Unit::percent), "0.04 %");
  EXPECT_EQ(amount_text(0.001, Unit::percent), "0.001 %");
  EXPECT_EQ(amount_text(0, Unit::percent), "0.0 %");
  EXPECT_EQ(amount_text(1200, Unit::none), "1,200");
  EXPECT_EQ(amount_text(12.5, Unit::none), "12.5");
  EXPECT_EQ(amount_text(1232.5, Unit::none), "1,232.5");
  EXPECT_EQ(amount_text(16464.7, Unit::none), "16,465");
  EXPECT_EQ(amount_text(16464.7, Unit::none, 6), "16,464.7");
}

TEST(Sentence, numbers_of_one_unit_that_differ_read_differently) {
  const std::vector<Argument> arguments = {{.name = "a", .unit = Unit::bytes, .number = 1'000'000, .text = {}},
                                           {.name = "b", .unit = Unit::bytes, .number = 1'000'100, .text = {}}};
  EXPECT_EQ(sentence("{a} {b}", arguments), "1.00 MB 1.00 MB");
  EXPECT_EQ(comparing_sentence("{a} {b}", arguments), "1.0000 MB 1.0001 MB");
}

}  // namespace plain_text_test
}  // namespace sonde
