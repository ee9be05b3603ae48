#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dispatch/dispatch_host.h"
#include "dispatch/strategies/shared_use.h"
#include "dispatch/strategy.h"

namespace sonde::dispatch {
namespace dispatch_strategies_test {

using namespace simulated;

config::Config with_strategy(const std::string& name) {
  config::Config config;
  config.gpu.multi_gpu.default_strategy = name;
  return config;
}

std::vector<size_t> places_of(Host& host, int count) {
  std::vector<size_t> places;
  for (int i = 0; i < count; ++i) {
    const int64_t id = host.submit();
    EXPECT_EQ(host.starts(), Ids{id});
    places.push_back(host.gpu_of(id));
  }
  return places;
}

TEST(DispatchStrategies, RoundRobinGoesInTurnAndSkipsWhatIsNotEligible) {
  Host host(4, with_strategy("round_robin"));
  EXPECT_EQ(places_of(host, 6), (std::vector<size_t>{0, 1, 2, 3, 0, 1}));
  host.gpus[2].temperature_celsius = 99;
  host.notify_gpus();
  EXPECT_EQ(places_of(host, 4), (std::vector<size_t>{3, 0, 1, 3}));
  EXPECT_EQ(host.decisions.rbegin()->second.strategy, "round_robin");
}

TEST(DispatchStrategies, RoundRobinGoesOnBehindTheLastGpuOfATaskWithSeveral) {
  Host host(4, with_strategy("round_robin"));
  TaskSpec gang = spec_of();
  gang.gpus = 3;
  const int64_t first = host.submit(gang);
  const int64_t second = host.submit(gang);
  (void)host.step();
  EXPECT_EQ(host.gpus_of(first), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(host.gpus_of(second), (std::vector<size_t>{3, 0, 1}));
}

TEST(DispatchStrategies, LeastLoadedTakesTheLowestUtilizationWhereNothingElseDiffers) {
  Host host(3);
  host.gpus[0].utilization = 0.6;
  host.gpus[1].utilization = 0.2;
  host.gpus[2].utilization = 0.4;
  host.notify_gpus();
  EXPECT_EQ(places_of(host, 1), std::vector<size_t>{1});
}

TEST(DispatchStrategies, LeastLoadedCountsWhatWasJustStartedThoughTheSampleIsOld) {
  Host host(3);
  EXPECT_EQ(places_of(host, 7), (std::vector<size_t>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(DispatchStrategies, LeastLoadedCountsMemoryOfOthers) {
  Host host(2);
  host.gpus[0].memory_used_bytes = host.gpus[0].foreign_bytes = 30 * kGiB;
  host.notify_gpus();
  EXPECT_EQ(places_of(host, 1), std::vector<size_t>{1});
}

TEST(DispatchStrategies, UseIsTheMeanOfWhatIsKnown) {
  const config::Config config;  // 8 tasks a GPU
  GpuState gpu = idle_gpu(0, 100);
  gpu.utilization = 0.5;
  gpu.memory_used_bytes = 30;
  gpu.foreign_bytes = 20;
  const GpuLoad load{.tasks = 2, .reserved_bytes = 20};
  const Choice choice{.gpu = &gpu, .load = &load};
  EXPECT_DOUBLE_EQ(use_of(config, choice), (0.25 + 0.5 + 0.4) / 3);
  gpu.memory_used_bytes = 70;
  EXPECT_DOUBLE_EQ(use_of(config, choice), (0.25 + 0.5 + 0.7) / 3);
  gpu.utilization.reset();
  EXPECT_DOUBLE_EQ(use_of(config, choice), (0.25 + 0.7) / 2);
  gpu.memory_total_bytes.reset();
  EXPECT_DOUBLE_EQ(use_of(config, choice), 0.25);
}

TEST(DispatchStrategies, MemoryOptimizedTakesTheBestFit) {
  Host host(3, with_strategy("memory_optimized"));
  host.gpus[0].foreign_bytes = 10 * kGiB;  // 70 GiB are left
  host.gpus[1].foreign_bytes = 60 * kGiB;  // 20
  host.gpus[2].foreign_bytes = 40 * kGiB;  // 40
  host.notify_gpus();
  const int64_t small = host.submit_gib(15);
  const int64_t middle = host.submit_gib(30);
  const int64_t large = host.submit_gib(60);
  const int64_t smallest = host.submit_gib(5);
  EXPECT_EQ(host.starts().size(), 4u);
  EXPECT_EQ(host.gpu_of(small), 1u);
  EXPECT_EQ(host.gpu_of(middle), 2u);
  EXPECT_EQ(host.gpu_of(large), 0u);
  EXPECT_EQ(host.gpu_of(smallest), 1u);  // 5 GiB are left of it: all of them
  EXPECT_EQ(host.decisions[small].gpus[1].score_text, "5.0 GiB left over");
}

TEST(DispatchStrategies, MemoryOptimizedPrefersGpusThatSayWhatTheyHave) {
  Host host(2, with_strategy("memory_optimized"));
  host.gpus[0].memory_total_bytes.reset();
  host.notify_gpus();
  EXPECT_EQ(places_of(host, 1), std::vector<size_t>{1});
}

config::Config with_mapping(const std::string& gpu) {
  config::Config config = with_strategy("task_specific");
  config.gpu.multi_gpu.task_specific_mappings = {{"text_generation", gpu}};
  return config;
}

TEST(DispatchStrategies, TaskSpecificGoesByTheMapping) {
  for (const std::string gpu : {"gpu_1", "GPU-1"}) {
    Host host(3, with_mapping(gpu));
    for (int i = 0; i < 3; ++i) {
      const int64_t id = host.submit("text_generation");
      EXPECT_EQ(host.starts(), Ids{id});
      EXPECT_EQ(host.gpu_of(id), 1u);
      EXPECT_EQ(host.decisions[id].gpus[0].refusals.at(0).rule, "mapped_gpu");
    }
  }
}

TEST(DispatchStrategies, TypesWithoutAMappingGoByLeastLoadedAndSaySo) {
  Host host(3, with_mapping("gpu_1"));
  host.gpus[0].utilization = 0.5;
  host.notify_gpus();
  const int64_t first = host.submit("other");
  const int64_t second = host.submit("other");
  (void)host.step();
  EXPECT_EQ(host.gpu_of(first), 1u);
  EXPECT_EQ(host.gpu_of(second), 2u);
  EXPECT_NE(host.decisions[first].note.find("type other has no mapping"), std::string::npos);
  EXPECT_NE(host.decisions[first].note.find("least_loaded"), std::string::npos);
  EXPECT_EQ(host.decisions[first].strategy, "task_specific");
}

TEST(DispatchStrategies, ATaskWaitsForItsMappedGpuAndItsExplanationSaysSo) {
  Host host(3, with_mapping("gpu_1"));
  host.gpus[1].temperature_celsius = 90;
  host.notify_gpus();
  const int64_t id = host.submit("text_generation");
  EXPECT_EQ(host.starts(), Ids{});
  const Explanation why = host.explain(id);
  EXPECT_EQ(
      why.summary,
      "tasks of type text_generation are mapped to gpu_1, which is not eligible now: its temperature is 90 °C, above "
      "gpu.max_temperature 85 °C");
  EXPECT_EQ(why.unblocks, std::vector<std::string>{"gpu_1: the GPU must cool down to 85 °C"});
  host.gpus[1].temperature_celsius = 85;
  host.notify_gpus();
  EXPECT_EQ(host.starts(), Ids{id});
}

TEST(DispatchStrategies, AGangOfAMappedTypeGetsThatGpuAndTheLeastUsedBesideIt) {
  Host host(4, with_mapping("gpu_3"));
  host.gpus[0].utilization = 0.9;
  host.gpus[1].utilization = 0.5;
  host.notify_gpus();
  TaskSpec gang = spec_of("text_generation");
  gang.gpus = 2;
  const int64_t id = host.submit(gang);
  EXPECT_EQ(host.starts(), Ids{id});
  EXPECT_EQ(host.gpus_of(id), (std::vector<size_t>{3, 2}));
  host.gpus[3].trouble = "lost";
  host.notify_gpus();
  const int64_t next = host.submit(gang);
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.state(next), TaskState::waiting);
}

TEST(DispatchStrategies, RandomTakesAnyEligibleGpuAndTheSameOfTheSameSeed) {
  const auto drawn = [](uint64_t seed) {
    config::Config config = with_strategy("random");
    config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1000;
    Host host(4, config, seed);
    host.gpus[3].trouble = "lost";
    host.notify_gpus();
    return places_of(host, 300);
  };
  const std::vector<size_t> places = drawn(7);
  EXPECT_EQ(places, drawn(7));
  EXPECT_NE(places, drawn(8));
  for (size_t gpu = 0; gpu < 3; ++gpu) {
    // Binomial(300, 1/3): mean 100, deviation 8.2; six of them.
    EXPECT_NEAR(static_cast<double>(std::ranges::count(places, gpu)), 100, 49);
  }
  EXPECT_EQ(std::ranges::count(places, 3u), 0);
}

TEST(DispatchStrategies, ATasksOwnStrategyGoesBeforeTheConfiguredOne) {
  Host host(3);
  host.gpus[0].foreign_bytes = 60 * kGiB;
  host.gpus[0].utilization = 0.5;
  host.notify_gpus();
  TaskSpec spec = spec_of();
  spec.memory_bytes = 10 * kGiB;
  spec.strategy = "memory_optimized";
  const int64_t id = host.submit(spec);
  EXPECT_EQ(host.starts(), Ids{id});
  EXPECT_EQ(host.gpu_of(id), 0u);
  EXPECT_EQ(host.decisions[id].strategy, "memory_optimized");
}

TEST(DispatchStrategies, AnotherStrategyHoldsFromTheNextStepOn) {
  Host host(3);
  host.gpus[0].foreign_bytes = 60 * kGiB;
  host.gpus[0].utilization = 0.5;
  host.notify_gpus();
  const int64_t first = host.submit_gib(1);
  (void)host.step();
  EXPECT_NE(host.gpu_of(first), 0u);
  host.config->gpu.multi_gpu.default_strategy = "memory_optimized";
  host.notify_config();
  const int64_t second = host.submit_gib(1);
  (void)host.step();
  EXPECT_EQ(host.gpu_of(second), 0u);
}

TEST(DispatchStrategies, OnlyTheFirstGpuIsUsedWithoutMultiGpu) {
  config::Config config;
  config.gpu.multi_gpu.enabled = false;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2;
  Host host(3, config);
  host.gpus[0].compute_capability = 600;
  host.gpus[1].utilization = 0.5;
  host.notify_gpus();
  const Ids ids = {host.submit(), host.submit(), host.submit()};
  EXPECT_EQ(host.starts(), (Ids{ids[0], ids[1]}));
  EXPECT_EQ(host.gpu_of(ids[0]), 1u);
  EXPECT_EQ(host.gpu_of(ids[1]), 1u);
  EXPECT_EQ(host.refused_by(ids[2], 1), (Rules{"slots", "memory_room"}));
  EXPECT_EQ(host.refused_by(ids[2], 2), Rules{"single_gpu"});
}

TEST(DispatchStrategies, AreTheOnesThatCanBeConfigured) {
  std::set<std::string_view> names;
  for (const Strategy* const strategy : strategies()) names.insert(strategy->name);
  const config::MultiGpu defaults;
  EXPECT_EQ(names, std::set<std::string_view>(defaults.strategies.begin(), defaults.strategies.end()));
  EXPECT_EQ(find_strategy("fastest"), nullptr);
}

}  // namespace dispatch_strategies_test
}  // namespace sonde::dispatch
