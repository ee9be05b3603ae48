#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/keys/keys.h"
#include "base/text/calendar.h"
#include "cli/command.h"
#include "cli/keys/shared_key_file_option.h"
#include "cli/output.h"

namespace sonde {
namespace keys_add_cli {
namespace {

constexpr double kSecondsPerDay = 86400;
constexpr double kMostDays = 36500;

struct Options {
  KeyFileOptions file;
  std::string name;
  std::string role;
  double days = 0;  ///< 0: for ever
  bool json = false;
};

api::Role role_of(const std::string& name) {
  if (name == "admin") return api::Role::admin;
  return name == "submit" ? api::Role::submit : api::Role::read;
}

std::optional<int64_t> expiry_s(double days) {
  if (days == 0) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count() + static_cast<int64_t>(days * kSecondsPerDay);
}

std::string json_text(const api::KeyFile::Made& made) {
  nlohmann::ordered_json json = {{"id", made.key.id},
                                 {"name", made.key.name},
                                 {"role", api::role_name(made.key.role)},
                                 {"expires", nullptr},
                                 {"secret", made.secret}};
  if (made.key.expires_s) json["expires"] = moment_text(*made.key.expires_s) + "Z";
  return json.dump() + "\n";
}

void tell(const api::Key& key, const std::string& file) {
  const std::string until =
      key.expires_s ? fmt::format("until {}Z", moment_text(*key.expires_s)) : std::string("until it is revoked");
  fmt::print(stderr,
             "Key {} for '{}' with the role {} is valid {}; its hash is stored in {}. The key is shown only now. Send "
             "it as\nAuthorization: Bearer KEY\n",
             key.id, key.name, api::role_name(key.role), until, file);
}

Status add(const Options& options) {
  const auto file = key_file_path(options.file);
  if (!file) return std::unexpected(file.error());
  const auto made = api::KeyFile::at(*file)->make(options.name, role_of(options.role), expiry_s(options.days));
  if (!made) return std::unexpected(made.error());
  Output output;
  output.write(options.json ? json_text(*made) : made->secret + "\n");
  tell(made->key, *file);
  return output.close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("NAME", options->name, "user or client that the key is for").required();
  command
      .option("--role", options->role, "ROLE",
              "role: read views everything; submit also runs tasks and acknowledges incidents; admin also changes the "
              "configuration")
      .required()
      .one_of({"read", "submit", "admin"});
  command.option("--expires", options->days, "DAYS", "days until the key expires (default: it does not expire)")
      .between(1 / kSecondsPerDay, kMostDays)
      .above_zero();
  command.flag("--json", options->json, "print JSON, including the secret");
  add_key_file_options(command, options->file);
  command.footer(
      "The key alone goes to standard output:\n  KEY=$(sonde keys add ci --role submit)\n  curl -H \"Authorization: "
      "Bearer $KEY\" http://127.0.0.1:8470/api/v1/gpus\n");
  command.runs([options] {
    const Status done = add(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace keys_add_cli

extern const Command keys_add_command;
const Command keys_add_command{"add", "Create a key and print it", "sonde keys add ci --role submit --expires 90",
                               keys_add_cli::set_up};

}  // namespace sonde
