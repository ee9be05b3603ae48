#include "report/text/kernel_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text_width.h"
#include "report/tables/quantity.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace {

constexpr std::array<std::string_view, 3> kMetricTitles = {"Metric Name", "Metric Unit", "Metric Value"};

void add_known(std::string& text, std::string_view what, int64_t value) {
  if (value != kUnknown) text += fmt::format(", {} {}", what, value);
}

std::string padded(std::string_view text, size_t width, bool right) {
  const std::string blanks(width - std::min(width, text_width(text)), ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

/// Whether a range lies in the one before it: on the same stack of a thread in a domain.
bool is_nested(const OpenRange& range, const OpenRange& outer) {
  const bool push_pop = range.style == RangeStyle::push_pop && outer.style == RangeStyle::push_pop;
  return push_pop && range.domain == outer.domain && range.thread == outer.thread;
}

/// "step/encoder, cuBLAS: gemm": the stacks, outermost range first, with the name of their domain.
std::string ranges_text(const Trace& trace, std::span<const OpenRange> ranges) {
  std::string text;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const std::string_view name = ranges[i].name == kNone ? "(no name)" : trace.name(ranges[i].name);
    if (i > 0 && is_nested(ranges[i], ranges[i - 1])) {
      text += fmt::format("/{}", name);
      continue;
    }
    text += i == 0 ? "" : ", ";
    if (ranges[i].domain != kNone) text += fmt::format("{}: ", trace.name(ranges[i].domain));
    text += name;
  }
  return text;
}

using Cells = std::array<std::string_view, 3>;

std::string line(const Cells& cells, const std::array<size_t, 3>& widths) {
  return "    " + padded(cells[0], widths[0], false) + " " + padded(cells[1], widths[1], true) + " " +
         padded(cells[2], widths[2], true) + "\n";
}

}  // namespace

std::string kernel_heading(const Trace& trace, const KernelProfile& kernel) {
  std::string text = fmt::format("  {} {}x{}", without_casts(trace.name(kernel.name)), dim3_text(kernel.grid),
                                 dim3_text(kernel.block));
  add_known(text, "Context", kernel.context);
  add_known(text, "Stream", kernel.stream);
  if (kernel.device != kNone) text += fmt::format(", Device {}", trace.devices[kernel.device].id);
  const std::string capability = capability_text(trace, kernel);
  if (!capability.empty()) text += ", CC " + capability;
  text += fmt::format("\n    ID {}\n", kernel.id);
  if (!kernel.ranges.empty()) text += fmt::format("    NVTX: {}\n", ranges_text(trace, kernel.ranges));
  return text;
}

std::string metric_lines(std::span<const ShownMetric> metrics) {
  std::array<size_t, 3> widths{};
  const auto widen = [&](const Cells& cells) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], text_width(cells[i]));
  };
  widen(kMetricTitles);
  for (const ShownMetric& metric : metrics) widen({metric.label, metric.unit, metric.value});
  std::array<std::string, 3> dashes;
  for (size_t i = 0; i < dashes.size(); ++i) dashes[i] = std::string(widths[i], '-');
  const std::string rule = line({dashes[0], dashes[1], dashes[2]}, widths);
  std::string text = rule + line(kMetricTitles, widths) + rule;
  for (const ShownMetric& metric : metrics) text += line({metric.label, metric.unit, metric.value}, widths);
  return text + rule;
}

std::string wrapped(std::string_view head, size_t indent, std::string_view text, size_t width) {
  std::string out(head);
  out.resize(std::max(indent, head.size()), ' ');
  size_t column = text_width(out);
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (!first && width > 0 && column + 1 + text_width(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    out += first ? "" : " ";
    out += word;
    column += text_width(word) + (first ? 0 : 1);
    first = false;
  }
  return out + "\n";
}

}  // namespace sonde
