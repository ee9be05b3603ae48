#include "cli/record/other_options.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "cli/record/number_check.h"

namespace sonde::record_cli {
namespace {

enum class Takes : uint8_t { value, number, flag };
enum class Effect : uint8_t { told, missing, refused };

struct OtherOption {
  std::string_view names;  ///< with commas between, as CLI11 takes them
  Takes takes;
  std::string_view quiet;
  Effect effect;
  std::string_view answer;
};

constexpr std::array kOtherOptions = {
#define SONDE_OTHER_OPTION(names, takes, quiet, effect, answer) \
  OtherOption{names, Takes::takes, quiet, Effect::effect, answer},
#include "cli/record/other_options.inc"
#undef SONDE_OTHER_OPTION
};

bool contains_part(std::string_view list, char between, std::string_view part) {
  return std::ranges::any_of(list | std::views::split(between),
                             [&](const auto& one) { return std::string_view(one) == part; });
}

/// "--wait" of "--wait all"; the long one of "-Y,--start-later".
std::string_view main_name(std::string_view names) {
  const std::string_view from_long = names.substr(std::min(names.find("--"), names.size()));
  return from_long.empty() ? names : from_long.substr(0, from_long.find(','));
}

void refuse(OtherOptions& into, std::string text) {
  if (into.refused.empty()) into.refused = std::move(text);
}

void take(OtherOptions& into, const OtherOption& option, std::string_view value) {
  if (contains_part(option.quiet, ' ', value)) return;
  const std::string_view name = main_name(option.names);
  std::string text = fmt::format("{}: {}", name, option.answer);
  if (option.effect == Effect::refused) return refuse(into, std::move(text));
  if (std::ranges::find(into.remarks, text, &record::Remark::text) != into.remarks.end()) return;
  into.remarks.push_back({option.effect == Effect::missing, std::move(text)});
  into.words.push_back(fmt::format("{}={}", name, value));
}

/// Takes a value that the option may have.
void take_checked(OtherOptions& into, const OtherOption& option, const std::string& value) {
  const std::string_view name = main_name(option.names);
  if (option.takes == Takes::flag && value != "true" && value != "false") {
    return refuse(into, fmt::format("{}: '{}' is neither true nor false", name, value));
  }
  if (option.takes == Takes::number && !is_whole_number(value)) {
    return refuse(into, fmt::format("{}: '{}' is not a number; {}", name, value, option.answer));
  }
  take(into, option, value);
}

/// Those of the names that the command has no option of.
std::string free_names(const CommandLine& command, std::string_view names) {
  std::string left;
  for (const auto part : names | std::views::split(',')) {
    const std::string name(std::string_view{part});
    if (!command.has_option(name)) left += (left.empty() ? "" : ",") + name;
  }
  return left;
}

}  // namespace

std::shared_ptr<OtherOptions> add_other_options(CommandLine& command) {
  auto taken = std::make_shared<OtherOptions>();
  for (const OtherOption& option : kOtherOptions) {
    const std::string names = free_names(command, option.names);
    if (names.empty()) continue;
    const std::string answer(option.answer);
    const auto take_one = [taken, &option](const std::string& value) { take_checked(*taken, option, value); };
    CommandOption added = option.takes == Takes::flag ? command.flag_taking(names, take_one, answer)
                                                      : command.option_taking(names, take_one, "VALUE", answer);
    added.hidden().last_counts();
  }
  return taken;
}

Status answer_others(const OtherOptions& options, std::vector<record::Remark>& remarks) {
  if (!options.refused.empty()) return fail("{}", options.refused);
  remarks.insert(remarks.end(), options.remarks.begin(), options.remarks.end());
  return {};
}

std::string_view in_place_of_option(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOtherOptions, [&](const OtherOption& o) { return contains_part(o.names, ',', name); });
  return found == kOtherOptions.end() ? std::string_view() : found->answer;
}

}  // namespace sonde::record_cli
