#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dispatch/dispatch_host.h"
#include "dispatch/rule.h"

namespace sonde::dispatch {
namespace dispatch_rules_test {

using namespace simulated;

/// Names of the rules that refuse; texts and verdicts have to agree.
struct Judged {
  config::Config config = {};
  Task task = {};
  GpuState gpu = idle_gpu(0);
  GpuLoad load = {};
  int64_t need_bytes = 0;
  bool is_first = true;

  Rules refused() const {
    const Candidate candidate{
        .config = config, .task = task, .gpu = gpu, .load = load, .need_bytes = need_bytes, .is_first = is_first};
    Rules names;
    for (const Rule* const rule : rules()) {
      const auto refusal = rule->refuse(candidate);
      EXPECT_EQ(refusal.has_value(), rule->refuses(candidate)) << rule->name;
      if (!refusal) continue;
      EXPECT_FALSE(refusal->reason.empty()) << rule->name;
      EXPECT_EQ(refusal->reason.find('{'), std::string::npos) << refusal->reason;
      EXPECT_EQ(refusal->unblocked.find('{'), std::string::npos) << refusal->unblocked;
      names.emplace_back(rule->name);
    }
    return names;
  }
  Refusal refusal() const {
    const Candidate candidate{
        .config = config, .task = task, .gpu = gpu, .load = load, .need_bytes = need_bytes, .is_first = is_first};
    for (const Rule* const rule : rules()) {
      if (auto found = rule->refuse(candidate)) return *std::move(found);
    }
    return {};
  }
};

TEST(DispatchRules, AnIdleGpuTakesATask) { EXPECT_EQ(Judged{}.refused(), Rules{}); }

TEST(DispatchRules, AGpuThatSaysNothingOfItselfIsNotRefused) {
  Judged judged;
  judged.gpu = {.index = 0,
                .uuid = "GPU-0",
                .name = "",
                .compute_capability = std::nullopt,
                .memory_total_bytes = std::nullopt,
                .memory_used_bytes = std::nullopt,
                .foreign_bytes = std::nullopt,
                .utilization = std::nullopt,
                .temperature_celsius = std::nullopt,
                .trouble = {}};
  judged.need_bytes = 80 * kGiB;
  judged.task.least_room_bytes = kGiB;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, MemoryThresholdRefusesAboveIt) {
  Judged judged;
  judged.gpu.memory_total_bytes = 1000;
  for (const auto& [used, expected] : {std::pair{899, Rules{}}, {900, Rules{}}, {901, Rules{"memory_threshold"}}}) {
    judged.gpu.memory_used_bytes = used;
    EXPECT_EQ(judged.refused(), expected) << used;
  }
  EXPECT_EQ(judged.refusal().reason, "90.1 % of the memory is in use, above gpu.memory_threshold 90 %");
  judged.config.gpu.memory_threshold = 0.95;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, UtilizationThresholdRefusesAboveIt) {
  Judged judged;
  for (const auto& [use, expected] :
       {std::pair{0.94, Rules{}}, {0.95, Rules{}}, {0.96, Rules{"utilization_threshold"}}}) {
    judged.gpu.utilization = use;
    EXPECT_EQ(judged.refused(), expected) << use;
  }
  judged.config.gpu.utilization_threshold = 0.98;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, TemperatureRefusesAboveIt) {
  Judged judged;
  for (const auto& [celsius, expected] :
       {std::pair{84.0, Rules{}}, {85.0, Rules{}}, {86.0, Rules{"max_temperature"}}}) {
    judged.gpu.temperature_celsius = celsius;
    EXPECT_EQ(judged.refused(), expected) << celsius;
  }
  judged.config.gpu.max_temperature = 90;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, ComputeCapabilitiesAreComparedAsVersions) {
  Judged judged;
  const auto refused = [&](int64_t has, int64_t min) {
    judged.gpu.compute_capability = has;
    judged.config.gpu.min_compute_capability = min;
    return !judged.refused().empty();
  };
  EXPECT_TRUE(refused(705, 800));
  EXPECT_FALSE(refused(800, 705));
  EXPECT_FALSE(refused(705, 705));
  EXPECT_FALSE(refused(1000, 900));  // 10.0 is above 9.0
  EXPECT_TRUE(refused(900, 1000));
  EXPECT_EQ(judged.refusal().reason, "compute capability 9.0 is below gpu.min_compute_capability 10.0");
  EXPECT_TRUE(judged.refusal().is_for_good);
}

TEST(DispatchRules, SlotsAreRefusedOnceAllAreTaken) {
  Judged judged;
  judged.config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 4;
  judged.load.tasks = 3;
  EXPECT_EQ(judged.refused(), Rules{});
  judged.load.tasks = 4;
  EXPECT_EQ(judged.refused(), Rules{"slots"});
  judged.load.tasks = 5;  // the limit was lowered while they ran
  EXPECT_EQ(judged.refused(), Rules{"slots"});
}

TEST(DispatchRules, RoomIsWhatNeitherOthersHoldNorTasksKeep) {
  Judged judged;
  judged.gpu.foreign_bytes = 9 * kGiB;
  judged.load.reserved_bytes = 62 * kGiB;
  judged.need_bytes = 9 * kGiB;
  EXPECT_EQ(room_bytes(judged.gpu, judged.load), 9 * kGiB);
  EXPECT_EQ(judged.refused(), Rules{});
  judged.need_bytes += 1;
  EXPECT_EQ(judged.refused(), Rules{"memory_room"});
  judged.need_bytes = 16 * kGiB;
  EXPECT_EQ(judged.refusal().reason,
            "has 9.0 GiB free; 16.0 GiB needed (62.0 GiB reserved by tasks, 9.0 GiB used by other processes)");
  EXPECT_EQ(judged.refusal().unblocked, "7.0 GiB more free memory: a task finishes, or other processes free memory");
  EXPECT_FALSE(judged.refusal().is_for_good);
  judged.need_bytes = 81 * kGiB;
  EXPECT_TRUE(judged.refusal().is_for_good);
}

TEST(DispatchRules, WhereNobodySaysWhoHoldsMemoryAllBeyondTheTasksIsForeign) {
  Judged judged;
  judged.gpu.foreign_bytes.reset();
  judged.gpu.memory_used_bytes = 30 * kGiB;
  judged.load.reserved_bytes = 20 * kGiB;
  EXPECT_EQ(room_bytes(judged.gpu, judged.load), 50 * kGiB);
  judged.load.reserved_bytes = 40 * kGiB;
  EXPECT_EQ(room_bytes(judged.gpu, judged.load), 40 * kGiB);
}

TEST(DispatchRules, ATaskThatRanOutOfMemoryNeedsMoreRoomThanItHad) {
  Judged judged;
  judged.task.least_room_bytes = 70 * kGiB;
  judged.gpu.foreign_bytes = 10 * kGiB;
  EXPECT_EQ(judged.refused(), Rules{"more_room"});
  EXPECT_FALSE(judged.refusal().is_for_good);
  judged.gpu.foreign_bytes = 10 * kGiB - 1;
  EXPECT_EQ(judged.refused(), Rules{});
  judged.task.least_room_bytes = 80 * kGiB;
  EXPECT_TRUE(judged.refusal().is_for_good);
}

TEST(DispatchRules, OthersRefuseByWhatTheTaskIs) {
  Judged judged;
  judged.config.gpu.enabled = false;
  EXPECT_EQ(judged.refused(), Rules{"enabled"});
  judged = {};
  judged.gpu.trouble = "the GPU is lost";
  EXPECT_EQ(judged.refused(), Rules{"health"});
  EXPECT_EQ(judged.refusal().reason, "the GPU is lost");
  judged = {};
  judged.task.only_gpus = {"GPU-1"};
  EXPECT_EQ(judged.refused(), Rules{"batch_gpu"});
  judged.task.only_gpus = {"GPU-0"};
  EXPECT_EQ(judged.refused(), Rules{});
  judged = {};
  judged.task.spec.inference = Inference{.model = "m", .version = {}, .request = {}};
  judged.task.spec.workers = {{"gpu_1", "http://127.0.0.1:1"}};
  EXPECT_EQ(judged.refused(), Rules{"worker"});
  for (const std::string name : {"gpu_0", "GPU-0"}) {
    judged.task.spec.workers = {{name, "http://127.0.0.1:1"}};
    EXPECT_EQ(judged.refused(), Rules{});
  }
  judged = {};
  judged.load.is_kept = true;
  judged.load.kept_for = 7;
  judged.task.id = 8;
  EXPECT_EQ(judged.refused(), Rules{"kept"});
  judged.task.id = 7;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, AMappingOfGpu1IsNotGpu10) {
  Judged judged;
  judged.config.gpu.multi_gpu.default_strategy = "task_specific";
  judged.config.gpu.multi_gpu.task_specific_mappings = {{"t", "gpu_1"}};
  judged.task.spec = spec_of("t");
  judged.gpu.index = 10;
  EXPECT_EQ(judged.refused(), Rules{"mapped_gpu"});
  judged.gpu.index = 1;
  EXPECT_EQ(judged.refused(), Rules{});
}

TEST(DispatchRules, HaveNamesAndDescriptionsOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Rule* const rule : rules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_FALSE(rule->description.empty()) << rule->name;
    EXPECT_TRUE(!rule->is_lasting || rule->is_of_gpu) << rule->name;
  }
}

}  // namespace dispatch_rules_test
}  // namespace sonde::dispatch
