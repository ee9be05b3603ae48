#include <gtest/gtest.h>

#include "cli/serve/log_text.h"
#include "cli/serve/logs.h"

namespace sonde::serve {
namespace service_log_test {

std::string line(std::string_view message, const std::vector<LogField>& fields) { return log_line(message, fields); }

TEST(LogLine, HasNamesAndValues) {
  EXPECT_EQ(line("serving", {{"url", "http://x:1"}, {"who", "a b"}, {"none", ""}, {"say", "\"hi\""}}),
            R"(serving url=http://x:1 who="a b" none="" say="\"hi\"")");
}

TEST(LogLine, IsOneLineWhateverTheValues) {
  EXPECT_EQ(line("a\nb", {{"name", "x\ninfo fake=1"}, {"colour", "\x1b[31m\x7f\r"}}),
            R"(a\nb name="x\ninfo fake=1" colour=\x1b[31m\x7f\x0d)");
}

TEST(LogLevel, IsFoundByName) {
  EXPECT_EQ(log_level_of("debug"), LogLevel::debug);
  EXPECT_EQ(log_level_of("error"), LogLevel::error);
  EXPECT_EQ(log_level_of("loud"), LogLevel::info);
}

}  // namespace service_log_test
}  // namespace sonde::serve
