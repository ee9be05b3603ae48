#include <algorithm>
#include <ranges>
#include <vector>

#include <fmt/ranges.h>

#include "base/text/text_width.h"
#include "report/tables/cells.h"
#include "report/text/painted.h"

namespace sonde {
namespace column {
namespace {

/// As in `nsys stats`: widths come from the header and the first rows, and no column is wider than this.
constexpr size_t kMeasuredRows = 100;
constexpr size_t kWidestColumn = 100;
/// On a narrow terminal text columns shrink, but not below this.
constexpr size_t kNarrowestText = 16;

using Lines = std::vector<std::string>;

size_t width_of(const Lines& lines) {
  size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line));
  return width;
}

/// A header broken at blanks into lines of at most `width`, where its words allow that.
Lines broken(std::string_view header, size_t width) {
  Lines lines;
  for (const auto part : header | std::views::split(' ')) {
    const std::string word(std::string_view{part});
    if (!lines.empty() && text_width(lines.back()) + 1 + text_width(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

class ColumnRenderer {
 public:
  ColumnRenderer(const Table& table, const RenderOptions& options) : table_(table), options_(options) {
    for (const Column& column : table.columns) {
      columns_.push_back(&column);
      headers_.push_back({header_of(column, *options.time_unit)});
    }
    measure();
    if (options.width > 0) fit(options.width);
  }

  void render(const Sink& sink) const {
    std::string rule;
    for (size_t c = 0; c < widths_.size(); ++c) rule += (c == 0 ? " " : "  ") + std::string(widths_[c], '-');
    sink(header() + rule + "\n");
    for (size_t row = 0; row < table_.rows(); ++row) sink(line(row));
    if (!left_out_.empty()) sink(fmt::format("Omitted at this width: {}.\n", fmt::join(left_out_, ", ")));
  }

 private:
  [[nodiscard]] std::string cell(size_t column, size_t row) const {
    if (is_absent(*columns_[column], row)) return std::string(options_.absent);
    std::string text;
    append_cell(text, *columns_[column], row, *options_.time_unit, Digits::grouped);
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  /// Lines of a header are at the bottom.
  [[nodiscard]] std::string header() const {
    size_t height = 0;
    for (const Lines& lines : headers_) height = std::max(height, lines.size());
    std::string text;
    for (size_t i = 0; i < height; ++i) {
      std::string line;
      for (size_t c = 0; c < widths_.size(); ++c) {
        const size_t above = height - headers_[c].size();
        line += (c == 0 ? " " : "  ") + centred(i < above ? std::string() : headers_[c][i - above], widths_[c]);
      }
      text += painted(line, Paint::strong, options_.colors) + "\n";
    }
    return text;
  }

  void measure() {
    widths_.clear();
    for (size_t c = 0; c < columns_.size(); ++c) {
      size_t width = width_of(headers_[c]);
      for (size_t row = 0; row < std::min(table_.rows(), kMeasuredRows); ++row) {
        width = std::max(width, text_width(cell(c, row)));
      }
      widths_.push_back(std::min(width, kWidestColumn));
    }
  }

  [[nodiscard]] size_t total_width() const {
    size_t total = 2 * widths_.size() - 1;
    for (const size_t w : widths_) total += w;
    return total;
  }

  /// Columns no wider than a word of their header or their cells.
  void break_headers() {
    std::vector<std::string> whole;
    for (Lines& lines : headers_) {
      whole.push_back(lines.front());
      lines = broken(whole.back(), 0);
    }
    measure();
    for (size_t c = 0; c < headers_.size(); ++c) headers_[c] = broken(whole[c], widths_[c]);
  }

  /// Leaves out columns that yield until the others fit.
  void leave_out(size_t terminal) {
    while (total_width() > terminal) {
      const auto least = std::ranges::max_element(columns_, {}, &Column::yields);
      if ((*least)->yields == 0) return;
      left_out_.push_back((*least)->name);
      const auto c = least - columns_.begin();
      columns_.erase(least);
      headers_.erase(headers_.begin() + c);
      widths_.erase(widths_.begin() + c);
    }
  }

  /// Breaks headers, leaves columns out, then takes what is still too wide off the widest text columns.
  void fit(size_t terminal) {
    if (total_width() > terminal) break_headers();
    leave_out(terminal);
    size_t total = total_width();
    while (total > terminal) {
      size_t* widest = nullptr;
      for (size_t c = 0; c < widths_.size(); ++c) {
        if (is_text(*columns_[c]) && (widest == nullptr || widths_[c] > *widest)) widest = &widths_[c];
      }
      if (widest == nullptr || *widest <= kNarrowestText) return;
      --*widest;
      --total;
    }
  }

  [[nodiscard]] static std::string centred(const std::string& text, size_t width) {
    const std::string shown = cut_middle(text, width);
    const size_t room = width - text_width(shown);
    return std::string(room / 2, ' ') + shown + std::string(room - room / 2, ' ');
  }

  [[nodiscard]] std::string line(size_t row) const {
    std::string text;
    for (size_t c = 0; c < widths_.size(); ++c) {
      const std::string shown = is_text(*columns_[c]) ? cut_middle(cell(c, row), widths_[c]) : cell(c, row);
      const size_t room = widths_[c] - std::min(widths_[c], text_width(shown));
      text += c == 0 ? " " : "  ";
      text += is_text(*columns_[c]) ? shown + std::string(room, ' ') : std::string(room, ' ') + shown;
    }
    return text + "\n";
  }

  const Table& table_;
  const RenderOptions& options_;
  std::vector<const Column*> columns_;
  std::vector<Lines> headers_;
  std::vector<size_t> widths_;
  std::vector<std::string> left_out_;  ///< names of columns
};

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  ColumnRenderer(table, options).render(sink);
}

}  // namespace
}  // namespace column

extern const TableFormat column_format;
const TableFormat column_format{"column", "aligned columns, for reading", "txt", true, column::render};

}  // namespace sonde
