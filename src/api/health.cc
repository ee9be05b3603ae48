#include "api/health.h"
#include "base/time_units.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sonde::api {
namespace {

/// Rounds that may fail to come before sampling counts as dead: reads that hang take some time to be given up.
constexpr double kMissedRounds = 3;
constexpr double kTimeout_s = 30;

HealthCheck good(std::string_view name) { return {.name = name, .status = HealthStatus::ok, .detail = {}}; }

HealthCheck unless(std::string_view name, std::string trouble) {
  if (trouble.empty()) return good(name);
  return {.name = name, .status = HealthStatus::degraded, .detail = std::move(trouble)};
}

double interval_s(const config::Config& config) {
  return config.gpu.monitoring.enabled ? config.gpu.monitoring.interval : config.gpu.health_check_interval;
}

HealthCheck sampling(const monitor::HostSnapshot& host, const config::Config& config, int64_t now_ns) {
  if (host.moment_ns == 0) return unless("sampling", "no sampling round has completed yet");
  const double age_s = static_cast<double>(now_ns - host.moment_ns) / kSecondNs;
  if (age_s <= kMissedRounds * interval_s(config) + kTimeout_s) return good("sampling");
  return {.name = "sampling",
          .status = HealthStatus::failed,
          .detail = fmt::format("the last sampling round completed {:.0f} s ago; the interval is {:g} s", age_s,
                                interval_s(config))};
}

HealthCheck gpus(const monitor::HostSnapshot& host) {
  if (!host.state.source_trouble.empty()) return unless("gpus", host.state.source_trouble);
  std::vector<std::string> silent;
  for (const monitor::GpuView& gpu : host.gpus) {
    if (gpu.sample.failure) silent.push_back(fmt::format("gpu_{}: {}", gpu.index, gpu.sample.failure->message));
  }
  return unless("gpus", fmt::format("{}", fmt::join(silent, "; ")));
}

HealthCheck tasks(const dispatch::Dispatcher* dispatcher, const config::Tasks& config) {
  constexpr std::chrono::seconds kTurnTimeout{30};  // a turn waits for the disk
  if (dispatcher == nullptr && config.enabled) {
    return unless("tasks", "the task store could not be opened at startup (see the log); restart the service");
  }
  if (dispatcher != nullptr && !dispatcher->alive(kTurnTimeout)) {
    return {.name = "tasks", .status = HealthStatus::failed, .detail = "the dispatcher is not responding"};
  }
  const std::string trouble = dispatcher == nullptr ? "" : dispatcher->snapshot()->trouble;
  if (!trouble.empty())
    return unless("tasks", "no task is accepted or started, because tasks cannot be saved: " + trouble);
  return {.name = "tasks", .status = HealthStatus::ok, .detail = config.enabled ? "" : "sonde.tasks.enabled is false"};
}

HealthCheck configuration(const config::LiveConfig& config) {
  std::vector<std::string> waiting;
  for (const config::KeyState& key : config.keys()) {
    if (key.waits_for_restart) waiting.push_back(key.key);
  }
  if (waiting.empty()) return good("configuration");
  return {.name = "configuration",
          .status = HealthStatus::ok,
          .detail = fmt::format("new values take effect after a restart: {}", fmt::join(waiting, ", "))};
}

}  // namespace

std::string_view health_status_name(HealthStatus status) {
  static constexpr std::array<std::string_view, 3> kNames = {"ok", "degraded", "failed"};
  return kNames.at(static_cast<size_t>(status));
}

std::vector<HealthCheck> health_checks(const Services& services) {
  const auto host = services.monitor->snapshot();
  const auto config = services.config->current();
  return {sampling(*host, *config, services.now_ns()),     gpus(*host),
          unless("history", host->state.history_trouble),  unless("keys", services.keys->trouble()),
          tasks(services.dispatcher, config->sonde.tasks), configuration(*services.config)};
}

HealthStatus worst_of(const std::vector<HealthCheck>& checks) {
  HealthStatus worst = HealthStatus::ok;
  for (const HealthCheck& check : checks) worst = std::max(worst, check.status);
  return worst;
}

std::string why_not_ready(const Services& services) {
  const auto host = services.monitor->snapshot();
  if (host->moment_ns == 0)
    return "No sampling round has completed yet; the first one takes seconds if the driver has to wake GPUs.";
  const auto checks = health_checks(services);
  const auto failed = std::ranges::find(checks, HealthStatus::failed, &HealthCheck::status);
  return failed == checks.end() ? std::string() : fmt::format("{}: {}.", failed->name, failed->detail);
}

}  // namespace sonde::api
