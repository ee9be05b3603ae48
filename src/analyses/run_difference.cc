#include "analyses/run_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "analyses/gpu_shares.h"
#include "analyses/gpus.h"
#include "analyses/idle_totals.h"
#include "analyses/operation_names.h"
#include "analyses/run_extent.h"
#include "base/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

struct Amount {
  int64_t ns = 0;
  int64_t count = 0;
};

/// Totals by name, over all that is compared of a run.
using Amounts = std::map<std::string, Amount>;

/// Totals by a small number, as they are collected, and the names of the numbers.
struct Collected {
  std::vector<Amount> amounts;

  explicit Collected(size_t size) : amounts(size) {}
  /// Names that are alike stand together.
  template <typename NameOf>
  [[nodiscard]] Amounts named(NameOf name_of) const {
    Amounts all;
    for (size_t i = 0; i < amounts.size(); ++i) {
      if (amounts[i].ns == 0 && amounts[i].count == 0) continue;
      Amount& sum = all[name_of(i)];
      sum.ns += amounts[i].ns;
      sum.count += amounts[i].count;
    }
    return all;
  }
};

/// What is compared of one run.
struct Part {
  const ComparedRun& run;
  Span extent;
  bool whole_run = true;
  int64_t steps = 1;  ///< that it is divided by
  Gpus gpus;
  GpuShares shares;

  [[nodiscard]] const Trace& trace() const { return *run.trace; }
  [[nodiscard]] bool holds(int64_t start) const {
    return whole_run || (start >= extent.first && start < extent.second);
  }
};

bool has_steps(const ComparedRun& run) {
  return run.steps != nullptr && !run.steps->steady.empty() &&
         run.steps->steady.back().second > run.steps->steady.front().first;
}

Part part_of(const ComparedRun& run, bool per_step) {
  Part part{run, run_extent(*run.trace), !per_step, 1, gpus_of(*run.trace), {}};
  if (per_step) {
    part.extent = {run.steps->steady.front().first, run.steps->steady.back().second};
    part.steps = static_cast<int64_t>(run.steps->steady.size());
  }
  part.shares = share_gpu_time(*run.trace, part.gpus, part.extent);
  return part;
}

/// Modules by path. What no module launched stands behind all modules.
Amounts modules_of(const Part& part) {
  const std::vector<Module>& modules = part.run.modules->modules;
  Collected found(modules.size() + 1);
  for_each_gpu_table(part.trace(), [&](const GpuOps& ops) {
    const Longs& share = part.shares.of(part.trace(), ops);
    for (Row row = 0; row < row_count(ops); ++row) {
      const uint32_t module = ops.launch[row] == kNone ? kNone : part.run.modules->of_call[ops.launch[row]];
      found.amounts[module == kNone ? modules.size() : module].ns += share[row];
    }
  });
  const Ranges& ranges = part.trace().ranges;
  for (Row row = 0; row < row_count(ranges); ++row) {
    if (part.run.modules->is_call[row] != 0 && part.holds(ranges.start[row])) {
      ++found.amounts[part.run.modules->of_range[row]].count;
    }
  }
  std::vector<std::string> paths;
  for (const Module& m : modules) paths.push_back(m.parent == kNone ? m.name : paths[m.parent] + "/" + m.name);
  paths.emplace_back("(outside any module)");
  return found.named([&](size_t i) { return paths[i]; });
}

/// The operations of a table, by what `number_of(row)` gives.
template <typename NumberOf>
void collect(const Part& part, const GpuOps& ops, Collected& found, NumberOf number_of) {
  const Longs& share = part.shares.of(part.trace(), ops);
  for (Row row = 0; row < row_count(ops); ++row) {
    Amount& amount = found.amounts[number_of(row)];
    amount.ns += share[row];
    amount.count += part.holds(ops.start[row]) ? 1 : 0;
  }
}

Amounts copies_of(const Part& part) {
  Collected found(256);
  collect(part, part.trace().copies, found, [&](Row row) { return part.trace().copies.kind[row]; });
  return found.named([](size_t kind) { return std::string(copy_direction(static_cast<uint8_t>(kind))); });
}

Amounts kernels_of(const Part& part) {
  const Trace& trace = part.trace();
  const size_t names = trace.names.size();
  Collected found(names + 3);
  collect(part, trace.kernels, found, [&](Row row) { return trace.kernels.name[row]; });
  collect(part, trace.copies, found, [&](Row) { return names; });
  collect(part, trace.sets, found, [&](Row) { return names + 1; });
  collect(part, trace.graph_launches, found, [&](Row) { return names + 2; });
  constexpr std::array<std::string_view, 3> kOthers = {"[copies]", "[sets]", "[graph launches]"};
  return found.named(
      [&](size_t i) { return std::string(i < names ? trace.name(static_cast<NameId>(i)) : kOthers.at(i - names)); });
}

Amounts idle_of(const Part& part) {
  Collected found(static_cast<size_t>(IdleCause::count_));
  for_each_idle_piece(part.trace(), part.gpus, part.extent, [&](const IdlePiece& piece) {
    Amount& amount = found.amounts[static_cast<size_t>(piece.cause)];
    amount.ns += piece.end_ns - piece.start_ns;
    ++amount.count;
  });
  return found.named([](size_t cause) { return std::string(info_of(static_cast<IdleCause>(cause)).title); });
}

/// Rounds `total` / `steps` to the nearest whole number; both are not negative.
int64_t rounded(int64_t total, int64_t steps) { return (total + steps / 2) / steps; }

/// Puts each name's mean into its row.
void add_side(const Amounts& amounts, int64_t steps, PartOfRun DifferenceRow::* side,
              std::map<std::string, DifferenceRow>& rows) {
  int64_t sum = 0;
  int64_t given = 0;
  for (const auto& [name, amount] : amounts) {
    sum += amount.ns;
    const int64_t mean = rounded(sum, steps) - given;
    given += mean;
    rows[name].*side = {mean, static_cast<double>(amount.count) / static_cast<double>(steps)};
  }
}

int64_t change_of(const DifferenceRow& row) { return row.changed.ns.value_or(0) - row.base.ns.value_or(0); }

void add_part(PartOfRun& sum, const PartOfRun& part) {
  if (!part.ns) return;
  sum.ns = sum.ns.value_or(0) + *part.ns;
  sum.count = sum.count.value_or(0) + part.count.value_or(0);
}

/// Adds up what lies behind the most rows that a list may have.
void shorten(std::vector<DifferenceRow>& rows) {
  if (rows.size() <= kMostDifferences) return;
  DifferenceRow others{
      .name = fmt::format("({} others)", rows.size() - kMostDifferences + 1), .base = {}, .changed = {}};
  for (const DifferenceRow& row : std::span(rows).subspan(kMostDifferences - 1)) {
    add_part(others.base, row.base);
    add_part(others.changed, row.changed);
  }
  rows.resize(kMostDifferences - 1);
  rows.push_back(std::move(others));
}

std::vector<DifferenceRow> differences(const Part& base, const Part& changed, Amounts (*amounts_of)(const Part&)) {
  std::map<std::string, DifferenceRow> by_name;
  add_side(amounts_of(base), base.steps, &DifferenceRow::base, by_name);
  add_side(amounts_of(changed), changed.steps, &DifferenceRow::changed, by_name);
  std::vector<DifferenceRow> rows;
  for (auto& [name, row] : by_name) {
    row.name = name;
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater(), [](const DifferenceRow& row) { return std::abs(change_of(row)); });
  shorten(rows);
  return rows;
}

}  // namespace

RunDifference compare_runs(const ComparedRun& base, const ComparedRun& changed) {
  RunDifference found;
  found.per_step = has_steps(base) && has_steps(changed);
  const Part a = part_of(base, found.per_step);
  const Part b = part_of(changed, found.per_step);
  found.base_ns = rounded(a.extent.second - a.extent.first, a.steps);
  found.changed_ns = rounded(b.extent.second - b.extent.first, b.steps);
  parallel_for(4, [&](size_t i) {
    switch (i) {
      case 0: found.idle = differences(a, b, idle_of); break;
      case 1: found.modules = differences(a, b, modules_of); break;
      case 2: found.kernels = differences(a, b, kernels_of); break;
      default: found.copies = differences(a, b, copies_of);
    }
  });
  return found;
}

}  // namespace sonde
