#include "base/text/command_words.h"

#include <gtest/gtest.h>

namespace sonde {
namespace command_words_test {

using Words = std::vector<std::string>;

TEST(CommandWords, are_split_as_a_shell_splits_them) {
  EXPECT_EQ(command_words("  python  train.py --lr 3\n"), (Words{"python", "train.py", "--lr", "3"}));
  EXPECT_EQ(command_words(R"(a 'b c' "d e"f g\ h '')"), (Words{"a", "b c", "d ef", "g h", ""}));
  EXPECT_EQ(command_words(R"("a\"b\\c\d" 'a\b')"), (Words{R"(a"b\c\d)", R"(a\b)"}));
  EXPECT_EQ(command_words("echo $HOME *"), (Words{"echo", "$HOME", "*"}));
  EXPECT_EQ(command_words("  "), Words{});
}

TEST(CommandWords, what_breaks_off_is_an_error) {
  EXPECT_EQ(command_words("a 'b").error().message, "the command has an unclosed quote '");
  EXPECT_EQ(command_words("a \"b\\\"").error().message, "the command has an unclosed quote \"");
  EXPECT_EQ(command_words("a\\").error().message, "the command ends with a backslash");
}

TEST(CommandWords, a_line_of_words_can_be_split_again) {
  const Words words{"a b", "it's", "", "{profile}.json", "$x", "\"\\"};
  EXPECT_EQ(command_words(command_line(words)), words);
  EXPECT_EQ(command_line(words).substr(0, 6), "'a b' ");
}

}  // namespace command_words_test
}  // namespace sonde
