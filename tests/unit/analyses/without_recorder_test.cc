#include "analyses/replay/without_recorder.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "analyses/replay/recording_cost.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace {

/// A loop of operators that launch a kernel each, in groups of four under one more operator; made as it runs by itself
/// and as a profiler records it.
struct Program {
  int64_t steps = 6;
  int64_t groups = 20;        ///< in a step
  int64_t own_ns = 2'000;     ///< host time of an operator
  int64_t launch_ns = 3'000;  ///< of its call
  int64_t kernel_ns = 4'000;
  bool waits = false;        ///< for the GPU at the end of each step
  double gap_ns = 0;         ///< what the profiler leaves between two operators; 0: it does not run
  double call_cost_ns = 0;   ///< what Sonde measures for a CUDA call; 0: it does not run
  double event_cost_ns = 0;  ///< and for each begin or end of a range
};

constexpr int64_t kPerGroup = 4;
constexpr int64_t kLatencyNs = 4'000;
constexpr double kOperatorCost = 5;  // gaps
constexpr double kCallCost = 1.5;
constexpr double kRecordsOfCall = 2;

/// Runs a program, and writes what a profiler sees of it.
class Machine {
 public:
  Machine(const Program& program, TraceBuilder* into) : p_(program), into_(into) {
    if (into_ == nullptr) return;
    thread_ = into_->thread(1, 1);
    stream_ = into_->stream(1);
    ops_ = into_->domain("torch.operator", DomainKind::op);
    annotations_ = into_->domain("annotations", DomainKind::annotation);
  }

  /// From the first kernel's start to the last one's end.
  int64_t run() {
    for (int64_t step = 0; step < p_.steps; ++step) {
      const double begin = now_;
      for (int64_t g = 0; g < p_.groups; ++g) group();
      if (p_.waits) wait();
      if (into_ != nullptr)
        into_->push_pop(thread_, at(begin), at(now_), "ProfilerStep#" + std::to_string(step), annotations_);
    }
    return at(gpu_free_ - first_);
  }

 private:
  static int64_t at(double time) { return static_cast<int64_t>(time); }
  /// A tenth of an operator's cost is before its begin, and as much behind its end: so a gap is a fifth.
  double enter() {
    const double cost = kOperatorCost * p_.gap_ns;
    now_ += 0.1 * cost;
    const double begin = now_;
    now_ += 0.4 * cost + p_.event_cost_ns;
    return begin;
  }
  void leave(double begin, const char* name) {
    const double cost = kOperatorCost * p_.gap_ns;
    now_ += 0.4 * cost;
    if (into_ != nullptr) into_->push_pop(thread_, at(begin), at(now_), name, ops_);
    now_ += 0.1 * cost + p_.event_cost_ns;
  }
  [[nodiscard]] double cost_of_call() const { return kCallCost * p_.gap_ns + kRecordsOfCall * p_.call_cost_ns; }
  void group() {
    const double begin = enter();
    for (int64_t i = 0; i < kPerGroup; ++i) {
      const double inner = enter();
      now_ += static_cast<double>(p_.own_ns);
      launch();
      leave(inner, "aten::mul");
    }
    leave(begin, "aten::group");
  }
  void launch() {
    const double begin = now_;
    now_ += static_cast<double>(p_.launch_ns);
    const double start = std::max(now_ + kLatencyNs, gpu_free_ + 1'000);
    if (first_ < 0) first_ = start;
    gpu_free_ = start + static_cast<double>(p_.kernel_ns);
    if (into_ != nullptr) {
      const uint32_t call = into_->call(thread_, at(begin), at(now_));
      into_->kernel(stream_, at(start), at(gpu_free_), "mul_kernel", call);
    }
    now_ += cost_of_call();
  }
  void wait() {
    const double begin = now_;
    now_ = std::max(now_ + 2'000, gpu_free_ + 3'000);
    if (into_ != nullptr) into_->call(thread_, at(begin), at(now_), "cudaDeviceSynchronize_v3020");
    now_ += cost_of_call();
  }

  const Program& p_;
  TraceBuilder* into_;
  ThreadId thread_ = kNone;
  StreamId stream_ = kNone;
  DomainId ops_ = kNoDomain;
  DomainId annotations_ = kNoDomain;
  double now_ = 1'000'000;
  double gpu_free_ = 0;
  double first_ = -1;
};

int64_t true_step_ns(Program program) {
  program.gap_ns = program.call_cost_ns = program.event_cost_ns = 0;
  return Machine(program, nullptr).run() / program.steps;
}

Trace recorded(const Program& program) {
  TraceBuilder builder;
  Machine(program, &builder).run();
  Trace trace = builder.build();
  trace.ranks.resize(1);
  trace.ranks.front().product = "PyTorch profiler (Kineto)";
  return trace;
}

Trace recorded_by_sonde(const Program& program) {
  Trace trace = recorded(program);
  trace.ranks.front().product = "Sonde";
  trace.processes.front().call_cost_ns = static_cast<int64_t>(program.call_cost_ns);
  trace.processes.front().event_cost_ns = static_cast<int64_t>(program.event_cost_ns);
  return trace;
}

double percent_off(int64_t ns, int64_t truth) {
  return 100 * std::abs(static_cast<double>(ns) / static_cast<double>(truth) - 1);
}

TEST(WithoutRecorder, TheHostsStepIsThatOfTheProgram) {
  const Program program{.gap_ns = 1'200};
  Trace trace = recorded(program);
  const auto without = take_out_recorder(trace);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->step.steps, 6U);
  EXPECT_GT(percent_off(without->step.recorded_ns, true_step_ns(program)), 80);
  EXPECT_LT(percent_off(without->step.without_ns, true_step_ns(program)), 6);
  EXPECT_LE(without->step.low_ns, true_step_ns(program));
  EXPECT_GE(without->step.high_ns, true_step_ns(program));
}

TEST(WithoutRecorder, AGpuThatIsBusyAllTheTimeKeepsItsStep) {
  const Program program{.kernel_ns = 60'000, .gap_ns = 1'200};
  Trace trace = recorded(program);
  const auto without = take_out_recorder(trace);
  ASSERT_TRUE(without);
  EXPECT_GE(without->step.without_ns, without->step.busy_ns);
  EXPECT_LT(percent_off(without->step.without_ns, true_step_ns(program)), 1);
}

TEST(WithoutRecorder, MovesEverythingAndKnowsWhereItWas) {
  const Program program{.waits = true, .gap_ns = 1'000};
  const Trace before = recorded(program);
  Trace trace = recorded(program);
  const auto without = take_out_recorder(trace);
  ASSERT_TRUE(without);
  ASSERT_EQ(trace.kernels.start.size(), before.kernels.start.size());
  const int64_t last = static_cast<int64_t>(before.kernels.start.size()) - 1;
  for (const int64_t row : {int64_t{0}, last / 2, last}) {
    const auto at = static_cast<size_t>(row);
    EXPECT_EQ(trace.kernels.end[at] - trace.kernels.start[at], before.kernels.end[at] - before.kernels.start[at]);
    EXPECT_EQ(without->recorded.at(trace.kernels.start[at]), before.kernels.start[at]);
    EXPECT_EQ(trace.kernels.launch[at], before.kernels.launch[at]);
    EXPECT_LE(trace.api.end[trace.kernels.launch[at]], trace.kernels.start[at]);
  }
  EXPECT_TRUE(std::ranges::is_sorted(trace.api.start));
  EXPECT_TRUE(std::ranges::is_sorted(trace.ranges.start));
  for (Row row = 0; row < trace.ranges.start.size(); ++row) {
    if (trace.ranges.parent[row] == kNone) continue;
    EXPECT_GE(trace.ranges.start[row], trace.ranges.start[trace.ranges.parent[row]]);
    EXPECT_LE(trace.ranges.end[row], trace.ranges.end[trace.ranges.parent[row]]);
  }
}

/// Times in whole microseconds give calls without a length. One at the end of time that is taken out is still made.
TEST(WithoutRecorder, CallsWithoutALengthAreMade) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId ops = b.domain("torch.operator", DomainKind::op);
  constexpr int64_t kOperators = 200;
  for (int64_t i = 0; i < kOperators; ++i) {
    const int64_t start = 1'000'000 + 20'000 * i;
    const uint32_t call = b.call(thread, start + 9'000, start + 9'000);
    b.push_pop(thread, start, start + 19'000, "aten::mul", ops);
    b.kernel(stream, start + 14'000, start + 18'000, "mul_kernel", call);
  }
  Trace trace = b.build();
  trace.ranks.resize(1);
  trace.ranks.front().product = "PyTorch profiler (Kineto)";
  ASSERT_TRUE(take_out_recorder(trace));
  EXPECT_GE(trace.kernels.start.front(), 0);
  for (Row row = 0; row < kOperators; ++row) {
    EXPECT_GE(trace.kernels.start[row], trace.api.end[trace.kernels.launch[row]]) << row;
  }
}

TEST(WithoutRecorder, AGivenStepIsMet) {
  Trace trace = recorded({.gap_ns = 1'500});
  constexpr int64_t kStep = 700'000;
  const auto without = take_out_recorder(trace, kStep);
  ASSERT_TRUE(without);
  EXPECT_TRUE(without->step.given);
  EXPECT_LT(percent_off(without->step.without_ns, kStep), 1);
  EXPECT_EQ(without->step.low_ns, without->step.without_ns);
}

TEST(WithoutRecorder, WhatSondeMeasuredIsTakenOut) {
  const Program program{.waits = true, .call_cost_ns = 900, .event_cost_ns = 100};
  Trace trace = recorded_by_sonde(program);
  const auto without = take_out_recorder(trace);
  ASSERT_TRUE(without);
  EXPECT_GT(percent_off(without->step.recorded_ns, true_step_ns(program)), 25);
  EXPECT_LT(percent_off(without->step.without_ns, true_step_ns(program)), 1);
  EXPECT_LE(without->step.low_ns, true_step_ns(program));
  EXPECT_GE(without->step.high_ns, true_step_ns(program));
}

TEST(WithoutRecorder, WhatNoProcessMeasuredIsUnknown) {
  Trace trace = recorded_by_sonde({.event_cost_ns = 100});
  EXPECT_FALSE(take_out_recorder(trace));
}

TEST(WithoutRecorder, CallsOfNoThreadHaveNoCost) {
  Trace trace = recorded_by_sonde({.call_cost_ns = 900});
  std::ranges::fill(trace.api.thread, kNone);
  EXPECT_FALSE(has_recording_cost(trace));
}

TEST(WithoutRecorder, OtherRecordersAreLeftAlone) {
  Trace trace = recorded({.gap_ns = 1'000});
  trace.ranks.front().product = "NVIDIA Nsight Systems";
  EXPECT_FALSE(take_out_recorder(trace));
}

/// Random programs: small and large operators, kernels that the host waits for and that wait for the host.
TEST(WithoutRecorder, HoldsOverRandomPrograms) {
  std::mt19937 random(20'261'126);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same programs each time
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::vector<double> errors;
  for (int i = 0; i < 200; ++i) {
    const Program program{.groups = between(8, 40),
                          .own_ns = between(500, 4'000),
                          .launch_ns = between(2'000, 6'000),
                          .kernel_ns = between(1'000, 30'000),
                          .waits = between(0, 1) == 1,
                          .gap_ns = static_cast<double>(between(500, 2'500))};
    Trace trace = recorded(program);
    const auto without = take_out_recorder(trace);
    ASSERT_TRUE(without);
    errors.push_back(percent_off(without->step.without_ns, true_step_ns(program)));
  }
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 5);
  EXPECT_LT(errors[errors.size() * 9 / 10], 15);
}

}  // namespace
}  // namespace sonde
