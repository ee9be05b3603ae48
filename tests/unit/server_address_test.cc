#include <gtest/gtest.h>

#include "server/address.h"

namespace sonde::server {
namespace {

TEST(Address, LoopbackIsWhatOnlyThisHostReaches) {
  for (const char* address : {"127.0.0.1", "127.8.0.1", "::1", "localhost"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "126.255.255.255", "128.0.0.1", "fe80::1", "host", ""}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

}  // namespace
}  // namespace sonde::server
