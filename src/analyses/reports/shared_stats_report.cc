#include "analyses/reports/shared_stats_report.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/suggest.h"

namespace sonde {

#define SONDE_STATS_REPORT(name) extern const StatsReport name##_report;
#include "analyses/reports/list.inc"
#undef SONDE_STATS_REPORT

namespace {

const std::array kReports = {
#define SONDE_STATS_REPORT(name) name##_report,
#include "analyses/reports/list.inc"
#undef SONDE_STATS_REPORT
};

/// The arguments that a report takes, read off its usage text: "name[:a|:b][:rows=10]" takes a, b and rows.
std::vector<std::string_view> arguments_of(const StatsReport& report) {
  std::vector<std::string_view> names;
  const std::string_view usage = report.usage;
  for (size_t colon = usage.find(':'); colon != std::string_view::npos; colon = usage.find(':', colon + 1)) {
    const size_t end = usage.find_first_of("=|]", colon);
    names.push_back(usage.substr(colon + 1, end - colon - 1));
  }
  return names;
}

Status set_argument(const StatsReport& report, std::string_view text, ReportArguments& arguments) {
  const size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  const auto known = arguments_of(report);
  if (std::ranges::find(known, key) == known.end()) {
    return fail("the report {} has no argument '{}'{} (usage: {})", report.name, key, did_you_mean(key, known),
                report.usage);
  }
  if (key == "nvtx-name") arguments.nvtx_name = true;
  if (key == "base") arguments.base = true;
  if (key == "mangled") arguments.mangled = true;
  if (key == "rows") {
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    int64_t rows = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rows);
    if (error != std::errc() || end != value.data() + value.size()) {
      return fail("the report {} needs an integer N in rows=N, not '{}'", report.name, value);
    }
    arguments.rows = rows;
  }
  return {};
}

}  // namespace

std::span<const StatsReport> stats_reports() { return kReports; }

Result<ChosenReport> choose_report(std::string_view specification) {
  const size_t colon = specification.find(':');
  const std::string_view name = specification.substr(0, colon);
  const auto* report = std::ranges::find(kReports, name, &StatsReport::name);
  if (report == kReports.end()) {
    std::vector<std::string_view> known;
    known.reserve(kReports.size());
    for (const StatsReport& r : kReports) known.push_back(r.name);
    return fail("unknown report '{}'{} (`sonde stats --help-reports` lists the reports)", name,
                did_you_mean(name, known));
  }
  ChosenReport chosen{report, {}};
  for (size_t at = colon; at != std::string_view::npos;) {
    const size_t next = specification.find(':', at + 1);
    SONDE_TRY(set_argument(*report, specification.substr(at + 1, next - at - 1), chosen.arguments));
    at = next;
  }
  return chosen;
}

}  // namespace sonde
