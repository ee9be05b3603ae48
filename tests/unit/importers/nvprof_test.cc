#include <gtest/gtest.h>

#include "importers/nvprof/call_names.h"
#include "importers/nvprof/session.h"

namespace sonde {
namespace nvprof_test {

TEST(NvprofCalls, HaveTheNamesThatCuptiNumbers) {
  EXPECT_EQ(nvprof::runtime_call_name(13), "cudaLaunch_v3020");
  EXPECT_EQ(nvprof::runtime_call_name(41), "cudaMemcpyAsync_v3020");
  EXPECT_EQ(nvprof::runtime_call_name(211), "cudaLaunchKernel_v7000");
  EXPECT_EQ(nvprof::driver_call_name(307), "cuLaunchKernel");
  EXPECT_EQ(nvprof::runtime_call_name(0), "[CUDA runtime call 0]");
  EXPECT_EQ(nvprof::driver_call_name(1 << 20), "[CUDA driver call 1048576]");
}

TEST(NvprofObjects, AreProcessAndThreadInPackedNumbers) {
  const std::string packed("\xcf\x01\0\0\x80\xed\x93\xb9\0\0\0\0", 12);
  EXPECT_EQ(nvprof::object_of(1, packed).process, 463);
  EXPECT_EQ(nvprof::object_of(1, packed).thread, -1);
  EXPECT_EQ(nvprof::object_of(2, packed).thread, 0xb993ed80);
  EXPECT_EQ(nvprof::object_of(3, packed).process, -1);
  EXPECT_EQ(nvprof::object_of(2, "\xcf").process, -1);
}

TEST(NvprofThreads, AreToldApartWhereTheirLowestBitsAreEqual) {
  nvprof::Session session;
  const uint64_t one = session.thread(463, 0xb993ed80);
  const uint64_t other = session.thread(463, 0xb893ed80);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, session.thread(463, 0xb993ed80));
  EXPECT_EQ(one >> 24, 463);
}

}  // namespace nvprof_test
}  // namespace sonde
