#include "monitor/waste.h"

#include <map>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace sonde::monitor {
namespace waste_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86400;
constexpr int64_t kStart = 20000 * kDay;  // midnight UTC, seconds since 1970
constexpr int64_t kGiB = 1LL << 30;
constexpr int64_t kTotal = 80 * kGiB;

OwnedProcess process(const std::string& user, int64_t bytes, bool alive = true, const std::string& container = "") {
  OwnedProcess p;
  p.process.pid = 42;
  p.process.memory_used_bytes = bytes;
  p.owner = {
      .alive = alive, .user = user, .command = "", .container = container, .pod = "", .unit = "", .started_ns = 1};
  return p;
}

/// A GPU in one round.
struct State {
  std::optional<int64_t> utilization = 0;
  std::optional<int64_t> used = 0;
  std::optional<int64_t> milliwatts = 100'000;
  std::vector<OwnedProcess> processes = {};
  Quality quality = Quality::fresh;
};

State held(const std::string& user, int64_t utilization = 0) {
  return {.utilization = utilization, .used = 10 * kGiB, .processes = {process(user, 10 * kGiB)}};
}

GpuSample sample(const State& state, size_t gpu = 0) {
  GpuSample s;
  s.gpu = gpu;
  s.mark.quality = state.quality;
  s.reading.uuid = "GPU-" + std::to_string(gpu);
  s.reading.gpu_utilization_percent = state.utilization;
  s.reading.memory_used_bytes = state.used;
  s.reading.memory_total_bytes = kTotal;
  s.reading.memory_reserved_bytes = kGiB / 2;
  s.reading.power_draw_milliwatts = state.milliwatts;
  s.reading.running.emplace();
  for (const OwnedProcess& p : state.processes) s.reading.running->push_back(p.process);
  return s;
}

class Waste : public ::testing::Test {
 protected:
  void at(int64_t second, const State& state) {
    const GpuSample s = sample(state);
    ledger_.take((kStart + second) * kSecond, {&s, 1}, {&state.processes, 1}, cost_);
  }
  void during(int64_t from, int64_t to, const State& state) {
    for (int64_t t = from; t <= to; t += 10) at(t, state);
  }
  /// Of all days; hours 0 where there is none.
  [[nodiscard]] WasteEntry sum(WasteKind kind, const std::string& user = "") const {
    WasteEntry all;
    for (const auto& [day, entries] : ledger_.days()) {
      for (const WasteEntry& e : entries) {
        if (e.kind != kind || e.user != user) continue;
        all.hours += e.hours;
        all.energy_kwh += e.energy_kwh;
        all.money += e.money;
      }
    }
    return all;
  }

  config::Cost cost_ = {.currency = "EUR", .per_kwh = 0.3, .per_gpu_hour = 2};
  WasteLedger ledger_{true};
};

TEST_F(Waste, HeldIdleCountsFromItsBeginningAfterTenMinutes) {
  during(0, 590, held("ann"));
  EXPECT_EQ(sum(WasteKind::held_idle, "ann").hours, 0);
  during(600, 3600, held("ann"));
  const WasteEntry waste = sum(WasteKind::held_idle, "ann");
  EXPECT_NEAR(waste.hours, 1, 1e-9);
  EXPECT_NEAR(waste.energy_kwh, 0.1, 1e-9);
  EXPECT_NEAR(waste.money, 2 + 0.03, 1e-9);
  const WasteEntry& entry = ledger_.days().begin()->second.at(0);
  EXPECT_EQ(entry.since_ns, kStart * kSecond);
  EXPECT_EQ(entry.until_ns, (kStart + 3600) * kSecond);
  EXPECT_EQ(entry.gpu_uuid, "GPU-0");
}

TEST_F(Waste, WorkEndsIdleTime) {
  during(0, 500, held("ann"));
  at(510, held("ann", 5));
  during(520, 1000, held("ann", 4));
  EXPECT_TRUE(ledger_.days().empty());
}

TEST_F(Waste, NothingIsCountedWhereAValueIsAbsent) {
  State state = held("ann");
  state.utilization.reset();
  during(0, 3600, state);
  state = held("ann");
  state.quality = Quality::stale;
  during(3610, 7200, state);
  state.quality = Quality::contradictory;
  during(7210, 9000, state);
  EXPECT_TRUE(ledger_.days().empty());
  state = held("ann");
  state.milliwatts.reset();
  during(10000, 13600, state);
  EXPECT_NEAR(sum(WasteKind::held_idle, "ann").hours, 1, 1e-9);
  EXPECT_EQ(sum(WasteKind::held_idle, "ann").energy_kwh, 0);
}

TEST_F(Waste, WithoutPricesNothingCosts) {
  cost_ = {};
  during(0, 3600, held("ann"));
  EXPECT_EQ(sum(WasteKind::held_idle, "ann").money, 0);
  EXPECT_NEAR(sum(WasteKind::held_idle, "ann").energy_kwh, 0.1, 1e-9);
}

TEST_F(Waste, HoldersBearEqualParts) {
  State state = held("ann");
  state.processes = {process("ann", 6 * kGiB), process("ann", 2 * kGiB), process("bob", 2 * kGiB, true, "c0ffee")};
  during(0, 3600, state);
  EXPECT_NEAR(sum(WasteKind::held_idle, "ann").hours, 0.5, 1e-9);
  EXPECT_NEAR(sum(WasteKind::held_idle, "bob").hours, 0.5, 1e-9);
}

TEST_F(Waste, UnusedGpusCountAtOnce) {
  during(0, 360, {});
  EXPECT_NEAR(sum(WasteKind::unused).hours, 0.1, 1e-9);
  State state = {.utilization = 50};
  during(370, 3600, state);
  EXPECT_NEAR(sum(WasteKind::unused).hours, 0.1, 1e-9);
}

TEST_F(Waste, DesktopsNeitherHoldNorLeaveUnused) {
  State state = {.used = kGiB / 2, .processes = {process("ann", kGiB / 2)}};
  state.processes[0].process.compute = false;
  during(0, 3600, state);
  EXPECT_TRUE(ledger_.days().empty());
}

TEST_F(Waste, DeadMemoryTakesItsShareOfTheGpu) {
  State state = {.utilization = 90, .used = 40 * kGiB + kGiB / 2, .processes = {process("gone", 40 * kGiB, false)}};
  during(0, 3600, state);
  EXPECT_NEAR(sum(WasteKind::dead_memory).hours, 0.5, 1e-9);
  EXPECT_EQ(sum(WasteKind::dead_memory).energy_kwh, 0) << "the energy goes into the work";
  state.utilization = 0;
  during(3610, 7210, state);
  EXPECT_NEAR(sum(WasteKind::dead_memory).hours, 1 + 10.0 / 7200, 1e-9);
  EXPECT_NEAR(sum(WasteKind::unused).hours, 0.5, 1e-9) << "the other half of it";
}

TEST_F(Waste, MemoryThatAProcessMayHoldIsNotDead) {
  State state = {.utilization = 90, .used = 40 * kGiB, .processes = {process("ann", 0)}};
  state.processes[0].process.memory_used_bytes.reset();
  during(0, 3600, state);
  EXPECT_EQ(sum(WasteKind::dead_memory).hours, 0);
  state.processes = {process("ann", 40 * kGiB - kGiB / 4)};  // contexts and the driver take the rest
  during(3610, 7200, state);
  EXPECT_EQ(sum(WasteKind::dead_memory).hours, 0);
}

TEST_F(Waste, WhoSeesNoProcessesCallsNoMemoryDead) {
  ledger_ = WasteLedger(false);
  during(0, 3600, {.used = 40 * kGiB});
  EXPECT_EQ(sum(WasteKind::dead_memory).hours, 0);
  EXPECT_NEAR(sum(WasteKind::held_idle).hours, 1, 1e-9) << "held by somebody unknown";
  at(3610, held("ann", 50));  // one is seen after all
  during(3620, 7220, {.used = 40 * kGiB + kGiB / 2});
  EXPECT_NEAR(sum(WasteKind::dead_memory).hours, 0.5, 1e-9);
}

TEST_F(Waste, GapsAndClocksThatJumpAreNotCounted) {
  during(0, 100, {});
  at(100 + 601, {});
  EXPECT_NEAR(sum(WasteKind::unused).hours * 3600, 100, 1e-6);
  at(50, {});  // the clock was set back
  EXPECT_NEAR(sum(WasteKind::unused).hours * 3600, 100, 1e-6);
  at(50, {});
  at(60, {});
  EXPECT_NEAR(sum(WasteKind::unused).hours * 3600, 110, 1e-6);
  at(660, {});
  EXPECT_NEAR(sum(WasteKind::unused).hours * 3600, 710, 1e-6) << "a gap that is not too long";
}

TEST_F(Waste, DaysEndAtMidnightUtc) {
  during(kDay - 3600, kDay + 1800, held("ann"));
  ASSERT_EQ(ledger_.days().size(), 2U);
  EXPECT_EQ(ledger_.days().begin()->first, kStart * kSecond);
  EXPECT_EQ(ledger_.days().rbegin()->first, (kStart + kDay) * kSecond);
  EXPECT_NEAR(ledger_.days().begin()->second.at(0).hours, 1, 1e-9);
  EXPECT_NEAR(ledger_.days().rbegin()->second.at(0).hours, 0.5, 1e-9);
}

TEST_F(Waste, RestoredDaysGoOn) {
  during(0, 3600, held("ann"));
  WasteLedger after(true);
  after.restore(ledger_.days());
  ledger_ = after;
  during(3610, 7210, held("ann"));
  ASSERT_EQ(ledger_.days().begin()->second.size(), 1U);
  EXPECT_NEAR(sum(WasteKind::held_idle, "ann").hours, 2, 1e-9);
}

/// Whose a round is, in tenths: computed without the ledger's rules.
using Key = std::tuple<WasteKind, std::string>;

std::map<Key, double> shares_of(const State& state) {
  std::map<Key, double> shares;
  if (state.quality != Quality::fresh || *state.utilization >= 5) return shares;
  if (state.processes.empty()) return {{{WasteKind::unused, ""}, 1.0}};
  std::map<std::string, int> users;
  for (const OwnedProcess& p : state.processes) users[p.owner.user] = 1;
  for (const auto& [user, one] : users) shares[{WasteKind::held_idle, user}] = 1.0 / static_cast<double>(users.size());
  return shares;
}

State random_state(std::mt19937_64& random, const State& before) {
  if (random() % 100 < 97) return before;  // states last for minutes
  State state = {.utilization = random() % 3 == 0 ? 60 : 0, .used = 0};
  const auto users = random() % 3;
  for (size_t u = 0; u < users; ++u) state.processes.push_back(process(u == 0 ? "ann" : "bob", kGiB));
  state.used = static_cast<int64_t>(users) * kGiB;
  state.milliwatts = static_cast<int64_t>(random() % 400'000);
  return state;
}

TEST_F(Waste, SumsAreThoseOfASecondComputation) {
  std::mt19937_64 random(7);
  std::vector<State> states;
  State state;
  for (int i = 0; i < 20000; ++i) states.push_back(state = random_state(random, state));
  for (size_t i = 0; i < states.size(); ++i) at(static_cast<int64_t>(i) * 10, states[i]);

  // Each run of rounds in which an owner has a share, looked at as a whole.
  std::map<std::pair<int64_t, Key>, std::pair<double, double>> expected;  // hours, kWh by day and owner
  for (const Key& key :
       {Key{WasteKind::held_idle, "ann"}, Key{WasteKind::held_idle, "bob"}, Key{WasteKind::unused, ""}}) {
    const double grace = std::get<0>(key) == WasteKind::held_idle ? 600 : 0;
    for (size_t begin = 0; begin < states.size(); ++begin) {
      size_t end = begin;
      while (end < states.size() && shares_of(states[end]).contains(key)) ++end;
      if (end == begin) continue;
      const bool counts = static_cast<double>(end - 1 - begin) * 10 >= grace;
      for (size_t i = begin + 1; counts && i < end; ++i) {
        const double hours = shares_of(states[i]).at(key) * 10 / 3600;
        auto& [all_hours, all_kwh] = expected[{static_cast<int64_t>(i - 1) * 10 / kDay, key}];
        all_hours += hours;
        all_kwh += hours * static_cast<double>(*states[i].milliwatts) / 1e6;
      }
      begin = end;
    }
  }
  size_t entries = 0;
  for (const auto& [day, list] : ledger_.days()) {
    for (const WasteEntry& entry : list) {
      const auto& [hours, kwh] = expected.at({(day / kSecond - kStart) / kDay, {entry.kind, entry.user}});
      EXPECT_NEAR(entry.hours, hours, 1e-6);
      EXPECT_NEAR(entry.energy_kwh, kwh, 1e-6);
      EXPECT_NEAR(entry.money, hours * 2 + kwh * 0.3, 1e-6);
      ++entries;
    }
  }
  EXPECT_EQ(entries, expected.size());
  EXPECT_GT(entries, 6U);
}

}  // namespace waste_test
}  // namespace sonde::monitor
