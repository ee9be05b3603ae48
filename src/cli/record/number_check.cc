#include "cli/record/number_check.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace sonde::record_cli {
namespace {

/// What somebody typed may be long.
std::string_view shortened(std::string_view text) {
  constexpr size_t kMostShown = 40;
  return text.substr(0, kMostShown);
}

template <typename Number>
bool is_within(std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least && number <= most;
}

}  // namespace

CLI::Validator seconds_check() {
  const auto check = [](const std::string& text) -> std::string {
    if (is_within<double>(text, 0, static_cast<double>(kMostSeconds))) return {};
    return fmt::format("'{}' is no number of seconds from 0 to {}, as in 2.5", shortened(text), kMostSeconds);
  };
  return CLI::Validator(check, "SECONDS");
}

CLI::Validator whole_number_check(int64_t least, int64_t most, std::string_view what, const std::string& sign) {
  const auto check = [least, most, what = std::string(what)](const std::string& text) -> std::string {
    if (is_within<int64_t>(text, least, most)) return {};
    return fmt::format("'{}' is no number of {} from {} to {}", shortened(text), what, least, most);
  };
  return CLI::Validator(check, sign);
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace sonde::record_cli
