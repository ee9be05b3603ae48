#include "config/live.h"

#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/checks.h"
#include "config/file_reader.h"
#include "config/keys.h"

namespace sonde::config {
namespace {

/// What the configuration is made of. The later member wins.
struct Sources {
  FileReading file;
  Changes persisted;
  Changes run_time;
  Changes command_line;
};

Status apply_changes(const Changes& changes, const std::string& folder, Config& config) {
  for (const auto& [name, json] : changes) SONDE_TRY(apply_change(*find_key(name), json, folder, config));
  return {};
}

/// The configuration as the sources want it.
Result<Config> wanted_config(const Sources& sources, const std::string& folder) {
  Config config = sources.file.reading.config;
  SONDE_TRY(apply_changes(sources.persisted, folder, config));
  SONDE_TRY(apply_changes(sources.run_time, folder, config));
  SONDE_TRY(apply_changes(sources.command_line, folder, config));
  std::vector<std::string> wrong;
  check_together(config, [&](std::string_view key, std::string_view /*other*/, const std::string& says) {
    wrong.push_back(fmt::format("{}: {}", key, says));
  });
  if (!wrong.empty()) return std::unexpected(Error{fmt::format("{}", fmt::join(wrong, "\n"))});
  return config;
}

Origin origin_of(const Key& key, const Sources& sources) {
  if (sources.command_line.contains(key.name)) return Origin::command_line;
  if (sources.run_time.contains(key.name)) return Origin::run_time;
  if (sources.persisted.contains(key.name)) return Origin::persisted;
  return sources.file.places.contains(key.name) ? Origin::file : Origin::built_in;
}

bool differs(const Key& key, const Config& a, const Config& b) {
  return value_json(key, a, Secrets::shown) != value_json(key, b, Secrets::shown);
}

class Live : public LiveConfig {
 public:
  Live(std::string file, std::string persisted) : file_(std::move(file)), persisted_(std::move(persisted)) {}

  Status start(const Changes& command_line) {
    auto read = load_file(file_);
    if (!read) return std::unexpected(std::move(read).error());
    auto changes = read_changes(persisted_);
    if (!changes) return std::unexpected(std::move(changes).error());
    sources_ = {.file = *std::move(read), .persisted = {}, .run_time = {}, .command_line = command_line};
    SONDE_TRY(wanted_config(sources_, folder_of(file_)));
    sources_.persisted = *std::move(changes);
    auto wanted = wanted_config(sources_, folder_of(file_));
    if (!wanted) {
      return fail("{}: {}\nThis change was made at run time and persisted; remove it from {}, or change {}", persisted_,
                  wanted.error().message, persisted_, file_);
    }
    started_with_ = *wanted;
    for (const Key& key : all_keys()) started_from_[key.name] = origin_of(key, sources_);
    wanted_ = *wanted;
    in_force_ = std::make_shared<const Config>(*std::move(wanted));
    return {};
  }

  std::shared_ptr<const Config> current() const override {
    const std::lock_guard lock(mutex_);
    return in_force_;
  }

  Status set(std::string_view name, const std::string& json_value, bool persist) override {
    const auto key = known_key(name);
    if (!key) return std::unexpected(key.error());
    const bool withdraws = json_value == "null";
    if (!persist && !withdraws && (*key)->when == When::restart) {
      return fail("{} is read only at startup: change it in the file and restart the service, or persist the change",
                  name);
    }
    if (persist && persisted_.empty()) return fail("{}: no file is set for persisted changes", name);
    const std::lock_guard changing(changing_);
    Sources sources = copy_of_sources();
    sources.run_time.erase((*key)->name);
    if (persist) sources.persisted.erase((*key)->name);
    if (!withdraws) (persist ? sources.persisted : sources.run_time).emplace((*key)->name, json_value);
    auto wanted = wanted_config(sources, folder_of(file_));
    if (!wanted) return std::unexpected(std::move(wanted).error());
    if (persist) SONDE_TRY(write_changes(persisted_, sources.persisted));
    take(std::move(sources), *std::move(wanted));
    return {};
  }

  Result<Reload> reload() override {
    const std::lock_guard changing(changing_);
    auto read = load_file(file_);
    if (!read) return std::unexpected(std::move(read).error());
    Sources sources = copy_of_sources();
    Reload done = {.changed = {}, .waits_for_restart = {}, .held = held_keys(sources, read->reading.config)};
    sources.file = *std::move(read);
    auto wanted = wanted_config(sources, folder_of(file_));
    if (!wanted) {
      return fail("{} conflicts with changes made at run time: {}", file_, wanted.error().message);
    }
    done.changed = take(std::move(sources), *std::move(wanted));
    for (const KeyState& key : keys()) {
      if (key.waits_for_restart) done.waits_for_restart.push_back(key.key);
    }
    return done;
  }

  std::vector<KeyState> keys() const override {
    const std::lock_guard lock(mutex_);
    std::vector<KeyState> states;
    for (const Key& key : all_keys()) {
      const auto place = sources_.file.places.find(key.name);
      const bool waits = key.when == When::restart && differs(key, wanted_, *in_force_);
      states.push_back({.key = std::string(key.name),
                        .value = value_json(key, *in_force_),
                        .origin = waits ? started_from_.at(key.name) : origin_of(key, sources_),
                        .line = place == sources_.file.places.end() ? 0 : place->second.line,
                        .needs_restart = key.when == When::restart,
                        .waits_for_restart = waits});
    }
    return states;
  }

  void on_change(std::function<void(const Config&)> callback) override {
    const std::lock_guard changing(changing_);
    callbacks_.push_back(std::move(callback));
  }

  const std::string& file() const override { return file_; }

 private:
  Sources copy_of_sources() const {
    const std::lock_guard lock(mutex_);
    return sources_;
  }

  /// Keys whose new value in the file gives way to a change made at run time.
  static std::vector<std::string> held_keys(const Sources& sources, const Config& read) {
    std::vector<std::string> held;
    for (const Key& key : all_keys()) {
      const bool is_changed = sources.run_time.contains(key.name) || sources.persisted.contains(key.name);
      if (is_changed && differs(key, read, sources.file.reading.config)) held.emplace_back(key.name);
    }
    return held;
  }

  /// Puts a configuration into force, but for keys that are read at the start only. Returns the keys that changed and
  /// tells of them. `changing_` is held.
  std::vector<std::string> take(Sources sources, Config wanted) {
    auto next = std::make_shared<Config>(wanted);
    std::vector<std::string> changed;
    const std::shared_ptr<const Config> before = current();
    for (const Key& key : all_keys()) {
      if (key.when == When::restart) copy_value(key, started_with_, *next);
      if (differs(key, *before, *next)) changed.emplace_back(key.name);
    }
    {
      const std::lock_guard lock(mutex_);
      sources_ = std::move(sources);
      wanted_ = std::move(wanted);
      in_force_ = next;
    }
    if (changed.empty()) return changed;
    for (const auto& callback : callbacks_) callback(*next);
    return changed;
  }

  std::string file_;
  std::string persisted_;
  Config started_with_;
  std::map<std::string_view, Origin> started_from_;

  std::mutex changing_;  ///< held by whoever changes something, its callbacks included
  std::vector<std::function<void(const Config&)>> callbacks_;

  mutable std::mutex mutex_;  ///< of what follows; never held while a file is written or callbacks run
  Sources sources_;
  Config wanted_;
  std::shared_ptr<const Config> in_force_;
};

}  // namespace

std::string_view origin_name(Origin origin) {
  static constexpr std::array<std::string_view, 5> kNames = {"default", "file", "run_time", "persisted",
                                                             "command_line"};
  return kNames.at(static_cast<size_t>(origin));
}

Result<std::unique_ptr<LiveConfig>> LiveConfig::open(const std::string& file, const std::string& persisted,
                                                     const Changes& command_line) {
  auto live = std::make_unique<Live>(file, persisted);
  SONDE_TRY(live->start(command_line));
  return live;
}

}  // namespace sonde::config
