#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text_width.h"
#include "report/history/history_report.h"

namespace sonde {
namespace {

constexpr size_t kPlotLines = 9;   // lines
constexpr size_t kDotsAcross = 2;  // of a braille character
constexpr size_t kDotsDown = 4;
constexpr size_t kNarrowest = 10;
constexpr std::string_view kAxis = " ┤";

/// Bits of the dots of U+2800 + bits, by column and row.
constexpr std::array<std::array<unsigned, kDotsDown>, kDotsAcross> kDots = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

void append_braille(std::string& text, unsigned dots) {
  // U+2800 to U+28FF in UTF-8.
  text += '\xE2';
  text += static_cast<char>(0xA0 + (dots >> 6));
  text += static_cast<char>(0x80 + (dots & 0x3F));
}

struct Range {
  double least = 0;
  double most = 0;
};

Range range_of(const gate::HistorySeries& series) {
  const auto [least, most] = std::ranges::minmax(series.points, {}, &gate::HistoryPoint::value);
  if (least.value < most.value) return {least.value, most.value};
  const double room = least.value == 0 ? 1 : std::abs(least.value) / 10;
  return {least.value - room, most.value + room};
}

/// Characters of the plot's inside: what dots each cell has, and where a level runs.
class Canvas {
 public:
  Canvas(size_t width, size_t points, Range range)
      : width_(width), points_(points), range_(range), dots_(width * kPlotLines), levels_(width * kPlotLines) {}

  void add_point(size_t index, double value) {
    const size_t x = dot_column(index);
    const size_t y = dot_row(value);
    dots_[y / kDotsDown * width_ + x / kDotsAcross] |= kDots[x % kDotsAcross][y % kDotsDown];
  }

  /// From value `first` to value `last`.
  void add_level(size_t first, size_t last, double value) {
    const size_t row = dot_row(value) / kDotsDown;
    for (size_t c = column(first); c <= column(last); ++c) levels_[row * width_ + c] = true;
  }

  [[nodiscard]] size_t column(size_t index) const { return dot_column(index) / kDotsAcross; }
  [[nodiscard]] size_t row(double value) const { return dot_row(value) / kDotsDown; }

  [[nodiscard]] std::string line(size_t row) const {
    std::string text;
    for (size_t cell = row * width_; cell < (row + 1) * width_; ++cell) {
      if (dots_[cell] != 0) {
        append_braille(text, dots_[cell]);
      } else {
        text += levels_[cell] ? "─" : " ";
      }
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

 private:
  [[nodiscard]] size_t dot_column(size_t index) const {
    if (points_ < 2) return width_ * kDotsAcross / 2;
    return index * (width_ * kDotsAcross - 1) / (points_ - 1);
  }

  /// From the top.
  [[nodiscard]] size_t dot_row(double value) const {
    const double share = (value - range_.least) / (range_.most - range_.least);
    constexpr size_t kLast = kPlotLines * kDotsDown - 1;
    return kLast - static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(kLast)));
  }

  size_t width_;
  size_t points_;
  Range range_;
  std::vector<unsigned> dots_;
  std::vector<bool> levels_;
};

void draw(const gate::HistorySeries& series, Canvas& canvas) {
  for (size_t i = 0; i < series.points.size(); ++i) canvas.add_point(i, series.points[i].value);
  size_t first = 0;
  for (const gate::ChangePoint& change : series.changes) {
    canvas.add_level(first, change.index - 1, change.before);
    first = change.index;
  }
  if (!series.changes.empty()) canvas.add_level(first, series.points.size() - 1, series.changes.back().after);
}

/// The numbers of the changes under their places; of two in one place the first.
std::string marks(const gate::HistorySeries& series, const Canvas& canvas, size_t width) {
  std::string text(width, ' ');
  for (size_t i = 0; i < series.changes.size(); ++i) {
    char& place = text[canvas.column(series.changes[i].index)];
    if (place == ' ') place = change_mark(i + 1);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The first and last value's names at the ends.
std::string ends(const gate::HistorySeries& series, size_t width) {
  const std::string first = point_name(series.points.front());
  const std::string last = point_name(series.points.back());
  const size_t used = text_width(first) + text_width(last);
  if (series.points.size() < 2 || used + 1 > width) return cut_middle(first, width);
  return first + std::string(width - used, ' ') + last;
}

std::string right(const std::string& text, size_t width) {
  const size_t used = text_width(text);
  return std::string(width > used ? width - used : 0, ' ') + text;
}

}  // namespace

std::string history_plot(const gate::HistorySeries& series, size_t width) {
  if (series.points.empty()) return {};
  const Range range = range_of(series);
  const double middle = (range.least + range.most) / 2;
  const std::array labels = {value_text(series, range.most), value_text(series, middle),
                             value_text(series, range.least)};
  size_t label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, text_width(label));
  const size_t margin = label_width + text_width(kAxis);
  const size_t inside = std::max(kNarrowest, width > margin ? width - margin : 0);
  Canvas canvas(inside, series.points.size(), range);
  draw(series, canvas);
  std::string text;
  for (size_t row = 0; row < kPlotLines; ++row) {
    const bool labelled = row == 0 || row == kPlotLines / 2 || row + 1 == kPlotLines;
    const std::string& label = labels[row == 0 ? 0 : row + 1 == kPlotLines ? 2 : 1];
    text +=
        fmt::format("{}{}{}\n", right(labelled ? label : "", label_width), labelled ? kAxis : " │", canvas.line(row));
  }
  const std::string blank(margin, ' ');
  if (!series.changes.empty()) text += blank + marks(series, canvas, inside) + "\n";
  return text + blank + ends(series, inside) + "\n";
}

}  // namespace sonde
