#include <algorithm>

#include "base/text/text_width.h"
#include "report/kernel_pages/source_rows.h"

namespace sonde {
namespace kernel_source_text_page {
namespace {

/// 0 for the column of instructions where no row has its text.
std::vector<size_t> widths_of(const SourceRows& source) {
  std::vector<size_t> widths;
  for (const std::string& title : source.titles) widths.push_back(text_width(title));
  for (const auto& row : source.rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  const bool instructions = std::ranges::any_of(source.rows, [](const auto& row) { return !row[1].empty(); });
  if (!instructions) widths[1] = 0;
  return widths;
}

/// Address and instruction to the left, numbers to the right.
std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  constexpr size_t kLeftAligned = 2;
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string blanks(widths[i] - text_width(cells[i]), ' ');
    text += (i == 0 ? "    " : "  ") + (i < kLeftAligned ? cells[i] + blanks : blanks + cells[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

void write(const KernelPage& page, const Sink& sink) {
  for (const KernelProfile* kernel : page.kernels) {
    const SourceRows source = source_rows(page, *kernel);
    if (source.rows.empty()) {
      sink(fmt::format("  {}\n    the report does not contain its code\n\n", page.trace->name(kernel->name)));
      continue;
    }
    const auto widths = widths_of(source);
    sink(fmt::format("  {}\n", source.kernel) + line(source.titles, widths));
    for (const auto& row : source.rows) sink(line(row, widths));
    sink("\n");
  }
}

}  // namespace
}  // namespace kernel_source_text_page

extern const KernelPageFormat kernel_source_text;
const KernelPageFormat kernel_source_text{
    .page = "source",
    .format = "text",
    .description = "instructions with their counters and samples",
    .write = kernel_source_text_page::write,
};

}  // namespace sonde
