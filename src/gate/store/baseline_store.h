#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gate/record/run_record.h"
#include "gate/store/baseline_entry.h"

/// Baselines in a folder of plain files, that can live in git or in an artifact store:
///
///     STORE/NAME/ENTRY/entry.json     commit, time, conditions, ...
///     STORE/NAME/ENTRY/run-1.json     a record each
///
/// An entry is made beside its place and renamed into it, so that a reader sees all of it or nothing, and two writers
/// never share a file: there is no index, and entries of two branches merge in git without a conflict.
namespace sonde::gate {

/// A folder where an entry is expected and none can be read.
struct BrokenEntry {
  std::string name;
  std::string id;
  std::string message;  ///< what is wrong, with the file's path
};

/// What is in a store.
struct BaselineListing {
  std::vector<BaselineEntry> entries;  ///< oldest first; of equal time by name and id
  std::vector<BrokenEntry> broken;
};

/// The folder that SONDE_BASELINE names, else ".sonde/baseline".
[[nodiscard]] std::string default_store();

/// Letters, digits, '.', '_' and '-', the first of them a letter or digit; 100 characters at most.
[[nodiscard]] Status check_baseline_name(std::string_view name);

/// The entries of one baseline, or of all where `name` is empty. A store that is not there has none.
[[nodiscard]] Result<BaselineListing> list_baseline(const std::string& store, std::string_view name);

/// Writes a new entry of `entry.name`; id, conditions and runs are filled in. An error where the runs were made under
/// conditions that must not be mixed, or there is none.
[[nodiscard]] Result<BaselineEntry> add_baseline(const std::string& store, BaselineEntry entry,
                                                 std::span<const RunRecord> records);

/// The one entry that `which` names: "latest", a label, an entry_number(), or the beginning of an id or commit; "NAME@"
/// may stand before it where `name` is empty. An error where none or several fit, or the one is broken.
[[nodiscard]] Result<BaselineEntry> find_entry(const std::string& store, std::string_view name, std::string_view which);

/// The records of an entry, in the order of its runs.
[[nodiscard]] Result<std::vector<RunRecord>> load_entry(const std::string& store, const BaselineEntry& entry);

/// Replaces entry.json.
[[nodiscard]] Status set_pinned(const std::string& store, const BaselineEntry& entry, bool pinned);

[[nodiscard]] Status remove_entry(const std::string& store, const BaselineEntry& entry);

}  // namespace sonde::gate
