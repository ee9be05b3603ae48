#include "report/decision/decision_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"

namespace sonde {

#define SONDE_DECISION_FORMAT(name) extern const DecisionFormat name##_decision_format;
#include "report/decision_formats/list.inc"
#undef SONDE_DECISION_FORMAT

namespace {

constexpr std::array kFormats = {
#define SONDE_DECISION_FORMAT(name) &name##_decision_format,
#include "report/decision_formats/list.inc"
#undef SONDE_DECISION_FORMAT
};

template <typename Member>
std::vector<std::string_view> all_of(Member member) {
  std::vector<std::string_view> all;
  for (const DecisionFormat* format : kFormats) {
    if (!(format->*member).empty()) all.push_back(format->*member);
  }
  return all;
}

std::string_view ending_of(std::string_view file) {
  const size_t slash = file.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? file : file.substr(slash + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

const DecisionFormat* format_of_ending(std::string_view ending) {
  const auto* const found = std::ranges::find_if(
      kFormats, [&](const DecisionFormat* format) { return !ending.empty() && format->ending == ending; });
  return found == kFormats.end() ? nullptr : *found;
}

/// "gate.sarif.json" is SARIF, as that standard has it.
const DecisionFormat* format_of_file(std::string_view file) {
  const std::string_view ending = ending_of(file);
  if (ending == ".json") {
    file.remove_suffix(ending.size());
    if (const DecisionFormat* inner = format_of_ending(ending_of(file))) return inner;
  }
  return format_of_ending(ending);
}

Result<DecisionTarget> target_by_ending(std::string_view file) {
  if (const DecisionFormat* format = format_of_file(file)) return DecisionTarget{format, std::string(file)};
  const std::vector<std::string_view> endings = all_of(&DecisionFormat::ending);
  return fail("the name '{}' does not end in {}{}; prefix it with the format, as in {}:{}", file,
              fmt::join(endings, ", "), did_you_mean(ending_of(file), endings), kFormats.front()->name, file);
}

}  // namespace

std::span<const DecisionFormat* const> decision_formats() { return kFormats; }

Result<const DecisionFormat*> find_decision_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &DecisionFormat::name);
  if (found != kFormats.end()) return *found;
  const std::vector<std::string_view> known = all_of(&DecisionFormat::name);
  return fail("unknown format '{}'{} ({})", name, did_you_mean(name, known), fmt::join(known, ", "));
}

Result<DecisionTarget> parse_decision_target(std::string_view text) {
  const size_t colon = text.find(':');
  // A format's name has no '/' and no '.': a path before a colon is part of the file's name.
  if (colon == std::string_view::npos || text.substr(0, colon).find_first_of("/.") != std::string_view::npos) {
    if (text.empty()) return fail("the name of the output file is missing");
    return target_by_ending(text);
  }
  const std::string_view file = text.substr(colon + 1);
  if (file.empty()) return fail("'{}' has a format but no file; write {}FILE", text, text);
  const auto format = find_decision_format(text.substr(0, colon));
  if (!format) return std::unexpected(format.error());
  return DecisionTarget{*format, std::string(file)};
}

}  // namespace sonde
