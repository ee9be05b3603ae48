#include <gtest/gtest.h>

#include "base/http/proxy.h"
#include "base/http/url.h"

namespace sonde::http {
namespace http_url_test {

TEST(HttpUrl, HasItsParts) {
  const Url url = parse_url("HTTPS://us%40er:pass@host.example:8443/a/b?c=d#e").value();
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.user, "us@er:pass");
  EXPECT_EQ(url.host, "host.example");
  EXPECT_EQ(url.port, "8443");
  EXPECT_EQ(url.target, "/a/b?c=d");
}

TEST(HttpUrl, NeedsHostOnly) {
  const Url url = parse_url("http://[::1]?q").value();
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, "");
  EXPECT_EQ(url.target, "/?q");
  EXPECT_EQ(authority_of(url.host, "80"), "[::1]:80");
}

TEST(HttpUrl, RefusesWhatWouldMakeAnotherRequest) {
  for (const char* const text : {"host/path", "http://host/a b", "http://host/a\r\nX: y", "http://host:99999/",
                                 "http://host:x/", "http://[::1/", "http://[::1]x/"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(HttpUrl, KnowsThisHost) {
  EXPECT_TRUE(is_loopback_host("localhost") && is_loopback_host("127.0.0.2") && is_loopback_host("::1"));
  EXPECT_FALSE(is_loopback_host("localhost.example") || is_loopback_host("10.0.0.1"));
}

TEST(NoProxy, CoversNamesAndWhatIsBelow) {
  EXPECT_TRUE(is_in_no_proxy("*", "host"));
  EXPECT_TRUE(is_in_no_proxy("other, .Example.com", "a.b.example.com"));
  EXPECT_TRUE(is_in_no_proxy("example.com other", "EXAMPLE.com."));
  EXPECT_FALSE(is_in_no_proxy("example.com", "badexample.com"));
  EXPECT_FALSE(is_in_no_proxy("", "host"));
  EXPECT_FALSE(is_in_no_proxy("a.example.com", "example.com"));
}

TEST(NoProxy, CoversAddressesAndRanges) {
  EXPECT_TRUE(is_in_no_proxy("10.1.2.3", "10.1.2.3"));
  EXPECT_TRUE(is_in_no_proxy("10.0.0.0/8,192.168.16.0/20", "192.168.31.1"));
  EXPECT_TRUE(is_in_no_proxy("fd00::/8", "fd12::1"));
  EXPECT_FALSE(is_in_no_proxy("192.168.16.0/20", "192.168.32.1"));
  EXPECT_FALSE(is_in_no_proxy("10.0.0.0/99,10.0.0.0/x,::/0", "10.0.0.0"));
  EXPECT_FALSE(is_in_no_proxy("2.3", "10.1.2.3"));
}

}  // namespace http_url_test
}  // namespace sonde::http
