#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/text/calendar.h"
#include "base/text/json_null.h"
#include "gate/store/baseline_entry.h"

namespace sonde::gate {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kBaselineSchema = "sonde.baseline/1";
constexpr std::string_view kSchemaName = "sonde.baseline/";

/// A text goes to terminals and into paths of messages: what moves a cursor has no place in it.
bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// A name without a folder, so that a record is always beside its entry.
bool is_file_name(std::string_view text) {
  return !text.empty() && !text.starts_with('.') && text.find_first_of("/\\") == std::string_view::npos;
}

/// Empty where the key is not there.
Result<std::string> text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return fail("'{}' is not a string", key);
  auto text = found->get<std::string>();
  if (!is_plain(text)) return fail("'{}' contains control characters", key);
  return text;
}

Status check_schema(const nlohmann::json& document) {
  if (!document.is_object()) return fail("it is not a JSON object");
  const auto schema = text_of(document, "schema");
  if (!schema) return std::unexpected(schema.error());
  if (*schema == kBaselineSchema) return {};
  if (schema->starts_with(kSchemaName)) return fail("it was written by a later version of Sonde ('{}')", *schema);
  return fail("its 'schema' is not '{}'", kBaselineSchema);
}

Status read_texts(const nlohmann::json& document, BaselineEntry& entry) {
  struct Place {
    const char* key;
    std::string* text;
  };
  for (const auto& [key, place] :
       {Place{"commit", &entry.commit}, {"branch", &entry.branch}, {"label", &entry.label}}) {
    auto text = text_of(document, key);
    if (!text) return std::unexpected(text.error());
    *place = std::move(*text);
  }
  return {};
}

Status read_time(const nlohmann::json& document, BaselineEntry& entry) {
  const auto text = text_of(document, "time");
  if (!text) return std::unexpected(text.error());
  const auto time =
      text->ends_with('Z') ? parse_moment(std::string_view(*text).substr(0, text->size() - 1)) : std::nullopt;
  if (!time) return fail("'time' is not a timestamp such as 2026-01-31T12:00:00Z");
  entry.time_s = *time;
  return {};
}

/// What is absent stays as it is.
Status read_flag(const nlohmann::json& document, const char* name, bool& into) {
  const auto flag = document.find(name);
  if (flag == document.end()) return {};
  if (!flag->is_boolean()) return fail("'{}' is neither true nor false", name);
  into = flag->get<bool>();
  return {};
}

Status read_flags(const nlohmann::json& document, BaselineEntry& entry) {
  SONDE_TRY(read_flag(document, "pinned", entry.pinned));
  return read_flag(document, "new_level", entry.new_level);
}

Status read_conditions(const nlohmann::json& document, BaselineEntry& entry) {
  const auto conditions = document.find("conditions");
  if (conditions == document.end() || !conditions->is_object()) return fail("'conditions' is not an object");
  for (const auto& [name, value] : conditions->items()) {
    if (!value.is_string()) return fail("the condition '{}' is not a string", is_plain(name) ? name : "?");
    auto text = value.get<std::string>();
    if (!is_plain(name) || !is_plain(text)) return fail("'conditions' contains control characters");
    entry.conditions.insert_or_assign(name, std::move(text));
  }
  return {};
}

Status read_runs(const nlohmann::json& document, BaselineEntry& entry) {
  const auto runs = document.find("runs");
  if (runs == document.end() || !runs->is_array() || runs->empty())
    return fail("'runs' is not a list with at least one run");
  for (const nlohmann::json& run : *runs) {
    if (!run.is_object()) return fail("a run in 'runs' is not an object");
    auto file = text_of(run, "file");
    auto source = text_of(run, "source");
    if (!file) return std::unexpected(file.error());
    if (!source) return std::unexpected(source.error());
    if (!is_file_name(*file))
      return fail("'file' of a run is not the name of a file in the entry's folder: '{}'", *file);
    entry.runs.push_back({std::move(*file), std::move(*source)});
  }
  return {};
}

}  // namespace

std::string entry_json(const BaselineEntry& entry) {
  OrderedJson document;
  document["schema"] = kBaselineSchema;
  document["time"] = moment_text(entry.time_s) + "Z";
  document["commit"] = text_or_null<OrderedJson>(entry.commit);
  document["branch"] = text_or_null<OrderedJson>(entry.branch);
  document["label"] = text_or_null<OrderedJson>(entry.label);
  document["pinned"] = entry.pinned;
  if (entry.new_level) document["new_level"] = true;
  document["conditions"] = OrderedJson::object();
  for (const auto& [name, value] : entry.conditions) document["conditions"][name] = value;
  document["runs"] = OrderedJson::array();
  for (const BaselineRun& run : entry.runs) document["runs"].push_back({{"file", run.file}, {"source", run.source}});
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<BaselineEntry> parse_entry(std::string_view json) {
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_discarded()) return fail("it is not JSON");
  SONDE_TRY(check_schema(document));
  BaselineEntry entry;
  for (const auto read : {&read_texts, &read_time, &read_flags, &read_conditions, &read_runs}) {
    SONDE_TRY(read(document, entry));
  }
  return entry;
}

std::string short_commit(std::string_view commit) {
  constexpr size_t kShown = 9;  // as git shows commits of a large tree
  const bool is_hash =
      commit.size() > kShown && commit.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return std::string(is_hash ? commit.substr(0, kShown) : commit);
}

std::string_view entry_number(const BaselineEntry& entry) {
  return std::string_view(entry.id).substr(entry.id.rfind('-') + 1);  // the whole where there is no '-'
}

std::string entry_text(const BaselineEntry& entry) {
  constexpr size_t kDay = 10;  // "2026-01-31"
  const std::string day = moment_text(entry.time_s).substr(0, kDay);
  return fmt::format("{}@{} ({})", entry.name, entry.commit.empty() ? entry.id : short_commit(entry.commit), day);
}

}  // namespace sonde::gate
