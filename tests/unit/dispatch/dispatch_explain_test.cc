#include <gtest/gtest.h>

#include <algorithm>

#include "dispatch/dispatch_host.h"

namespace sonde::dispatch {
namespace dispatch_explain_test {

using namespace simulated;

config::Config slots(int64_t count) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = count;
  return config;
}

TEST(DispatchExplain, SaysPositionAndWhoIsAhead) {
  Host host(1, slots(1));
  (void)host.submit();
  (void)host.step();
  Ids ids;
  for (int i = 0; i < 15; ++i) ids.push_back(host.submit());
  (void)host.step();
  const Explanation first = host.explain(ids[0]);
  EXPECT_EQ(first.position, 1);
  EXPECT_TRUE(first.ahead.empty());
  const Explanation last = host.explain(ids[14]);
  EXPECT_EQ(last.position, 15);
  EXPECT_EQ(last.ahead, Ids(ids.begin(), ids.begin() + 10));
}

TEST(DispatchExplain, GivesEachGpusReasonsAndWhatWouldLetItStart) {
  Host host(3, slots(1));
  host.gpus[1].utilization = 0.99;
  host.gpus[2].compute_capability = 600;
  host.notify_gpus();
  (void)host.submit();
  const int64_t id = host.submit();
  (void)host.step();
  const Explanation why = host.explain(id);
  EXPECT_EQ(why.gpus.size(), 3u);
  EXPECT_EQ(host.refused_by(id, 0), (Rules{"slots", "memory_room"}));  // the one task keeps all of the memory
  EXPECT_EQ(host.refused_by(id, 1), Rules{"utilization_threshold"});
  EXPECT_EQ(host.refused_by(id, 2), Rules{"compute_capability"});
  EXPECT_EQ(why.summary.find("no GPU is eligible now: gpu_"), 0u) << why.summary;
  EXPECT_EQ(why.unblocks.size(), 3u);
  EXPECT_EQ(why.unblocks[0],
            "gpu_0: a task on the GPU finishes, or a higher gpu.multi_gpu.max_concurrent_tasks_per_gpu");
  EXPECT_EQ(why.unblocks[2], "gpu_1: less work on the GPU, or a higher gpu.utilization_threshold");
}

TEST(DispatchExplain, GpusWithTheSameReasonAreToldTogether) {
  Host host(3, slots(1));
  for (int i = 0; i < 3; ++i) (void)host.submit_gib(1);
  const int64_t id = host.submit_gib(1);
  (void)host.step();
  EXPECT_EQ(
      host.explain(id).unblocks,
      std::vector<std::string>{
          "gpu_0, gpu_1, gpu_2: a task on the GPU finishes, or a higher gpu.multi_gpu.max_concurrent_tasks_per_gpu"});
}

TEST(DispatchExplain, SaysThatNothingHereCanEverTakeIt) {
  Host host(2);
  const int64_t id = host.submit_gib(70);
  for (GpuState& gpu : host.gpus) gpu.memory_total_bytes = 24 * kGiB;
  host.notify_gpus();
  (void)host.step();
  const Explanation why = host.explain(id);
  EXPECT_EQ(why.summary, "no GPU of this host can run it: gpu_0: has 24.0 GiB of memory; 70.0 GiB needed");
  EXPECT_EQ(why.unblocks.size(), 1u);
}

TEST(DispatchExplain, SaysForWhomAGpuIsKept) {
  Host host(2, slots(1));
  (void)host.submit();
  (void)host.step();
  TaskSpec spec = spec_of();
  spec.gpus = 2;
  const int64_t gang = host.submit(spec);
  const int64_t later = host.submit();
  (void)host.step();
  const Explanation why = host.explain(later);
  EXPECT_EQ(why.gpus[1].refusals.at(0).reason,
            "it is reserved for task " + std::to_string(gang) + ", which is ahead in the queue and would be delayed");
}

TEST(DispatchExplain, TellsWhereATaskRunsAndHowItEnded) {
  Host host(2);
  const int64_t id = host.submit();
  EXPECT_EQ(host.explain(id).summary, "it can start now and will start with the next scheduling decision");
  (void)host.step();
  EXPECT_EQ(host.explain(id).summary, "running on gpu_0 since 2027-01-15T08:00:00Z");
  EXPECT_TRUE(host.explain(id).unblocks.empty());
  host.end(id, EndCause::exit, 2);
  EXPECT_EQ(host.explain(id).summary, "the program exited with status 2");
  EXPECT_EQ(host.explain(4711).summary, "");
}

TEST(DispatchExplain, NamesTheBatchsGpu) {
  Host host(2, slots(1));
  const auto batch = host.engine->submit_batch("b", std::vector(8, spec_of()), host.now).value();
  (void)host.step();
  const int64_t last = host.engine->find_batch(batch)->tasks.back();
  EXPECT_EQ(host.explain(last).summary.find("its batch is assigned to gpu_"), 0u) << host.explain(last).summary;
}

TEST(DispatchExplain, LeavesNoPlaceholderUnfilled) {
  Host host(2, slots(1));
  Ids ids;
  for (int i = 0; i < 6; ++i) {
    TaskSpec spec = spec_of();
    spec.gpus = 1 + i % 2;
    if (i > 3) spec.after = {ids[0]};
    ids.push_back(host.submit(spec));
  }
  (void)host.step();
  for (const int64_t id : ids) {
    const Explanation why = host.explain(id);
    EXPECT_EQ(why.summary.find('{'), std::string::npos) << why.summary;
    EXPECT_FALSE(why.summary.empty());
    for (const std::string& text : why.unblocks) EXPECT_EQ(text.find('{'), std::string::npos) << text;
  }
}

}  // namespace dispatch_explain_test
}  // namespace sonde::dispatch
