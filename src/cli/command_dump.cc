#include "cli/command_dump.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

Json option_json(const OptionInfo& option) {
  return {{"names", option.names},
          {"value", option.value.empty() ? Json(nullptr) : Json(option.value)},
          {"description", option.description},
          {"choices", option.choices.empty() ? Json(nullptr) : Json(option.choices)}};
}

Json command_json(const std::string& path, const CommandLine& line, CommandGroup group, std::string_view example) {
  Json positionals = Json::array();
  Json options = Json::array();
  for (const OptionInfo& option : line.options()) {
    if (option.is_positional) {
      positionals.push_back({{"name", option.names.front()}, {"description", option.description}});
    } else if (!option.is_hidden) {
      options.push_back(option_json(option));
    }
  }
  return {{"path", path},       {"description", line.description()},     {"group", group_name(group)},
          {"example", example}, {"positionals", std::move(positionals)}, {"options", std::move(options)}};
}

const Command* row_of(std::span<const Command> rows, std::string_view name) {
  for (const Command& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// A command and those in it; `row` is null for a command without one.
void add_json(Json& all, const std::string& path, const CommandLine& line, CommandGroup group, const Command* row) {
  all.push_back(command_json(path, line, group, row == nullptr ? "" : row->example));
  for (const std::string& name : line.command_names()) {
    const Command* const inner = row == nullptr ? nullptr : row_of(row->commands, name);
    add_json(all, fmt::format("{} {}", path, name), *line.find_command(name), group, inner);
  }
}

}  // namespace

std::string command_dump(std::span<const Command> rows) {
  CommandLine program("sonde", "");
  add_commands(program, rows);
  Json all = Json::array();
  for (const Command& row : rows) {
    add_json(all, std::string(row.name), *program.find_command(row.name), row.group, &row);
  }
  return all.dump(2) + "\n";
}

}  // namespace sonde
