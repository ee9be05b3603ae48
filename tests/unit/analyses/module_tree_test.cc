#include "analyses/modules/module_tree.h"

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace module_tree_test {

ModuleTree tree_of(const Trace& trace, const ModuleChoice& choice = {}) { return module_tree(trace, choice); }

/// "outer/inner device_ns of its own", a line a module.
std::vector<std::string> lines(const ModuleTree& tree) {
  std::vector<std::string> found;
  std::vector<std::string> paths;
  for (const Module& m : tree.modules) {
    paths.push_back(m.parent == kNone ? m.name : paths[m.parent] + "/" + m.name);
    found.push_back(fmt::format("{} {}", paths.back(), m.self.device_ns));
  }
  return found;
}

using Texts = std::vector<std::string>;

/// model [0,100) > layer 1 [10,40) > gemm (of another domain) [20,30); layer 2 [50,80). A kernel in each and one in no
/// range; gemm's and layer 1's overlap by 40 ns.
struct Model {
  Model() {
    b.push_pop(t, 0, 100, "model");
    b.push_pop(t, 10, 40, "layer 1");
    b.push_pop(t, 20, 30, "gemm", b.domain("cublas"));
    b.push_pop(t, 50, 80, "layer 2");
    b.kernel(s, 1000, 1100, "k", b.call(t, 11, 12));
    b.kernel(s, 1060, 1200, "k", b.call(t, 21, 22));
    b.kernel(s, 1300, 1400, "k", b.call(t, 51, 52));
    b.copy(s, 1400, 1450, b.call(t, 90, 91, "cudaMemcpyAsync_v3020"));
    b.kernel(s, 1500, 1507, "k", b.call(t, 120, 121));
  }
  TraceBuilder b;
  ThreadId t = b.thread(1, 1);
  StreamId s = b.stream(1);
};

TEST(ModuleTree, SelfAndOutsideAreTheBusyTime) {
  Model run;
  const Trace trace = run.b.build();
  const ModuleTree tree = tree_of(trace, {.chosen = {}, .exact_names = true});
  EXPECT_EQ(lines(tree), (Texts{"model 50", "model/layer 1 80", "model/layer 1/gemm 120", "model/layer 2 100"}));
  int64_t sum = tree.outside.device_ns;
  for (const Module& m : tree.modules) sum += m.self.device_ns;
  EXPECT_EQ(tree.outside.device_ns, 7);
  EXPECT_EQ(sum, 200 + 150 + 7);
  EXPECT_EQ(tree.whole.device_ns, sum);
  EXPECT_EQ(tree.whole.launches, 5);
  EXPECT_EQ(tree.modules[0].total.device_ns, 350);
  EXPECT_EQ(tree.modules[0].total.kernels, 3);
  EXPECT_EQ(tree.modules[0].self.copies, 1);
  EXPECT_EQ(tree.modules[0].host_self_ns, 100 - 30 - 30);
  EXPECT_EQ(tree.modules[1].host_self_ns, 30 - 10);
}

TEST(ModuleTree, NamesThatDifferByNumbersAreOneModule) {
  Model run;
  const Trace trace = run.b.build();
  const ModuleTree tree = tree_of(trace);
  EXPECT_EQ(lines(tree), (Texts{"model 50", "model/layer # 180", "model/layer #/gemm 120"}));
  EXPECT_EQ(tree.modules[1].calls, 2);
  EXPECT_EQ(tree.modules[1].host_ns, 60);
}

TEST(ModuleTree, ANameOfOneKindKeepsItsNumber) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.push_pop(t, 0, 10, "conv2d");
  b.push_pop(t, 20, 30, "conv2d");
  EXPECT_EQ(lines(tree_of(b.build())), (Texts{"conv2d 0"}));
}

TEST(ModuleTree, DepthFoldsWhatLiesDeeperIntoTheLastShown) {
  Model run;
  const Trace trace = run.b.build();
  const ModuleTree two = tree_of(trace, {.chosen = {}, .depth = 2, .exact_names = true});
  EXPECT_EQ(lines(two), (Texts{"model 50", "model/layer 1 200", "model/layer 2 100"}));
  EXPECT_EQ(two.modules[1].calls, 1);
  EXPECT_EQ(two.modules[1].host_self_ns, 30);
  const ModuleTree one = tree_of(trace, {.chosen = {}, .depth = 1});
  EXPECT_EQ(lines(one), (Texts{"model 350"}));
  EXPECT_EQ(one.outside.device_ns, 7);
}

TEST(ModuleTree, LooksThroughRangesThatAreNotChosen) {
  Model run;
  const Trace trace = run.b.build();
  const auto chosen = [&](Row row) { return !trace.name(trace.ranges.name[row]).starts_with("layer"); };
  const ModuleTree tree = tree_of(trace, {.chosen = chosen});
  EXPECT_EQ(lines(tree), (Texts{"model 230", "model/gemm 120"}));
  EXPECT_EQ(tree.whole.device_ns, 357);
}

TEST(ModuleTree, NoneChosenLeavesAllOutside) {
  Model run;
  const Trace trace = run.b.build();
  const ModuleTree tree = tree_of(trace, {.chosen = [](Row) { return false; }});
  EXPECT_TRUE(tree.modules.empty());
  EXPECT_EQ(tree.outside.device_ns, 357);
}

TEST(ModuleTree, OneNameInTwoDomainsAreTwoModules) {
  TraceBuilder b;
  const ThreadId t = b.thread(1, 1);
  b.push_pop(t, 0, 10, "a");
  b.push_pop(t, 20, 30, "a", b.domain("other"));
  EXPECT_EQ(lines(tree_of(b.build())), (Texts{"a 0", "a 0"}));
}

TEST(ModuleTree, CallsOfOtherThreadsAreNotInTheRange) {
  TraceBuilder b;
  const StreamId s = b.stream(1);
  b.push_pop(b.thread(1, 1), 0, 100, "a");
  b.kernel(s, 200, 210, "k", b.call(b.thread(1, 2), 50, 60));
  const ModuleTree tree = tree_of(b.build());
  EXPECT_EQ(lines(tree), (Texts{"a 0"}));
  EXPECT_EQ(tree.outside.device_ns, 10);
}

TEST(ModuleTree, ABackwardOperatorTakesItsForwardOperatorsPlace) {
  TraceBuilder b;
  const ThreadId forward = b.thread(1, 1);
  const ThreadId backward = b.thread(1, 2);
  const StreamId s = b.stream(1);
  b.push_pop(forward, 0, 100, "layer");
  b.push_pop(forward, 10, 30, "aten::mm");
  b.push_pop(backward, 200, 300, "engine");
  b.push_pop(backward, 210, 290, "MmBackward");
  b.push_pop(backward, 220, 230, "aten::t");
  b.kernel(s, 400, 450, "k", b.call(forward, 15, 16));
  b.kernel(s, 500, 530, "k", b.call(backward, 225, 226));
  Trace trace = b.build();
  trace.ranges.forward = {kNone, kNone, kNone, 1, kNone};
  const ModuleTree tree = tree_of(trace);
  EXPECT_EQ(lines(tree),
            (Texts{"layer 0", "layer/aten::mm 50", "engine 0", "layer/MmBackward 0", "layer/MmBackward/aten::t 30"}));
  EXPECT_EQ(tree.modules[0].total.device_ns, 80);
  EXPECT_EQ(tree.modules[0].host_self_ns, 100 - 20);
  EXPECT_EQ(tree.modules[2].host_self_ns, 100 - 80);
  EXPECT_EQ(tree.modules[2].total.device_ns, 0);
}

}  // namespace module_tree_test
}  // namespace sonde
