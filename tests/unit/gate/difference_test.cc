#include "gate/difference/difference.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gate/difference/place.h"

namespace sonde::gate {
namespace difference_test {

WorkGroup kernel(std::string name, std::string module, int64_t ns, int64_t count) {
  WorkGroup group;
  group.name = std::move(name);
  group.module = std::move(module);
  group.share_ns = group.duration_ns = ns;
  group.count = count;
  return group;
}

WorkGroup copy(std::string direction, bool pageable, int64_t ns, int64_t count) {
  WorkGroup group = kernel(std::move(direction), "load", ns, count);
  group.kind = WorkKind::copy;
  group.pageable = pageable;
  return group;
}

IdleGroup idle(std::string cause, std::string module, int64_t ns) {
  IdleGroup group;
  group.cause = std::move(cause);
  group.module = std::move(module);
  group.ns = ns;
  group.pieces = 1;
  return group;
}

CallGroup waits(int64_t count) {
  CallGroup group;
  group.name = "cudaDeviceSynchronize";
  group.module = "train/head";
  group.synchronizes = true;
  group.count = count;
  return group;
}

/// A record of `steps` steps on one GPU; its length is what work and idle time add up to.
RunRecord record(int64_t steps, std::vector<WorkGroup> work, std::vector<IdleGroup> idle_time) {
  RunRecord run;
  run.steps = steps;
  run.gpus.resize(1);
  run.gpus[0].place = "GPU 0";
  run.work = std::move(work);
  run.idle = std::move(idle_time);
  for (const WorkGroup& group : run.work) run.extent_ns += group.share_ns;
  for (const IdleGroup& group : run.idle) run.extent_ns += group.ns;
  run.wall_ns = run.extent_ns;
  return run;
}

int64_t sum(const std::vector<DifferenceRow>& rows, Part DifferenceRow::* side) {
  int64_t total = 0;
  for (const DifferenceRow& row : rows) total += (row.*side).ns.value_or(0);
  return total;
}

const DifferenceRow& row(const std::vector<DifferenceRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &DifferenceRow::name);
  if (found == rows.end()) throw std::out_of_range(std::string(name));
  return *found;
}

int64_t sum(const std::vector<Cause>& causes) {
  int64_t total = 0;
  for (const Cause& cause : causes) total += cause.change_ns;
  return total;
}

/// Every level adds up to the nanosecond, on both sides.
void expect_exact(const Difference& d) {
  const auto gpus = static_cast<int64_t>(d.gpus);
  for (const auto side : {&DifferenceRow::base, &DifferenceRow::changed}) {
    const int64_t length = side == &DifferenceRow::base ? d.base_ns : d.changed_ns;
    const int64_t busy = (row(d.top, "busy").*side).ns.value_or(0);
    EXPECT_EQ(sum(d.top, side), length * gpus);
    EXPECT_EQ(sum(d.modules, side), busy);
    EXPECT_EQ(sum(d.kernels, side), busy);
    EXPECT_EQ(sum(d.kernels_in_modules, side), busy);
    EXPECT_EQ(sum(d.idle, side), length * gpus - busy);
  }
  EXPECT_EQ(sum(d.causes), (d.changed_ns - d.base_ns) * gpus);
}

const Argument& argument(const Cause& cause, std::string_view name) {
  const auto found = std::ranges::find(cause.arguments, name, &Argument::name);
  if (found == cause.arguments.end()) throw std::out_of_range(std::string(name));
  return *found;
}

RunRecord usual(int64_t gemm_ns = 7001) {
  return record(7, {kernel("gemm", "train/head", gemm_ns, 14), kernel("relu", "train/body", 1003, 7)},
                {idle("launch", "train/body", 517), idle("range", "", 11)});
}

Difference compare(const RunRecord& base, const RunRecord& changed) {
  return difference_of(std::array{base}, std::array{changed});
}

TEST(Difference, MeansOfStepsAddUpExactlyWhateverTheNumbersOfStepsAndRuns) {
  const std::array base = {usual(), usual(7500), usual(6999)};
  const std::array changed = {usual(9001)};
  const Difference d = difference_of(base, changed);
  EXPECT_TRUE(d.per_step);
  EXPECT_EQ(d.base_runs, 3);
  EXPECT_EQ(d.base_ns, (base[0].extent_ns + base[1].extent_ns + base[2].extent_ns + 10) / 21);
  EXPECT_EQ(row(d.kernels, "relu").base.count, 1.0);
  expect_exact(d);
}

TEST(Difference, WithoutStepsOnOneSideRunsAreCompared) {
  RunRecord changed = usual();
  changed.steps = 0;
  const Difference d = compare(usual(), changed);
  EXPECT_FALSE(d.per_step);
  EXPECT_EQ(d.base_ns, d.changed_ns);
  EXPECT_EQ(row(d.kernels, "gemm").base.ns, 7001);
  EXPECT_TRUE(d.causes.empty());
}

TEST(Difference, ASlowerKernelIsNamedInItsModule) {
  const Difference d = compare(usual(), usual(14'000));
  ASSERT_FALSE(d.causes.empty());
  EXPECT_EQ(d.causes[0].id, "kernel_slower");
  EXPECT_EQ(argument(d.causes[0], "kernel").text, "gemm");
  EXPECT_EQ(argument(d.causes[0], "module").text, "train/head");
  EXPECT_EQ(d.causes[0].change_ns, d.changed_ns - d.base_ns);
  EXPECT_EQ(row(d.kernels_in_modules, "gemm").kind, ChangeKind::slower);
  EXPECT_EQ(row(d.kernels, "relu").kind, ChangeKind::same);
  expect_exact(d);
}

TEST(Difference, MoreLaunchesTakeTheTimeOfTheirStarts) {
  RunRecord changed = usual(14'002);
  changed.work[0].count = 28;
  changed.idle[0].ns += 1000;
  changed.extent_ns += 1000;
  const Difference d = compare(usual(), changed);
  EXPECT_EQ(d.causes.at(0).id, "launches_more");
  EXPECT_EQ(argument(d.causes[0], "base_count").number, 2);
  EXPECT_EQ(argument(d.causes[0], "count").number, 4);
  EXPECT_EQ(d.causes[0].change_ns, d.changed_ns - d.base_ns);
  EXPECT_EQ(row(d.kernels, "gemm").kind, ChangeKind::more);
}

TEST(Difference, AKernelInPlaceOfAnotherIsOneCause) {
  RunRecord changed = usual(9000);
  changed.work[0].name = "gemm_v2";
  const Difference d = compare(usual(), changed);
  EXPECT_EQ(d.causes.at(0).id, "kernels_replaced");
  EXPECT_EQ(argument(d.causes[0], "added").text, "gemm_v2");
  EXPECT_EQ(argument(d.causes[0], "removed").text, "gemm");
  EXPECT_EQ(row(d.kernels, "gemm").kind, ChangeKind::removed);
  EXPECT_EQ(row(d.kernels, "gemm_v2").kind, ChangeKind::added);
  expect_exact(d);
}

TEST(Difference, AnotherShapeIsAnotherConfiguration) {
  RunRecord base = usual();
  RunRecord changed = usual(9000);
  base.shapes.resize(1);
  base.shapes[0].kernel = "gemm";
  base.shapes[0].count = 14;
  base.shapes[0].registers_per_thread = 64;
  changed.shapes = base.shapes;
  changed.shapes[0].registers_per_thread = 72;
  const Difference d = compare(base, changed);
  EXPECT_EQ(d.causes.at(0).id, "configuration_slower");
  EXPECT_EQ(row(d.kernels, "gemm").kind, ChangeKind::other_configuration);
  EXPECT_EQ(row(d.kernels, "gemm").detail, "registers 64 -> 72");
}

TEST(Difference, CopiesTurnedPageableTakeTheWaitForThem) {
  RunRecord base = usual();
  RunRecord changed = usual();
  base.work.push_back(copy("Host-to-Device", false, 500, 7));
  base.extent_ns += 500;
  changed.work.push_back(copy("Host-to-Device", true, 2500, 7));
  changed.idle.push_back(idle("copy", "load", 700));
  changed.extent_ns += 3200;
  const Difference d = compare(base, changed);
  EXPECT_EQ(d.causes.at(0).id, "pageable_copies_more");
  EXPECT_EQ(d.causes[0].change_ns, d.changed_ns - d.base_ns);
  EXPECT_EQ(sum(d.copies, &DifferenceRow::base), row(d.kernels, "[copies]").base.ns);
  expect_exact(d);
}

TEST(Difference, AddedWaitsTakeTheIdleTimeThatTheyBare) {
  RunRecord base = usual();
  RunRecord changed = usual();
  base.calls = {waits(7)};
  changed.calls = {waits(70)};
  changed.idle.push_back(idle("synchronization", "train/head", 3000));
  changed.idle.push_back(idle("host", "", 1000));
  changed.extent_ns += 4000;
  const Difference d = compare(base, changed);
  EXPECT_EQ(d.causes.at(0).id, "synchronizations_more");
  EXPECT_EQ(argument(d.causes[0], "calls").text, "cudaDeviceSynchronize");
  EXPECT_EQ(argument(d.causes[0], "module").text, "train/head");
  EXPECT_EQ(d.causes[0].change_ns, d.changed_ns - d.base_ns);
}

TEST(Difference, WhatDisappearsInCyclesIsTheClocks) {
  RunRecord base = usual(7000);
  RunRecord changed = usual(8000);
  base.gpus[0].sm_clock_hz = 1.6e9;
  changed.gpus[0].sm_clock_hz = 1.4e9;
  const Difference d = compare(base, changed);
  EXPECT_EQ(d.causes.at(0).id, "clock_fell");
  // Of gemm's 8000 / 7 ns an eighth.
  EXPECT_EQ(row(d.kernels, "gemm").clock_ns, 143);
  expect_exact(d);
}

TEST(Difference, AGpuThatARunDoesNotHaveIsIdle) {
  RunRecord changed = usual();
  changed.gpus.resize(2);
  changed.idle.push_back(idle("range", "", changed.extent_ns));
  changed.idle.back().gpu = 1;
  const Difference d = compare(usual(), changed);
  EXPECT_EQ(d.gpus, 2);
  EXPECT_EQ(row(d.top, "no such GPU").base.ns, d.base_ns);
  expect_exact(d);
}

TEST(Difference, ARecordWithoutGpuWorkHasALength) {
  RunRecord wall;
  wall.wall_ns = wall.extent_ns = 1000;
  const Difference d = compare(wall, wall);
  EXPECT_EQ(d.base_ns, 1000);
  EXPECT_TRUE(d.top.empty());
  EXPECT_TRUE(d.causes.empty());
}

TEST(Difference, EveryCauseHasAText) {
  for (const std::string_view id : {"clock_fell", "kernel_slower", "idle_more", "rest", "link.registers"}) {
    EXPECT_FALSE(cause_text(id).empty()) << id;
  }
  EXPECT_TRUE(cause_text("no such cause").empty());
}

TEST(KernelChange, LinksGoFromTheCauseToTheTime) {
  RunRecord base;
  base.shapes.resize(1);
  base.shapes[0].kernel = "gemm";
  base.shapes[0].count = 3;
  base.shapes[0].registers_per_thread = 64;
  base.shapes[0].blocks_per_sm = 3;
  base.shapes[0].theoretical_occupancy_percent = 75;
  base.measures.resize(1);
  base.measures[0].kernel = "gemm";
  base.measures[0].duration_ns = {100};
  base.measures[0].cycles = {150};
  base.measures[0].achieved_occupancy_percent = 74;
  RunRecord changed = base;
  changed.shapes[0].registers_per_thread = 72;
  changed.shapes[0].blocks_per_sm = 2;
  changed.shapes[0].theoretical_occupancy_percent = 50;
  changed.measures[0].duration_ns = {118};
  changed.measures[0].cycles = {177};
  const auto found = kernel_changes(std::array{base}, std::array{changed});
  ASSERT_EQ(found.size(), 1);
  std::vector<std::string> figures;
  for (const KernelChange::Link& link : found[0].links) figures.push_back(link.figure);
  EXPECT_EQ(figures,
            (std::vector<std::string>{"registers", "blocks_per_sm", "theoretical_occupancy", "cycles", "time"}));
  EXPECT_EQ(found[0].clock_ns, 0);
  for (const std::string& figure : figures) EXPECT_FALSE(cause_text("link." + figure).empty()) << figure;
}

TEST(Place, NamesWhatModulesHaveInCommon) {
  EXPECT_EQ(place_of(Weights{}), "(outside any module)");
  EXPECT_EQ(place_of(Weights{{"a/b", 9}, {"a/c", 1}}), "a/b");
  EXPECT_EQ(place_of(Weights{{"a/layer.0/mlp", 1}, {"a/layer.1/mlp", 1}}), "a/layer.#/mlp");
  EXPECT_EQ(place_of(Weights{{"a/encoder/mlp", 1}, {"a/decoder/mlp", 1}}), "a/*coder/mlp");
  EXPECT_EQ(place_of(Weights{{"a/b/x", 1}, {"a/b/c/y", 1}}), "a/b");
  EXPECT_EQ(place_of(Weights{{"left", 2}, {"right/x", 1}}), "left, right/x");
}

}  // namespace difference_test
}  // namespace sonde::gate
