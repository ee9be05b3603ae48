#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace sonde {
namespace utf8_test {

TEST(Utf8, KeepsTextAndReplacesOtherBytes) {
  EXPECT_EQ(valid_utf8("plain"), "plain");
  EXPECT_EQ(valid_utf8("gr\xC3\xB6\xC3\x9F"
                       "e \xF0\x9F\x98\x80"),
            "gr\xC3\xB6\xC3\x9F"
            "e \xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("gr\xF6\xDF"
                       "e"),
            "gr\xEF\xBF\xBD\xEF\xBF\xBD"
            "e");  // Latin-1
  EXPECT_EQ(valid_utf8("\xC3"), "\xEF\xBF\xBD");
}

TEST(Utf8, OverlongFormsAndSurrogatesAreNone) {
  for (const char* text :
       {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF", "\x80"}) {
    EXPECT_EQ(utf8_length(text), 0U);
  }
}

}  // namespace utf8_test
}  // namespace sonde
