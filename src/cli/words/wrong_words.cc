#include "cli/words/wrong_words.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "cli/record/other_options.h"
#include "cli/words/other_commands.h"

namespace sonde {
namespace {

/// What a user typed may be long.
std::string shortened_word(const std::string& text) {
  constexpr size_t kMaxShown = 40;
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

std::string near_to(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  return did_you_mean(word, known);
}

/// An option of the command that is near to it.
std::string near_option(const CommandLine& line, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionInfo& option : line.options()) {
    if (option.is_hidden || option.is_positional) continue;
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& known) { return known.starts_with("--"); });
  }
  return near_to(name, names);
}

/// Those commands of a recording, except this one, that have the option.
std::vector<std::string_view> commands_with(const std::string& name, const Command* except,
                                            std::span<const Command> rows) {
  std::vector<std::string_view> found;
  for (const Command& row : rows) {
    if (!row.as_nsys || &row == except || name == "--help") continue;
    CommandLine line(row.name, row.description);
    row.set_up(line);
    const auto option = line.find_option(name);
    if (option && !option->is_hidden) found.push_back(row.name);
  }
  return found;
}

/// Where else an option of nsys or ncu is, or what does the same; empty where nothing is known of it.
std::string elsewhere(const ChosenCommand& chosen, const std::string& name, std::span<const Command> rows) {
  const auto others = commands_with(name, chosen.row, rows);
  if (!others.empty()) {
    return fmt::format("{} has no option {}; sonde {} {}", chosen.path, name, fmt::join(others, ", sonde "),
                       others.size() == 1 ? "has it" : "have it");
  }
  const std::string_view answer = record_cli::in_place_of_option(name);
  return answer.empty() ? "" : fmt::format("{} has no option {}: {}", chosen.path, name, answer);
}

std::string unknown_option(const ChosenCommand& chosen, const std::string& word, std::span<const Command> rows) {
  const std::string name = word.substr(0, word.find('='));
  if (chosen.row != nullptr && chosen.row->as_nsys) {
    if (std::string known = elsewhere(chosen, name, rows); !known.empty()) return known;
  }
  const std::string near = name.starts_with("--") ? near_option(chosen.line, name) : "";
  const bool runs_program = chosen.line.has_option("COMMAND");
  const std::string hint = near.empty() && runs_program
                               ? fmt::format("; an option of the program follows the program's name: {} -- PROGRAM {}",
                                             chosen.path, shortened_word(word))
                               : "";
  return fmt::format("unknown option '{}'{}{}", shortened_word(name), near, hint);
}

std::string unknown_word(const ChosenCommand& chosen, const std::vector<std::string>& words,
                         std::span<const Command> rows) {
  const auto dashed = std::ranges::find_if(words, [](const auto& w) { return w.size() > 1 && w.starts_with('-'); });
  if (dashed != words.end()) return unknown_option(chosen, *dashed, rows);
  return fmt::format("unexpected word '{}'", words.empty() ? "--" : shortened_word(words.front()));
}

}  // namespace

std::string mistyped_command(const ChosenCommand& chosen) {
  if (chosen.wrong.empty()) return {};
  const std::string_view known_elsewhere = chosen.is_program() ? in_place_of(chosen.wrong) : "";
  if (!known_elsewhere.empty()) return fmt::format("unknown command '{}': {}", chosen.wrong, known_elsewhere);
  const std::string near = near_to(chosen.wrong, chosen.known);
  if (chosen.takes_files() && (near.empty() || std::filesystem::exists(chosen.wrong))) return {};
  const std::string_view path = std::string_view(chosen.path).substr(std::string_view("sonde").size());
  return fmt::format("unknown command '{}{}{}'{}", path.empty() ? "" : path.substr(1), path.empty() ? "" : " ",
                     chosen.wrong, near);
}

std::string wrong_words(const ChosenCommand& chosen, const Misuse& misuse, std::span<const Command> rows) {
  switch (misuse.kind) {
    case Misuse::Kind::unknown_words: return unknown_word(chosen, misuse.words, rows);
    case Misuse::Kind::missing_command:
      return fmt::format("{} needs one of its commands: {}", chosen.path, fmt::join(chosen.line.command_names(), ", "));
    default: return misuse.message;
  }
}

}  // namespace sonde
