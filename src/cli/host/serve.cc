#include <malloc.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/serve/logs.h"
#include "cli/serve/service.h"
#include "cli/serve/signals.h"
#include "cli/serve/supervisor.h"
#include "config/read.h"

namespace sonde {
namespace serve_cli {
namespace {

using serve::Options;
using serve::Service;
using serve::Signals;
using serve::Supervisor;

/// The other commands keep all memory that they ever took, in one arena (main.cc): they end soon. A service gives it
/// back, and its threads do not wait for each other's.
void give_memory_back() {
#ifdef __GLIBC__
  constexpr int kUsual = 128 << 10;  // glibc's own default, as the next
  constexpr int kArenas = 8;
  // NOLINTBEGIN(concurrency-mt-unsafe): there are no threads yet.
  mallopt(M_MMAP_THRESHOLD, kUsual);
  mallopt(M_TRIM_THRESHOLD, kUsual);
  mallopt(M_ARENA_MAX, kArenas);
  // NOLINTEND(concurrency-mt-unsafe)
#endif
}

int validate(const Options& options) {
  const auto config = config::load_config(options.file);
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().message);
    return kCannot;
  }
  fmt::print("{}: valid\n", options.file);
  return kDone;
}

void reload(Service& service) {
  Supervisor::reloading();
  service.reload();
  Supervisor::ready();
}

/// Until a signal says that it is over.
int watch_over(Service& service) {
  constexpr std::chrono::seconds kUsual{10};
  const auto watchdog = Supervisor::watchdog();
  for (;;) {
    Supervisor::status(service.status());
    if (watchdog && service.alive()) Supervisor::alive();
    const auto signal = Signals::wait(watchdog ? std::min<std::chrono::nanoseconds>(*watchdog, kUsual) : kUsual);
    if (signal == SIGHUP) reload(service);
    if (signal && signal != SIGHUP) return *signal;
  }
}

int run(const Options& options) {
  if (options.validate) return validate(options);
  give_memory_back();
  const Signals signals;
  const auto log = serve::service_log();
  auto service = Service::start(options, *log);
  if (!service) return report_error(service.error());
  Supervisor::ready();
  const int signal = watch_over(**service);
  const auto longest = std::chrono::ceil<std::chrono::seconds>((*service)->longest_stop());
  Supervisor::stopping(longest);
  log->info("stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
  Signals::end_process_after(longest);
  (*service)->stop();
  log->info("stopped");
  return kDone;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  const CommandOption file = command.option("--config", options->file, "FILE", "configuration file").shows_default();
  command.flag("--validate-config", options->validate, "check the configuration and exit: 0 valid, 1 invalid");
  command.option("--simulated", options->simulated, "FILE",
                 "use simulated GPUs that FILE describes, instead of real ones");
  command.option("--address", options->address, "ADDRESS", "address to listen on; overrides the configuration");
  command
      .option("--port", options->port, "N",
              "port to listen on; overrides the configuration; 0: any free port, printed to the log and port_file")
      .within(0, 65535);
  command.runs([options, file] {
    options->file_is_named = file.is_given();
    return run(*options);
  });
}

}  // namespace
}  // namespace serve_cli

extern const Command serve_command;
const Command serve_command{
    "serve", "Monitor the GPUs of this host and run tasks: web page, API, Prometheus metrics, alerts, history",
    "sonde serve --config config.yaml", serve_cli::set_up, CommandGroup::operate};

}  // namespace sonde
