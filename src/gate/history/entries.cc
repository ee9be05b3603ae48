#include <algorithm>
#include <map>
#include <set>

#include "base/text/calendar.h"
#include "base/text/suggest.h"
#include "gate/history/history.h"
#include "gate/runs.h"
#include "gate/store/choose_baseline.h"

namespace sonde::gate {
namespace {

/// Runs that may be compared with each other.
struct Group {
  Conditions conditions;
  std::vector<std::pair<const BaselineEntry*, std::vector<RunRecord>>> entries;
};

/// Those that forbid timed comparison where they differ.
Conditions forbidding(const Conditions& conditions, std::span<const std::string> allowed) {
  Conditions kept;
  for (const ConditionInfo& info : condition_infos()) {
    const auto found = conditions.find(info.name);
    if (info.forbids == Forbids::nothing || found == conditions.end()) continue;
    if (std::ranges::find(allowed, info.name) == allowed.end()) kept.insert(*found);
  }
  return kept;
}

std::vector<Group> groups_of(const std::string& store, std::span<const BaselineEntry> entries,
                             const HistoryOptions& options, std::vector<std::string>& notes) {
  std::vector<Group> groups;
  for (const BaselineEntry& entry : entries) {
    if (options.since_s && entry.time_s < *options.since_s) continue;
    auto records = load_entry(store, entry);
    if (!records) {
      notes.push_back(fmt::format("{}@{} is skipped: {}", entry.name, entry.id, records.error().message));
      continue;
    }
    Conditions conditions = forbidding(entry.conditions, options.allowed_conditions);
    auto group = std::ranges::find(groups, conditions, &Group::conditions);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{std::move(conditions), {}});
    group->entries.emplace_back(&entry, std::move(*records));
  }
  return groups;
}

/// Names of the conditions that tell the groups apart.
std::vector<std::string_view> distinguishing(std::span<const Group> groups) {
  std::vector<std::string_view> names;
  for (const ConditionInfo& info : condition_infos()) {
    const auto value = [&](const Group& group) {
      const auto found = group.conditions.find(info.name);
      return found == group.conditions.end() ? std::string() : found->second;
    };
    const bool differs = std::ranges::any_of(groups, [&](const Group& g) { return value(g) != value(groups.front()); });
    if (differs) names.push_back(info.name);
  }
  return names;
}

std::string title_of(const Group& group, std::span<const std::string_view> names) {
  std::string title;
  if (const auto gpu = group.conditions.find("gpu"); gpu != group.conditions.end()) title = gpu->second;
  for (const std::string_view name : names) {
    if (name == "gpu") continue;
    const auto found = group.conditions.find(name);
    title += fmt::format("{}{} {}", title.empty() ? "" : ", ", find_condition(name)->title,
                         found == group.conditions.end() ? "unknown" : found->second);
  }
  return title;
}

std::optional<double> mean_figure(std::span<const RunRecord> records, const Metric& metric) {
  std::vector<double> values;
  for (const RunRecord& record : records) {
    const auto value = run_figure(record, metric);
    if (value) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}

HistorySeries series_of(const Group& group, const Metric& metric) {
  HistorySeries series{.metric = std::string(metric.name),
                       .unit = metric.unit,
                       .better = metric.better,
                       .title = {},
                       .conditions = group.conditions,
                       .points = {},
                       .changes = {}};
  for (const auto& [entry, records] : group.entries) {
    const auto value = mean_figure(records, metric);
    if (value) series.points.push_back({entry->time_s, entry->commit, entry->id, *value});
  }
  return series;
}

Result<std::vector<const Metric*>> chosen_metrics(const HistoryOptions& options) {
  SONDE_TRY(check_metrics(options));
  std::vector<const Metric*> chosen;
  for (const std::string& name : options.metrics) chosen.push_back(find_metric(name));
  if (!options.metrics.empty()) return chosen;
  for (const std::string_view name : headline_metrics()) chosen.push_back(find_metric(name));
  return chosen;
}

void add_series(const std::vector<Group>& groups, const Metric& metric, const HistoryOptions& options,
                History& history) {
  const auto names = distinguishing(groups);
  bool any = false;
  for (const Group& group : groups) {
    HistorySeries series = series_of(group, metric);
    if (series.points.empty()) continue;
    any = true;
    series.title = title_of(group, names);
    std::vector<double> values;
    for (const HistoryPoint& point : series.points) values.push_back(point.value);
    series.changes = change_points(values, options.change_points);
    history.series.push_back(std::move(series));
  }
  if (!any && !options.metrics.empty()) history.notes.push_back(fmt::format("no entry has {}", metric.name));
}

void note_groups(const std::vector<Group>& groups, std::vector<std::string>& notes) {
  if (groups.size() < 2) return;
  std::string titles;
  for (const std::string_view name : distinguishing(groups)) {
    titles += fmt::format("{}{}", titles.empty() ? "" : ", ", name);
  }
  notes.push_back(
      fmt::format("entries that differ in {} form separate series because their times cannot be compared; "
                  "--allow CONDITION joins them",
                  titles));
}

}  // namespace

Status check_metrics(const HistoryOptions& options) {
  for (const std::string& name : options.metrics) {
    if (find_metric(name) == nullptr) {
      return fail("unknown metric '{}'{}", name, did_you_mean(name, metric_names()));
    }
  }
  return {};
}

Result<History> history_of_entries(const std::string& store, std::span<const BaselineEntry> entries,
                                   const HistoryOptions& options) {
  const auto metrics = chosen_metrics(options);
  if (!metrics) return std::unexpected(metrics.error());
  History history;
  const std::vector<Group> groups = groups_of(store, entries, options, history.notes);
  for (const Metric* metric : *metrics) add_series(groups, *metric, options, history);
  note_groups(groups, history.notes);
  return history;
}

bool is_worse(const HistorySeries& series, const ChangePoint& change) {
  return series.better == Better::lower ? change.after > change.before : change.after < change.before;
}

std::optional<ChangePoint> new_regression(const HistorySeries& series, const ChangePointOptions& options) {
  // One value more may move where a known change is seen to begin.
  constexpr size_t kNear = 2;
  if (series.changes.empty() || !is_worse(series, series.changes.back())) return std::nullopt;
  std::vector<double> values;
  for (const HistoryPoint& point : series.points) values.push_back(point.value);
  values.pop_back();
  const ChangePoint& newest = series.changes.back();
  for (const ChangePoint& known : change_points(values, options)) {
    const size_t distance = std::max(known.index, newest.index) - std::min(known.index, newest.index);
    if (is_worse(series, known) && distance <= kNear) return std::nullopt;
  }
  return newest;
}

}  // namespace sonde::gate
