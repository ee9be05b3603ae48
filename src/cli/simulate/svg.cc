#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/simulate/plots.h"
#include "report/text/plain_text.h"
#include "report/text/svg_plot.h"

namespace sonde::simulate {
namespace {

using dispatch::simulation::Moment;
using dispatch::simulation::Outcome;

constexpr double kWidth = 960;
constexpr double kHeight = 220;  ///< of a strategy
constexpr double kLeft = 70;
constexpr double kRight = 60;
constexpr double kTop = 34;
constexpr double kBottom = 30;
constexpr double kHour_ns = 3600e9;

constexpr std::string_view kRules = R"(.sonde-simulation .queue{stroke:var(--queue);fill:none;stroke-width:1.5}
.sonde-simulation .use{fill:var(--use);opacity:.25;stroke:none}
.sonde-simulation text.of-queue{fill:var(--queue)}.sonde-simulation text.of-use{fill:var(--use)}
)";

/// Places in the plot of one strategy.
struct Frame {
  double top = 0;
  double until_ns = 1;
  double most_waiting = 1;

  [[nodiscard]] double x(int64_t at_ns) const {
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(at_ns) / until_ns;
  }
  [[nodiscard]] double y(double share) const {
    const double bottom = top + kHeight - kBottom;
    return bottom - (bottom - top - kTop) * share;
  }
};

/// Of hours: about eight marks.
double mark_step_ns(double until_ns) {
  constexpr double kMarks = 8;
  return step_above(until_ns / kHour_ns / kMarks, std::array{1.0, 2.0, 3.0, 5.0}) * kHour_ns;
}

std::string axes(const Frame& frame) {
  std::string text;
  for (const double share : {0.0, 0.5, 1.0}) {
    text += fmt::format(R"(<line class="grid" x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>)", kLeft, frame.y(share),
                        kWidth - kRight, frame.y(share));
    text += fmt::format(R"(<text class="small of-queue" text-anchor="end" x="{}" y="{:.1f}">{:g}</text>)", kLeft - 8,
                        frame.y(share) + 4, share * frame.most_waiting);
    text += fmt::format(R"(<text class="small of-use" x="{}" y="{:.1f}">{:.0f} %</text>)", kWidth - kRight + 8,
                        frame.y(share) + 4, 100 * share);
    text += '\n';
  }
  const double step_ns = mark_step_ns(frame.until_ns);
  for (double at_ns = 0; at_ns <= frame.until_ns; at_ns += step_ns) {
    text += fmt::format(R"(<text class="small" text-anchor="middle" x="{:.1f}" y="{:.1f}">{:g} h</text>)",
                        frame.x(static_cast<int64_t>(at_ns)), frame.y(0) + 18, at_ns / kHour_ns);
  }
  return text + '\n';
}

std::string curves(const Outcome& outcome, const Frame& frame) {
  std::string area = fmt::format("M{:.1f},{:.1f}", frame.x(0), frame.y(0));
  std::string line;
  for (const Moment& moment : outcome.moments) {
    const double x = frame.x(moment.at_ns);
    area += fmt::format(" L{:.1f},{:.1f}", x, frame.y(moment.use));
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "M" : " L", x,
                        frame.y(static_cast<double>(moment.waiting) / frame.most_waiting));
  }
  if (!outcome.moments.empty())
    area += fmt::format(" L{:.1f},{:.1f} Z", frame.x(outcome.moments.back().at_ns), frame.y(0));
  return fmt::format("<path class=\"use\" d=\"{}\"/>\n<path class=\"queue\" d=\"{}\"/>\n", area, line);
}

std::string title(const Outcome& outcome, const Frame& frame) {
  return fmt::format(
             R"(<text class="title" x="{}" y="{:.1f}">{}</text><text class="small of-queue" x="{}" y="{:.1f}">tasks that wait</text>)"
             R"(<text class="small of-use" x="{}" y="{:.1f}">use of the GPUs</text>)",
             kLeft, frame.top + 20, xml_text(outcome.strategy), kLeft + 200, frame.top + 20, kLeft + 320,
             frame.top + 20) +
         "\n";
}

}  // namespace

std::string plot_svg(std::span<const Outcome> outcomes) {
  Frame frame;
  for (const Outcome& outcome : outcomes) {
    for (const Moment& moment : outcome.moments) {
      frame.until_ns = std::max(frame.until_ns, static_cast<double>(moment.at_ns));
      frame.most_waiting = std::max(frame.most_waiting, static_cast<double>(moment.waiting));
    }
  }
  const double height = kHeight * static_cast<double>(outcomes.size());
  std::string text = svg_begin({.name = "sonde-simulation",
                                .label = "Queue and use of the GPUs over time",
                                .width = kWidth,
                                .height = height,
                                .colors = "--queue:#0a62a8;--use:#1a6b3c;",
                                .dark_colors = "--queue:#62b0ee;--use:#7fd6a0",
                                .rules = kRules});
  for (const Outcome& outcome : outcomes) {
    text += title(outcome, frame) + axes(frame) + curves(outcome, frame);
    frame.top += kHeight;
  }
  return text + "</svg>\n";
}

}  // namespace sonde::simulate
