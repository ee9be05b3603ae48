#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "cli/simulate/plots.h"
#include "cli/top/sparkline.h"
#include "report/tables/quantity.h"

namespace sonde::simulate {
namespace {

using dispatch::simulation::Moment;
using dispatch::simulation::Outcome;

constexpr double kPercent = 100;

/// Percent of `most`: the highest of the moments that fall into each of `width` parts of the time.
template <typename Get>
std::deque<std::optional<double>> parts(const Outcome& outcome, int64_t until_ns, size_t width, double most, Get get) {
  std::deque<std::optional<double>> all(width);
  for (const Moment& moment : outcome.moments) {
    const double place = static_cast<double>(moment.at_ns) / static_cast<double>(std::max<int64_t>(until_ns, 1));
    const auto at = std::min(static_cast<size_t>(place * static_cast<double>(width)), width - 1);
    const double percent = most > 0 ? kPercent * get(moment) / most : 0;
    all[at] = std::max(all[at].value_or(0), percent);
  }
  return all;
}

}  // namespace

std::string bars_text(std::span<const Outcome> outcomes, size_t width) {
  constexpr size_t kLeft = 18;
  constexpr size_t kRight = 12;
  constexpr size_t kUsual = 72;
  const size_t columns = width > kLeft + kRight + 20 ? width - kLeft - kRight : kUsual;
  int64_t until_ns = 0;
  int64_t longest = 0;
  for (const Outcome& outcome : outcomes) {
    for (const Moment& moment : outcome.moments) {
      until_ns = std::max(until_ns, moment.at_ns);
      longest = std::max(longest, moment.waiting);
    }
  }
  std::string text = fmt::format("Over {:.3g} h: tasks that wait, of {} at most, and use of the GPUs\n",
                                 static_cast<double>(until_ns) / 3600e9, count_text(longest));
  for (const Outcome& outcome : outcomes) {
    const auto waiting = parts(outcome, until_ns, columns, static_cast<double>(longest),
                               [](const Moment& moment) { return static_cast<double>(moment.waiting); });
    const auto use = parts(outcome, until_ns, columns, 1, [](const Moment& moment) { return moment.use; });
    text += fmt::format("{:<{}}{} waiting\n", outcome.strategy, kLeft, top::sparkline(waiting, columns, false));
    text += fmt::format("{:<{}}{} GPU use\n", "", kLeft, top::sparkline(use, columns, false));
  }
  return text;
}

}  // namespace sonde::simulate
