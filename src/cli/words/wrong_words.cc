#include "cli/words/wrong_words.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "cli/record/other_options.h"

namespace sonde {
namespace {

/// What somebody typed may be long.
std::string shortened(const std::string& text) {
  constexpr size_t kMostShown = 40;
  return text.size() <= kMostShown ? text : text.substr(0, kMostShown) + "...";
}

/// The options that the command has, where one is near to it.
std::string near_option(const CLI::App& command, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return did_you_mean(name, known);
}

/// Those commands of a recording, but for this one, that have the option.
std::vector<std::string_view> commands_with(const std::string& name, std::string_view path,
                                            std::span<const Command> commands) {
  std::vector<std::string_view> found;
  for (const Command& row : commands) {
    if (!row.as_nsys || path == fmt::format("sonde {}", row.name)) continue;
    CLI::App command;
    int unused = 0;
    row.set_up(command, unused);
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && !option->get_group().empty() && name != "--help") found.push_back(row.name);
  }
  return found;
}

bool is_as_nsys(std::string_view path, std::span<const Command> commands) {
  return std::ranges::any_of(
      commands, [&](const Command& row) { return row.as_nsys && path == fmt::format("sonde {}", row.name); });
}

std::string unknown_option(const CLI::App& command, std::string_view path, const std::string& word,
                           std::span<const Command> commands) {
  const std::string name = word.substr(0, word.find('='));
  if (is_as_nsys(path, commands)) {
    const auto others = commands_with(name, path, commands);
    if (!others.empty()) {
      return fmt::format("{} has no option {}; sonde {} {}", path, name, fmt::join(others, ", sonde "),
                         others.size() == 1 ? "has it" : "have it");
    }
    const std::string_view answer = record_cli::in_place_of_option(name);
    if (!answer.empty()) return fmt::format("{} has no option {}: {}", path, name, answer);
  }
  const std::string near = name.starts_with("--") ? near_option(command, name) : "";
  const bool runs = command.get_option_no_throw("COMMAND") != nullptr;
  return fmt::format("there is no option '{}'{}{}", shortened(name), near,
                     near.empty() && runs ? fmt::format("; if it is the program's, it stands behind the program's "
                                                        "name: {} -- PROGRAM {}",
                                                        path, shortened(word))
                                          : "");
}

std::string unexpected(const CLI::App& command, std::string_view path, std::span<const Command> commands) {
  std::vector<std::string> left;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (std::string& word : app->remaining()) left.push_back(std::move(word));
  }
  std::erase(left, "--");
  const auto dashed =
      std::ranges::find_if(left, [](const std::string& w) { return w.size() > 1 && w.starts_with('-'); });
  if (dashed != left.end()) return unknown_option(command, path, *dashed, commands);
  return fmt::format("'{}' is one word too many", left.empty() ? "--" : shortened(left.front()));
}

/// The option that the parser's message is about: the longest name that it begins with, or has in it.
const CLI::Option* named_option(const CLI::App& command, std::string_view message) {
  const CLI::Option* found = nullptr;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool named = message.starts_with(name + ":") || message.contains(" " + name + " =");
    if (named && (found == nullptr || found->get_name().size() < name.size())) found = option;
  }
  return found;
}

std::string wrong_count(const CLI::Option& option) {
  const auto& given = option.results();
  if (option.get_expected_max() > 0 && given.size() > static_cast<size_t>(option.get_expected_max())) {
    return fmt::format("{} is given {} times: {}; one can be meant", option.get_name(), given.size(),
                       fmt::join(given, ", "));
  }
  return fmt::format("{} needs a value: {}", option.get_name(), option.get_description());
}

std::string no_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string value = option.results().empty() ? "" : shortened(option.results().back());
  if (option.get_expected_max() == 0) {
    return fmt::format("{}: '{}' is neither true nor false", option.get_name(), value);
  }
  const bool whole = type.starts_with("INT") || type.starts_with("UINT");
  const std::string_view range = type.contains("POSITIVE")                                  ? " above 0"
                                 : type.contains("NONNEGATIVE") || type.starts_with("UINT") ? " from 0 on"
                                                                                            : "";
  return fmt::format("{}: '{}' is no {}number{}", option.get_name(), value, whole ? "whole " : "", range);
}

/// CLI11 writes the largest of all numbers down.
bool has_no_upper_bound(const CLI::Option& option) {
  return option.get_type_name().contains("POSITIVE") || option.get_type_name().contains("NONNEGATIVE");
}

std::string without_command(const CLI::App& command, std::string_view path) {
  std::vector<std::string> names;
  for (const CLI::App* c : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(c->get_name());
  return fmt::format("{} needs one of its commands: {}", path, fmt::join(names, ", "));
}

}  // namespace

std::string wrong_words(const CLI::App& command, std::string_view path, const CLI::ParseError& error,
                        std::span<const Command> commands) {
  std::string message = error.what();
  const std::string kind = error.get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(command, path, commands);
  if (kind == "RequiredError" && message.contains("subcommand")) return without_command(command, path);
  const CLI::Option* const option = named_option(command, message);
  if (option == nullptr) return message;
  if (kind == "ArgumentMismatch") return wrong_count(*option);
  if (kind == "ConversionError") return no_number(*option);
  if (kind == "ValidationError" && has_no_upper_bound(*option)) return no_number(*option);
  return message;
}

}  // namespace sonde
