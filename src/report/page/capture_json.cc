#include "report/page/capture_json.h"

#include <fmt/format.h>

#include "report/tables/capture_facts.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// The tool says much of one thing where something went wrong; the first of it tell enough.
constexpr size_t kMaxWarnings = 20;

Json facts_json(const std::vector<CaptureFact>& facts) {
  Json list = Json::array();
  for (const CaptureFact& fact : facts) {
    if (!fact.value.empty()) list.push_back(Json::array({fact.name, fact.value}));
  }
  return list;
}

/// What lies in a source, by its own names.
void add_inventory(Json& facts, const Rank& rank) {
  for (const auto& [name, rows] : rank.holds) facts.push_back(Json::array({name, count_text(rows)}));
}

void add_files(Json& files, const Trace& trace) {
  const std::vector<CaptureSubject> subjects = facts_of_files(trace);
  for (size_t rank = 0; rank < subjects.size(); ++rank) {
    Json facts = facts_json(subjects[rank].facts);
    add_inventory(facts, trace.ranks[rank]);
    files.push_back({{"title", subjects[rank].title}, {"facts", std::move(facts)}});
  }
}

Json files_json(const Trace& trace, const Trace* reports) {
  Json files = Json::array();
  add_files(files, trace);
  Json whole = facts_json(facts_of_contents(trace));
  std::vector<std::string> warnings = recorder_warnings(trace, false);
  if (warnings.size() > kMaxWarnings) warnings.resize(kMaxWarnings);
  for (std::string& warning : warnings)
    whole.push_back(Json::array({"message of the recording tool", std::move(warning)}));
  files.push_back(
      {{"title", files.size() > 1 ? "Data read from all files" : "Data read"}, {"facts", std::move(whole)}});
  if (reports != nullptr) add_files(files, *reports);
  return files;
}

Json gpus_json(const Trace& trace) {
  Json gpus = Json::array();
  const std::vector<CaptureSubject> subjects = facts_of_devices(trace);
  for (size_t device = 0; device < subjects.size(); ++device) {
    const RankId rank = trace.devices[device].rank;
    const int number = trace.ranks[rank].rank.value_or(static_cast<int>(rank));
    const std::string prefix = trace.ranks.size() > 1 ? fmt::format("rank {} ", number) : "";
    gpus.push_back({{"title", fmt::format("{}GPU {}", prefix, subjects[device].title)},
                    {"facts", facts_json(subjects[device].facts)}});
  }
  return gpus;
}

}  // namespace

Json capture_json(const Trace& trace, const Trace* reports) {
  Json missing = Json::array();
  for (const MissingData& m : missing_data(trace)) missing.push_back({{"what", m.what}, {"meaning", m.meaning}});
  return {{"files", files_json(trace, reports)}, {"gpus", gpus_json(trace)}, {"missing", std::move(missing)}};
}

}  // namespace sonde
