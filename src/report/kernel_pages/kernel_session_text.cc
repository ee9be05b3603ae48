#include <algorithm>
#include <array>
#include <chrono>

#include "report/kernel_pages/kernel_page.h"

namespace sonde {
namespace kernel_session_text_page {
namespace {

using Row = std::vector<std::string>;

constexpr size_t kWidestColumn = 120;

std::vector<size_t> widths_of(const Row& titles, const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const std::string& title : titles) widths.push_back(title.size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::min(std::max(widths[i], row[i].size()), kWidestColumn);
  }
  return widths;
}

/// A row in as many lines as its longest cell needs, which are broken at any character.
std::string lines_of(const Row& row, const std::vector<size_t>& widths) {
  std::string text;
  for (size_t begin = 0; begin == 0 || std::ranges::any_of(row, [&](const auto& cell) { return begin < cell.size(); });
       begin += kWidestColumn) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string part = begin < row[i].size() ? row[i].substr(begin, kWidestColumn) : std::string();
      text += fmt::format("{}{:<{}}", i == 0 ? "" : " ", part, widths[i]);
    }
    text += "\n";
  }
  return text;
}

std::string table(std::string_view title, const Row& titles, const std::vector<Row>& rows) {
  const auto widths = widths_of(titles, rows);
  Row dashes;
  for (const size_t width : widths) dashes.emplace_back(width, '-');
  const std::string rule = lines_of(dashes, widths);
  std::string text = fmt::format("{}\n{}{}{}", title, rule, lines_of(titles, widths), rule);
  for (const Row& row : rows) text += lines_of(row, widths);
  return text + "\n";
}

std::string_view fact(const Rank& rank, std::string_view name) {
  const auto found = std::ranges::find(rank.capture, name, &std::pair<std::string, std::string>::first);
  return found == rank.capture.end() ? std::string_view() : std::string_view(found->second);
}

void add(std::vector<Row>& rows, std::string_view label, std::string_view value) {
  if (!value.empty()) rows.push_back({std::string(label), std::string(value)});
}

/// What the report says of the host or the target.
void add_system(const Rank& rank, std::string_view label, std::string_view what, std::vector<Row>& rows) {
  const auto named = [&](std::string_view part) { return fact(rank, fmt::format("{} {}", what, part)); };
  add(rows, fmt::format("{} Name", label), named("computer"));
  add(rows, fmt::format("{} IP Addresses", label), named("addresses"));
  if (!named("system").empty())
    add(rows, fmt::format("{} OS", label), fmt::format("{} - {}", named("system"), named("build")));
  add(rows, fmt::format("{} Architecture", label), named("architecture"));
  add(rows, fmt::format("{} Processor", label), named("processor"));
}

std::string created_text(int64_t utc_ns) {
  const std::chrono::sys_seconds time{std::chrono::seconds(utc_ns / 1'000'000'000)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}-{}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     kMonths.at(static_cast<unsigned>(date.month()) - 1), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string session(const Rank& rank) {
  std::vector<Row> rows;
  if (rank.utc_ns) add(rows, "Created", created_text(*rank.utc_ns));
  add_system(rank, "Host", "host", rows);
  add_system(rank, "Target", "target", rows);
  for (const std::string_view version :
       {"CUDA Version", "Display Driver Version", "PerfWorks", "Nsight Compute Target"}) {
    add(rows, version, fact(rank, version));
  }
  return table("Session Info", {"Session Attribute", "Value"}, rows);
}

std::string launch(const Rank& rank) {
  std::vector<Row> rows;
  add(rows, "Profiler Command Line", fact(rank, "command line"));
  return table("Launch Settings", {"Launch Attribute", "Value"}, rows);
}

std::string processes(const Trace& trace, RankId rank) {
  std::vector<Row> rows;
  for (const Process& process : trace.processes) {
    if (process.rank == rank) add(rows, fmt::format("{}", process.pid), trace.name(process.name));
  }
  return table("Processes", {"Process Id", "Process Name"}, rows);
}

std::string attribute_text(const Trace& trace, DeviceId device, std::string_view name) {
  const std::string full = fmt::format("device__attribute_{}", name);
  const auto found = std::ranges::find_if(trace.device_attributes, [&](const DeviceAttribute& attribute) {
    return attribute.device == device && trace.name(attribute.name) == full;
  });
  if (found == trace.device_attributes.end()) return {};
  if (const auto exact = found->value.exact()) return fmt::format("{}", *exact);
  return std::string(trace.name(found->value.name()));
}

/// The attributes that ncu lists, one column a device; those that no device has are left out.
std::string devices(const Trace& trace, RankId rank) {
  constexpr std::array kAttributes = {"confidential_computing_mode", "multiprocessor_count",     "display_name",
                                      "compute_capability_major",    "compute_capability_minor", "total_memory"};
  Row titles = {"Device Attribute"};
  std::vector<Row> rows;
  for (const std::string_view attribute : kAttributes) rows.push_back({std::string(attribute)});
  for (DeviceId device = 0; device < trace.devices.size(); ++device) {
    if (trace.devices[device].rank != rank) continue;
    titles.push_back(fmt::format("Device {}", trace.devices[device].id));
    for (Row& row : rows) row.push_back(attribute_text(trace, device, row.front()));
  }
  std::erase_if(rows, [](const Row& row) {
    return std::all_of(row.begin() + 1, row.end(), [](const std::string& value) { return value.empty(); });
  });
  return table("Device Attributes", titles, rows);
}

void write(const KernelPage& page, const Sink& sink) {
  const Trace& trace = *page.trace;
  for (RankId rank = 0; rank < trace.ranks.size(); ++rank) {
    sink(launch(trace.ranks[rank]));
    sink(session(trace.ranks[rank]));
    sink(processes(trace, rank));
    sink(devices(trace, rank));
  }
}

}  // namespace
}  // namespace kernel_session_text_page

extern const KernelPageFormat kernel_session_text;
const KernelPageFormat kernel_session_text{
    .page = "session",
    .format = "text",
    .description = "command, host, versions, processes and devices of the recording, as in ncu --page session",
    .write = kernel_session_text_page::write,
};

}  // namespace sonde
