#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gate/decide/decision.h"
#include "gate/record/run_record.h"
#include "gate/store/baseline_store.h"

namespace sonde::gate {

/// The entry that runs are to be compared with.
struct ChosenBaseline {
  BaselineEntry entry;
  std::vector<RunRecord> records;  ///< in the order of its runs
  EarlierSessions earlier = {};    ///< of sessions_for()
  /// For people: conditions in which it differs, so that timed figures cannot be compared. Empty where there are none.
  std::string note;
};

/// Conditions that are the same in all records.
[[nodiscard]] Conditions common_conditions(std::span<const RunRecord> records);

/// What the first difference of two sides' conditions forbids that is worst; what is known of one side only differs.
/// Conditions named in `allowed` do not count. `names`, where given, gets those that forbid something.
[[nodiscard]] Forbids conditions_forbid(const Conditions& a, const Conditions& b,
                                        std::span<const std::string> allowed = {},
                                        std::vector<std::string_view>* names = nullptr);

/// The entry of `entries` (of one baseline, oldest first) for runs under `conditions`: of those that nothing forbids to
/// compare, or timed figures only, a pinned one before all others, then one that nothing forbids before one that is
/// for exact figures only, then the newest. A pinned baseline is so never left for a newer one without a message: a
/// change that was let in would become the baseline. Where none may be compared at all the error names the newest of
/// those that differ in least, and in what.
[[nodiscard]] Result<ChosenBaseline> choose_baseline(std::span<const BaselineEntry> entries,
                                                     const Conditions& conditions,
                                                     std::span<const std::string> allowed = {});

/// The entries that tell how sessions of runs under `conditions` differ, oldest first: those that nothing forbids to
/// compare, of the same host where there are enough of it, else of all hosts where there are many; the newest
/// kMostSessions of them.
[[nodiscard]] std::vector<BaselineEntry> sessions_for(std::span<const BaselineEntry> entries,
                                                      const Conditions& conditions,
                                                      std::span<const std::string> allowed = {});

/// The same with the records, from the store (default_store()). `name`: "NAME" chooses as above; "NAME@ENTRY" takes the
/// entry that find_entry() finds, whatever its conditions. An error where the baseline has no entry, or one that is
/// needed is broken.
[[nodiscard]] Result<ChosenBaseline> baseline_records(const std::string& store, std::string_view name,
                                                      const Conditions& conditions,
                                                      std::span<const std::string> allowed = {});

}  // namespace sonde::gate
