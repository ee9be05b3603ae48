#include <algorithm>
#include <cctype>

#include "doctor/facts.h"

namespace sonde::doctor {
namespace counters {
namespace {

// Bits of capabilities, linux/capability.h. The driver takes CAP_PERFMON from R565 on.
constexpr int kSysAdmin = 21;
constexpr int kPerfmon = 38;
constexpr int kPerfmonDriver = 565;

bool may_read(const Host& host) {
  if (host.user_id() == 0 || has_capability(host, kSysAdmin)) return true;
  return has_capability(host, kPerfmon) && driver_version(host).major() >= kPerfmonDriver;
}

/// DCGM holds the counters while somebody watches its profiling metrics.
void look_for_holder(const Host& host, Findings& found) {
  for (const std::string& pid : host.names_in("/proc")) {
    if (!std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; })) continue;
    const std::string name = first_line(host.file("/proc/" + pid + "/comm").value_or(""));
    if (name == "nv-hostengine" || name == "dcgm-exporter") found.say(Outcome::note, "counters_held", {name, pid});
  }
}

void look(const Host& host, Findings& found) {
  const auto parameters = host.file("/proc/driver/nvidia/params");
  if (!parameters) {
    found.say(Outcome::not_checked, "counters_unknown");
    return;
  }
  const bool restricted = parameters->contains("RmProfilingAdminOnly: 1");
  const bool denied = restricted && !may_read(host);
  found.say(denied ? Outcome::wrong : Outcome::good, denied ? "counters_denied" : "counters");
  look_for_holder(host, found);
}

}  // namespace
}  // namespace counters

extern constinit const Check counters_check{"counters", "permission to read GPU performance counters", counters::look};

}  // namespace sonde::doctor
