#include <algorithm>

#include "monitor/waste.h"
#include "monitor/waste/rules.h"

namespace sonde::monitor {
namespace {

constexpr int64_t kDayNs = 86'400'000'000'000;
constexpr double kHourNs = 3.6e12;
constexpr size_t kMaxDays = 400;  // that are kept in memory: a year, to compare with the one before

int64_t day_of(int64_t moment_ns) { return moment_ns - ((moment_ns % kDayNs) + kDayNs) % kDayNs; }

int64_t grace_ns(WasteKind kind) {
  switch (kind) {
    case WasteKind::held_idle: return kHeldGraceNs;
    case WasteKind::dead_memory: return kDeadGraceNs;
    case WasteKind::unused: break;
  }
  return 0;
}

void add_up(WasteEntry& sum, const WasteEntry& more) {
  if (sum.hours == 0) sum.since_ns = more.since_ns;
  sum.since_ns = std::min(sum.since_ns, more.since_ns);
  sum.until_ns = std::max(sum.until_ns, more.until_ns);
  sum.hours += more.hours;
  sum.energy_kwh += more.energy_kwh;
  sum.money += more.money;
}

bool same_owner(const WasteEntry& a, const WasteEntry& b) {
  return a.gpu_uuid == b.gpu_uuid && a.kind == b.kind && a.user == b.user && a.container == b.container;
}

std::string uuid_of(const GpuSample& sample) {
  return sample.reading.uuid.value_or("gpu_" + std::to_string(sample.gpu));
}

/// A share of the GPU for a time within one day.
WasteEntry entry_of(const std::string& uuid, const WasteShare& share, double watts, int64_t from_ns, int64_t to_ns,
                    const config::Cost& cost) {
  const double hours = static_cast<double>(to_ns - from_ns) / kHourNs;
  const double energy_kwh = share.energy * hours * watts / 1000;
  const double money = share.hours * hours * cost.per_gpu_hour + energy_kwh * cost.per_kwh;
  return {uuid, share.kind, share.user, share.container, share.hours * hours, energy_kwh, money, from_ns, to_ns};
}

}  // namespace

void WasteLedger::take(int64_t moment_ns, std::span<const GpuSample> samples,
                       std::span<const std::vector<OwnedProcess>> processes, const config::Cost& cost) {
  const auto in_proc = [](const OwnedProcess& p) { return p.owner.alive && p.owner.started_ns.has_value(); };
  for (const auto& list : processes) sees_processes_ = sees_processes_ || std::ranges::any_of(list, in_proc);
  static const std::vector<OwnedProcess> none;
  for (size_t i = 0; i < samples.size(); ++i) {
    const GpuSample& sample = samples[i];
    if (sample.mark.quality != Quality::fresh || !sample.reading.gpu_utilization_percent) continue;
    const std::string uuid = uuid_of(sample);
    const Wasted wasted = wasted_now(sample, i < processes.size() ? processes[i] : none, sees_processes_);
    add(uuid, gpus_[uuid], moment_ns, wasted, cost);
  }
}

void WasteLedger::add(const std::string& uuid, Gpu& gpu, int64_t moment_ns, const Wasted& wasted,
                      const config::Cost& cost) {
  const int64_t from_ns = gpu.last_ns;
  gpu.last_ns = moment_ns;
  if (moment_ns <= from_ns || moment_ns - from_ns > longest_gap_ns) gpu.running.clear();
  std::map<Owner, Running> going_on;
  for (const WasteShare& share : wasted.shares) {
    const Owner owner{share.kind, share.user, share.container};
    const auto before = gpu.running.find(owner);
    if (before == gpu.running.end()) {
      going_on[owner].since_ns = moment_ns;
      continue;
    }
    Running& running = going_on[owner] = std::move(before->second);
    for (int64_t at = from_ns; at < moment_ns;) {
      const int64_t day = day_of(at);
      const int64_t end = std::min(moment_ns, day + kDayNs);
      const WasteEntry piece = entry_of(uuid, share, wasted.watts, at, end, cost);
      const auto [entry, fresh] = running.waiting.try_emplace(day, piece);
      if (!fresh) add_up(entry->second, piece);
      at = end;
    }
    if (moment_ns - running.since_ns < grace_ns(share.kind)) continue;
    for (const auto& [day, entry] : running.waiting) book(day, entry);
    running.waiting.clear();
  }
  gpu.running = std::move(going_on);
}

void WasteLedger::book(int64_t day, const WasteEntry& entry) {
  std::vector<WasteEntry>& entries = days_[day];
  const auto found = std::ranges::find_if(entries, [&](const WasteEntry& e) { return same_owner(e, entry); });
  if (found == entries.end()) {
    entries.push_back(entry);
  } else {
    add_up(*found, entry);
  }
  while (days_.size() > kMaxDays) days_.erase(days_.begin());
}

}  // namespace sonde::monitor
