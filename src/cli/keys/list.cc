#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/keys/keys.h"
#include "base/text/calendar.h"
#include "cli/command.h"
#include "cli/keys/shared_key_file_option.h"
#include "cli/output.h"
#include "report/tables/table_format.h"

namespace sonde {
namespace keys_list_cli {
namespace {

struct Options {
  KeyFileOptions file;
  bool json = false;
};

bool is_over(const api::Key& key) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return key.expires_s && *key.expires_s <= std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string stamp(int64_t seconds) { return moment_text(seconds) + "Z"; }

nlohmann::ordered_json key_json(const api::Key& key) {
  nlohmann::ordered_json json = {
      {"id", key.id},       {"name", key.name},       {"role", api::role_name(key.role)}, {"made", stamp(key.made_s)},
      {"expires", nullptr}, {"expired", is_over(key)}};
  if (key.expires_s) json["expires"] = stamp(*key.expires_s);
  return json;
}

std::string json_text(const std::string& file, const std::vector<api::Key>& keys) {
  nlohmann::ordered_json json = {{"file", file}, {"keys", nlohmann::ordered_json::array()}};
  for (const api::Key& key : keys) json["keys"].push_back(key_json(key));
  return json.dump(2) + "\n";
}

Table table_of(const std::vector<api::Key>& keys) {
  Table table;
  auto& id = table.texts("ID");
  auto& name = table.texts("Name");
  auto& role = table.texts("Role");
  auto& made = table.texts("Made");
  auto& expires = table.texts("Expires");
  auto& state = table.texts("State");
  for (const api::Key& key : keys) {
    id.push_back(table.keep(key.id));
    name.push_back(table.keep(key.name));
    role.push_back(api::role_name(key.role));
    made.push_back(table.keep(stamp(key.made_s)));
    expires.push_back(key.expires_s ? table.keep(stamp(*key.expires_s)) : std::string_view());
    state.emplace_back(is_over(key) ? "expired" : "valid");
  }
  return table;
}

Status list(const Options& options) {
  const auto file = key_file_path(options.file);
  if (!file) return std::unexpected(file.error());
  const auto keys = api::KeyFile::at(*file)->list();
  if (!keys) return std::unexpected(keys.error());
  Output output;
  if (options.json) {
    output.write(json_text(*file, *keys));
  } else if (keys->empty()) {
    fmt::print(stderr, "No key in {}; `sonde keys add NAME --role read` creates one.\n", *file);
  } else {
    const auto format = find_table_format("column");
    if (!format) return std::unexpected(format.error());
    RenderOptions render = terminal_options();
    render.absent = "-";
    (*format)->render(table_of(*keys), render, output.sink());
  }
  return output.close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.flag("--json", options->json, "print JSON");
  add_key_file_options(command, options->file);
  command.runs([options] {
    const Status done = list(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace keys_list_cli

extern const Command keys_list_command;
const Command keys_list_command{"list", "List the keys, without their secrets", "sonde keys list",
                                keys_list_cli::set_up};

}  // namespace sonde
