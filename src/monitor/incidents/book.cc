#include <algorithm>

#include <fmt/format.h>

#include "monitor/incident.h"
#include "monitor/text.h"

namespace sonde::monitor {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
/// What comes back within this time is the same trouble that comes and goes.
constexpr int64_t kReopenWithinNs = 600 * kSecond;
/// An incident that keeps coming back waits twice as long each time before it is cleared, up to 32 times.
constexpr int64_t kMaxDoublings = 5;
/// After a restart detectors have to see again what they saw before: longer than any of them takes.
constexpr int64_t kRestoredGraceNs = 300 * kSecond;
/// Minimum interval between two reports of a repeated incident.
constexpr int64_t kReportAgainNs = 60 * kSecond;

constexpr size_t kNone = static_cast<size_t>(-1);

bool is_same_cause(const Incident& incident, const DetectorRow& row, const std::string& uuid,
                   const std::string& subject) {
  return incident.detector == row.name && incident.gpu_uuid == uuid && incident.subject == subject;
}

/// A GPU that is not there any more, say since a restart of the host, did not get well by that: what was critical is
/// for a person to clear. GPUs that were simulated, or are now, are no such loss.
bool is_gone(const Incident& incident, const Round& round) {
  if (incident.severity != Severity::critical) return false;
  return std::ranges::all_of(round.samples, [&](const GpuSample& sample) {
    const device::GpuReading& reading = sample.reading;
    return reading.uuid && *reading.uuid != incident.gpu_uuid && reading.simulated == incident.simulated;
  });
}

/// Texts, arguments and what belongs to it, as seen now.
void follow(Incident& incident, const Round& round, const Observation& seen) {
  const GpuSample& sample = round.samples[seen.gpu];
  incident.gpu_index = static_cast<int64_t>(seen.gpu);
  incident.simulated = sample.reading.simulated;
  incident.severity = std::max(incident.severity, seen.severity);
  incident.arguments = seen.arguments;
  incident.arguments.push_back({"gpu", fmt::format("GPU {}", seen.gpu)});
  incident.summary = filled(incident_text(seen.text + ".summary"), incident.arguments);
  incident.action = filled(incident_text(seen.text + ".action"), incident.arguments);
  if (!seen.xids.empty()) incident.xids = seen.xids;  // those that belong to it stay
  incident.last_seen_ns = round.moment_ns;
}

}  // namespace

IncidentBook::IncidentBook(std::vector<Incident> open, int64_t last_id)
    : open_(std::move(open)), kept_(open_.size(), Kept{.restored = true}), last_id_(last_id) {
  for (const Incident& incident : open_) last_id_ = std::max(last_id_, incident.id);
}

std::vector<IncidentNews> IncidentBook::take(const DetectorRow& row, const Round& round,
                                             std::span<const Observation> found) {
  std::vector<IncidentNews> news;
  begin(round);
  for (const Observation& seen : found) {
    const size_t place = open_place(row, uuid_of(seen.gpu), seen.subject);
    if (place != kNone) {
      see_again(place, round, seen, news);
    } else if (!is_silent(row, round, seen)) {
      open_one(row, round, seen, news);
    }
  }
  clear_unseen(row, round, news);
  forget_old(round.moment_ns);
  return news;
}

void IncidentBook::begin(const Round& round) {
  follow_clock(round.moment_ns);
  learn_identities(round);
}

const Incident* IncidentBook::known(const DetectorRow& row, const Observation& seen) const {
  const std::string uuid = uuid_of(seen.gpu);
  if (const size_t place = open_place(row, uuid, seen.subject); place != kNone) return &open_[place];
  const auto past = std::ranges::find_if(
      past_, [&](const Past& p) { return p.silent && is_same_cause(p.incident, row, uuid, seen.subject); });
  return past == past_.end() ? nullptr : &past->incident;
}

/// After the clock was set back, waiting times run from now on.
void IncidentBook::follow_clock(int64_t moment_ns) {
  const auto not_after = [&](Kept& kept) {
    kept.reported_ns = std::min(kept.reported_ns, moment_ns);
    kept.seen_ns = std::min(kept.seen_ns, moment_ns);
  };
  std::ranges::for_each(kept_, not_after);
  std::ranges::for_each(past_, not_after, &Past::kept);
}

void IncidentBook::learn_identities(const Round& round) {
  if (round.source_reopened) uuids_.clear();
  uuids_.resize(round.samples.size());
  for (size_t i = 0; i < uuids_.size(); ++i) {
    const auto& uuid = round.samples[i].reading.uuid;
    if (!uuid || uuids_[i] == *uuid) continue;
    for (Incident& incident : open_) {
      if (incident.gpu_uuid == fmt::format("gpu_{}", i)) incident.gpu_uuid = *uuid;
    }
    uuids_[i] = *uuid;
  }
}

std::string IncidentBook::uuid_of(size_t gpu) const {
  return uuids_[gpu].empty() ? fmt::format("gpu_{}", gpu) : uuids_[gpu];
}

size_t IncidentBook::open_place(const DetectorRow& row, const std::string& uuid, const std::string& subject) const {
  for (size_t i = 0; i < open_.size(); ++i) {
    if (is_same_cause(open_[i], row, uuid, subject)) return i;
  }
  return kNone;
}

bool IncidentBook::is_silent(const DetectorRow& row, const Round& round, const Observation& seen) {
  const auto past = std::ranges::find_if(past_, [&](const Past& p) {
    return p.silent && is_same_cause(p.incident, row, uuid_of(seen.gpu), seen.subject);
  });
  if (past == past_.end()) return false;
  past->kept.seen_ns = round.moment_ns;
  if (seen.happened == 0) return true;
  past_.erase(past);
  return false;
}

void IncidentBook::open_one(const DetectorRow& row, const Round& round, const Observation& seen,
                            std::vector<IncidentNews>& news) {
  Incident incident;
  Kept kept;
  const auto past = std::ranges::find_if(
      past_, [&](const Past& p) { return is_same_cause(p.incident, row, uuid_of(seen.gpu), seen.subject); });
  if (past != past_.end()) {
    incident = std::move(past->incident);
    incident.cleared_ns.reset();
    incident.cleared_by.clear();
    kept.times_reopened = past->kept.times_reopened + 1;
    past_.erase(past);
  } else {
    incident.id = ++last_id_;
    incident.detector = row.name;
    incident.gpu_uuid = uuid_of(seen.gpu);
    incident.subject = seen.subject;
    incident.severity = seen.severity;
    incident.opened_ns = round.moment_ns;
  }
  incident.times_seen += std::max<int64_t>(1, seen.happened);
  follow(incident, round, seen);
  kept.text = seen.text;
  kept.reported_ns = kept.seen_ns = round.moment_ns;
  news.push_back({IncidentChange::opened, incident});
  open_.push_back(std::move(incident));
  kept_.push_back(std::move(kept));
}

void IncidentBook::see_again(size_t place, const Round& round, const Observation& seen,
                             std::vector<IncidentNews>& news) {
  Incident& incident = open_[place];
  Kept& kept = kept_[place];
  const bool worse = seen.severity > incident.severity;
  const bool other = (!kept.restored && kept.text != seen.text) || (!seen.xids.empty() && incident.xids != seen.xids);
  const bool again = seen.happened > 0;
  incident.times_seen += seen.happened;
  follow(incident, round, seen);
  kept.text = seen.text;
  kept.restored = false;
  kept.seen_ns = round.moment_ns;
  kept.unreported = kept.unreported || again;
  const bool reported_lately = round.moment_ns - kept.reported_ns < kReportAgainNs;
  if (!worse && !other && (!kept.unreported || reported_lately)) return;
  kept.reported_ns = round.moment_ns;
  kept.unreported = false;
  news.push_back({IncidentChange::changed, incident});
}

void IncidentBook::clear_unseen(const DetectorRow& row, const Round& round, std::vector<IncidentNews>& news) {
  const auto patience_ns = static_cast<int64_t>(row.clear_after_s * 1e9);
  for (size_t i = open_.size(); i-- > 0;) {
    if (open_[i].detector != row.name) continue;
    Kept& kept = kept_[i];
    if (kept.seen_ns == 0) kept.seen_ns = round.moment_ns;  // the first round after a restart
    const int64_t grace_ns = kept.restored ? kRestoredGraceNs : 0;
    const int64_t times = int64_t{1} << std::min(kept.times_reopened, kMaxDoublings);
    if (is_gone(open_[i], round)) kept.seen_ns = round.moment_ns;
    if (kept.seen_ns == round.moment_ns || round.moment_ns - kept.seen_ns < patience_ns * times + grace_ns) continue;
    news.push_back(close(i, "rule", round.moment_ns, false));
  }
  // A silent one was over once when it was not seen for the same time.
  std::erase_if(past_, [&](const Past& p) {
    return p.silent && p.incident.detector == row.name && round.moment_ns - p.kept.seen_ns > patience_ns;
  });
}

IncidentNews IncidentBook::close(size_t place, const std::string& by, int64_t moment_ns, bool silent) {
  Incident incident = std::move(open_[place]);
  Kept kept = std::move(kept_[place]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(place));
  incident.cleared_ns = moment_ns;
  incident.cleared_by = by;
  kept.seen_ns = moment_ns;
  past_.push_back({incident, kept, silent});
  return {IncidentChange::cleared, std::move(incident)};
}

void IncidentBook::forget_old(int64_t moment_ns) {
  std::erase_if(past_, [&](const Past& p) { return !p.silent && moment_ns - p.kept.seen_ns > kReopenWithinNs; });
}

std::optional<IncidentNews> IncidentBook::acknowledge(int64_t id, const std::string& by, int64_t moment_ns) {
  const auto found = std::ranges::find(open_, id, &Incident::id);
  if (found == open_.end()) return std::nullopt;
  found->acknowledged_ns = moment_ns;
  found->acknowledged_by = by;
  return IncidentNews{IncidentChange::acknowledged, *found};
}

std::optional<IncidentNews> IncidentBook::clear(int64_t id, const std::string& by, int64_t moment_ns) {
  const auto found = std::ranges::find(open_, id, &Incident::id);
  if (found == open_.end()) return std::nullopt;
  return close(static_cast<size_t>(found - open_.begin()), by, moment_ns, true);
}

}  // namespace sonde::monitor
