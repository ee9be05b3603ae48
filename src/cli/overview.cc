#include "cli/overview.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sonde {
namespace {

constexpr std::string_view kPurpose = "Sonde explains why GPU work is slow.";
constexpr std::array<std::string_view, 5> kMain = {"why", "report", "record", "gate", "serve"};

/// Aligned with the descriptions of options (words/help_text.cc).
std::string help_row(std::string_view name, std::string_view description) {
  return fmt::format("  {:<28}{}\n", name, description);
}

}  // namespace

std::string introduction(std::span<const Command> rows) {
  std::string text = fmt::format("{}\n\n", kPurpose);
  for (const std::string_view name : kMain) {
    const auto row = std::ranges::find(rows, name, &Command::name);
    if (row != rows.end() && !row->example.empty())
      text += fmt::format("  {:<8}{}\n          {}\n", name, row->description, row->example);
  }
  return text + "\n'sonde --help' lists all commands; 'sonde COMMAND --help' lists the options of one.\n";
}

std::string overview(std::span<const Command> rows) {
  std::string text = fmt::format("{}\nUsage: sonde COMMAND [OPTIONS]\n", kPurpose);
  for (const auto group :
       {CommandGroup::explain, CommandGroup::record, CommandGroup::guard, CommandGroup::operate, CommandGroup::other}) {
    text += fmt::format("\n{}:\n", group_name(group));
    for (const Command& row : rows) {
      if (row.group == group) text += help_row(row.name, row.description);
    }
  }
  text += "\nOptions:\n" + help_row("-h,--help", "Print this help message and exit") +
          help_row("--version", "Print the version; with --json also the commit, the build and the libraries");
  return text + "\n'sonde COMMAND --help' lists the options of a command.\n";
}

}  // namespace sonde
