#include "cli/tasks/grid.h"

#include <algorithm>
#include <numeric>

#include "base/text/text_width.h"

namespace sonde::tasks {
namespace {

constexpr size_t kBetween = 2;

/// Which columns are shown, and how wide.
class Layout {
 public:
  Layout(const Grid& grid, size_t width) : grid_(grid), width_(width) {
    shown_.resize(grid.columns.size());
    std::iota(shown_.begin(), shown_.end(), size_t{0});
    natural_.resize(grid.columns.size());
    for (size_t c = 0; c < grid.columns.size(); ++c) natural_[c] = natural_width(c);
    widths_ = natural_;
    if (width != 0) fit();
  }

  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const {
    std::string line;
    for (const size_t c : shown_) {
      const Column& column = grid_.columns[c];
      const std::string text = column.sentence ? cut_end(cells[c], widths_[c]) : cut_middle(cells[c], widths_[c]);
      const std::string blanks(widths_[c] - std::min(widths_[c], text_width(text)), ' ');
      if (c != shown_.front()) line += std::string(kBetween, ' ');
      line += column.left ? text + blanks : blanks + text;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

 private:
  [[nodiscard]] size_t natural_width(size_t c) const {
    size_t widest = text_width(grid_.columns[c].title);
    for (const auto& row : grid_.rows) widest = std::max(widest, text_width(row[c]));
    const size_t most = grid_.columns[c].most;
    return width_ == 0 || most == 0 ? widest : std::min(widest, most);
  }

  [[nodiscard]] size_t narrowest(size_t c) const {
    const Column& column = grid_.columns[c];
    return column.least == 0 ? natural_[c] : std::min(natural_[c], std::max(column.least, text_width(column.title)));
  }

  [[nodiscard]] size_t least_total() const {
    size_t total = kBetween * (shown_.size() - 1);
    for (const size_t c : shown_) total += narrowest(c);
    return total;
  }

  void fit() {
    while (least_total() > width_) {
      const auto first = std::ranges::max_element(shown_, {}, [&](size_t c) { return grid_.columns[c].droppable; });
      if (grid_.columns[*first].droppable == 0) break;
      shown_.erase(first);
    }
    const size_t least = least_total();
    size_t room = width_ > least ? width_ - least : 0;
    for (const size_t c : shown_) {  // what is left goes to the first columns that want it
      const size_t more = std::min(room, natural_[c] - narrowest(c));
      widths_[c] = narrowest(c) + more;
      room -= more;
    }
  }

  const Grid& grid_;
  size_t width_;
  std::vector<size_t> shown_;
  std::vector<size_t> natural_;
  std::vector<size_t> widths_;
};

}  // namespace

std::string grid_text(const Grid& grid, size_t width) {
  const Layout layout(grid, width);
  std::vector<std::string> titles;
  for (const Column& column : grid.columns) titles.emplace_back(column.title);
  std::string text = layout.line(titles);
  for (const auto& row : grid.rows) text += layout.line(row);
  return text;
}

std::string cut_end(std::string_view text, size_t width) {
  if (width == 0 || text_width(text) <= width) return std::string(text);
  size_t characters = 0;
  size_t end = 0;
  while (end < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && ++characters == width) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace sonde::tasks
