#include "cli/serve/service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "api/api.h"
#include "api/config_change.h"
#include "base/files/small_file.h"
#include "cli/serve/logs.h"
#include "cli/serve/sources.h"
#include "cli/serve/state_folder.h"
#include "cli/serve/tasks.h"
#include "config/live.h"
#include "config/read.h"
#include "monitor/alerts.h"
#include "monitor/monitor.h"
#include "server/server.h"

namespace sonde::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRequestsPatience{3000};
constexpr milliseconds kAlertsPatience{3000};
constexpr milliseconds kServerPatience{5000};
/// For all that is stopped but tasks.
constexpr milliseconds kOtherPatience{15'000};

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string own_hostname() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

/// Each connection takes a file descriptor; databases, GPUs and libraries some more.
void allow_files(int64_t connections, Log& log) {
  constexpr rlim_t kOthers = 256;
  const rlim_t wanted = static_cast<rlim_t>(connections) + kOthers;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted) {
    log.warning("the limit of open files is too low for sonde.server.max_connections; raise LimitNOFILE of the unit",
                {{"open_files", fmt::format("{}", limit.rlim_cur)}, {"wanted", fmt::format("{}", wanted)}});
  }
}

/// The file that is read: none where nobody named one and the usual one is not there.
std::string file_of(const Options& options, Log& log) {
  if (options.file_is_named || std::filesystem::exists(options.file)) return options.file;
  log.warning("no config.yaml in this folder; using built-in values (--config names another file)");
  return {};
}

/// What the options say, as values of keys.
config::Changes command_line_of(const Options& options) {
  const auto text = [](const std::string& value) { return nlohmann::json(value).dump(); };
  config::Changes changes;
  if (!options.address.empty()) changes["sonde.server.address"] = text(options.address);
  if (options.port) changes["sonde.server.port"] = fmt::format("{}", *options.port);
  if (!options.simulated.empty()) {
    changes["sonde.devices.source"] = text("simulated");
    // A path on the command line is told from the working directory, one in the file from the file's folder.
    changes["sonde.devices.simulated"] = text(std::filesystem::absolute(options.simulated).string());
  }
  return changes;
}

class RunningService final : public Service {
 public:
  RunningService(Options options, Log& log) : options_(std::move(options)), log_(&log) {}
  ~RunningService() override { stop(); }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;

  Status begin() {
    SONDE_TRY(open_config());
    SONDE_TRY(open_history());
    make_monitor();
    SONDE_TRY(open_tasks());
    make_api();
    monitor_->start();
    if (tasks_) SONDE_TRY(tasks_->check());
    SONDE_TRY(listen());
    if (tasks_) tasks_->start();
    say_keys();
    return {};
  }

  void reload() override {
    const auto done = config_->reload();
    if (!done) {
      log_->error("configuration reload failed; keeping the current configuration", {{"reason", done.error().message}});
    } else {
      say(*done);
    }
    if (const Status read = server_->reload_certificate(); !read) {
      log_->error("certificate reload failed; still using the previous certificate",
                  {{"reason", read.error().message}});
    }
  }

  bool alive() override {
    const auto& state = monitor_->snapshot()->state;
    const auto now = steady_clock::now();
    if (state.rounds != rounds_) moved_ = now;
    rounds_ = state.rounds;
    return now - moved_ < longest_round() && server_->alive(kServerPatience) && (!tasks_ || tasks_->alive());
  }

  std::string status() const override {
    const auto host = monitor_->snapshot();
    if (!host->state.source_trouble.empty()) return fmt::format("no GPUs: {}", host->state.source_trouble);
    const std::string tasks = tasks_ ? tasks_->status() + ", " : "";
    return fmt::format("{} {}, {} open {}, {}{}", host->gpus.size(), host->gpus.size() == 1 ? "GPU" : "GPUs",
                       host->open.size(), host->open.size() == 1 ? "incident" : "incidents", tasks, url());
  }

  milliseconds longest_stop() const override {
    return kOtherPatience + (tasks_ ? drain_time(*config_->current()) : milliseconds(0));
  }

  void stop() override {
    if (std::exchange(stopped_, true)) return;
    if (server_) server_->stop(kRequestsPatience);
    if (tasks_) tasks_->stop();
    if (monitor_) monitor_->stop();
    if (alerts_) alerts_->drain(kAlertsPatience);
    if (history_) history_->flush();
    if (server_ && !port_file_.empty()) std::filesystem::remove(port_file_, ignored_);
    server_.reset();
  }

 private:
  Status open_config() {
    const std::string file = file_of(options_, *log_);
    auto first = file.empty() ? Result<config::Config>() : config::load_config(file);
    if (!first) return std::unexpected(first.error());
    log_->set_level(log_level_of(first->gpu.monitoring.log_level));
    auto folder = state_folder(first->sonde.history);
    if (!folder) return std::unexpected(folder.error());
    state_folder_ = std::move(*folder);
    SONDE_TRY(state_lock_.take(state_folder_));
    auto live = config::LiveConfig::open(file, state_folder_ + "/config_changes.json", command_line_of(options_));
    if (!live) return std::unexpected(live.error());
    config_ = std::move(*live);
    SONDE_TRY(check_simulated(config_->current()->sonde.devices));
    Log* log = log_;
    config_->on_change([log](const config::Config& c) { log->set_level(log_level_of(c.gpu.monitoring.log_level)); });
    return {};
  }

  Status open_history() {
    std::vector<std::string> notes;
    auto history = monitor::History::open(state_folder_, config_->current()->sonde.history, notes);
    if (!history) return std::unexpected(history.error());
    history_ = std::move(*history);
    for (const std::string& note : notes) log_->warning(note);
    return {};
  }

  void make_monitor() {
    hostname_ = own_hostname();
    alerts_ = monitor::AlertSender::start(monitor::http_poster(), *log_, hostname_);
    owners_ = monitor::ProcessOwners::of_proc();
    sources_ = sources_of(config_->current()->sonde.devices);
    monitor_ = monitor::Monitor::make({.config = config_.get(),
                                       .log = log_,
                                       .history = history_.get(),
                                       .events = &events_,
                                       .alerts = alerts_.get(),
                                       .owners = owners_.get(),
                                       .open_source = sources_.open,
                                       .now_ns = now_ns});
  }

  Status open_tasks() {
    auto tasks = Tasks::open({.config = config_.get(),
                              .log = log_,
                              .monitor = monitor_.get(),
                              .events = &events_,
                              .folder = state_folder_,
                              .simulated = sources_.simulated,
                              .now_ns = now_ns});
    if (!tasks) return std::unexpected(std::move(tasks).error());
    tasks_ = std::move(*tasks);
    return {};
  }

  void make_api() {
    keys_ = api::KeyFile::at(config_->current()->sonde.server.keys_file);
    api_ = api::Api::make({.config = config_.get(),
                           .monitor = monitor_.get(),
                           .history = history_.get(),
                           .events = &events_,
                           .dispatcher = tasks_ ? &tasks_->dispatcher() : nullptr,
                           .keys = keys_.get(),
                           .log = log_,
                           .now_ns = now_ns,
                           .hostname = hostname_});
  }

  Status listen() {
    const config::Server server = config_->current()->sonde.server;
    allow_files(server.max_connections, *log_);
    const auto answer = [api = api_.get()](const api::Request& request) { return api->answer(request); };
    auto started = server::Server::start(server, answer, events_, *log_);
    if (!started) return std::unexpected(started.error());
    server_ = std::move(*started);
    is_tls_ = !server.tls.certificate.empty();
    if (!server.port_file.empty()) SONDE_TRY(replace_file(server.port_file, server_->address() + "\n"));
    port_file_ = server.port_file;
    log_->info("serving", {{"url", url()}, {"config", config_->file()}, {"state", state_folder_}});
    return {};
  }

  void say_keys() {
    const std::string options = config_->file().empty() ? "" : fmt::format(" --config {}", config_->file());
    const auto keys = keys_->list();
    if (!keys) {
      log_->error("no client can sign in: the keys cannot be read", {{"reason", keys.error().message}});
    } else if (keys->empty()) {
      log_->warning(
          fmt::format("no key exists yet, so no client can sign in; `sonde keys add NAME --role admin{}` creates one",
                      options),
          {{"keys_file", config_->current()->sonde.server.keys_file}});
    }
  }

  void say(const config::Reload& done) {
    if (!done.changed.empty()) api::add_config_event(events_, done.changed, "SIGHUP");
    log_->info("configuration reloaded", {{"changed", joined(done.changed)}});
    if (!done.waits_for_restart.empty()) {
      log_->warning("some changed keys take effect after a restart", {{"keys", joined(done.waits_for_restart)}});
    }
    if (!done.held.empty()) {
      log_->warning("some keys were changed at run time; these values override the file",
                    {{"keys", joined(done.held)}});
    }
  }

  [[nodiscard]] std::string url() const { return (is_tls_ ? "https://" : "http://") + server_->address(); }

  /// Rounds may be so far apart before something hangs: what is configured, with room for a busy host.
  [[nodiscard]] steady_clock::duration longest_round() const {
    constexpr double kMissedRounds = 3;
    constexpr double kRoomSeconds = 60;
    const auto config = config_->current();
    const double apart = std::max(config->gpu.monitoring.interval, config->gpu.health_check_interval);
    return std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double>(kMissedRounds * apart + kRoomSeconds));
  }

  Options options_;
  Log* log_;
  std::string hostname_;
  std::string state_folder_;
  StateLock state_lock_;
  std::string port_file_;
  std::error_code ignored_;
  bool is_tls_ = false;
  bool stopped_ = false;
  int64_t rounds_ = -1;
  steady_clock::time_point moved_ = steady_clock::now();
  // Each may use those above it until it ends.
  std::unique_ptr<config::LiveConfig> config_;
  std::unique_ptr<monitor::History> history_;
  monitor::EventLog events_;
  std::unique_ptr<monitor::AlertSender> alerts_;
  std::unique_ptr<monitor::ProcessOwners> owners_;
  Sources sources_;
  std::unique_ptr<monitor::Monitor> monitor_;
  std::unique_ptr<Tasks> tasks_;
  std::unique_ptr<api::KeyFile> keys_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<server::Server> server_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::start(const Options& options, Log& log) {
  auto service = std::make_unique<RunningService>(options, log);
  SONDE_TRY(service->begin());
  return service;
}

}  // namespace sonde::serve
