#include <gtest/gtest.h>

#include "server/target.h"

namespace sonde::server {
namespace server_target_test {

TEST(Target, IsDecoded) {
  const auto target = parse_target("/api/v1/gpus/GPU-1/history?value=a%2Cb&from=-1h&x=a+b&flag&=&y=%C3%A9");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/gpus/GPU-1/history");
  const std::vector<std::pair<std::string, std::string>> query = {{"value", "a,b"}, {"from", "-1h"}, {"x", "a b"},
                                                                  {"flag", ""},     {"", ""},        {"y", "\u00e9"}};
  EXPECT_EQ(target->query, query);
}

TEST(Target, MayNameTheHost) {
  EXPECT_EQ(parse_target("http://host:80/a?b=c")->path, "/a");
  EXPECT_EQ(parse_target("https://host")->path, "/");
  EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(Target, KeepsWhatIsNoTrick) {
  for (const char* path : {"/", "//", "/a//b", "/...", "/a..b", "/a.", "/.well-known/x", "/~x", "/a%20b", "/a:b"}) {
    EXPECT_TRUE(parse_target(path)) << path;
  }
}

TEST(Target, RefusesWhatOthersCouldReadAsAnotherPath) {
  for (const char* path : {"",
                           "a",
                           "/..",
                           "/../etc/passwd",
                           "/a/../b",
                           "/a/./b",
                           "/%2e%2e/etc/passwd",
                           "/%2E./x",
                           "/.%2e",
                           "/a%2fb",
                           "/a%5cb",
                           "/a\\..\\b",
                           "/a%00b",
                           "/a%0d%0aX: y",
                           "/a%7f",
                           "/a#b",
                           "/a%",
                           "/a%2",
                           "/a%zz",
                           "/%c0%ae%c0%ae/",
                           "/%ff",
                           "/%ed%a0%80",
                           "/%f4%90%80%80",
                           "/%e0%80%80",
                           "/a?b=%00",
                           "/a?b=%zz",
                           "/a?%ff=1",
                           "host:443"}) {
    EXPECT_FALSE(parse_target(path)) << path;
  }
}

}  // namespace server_target_test
}  // namespace sonde::server
