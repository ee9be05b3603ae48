#include "cli/command.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sonde {
namespace {

std::vector<std::string> names_of(const CommandLine& line, std::span<const Command> rows) {
  std::vector<std::string> names;
  for (const Command& row : rows) names.emplace_back(row.name);
  for (std::string& name : line.command_names()) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::string_view group_name(CommandGroup group) {
  static constexpr std::array<std::string_view, 5> kNames = {"Explain", "Record", "Guard", "Operate", "Other"};
  return kNames.at(static_cast<size_t>(group));
}

CommandLine add_command(CommandLine& around, const Command& row) {
  CommandLine line = around.command(row.name, row.description);
  line.footer(fmt::format("Example:\n  {}\n", row.example));
  if (row.set_up != nullptr) row.set_up(line);
  return line;
}

void add_commands(CommandLine& around, std::span<const Command> rows) {
  for (const Command& row : rows) {
    CommandLine line = add_command(around, row);
    add_commands(line, row.commands);
  }
  if (!rows.empty() && !around.has_work()) around.needs_command();
}

bool ChosenCommand::takes_files() const {
  return std::ranges::any_of(line.options(), [](const OptionInfo& option) { return option.is_positional; });
}

ChosenCommand choose_command(CommandLine program, std::span<const Command> rows,
                             std::span<const std::string_view> words) {
  ChosenCommand chosen{.line = std::move(program), .path = "sonde"};
  for (const std::string_view word : words) {
    const bool has_commands = !rows.empty() || !chosen.line.command_names().empty();
    if (!has_commands || word.empty() || word.starts_with('-')) break;
    const auto row = std::ranges::find(rows, word, &Command::name);
    const auto added = chosen.line.find_command(word);
    if (row == rows.end() && !added) {
      chosen.wrong = word;
      chosen.known = names_of(chosen.line, rows);
      break;
    }
    chosen.row = row == rows.end() ? nullptr : &*row;
    chosen.line = added ? *added : add_command(chosen.line, *row);
    chosen.path += fmt::format(" {}", word);
    rows = chosen.row == nullptr ? std::span<const Command>() : chosen.row->commands;
  }
  if (!chosen.is_program()) add_commands(chosen.line, rows);
  return chosen;
}

}  // namespace sonde
