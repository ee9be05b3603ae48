#include <array>

#include <gtest/gtest.h>

#include "gate/difference/difference.h"
#include "gate/difference/kernel_pairs.h"

namespace sonde::gate {
namespace kernel_pairs_test {

std::vector<std::string> texts(const std::set<std::string>& base, const std::set<std::string>& changed) {
  std::vector<std::string> found;
  for (const KernelPair& pair : pair_kernels(base, changed)) found.push_back(pair.base + " -> " + pair.changed);
  return found;
}

using Texts = std::vector<std::string>;

TEST(KernelPairs, EqualNamesComeFirst) {
  EXPECT_EQ(texts({"a", "b"}, {"b", "a"}), (Texts{"a -> a", "b -> b"}));
  EXPECT_EQ(texts({"sum_1", "sum_2"}, {"sum_2", "sum_3"}), (Texts{"sum_2 -> sum_2", "sum_1 -> sum_3"}));
}

TEST(KernelPairs, VersionsOfOneNameArePaired) {
  EXPECT_EQ(texts({"sum_6563", "x"}, {"sum_6724", "y", "z"}),
            (Texts{"sum_6563 -> sum_6724", " -> y", " -> z", "x -> "}));
  EXPECT_EQ(texts({"void tile<(int)32>(float *)", "x"}, {"void tile<(int)64>(float *)"}),
            (Texts{"void tile<(int)32>(float *) -> void tile<(int)64>(float *)", "x -> "}));
  EXPECT_EQ(texts({"solve(int)", "x"}, {"solve_v2(int)"}), (Texts{"solve(int) -> solve_v2(int)", "x -> "}));
}

TEST(KernelPairs, SeveralOfOneNameAreNotGuessed) {
  EXPECT_EQ(texts({"k<1>", "k<2>"}, {"k<3>", "k<4>"}), (Texts{" -> k<3>", " -> k<4>", "k<1> -> ", "k<2> -> "}));
}

TEST(KernelPairs, TheLastOfEachSideIsRenamed) {
  EXPECT_EQ(texts({"naive"}, {"coalesced"}), (Texts{"naive -> coalesced"}));
  EXPECT_EQ(texts({"naive", "same"}, {"coalesced", "same"}), (Texts{"naive -> coalesced", "same -> same"}));
  EXPECT_EQ(texts({"naive", "other"}, {"coalesced"}), (Texts{" -> coalesced", "naive -> ", "other -> "}));
}

/// A kernel with a duration and figures.
RunRecord measured(double ns, std::map<std::string, double, std::less<>> figures, uint32_t blocks = 100) {
  RunRecord run;
  run.shapes.resize(1);
  run.shapes[0].kernel = "k";
  run.shapes[0].count = 1;
  run.shapes[0].grid = {blocks, 1, 1};
  run.shapes[0].block = {256, 1, 1};
  run.measures.resize(1);
  run.measures[0].kernel = "k";
  run.measures[0].duration_ns = {ns};
  run.measures[0].figures = std::move(figures);
  return run;
}

KernelChange change(const RunRecord& base, const RunRecord& changed) {
  return kernel_changes(std::array{base}, std::array{changed}).at(0);
}

TEST(KernelCause, FollowsTheTime) {
  const RunRecord scattered = measured(1000, {{"sectors", 800}, {"excess_sectors", 700}});
  const RunRecord coalesced = measured(300, {{"sectors", 100}, {"excess_sectors", 0}});
  EXPECT_EQ(change(scattered, coalesced).cause, "chain.coalesced");
  EXPECT_EQ(change(coalesced, scattered).cause, "chain.uncoalesced");
  const RunRecord slower = measured(2000, {{"sectors", 100}, {"excess_sectors", 0}});
  EXPECT_EQ(change(scattered, slower).cause, "") << "fewer excess sectors do not explain more time";
}

TEST(KernelCause, AnotherProblemIsComparedByThread) {
  const auto bytes = [](double sectors) {
    return std::map<std::string, double, std::less<>>{{"sectors", sectors}, {"excess_sectors", 0}};
  };
  const KernelChange larger = change(measured(1000, bytes(1000)), measured(7000, bytes(7000), 800));
  ASSERT_TRUE(larger.percent_per_thread);
  EXPECT_NEAR(*larger.percent_per_thread, -12.5, 1e-9);
  EXPECT_EQ(larger.cause, "chain.accessed_less");
  const KernelChange more_each = change(measured(1000, bytes(1000)), measured(900, bytes(1000), 12));
  EXPECT_FALSE(more_each.percent_per_thread) << "the same bytes by fewer threads are the same problem";
}

TEST(KernelCause, NoiseIsUnchanged) {
  const KernelChange same = change(measured(100'000, {{"compute", 50}}), measured(99'700, {{"compute", 53}}));
  EXPECT_TRUE(same.links.empty());
  EXPECT_EQ(same.cause, "");
}

TEST(KernelCause, EqualClocksExplainNothing) {
  RunRecord base = measured(100'000, {});
  base.measures[0].cycles = {150'000};
  RunRecord changed = measured(200'000, {});
  changed.measures[0].cycles = {300'040};
  EXPECT_EQ(change(base, changed).clock_ns, 0);
  changed.measures[0].cycles = {150'000};
  EXPECT_EQ(change(base, changed).clock_ns, 100'000) << "half the clock";
}

TEST(KernelCause, EachHasAText) {
  for (const std::string_view id : {"chain.coalesced", "chain.uncoalesced", "chain.fp64_less", "chain.spills_more",
                                    "chain.bank_conflicts_less", "chain.occupancy_higher", "chain.accessed_less",
                                    "chain.dram_more", "chain.instructions_less", "chain.clock_lower"}) {
    EXPECT_FALSE(cause_text(id).empty()) << id;
  }
}

}  // namespace kernel_pairs_test
}  // namespace sonde::gate
