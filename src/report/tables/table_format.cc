#include "report/tables/table_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/suggest.h"

namespace sonde {

#define SONDE_FORMAT(name) extern const TableFormat name##_format;
#include "report/table_formats/list.inc"
#undef SONDE_FORMAT

namespace {

const std::array kTableFormats = {
#define SONDE_FORMAT(name) name##_format,
#include "report/table_formats/list.inc"
#undef SONDE_FORMAT
};

/// Decimals as in the output of nsys 2022 to 2026 for ns, us and ms; those of seconds continue the series.
constexpr std::array kTimeUnits = {TimeUnit{"nanoseconds", "ns", 1, -1},   TimeUnit{"microseconds", "us", 1e3, 3},
                                   TimeUnit{"milliseconds", "ms", 1e6, 4}, TimeUnit{"seconds", "s", 1e9, 5},
                                   TimeUnit{"nsec", "ns", 1, -1},          TimeUnit{"usec", "us", 1e3, 3},
                                   TimeUnit{"msec", "ms", 1e6, 4},         TimeUnit{"ns", "ns", 1, -1},
                                   TimeUnit{"us", "us", 1e3, 3},           TimeUnit{"ms", "ms", 1e6, 4}};

}  // namespace

std::span<const TableFormat> table_formats() { return kTableFormats; }

Result<const TableFormat*> find_table_format(std::string_view name) {
  const auto* found = std::ranges::find(kTableFormats, name, &TableFormat::name);
  if (found != kTableFormats.end()) return found;
  std::vector<std::string_view> known;
  for (const TableFormat& f : kTableFormats) known.push_back(f.name);
  return fail("unknown format '{}'{} (column, csv, tsv, json, markdown)", name, did_you_mean(name, known));
}

const TimeUnit& nanoseconds_unit() { return kTimeUnits.front(); }

Result<const TimeUnit*> find_time_unit(std::string_view text) {
  const auto* found = std::ranges::find_if(
      kTimeUnits, [&](const TimeUnit& unit) { return !text.empty() && unit.name.starts_with(text); });
  if (found == kTimeUnits.end()) return fail("unknown time unit '{}' (nsec, usec, msec, seconds)", text);
  return found;
}

}  // namespace sonde
