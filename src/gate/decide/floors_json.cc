#include "gate/decide/floors_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "gate/noise_floor.h"
#include "gate/runs.h"

namespace sonde::gate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFloorsSchema = "sonde.floors/1";

/// Documents show floors at these, so that they can be read without the program.
constexpr size_t kFewRuns = 5;
constexpr size_t kManyRuns = 10;

/// As a share of the mean.
double deviation_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v / mean - 1) * (v / mean - 1);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json row_json(const std::pair<std::string, std::string>& what, const std::vector<double>& centres) {
  return {{"metric", what.first},
          {"subject", what.second},
          {"deviation", deviation_of(centres)},
          {"floor_5_runs", or_null(noise_floor(centres, kFewRuns, kFewRuns))},
          {"floor_10_runs", or_null(noise_floor(centres, kManyRuns, kManyRuns))},
          {"centres", centres}};
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<std::string> text_at(const Json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_string()) return fail("'{}' is not a string", key);
  return found->get<std::string>();
}

Result<std::vector<double>> centres_at(const Json& row) {
  const auto found = row.find("centres");
  if (found == row.end() || !found->is_array() || found->empty()) return fail("'centres' is not a list of numbers");
  std::vector<double> centres;
  for (const Json& value : *found) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!std::isfinite(number) || number <= 0) return fail("a value of 'centres' is not a number above 0");
    centres.push_back(number);
  }
  return centres;
}

Status read_row(const Json& row, CalibratedFloors& floors) {
  if (!row.is_object()) return fail("it is not an object");
  const auto metric = text_at(row, "metric");
  const auto subject = text_at(row, "subject");
  auto centres = centres_at(row);
  if (!metric) return std::unexpected(metric.error());
  if (!subject) return std::unexpected(subject.error());
  if (!centres) return std::unexpected(centres.error());
  floors.centres[{*metric, *subject}] = std::move(*centres);
  return {};
}

Status read_conditions(const Json& document, CalibratedFloors& floors) {
  const auto found = document.find("conditions");
  if (found == document.end()) return {};
  if (!found->is_object()) return fail("'conditions' is not an object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return fail("condition '{}' is not a string", name);
    floors.conditions[name] = value.get<std::string>();
  }
  return {};
}

Status check_schema(const Json& document) {
  if (document.is_discarded()) return fail("it is not JSON");
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  if (!document.is_object() || schema == document.end() || !schema->is_string()) {
    return fail("it is not a noise floor file written by `sonde gate calibrate -o`");
  }
  if (schema->get<std::string>() != kFloorsSchema) {
    return fail("its schema is {}, but this version reads {}; measure again with `sonde gate calibrate`",
                dumped(*schema), kFloorsSchema);
  }
  return {};
}

}  // namespace

std::string floors_json(const CalibratedFloors& floors) {
  std::string text = fmt::format("{{\n  \"schema\": \"{}\",\n  \"runs\": {},\n  \"conditions\": {},\n  \"floors\": [",
                                 kFloorsSchema, floors.runs, dumped(Json(floors.conditions)));
  const char* before = "\n";
  for (const auto& [what, centres] : floors.centres) {
    text += fmt::format("{}    {}", before, dumped(row_json(what, centres)));
    before = ",\n";
  }
  return text + "\n  ]\n}\n";
}

Result<CalibratedFloors> parse_floors(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  SONDE_TRY(check_schema(document));
  CalibratedFloors floors;
  SONDE_TRY(read_conditions(document, floors));
  const auto rows = document.find("floors");
  if (rows == document.end() || !rows->is_array()) return fail("'floors' is not a list");
  for (size_t i = 0; i < rows->size(); ++i) {
    if (const Status read = read_row((*rows)[i], floors); !read) {
      return fail("floors[{}]: {}", i, read.error().message);
    }
  }
  for (const auto& [what, centres] : floors.centres) floors.runs = std::max(floors.runs, centres.size());
  return floors;
}

Result<CalibratedFloors> load_floors(const std::string& file) {
  const auto mapped = MappedFile::open(file);
  if (!mapped) return std::unexpected(mapped.error());
  auto floors = parse_floors(mapped->bytes());
  if (!floors) return fail("{}: {}", file, floors.error().message);
  return floors;
}

}  // namespace sonde::gate
