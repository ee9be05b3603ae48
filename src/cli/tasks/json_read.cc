#include "cli/tasks/json_read.h"

#include "base/text/calendar.h"
#include "base/text/decimal.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

const Json kNull;
const Json kNothing = Json::array();

}  // namespace

const Json& member(const Json& object, std::string_view name) {
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

const Json& list_of(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_array() ? value : kNothing;
}

std::string raw_text(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string text_of(const Json& object, std::string_view name) { return one_line(raw_text(object, name)); }

std::optional<int64_t> whole_of(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

std::optional<double> number_of(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

bool flag_of(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

std::optional<double> moment_of(const Json& object, std::string_view name) {
  constexpr size_t kToSeconds = 19;  // "2026-11-22T08:00:00"
  const std::string text = raw_text(object, name);
  const auto seconds = parse_moment(std::string_view(text).substr(0, kToSeconds));
  if (!seconds) return std::nullopt;
  const size_t end = text.find_first_not_of("0123456789", std::min(kToSeconds + 1, text.size()));
  const std::string fraction = "0" + text.substr(kToSeconds, end == std::string::npos ? end : end - kToSeconds);
  return static_cast<double>(*seconds) +
         (text.size() > kToSeconds && text[kToSeconds] == '.' ? real_of(fraction).value_or(0) : 0);
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde::tasks
