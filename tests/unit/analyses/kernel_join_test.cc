#include "analyses/kernels/kernel_join.h"

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace kernel_join_test {

/// Kernel reports by hand.
class Reports {
 public:
  Reports& kernel(std::string_view name, Dim3 grid, double bytes, std::vector<std::string_view> ranges = {}) {
    if (trace_.ranks.empty()) begin_report();
    KernelProfile profile;
    profile.rank = static_cast<RankId>(trace_.ranks.size() - 1);
    profile.name = trace_.names.intern(name);
    profile.grid = grid;
    profile.block = {256, 1, 1};
    profile.thread = 5;
    profile.metrics = {{trace_.names.intern("dram__bytes_read.sum"), MetricValue::real(bytes), {}}};
    for (const std::string_view range : ranges) {
      OpenRange open;
      open.name = trace_.names.intern(range);
      open.domain = trace_.names.intern("");
      open.thread = 5;
      profile.ranges.push_back(open);
    }
    trace_.kernel_profiles.push_back(std::move(profile));
    return *this;
  }
  Reports& begin_report() {
    trace_.ranks.emplace_back();
    return *this;
  }
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  Trace trace_;
};

/// Bytes read of each launch, in the order of start; -1 where nothing is known.
std::vector<double> bytes_read(const KernelJoin& join) {
  std::vector<double> bytes;
  for (Row row = 0; row < join.sample_of.size(); ++row) {
    bytes.push_back(join.quantity(row, "dram_read_bytes").value_or(-1));
  }
  return bytes;
}

/// Three launches of one kernel.
Trace three_launches() {
  TraceBuilder builder;
  const ThreadId main = builder.thread(1, 1);
  const StreamId stream = builder.stream(1);
  for (int64_t i = 0; i < 3; ++i) {
    builder.kernel(stream, 1000 + 100 * i, 1050 + 100 * i, "add", builder.call(main, 10 * i, 10 * i + 5));
  }
  return builder.build();
}

TEST(KernelJoin, as_many_measured_as_launched_go_by_order) {
  const Trace timeline = three_launches();
  Reports reports;
  reports.kernel("add", {1, 1, 1}, 10).kernel("add", {1, 1, 1}, 20).kernel("add", {1, 1, 1}, 30);
  const KernelJoin join = join_kernels(timeline, reports.trace());
  EXPECT_EQ(bytes_read(join), (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(join.counts.own_launches, 3);
  EXPECT_EQ(join.counts.matched_launches_ns, 150);
}

TEST(KernelJoin, fewer_measured_than_launched_stand_for_all_with_their_mean) {
  const Trace timeline = three_launches();
  Reports reports;
  reports.kernel("add", {1, 1, 1}, 10).kernel("add", {1, 1, 1}, 20);
  const KernelJoin join = join_kernels(timeline, reports.trace());
  EXPECT_EQ(bytes_read(join), (std::vector<double>{15, 15, 15}));
  EXPECT_EQ(join.counts.own_launches, 0);
  EXPECT_EQ(join.counts.matched_measured, 2);
}

TEST(KernelJoin, each_report_is_in_order_by_itself) {
  const Trace timeline = three_launches();
  Reports reports;
  for (const double offset : {0.0, 4.0}) {
    reports.begin_report();
    for (const double bytes : {10.0, 20.0, 30.0}) reports.kernel("add", {1, 1, 1}, bytes + offset);
  }
  EXPECT_EQ(bytes_read(join_kernels(timeline, reports.trace())), (std::vector<double>{12, 22, 32}));
}

TEST(KernelJoin, two_threads_launch_in_no_known_order) {
  TraceBuilder builder;
  const StreamId stream = builder.stream(1);
  builder.kernel(stream, 1000, 1050, "add", builder.call(builder.thread(1, 1), 0, 5));
  builder.kernel(stream, 1100, 1150, "add", builder.call(builder.thread(1, 2), 10, 15));
  const Trace timeline = builder.build();
  Reports reports;
  reports.kernel("add", {1, 1, 1}, 10).kernel("add", {1, 1, 1}, 20);
  EXPECT_EQ(bytes_read(join_kernels(timeline, reports.trace())), (std::vector<double>{15, 15}));
}

TEST(KernelJoin, a_measured_launch_that_failed_is_not_compared) {
  const Trace timeline = three_launches();
  Reports reports;
  reports.kernel("add", {0, 0, 0}, 99).kernel("add", {1, 1, 1}, 10);
  const KernelJoin join = join_kernels(timeline, reports.trace());
  EXPECT_EQ(bytes_read(join), (std::vector<double>{10, 10, 10}));
  ASSERT_EQ(join.unmatched_measured.size(), 1);
  EXPECT_EQ(join.unmatched_measured.front().gap, JoinGap::configuration);
}

TEST(KernelJoin, ranges_that_only_one_side_has_tell_nothing_apart) {
  TraceBuilder builder;
  const ThreadId main = builder.thread(1, 1);
  const StreamId stream = builder.stream(1);
  builder.push_pop(main, 0, 100, "warm up");
  builder.push_pop(main, 1, 50, "layer 0");
  builder.push_pop(main, 51, 99, "head");
  builder.kernel(stream, 1000, 1050, "add", builder.call(main, 10, 15));
  builder.kernel(stream, 1100, 1150, "add", builder.call(main, 60, 65));
  const Trace timeline = builder.build();
  Reports reports;
  reports.kernel("add", {1, 1, 1}, 10, {"profiled", "layer 7"});
  const KernelJoin join = join_kernels(timeline, reports.trace());
  EXPECT_EQ(bytes_read(join), (std::vector<double>{10, -1}));
  ASSERT_EQ(join.unmatched_launches.size(), 1);
  EXPECT_EQ(join.unmatched_launches.front().gap, JoinGap::range);
}

TEST(KernelJoin, of_like_ranges_those_with_the_same_numbers_come_first) {
  TraceBuilder builder;
  const ThreadId main = builder.thread(1, 1);
  const StreamId stream = builder.stream(1);
  int64_t time = 0;
  for (const std::string_view layer : {"layer 0", "layer 1", "layer 2"}) {
    builder.push_pop(main, time, time + 90, layer);
    builder.kernel(stream, time + 20, time + 30, "add", builder.call(main, time + 10, time + 15));
    time += 100;
  }
  const Trace timeline = builder.build();
  Reports reports;
  reports.kernel("add", {1, 1, 1}, 10, {"layer 0"}).kernel("add", {1, 1, 1}, 20, {"layer 1"});
  EXPECT_EQ(bytes_read(join_kernels(timeline, reports.trace())), (std::vector<double>{10, 20, 15}));
}

TEST(KernelJoin, other_configurations_do_not_match) {
  const Trace timeline = three_launches();
  Reports reports;
  reports.kernel("add", {2, 1, 1}, 10);
  const KernelJoin join = join_kernels(timeline, reports.trace());
  EXPECT_EQ(join.counts.matched_launches, 0);
  ASSERT_EQ(join.unmatched_launches.size(), 1);
  EXPECT_EQ(join.unmatched_launches.front().gap, JoinGap::configuration);
  EXPECT_EQ(join.unmatched_launches.front().count, 3);
  EXPECT_EQ(join.unmatched_launches.front().duration_ns, 150);
}

}  // namespace kernel_join_test
}  // namespace sonde
