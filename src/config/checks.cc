#include "config/checks.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/task_checks.h"
#include "config/text_form.h"
#include "config/value_reader.h"

namespace sonde::config {
namespace {

using Report = std::function<void(std::string_view key, std::string_view other, std::string says)>;

void check_strategy(const MultiGpu& gpu, const Report& report) {
  if (std::ranges::find(gpu.strategies, gpu.default_strategy) != gpu.strategies.end()) return;
  report("gpu.multi_gpu.default_strategy", "gpu.multi_gpu.strategies",
         fmt::format("'{}' is not in gpu.multi_gpu.strategies; allowed: {}", gpu.default_strategy,
                     fmt::join(gpu.strategies, ", ")));
}

void check_priority(const MultiGpu& gpu, const Report& report) {
  if (gpu.queue_priority_levels.contains(gpu.default_queue_priority)) return;
  report(
      "gpu.multi_gpu.default_queue_priority", "gpu.multi_gpu.queue_priority_levels",
      fmt::format("{} is not in gpu.multi_gpu.queue_priority_levels; allowed: {}",
                  in_quotes(gpu.default_queue_priority), fmt::join(std::views::keys(gpu.queue_priority_levels), ", ")));
}

void check_tls(const Server& server, const Report& report) {
  const Tls& tls = server.tls;
  if (!tls.certificate.empty() && tls.key.empty()) {
    report("sonde.server.tls.certificate", "sonde.server.tls.key",
           "the certificate has no private key; allowed: both certificate and key, or neither");
  }
  if (tls.certificate.empty() && !tls.key.empty()) {
    report("sonde.server.tls.key", "sonde.server.tls.certificate",
           "the private key has no certificate; allowed: both certificate and key, or neither");
  }
  if (!is_loopback_address(server.address) && tls.certificate.empty() && tls.key.empty() && !server.allow_plain_http) {
    report(
        "sonde.server.address", "sonde.server.allow_plain_http",
        fmt::format("other hosts can reach '{}', and keys would be sent unencrypted; allowed: a loopback address such "
                    "as 127.0.0.1, sonde.server.tls, or sonde.server.allow_plain_http: true",
                    server.address));
  }
}

void check_source(const Devices& devices, const Report& report) {
  if (devices.source != "simulated" || !devices.simulated.empty()) return;
  report("sonde.devices.source", "sonde.devices.simulated",
         "no description of the simulated GPUs is set; allowed: nvml, or simulated with a file in "
         "sonde.devices.simulated");
}

}  // namespace

void check_together(const Config& config, const Report& report) {
  check_strategy(config.gpu.multi_gpu, report);
  check_priority(config.gpu.multi_gpu, report);
  check_tls(config.sonde.server, report);
  check_source(config.sonde.devices, report);
  check_tasks(config, report);
}

}  // namespace sonde::config
