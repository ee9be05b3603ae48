#include <gtest/gtest.h>

#include "analyses/memory/memory_peak.h"
#include "shared/ask_rule.h"
#include "shared/trace_builder.h"
#include "trace/columns.h"
#include "trace/memory_shortage.h"

/// The rule on memory at its peak, and the roles that it names.
namespace sonde {
namespace memory_peak_test {

constexpr int64_t kGiB = int64_t{1} << 30;

/// A GPU of 80 GiB that works for a moment, and allocations on it.
struct Gpu80 {
  Gpu80() : thread(builder.thread(1, 1)), stream(builder.stream(1)) {
    builder.device().total_memory_bytes = 80 * kGiB;
    builder.kernel(stream, 100, 200, "k", builder.call(thread, 10, 20));
  }

  void allocate(int64_t start, int64_t bytes, int64_t address, int64_t total = kUnknown) {
    builder.allocation(1, 0, start, AllocationKind::allocate, bytes, address, total);
  }
  void release(int64_t start, int64_t bytes, int64_t address) {
    builder.allocation(1, 0, start, AllocationKind::release, bytes, address);
  }
  /// `reserved`: at all times.
  Trace build(int64_t reserved = kUnknown) {
    Trace trace = builder.build();
    trace.allocations.thread.assign(row_count(trace.allocations), thread);
    trace.allocations.reserved_bytes.assign(row_count(trace.allocations), reserved);
    return trace;
  }

  TraceBuilder builder;
  ThreadId thread;
  StreamId stream;
};

std::string conclusions(const Trace& trace) { return conclusions_of(ask_rule("memory_peak", trace)); }

TEST(MemoryPeak, FullAtNineTenths) {
  Gpu80 gpu;
  gpu.allocate(50, 72 * kGiB, 0x1000);
  EXPECT_EQ(conclusions(gpu.build()), "memory_full ");
  Gpu80 less;
  less.allocate(50, 71 * kGiB, 0x1000);
  EXPECT_EQ(conclusions(less.build()), "");
}

TEST(MemoryPeak, ReservedAndNotUsed) {
  Gpu80 gpu;
  gpu.allocate(50, 40 * kGiB, 0x1000);
  EXPECT_EQ(conclusions(gpu.build(65 * kGiB)), "memory_unused ");
}

TEST(MemoryPeak, ReservedMemoryOnAGpuWithRoomIsNoProblem) {
  Gpu80 gpu;
  gpu.allocate(50, 10 * kGiB, 0x1000);
  EXPECT_EQ(conclusions(gpu.build(60 * kGiB)), "");
}

/// What the rule says of one refusal, with 60 GiB in use of what is reserved.
std::string refusal(std::optional<int64_t> gpu_free, int64_t reserved, int64_t requested = 10 * kGiB) {
  Gpu80 gpu;
  gpu.allocate(50, 60 * kGiB, 0x1000);
  const DomainId domain = gpu.builder.domain(kMemoryDomain);
  const ThreadId thread = gpu.thread;
  Trace trace = gpu.build(reserved);
  MemoryShortage s;
  s.time_ns = 60;
  s.requested_bytes = requested;
  s.gpu_free_bytes = gpu_free;
  s.allocated_bytes = 60 * kGiB;
  s.reserved_bytes = reserved;
  add_memory_shortage(trace, s, domain, thread);
  return conclusions(trace);
}

TEST(MemoryPeak, WhyAnAllocationWasRefused) {
  EXPECT_EQ(refusal(kGiB, 78 * kGiB), "out_of_memory_fragmented ");
  EXPECT_EQ(refusal(9 * kGiB, 61 * kGiB), "out_of_memory_fragmented ");
  EXPECT_EQ(refusal(kGiB, 62 * kGiB), "out_of_memory_outside ");
  EXPECT_EQ(refusal(9 * kGiB, 60 * kGiB + kGiB / 2), "out_of_memory_outside ");
  EXPECT_EQ(refusal(12 * kGiB, 61 * kGiB), "out_of_memory_limit ");
  EXPECT_EQ(refusal(std::nullopt, 61 * kGiB), "out_of_memory ");
}

TEST(MemoryPeak, ARefusalIsTooLargeWhereNothingElseHoldsTheGpu) {
  EXPECT_EQ(refusal(9 * kGiB, 70 * kGiB, 30 * kGiB), "out_of_memory_too_large ");
}

/// A step on one thread: forward from 0, backward from 1000, the optimizer from 2000 to 3000.
Gpu80 step() {
  Gpu80 gpu;
  const DomainId module = gpu.builder.domain("torch.module", DomainKind::module);
  gpu.builder.push_pop(gpu.thread, 0, 900, "model", module);
  gpu.builder.push_pop(gpu.thread, 100, 800, "model.layer.3.mlp", module);
  gpu.builder.push_pop(gpu.thread, 1000, 1900, "backward", module);
  gpu.builder.push_pop(gpu.thread, 1100, 1800, "backward model.layer.3.mlp", module);
  gpu.builder.push_pop(gpu.thread, 2000, 2900, "optimizer.step", module);
  return gpu;
}

std::string held(const Trace& trace) {
  std::string text;
  const std::vector<MemoryAtPeak> peaks = memory_at_peaks(trace);
  for (const HeldMemory& h : peaks.at(0).held) {
    text += fmt::format("{} of {}: {}; ", name_of(h.role), h.place, h.bytes);
  }
  return text;
}

TEST(MemoryPeak, RolesFollowFromWhenMemoryComesAndGoes) {
  Gpu80 gpu = step();
  gpu.allocate(150, 100, 0x1000);  // until the backward pass
  gpu.allocate(200, 20, 0x2000);   // until the end of the forward pass
  gpu.allocate(1150, 3, 0x3000);   // kept
  gpu.release(850, 20, 0x2000);
  gpu.release(1200, 100, 0x1000);
  EXPECT_EQ(held(gpu.build()), "Activation of model.layer.#.mlp: 100; Temporary of model.layer.#.mlp: 20; ");
}

TEST(MemoryPeak, GradientsAndTheStateOfOptimizersAreKept) {
  Gpu80 gpu = step();
  gpu.allocate(150, 1, 0x1000);
  gpu.allocate(1150, 30, 0x3000);
  gpu.allocate(2100, 200, 0x4000);
  gpu.allocate(2200, 1000, 0x5000);
  gpu.release(2300, 1000, 0x5000);
  EXPECT_EQ(held(gpu.build()),
            "Temporary of optimizer.step: 1000; Optimizer State of optimizer.step: 200; "
            "Gradient of backward model.layer.#.mlp: 30; Unknown of model.layer.#.mlp: 1; ");
}

TEST(MemoryPeak, WhatTheAllocatorCountsFromBeforeIsNamedSo) {
  Gpu80 gpu;
  gpu.allocate(50, 10, 0x1000, 1010);
  gpu.release(60, 10, 0x1000);
  EXPECT_EQ(held(gpu.build()), "Before Recording of : 1000; Unknown of : 10; ");
}

}  // namespace memory_peak_test
}  // namespace sonde
