#include "analyses/kernels/stall_reasons.h"

#include <algorithm>

namespace sonde {
namespace {

constexpr std::string_view kSelected = "selected";

/// The reason in a metric's name: what stands between `before` and `after`; empty for other names.
std::string_view between(std::string_view name, std::string_view before, std::string_view after) {
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) return {};
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

std::string_view reason_of_cycles(std::string_view name) {
  return between(name, "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");
}

std::string_view reason_of_samples(std::string_view name) {
  const std::string_view reason = between(name, "smsp__pcsamp_warps_issue_stalled_", "");
  return reason.ends_with("_not_issued") ? std::string_view() : reason;  // the same samples a second time
}

Stall& stall_of(std::vector<Stall>& stalls, std::string_view reason) {
  const auto found = std::ranges::find(stalls, reason, &Stall::reason);
  return found != stalls.end() ? *found : stalls.emplace_back(Stall{reason, {}, {}, {}});
}

void add_shares(std::vector<Stall>& stalls, std::optional<double> Stall::* value) {
  double total = 0;
  for (const Stall& stall : stalls) total += (stall.*value).value_or(0);
  if (total <= 0) return;
  for (Stall& stall : stalls) {
    if (stall.*value) stall.share_percent = 100 * *(stall.*value) / total;
  }
}

}  // namespace

std::vector<Stall> stall_reasons(const Trace& trace, const KernelProfile& kernel) {
  std::vector<Stall> stalls;
  bool cycles = false;
  for (const Metric& metric : kernel.metrics) {
    const std::string_view name = trace.name(metric.name);
    const auto value = metric.value.number();
    if (!value) continue;
    if (const auto reason = reason_of_cycles(name); !reason.empty()) {
      stall_of(stalls, reason).cycles_per_instruction = value;
      cycles = true;
    } else if (const auto sampled = reason_of_samples(name); !sampled.empty()) {
      stall_of(stalls, sampled).samples = value;
    }
  }
  add_shares(stalls, cycles ? &Stall::cycles_per_instruction : &Stall::samples);
  std::ranges::stable_sort(stalls, std::greater(), [](const Stall& s) { return s.share_percent.value_or(0); });
  return stalls;
}

std::optional<Stall> top_stall(const Trace& trace, const KernelProfile& kernel) {
  for (const Stall& stall : stall_reasons(trace, kernel)) {
    if (stall.reason != kSelected && stall.share_percent) return stall;
  }
  return std::nullopt;
}

std::string_view meaning_of_stall(std::string_view reason) {
#define SONDE_STALL(name, waits) \
  if (reason == #name) return waits;
#include "metrics/stall_reasons.inc"
#undef SONDE_STALL
  return {};
}

}  // namespace sonde
