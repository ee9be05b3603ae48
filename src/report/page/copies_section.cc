#include <algorithm>
#include <limits>
#include <tuple>

#include <boost/container_hash/hash.hpp>

#include "analyses/gpus/operation_names.h"
#include "analyses/tables/grouping.h"
#include "analyses/timeline/slice_category.h"
#include "report/page/json_columns.h"
#include "report/page/section.h"
#include "trace/columns.h"

namespace sonde {
namespace copies {
namespace {

using Json = nlohmann::ordered_json;

/// Rows that are shown with their size; the others of a GPU, direction and kind of memory stand together.
constexpr size_t kMaxRows = 5000;

/// GPU, direction, source, destination, bytes.
using Key = std::tuple<uint32_t, uint8_t, uint8_t, uint8_t, int64_t>;

struct CopyRow {
  Key key;
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t minimum_ns = std::numeric_limits<int64_t>::max();
  int64_t maximum_ns = -1;
  int64_t longest_start_ns = 0;  ///< of the copy that took longest
  int64_t longest_end_ns = 0;

  void operator+=(const CopyRow& other) {
    count += other.count;
    total_ns += other.total_ns;
    minimum_ns = std::min(minimum_ns, other.minimum_ns);
    if (other.maximum_ns <= maximum_ns) return;
    maximum_ns = other.maximum_ns;
    longest_start_ns = other.longest_start_ns;
    longest_end_ns = other.longest_end_ns;
  }
};

/// Rows of one key each.
class CopyRows {
 public:
  void add(const CopyRow& row) {
    const uint32_t group = groups_.group_of(row.key);
    if (group == rows_.size()) rows_.push_back({.key = row.key});
    rows_[group] += row;
  }
  [[nodiscard]] std::vector<CopyRow> take() && {
    std::ranges::stable_sort(rows_, std::greater(), &CopyRow::total_ns);
    return std::move(rows_);
  }

 private:
  Grouping<Key> groups_;
  std::vector<CopyRow> rows_;
};

CopyRow row_of(const Copies& c, Row row, uint32_t gpu) {
  const int64_t ns = c.end[row] - c.start[row];
  return {.key = {gpu, c.kind[row], c.source[row], c.destination[row], c.bytes[row]},
          .count = 1,
          .total_ns = ns,
          .minimum_ns = ns,
          .maximum_ns = ns,
          .longest_start_ns = c.start[row],
          .longest_end_ns = c.end[row]};
}

/// What lies behind the first rows is added up without its size.
std::vector<CopyRow> shortened(std::vector<CopyRow> rows) {
  if (rows.size() <= kMaxRows) return rows;
  CopyRows fewer;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= kMaxRows) std::get<int64_t>(rows[i].key) = kUnknown;
    fewer.add(rows[i]);
  }
  return std::move(fewer).take();
}

std::vector<CopyRow> copy_rows(const ReportSource& source) {
  const Copies& copies = source.trace.copies;
  CopyRows rows;
  for (Row row = 0; row < row_count(copies); ++row) {
    rows.add(row_of(copies, row, source.facts.gpus.of_stream[copies.stream[row]]));
  }
  return shortened(std::move(rows).take());
}

/// "pinned"; null where it is not known.
Json memory_json(uint8_t kind) {
  std::string name(memory_kind_name(kind));
  if (name.empty() || kind == static_cast<uint8_t>(MemoryKind::unknown)) return nullptr;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

Json write(const ReportSource& source) {
  const std::vector<CopyRow> rows = copy_rows(source);
  if (rows.empty()) return nullptr;
  const int64_t origin = source.origin_ns();
  const auto column = [&](auto value_of) { return json_column(rows, value_of); };
  return {{"place", column([&](const CopyRow& r) { return source.facts.gpus.gpus[std::get<0>(r.key)].place; })},
          {"direction", column([](const CopyRow& r) { return copy_direction(std::get<1>(r.key)); })},
          {"category",
           column([](const CopyRow& r) { return name_of(category_of(static_cast<CopyKind>(std::get<1>(r.key)))); })},
          {"source", column([](const CopyRow& r) { return memory_json(std::get<2>(r.key)); })},
          {"destination", column([](const CopyRow& r) { return memory_json(std::get<3>(r.key)); })},
          {"bytes", column([](const CopyRow& r) { return known_or_null(std::get<4>(r.key)); })},
          {"count", column([](const CopyRow& r) { return r.count; })},
          {"total_ns", column([](const CopyRow& r) { return r.total_ns; })},
          {"minimum_ns", column([](const CopyRow& r) { return r.minimum_ns; })},
          {"maximum_ns", column([](const CopyRow& r) { return r.maximum_ns; })},
          {"longest_start_ns", column([&](const CopyRow& r) { return r.longest_start_ns - origin; })},
          {"longest_end_ns", column([&](const CopyRow& r) { return r.longest_end_ns - origin; })}};
}

}  // namespace
}  // namespace copies

extern const ReportSection copies_section;
const ReportSection copies_section{"copies", "copies by GPU, direction, memory kind and size", copies::write};

}  // namespace sonde
