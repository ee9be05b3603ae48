#include "record/cpu/cpu_remarks.h"
#include "base/time_units.h"

namespace sonde::record {
namespace {

constexpr double kPercent = 100;

/// What was asked for, in words.
std::string_view things(const CpuOptions& options) {
  if (options.sample == CpuScope::none) return "thread states";
  return options.switches == CpuScope::none ? "CPU samples" : "CPU samples and thread states";
}

std::string what_was_recorded(const CpuTally& t, const CpuOptions& options, const CpuState& state) {
  std::string text;
  if (options.sample != CpuScope::none) text = fmt::format("{} CPU samples at {} Hz", t.samples, options.frequency_hz);
  if (options.switches != CpuScope::none) {
    text += fmt::format("{}{} thread switches", text.empty() ? "" : " and ", t.switches);
  }
  return fmt::format("recorded {}; the recorder used {:.0f} ms of CPU time for them", text,
                     static_cast<double>(state.own_ns) / kMillisecondNs);
}

std::string broken_share(const CpuTally& t) {
  return fmt::format("{:.1f} % of {} call stacks are incomplete: they do not reach the start of their thread",
                     kPercent * static_cast<double>(t.broken_chains) / static_cast<double>(t.chains), t.chains);
}

/// Of backtraces too.
void add_changed_files(std::vector<Remark>& remarks, const CpuTally& t) {
  for (const std::string& path : t.changed_files) {
    remarks.push_back({true, fmt::format("{} was replaced after it ran, so its functions have no names", path)});
  }
}

void add_losses(std::vector<Remark>& remarks, const CpuTally& t, int64_t unread_bytes) {
  if (t.lost > 0) {
    remarks.push_back(
        {true,
         fmt::format("{} CPU samples and thread switches were lost because the recorder was too slow; use a lower "
                     "--sampling-frequency or --backtrace=fp",
                     t.lost)});
  }
  if (t.throttled > 0) {
    remarks.push_back(
        {true, fmt::format("Linux throttled CPU sampling {} times because it used too much CPU time", t.throttled)});
  }
  if (unread_bytes > 0) {
    remarks.push_back({true, fmt::format("{} bytes of CPU samples could not be read", unread_bytes)});
  }
}

}  // namespace

void add_cpu_remarks(std::vector<Remark>& remarks, const CpuTally& tally, const CpuOptions& options,
                     const CpuState& state) {
  add_changed_files(remarks, tally);
  if (options.sample == CpuScope::none && options.switches == CpuScope::none) return;
  if (!state.problem.empty()) {
    remarks.push_back({true, fmt::format("no {}: {}", things(options), state.problem)});
    return;
  }
  remarks.push_back({false, what_was_recorded(tally, options, state)});
  if (tally.chains > 0 && options.backtrace != Backtrace::none) remarks.push_back({false, broken_share(tally)});
  if (tally.samples > 0 && !state.kernel) {
    remarks.push_back(
        {false,
         "CPU time within the Linux kernel is not sampled: kernel.perf_event_paranoid above 1 forbids it; "
         "'sysctl kernel.perf_event_paranoid=1' or CAP_PERFMON permits it"});
  }
  add_losses(remarks, tally, tally.unread_bytes + state.unread_bytes);
}

}  // namespace sonde::record
