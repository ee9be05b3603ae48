#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/calendar.h"
#include "report/history/history_report.h"
#include "report/tables/quantity.h"
#include "report/text/plain_text.h"
#include "report/text/svg_plot.h"

namespace sonde {
namespace {

constexpr double kWidth = 960;
constexpr double kSvgHeight = 280;  // of a series
constexpr double kLeft = 84;
constexpr double kRight = 20;
constexpr double kTop = 56;
constexpr double kBottom = 44;
constexpr int kTicks = 4;

constexpr std::string_view kRules = R"(.sonde-history .dot{fill:var(--dot)}
.sonde-history .level{stroke:var(--fg);stroke-width:1.5;fill:none;opacity:.7}
.sonde-history .worse{stroke:var(--worse);stroke-dasharray:4 3}.sonde-history .better{stroke:var(--better);stroke-dasharray:4 3}
.sonde-history text.is-worse{fill:var(--worse)}.sonde-history text.is-better{fill:var(--better)}
)";

/// About kTicks of them.
double tick_step(double span) { return step_above(span / kTicks, std::array{1.0, 2.0, 5.0}); }

/// Places of the values of one series.
class Frame {
 public:
  Frame(const gate::HistorySeries& series, double top) : count_(series.points.size()), top_(top) {
    const auto [least, most] = std::ranges::minmax(series.points, {}, &gate::HistoryPoint::value);
    const double size = std::max(std::abs(least.value), std::abs(most.value));
    const double span = most.value > least.value ? most.value - least.value : size == 0 ? 1 : size / 5;
    constexpr double kRoom = 0.08;  // above and below, of the span
    least_ = least.value - kRoom * span;
    most_ = most.value + kRoom * span;
  }

  [[nodiscard]] double x(double index) const {
    const double inside = kWidth - kLeft - kRight;
    return count_ < 2 ? kLeft + inside / 2 : kLeft + inside * index / static_cast<double>(count_ - 1);
  }
  [[nodiscard]] double y(double value) const {
    return bottom() - (bottom() - top()) * (value - least_) / (most_ - least_);
  }
  [[nodiscard]] double top() const { return top_ + kTop; }
  [[nodiscard]] double bottom() const { return top_ + kSvgHeight - kBottom; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }

 private:
  size_t count_;
  double top_;
  double least_ = 0;
  double most_ = 1;
};

std::string axes(const gate::HistorySeries& series, const Frame& frame) {
  std::string text;
  const double step = tick_step(frame.most() - frame.least());
  for (double value = std::ceil(frame.least() / step) * step; value <= frame.most(); value += step) {
    const double shown = std::abs(value) < step / 2 ? 0 : value;
    text += fmt::format(R"(<line class="grid" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kLeft,
                        frame.y(value), kWidth - kRight, frame.y(value));
    text += fmt::format(R"(<text class="small" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)", kLeft - 8,
                        frame.y(value) + 4, xml_text(value_text(series, shown)));
    text += '\n';
  }
  return text;
}

/// Name and day of the first, the last and some values between.
std::string value_names(const gate::HistorySeries& series, const Frame& frame) {
  constexpr size_t kMost = 6;
  constexpr size_t kDay = 10;
  const size_t count = std::min(kMost, series.points.size());
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = count == 1 ? 0 : i * (series.points.size() - 1) / (count - 1);
    const gate::HistoryPoint& point = series.points[at];
    const char* anchor = count > 1 && i == 0 ? "start" : count > 1 && i + 1 == count ? "end" : "middle";
    const double x = frame.x(static_cast<double>(at));
    const std::string day = moment_text(point.time_s).substr(0, kDay);
    text += fmt::format(R"(<text class="small" text-anchor="{}" x="{:.1f}" y="{:.1f}">{}</text>)", anchor, x,
                        frame.bottom() + 18, day);
    if (!point.commit.empty()) {
      text += fmt::format(R"(<text class="small" text-anchor="{}" x="{:.1f}" y="{:.1f}">{}</text>)", anchor, x,
                          frame.bottom() + 32, xml_text(point_name(point)));
    }
    text += '\n';
  }
  return text;
}

std::string level(const Frame& frame, size_t first, size_t last, double value) {
  constexpr double kHalf = 0.4;  // of the way to the next value, so that the level of one value is seen
  return fmt::format(R"(<line class="level" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)",
                     frame.x(static_cast<double>(first) - (first == 0 ? 0 : kHalf)), frame.y(value),
                     frame.x(static_cast<double>(last) + kHalf), frame.y(value)) +
         "\n";
}

std::string change_marks(const gate::HistorySeries& series, const Frame& frame) {
  std::string text;
  for (size_t i = 0; i < series.changes.size(); ++i) {
    const gate::ChangePoint& change = series.changes[i];
    const bool worse = is_worse(series, change);
    const char* kind = worse ? "worse" : "better";
    constexpr double kBetween = 0.5;  // the change is between two values
    const double x = frame.x(static_cast<double>(change.index) - kBetween);
    text += fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x,
                        frame.top() - 6, x, frame.bottom());
    text += fmt::format(R"(<text class="is-{}" text-anchor="middle" x="{:.1f}" y="{:.1f}">{} {} {}</text>)", kind, x,
                        frame.top() - 12, change_mark(i + 1), change.after > change.before ? "▲" : "▼",
                        change_text(change));
    text += '\n';
  }
  return text;
}

std::string levels(const gate::HistorySeries& series, const Frame& frame) {
  std::string text;
  size_t first = 0;
  for (const gate::ChangePoint& change : series.changes) {
    text += level(frame, first, change.index - 1, change.before);
    first = change.index;
  }
  if (!series.changes.empty()) text += level(frame, first, series.points.size() - 1, series.changes.back().after);
  return text;
}

std::string dots(const gate::HistorySeries& series, const Frame& frame) {
  constexpr size_t kMany = 300;
  const double radius = series.points.size() > kMany ? 1.5 : 3;
  std::string text;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const gate::HistoryPoint& point = series.points[i];
    text += fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="{}"><title>{}, {} UTC: {}</title></circle>)",
                        frame.x(static_cast<double>(i)), frame.y(point.value), radius, xml_text(point_name(point)),
                        moment_text(point.time_s, ' '), xml_text(value_text(series, point.value)));
    text += '\n';
  }
  return text;
}

std::string series_svg(const gate::HistorySeries& series, double top) {
  const Frame frame(series, top);
  return fmt::format(R"(<text class="title" x="{}" y="{}">{} ({} is better)</text>)", 12, top + 22,
                     xml_text(series_title(series)), series.better == gate::Better::lower ? "lower" : "higher") +
         "\n" + axes(series, frame) + value_names(series, frame) + levels(series, frame) + dots(series, frame) +
         change_marks(series, frame);
}

}  // namespace

std::string history_svg(const gate::History& history) {
  const double height = kSvgHeight * static_cast<double>(std::max<size_t>(history.series.size(), 1));
  std::string text = svg_begin({.name = "sonde-history",
                                .label = "Metrics over time",
                                .width = kWidth,
                                .height = height,
                                .colors = "--dot:#0a62a8;--worse:#a4290f;--better:#1a6b3c;",
                                .dark_colors = "--dot:#62b0ee;--worse:#ff9b82;--better:#7fd6a0",
                                .rules = kRules});
  for (size_t i = 0; i < history.series.size(); ++i) {
    text += series_svg(history.series[i], kSvgHeight * static_cast<double>(i));
  }
  return text + "</svg>\n";
}

}  // namespace sonde
