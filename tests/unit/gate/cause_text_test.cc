#include "gate/difference/cause_case.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "analyses/gpus/idle_time.h"
#include "gate/difference/difference.h"

namespace sonde::gate {
namespace cause_text_test {

constexpr std::array kDirections = {Direction::down, Direction::even, Direction::up};

std::vector<CauseCase> all_cases() {
  std::vector<CauseCase> cases;
  for (const Direction change : kDirections) {
    for (const Presence sides : {Presence::base_only, Presence::new_only, Presence::both}) {
      for (const Direction figure : kDirections) {
        for (const Direction each : kDirections) cases.push_back({change, sides, figure, each});
      }
    }
  }
  return cases;
}

/// What words of a text claim.
struct Claim {
  std::string_view words;
  std::function<bool(const CauseCase&)> is_so;
};

bool is_longer(const CauseCase& c) { return c.change == Direction::up; }
bool is_shorter(const CauseCase& c) { return c.change == Direction::down; }
bool is_more(const CauseCase& c) { return c.figure == Direction::up; }
bool is_fewer(const CauseCase& c) { return c.figure == Direction::down; }

const std::vector<Claim>& claims() {
  static const std::vector<Claim> kClaims = {
      {"slower", is_longer},
      {"take longer", is_longer},
      {"takes longer", is_longer},
      {"for longer", is_longer},
      {"more GPU time", is_longer},
      {"Less GPU work", is_longer},
      {"faster", is_shorter},
      {"less time", is_shorter},
      {"less GPU time", is_shorter},
      {"More GPU work", is_shorter},
      {"more often", is_more},
      {"There are more", is_more},
      {" rose ", is_more},
      {"less often", is_fewer},
      {"There are fewer", is_fewer},
      {" fell ", is_fewer},
      {"now use pinned", is_fewer},
      {"now use pageable", is_more},
      {" was added", [](const CauseCase& c) { return c.sides == Presence::new_only || is_more(c); }},
      {" were added", [](const CauseCase& c) { return c.sides == Presence::new_only || is_more(c); }},
      {"on the new side only", [](const CauseCase& c) { return c.sides == Presence::new_only; }},
      {" was removed", [](const CauseCase& c) { return c.sides == Presence::base_only || is_fewer(c); }},
      {" were removed", [](const CauseCase& c) { return c.sides == Presence::base_only || is_fewer(c); }},
      {"on the base side only", [](const CauseCase& c) { return c.sides == Presence::base_only; }},
      {"replaced", [](const CauseCase& c) { return c.sides == Presence::both; }},
      {"{base_mean} -> {mean}",
       [](const CauseCase& c) { return c.sides == Presence::both && c.each == c.change && c.each != Direction::even; }},
  };
  return kClaims;
}

std::set<std::string_view> families() {
  std::set<std::string_view> names;
  for (const CauseText& row : cause_texts()) names.insert(row.family);
  return names;
}

TEST(CauseText, NoTextSaysWhatItsCaseDenies) {
  for (const std::string_view family : families()) {
    for (const CauseCase& of : all_cases()) {
      const CauseText& row = text_for(family, of);
      EXPECT_TRUE(holds(row, of)) << row.id;
      for (const Claim& claim : claims()) {
        if (!row.text.contains(claim.words)) continue;
        EXPECT_TRUE(claim.is_so(of)) << row.id << " claims '" << claim.words << "' at change "
                                     << static_cast<int>(of.change) << ", sides " << static_cast<int>(of.sides)
                                     << ", figure " << static_cast<int>(of.figure) << ", each "
                                     << static_cast<int>(of.each);
      }
    }
  }
}

TEST(CauseText, EveryFamilyEndsWithARowThatAlwaysHolds) {
  std::set<std::string_view> ids;
  for (size_t i = 0; i < cause_texts().size(); ++i) {
    const CauseText& row = cause_texts()[i];
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    if (i + 1 < cause_texts().size() && cause_texts()[i + 1].family == row.family) continue;
    for (const CauseCase& of : all_cases()) EXPECT_TRUE(holds(row, of)) << row.id;
  }
}

TEST(CauseText, EveryRowIsTheFirstThatHoldsSomewhere) {
  std::set<std::string_view> met;
  for (const std::string_view family : families()) {
    for (const CauseCase& of : all_cases()) met.insert(text_for(family, of).id);
  }
  for (const CauseText& row : cause_texts()) EXPECT_TRUE(met.contains(row.id)) << row.id;
}

// Pairs of records in which one kind of work, beside a steady rest, has each case.

WorkGroup work(WorkKind kind, std::string name, int64_t count, int64_t each_ns) {
  WorkGroup group;
  group.kind = kind;
  group.name = std::move(name);
  group.module = "step";
  group.count = count;
  group.share_ns = group.duration_ns = count * each_ns;
  group.bytes = kind == WorkKind::kernel ? 0 : count * 1000;
  return group;
}

RunRecord record(const std::vector<WorkGroup>& groups, std::string_view cause, int64_t idle_ns, int64_t calls) {
  RunRecord run;
  run.steps = 1;
  run.part = PartOfRun::steps;
  run.gpus.resize(1);
  run.gpus[0].place = "GPU 0";
  run.work = {work(WorkKind::kernel, "steady", 10, 1000)};
  for (const WorkGroup& group : groups) {
    if (group.count > 0) run.work.push_back(group);
  }
  if (idle_ns > 0) {
    run.idle.resize(1);
    run.idle[0].cause = cause;
    run.idle[0].module = "step";
    run.idle[0].ns = idle_ns;
    run.idle[0].pieces = 1;
  }
  for (const std::string_view name : {"cudaDeviceSynchronize", "cudaMalloc", "cudaMemcpy"}) {
    CallGroup& call = run.calls.emplace_back();
    call.name = name;
    call.module = "step";
    call.synchronizes = name == "cudaDeviceSynchronize";
    call.allocates = name == "cudaMalloc";
    call.count = calls;
  }
  for (const WorkGroup& group : run.work) run.extent_ns += group.share_ns;
  run.extent_ns += idle_ns;
  run.wall_ns = run.extent_ns;
  return run;
}

double number(const Cause& cause, std::string_view name) {
  const auto found = std::ranges::find(cause.arguments, name, &Argument::name);
  EXPECT_NE(found, cause.arguments.end()) << cause.id << " has no " << name;
  return found == cause.arguments.end() ? 0 : found->number;
}

const CauseText& row_of(std::string_view id) { return *std::ranges::find(cause_texts(), id, &CauseText::id); }

/// The names in {braces} of a text.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    names.emplace_back(rest.substr(0, rest.find_first_of(":}")));
  }
  return names;
}

void expect_true_texts(const Difference& d) {
  int64_t sum = 0;
  for (const Cause& cause : d.causes) {
    sum += cause.change_ns;
    const CauseText& row = row_of(cause.id);
    for (const std::string& name : names_in(row.text)) number(cause, name);
    EXPECT_TRUE(row.change != "longer" || cause.change_ns > 0) << cause.id;
    EXPECT_TRUE(row.change != "shorter" || cause.change_ns < 0) << cause.id;
    const bool timed = row.text.contains("{base_time}");
    if (row.figure != "any" && (timed || row.text.contains("{base_count}"))) {
      const double base = number(cause, timed ? "base_time" : "base_count");
      const double changed = number(cause, timed ? "time" : "count");
      EXPECT_EQ(row.figure == "more", changed > base) << cause.id;
    }
    if (row.text.contains("{base_mean} -> {mean}")) {
      EXPECT_EQ(number(cause, "mean") > number(cause, "base_mean"), cause.change_ns > 0) << cause.id;
      EXPECT_GT(number(cause, "base_mean"), 0) << cause.id;
    }
  }
  EXPECT_EQ(sum, d.causes.empty() ? 0 : (d.changed_ns - d.base_ns) * static_cast<int64_t>(d.gpus));
}

TEST(CauseText, CausesOfAllCasesSayWhatIsSo) {
  struct Kind {
    WorkKind kind;
    std::string name;
    bool pageable_base;
    bool pageable_changed;
  };
  const std::vector<Kind> kinds = {
      {WorkKind::kernel, "gemm<1>", false, false},      {WorkKind::copy, "Host-to-Device", false, true},
      {WorkKind::copy, "Host-to-Device", true, false},  {WorkKind::copy, "Host-to-Device", true, true},
      {WorkKind::copy, "Host-to-Device", false, false}, {WorkKind::set, "", false, false},
      {WorkKind::graph_launch, "", false, false}};
  std::set<std::string_view> met;
  for (const Kind& kind : kinds) {
    for (const auto& [base_count, count] : {std::pair(0, 10), {10, 0}, {10, 10}, {10, 20}, {20, 10}}) {
      for (const auto& [base_ns, ns] : {std::pair(1000, 1000), {1000, 4000}, {4000, 1000}}) {
        for (uint8_t cause = 0; cause < static_cast<uint8_t>(IdleCause::count_); ++cause) {
          const std::string_view idle = info_of(static_cast<IdleCause>(cause)).name;
          for (const auto& [base_idle, idle_ns] : {std::pair(0, 5000), {5000, 0}, {3000, 9000}, {9000, 3000}}) {
            for (const auto& [base_calls, calls] : {std::pair(5, 5), {5, 50}, {50, 5}}) {
              WorkGroup before = work(kind.kind, kind.name, base_count, base_ns);
              WorkGroup after = work(kind.kind, kind.name, count, ns);
              before.pageable = kind.pageable_base;
              after.pageable = kind.pageable_changed;
              const Difference d = difference_of(std::array{record({before}, idle, base_idle, base_calls)},
                                                 std::array{record({after}, idle, idle_ns, calls)});
              expect_true_texts(d);
              for (const Cause& found : d.causes) met.insert(found.id);
            }
          }
        }
      }
    }
  }
  for (const std::string_view id : {"pageable_copies_more", "pageable_copies_fewer", "copies_added", "copies_removed",
                                    "memsets_added", "memsets_removed", "memsets_slower", "kernels_added",
                                    "kernels_removed", "kernel_slower", "launches_more_shorter", "graphs_added",
                                    "synchronizations_more", "allocations_fewer", "idle_more", "idle_less"}) {
    EXPECT_TRUE(met.contains(id)) << id;
  }
}

TEST(CauseText, CopiesThatVanishedDoNotUsePinnedMemoryNow) {
  WorkGroup before = work(WorkKind::copy, "Host-to-Device", 100, 1000);
  WorkGroup after = work(WorkKind::copy, "Host-to-Device", 2, 1000);
  before.pageable = after.pageable = true;
  const Difference d = difference_of(std::array{record({before}, "", 0, 0)}, std::array{record({after}, "", 0, 0)});
  EXPECT_EQ(d.causes.at(0).id, "copies_fewer");
}

TEST(CauseText, FewSmallPageableCopiesDoNotMakeCopiesPageable) {
  WorkGroup large = work(WorkKind::copy, "Host-to-Device", 2, 13'000);
  large.bytes = 600'000'000;
  WorkGroup moved = work(WorkKind::copy, "Host-to-Device", 136, 190);
  moved.module = "pipeline";
  moved.bytes = 640'000'000;
  WorkGroup small = work(WorkKind::copy, "Host-to-Device", 6, 3);
  small.module = "pipeline";
  small.pageable = true;
  const Difference d =
      difference_of(std::array{record({large}, "host", 26'000, 0)}, std::array{record({moved, small}, "host", 400, 0)});
  for (const Cause& cause : d.causes) EXPECT_FALSE(cause.id.starts_with("pageable")) << cause.id;
  EXPECT_EQ(d.causes.at(0).id, "idle_less");
}

TEST(CauseText, WorkInAnotherModuleMoved) {
  WorkGroup before = work(WorkKind::kernel, "norm", 10, 1000);
  WorkGroup after = before;
  after.module = "other";
  const std::array base = {record({before}, "", 0, 0)};
  EXPECT_TRUE(difference_of(base, std::array{record({after}, "", 0, 0)}).causes.empty());
  after.share_ns = after.duration_ns = 30'000;
  const Difference d = difference_of(base, std::array{record({after}, "", 0, 0)});
  EXPECT_EQ(d.causes.at(0).id, "moved_longer");
  EXPECT_EQ(d.causes[0].change_ns, 20'000);
}

TEST(CauseText, AKernelWithOtherTemplateArgumentsIsOneKernel) {
  const std::array base = {record({work(WorkKind::kernel, "void gemm<64, 1>(int)", 10, 1000)}, "", 0, 0)};
  const std::array changed = {record({work(WorkKind::kernel, "void gemm<128, 2>(int)", 10, 3000)}, "", 0, 0)};
  const Difference d = difference_of(base, changed);
  EXPECT_EQ(d.causes.at(0).id, "kernel_renamed_slower");
  const auto row = std::ranges::find(d.kernels, "void gemm<64, 1>(int)", &DifferenceRow::name);
  ASSERT_NE(row, d.kernels.end());
  EXPECT_EQ(row->new_name, "void gemm<128, 2>(int)");
  EXPECT_EQ(row->kind, ChangeKind::slower);
  // Two of the same base name: which became which is not known.
  const std::array two = {record({work(WorkKind::kernel, "void gemm<128, 2>(int)", 10, 3000),
                                  work(WorkKind::kernel, "void gemm<128, 3>(int)", 10, 3000)},
                                 "", 0, 0)};
  EXPECT_EQ(difference_of(base, two).causes.at(0).id, "kernels_replaced");
}

TEST(Comparable, StepsAreNotComparedWithARun) {
  const RunRecord steps = record({}, "", 0, 0);
  RunRecord run = record({work(WorkKind::kernel, "much", 1000, 1000)}, "", 0, 0);
  run.steps = 0;
  run.part = PartOfRun::run;
  const Difference d = difference_of(std::array{steps}, std::array{run});
  EXPECT_FALSE(d.comparable.lengths);
  EXPECT_TRUE(d.causes.empty());
  EXPECT_EQ(common_part(std::array{steps}, std::array{run}), PartOfRun::run);
  run.part = PartOfRun::gpu_work;
  EXPECT_EQ(common_part(std::array{steps}, std::array{run}), PartOfRun::gpu_work);
}

TEST(Comparable, StepsThatLaunchesMarkMustDoAboutAsMuch) {
  const RunRecord iteration = record({work(WorkKind::copy, "Host-to-Device", 3, 1000)}, "", 0, 0);
  RunRecord chunk = record({work(WorkKind::copy, "Host-to-Device", 1, 1000)}, "", 0, 0);
  EXPECT_EQ(common_part(std::array{iteration}, std::array{chunk}), PartOfRun::steps);
  chunk.conditions["steps_by"] = "launches";
  EXPECT_EQ(common_part(std::array{iteration}, std::array{chunk}), PartOfRun::gpu_work);
  RunRecord as_much = iteration;
  as_much.conditions["steps_by"] = "launches";
  EXPECT_EQ(common_part(std::array{iteration}, std::array{as_much}), PartOfRun::steps);
}

TEST(Comparable, LostWorkHasNoCauses) {
  const std::array base = {record({}, "", 0, 0)};
  std::array changed = {record({work(WorkKind::kernel, "new", 10, 1000)}, "", 0, 0)};
  EXPECT_FALSE(difference_of(base, changed).causes.empty());
  changed[0].flaws = {{.id = "check.records_complete", .arguments = {}, .loses_work = true}};
  const Difference d = difference_of(base, changed);
  EXPECT_FALSE(d.comparable.work);
  EXPECT_TRUE(d.causes.empty());
}

TEST(Comparable, ModulesWithoutANameInCommonAreNotCompared) {
  const RunRecord base = record({}, "", 0, 0);
  RunRecord changed = base;
  for (WorkGroup& group : changed.work) group.module = "elsewhere";
  const Difference d = difference_of(std::array{base}, std::array{changed});
  EXPECT_FALSE(d.comparable.modules);
  EXPECT_TRUE(d.causes.empty());
  ASSERT_EQ(d.modules.size(), 1);
  EXPECT_EQ(d.modules[0].kind, ChangeKind::same);
}

TEST(Comparable, WithoutApiCallsOnOneSideIdleTimeHasNoCause) {
  RunRecord base = record({}, "synchronization", 5000, 5);
  base.recorded.api_calls = true;
  RunRecord changed = record({}, "unknown", 9000, 0);
  changed.calls.clear();
  const Difference d = difference_of(std::array{base}, std::array{changed});
  EXPECT_FALSE(d.comparable.calls);
  EXPECT_TRUE(d.calls.empty());
  ASSERT_EQ(d.causes.size(), 1);
  EXPECT_EQ(d.causes[0].id, "idle_more");
  EXPECT_EQ(d.causes[0].change_ns, 4000);
}

}  // namespace cause_text_test
}  // namespace sonde::gate
