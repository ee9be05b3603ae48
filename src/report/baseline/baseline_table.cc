#include <algorithm>

#include "base/text/calendar.h"
#include "report/baseline/baseline_report.h"
#include "report/baseline/figures.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

/// An absent cell where the text is empty.
void add(Table& table, Column::Texts& column, std::string text) {
  column.push_back(text.empty() ? std::string_view() : table.keep(std::move(text)));
}

std::string condition(const gate::BaselineEntry& entry, std::string_view name) {
  const auto found = entry.conditions.find(name);
  return found == entry.conditions.end() ? std::string() : found->second;
}

/// "Commit      8e1e4ab1f"; nothing where the text is empty.
std::string line(std::string_view title, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("{:<24}{}\n", title, text);
}

std::string column_text(const Table& table, RenderOptions options) {
  options.absent = "-";
  std::string text;
  const auto format = find_table_format("column");
  if (format) (*format)->render(table, options, [&](std::string_view piece) { text += piece; });
  return text;
}

Table figure_table(std::span<const gate::RunRecord> records) {
  Table table;
  auto& metric = table.texts("Metric");
  auto& runs = table.integers("Runs");
  auto& mean = table.texts("Mean");
  auto& least = table.texts("Min");
  auto& most = table.texts("Max");
  auto& spread = table.reals("Spread", Unit::percent, 2);
  for (const RunFigures& figure : headline_figures(records)) {
    const Unit unit = figure.metric->unit;
    metric.push_back(figure.metric->name);
    runs.push_back(static_cast<int64_t>(figure.values.size()));
    constexpr int kDigits = 4;  // of what differs by a percent between runs
    add(table, mean, amount_text(figure.mean(), unit, kDigits));
    add(table, least, amount_text(figure.least(), unit, kDigits));
    add(table, most, amount_text(figure.most(), unit, kDigits));
    const bool has_spread = figure.values.size() > 1 && figure.mean() > 0;
    spread.push_back(has_spread ? 100 * (figure.most() - figure.least()) / figure.mean() : kAbsent);
  }
  return table;
}

std::string range_text(double least, double most, std::string_view unit) {
  const std::string low = fmt::format("{:.4g}", least);
  const std::string high = fmt::format("{:.4g}", most);
  return low == high ? fmt::format("{}{}", low, unit) : fmt::format("{} to {}{}", low, high, unit);
}

/// The least and the most of what the runs' sessions say of it; nothing where none says it.
template <typename Value>
std::string session_line(std::string_view title, std::span<const gate::RunRecord> records,
                         std::optional<Value> gate::SessionOfRun::* what, double scale, std::string_view unit) {
  std::vector<double> values;
  for (const gate::RunRecord& record : records) {
    if (record.session.*what) values.push_back(scale * static_cast<double>(*(record.session.*what)));
  }
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  return line(title, range_text(least, most, unit));
}

std::string session_text(std::span<const gate::RunRecord> records) {
  std::string text;
  if (!records.empty() && records.front().session.started_s != 0) {
    text += line("runs made (UTC)", moment_text(records.front().session.started_s, ' '));
  }
  return text + session_line("load before a run", records, &gate::SessionOfRun::load, 1, "") +
         session_line("use by other processes", records, &gate::SessionOfRun::other_load, 100, " %") +
         session_line("SM clock after a run", records, &gate::SessionOfRun::sm_clock_mhz, 1, " MHz");
}

}  // namespace

Table baseline_table(const gate::BaselineListing& listing) {
  Table table;
  auto& name = table.texts("Name");
  auto& number = table.texts("Entry");
  auto& commit = table.texts("Commit");
  auto& when = table.texts("When (UTC)");
  auto& runs = table.integers("Runs");
  auto& pinned = table.texts("Pinned");
  auto& gpu = table.texts("GPU");
  auto& driver = table.texts("Driver");
  auto& tool = table.texts("Tool");
  auto& label = table.texts("Label");
  for (const gate::BaselineEntry& entry : listing.entries) {
    add(table, name, entry.name);
    add(table, number, std::string(entry_number(entry)));
    add(table, commit, gate::short_commit(entry.commit));
    add(table, when, minute_text(entry.time_s));
    runs.push_back(static_cast<int64_t>(entry.runs.size()));
    add(table, pinned, entry.pinned ? "yes" : "");
    add(table, gpu, condition(entry, "gpu"));
    add(table, driver, condition(entry, "driver"));
    add(table, tool, condition(entry, "tool"));
    add(table, label, entry.label);
  }
  int yields = 0;
  for (const std::string_view column : {"GPU", "Tool", "Label", "Driver"}) {
    const auto found = std::ranges::find(table.columns, column, &Column::name);
    found->yields = ++yields;
  }
  return table;
}

std::string baseline_entry_text(const gate::BaselineEntry& entry, std::span<const gate::RunRecord> records,
                                const RenderOptions& options) {
  std::string text = line("Baseline", entry.name) + line("Entry", entry.id) + line("Commit", entry.commit) +
                     line("Branch", entry.branch) + line("Label", entry.label) +
                     line("When (UTC)", moment_text(entry.time_s, ' ')) + line("Pinned", entry.pinned ? "yes" : "no");
  for (const gate::ConditionInfo& info : gate::condition_infos()) {
    text += line(info.title, condition(entry, info.name));
  }
  text += session_text(records);
  for (size_t i = 0; i < entry.runs.size(); ++i) {
    text += line(i == 0 ? counted(static_cast<int64_t>(entry.runs.size()), "run") : "", entry.runs[i].source);
  }
  const Table figures = figure_table(records);
  return figures.rows() == 0 ? text : text + "\n" + column_text(figures, options);
}

}  // namespace sonde
