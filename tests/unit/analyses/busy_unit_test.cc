#include "analyses/measured/busy_unit.h"

#include <gtest/gtest.h>

#include "analyses/kernels/kernel_advice.h"
#include "analyses/kernels/kernel_bound.h"
#include "analyses/measured/measured_launch.h"

namespace sonde {
namespace busy_unit_test {

constexpr std::string_view kPeak = ".avg.pct_of_peak_sustained_elapsed";

/// A launch of a report with shares of peaks.
class Launch {
 public:
  Launch(double compute, double memory) {
    trace_.ranks.emplace_back();
    KernelProfile& kernel = trace_.kernel_profiles.emplace_back();
    kernel.name = trace_.names.intern("void tile<(int)32, (unsigned int)4, float (*)(int)>(float *, int)");
    metric("sm__throughput", kPeak, compute);
    metric("gpu__compute_memory_throughput", kPeak, memory);
    metric("launch__waves_per_multiprocessor", "", 10);
    metric("gpu__time_duration.sum", "", 1000);
  }
  Launch& metric(std::string_view name, std::string_view suffix, double value) {
    return add(name, suffix, MetricValue::real(value));
  }
  /// A part of the memory's throughput.
  Launch& part(std::string_view counter, double percent) {
    parts_ += (parts_.empty() ? "" : ",") + std::string(counter) + std::string(kPeak);
    return metric(counter, kPeak, percent);
  }
  Launch& advice(std::string_view rule, double percent) {
    RuleResult& result = trace_.kernel_profiles[0].rules.emplace_back();
    result.id = result.name = trace_.names.intern(rule);
    result.texts.push_back({AdviceKind::optimization, kNone, kNone});
    result.speedups.push_back({EstimatedSpeedup::Scope::global, percent});
    return *this;
  }
  const Trace& trace() {
    if (!parts_.empty()) {
      const NameId list = trace_.names.intern(parts_);
      add("breakdown:gpu__compute_memory_throughput", kPeak, MetricValue::text(list));
      parts_.clear();
    }
    return trace_;
  }
  std::string bound() { return bound_text(trace(), trace().kernel_profiles[0]); }
  std::string top() {
    const auto found = top_advice(trace(), trace().kernel_profiles[0]);
    return found ? std::string(found->title) : "";
  }

 private:
  Launch& add(std::string_view name, std::string_view suffix, MetricValue value) {
    auto& metrics = trace_.kernel_profiles[0].metrics;
    metrics.push_back({trace_.names.intern(std::string(name) + std::string(suffix)), value, {}});
    std::ranges::sort(metrics, {}, &Metric::name);
    return *this;
  }
  Trace trace_;
  std::string parts_;
};

TEST(BusyUnit, NamesThePartOfTheMemory) {
  EXPECT_EQ(Launch(20, 91).part("lts__t_sectors", 40).part("dram__cycles_active", 91).bound(), "memory (DRAM)");
  EXPECT_EQ(Launch(20, 91).part("lts__t_sectors", 91).part("dram__cycles_active", 30).bound(), "memory (L2)");
  EXPECT_EQ(Launch(20, 91).part("l1tex__m_xbar2l1tex_read_sectors", 91).bound(), "memory (L2)");
  EXPECT_EQ(Launch(20, 91).bound(), "memory") << "no part was collected";
  EXPECT_EQ(Launch(91, 20).part("dram__cycles_active", 20).bound(), "compute");
}

TEST(BusyUnit, TellsSharedMemoryFromL1) {
  const auto launch = [](double shared_bytes) {
    Launch made(20, 85);
    made.part("l1tex__data_pipe_lsu_wavefronts", 85);
    made.metric("launch__shared_mem_per_block_static", "", shared_bytes);
    made.metric("launch__shared_mem_per_block_dynamic", "", 0);
    return made;
  };
  EXPECT_EQ(launch(0).bound(), "memory (L1)");
  EXPECT_EQ(launch(512).bound(), "memory (L1 or shared memory)");
  const auto passes = [&](double shared) {
    Launch made = launch(512);
    made.metric("l1tex__data_pipe_lsu_wavefronts.sum", "", 1000);
    made.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", shared);
    return made.bound();
  };
  EXPECT_EQ(passes(900), "memory (shared memory)");
  EXPECT_EQ(passes(100), "memory (L1)");
}

TEST(BusyUnit, LatencyDoesNotHideL1) {
  Launch launch(6, 50);
  launch.part("lts__t_sectors", 50).part("dram__cycles_active", 45);
  EXPECT_EQ(launch.bound(), "latency");
  launch.metric("l1tex__throughput.avg.pct_of_peak_sustained_active", "", 90);
  EXPECT_EQ(launch.bound(), "memory (L1 or shared memory)");
}

TEST(KernelAdvice, IsWeighedByTheBound) {
  Launch dram(20, 91);
  dram.part("dram__cycles_active", 91).advice("AchievedOccupancy", 60);
  EXPECT_EQ(dram.top(), "") << "more warps do not relieve DRAM";
  EXPECT_EQ(dram.advice("MemoryL2Compression", 50).top(), "MemoryL2Compression");
  EXPECT_EQ(dram.advice("UncoalescedGlobalAccess", 10).top(), "UncoalescedGlobalAccess") << "compression comes last";
  Launch waits(20, 30);
  waits.part("lts__t_sectors", 30).advice("MemoryL2Compression", 90).advice("CPIStall", 20);
  EXPECT_EQ(waits.top(), "CPIStall");
  Launch l2(20, 70);
  l2.part("lts__t_sectors", 70).advice("TheoreticalOccupancy", 30);
  EXPECT_EQ(l2.top(), "TheoreticalOccupancy") << "L2 is not at its limit";
}

TEST(MeasuredLaunch, HasAShortName) {
  Launch launch(20, 30);
  EXPECT_EQ(measured_launches(launch.trace()).at(0).name(), "tile<32, 4, float (*)(int)>");
}

}  // namespace busy_unit_test
}  // namespace sonde
