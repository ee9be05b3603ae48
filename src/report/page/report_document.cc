#include "report/page/report_document.h"

#include "report/diagnosis_json.h"
#include "report/page/capture_json.h"
#include "report/page/section.h"
#include "report/page/steps_json.h"
#include "report/page/timeline_json.h"
#include "report/summary_json.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "sonde.report/1";

Json sections_json(const ReportSource& source, Blobs& blobs) {
  Json sections = Json::object();
  for (const ReportSection* section : report_sections()) {
    const Json content = section->write(source);
    if (!content.is_null()) sections[std::string(section->name)] = blobs.add(content);
  }
  return sections;
}

Json profile_json(ReportSource& source, Blobs& blobs) {
  return {{"label", source.label},
          {"span_ns", source.span_ns()},
          {"summary", summary_document(source.trace, source.summary, source.origin_ns())},
          {"diagnosis", diagnosis_document(source.facts, source.diagnosis, source.origin_ns())},
          {"capture", capture_json(source.trace)},
          {"steps", steps_json(source)},
          {"timeline", timeline_json(source, blobs)},
          {"sections", sections_json(source, blobs)}};
}

}  // namespace

Json report_document(const std::string& title, std::span<ReportSource* const> sources, Blobs& blobs) {
  Json document = {{"schema", kSchema},
                   {"sonde_version", SONDE_VERSION},
                   {"title", title},
                   {"profiles", Json::array()},
                   {"differences", nullptr}};
  for (ReportSource* source : sources) document["profiles"].push_back(profile_json(*source, blobs));
  return document;
}

}  // namespace sonde
