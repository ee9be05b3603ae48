#include "importers/ncu_csv/values.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/text/decimal.h"

namespace sonde::ncu_csv {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// What stands before `separator`; `text` is left with what stands behind it.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view first = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return trimmed(first);
}

std::string without_separators(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  return digits;
}

/// Whether a text reads as a number at all; from_chars would also take "inf" and "nan".
bool begins_as_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

}  // namespace

MetricValue value_of(std::string_view text, double factor, StringPool& names) {
  if (text.empty() || text == "n/a" || text == "no data" || text == "nan" || text == "N/A") return {};
  if (begins_as_number(text)) {
    const std::string digits = without_separators(text);
    if (const auto whole = integer_of<uint64_t>(digits); whole && factor == 1) return MetricValue::integer(*whole);
    if (const auto real = real_of(digits)) return MetricValue::real(*real * factor);
  }
  return MetricValue::text(names.intern(text));
}

void read_value(std::string_view text, double factor, StringPool& names, Metric& metric) {
  const size_t open = text.find(" (");
  const bool has_parts = open != std::string_view::npos && text.ends_with(')') && begins_as_number(text);
  metric.value = value_of(has_parts ? text.substr(0, open) : text, factor, names);
  if (!has_parts) return;
  std::string_view parts = text.substr(open + 2, text.size() - open - 3);
  while (!parts.empty()) metric.instances.push_back({{}, value_of(cut(parts, ';'), factor, names)});
}

std::optional<Dim3> dimensions_of(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Dim3 dimensions{};
  for (uint32_t& d : dimensions) {
    const auto value = integer_of<uint32_t>(cut(text, ','));
    if (!value) return std::nullopt;
    d = *value;
  }
  return dimensions;
}

}  // namespace sonde::ncu_csv
