#include <cmath>

#include "base/text/calendar.h"
#include "report/history/history_report.h"
#include "report/tables/quantity.h"

namespace sonde {

std::string change_text(const gate::ChangePoint& change) {
  if (change.before == 0) return "from 0";
  const double percent = 100 * (change.after - change.before) / std::abs(change.before);
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 1 ? 2 : 1);
}

std::string series_title(const gate::HistorySeries& series) {
  return series.title.empty() ? series.metric : fmt::format("{}, {}", series.metric, series.title);
}

std::string point_name(const gate::HistoryPoint& point) {
  if (!point.commit.empty()) return gate::short_commit(point.commit);
  if (!point.entry.empty()) return std::string(gate::entry_number({.id = point.entry}));
  constexpr size_t kDay = 10;
  return moment_text(point.time_s).substr(0, kDay);
}

std::string p_text(double p) {
  constexpr double kSmallest = 1e-16;  // below it rounding is all that is left
  if (p < kSmallest) return "<1e-16";
  return fmt::format("{:.1e}", p);
}

char change_mark(size_t number) {
  constexpr std::string_view kMarks = "123456789abcdefghijklmnopqrstuvwxyz";
  return number <= kMarks.size() ? kMarks[number - 1] : '+';
}

std::string value_text(const gate::HistorySeries& series, double value) {
  constexpr int kDigits = 4;
  constexpr double kManyDigits = 10'000;
  // A part of a count that has as many digits before the point says nothing more.
  const double shown = series.unit == Unit::none && std::abs(value) >= kManyDigits ? std::round(value) : value;
  return amount_text(shown, series.unit, kDigits);
}

}  // namespace sonde
