#include "report/text/gaps_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {
namespace {

/// The gaps of one line; `detail`: of them, which share it.
bool is_on_line(const ColumnGap& gap, const ColumnGap& first) {
  const bool by_gpu = gap.why == ColumnGap::Why::not_on_this_gpu;
  return gap.why == first.why && gap.every_row == first.every_row && (!by_gpu || gap.detail == first.detail);
}

std::string head_of(const ColumnGap& first) {
  const std::string_view some = first.every_row ? "" : " for some kernels";
  switch (first.why) {
    case ColumnGap::Why::not_on_this_gpu: return fmt::format("note: not on {}{}: ", first.detail, some);
    case ColumnGap::Why::not_recorded: return fmt::format("note: not recorded{}: ", some);
    case ColumnGap::Why::not_collected: break;
  }
  return fmt::format("note: not collected{}: ", some);
}

/// "L2 Hit, L1 Hit (ncu --section MemoryWorkloadAnalysis), Top Stall (ncu --section WarpStateStats)"
std::string list_of(const std::vector<const ColumnGap*>& line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const ColumnGap& gap = *line[i];
    text += fmt::format("{}{}", i == 0 ? "" : ", ", gap.title);
    const bool is_last_of_option = i + 1 == line.size() || line[i + 1]->detail != gap.detail;
    if (gap.why == ColumnGap::Why::not_collected && is_last_of_option) text += fmt::format(" ({})", gap.detail);
  }
  return text;
}

}  // namespace

std::string gaps_text(std::span<const ColumnGap> gaps) {
  std::string text;
  for (auto first = gaps.begin(); first != gaps.end(); ++first) {
    const auto same = [&](const ColumnGap& gap) { return is_on_line(gap, *first); };
    if (std::any_of(gaps.begin(), first, same)) continue;
    std::vector<const ColumnGap*> line;
    for (const ColumnGap& gap : gaps) {
      if (same(gap)) line.push_back(&gap);
    }
    std::ranges::stable_sort(line, {}, [&](const ColumnGap* gap) {
      return std::ranges::find(line, gap->detail, &ColumnGap::detail) - line.begin();
    });
    text += head_of(*first) + list_of(line) + "\n";
  }
  return text;
}

}  // namespace sonde
