#include "base/text/calendar.h"
#include "report/history/history_report.h"
#include "report/tables/quantity.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

constexpr size_t kUsualWidth = 80;
constexpr size_t kWidestPlot = 120;
constexpr size_t kDay = 10;

std::string heading(const gate::HistorySeries& series) {
  const auto count = static_cast<int64_t>(series.points.size());
  return fmt::format("{}: {}, {} to {}, {} is better", series_title(series), counted(count, "value"),
                     moment_text(series.points.front().time_s).substr(0, kDay),
                     moment_text(series.points.back().time_s).substr(0, kDay),
                     series.better == gate::Better::lower ? "lower" : "higher");
}

Table change_table(const gate::HistorySeries& series) {
  Table table;
  auto& mark = table.texts("#");
  auto& commit = table.texts("Since");
  auto& when = table.texts("When (UTC)");
  auto& before = table.texts("Before");
  auto& after = table.texts("After");
  auto& change = table.texts("Change");
  auto& verdict = table.texts("");
  auto& p = table.texts("p");
  for (size_t i = 0; i < series.changes.size(); ++i) {
    const gate::ChangePoint& each = series.changes[i];
    const gate::HistoryPoint& point = series.points[each.index];
    mark.push_back(table.keep(std::string(1, change_mark(i + 1))));
    commit.push_back(table.keep(point_name(point)));
    when.push_back(table.keep(minute_text(point.time_s)));
    before.push_back(table.keep(value_text(series, each.before)));
    after.push_back(table.keep(value_text(series, each.after)));
    change.push_back(table.keep(change_text(each)));
    verdict.emplace_back(is_worse(series, each) ? "worse" : "better");
    p.push_back(table.keep(p_text(each.p)));
  }
  table.columns[2].yields = 1;  // when: the plot shows about
  return table;
}

std::string changes_text(const gate::HistorySeries& series, const RenderOptions& options) {
  constexpr size_t kFewest = 4;
  if (series.points.size() < kFewest) {
    return fmt::format("Change points need at least {} values.\n", kFewest);
  }
  if (series.changes.empty()) return "No change points.\n";
  std::string text;
  const auto format = find_table_format("column");
  if (format) (*format)->render(change_table(series), options, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

std::string history_text(const gate::History& history, const RenderOptions& options) {
  const size_t width = options.width == 0 ? kUsualWidth : options.width;
  RenderOptions in_width = options;
  in_width.width = width;
  std::string text;
  for (const gate::HistorySeries& series : history.series) {
    text += wrapped(heading(series), 0, width);
    text += "\n" + history_plot(series, std::min(width, kWidestPlot)) + "\n" + changes_text(series, in_width) + "\n";
  }
  for (const std::string& note : history.notes) text += wrapped("Note: " + note, 0, width) + "\n";
  return text;
}

}  // namespace sonde
