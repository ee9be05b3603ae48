#include "analyses/run_difference.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analyses/run_extent.h"
#include "trace_builder.h"

namespace sonde {
namespace {

/// A run with what a comparison asks for.
struct Side {
  explicit Side(TraceBuilder& b)
      : trace(b.build()),
        modules(module_tree(trace, {})),
        steps(find_warm_up(trace, run_extent(trace).second - run_extent(trace).first)) {}

  [[nodiscard]] ComparedRun compared() const { return {&trace, &modules, steps ? &*steps : nullptr}; }

  Trace trace;
  ModuleTree modules;
  std::optional<WarmUp> steps;
};

/// Seven steps of 1000 ns. In each a matrix product that begins `gap` ns into it and, overlapping it, a copy; beside
/// them on the second of two GPUs a kernel whose length does not divide by seven. Half of the work is in a module.
TraceBuilder steps(int64_t gap, std::string_view kernel) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const StreamId s = b.stream(1, 0);
  const StreamId other = b.stream(1, 0);
  const StreamId second = b.stream(1, 1);
  for (int64_t i = 0; i < 7; ++i) {
    const int64_t at = 10'000 + i * 1000;
    b.push_pop(t, at, at + 990, "step");
    b.push_pop(t, at + 5, at + 50, "layer");
    b.kernel(s, at + gap, at + gap + 401, kernel, b.call(t, at + 10, at + 20));
    b.host_copy(other, at + gap + 300, at + gap + 500, CopyKind::host_to_device, MemoryKind::pinned, 64,
                b.call(t, at + 60, at + 70, "cudaMemcpyAsync_v3020"));
    b.kernel(second, at + 100, at + 103 + i, "relu", b.call(t, at + 80, at + 85));
  }
  return b;
}

/// What the builder calls a kernel in full.
std::string kernel(std::string_view name) { return fmt::format("void {}<float>(int)", name); }

int64_t sum(const std::vector<DifferenceRow>& rows, PartOfRun DifferenceRow::* side) {
  int64_t total = 0;
  for (const DifferenceRow& row : rows) total += (row.*side).ns.value_or(0);
  return total;
}

const DifferenceRow& row(const std::vector<DifferenceRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &DifferenceRow::name);
  if (found == rows.end()) throw std::out_of_range(std::string(name));
  return *found;
}

void expect_exact(const RunDifference& d, PartOfRun DifferenceRow::* side, int64_t length_ns, int64_t busy_ns) {
  EXPECT_EQ(sum(d.modules, side), busy_ns);
  EXPECT_EQ(sum(d.kernels, side), busy_ns);
  EXPECT_EQ(sum(d.copies, side), (row(d.kernels, "[copies]").*side).ns);
  EXPECT_NEAR(static_cast<double>(busy_ns + sum(d.idle, side)), static_cast<double>(2 * length_ns), 1);
}

TEST(RunDifference, MeansOfStepsAddUpExactly) {
  TraceBuilder before = steps(100, "gemm_a");
  TraceBuilder after = steps(300, "gemm_b");
  const Side base(before);
  const Side changed(after);
  const RunDifference d = compare_runs(base.compared(), changed.compared());
  EXPECT_TRUE(d.per_step);
  // From the start of the first of seven to the end of the last.
  EXPECT_EQ(d.base_ns, (6990 + 3) / 7);
  EXPECT_EQ(d.changed_ns, d.base_ns);
  // The first GPU's union and 3 to 9 ns of the second one.
  expect_exact(d, &DifferenceRow::base, d.base_ns, 500 + 6);
  expect_exact(d, &DifferenceRow::changed, d.changed_ns, 500 + 6);
}

TEST(RunDifference, ANameOfOneSideIsAbsentOnTheOther) {
  TraceBuilder before = steps(100, "gemm_a");
  TraceBuilder after = steps(100, "gemm_b");
  const Side base(before);
  const Side changed(after);
  const RunDifference d = compare_runs(base.compared(), changed.compared());
  EXPECT_EQ(row(d.kernels, kernel("gemm_a")).base.ns, 401 - 101 / 2);
  EXPECT_FALSE(row(d.kernels, kernel("gemm_a")).changed.ns);
  EXPECT_FALSE(row(d.kernels, kernel("gemm_b")).base.ns);
  EXPECT_EQ(row(d.kernels, kernel("gemm_b")).changed.count, 1.0);
  EXPECT_EQ(row(d.modules, "step/layer").base.ns, row(d.modules, "step/layer").changed.ns);
  EXPECT_EQ(d.kernels[2].name, "[copies]") << "what did not change stands last";
}

TEST(RunDifference, WithoutStepsTheWholeRunsAreCompared) {
  TraceBuilder before = steps(100, "gemm");
  TraceBuilder after;
  const ThreadId t = after.thread(1, 1);
  after.kernel(after.stream(1), 100, 150, "gemm", after.call(t, 0, 20));
  const Side base(before);
  const Side changed(after);
  const RunDifference d = compare_runs(base.compared(), changed.compared());
  EXPECT_FALSE(d.per_step);
  EXPECT_EQ(d.base_ns, 6990);
  EXPECT_EQ(d.changed_ns, 150);
  EXPECT_EQ(sum(d.kernels, &DifferenceRow::base), 7 * 500 + 3 * 7 + 21);
  EXPECT_EQ(sum(d.kernels, &DifferenceRow::changed), 50);
  EXPECT_EQ(row(d.modules, "(outside any module)").changed.ns, 50);
  EXPECT_EQ(row(d.kernels, kernel("gemm")).base.count, 7.0);
}

TEST(RunDifference, WhatDoesNotFitIsAddedUp) {
  TraceBuilder before;
  TraceBuilder after;
  for (int64_t i = 0; i < 1500; ++i) {
    before.kernel(before.stream(1), 100 * i, 100 * i + 10, fmt::format("k{}", i), 0);
    after.kernel(after.stream(1), 100 * i, 100 * i + 11, fmt::format("k{}", i), 0);
  }
  const Side base(before);
  const Side changed(after);
  const RunDifference d = compare_runs(base.compared(), changed.compared());
  EXPECT_EQ(d.kernels.size(), kMostDifferences);
  EXPECT_EQ(d.kernels.back().name, "(501 others)");
  EXPECT_EQ(sum(d.kernels, &DifferenceRow::base), 15'000);
  EXPECT_EQ(sum(d.kernels, &DifferenceRow::changed), 16'500);
}

TEST(RunDifference, CountsWhatLastsNoTimeAtTheEndOfARun) {
  TraceBuilder b;
  const StreamId s = b.stream(1);
  b.kernel(s, 0, 100, "first", 0);
  b.kernel(s, 100, 100, "last", 0);
  const Side side(b);
  const RunDifference found = compare_runs(side.compared(), side.compared());
  EXPECT_EQ(row(found.kernels, kernel("last")).base.count, 1.0);
}

}  // namespace
}  // namespace sonde
