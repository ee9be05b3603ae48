#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/text/decimal.h"
#include "base/text/suggest.h"
#include "gate/history/history.h"
#include "gate/history/time_text.h"

namespace sonde::gate {
namespace {

using Cells = std::vector<std::string>;

struct Line {
  size_t number = 0;  ///< from 1
  Cells cells;
};

struct Sheet {
  Cells header;
  std::vector<Line> lines;
};

/// Reads CSV (RFC 4180): quoted cells may hold separators, line ends and doubled quotes.
class CsvReader {
 public:
  CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  /// False at the end of the text. Empty lines are passed over.
  bool next(Line& line) {
    line.cells.clear();
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) pass_line_end();
    if (at_ >= text_.size()) return false;
    line.number = number_;
    do line.cells.push_back(printable(cell()));
    while (at_ < text_.size() && text_[at_] == separator_ && ++at_ > 0);
    return true;
  }

 private:
  /// Cells go to terminals: what moves a cursor has no place in them.
  static std::string printable(std::string cell) {
    std::ranges::replace_if(cell, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
    return cell;
  }

  void pass_line_end() { number_ += text_[at_++] == '\n' ? 1 : 0; }

  std::string cell() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    std::string_view value = text_.substr(begin, at_ - begin);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    return std::string(value);
  }

  std::string quoted() {
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        const bool doubled = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (!doubled) break;
        ++at_;
      }
      if (text_[at_] == '\n') ++number_;
      value += text_[at_];
    }
    // Behind the closing quote up to the separator: nothing, in a right file.
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    return value;
  }

  std::string_view text_;
  char separator_;
  size_t at_ = 0;
  size_t number_ = 1;
};

Result<Sheet> read_sheet(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view first = text.substr(0, text.find('\n'));
  constexpr std::string_view kSeparators = ",;\t";
  const char separator =
      *std::ranges::max_element(kSeparators, {}, [&](char c) { return std::ranges::count(first, c); });
  CsvReader reader(text, separator);
  Sheet sheet;
  Line line;
  if (!reader.next(line)) return fail("the CSV file is empty");
  sheet.header = std::move(line.cells);
  while (reader.next(line)) {
    if (line.cells.size() != sheet.header.size()) {
      return fail("line {} has {} cells, the header has {}", line.number, line.cells.size(), sheet.header.size());
    }
    sheet.lines.push_back(std::move(line));
  }
  return sheet;
}

std::optional<size_t> column_of(const Sheet& sheet, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(sheet.header, name);
    if (found != sheet.header.end()) return static_cast<size_t>(found - sheet.header.begin());
  }
  return std::nullopt;
}

std::optional<double> number_of(const std::string& cell) {
  const auto value = real_of(cell);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool is_numeric(const Sheet& sheet, size_t column) {
  bool any = false;
  for (const Line& line : sheet.lines) {
    const std::string& cell = line.cells[column];
    if (!cell.empty() && !number_of(cell)) return false;
    any = any || !cell.empty();
  }
  return any;
}

/// Times of all lines, and the lines in their order.
struct Times {
  std::vector<int64_t> seconds;
  std::vector<size_t> order;
};

Result<Times> times_of(const Sheet& sheet, size_t column) {
  Times times;
  for (const Line& line : sheet.lines) {
    const auto time = parse_time(line.cells[column]);
    if (!time) {
      return fail("line {}: '{}' is not a time; write it as 2026-01-31T12:00:00Z", line.number, line.cells[column]);
    }
    times.seconds.push_back(*time);
  }
  times.order.resize(sheet.lines.size());
  std::iota(times.order.begin(), times.order.end(), size_t{0});
  std::ranges::stable_sort(times.order, {}, [&](size_t i) { return times.seconds[i]; });
  return times;
}

Result<std::vector<size_t>> chosen_columns(const Sheet& sheet, const HistoryOptions& options, size_t time,
                                           std::optional<size_t> commit) {
  std::vector<std::string_view> known;
  std::vector<size_t> columns;
  for (size_t c = 0; c < sheet.header.size(); ++c) {
    if (c == time || c == commit) continue;
    known.push_back(sheet.header[c]);
    if (options.metrics.empty() && is_numeric(sheet, c)) columns.push_back(c);
  }
  for (const std::string& name : options.metrics) {
    const auto column = column_of(sheet, {name});
    if (!column) return fail("the CSV file has no column '{}'{}", name, did_you_mean(name, known));
    columns.push_back(*column);
  }
  for (const std::string& name : options.higher_is_better) {
    if (!column_of(sheet, {name})) return fail("the CSV file has no column '{}'{}", name, did_you_mean(name, known));
  }
  if (columns.empty()) return fail("the CSV file has no numeric column besides 'time'");
  return columns;
}

HistorySeries named_series(const std::string& name, const HistoryOptions& options) {
  HistorySeries series;
  series.metric = name;
  if (const Metric* metric = find_metric(name)) {
    series.unit = metric->unit;
    series.better = metric->better;
  }
  if (std::ranges::find(options.higher_is_better, name) != options.higher_is_better.end())
    series.better = Better::higher;
  return series;
}

Result<HistorySeries> series_of(const Sheet& sheet, size_t column, std::optional<size_t> commit, const Times& times,
                                const HistoryOptions& options) {
  HistorySeries series = named_series(sheet.header[column], options);
  std::vector<double> values;
  for (const size_t i : times.order) {
    const Line& line = sheet.lines[i];
    const std::string& cell = line.cells[column];
    if (cell.empty() || (options.since_s && times.seconds[i] < *options.since_s)) continue;
    const auto value = number_of(cell);
    if (!value) return fail("line {}: '{}' in column '{}' is not a number", line.number, cell, sheet.header[column]);
    series.points.push_back({times.seconds[i], commit ? line.cells[*commit] : std::string(), {}, *value});
    values.push_back(*value);
  }
  series.changes = change_points(values, options.change_points);
  return series;
}

}  // namespace

Result<History> history_of_csv(std::string_view csv, const HistoryOptions& options) {
  const auto sheet = read_sheet(csv);
  if (!sheet) return std::unexpected(sheet.error());
  const auto time = column_of(*sheet, {"time", "timestamp", "date"});
  if (!time) return fail("the CSV file has no column 'time' in its first line");
  const auto commit = column_of(*sheet, {"commit", "version", "revision"});
  const auto times = times_of(*sheet, *time);
  if (!times) return std::unexpected(times.error());
  const auto columns = chosen_columns(*sheet, options, *time, commit);
  if (!columns) return std::unexpected(columns.error());
  History history;
  for (const size_t column : *columns) {
    auto series = series_of(*sheet, column, commit, *times, options);
    if (!series) return std::unexpected(series.error());
    if (!series->points.empty()) history.series.push_back(std::move(*series));
  }
  return history;
}

}  // namespace sonde::gate
