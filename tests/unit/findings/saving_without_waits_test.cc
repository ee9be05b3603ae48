#include "findings/saving_without_waits.h"

#include <array>

#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// What findings on waits can save at all, and kernels that no launch of their own can be taken from.
namespace sonde {
namespace saving_without_waits_test {

constexpr int64_t kMs = 1'000'000;
constexpr uint32_t kWave = 864;  ///< 8 blocks of 256 threads on each of 108 SMs

/// Two streams of an A100 whose kernels of 10 ms take turns, without a gap.
Trace turns(uint32_t blocks, std::string_view name = "conv") {
  TraceBuilder builder;
  const ThreadId thread = builder.thread(1, 1);
  const std::array streams{builder.stream(1), builder.stream(1)};
  Device& device = builder.device();
  device.compute_major = 8;
  device.compute_minor = 0;
  device.sm_count = 108;
  for (int64_t i = 0; i < 20; ++i) {
    const uint32_t call = builder.call(thread, i * 1000, i * 1000 + 500);
    builder.kernel(streams[i % 2], (i + 1) * 10 * kMs, (i + 2) * 10 * kMs, name, call, {blocks, 1, 1});
  }
  Trace trace = builder.build();
  Kernels& k = trace.kernels;
  k.registers.assign(k.start.size(), 32);
  k.static_shared_bytes.assign(k.start.size(), 0);
  k.dynamic_shared_bytes.assign(k.start.size(), 0);
  k.shared_bytes_executed.assign(k.start.size(), 32768);
  return trace;
}

int64_t saving(const Trace& trace) { return saving_without_waits(Facts(trace)); }

TEST(SavingWithoutWaits, KernelsThatFillTheGpuDoNotRunAtOnce) { EXPECT_EQ(saving(turns(4 * kWave)), 0); }

TEST(SavingWithoutWaits, KernelsOfHalfAWaveDo) {
  const Trace trace = turns(kWave / 2);
  // The busier stream has 10 of the judged kernels.
  EXPECT_EQ(saving(trace), Facts(trace).wall_ns() - 10 * 10 * kMs);
}

TEST(SavingWithoutWaits, CommunicationCanBeWaiting) {
  const Trace trace = turns(4 * kWave, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(saving(trace), Facts(trace).wall_ns());
}

/// 20 launches; each puts a kernel of 5 us on one stream and, as a graph does, what it depends on on another.
Trace graphs(bool with_others) {
  TraceBuilder builder;
  const ThreadId thread = builder.thread(1, 1);
  const StreamId stream = builder.stream(1);
  const StreamId other = builder.stream(1);
  for (int64_t i = 0; i < 20; ++i) {
    const uint32_t call = builder.call(thread, i * 50'000, i * 50'000 + 2'000, "cudaGraphLaunch_v10000");
    if (with_others) builder.kernel(other, i * 50'000 + 3'000, i * 50'000 + 43'000, "producer", call);
    builder.kernel(stream, i * 50'000 + 44'000, i * 50'000 + 49'000, "consumer", call);
  }
  return builder.build();
}

TEST(TinyKernels, OfGraphsWithOtherWorkAreNoRun) {
  EXPECT_EQ(ask_rule("tiny_kernels", graphs(false)).findings.size(), 1);
  EXPECT_EQ(ask_rule("tiny_kernels", graphs(true)).findings.size(), 0);
}

}  // namespace saving_without_waits_test
}  // namespace sonde
