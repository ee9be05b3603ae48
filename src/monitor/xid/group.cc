#include "monitor/xid/group.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

namespace sonde::monitor {
namespace {

bool has(const XidGroup& group, int64_t code) { return std::ranges::find(group.codes, code) != group.codes.end(); }

/// Two that stand for themselves are two troubles, though they come together.
bool belongs(const XidGroup& group, const Xid& xid, int64_t moment_ns) {
  if (std::abs(moment_ns - group.last_ns) > kXidWindowNs) return false;
  const Xid cause = find_xid(group.cause());
  return cause.role != xid.role || xid.role == XidRole::either || xid.role == XidRole::follower;
}

XidGroup* same_cause(std::vector<XidGroup>& groups, int64_t code) {
  const auto found = std::ranges::find(groups, code, &XidGroup::cause);
  return found == groups.end() ? nullptr : &*found;
}

XidGroup* latest_beside(std::vector<XidGroup>& groups, const Xid& xid, int64_t moment_ns) {
  XidGroup* latest = nullptr;
  for (XidGroup& group : groups) {
    if (belongs(group, xid, moment_ns) && (latest == nullptr || group.last_ns >= latest->last_ns)) latest = &group;
  }
  return latest;
}

/// What follows is looked for beside its cause first; what stands for itself happened again.
XidGroup* place_of(std::vector<XidGroup>& groups, const Xid& xid, int64_t moment_ns) {
  const bool follows = xid.role >= XidRole::either;
  XidGroup* const first = follows ? latest_beside(groups, xid, moment_ns) : same_cause(groups, xid.code);
  if (first != nullptr) return first;
  return follows ? same_cause(groups, xid.code) : latest_beside(groups, xid, moment_ns);
}

void become_cause(XidGroup& group, int64_t code) {
  std::erase(group.codes, code);
  group.codes.insert(group.codes.begin(), code);
  group.times = 0;
  group.new_times = 0;
}

/// What brings the GPU back, by NVML's numbers of the recovery action.
constexpr std::array kRecovery = {XidBucket::ignore, XidBucket::reset_gpu, XidBucket::restart_bm, XidBucket::drain_p2p,
                                  XidBucket::drain_and_reset};

XidBucket recovery_bucket(int64_t action) {
  return action > 0 && static_cast<size_t>(action) < kRecovery.size() ? kRecovery.at(static_cast<size_t>(action))
                                                                      : XidBucket::ignore;
}

/// What became of a fault that happened before may be reported a moment earlier than it: that is no trouble of its own.
void take_in_followers(std::vector<XidGroup>& groups, const Xid& xid, int64_t moment_ns) {
  XidGroup* const own = same_cause(groups, xid.code);
  if (own == nullptr || xid.role >= XidRole::either) return;
  const auto follows = [&](const XidGroup& other) {
    return find_xid(other.cause()).role >= XidRole::either && belongs(other, xid, moment_ns);
  };
  for (const XidGroup& other : groups) {
    if (!follows(other)) continue;
    std::ranges::copy_if(other.codes, std::back_inserter(own->codes), [&](int64_t code) { return !has(*own, code); });
  }
  std::erase_if(groups, follows);
}

}  // namespace

XidGroup& add_xid(std::vector<XidGroup>& groups, int64_t code, int64_t moment_ns) {
  const Xid xid = find_xid(code);
  take_in_followers(groups, xid, moment_ns);
  XidGroup* group = place_of(groups, xid, moment_ns);
  if (group == nullptr) {
    group = &groups.emplace_back();
    group->codes = {code};
    group->first_ns = moment_ns;
  } else if (xid.role < find_xid(group->cause()).role) {
    become_cause(*group, code);
  } else if (!has(*group, code)) {
    group->codes.push_back(code);
  }
  if (group->cause() == code) {
    ++group->times;
    ++group->new_times;
    group->cause_last_ns = std::max(group->cause_last_ns, moment_ns);
  }
  group->last_ns = std::max(group->last_ns, moment_ns);
  return *group;
}

XidBucket bucket_of(const XidGroup& group) {
  const XidBucket own = find_xid(group.cause()).bucket;
  const bool remapped = group.cause() == 48 && (has(group, 63) || has(group, 64));
  const bool names_recovery = has(group, 154) || group.recovery_action != 0;
  const XidBucket recovery = names_recovery ? recovery_bucket(group.recovery_action) : XidBucket::ignore;
  return std::max({own, remapped ? XidBucket::drain_and_reset : XidBucket::ignore, recovery});
}

Severity severity_of(const XidGroup& group) {
  Severity worst = needs_reset(bucket_of(group)) ? Severity::critical : Severity::info;
  for (const int64_t code : group.codes) {
    if (code == group.cause() || find_xid(code).role == XidRole::either) {
      worst = std::max(worst, find_xid(code).severity);
    }
  }
  return worst;
}

}  // namespace sonde::monitor
