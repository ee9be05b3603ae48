#include "gate/store/choose_baseline.h"

#include <algorithm>
#include <set>

#include "base/text/suggest.h"
#include "gate/sessions/session_prediction.h"

namespace sonde::gate {
namespace {

/// nullptr where it is not known.
const std::string* value_of(const Conditions& conditions, std::string_view name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? nullptr : &found->second;
}

bool same(const Conditions& a, const Conditions& b, std::string_view name) {
  const std::string* left = value_of(a, name);
  const std::string* right = value_of(b, name);
  if (left == nullptr || right == nullptr) return left == right;
  return *left == *right;
}

struct Candidate {
  const BaselineEntry* entry = nullptr;
  Forbids forbids = Forbids::nothing;
  std::vector<std::string_view> names = {};  ///< of the conditions that forbid
};

std::string known_value(const Conditions& conditions, std::string_view name) {
  const std::string* value = value_of(conditions, name);
  return value == nullptr ? "unknown" : fmt::format("'{}'", *value);
}

/// "driver is '535' there and '550' here, CUDA ..."
std::string differences_text(const Candidate& candidate, const Conditions& conditions) {
  std::string text;
  for (const std::string_view name : candidate.names) {
    text += fmt::format("{}{} is {} in the baseline and {} in these runs", text.empty() ? "" : ", ",
                        find_condition(name)->title, known_value(candidate.entry->conditions, name),
                        known_value(conditions, name));
  }
  return text;
}

/// Whether `a` is to be taken before `b`. Both are in order of time.
bool is_better(const Candidate& a, const Candidate& b) {
  if ((a.forbids == Forbids::everything) != (b.forbids == Forbids::everything)) return b.forbids == Forbids::everything;
  if (a.forbids == Forbids::everything) return a.names.size() <= b.names.size();
  if (a.entry->pinned != b.entry->pinned) return a.entry->pinned;
  return a.forbids <= b.forbids;
}

std::string_view host_of(const Conditions& conditions) {
  const std::string* host = value_of(conditions, "host");
  return host == nullptr ? std::string_view() : *host;
}

size_t hosts_of(std::span<const BaselineEntry> entries) {
  std::set<std::string_view> hosts;
  for (const BaselineEntry& entry : entries) hosts.insert(host_of(entry.conditions));
  return hosts.size();
}

/// A pinned entry, or one that was asked for by name, is the level.
bool is_level(const ChosenBaseline& chosen, const BaselineEntry& entry, bool by_name) {
  return entry.id == chosen.entry.id && (entry.pinned || by_name);
}

Status load_sessions(const std::string& store, std::span<const BaselineEntry> entries, bool by_name,
                     ChosenBaseline& chosen) {
  for (const BaselineEntry& entry : entries) {
    auto records =
        entry.id == chosen.entry.id ? Result<std::vector<RunRecord>>(chosen.records) : load_entry(store, entry);
    if (!records) return std::unexpected(records.error());
    if (is_level(chosen, entry, by_name)) chosen.earlier.level = chosen.earlier.sessions.size();
    chosen.earlier.sessions.push_back({.runs = std::move(*records), .new_level = entry.new_level});
  }
  return {};
}

Result<ChosenBaseline> with_records(const std::string& store, Result<ChosenBaseline> chosen,
                                    std::span<const BaselineEntry> sessions, bool by_name) {
  if (!chosen) return chosen;
  auto records = load_entry(store, chosen->entry);
  if (!records) return std::unexpected(records.error());
  chosen->records = std::move(*records);
  // The runs of both sides were called the same when they were made.
  for (size_t i = 0; i < chosen->records.size(); ++i) {
    chosen->records[i].source = fmt::format("{}/run-{}", entry_number(chosen->entry), i + 1);
  }
  SONDE_TRY(load_sessions(store, sessions, by_name, *chosen));
  return chosen;
}

std::unexpected<Error> no_baseline(const std::string& store, std::string_view name) {
  const auto all = list_baseline(store, {});
  std::vector<std::string_view> names;
  if (all) {
    for (const BaselineEntry& entry : all->entries) names.push_back(entry.name);
  }
  return fail("there is no baseline '{}' in {}{}; `sonde baseline add FILE...` creates one", name, store,
              did_you_mean(name, names));
}

}  // namespace

Conditions common_conditions(std::span<const RunRecord> records) {
  if (records.empty()) return {};
  Conditions common = records.front().conditions;
  for (const RunRecord& record : records) {
    std::erase_if(common, [&](const auto& each) { return !same(common, record.conditions, each.first); });
  }
  return common;
}

Forbids conditions_forbid(const Conditions& a, const Conditions& b, std::span<const std::string> allowed,
                          std::vector<std::string_view>* names) {
  Forbids worst = Forbids::nothing;
  for (const ConditionInfo& info : condition_infos()) {
    if (info.forbids == Forbids::nothing || same(a, b, info.name)) continue;
    if (std::ranges::find(allowed, info.name) != allowed.end()) continue;
    worst = std::max(worst, info.forbids);
    if (names != nullptr) names->push_back(info.name);
  }
  return worst;
}

Result<ChosenBaseline> choose_baseline(std::span<const BaselineEntry> entries, const Conditions& conditions,
                                       std::span<const std::string> allowed) {
  Candidate best;
  for (const BaselineEntry& entry : entries) {
    Candidate candidate{.entry = &entry};
    candidate.forbids = conditions_forbid(entry.conditions, conditions, allowed, &candidate.names);
    if (best.entry == nullptr || is_better(candidate, best)) best = std::move(candidate);
  }
  if (best.entry == nullptr) return fail("the baseline has no entry");
  if (best.forbids == Forbids::everything) {
    return fail("no entry of the baseline '{}' can be compared with these runs; in the closest one, {}, {}",
                best.entry->name, entry_text(*best.entry), differences_text(best, conditions));
  }
  ChosenBaseline chosen{.entry = *best.entry, .records = {}, .note = {}};
  if (best.forbids == Forbids::timed) {
    chosen.note = fmt::format("timed metrics cannot be compared with {}: {}", entry_text(*best.entry),
                              differences_text(best, conditions));
  }
  return chosen;
}

std::vector<BaselineEntry> sessions_for(std::span<const BaselineEntry> entries, const Conditions& conditions,
                                        std::span<const std::string> allowed) {
  std::vector<BaselineEntry> all;
  std::vector<BaselineEntry> of_host;
  for (const BaselineEntry& entry : entries) {
    if (conditions_forbid(entry.conditions, conditions, allowed) != Forbids::nothing) continue;
    all.push_back(entry);
    if (host_of(entry.conditions) == host_of(conditions)) of_host.push_back(entry);
  }
  // Machines of which each made few entries are a population of their own: what differs between them is in the spread.
  const bool of_all = of_host.size() < kFewestSessions && hosts_of(all) >= kFewestSessions;
  std::vector<BaselineEntry> chosen = of_all ? std::move(all) : std::move(of_host);
  chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(std::min(chosen.size(), kMostSessions)));
  return chosen;
}

Result<ChosenBaseline> baseline_records(const std::string& store, std::string_view name, const Conditions& conditions,
                                        std::span<const std::string> allowed) {
  if (const size_t at = name.find('@'); at != std::string_view::npos) {
    auto entry = find_entry(store, name.substr(0, at), name.substr(at + 1));
    if (!entry) return std::unexpected(entry.error());
    const auto listing = list_baseline(store, entry->name);
    if (!listing) return std::unexpected(listing.error());
    const auto sessions = sessions_for(listing->entries, conditions, allowed);
    return with_records(store, ChosenBaseline{.entry = std::move(*entry), .records = {}, .note = {}}, sessions, true);
  }
  SONDE_TRY(check_baseline_name(name));
  const auto listing = list_baseline(store, name);
  if (!listing) return std::unexpected(listing.error());
  if (!listing->broken.empty()) {
    return fail("{}; it might be the entry to compare with, so repair it or run `sonde baseline remove {}@{}`",
                listing->broken.front().message, name, listing->broken.front().id);
  }
  if (listing->entries.empty()) return no_baseline(store, name);
  return with_records(store, choose_baseline(listing->entries, conditions, allowed),
                      sessions_for(listing->entries, conditions, allowed), false);
}

}  // namespace sonde::gate
