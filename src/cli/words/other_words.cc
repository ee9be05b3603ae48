#include "cli/words/other_words.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace sonde {
namespace {

constexpr char kGuard = '\x01';

/// Whether it begins and ends in brackets; guards after the last one do not count.
bool is_bracketed(std::string_view word) {
  return word.starts_with('[') && word.substr(0, word.find_last_not_of(kGuard) + 1).ends_with(']');
}

std::optional<OptionInfo> option_of(const CommandLine& command, std::string_view word) {
  const bool may_be = word.size() > 1 && word.starts_with('-') && word != "--";
  return may_be ? command.find_option(std::string(word.substr(0, word.find('=')))) : std::nullopt;
}

/// "-trace" is -t with the value "race" to the parser, and --trace to its writer.
Status check_dashes(const CommandLine& command, std::string_view word) {
  const std::string name = fmt::format("-{}", word.substr(0, word.find('=')));
  constexpr size_t kShortest = 4;  // "--ab"
  if (word.starts_with("--") || name.size() < kShortest || !command.has_option(name)) return {};
  return fail("{} has one dash; the option is {}", word.substr(0, word.find('=')), name);
}

/// `words`: from the option on, which takes a value.
Status check_value(const CommandLine& command, const OptionInfo& option, std::span<const std::string_view> words) {
  const std::string_view word = words[0];
  const std::string_view next = words.size() > 1 ? words[1] : "--";
  if (word.contains('=') ? !word.ends_with('=') : next != "--" && !option_of(command, next)) return {};
  return fail("{} needs a value: {}", word.substr(0, word.find('=')), option.description);
}

std::string long_name(const OptionInfo& option) {
  const auto found = std::ranges::find_if(option.names, [](const std::string& n) { return n.starts_with("--"); });
  return found == option.names.end() ? option.names.front() : *found;
}

}  // namespace

std::string guarded_word(std::string word) {
  if (is_bracketed(word)) word += kGuard;
  return word;
}

std::string unguarded_word(std::string word) {
  if (is_bracketed(word) && word.ends_with(kGuard)) word.pop_back();
  return word;
}

Result<std::vector<std::string>> with_program_apart(const CommandLine& command,
                                                    std::span<const std::string_view> words) {
  std::vector<std::string> all;
  size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-') || word == "--") break;
    SONDE_TRY(check_dashes(command, word));
    all.emplace_back(word);
    const auto option = option_of(command, word);
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : "";
    if (!option) continue;
    if (!option->is_flag) SONDE_TRY(check_value(command, *option, words.subspan(i)));
    if (word.contains('=')) continue;
    if (option->is_flag && next != "true" && next != "false") continue;
    // The parser accepts a flag's value after '=', and after its long name only.
    if (option->is_flag) all.back() = fmt::format("{}={}", long_name(*option), next);
    if (!option->is_flag) all.emplace_back(next);
    ++i;
  }
  if (i < words.size() && words[i] == "--") ++i;
  all.emplace_back("--");
  for (; i < words.size(); ++i) all.push_back(guarded_word(std::string(words[i])));
  return all;
}

std::vector<std::string> with_joined_values(std::span<const std::string_view> words) {
  std::vector<std::string> joined;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      for (; i < words.size(); ++i) joined.push_back(guarded_word(std::string(words[i])));
      break;
    }
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : "";
    const bool boolean =
        (word == "--force-overwrite" || word == "--force-export") && (next == "true" || next == "false");
    const bool named = word == "--help-reports" && !next.empty() && !next.starts_with('-');
    joined.emplace_back(word);
    if (!boolean && !named) continue;
    joined.back() += fmt::format("={}", next);
    ++i;
  }
  return joined;
}

}  // namespace sonde
