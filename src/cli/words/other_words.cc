#include "cli/words/other_words.h"

#include <string_view>

#include <fmt/format.h>

namespace sonde {
namespace {

constexpr char kGuard = '\x01';

/// Whether it begins and ends in brackets, guards behind the last one not counted.
bool is_bracketed(std::string_view word) {
  return word.starts_with('[') && word.substr(0, word.find_last_not_of(kGuard) + 1).ends_with(']');
}

const CLI::Option* option_of(const CLI::App& command, std::string_view word) {
  const bool is_one = word.size() > 1 && word.starts_with('-') && word != "--";
  return is_one ? command.get_option_no_throw(std::string(word.substr(0, word.find('=')))) : nullptr;
}

/// "-trace" is -t with the value "race" to the parser, and --trace to its writer.
Status check_dashes(const CLI::App& command, std::string_view word) {
  const std::string name = fmt::format("-{}", word.substr(0, word.find('=')));
  constexpr size_t kShortest = 4;  // "--ab"
  if (word.starts_with("--") || name.size() < kShortest || command.get_option_no_throw(name) == nullptr) return {};
  return fail("{} has one dash; the option is {}", word.substr(0, word.find('=')), name);
}

/// `words`: from the option on, which takes a value.
Status check_value(const CLI::App& command, const CLI::Option& option, std::span<char* const> words) {
  const std::string_view word = words[0];
  const std::string_view next = words.size() > 1 ? words[1] : "--";
  if (word.contains('=') ? !word.ends_with('=') : next != "--" && option_of(command, next) == nullptr) return {};
  return fail("{} needs a value: {}", word.substr(0, word.find('=')), option.get_description());
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

Result<std::vector<std::string>> with_program_apart(const CLI::App& command, std::span<char* const> words) {
  std::vector<std::string> all;
  size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-') || word == "--") break;
    SONDE_TRY(check_dashes(command, word));
    all.emplace_back(word);
    const CLI::Option* const option = option_of(command, word);
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : "";
    if (option == nullptr) continue;
    const bool flag = option->get_expected_max() == 0;
    if (!flag) SONDE_TRY(check_value(command, *option, words.subspan(i)));
    if (word.contains('=')) continue;
    if (flag && next != "true" && next != "false") continue;
    // CLI11 gives a flag its value behind '=', and its long name only.
    if (flag) all.back() = fmt::format("--{}={}", option->get_lnames().front(), next);
    if (!flag) all.emplace_back(next);
    ++i;
  }
  if (i < words.size() && std::string_view(words[i]) == "--") ++i;
  all.emplace_back("--");
  for (; i < words.size(); ++i) all.push_back(guarded_word(words[i]));
  return all;
}

}  // namespace sonde
