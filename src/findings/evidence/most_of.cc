#include "findings/evidence/most_of.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace sonde {

std::string most_of(const std::map<std::string, int64_t>& time_by_name, int64_t whole) {
  constexpr size_t kMaxNames = 3;
  constexpr double kMinPercent = 1;
  std::vector<std::pair<std::string, int64_t>> names(time_by_name.begin(), time_by_name.end());
  std::ranges::stable_sort(names, std::greater(), [](const auto& name) { return name.second; });
  names.resize(std::min(names.size(), kMaxNames));
  std::string text;
  for (const auto& [name, ns] : names) {
    const double percent = whole > 0 ? 100 * static_cast<double>(ns) / static_cast<double>(whole) : 0;
    if (percent >= kMinPercent) text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, percent);
  }
  return text;
}

std::string most_of(const std::map<std::string, int64_t>& time_by_name) {
  int64_t whole = 0;
  for (const auto& [name, ns] : time_by_name) whole += ns;
  return most_of(time_by_name, whole);
}

}  // namespace sonde
