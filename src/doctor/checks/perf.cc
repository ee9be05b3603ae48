#include "doctor/facts.h"

namespace sonde::doctor {
namespace perf {
namespace {

constexpr int64_t kMaxParanoid = 2;  // Nsight Systems' requirement for CPU samples

void look_at_perf(const Host& host, Findings& found) {
  const auto paranoid = number_in(host, "/proc/sys/kernel/perf_event_paranoid");
  if (!paranoid) {
    found.say(Outcome::note, "perf_unknown");
    return;
  }
  const bool works = *paranoid <= kMaxParanoid || host.user_id() == 0;
  found.say(works ? Outcome::good : Outcome::wrong, works ? "perf" : "perf_paranoid", {std::to_string(*paranoid)});
}

void look(const Host& host, Findings& found) {
  look_at_perf(host, found);
  if (host.user_id() != 0) {
    const auto hidden = number_in(host, "/proc/sys/kernel/kptr_restrict");
    if (hidden.value_or(0) > 0) found.say(Outcome::note, "kptr", {std::to_string(*hidden)});
    const auto scope = number_in(host, "/proc/sys/kernel/yama/ptrace_scope");
    if (scope.value_or(0) > 1) found.say(Outcome::note, "ptrace", {std::to_string(*scope)});
  }
  const auto governor = host.file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor && first_line(*governor) != "performance") {
    found.say(Outcome::note, "governor", {first_line(*governor)});
  }
}

}  // namespace
}  // namespace perf

extern constinit const Check perf_check{"perf", "kernel settings for CPU sampling", perf::look};

}  // namespace sonde::doctor
