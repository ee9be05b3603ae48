#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace pushpop_trace_test {

using Texts = std::vector<std::string>;

/// Thread 11: step [0,100) > forward [10,60) > NCCL:reduce [20,30); thread 12: step [5,50).
Trace nested() {
  TraceBuilder b;
  const ThreadId one = b.thread(10, 11);
  const ThreadId two = b.thread(10, 12);
  const DomainId nccl = b.domain("NCCL");
  b.push_pop(one, 0, 100, "step");
  b.push_pop(one, 10, 60, "forward");
  b.push_pop(one, 20, 30, "reduce", nccl);
  b.push_pop(two, 5, 50, "step");
  b.push_pop(one, 70, kUnknown, "open");
  b.start_end(one, one, 0, 100, "async");
  return b.build();
}

TEST(PushPopTrace, HasTheColumnsOfNsys) {
  const Trace trace = nested();
  EXPECT_EQ(headers(run_report("nvtx_pushpop_trace", trace)),
            (Texts{"Start", "End", "Duration", "DurChild", "DurNonChild", "Name", "PID", "TID", "Lvl", "NumChild",
                   "RangeId", "ParentId", "RangeStack", "NameTree"}));
}

TEST(PushPopTrace, NestsByThreadAcrossDomains) {
  const Trace trace = nested();
  const Table table = run_report("nvtx_pushpop_trace", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{":step", ":step", ":forward", "NCCL:reduce"}));
  EXPECT_EQ(cells(table, "TID"), (Texts{"11", "12", "11", "11"}));
  EXPECT_EQ(cells(table, "Lvl"), (Texts{"0", "0", "1", "2"}));
  EXPECT_EQ(cells(table, "NumChild"), (Texts{"1", "0", "1", "0"}));
  EXPECT_EQ(cells(table, "DurChild"), (Texts{"50", "0", "10", "0"}));
  EXPECT_EQ(cells(table, "DurNonChild"), (Texts{"50", "45", "40", "10"}));
  EXPECT_EQ(cells(table, "NameTree"), (Texts{":step", ":step", "--:forward", "----NCCL:reduce"}));
}

TEST(PushPopTrace, NumbersRangesInOrderOfStart) {
  const Trace trace = nested();
  const Table table = run_report("nvtx_pushpop_trace", trace);
  EXPECT_EQ(cells(table, "RangeId"), (Texts{"1", "3", "4", "5"}));  // 2 is the start/end range
  EXPECT_EQ(cells(table, "ParentId"), (Texts{"-", "-", "1", "4"}));
  EXPECT_EQ(cells(table, "RangeStack"), (Texts{":1", ":3", ":1:4", ":1:4:5"}));
}

TEST(PushPopTrace, GivesCrossingRangesToTheOneThatHoldsThemWhole) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  const DomainId other = b.domain("other");
  b.push_pop(t, 0, 100, "outer");
  b.push_pop(t, 10, 40, "first");
  b.push_pop(t, 30, 60, "second", other);  // begins inside first, ends after it
  b.push_pop(t, 35, 38, "in both");
  b.push_pop(t, 60, 70, "after");
  const Trace trace = b.build();
  const Table table = run_report("nvtx_pushpop_trace", trace);
  EXPECT_EQ(cells(table, "RangeStack"), (Texts{":1", ":1:2", ":1:3", ":1:3:4", ":1:5"}));
}

TEST(PushPopTrace, ListsTheShorterOfTwoThatStartTogetherFirst) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.push_pop(t, 0, 50, "inner");
  b.push_pop(t, 0, 100, "outer");
  const Trace trace = b.build();
  const Table table = run_report("nvtx_pushpop_trace", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{":inner", ":outer"}));
  EXPECT_EQ(cells(table, "ParentId"), (Texts{"1", "-"}));
}

TEST(PushPopTrace, KeepsStacksThatFillMoreThanOneBlock) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  constexpr int kDepth = 1000;  // half of 1000 * 1000 ids of about four bytes: more than one block of a MiB
  for (int i = 0; i < kDepth; ++i) b.push_pop(t, i, 3 * kDepth - i, "deep");
  const Trace trace = b.build();
  const Table table = run_report("nvtx_pushpop_trace", trace);
  EXPECT_EQ(cells(table, "RangeStack")[2], ":1:2:3");
  EXPECT_TRUE(cells(table, "RangeStack").back().ends_with(":998:999:1000"));
}

}  // namespace pushpop_trace_test
}  // namespace sonde
