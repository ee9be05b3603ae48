#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gate/condition.h"

namespace sonde::gate {

/// A run of an entry: a record (gate/record/record_json.h) in a file beside entry.json.
struct BaselineRun {
  std::string file;    ///< without folder
  std::string source;  ///< as RunRecord::source
};

/// Runs of one version of a program, kept together: what entry.json holds, and where it was found.
struct BaselineEntry {
  std::string name = {};    ///< of the baseline that it belongs to: its folder in the store
  std::string id = {};      ///< of the entry: its folder in that one
  int64_t time_s = 0;       ///< when it was kept, in seconds since 1970, UTC
  std::string commit = {};  ///< as `git rev-parse HEAD` prints it; empty where it is not known
  std::string branch = {};
  std::string label = {};
  bool pinned = false;
  bool new_level = false;      ///< accepted as a change: entries before it tell nothing of its level
  Conditions conditions = {};  ///< that are the same in all runs
  std::vector<BaselineRun> runs = {};
};

/// entry.json (schema: docs/schemas/baseline.schema.json). Neither name nor id is in it.
[[nodiscard]] std::string entry_json(const BaselineEntry& entry);

/// The error says what is wrong and in which key. Keys that are not known are passed over; an entry of a later version
/// is an error.
[[nodiscard]] Result<BaselineEntry> parse_entry(std::string_view json);

/// The end of its id, which tables show: few entries of a store have the same.
[[nodiscard]] std::string_view entry_number(const BaselineEntry& entry);

/// What an entry is called in a sentence: "default@8e1e4ab (2026-11-22)".
[[nodiscard]] std::string entry_text(const BaselineEntry& entry);

/// The first characters of a commit, as git shows it; other texts as they are.
[[nodiscard]] std::string short_commit(std::string_view commit);

}  // namespace sonde::gate
