#include "report/tables/report_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/suggest.h"
#include "report/markdown/report_markdown.h"
#include "report/page/page_html.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// "512,345 events, all in detail", "5,000,000 events in 210,000 slices".
std::string events_text(const Json& document) {
  int64_t events = 0;
  int64_t slices = 0;
  bool merged = false;
  for (const Json& profile : document["profiles"]) {
    const Json& timeline = profile["timeline"];
    events += timeline["events"].get<int64_t>();
    slices += timeline["slices"].get<int64_t>();
    merged = merged || !timeline["tiles"].is_null();
  }
  if (!merged) return fmt::format("{}, with all details", counted(events, "event"));
  return fmt::format("{} in {}", counted(events, "event"), counted(slices, "slice"));
}

std::string write_html(const std::string& title, ReportSources sources, const Sink& sink) {
  Blobs blobs;
  const Json document = report_document(title, sources, blobs);
  write_page(document, blobs, sink);
  return events_text(document) + "; open it in a browser";
}

std::string findings_text(ReportSources sources) {
  size_t findings = 0;
  for (const ReportSource* source : sources) findings += source->diagnosis.findings.size();
  return counted(static_cast<int64_t>(findings), "finding");
}

std::string write_markdown(const std::string& title, ReportSources sources, const Sink& sink) {
  sink(report_markdown(title, sources));
  return findings_text(sources);
}

std::string write_json(const std::string& title, ReportSources sources, const Sink& sink) {
  sink(report_data_document(title, sources).dump(2, ' ', false, Json::error_handler_t::replace));
  sink("\n");
  return findings_text(sources);
}

constexpr std::array kReportFormats = {
    ReportFormat{"html",
                 "self-contained page that works offline",
                 ".html",
                 false,
                 {.tables = true, .timeline = true},
                 write_html},
    ReportFormat{"markdown", "for issues and pull requests", ".md", true, {}, write_markdown},
    ReportFormat{
        "json", "for programs (schema: docs/schemas/report.schema.json)", ".json", true, {.tables = true}, write_json}};

}  // namespace

std::span<const ReportFormat> report_formats() { return kReportFormats; }

Result<const ReportFormat*> find_report_format(std::string_view name) {
  const auto* found = std::ranges::find(kReportFormats, name, &ReportFormat::name);
  if (found != kReportFormats.end()) return found;
  std::vector<std::string_view> known;
  for (const ReportFormat& format : kReportFormats) known.push_back(format.name);
  return fail("unknown report format '{}'{}; use html, markdown or json", name, did_you_mean(name, known));
}

const ReportFormat& report_format_of_file(std::string_view path) {
  const auto* found =
      std::ranges::find_if(kReportFormats, [&](const ReportFormat& f) { return path.ends_with(f.ending); });
  return found == kReportFormats.end() ? kReportFormats.front() : *found;
}

}  // namespace sonde
