#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/incident.h"
#include "monitor/text.h"
#include "monitor/xid/group.h"

namespace sonde::monitor {
namespace xid {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
/// XIDs without an action are over when they have not come again for so long.
constexpr int64_t kIgnoredForNs = 300 * kSecond;
/// A program that failed was restarted or given up by then.
constexpr int64_t kProgramForNs = 900 * kSecond;
/// What asks for a look at the kernel log stays longer.
constexpr int64_t kSupportForNs = 3600 * kSecond;
/// A process that failed is gone at once: its incident is to be seen nevertheless.
constexpr int64_t kAtLeastNs = 60 * kSecond;

struct KeptOfGpu {
  std::vector<XidGroup> groups;
  std::optional<int64_t> energy_millijoules;
  bool was_lost = false;
};

std::vector<int64_t> pids_of(const device::GpuReading& reading) {
  std::vector<int64_t> pids;
  for (const device::GpuProcess& process : *reading.running) pids.push_back(process.pid);
  return pids;
}

/// The GPU was reset, or its driver loaded again, since the round before.
bool came_back(const GpuLook& gpu, KeptOfGpu& kept) {
  if (gpu.sample.failure) {
    kept.was_lost = kept.was_lost || gpu.sample.failure->kind == device::FailureKind::lost ||
                    gpu.sample.failure->kind == device::FailureKind::reset_required;
  }
  if (gpu.reading == nullptr) return gpu.round.source_reopened;
  const auto before = kept.energy_millijoules;
  kept.energy_millijoules = gpu.reading->energy_millijoules;
  const bool anew = before && kept.energy_millijoules && *kept.energy_millijoules < *before;
  return gpu.round.source_reopened || std::exchange(kept.was_lost, false) || anew;
}

/// The clock may have been set back since.
void not_after(XidGroup& group, int64_t now_ns) {
  for (int64_t* moment_ns : {&group.first_ns, &group.last_ns, &group.cause_last_ns}) {
    *moment_ns = std::min(*moment_ns, now_ns);
  }
}

bool quiet_for(const XidGroup& group, int64_t now_ns, int64_t time_ns) { return now_ns - group.last_ns > time_ns; }

bool programs_are_gone(const XidGroup& group, const GpuLook& gpu) {
  if (!group.pids_known || gpu.reading == nullptr || !gpu.reading->running) return false;
  const std::vector<int64_t> now = pids_of(*gpu.reading);
  return std::ranges::none_of(group.pids, [&](int64_t pid) { return std::ranges::find(now, pid) != now.end(); });
}

bool is_over(const XidGroup& group, const GpuLook& gpu) {
  const int64_t now_ns = gpu.round.moment_ns;
  const XidBucket bucket = bucket_of(group);
  if (needs_reset(bucket)) return false;
  switch (bucket) {
    case XidBucket::ignore: return quiet_for(group, now_ns, kIgnoredForNs);
    case XidBucket::restart_app:
    case XidBucket::workflow_45:
      return quiet_for(group, now_ns, kProgramForNs) ||
             (quiet_for(group, now_ns, kAtLeastNs) && programs_are_gone(group, gpu));
    default: return quiet_for(group, now_ns, kSupportForNs);
  }
}

/// One whose UUID was not known yet goes by its place.
bool is_of(const Incident& incident, const GpuSample& sample) {
  return sample.reading.uuid == incident.gpu_uuid || incident.gpu_uuid == fmt::format("gpu_{}", sample.gpu);
}

/// Newer drivers say what a GPU needs. Once they said so and say it no more, it was done.
bool recovery_is_done(XidGroup& group, const GpuLook& gpu) {
  if (gpu.reading == nullptr || !gpu.reading->recovery_action) return false;
  const int64_t now = *gpu.reading->recovery_action;
  const bool done = group.recovery_action != 0 && now == 0;
  group.recovery_action = now;
  return done;
}

std::string listed(std::span<const int64_t> codes) { return fmt::format("{}", fmt::join(codes, ", ")); }

std::string also_text(const XidGroup& group) {
  if (group.codes.size() < 2) return {};
  return filled(incident_text("xid.also"), std::vector<Argument>{{"xids", listed(std::span(group.codes).subspan(1))}});
}

std::string times_text(const XidGroup& group) {
  if (group.times < 2) return {};
  return filled(incident_text("xid.times"), std::vector<Argument>{{"count", std::to_string(group.times)}});
}

std::string others_text(std::span<const size_t> others) {
  if (others.empty()) return {};
  const std::string gpus =
      others.size() == 1 ? fmt::format("GPU {}", others[0]) : fmt::format("GPUs {}", fmt::join(others, ", "));
  return filled(incident_text("xid.others"), std::vector<Argument>{{"gpus", gpus}});
}

Observation observation(size_t gpu, const XidGroup& group, std::span<const size_t> others) {
  const XidBucket bucket = bucket_of(group);
  return {.gpu = gpu,
          .subject = std::to_string(group.cause()),
          .severity = severity_of(group),
          .text = fmt::format("xid_{}", bucket_name(bucket)),
          .arguments = {{"xid", std::to_string(group.cause())},
                        {"meaning", std::string(xid_meaning(group.cause()))},
                        {"also", also_text(group)},
                        {"times", times_text(group)},
                        {"others", others_text(others)},
                        {"class", std::string(nvidia_bucket_name(bucket))},
                        {"index", std::to_string(gpu)}},
          .xids = group.codes,
          .happened = group.new_times};
}

class XidDetector final : public Detector {
 public:
  void look(const Round& round, std::vector<Observation>& found) override {
    gpus_.resize(std::max(gpus_.size(), round.samples.size()));
    place_restored(round);
    for (const GpuSample& sample : round.samples) end_old(look_at(round, sample));
    take_events(round);
    for (const GpuSample& sample : round.samples) remember(look_at(round, sample));
    for (size_t gpu = 0; gpu < round.samples.size(); ++gpu) add_observation(round, gpu, found);
  }

  void restore(std::span<const Incident> open, int64_t booted_ns) override {
    for (const Incident& incident : open) {
      // The host was started since: the driver was loaded anew.
      if (incident.opened_ns >= booted_ns) restored_.push_back(incident);
    }
  }

 private:
  void place_restored(const Round& round) {
    std::erase_if(restored_, [&](const Incident& incident) {
      const auto sample = std::ranges::find_if(round.samples, [&](const GpuSample& s) { return is_of(incident, s); });
      if (sample == round.samples.end()) return false;
      XidGroup group{.codes = incident.xids,
                     .first_ns = incident.opened_ns,
                     .last_ns = incident.last_seen_ns,
                     .times = incident.times_seen};
      if (!group.codes.empty()) gpus_[sample->gpu].groups.push_back(std::move(group));
      return true;
    });
  }

  void end_old(const GpuLook& gpu) {
    KeptOfGpu& kept = gpus_[gpu.sample.gpu];
    for (XidGroup& group : kept.groups) not_after(group, gpu.round.moment_ns);
    const bool back = came_back(gpu, kept);
    std::erase_if(kept.groups,
                  [&](XidGroup& group) { return back || recovery_is_done(group, gpu) || is_over(group, gpu); });
  }

  void take_events(const Round& round) {
    std::vector<device::GpuEvent> events;
    std::ranges::copy_if(round.events, std::back_inserter(events), [&](const device::GpuEvent& e) {
      return e.kind == device::EventKind::xid && e.gpu < round.samples.size();
    });
    // Of those at the same moment the cause goes first.
    std::ranges::stable_sort(events, std::less(),
                             [](const device::GpuEvent& e) { return std::pair(e.moment_ns, find_xid(e.code).role); });
    for (const device::GpuEvent& event : events) {
      add_xid(gpus_[event.gpu].groups, event.code, event.moment_ns).pids_known = false;
    }
  }

  /// What was on the GPU when an XID came, and what it asks for.
  void remember(const GpuLook& gpu) {
    for (XidGroup& group : gpus_[gpu.sample.gpu].groups) {
      if (gpu.reading != nullptr) group.recovery_action = gpu.reading->recovery_action.value_or(group.recovery_action);
      if (group.pids_known || gpu.reading == nullptr || !gpu.reading->running) continue;
      group.pids = pids_of(*gpu.reading);
      group.pids_known = true;
    }
  }

  void add_observation(const Round& round, size_t gpu, std::vector<Observation>& found) {
    for (XidGroup& group : gpus_[gpu].groups) {
      // Its cause may still come.
      const bool may_follow = find_xid(group.cause()).role >= XidRole::either;
      if (may_follow && round.moment_ns - group.first_ns < kXidWindowNs) continue;
      found.push_back(observation(gpu, group, others_with(group, gpu)));
      group.new_times = 0;
    }
  }

  /// GPUs with the same fault of hardware in the same seconds: its cause may lie between them.
  [[nodiscard]] std::vector<size_t> others_with(const XidGroup& group, size_t gpu) const {
    std::vector<size_t> others;
    if (find_xid(group.cause()).severity == Severity::info) return others;
    if (find_xid(group.cause()).bucket == XidBucket::restart_app) return others;
    for (size_t other = 0; other < gpus_.size(); ++other) {
      const bool same = std::ranges::any_of(gpus_[other].groups, [&](const XidGroup& g) {
        return g.cause() == group.cause() && std::abs(g.first_ns - group.first_ns) <= kXidWindowNs;
      });
      if (same && other != gpu) others.push_back(other);
    }
    return others;
  }

  std::vector<KeptOfGpu> gpus_;
  std::vector<Incident> restored_;  ///< whose GPU was not read yet
};

std::unique_ptr<Detector> make() { return std::make_unique<XidDetector>(); }

}  // namespace
}  // namespace xid

extern constinit const DetectorRow xid_detector = {
    .name = "xid",
    .description = "the driver reported an XID; XIDs that follow within 5 s belong to the same incident",
    .clear_after_s = 5,
    .make = xid::make,
    .severity = "by the table of XIDs; critical if the GPU needs a reset",
    .clears =
        "no action: 5 min without another XID; programs: the programs on the GPU have exited, or 15 min; others: 1 h; "
        "reset or reboot: the GPU was reset or the driver reloaded",
};

}  // namespace sonde::monitor
