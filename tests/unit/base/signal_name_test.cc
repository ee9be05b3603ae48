#include <csignal>

#include <gtest/gtest.h>

#include "base/system/signal_name.h"

namespace sonde {
namespace {

TEST(SignalName, MatchesTheCLibrary) {
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(signal_name(signal), std::string("SIG") + sigabbrev_np(signal));
  }
  EXPECT_EQ(signal_name(34), "signal 34");
}

}  // namespace
}  // namespace sonde
