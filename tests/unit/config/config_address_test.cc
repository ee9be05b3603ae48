#include <gtest/gtest.h>

#include "config/text_form.h"

namespace sonde::config {
namespace config_address_test {

TEST(Address, LoopbackIsWhatOnlyThisHostReaches) {
  for (const char* address : {"127.0.0.1", "127.8.0.1", "::1", "localhost"})
    EXPECT_TRUE(is_loopback_address(address)) << address;
  for (const char* address :
       {"0.0.0.0", "::", "10.0.0.1", "126.255.255.255", "128.0.0.1", "fe80::1", "127.evil.example", "host", ""}) {
    EXPECT_FALSE(is_loopback_address(address)) << address;
  }
}

}  // namespace config_address_test
}  // namespace sonde::config
