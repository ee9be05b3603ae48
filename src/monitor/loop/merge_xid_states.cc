#include "monitor/loop/merge_xid_states.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "monitor/xid/catalogue.h"

namespace sonde::monitor::loop {
namespace {

/// The event of a fault and the state that it leaves are seen within some rounds of each other.
constexpr int64_t kTogetherNs = 60'000'000'000;

bool asks_for_reset(const Observation& xid) {
  for (int number = 0; number <= static_cast<int>(XidBucket::drain_and_reset); ++number) {
    const auto bucket = static_cast<XidBucket>(number);
    if (xid.text == std::string("xid_").append(bucket_name(bucket))) return needs_reset(bucket);
  }
  return false;
}

bool explains_loss(const Observation& xid) {
  return !xid.xids.empty() && find_xid(xid.xids.front()).role == XidRole::end;
}

/// A state of a GPU, and whether an XID's incident says the same.
struct State {
  std::string_view detector;
  bool (*is_reported_by)(const Observation& xid) = nullptr;
};
constexpr auto kStates = std::to_array<State>({{"gpu_lost", explains_loss},
                                               {"gpu_reset_required", asks_for_reset},
                                               // The XID's action is as strong: it takes the recovery action in.
                                               {"recovery_action", asks_for_reset}});

bool share_one(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::ranges::any_of(a, [&](int64_t code) { return std::ranges::find(b, code) != b.end(); });
}

bool state_stays(const Incident* state, const Incident* of_xid, const Observation& xid, int64_t now_ns) {
  if (state == nullptr || of_xid != nullptr) return false;
  return share_one(state->xids, xid.xids) || now_ns - state->opened_ns <= kTogetherNs;
}

void take_in(Observation& to, const Observation& from) {
  to.severity = std::max(to.severity, from.severity);
  to.happened += from.happened;
  if (to.xids.empty()) to.xids = from.xids;
}

void join(Found& states, Found& xids, const State& kind, const Round& round, const IncidentBook& book) {
  std::erase_if(states.seen, [&](Observation& state) {
    const auto xid = std::ranges::find_if(
        xids.seen, [&](const Observation& x) { return x.gpu == state.gpu && kind.is_reported_by(x); });
    if (xid == xids.seen.end()) return false;
    const bool stays = state_stays(book.known(*states.row, state), book.known(*xids.row, *xid), *xid, round.moment_ns);
    take_in(stays ? state : *xid, stays ? *xid : state);
    if (stays) xids.seen.erase(xid);
    return !stays;
  });
}

Found* of_detector(std::span<Found> found, std::string_view name) {
  const auto one = std::ranges::find(found, name, [](const Found& f) { return f.row->name; });
  return one == found.end() ? nullptr : &*one;
}

}  // namespace

void merge_xid_states(std::span<Found> found, const Round& round, const IncidentBook& book) {
  Found* const xids = of_detector(found, "xid");
  if (xids == nullptr || xids->seen.empty()) return;
  for (const State& kind : kStates) {
    if (Found* const states = of_detector(found, kind.detector)) join(*states, *xids, kind, round, book);
  }
}

}  // namespace sonde::monitor::loop
