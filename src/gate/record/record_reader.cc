#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "gate/record/record_fields.h"
#include "gate/record/record_json.h"

namespace sonde::gate {
namespace {

/// All numbers of a record together, and its extent times its GPUs: what adds them up cannot overflow.
constexpr int64_t kMaxInAll = int64_t{1} << 62;

/// The first thing that is wrong, and what has been met so far.
struct RecordReading {
  size_t steps = 0;  ///< that are kept
  int64_t sum = 0;
  std::string problem;

  [[nodiscard]] bool failed() const { return !problem.empty(); }
};

/// Reads the members of an object into a row. After the first problem it does nothing.
class FieldReader {
 public:
  FieldReader(const nlohmann::json& json, std::string place, RecordReading& reading)
      : json_(json), place_(std::move(place)), reading_(reading) {
    if (!json.is_object()) wrong("must be an object");
  }

  template <typename T>
  void required(const char* key, T& value) {
    if (!optional(key, value)) wrong_at(key, "is missing");
  }
  /// False where the key is missing.
  template <typename T>
  bool optional(const char* key, T& value) {
    const nlohmann::json* found = find(key);
    if (found != nullptr) read(key, *found, value);
    return found != nullptr;
  }
  void steps(const char* key, std::vector<int64_t>& values) {
    values.assign(reading_.steps, 0);
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array()) {
      int64_t of_each = 0;
      read(key, *found, of_each);
      count(key, of_each, reading_.steps);
      values.assign(reading_.steps, of_each);
      return;
    }
    read(key, *found, values);
    if (values.size() != reading_.steps) {
      wrong_at(key, fmt::format("has {} values, but the record has {} steps", values.size(), reading_.steps));
    }
  }

 private:
  [[nodiscard]] const nlohmann::json* find(const char* key) const {
    if (reading_.failed()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }

  void wrong(std::string_view what) {
    if (!reading_.failed()) reading_.problem = fmt::format("{} {}", place_.empty() ? "the record" : place_, what);
  }
  void wrong_at(std::string_view key, std::string_view what) {
    if (!reading_.failed()) reading_.problem = fmt::format("{}{}{} {}", place_, place_.empty() ? "" : ".", key, what);
  }

  /// Adds a number that stands for several.
  void count(const char* key, int64_t value, size_t times) {
    int64_t product = 0;
    if (__builtin_mul_overflow(value, static_cast<int64_t>(times), &product) || product > kMaxInAll - reading_.sum) {
      wrong_at(key, fmt::format("is too large: {}", value));
    } else {
      reading_.sum += product;
    }
  }

  void read(const char* key, const nlohmann::json& json, int64_t& value) {
    if (!json.is_number_integer()) return wrong_at(key, "must be an integer");
    if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(kMaxInAll)) {
      return wrong_at(key, fmt::format("is too large: {}", json.get<uint64_t>()));
    }
    value = json.get<int64_t>();
    if (value < 0) return wrong_at(key, fmt::format("is negative: {}", value));
    count(key, value, 1);
  }
  void read(const char* key, const nlohmann::json& json, uint32_t& value) {
    int64_t number = 0;
    read(key, json, number);
    if (std::cmp_greater(number, std::numeric_limits<uint32_t>::max())) {
      wrong_at(key, fmt::format("is too large: {}", number));
    }
    if (!reading_.failed()) value = static_cast<uint32_t>(number);
  }
  /// CUDA's number of a GPU; -1 where it is not known.
  void read(const char* key, const nlohmann::json& json, int32_t& value) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t number = json.is_number_integer() ? json.get<int64_t>() : kUnknown;
    if (number < -1 || number > kMost) return wrong_at(key, fmt::format("must be an integer from -1 to {}", kMost));
    value = static_cast<int32_t>(number);
  }
  void read(const char* key, const nlohmann::json& json, double& value) {
    if (!json.is_number()) return wrong_at(key, "must be a number");
    value = json.get<double>();
    if (!std::isfinite(value) || value < 0) wrong_at(key, "must be finite and at least 0");
  }
  void read(const char* key, const nlohmann::json& json, bool& value) {
    if (!json.is_boolean()) return wrong_at(key, "must be true or false");
    value = json.get<bool>();
  }
  void read(const char* key, const nlohmann::json& json, std::string& value) {
    if (!json.is_string()) return wrong_at(key, "must be a string");
    value = json.get<std::string>();
  }
  void read(const char* key, const nlohmann::json& json, WorkKind& value) {
    std::string word;
    read(key, json, word);
    const auto* const found = std::ranges::find(kWorkWords, word);
    if (found == kWorkWords.end())
      return wrong_at(key, fmt::format("is '{}'; it must be kernel, copy, set or graph_launch", word));
    value = static_cast<WorkKind>(found - kWorkWords.begin());
  }
  template <typename T>
  void read(const char* key, const nlohmann::json& json, std::optional<T>& value) {
    read(key, json, value.emplace());
  }
  template <typename T>
  void read(const char* key, const nlohmann::json& json, std::vector<T>& values) {
    if (!json.is_array()) return wrong_at(key, "must be a list");
    values.resize(json.size());
    for (size_t i = 0; i < values.size() && !reading_.failed(); ++i) {
      read(key, json[i], values[i]);
    }
  }
  void read(const char* key, const nlohmann::json& json, Dim3& value) {
    if (!json.is_array() || json.size() != value.size()) return wrong_at(key, "must be a list of 3 numbers");
    for (size_t i = 0; i < value.size(); ++i) read(key, json[i], value.at(i));
  }
  void read(const char* key, const nlohmann::json& json, Conditions& values) {
    if (!json.is_object()) return wrong_at(key, "must be an object");
    for (const auto& [name, value] : json.items()) {
      if (find_condition(name) != nullptr) read(fmt::format("{}.{}", key, name).c_str(), value, values[name]);
    }
  }
  void read(const char* key, const nlohmann::json& json, std::map<std::string, double, std::less<>>& values) {
    if (!json.is_object()) return wrong_at(key, "must be an object");
    for (const auto& [name, value] : json.items()) read(fmt::format("{}.{}", key, name).c_str(), value, values[name]);
  }

  const nlohmann::json& json_;
  std::string place_;
  RecordReading& reading_;
};

template <typename Row>
void read_rows(const nlohmann::json& json, std::string_view key, std::vector<Row>& rows, RecordReading& reading) {
  if (reading.failed() || !json.contains(key)) return;
  const nlohmann::json& list = json.at(std::string(key));
  if (!list.is_array()) {
    reading.problem = fmt::format("{} must be a list", key);
    return;
  }
  for (size_t i = 0; i < list.size() && !reading.failed(); ++i) {
    FieldReader reader(list[i], fmt::format("{}[{}]", key, i), reading);
    visit_fields(rows.emplace_back(), reader);
  }
}

/// Rows that name a GPU name one that there is.
template <typename Row>
void check_gpus(const std::vector<Row>& rows, std::string_view key, size_t gpus, RecordReading& reading) {
  if constexpr (requires(const Row& row) { row.gpu; }) {
    const auto bad = std::ranges::find_if(rows, [&](const Row& row) { return row.gpu >= gpus; });
    if (bad == rows.end() || reading.failed()) return;
    reading.problem =
        fmt::format("{}[{}].gpu is {}, but the record has {} GPUs", key, bad - rows.begin(), bad->gpu, gpus);
  }
}

void check(const RunRecord& record, RecordReading& reading) {
  for_each_list(record, [&](const char* key, const auto& rows) { check_gpus(rows, key, record.gpus.size(), reading); });
  int64_t product = 0;
  const auto gpus = static_cast<int64_t>(record.gpus.size());
  if (!reading.failed() && (__builtin_mul_overflow(record.extent_ns, gpus, &product) || product > kMaxInAll)) {
    reading.problem = fmt::format("extent_ns is too large: {}", record.extent_ns);
  }
}

void read_head(const nlohmann::json& json, RunRecord& record, RecordReading& reading) {
  FieldReader reader(json, "", reading);
  visit_fields(record, reader);
  reading.steps = record.step_ns.size();
  if (reading.failed()) return;
  if (reading.steps > kMaxSteps) {
    reading.problem = fmt::format("step_ns has {} steps, but a record keeps at most {}", reading.steps, kMaxSteps);
  } else if (std::cmp_greater(reading.steps, record.steps)) {
    reading.problem = fmt::format("step_ns has {} steps, but steps is {}", reading.steps, record.steps);
  }
}

Status check_version(const nlohmann::json& json) {
  if (json.is_discarded()) return fail("not valid JSON, or truncated; create the record again");
  if (!json.is_object() || !json.contains(kRecordKey)) return fail("not a run record: '{}' is missing", kRecordKey);
  const nlohmann::json& version = json.at(kRecordKey);
  if (!version.is_number_integer()) return fail("{} must be an integer", kRecordKey);
  if (version.is_number_unsigned() && version.get<uint64_t>() <= static_cast<uint64_t>(kRecordVersion) &&
      version.get<uint64_t>() > 0) {
    return {};
  }
  return fail(
      "the record has version {}, but this Sonde reads version {}; use the Sonde that created it, or create it again",
      version.dump(), kRecordVersion);
}

}  // namespace

Result<RunRecord> parse_record(std::string_view json) {
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  SONDE_TRY(check_version(document));
  RunRecord record;
  RecordReading reading;
  read_head(document, record, reading);
  for_each_list(record, [&](const char* key, auto& rows) { read_rows(document, key, rows, reading); });
  check(record, reading);
  if (reading.failed()) return fail("{}", reading.problem);
  return record;
}

}  // namespace sonde::gate
