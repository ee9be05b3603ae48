#include "report/text/info_text.h"

#include <fmt/format.h>

#include "report/tables/capture_facts.h"
#include "report/tables/quantity.h"
#include "report/text/log_text.h"

namespace sonde {
namespace {

void add_file(std::string& text, const CaptureSubject& file) {
  text += fmt::format("{}\n", file.title);
  for (const CaptureFact& fact : file.facts) {
    if (!fact.value.empty()) text += fmt::format("  {:<14}{}\n", fact.name, fact.value);
  }
}

/// "0 NVIDIA H100: compute capability 9.0, 132 SMs, 80 GB of memory at 3.35 TB/s"
std::string device_line(const CaptureSubject& device) {
  const auto value = [&](size_t fact) {
    return device.facts[fact].value.empty() ? std::string("-") : device.facts[fact].value;
  };
  return fmt::format("  {}: compute capability {}, {} SMs, {} of memory at {}\n", device.title, value(0), value(1),
                     value(2), value(3));
}

void add_devices(std::string& text, const Trace& trace) {
  if (trace.devices.empty()) return;
  text += "\ndevices\n";
  for (const CaptureSubject& device : facts_of_devices(trace)) text += device_line(device);
}

void add_contents(std::string& text, const Trace& trace) {
  text += "\nholds\n";
  for (const CaptureFact& fact : facts_of_contents(trace))
    text += fmt::format("  {:<22}{:>14}\n", fact.name, fact.value);
}

void add_missing(std::string& text, const Trace& trace) {
  const std::vector<MissingData> missing = missing_data(trace);
  if (missing.empty()) return;
  text += trace.kernel_profiles.empty() ? "\nmissing\n" : "\nnot collected\n";
  for (const MissingData& m : missing) text += fmt::format("  {}: {}\n", m.what, m.meaning);
}

void add_inventory(std::string& text, const Trace& trace) {
  text += "\ntables of the source\n";
  for (const Rank& rank : trace.ranks) {
    for (const auto& [name, rows] : rank.holds) text += fmt::format("  {:<44}{:>14}\n", name, count_text(rows));
  }
}

void add_diagnostics(std::string& text, const Trace& trace, bool show_private) {
  std::string list;
  for (const std::string& warning : recorder_warnings(trace, show_private)) list += fmt::format("  {}\n", warning);
  if (!list.empty()) text += "\nmessages of the recording tool\n" + list;
}

void add_capture(std::string& text, const Trace& trace) {
  text += "\nrecording details (private)\n";
  for (const Rank& rank : trace.ranks) {
    for (const auto& [name, value] : rank.capture) text += fmt::format("  {} = {}\n", name, value);
  }
}

}  // namespace

std::string info_text(const Trace& trace, const InfoOptions& options) {
  std::string text;
  for (const CaptureSubject& file : facts_of_files(trace)) add_file(text, file);
  add_devices(text, trace);
  add_contents(text, trace);
  add_missing(text, trace);
  add_inventory(text, trace);
  add_diagnostics(text, trace, options.show_private);
  if (options.show_private) add_capture(text, trace);
  if (!trace.log.empty()) text += "\n" + log_text(trace.log);
  return text;
}

}  // namespace sonde
