#include "report/page/report_document.h"

#include <algorithm>

#include "base/system/parallel.h"
#include "report/json/diagnosis_json.h"
#include "report/json/summary_json.h"
#include "report/page/capture_json.h"
#include "report/page/differences_json.h"
#include "report/page/section.h"
#include "report/page/steps_json.h"
#include "report/page/timeline_json.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReportSchema = "sonde.report/1";
constexpr const char* kDataSchema = "sonde.report_data/1";
/// Of blobs and lists of tracks: what is left of 25 MB, which mail and chat still take, is for the program and the rest
/// of what is shown first.
constexpr size_t kMostPageBytes = 24'000'000;

/// The sections that have something, each as `place` puts it.
template <typename Place>
Json sections_json(const ReportSource& source, Place place) {
  const auto all = report_sections();
  std::vector<Json> contents(all.size());
  parallel_for(all.size(), [&](size_t i) { contents[i] = all[i]->write(source); });
  Json sections = Json::object();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!contents[i].is_null()) sections[std::string(all[i]->name)] = place(std::move(contents[i]));
  }
  return sections;
}

/// What is read at once.
Json profile_json(const ReportSource& source) {
  return {{"label", source.label},
          {"span_ns", source.span_ns()},
          {"summary", summary_document(source.trace, source.summary, source.origin_ns())},
          {"diagnosis", diagnosis_document(source.judged_facts(), source.diagnosis, source.origin_ns())},
          {"capture", capture_json(source.trace, source.facts.kernels ? source.facts.kernels->reports : nullptr)},
          {"steps", steps_json(source)}};
}

Json heading_json(const char* schema, const std::string& title) {
  return {{"schema", schema},
          {"sonde_version", SONDE_VERSION},
          {"title", title},
          {"profiles", Json::array()},
          {"differences", nullptr}};
}

}  // namespace

Json report_document(const std::string& title, ReportSources sources, Blobs& blobs) {
  Json document = heading_json(kReportSchema, title);
  for (const ReportSource* source : sources) {
    Json profile = profile_json(*source);
    profile["sections"] = sections_json(*source, [&](Json content) { return blobs.add(content); });
    document["profiles"].push_back(std::move(profile));
  }
  if (sources.size() > 1) document["differences"] = blobs.add(differences_json(*sources[0], *sources[1]));
  const size_t others = blobs.bytes_from(0);
  const size_t room = kMostPageBytes > others ? (kMostPageBytes - others) / std::max<size_t>(1, sources.size()) : 0;
  for (size_t i = 0; i < sources.size(); ++i)
    document["profiles"][i]["timeline"] = timeline_json(*sources[i], room, blobs);
  return document;
}

Json report_data_document(const std::string& title, ReportSources sources) {
  Json document = heading_json(kDataSchema, title);
  for (const ReportSource* source : sources) {
    Json profile = profile_json(*source);
    profile["sections"] = sections_json(*source, [](Json content) { return content; });
    document["profiles"].push_back(std::move(profile));
  }
  if (sources.size() > 1) document["differences"] = differences_json(*sources[0], *sources[1]);
  return document;
}

}  // namespace sonde
