#include "record/ranks/rank_parts.h"

#include <deque>
#include <optional>
#include <span>

#include <gtest/gtest.h>

#include "record/python/records.h"
#include "record/rounds/sink.h"

namespace sonde::record {
namespace rank_parts_test {

template <typename Body>
void append_record(std::vector<std::byte>& to, wire::Kind kind, const Body& body, int64_t time) {
  const wire::RecordHead head{kind, sizeof(wire::RecordHead) + sizeof body, 0, 0, time};
  const auto heads = std::as_bytes(std::span(&head, 1));
  const auto bodies = std::as_bytes(std::span(&body, 1));
  to.insert(to.end(), heads.begin(), heads.end());
  to.insert(to.end(), bodies.begin(), bodies.end());
}

/// What a process writes first.
std::vector<std::byte> begin_of(std::optional<wire::ProcessRankBody> rank) {
  std::vector<std::byte> records;
  append_record(records, wire::Kind::process, wire::ProcessBody{}, 1);
  if (rank) append_record(records, wire::Kind::process_rank, *rank, 2);
  return records;
}

class RankParts : public testing::Test {
 protected:
  void add(uint32_t process, std::optional<wire::ProcessRankBody> rank) {
    const auto& records = kept_.emplace_back(begin_of(rank));
    slices_.all.push_back({.process = process, .thread = process, .records = records});
  }

  Slices slices_;
  std::deque<std::vector<std::byte>> kept_;
};

TEST_F(RankParts, AProfileForEachRankAndOneForTheLauncher) {
  add(10, std::nullopt);
  add(11, wire::ProcessRankBody{0, 1, 4, 1});
  add(12, wire::ProcessRankBody{0, 0, 4, 0});
  add(13, wire::ProcessRankBody{0, 1, 4, 1});  // started by process 11
  const auto parts = rank_parts(slices_, "run_%q{RANK}_of_%q{LOCAL_RANK}.sqlite");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].output, "run_launcher_of_launcher.sqlite");
  EXPECT_EQ(parts[0].processes, std::set<uint32_t>{10});
  EXPECT_EQ(parts[1].output, "run_0_of_0.sqlite");
  EXPECT_EQ(parts[2].output, "run_1_of_1.sqlite");
  EXPECT_EQ(parts[2].processes, (std::set<uint32_t>{11, 13}));
  EXPECT_EQ(slices_of(slices_, parts[2].processes).all.size(), 2U);
}

TEST_F(RankParts, ARankOfTheJobIsNotTheLocalOne) {
  add(11, wire::ProcessRankBody{0, 5, 8, 1});
  EXPECT_EQ(rank_parts(slices_, "%q{OMPI_COMM_WORLD_LOCAL_RANK}-%q{SLURM_PROCID}")[0].output, "1-5");
  EXPECT_EQ(rank_parts({}, "%q{RANK}")[0].output, "launcher");
}

TEST_F(RankParts, OnlyVariablesOfRanksMakeParts) {
  EXPECT_TRUE(has_rank_macro("a_%q{RANK}"));
  EXPECT_FALSE(has_rank_macro("a_%q{HOME}_%q{RANK"));
  EXPECT_TRUE(has_rank_macro("a_%q{HOME}_%q{PMI_RANK}"));
  EXPECT_FALSE(names_rank(""));
  EXPECT_FALSE(names_rank("WORLD_SIZE"));
}

TEST_F(RankParts, SamplesGoToTheirProcess) {
  std::vector<std::byte> bytes;
  for (const uint32_t process : {1U, 2U, 2U, 1U}) {
    python::append(python::SampleRecord{.time = 1, .process = process, .thread = 3, .node = 0, .state = 0, .gil = 0},
                   bytes);
  }
  slices_.python.push_back({.process = 0, .thread = 0, .records = bytes, .mark = kPythonSampleMark});
  const Slices part = slices_of(slices_, {2});
  ASSERT_EQ(part.python.size(), 1U);
  EXPECT_EQ(part.python[0].records.size(), bytes.size() / 2);
  EXPECT_EQ(slices_of(slices_, {1}).python.size(), 2U);
}

}  // namespace rank_parts_test
}  // namespace sonde::record
