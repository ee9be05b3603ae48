#include "cli/top/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace sonde::top {

std::string sparkline(const std::deque<std::optional<double>>& percents, size_t width, bool ascii) {
  constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 8> kAscii = {"_", ".", ":", "-", "=", "+", "*", "#"};
  constexpr double kAll = 100;
  const auto& steps = ascii ? kAscii : kBlocks;
  const size_t shown = std::min(width, percents.size());
  std::string text(width - shown, ' ');
  for (size_t i = percents.size() - shown; i < percents.size(); ++i) {
    if (!percents[i]) {
      text += ' ';
      continue;
    }
    const double share = std::clamp(*percents[i] / kAll, 0.0, 1.0);
    text += steps.at(static_cast<size_t>(std::lround(share * static_cast<double>(steps.size() - 1))));
  }
  return text;
}

}  // namespace sonde::top
