#pragma once

#include <string>
#include "cli/options.h"

#include "gate/store/baseline_store.h"

namespace sonde {

/// What every command on one entry takes.
struct EntryOptions {
  std::string entry;  ///< id, label, beginning of a commit, "latest", or NAME@ENTRY
  std::string store;
  std::string name;  ///< of the baseline; may be empty
};

void add_entry_options(CommandLine& command, EntryOptions& options);
[[nodiscard]] Result<gate::BaselineEntry> find_entry(const EntryOptions& options);

}  // namespace sonde
