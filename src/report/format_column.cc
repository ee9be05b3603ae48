#include <algorithm>
#include <vector>

#include "report/cells.h"
#include "report/text_width.h"

namespace sonde {
namespace {

/// As in `nsys stats`: widths come from the header and the first rows, and no column is wider than this.
constexpr size_t kMeasuredRows = 100;
constexpr size_t kWidestColumn = 100;
/// On a narrow terminal text columns shrink, but not below this.
constexpr size_t kNarrowestText = 16;

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";

class ColumnRenderer {
 public:
  ColumnRenderer(const Table& table, const RenderOptions& options) : table_(table), options_(options) {
    for (const Column& column : table.columns) headers_.push_back(header_of(column, *options.time_unit));
    measure();
    if (options.width > 0) fit(options.width);
  }

  void render(const Sink& sink) const {
    std::string header;
    std::string rule;
    for (size_t c = 0; c < widths_.size(); ++c) {
      header += (c == 0 ? " " : "  ") + centred(headers_[c], widths_[c]);
      rule += (c == 0 ? " " : "  ") + std::string(widths_[c], '-');
    }
    if (options_.colors) header = std::string(kBold) + header + std::string(kPlain);
    sink(header + "\n" + rule + "\n");
    for (size_t row = 0; row < table_.rows(); ++row) sink(line(row));
  }

 private:
  [[nodiscard]] std::string cell(size_t column, size_t row) const {
    std::string text;
    append_cell(text, table_.columns[column], row, *options_.time_unit, Digits::grouped);
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  void measure() {
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      size_t width = text_width(headers_[c]);
      for (size_t row = 0; row < std::min(table_.rows(), kMeasuredRows); ++row) {
        width = std::max(width, text_width(cell(c, row)));
      }
      widths_.push_back(std::min(width, kWidestColumn));
    }
  }

  /// Takes what is too wide off the widest text columns.
  void fit(size_t terminal) {
    size_t total = 2 * widths_.size() - 1;
    for (const size_t w : widths_) total += w;
    while (total > terminal) {
      size_t* widest = nullptr;
      for (size_t c = 0; c < widths_.size(); ++c) {
        if (is_text(table_.columns[c]) && (widest == nullptr || widths_[c] > *widest)) widest = &widths_[c];
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
      const std::string shown = is_text(table_.columns[c]) ? cut_middle(cell(c, row), widths_[c]) : cell(c, row);
      const size_t room = widths_[c] - std::min(widths_[c], text_width(shown));
      text += c == 0 ? " " : "  ";
      text += is_text(table_.columns[c]) ? shown + std::string(room, ' ') : std::string(room, ' ') + shown;
    }
    return text + "\n";
  }

  const Table& table_;
  const RenderOptions& options_;
  std::vector<std::string> headers_;
  std::vector<size_t> widths_;
};

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  ColumnRenderer(table, options).render(sink);
}

}  // namespace

extern const TableFormat column_format;
const TableFormat column_format{"column", "aligned columns, for people", "txt", true, render};

}  // namespace sonde
