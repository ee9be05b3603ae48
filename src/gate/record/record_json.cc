#include "gate/record/record_json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "gate/record/record_fields.h"

namespace sonde::gate {
namespace {

using Json = nlohmann::ordered_json;

/// Names come from profiles: what is no UTF-8 is replaced.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A row as a JSON object.
class Writer {
 public:
  template <typename T>
  void required(const char* key, const T& value) {
    json_[key] = of(value);
  }
  template <typename T>
  void optional(const char* key, const T& value) {
    if (value != T{}) json_[key] = of(value);
  }
  void steps(const char* key, const std::vector<int64_t>& values) {
    if (values.empty()) return;
    const bool alike = std::ranges::all_of(values, [&](int64_t v) { return v == values.front(); });
    if (!alike) {
      json_[key] = values;
    } else if (values.front() != 0) {
      json_[key] = values.front();
    }
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  template <typename T>
  static Json of(const T& value) {
    return value;
  }
  template <typename T>
  static Json of(const std::optional<T>& value) {
    return *value;
  }
  static Json of(WorkKind kind) { return kWorkWords.at(static_cast<size_t>(kind)); }

  Json json_ = Json::object();
};

template <typename Row>
std::string row_text(const Row& row) {
  Writer writer;
  visit_fields(row, writer);
  return line_of(writer.json());
}

/// The members of an object, one a line.
std::string members_text(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ",\n", line_of(key), line_of(value));
  }
  return text;
}

}  // namespace

std::string record_json(const RunRecord& record) {
  Writer head;
  head.required(kRecordKey, kRecordVersion);
  visit_fields(record, head);
  std::string text = "{\n" + members_text(head.json());
  for_each_list(record, [&](const char* key, const auto& rows) {
    if (rows.empty()) return;
    text += fmt::format(",\n\"{}\": [\n", key);
    for (const auto& row : rows) text += row_text(row) + (&row == &rows.back() ? "\n]" : ",\n");
  });
  return text + "\n}\n";
}

bool is_record(std::string_view beginning) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip = [&](std::string_view text) {
    beginning.remove_prefix(std::min(beginning.find_first_not_of(kBlanks), beginning.size()));
    if (!beginning.starts_with(text)) return false;
    beginning.remove_prefix(text.size());
    return true;
  };
  return skip("{") && skip(fmt::format("\"{}\"", kRecordKey)) && skip(":");
}

}  // namespace sonde::gate
