#include "trace/window.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text/duration.h"
#include "base/text/suggest.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// The process that a row belongs to, kNone where its table does not tell.
template <typename Table>
ProcessId process_of(const Trace& trace, const Table& table, Row row) {
  if constexpr (requires { table.thread; }) {
    return row < table.thread.size() && table.thread[row] != kNone ? trace.threads[table.thread[row]].process : kNone;
  } else if constexpr (requires { table.stream; }) {
    return row < table.stream.size() && table.stream[row] != kNone ? trace.streams[table.stream[row]].process : kNone;
  } else {
    return kNone;
  }
}

template <typename Table>
int64_t end_of(const Table& table, Row row) {
  if constexpr (requires { table.end; }) {
    return table.end[row] == kUnknown ? table.start[row] : table.end[row];
  } else {
    return table.start[row];
  }
}

template <typename Table>
void keep_rows(const Trace& trace, Table& table, const Window& window) {
  std::vector<Row> kept;
  for (Row row = 0; row < row_count(table); ++row) {
    if (table.start[row] < window.start_ns || end_of(table, row) > window.end_ns) continue;
    const ProcessId process = process_of(trace, table, row);
    if (!window.process || process == kNone || process == *window.process) kept.push_back(row);
  }
  select_rows(table, kept);
}

Error no_such_range(const Trace& trace, const RangeSelector& selector, size_t found) {
  if (found > 0) {
    return {fmt::format("the profile has {} ranges '{}', numbered from 0; there is no number {}", found, selector.range,
                        selector.index)};
  }
  std::vector<std::string_view> known;
  for (const NameId name : trace.ranges.name) known.push_back(trace.name(name));
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return {fmt::format("there is no range '{}'{} in the profile{}", selector.range,
                      selector.domain.empty() ? "" : fmt::format(" of the domain '{}'", selector.domain),
                      did_you_mean(selector.range, known))};
}

}  // namespace

Result<Window> parse_window(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() == 1) {
    return fail("'{}' is not a time span; write START/END, START/ or /END, as in 1s/2.5s", text);
  }
  Window window;
  if (slash > 0) {
    const auto start = parse_duration(text.substr(0, slash));
    if (!start) return std::unexpected(start.error());
    window.start_ns = *start;
  }
  if (slash + 1 < text.size()) {
    const auto end = parse_duration(text.substr(slash + 1));
    if (!end) return std::unexpected(end.error());
    window.end_ns = *end;
  }
  if (window.start_ns > window.end_ns) return fail("the span '{}' ends before it starts", text);
  return window;
}

Result<RangeSelector> parse_range_selector(std::string_view text) {
  RangeSelector selector;
  std::string index;
  std::string* part = &selector.range;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      *part += text[++i];
    } else if (text[i] == '@' && part == &selector.range) {
      part = &selector.domain;
    } else if (text[i] == '/' && part != &index) {
      part = &index;
    } else {
      *part += text[i];
    }
  }
  if (selector.range.empty()) return fail("'{}' does not name a range; write RANGE[@DOMAIN][/INDEX]", text);
  if (part != &index) return selector;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), selector.index);
  if (error != std::errc() || end != index.data() + index.size()) {
    return fail("'{}' is not a range index (in '{}'); write a '/' within a name as '\\/'", index, text);
  }
  return selector;
}

Result<Window> window_of(const Trace& trace, const RangeSelector& selector) {
  const Ranges& r = trace.ranges;
  const NameId name = trace.names.find(selector.range);
  std::vector<Row> found;
  for (Row row = 0; row < row_count(r); ++row) {
    if (name == kNone || r.name[row] != name || r.end[row] == kUnknown) continue;
    if (trace.name(trace.domains[r.domain[row]].name) == selector.domain) found.push_back(row);
  }
  if (selector.index >= found.size()) return std::unexpected(no_such_range(trace, selector, found.size()));
  std::ranges::stable_sort(found, {}, [&](Row row) { return r.start[row]; });
  const Row row = found[selector.index];
  return Window{r.start[row], r.end[row], trace.threads[r.thread[row]].process};
}

void keep_window(Trace& trace, const Window& window) {
  for_each_table(trace, [&](auto& table, std::string_view) { keep_rows(trace, table, window); });
}

}  // namespace sonde
