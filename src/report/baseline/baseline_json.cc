#include <nlohmann/json.hpp>

#include "report/baseline/baseline_report.h"
#include "report/baseline/figures.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kListSchema = "sonde.baseline_list/1";
constexpr const char* kEntrySchema = "sonde.baseline_entry/1";

/// entry.json with its name and id before it.
Json named_entry_json(const gate::BaselineEntry& entry) {
  Json document = {{"name", entry.name}, {"id", entry.id}};
  Json kept = Json::parse(gate::entry_json(entry));
  kept.erase("schema");
  document.update(kept);
  return document;
}

Json figures_json(std::span<const gate::RunRecord> records) {
  Json list = Json::array();
  for (const RunFigures& figure : headline_figures(records)) {
    list.push_back({{"metric", figure.metric->name},
                    {"runs", figure.values.size()},
                    {"mean", figure.mean()},
                    {"minimum", figure.least()},
                    {"maximum", figure.most()},
                    {"values", figure.values}});
  }
  return list;
}

std::string printed(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string baseline_list_json(const gate::BaselineListing& listing) {
  Json document = {{"schema", kListSchema}, {"entries", Json::array()}, {"broken", Json::array()}};
  for (const gate::BaselineEntry& entry : listing.entries) document["entries"].push_back(named_entry_json(entry));
  for (const gate::BrokenEntry& broken : listing.broken) {
    document["broken"].push_back({{"name", broken.name}, {"id", broken.id}, {"message", broken.message}});
  }
  return printed(document);
}

std::string baseline_entry_json(const gate::BaselineEntry& entry, std::span<const gate::RunRecord> records) {
  Json document = {{"schema", kEntrySchema}};
  document.update(named_entry_json(entry));
  document["figures"] = figures_json(records);
  return printed(document);
}

}  // namespace sonde
