#include "cli/simulate/tables.h"

namespace sonde::simulate {
namespace {

using dispatch::simulation::Measures;
using dispatch::simulation::Waits;

double percent(int64_t part, int64_t whole) {
  constexpr double kPercent = 100;
  return whole == 0 ? kAbsent : kPercent * static_cast<double>(part) / static_cast<double>(whole);
}

template <typename Rows, typename Get>
void integers(Table& table, const Rows& rows, std::string name, Unit unit, Get get) {
  auto& cells = table.integers(std::move(name), unit);
  for (const auto& row : rows) cells.push_back(get(row));
}

template <typename Rows, typename Get>
void reals(Table& table, const Rows& rows, std::string name, Unit unit, int decimals, Get get) {
  auto& cells = table.reals(std::move(name), unit, decimals);
  for (const auto& row : rows) cells.push_back(get(row));
}

/// Times as seconds: what a day brings is told in nothing finer.
template <typename Rows, typename Get>
void seconds(Table& table, const Rows& rows, const std::string& name, Get get) {
  constexpr double kSecond_ns = 1e9;
  reals(table, rows, name + " (s)", Unit::none, 1,
        [&](const auto& row) { return static_cast<double>(get(row)) / kSecond_ns; });
}

template <typename Rows, typename Get>
void add_waits(Table& table, const Rows& rows, Get get) {
  seconds(table, rows, "Median Wait", [&](const auto& row) { return get(row).median_ns; });
  seconds(table, rows, "P90 Wait", [&](const auto& row) { return get(row).p90_ns; });
  seconds(table, rows, "P99 Wait", [&](const auto& row) { return get(row).p99_ns; });
  seconds(table, rows, "Longest Wait", [&](const auto& row) { return get(row).longest_ns; });
}

struct NamedWaits {
  std::string_view strategy;
  std::string_view name;
  const Waits* waits = nullptr;
};

Table waits_table(std::span<const Measures> all, std::map<std::string, Waits> Measures::* of, std::string column) {
  Table table;
  std::vector<NamedWaits> rows;
  for (const Measures& measures : all) {
    for (const auto& [name, waits] : measures.*of)
      rows.push_back({table.keep(measures.strategy), table.keep(name), &waits});
  }
  auto& strategies = table.texts("Strategy");
  auto& names = table.texts(std::move(column));
  for (const NamedWaits& row : rows) {
    strategies.push_back(row.strategy);
    names.push_back(row.name);
  }
  integers(table, rows, "Started", Unit::none, [](const NamedWaits& row) { return row.waits->tasks; });
  add_waits(table, rows, [](const NamedWaits& row) -> const Waits& { return *row.waits; });
  return table;
}

}  // namespace

Table strategies_table(std::span<const Measures> all) {
  constexpr double kPercent = 100;
  Table table;
  table.name = "strategies";
  table.title = "Strategies";
  auto& strategies = table.texts("Strategy");
  for (const Measures& measures : all) strategies.push_back(table.keep(measures.strategy));
  integers(table, all, "Tasks", Unit::none, [](const Measures& m) { return m.submitted; });
  integers(table, all, "Succeeded", Unit::none, [](const Measures& m) { return m.succeeded; });
  integers(table, all, "Failed", Unit::none, [](const Measures& m) { return m.failed; });
  integers(table, all, "Timed Out", Unit::none, [](const Measures& m) { return m.timed_out; });
  integers(table, all, "Refused", Unit::none, [](const Measures& m) { return m.refused; });
  add_waits(table, all, [](const Measures& m) -> const Waits& { return m.waits; });
  reals(table, all, "Slowdown", Unit::none, 2, [](const Measures& m) { return m.slowdown.value_or(kAbsent); });
  reals(table, all, "Fairness", Unit::none, 3, [](const Measures& m) { return m.fairness.value_or(kAbsent); });
  reals(table, all, "GPU Use", Unit::percent, 1, [](const Measures& m) { return kPercent * m.use; });
  reals(table, all, "Memory Held", Unit::percent, 1, [](const Measures& m) { return kPercent * m.held_share; });
  reals(table, all, "Memory Kept", Unit::percent, 1, [](const Measures& m) { return kPercent * m.reserved_share; });
  seconds(table, all, "Makespan", [](const Measures& m) { return m.makespan_ns; });
  reals(table, all, "Out of Memory", Unit::percent, 2,
        [](const Measures& m) { return percent(m.out_of_memory, m.attempts); });
  reals(table, all, "Out of Memory, Known Types", Unit::percent, 2,
        [](const Measures& m) { return percent(m.experienced_out_of_memory, m.experienced_attempts); });
  reals(table, all, "Starts in Range", Unit::percent, 1,
        [](const Measures& m) { return percent(m.forecasts_held, m.forecasts); });
  return table;
}

Table priorities_table(std::span<const Measures> all) {
  Table table = waits_table(all, &Measures::by_priority, "Priority");
  table.name = "priorities";
  table.title = "Waits by priority";
  return table;
}

Table types_table(std::span<const Measures> all) {
  Table table = waits_table(all, &Measures::by_type, "Type");
  table.name = "types";
  table.title = "Waits by type";
  return table;
}

}  // namespace sonde::simulate
