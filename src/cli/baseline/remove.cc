#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_entry_options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gate/store/baseline_store.h"

namespace sonde {
namespace baseline_remove_cli {
namespace {

/// A broken entry has nothing but its place.
Result<gate::BaselineEntry> entry_of(const EntryOptions& options) {
  const auto listing = gate::list_baseline(options.store, options.name);
  if (!listing) return std::unexpected(listing.error());
  for (const gate::BrokenEntry& broken : listing->broken) {
    if (options.entry == broken.id || options.entry == fmt::format("{}@{}", broken.name, broken.id)) {
      return gate::BaselineEntry{.name = broken.name, .id = broken.id};
    }
  }
  return find_entry(options);
}

Status remove(const EntryOptions& options) {
  const auto entry = entry_of(options);
  if (!entry) return std::unexpected(entry.error());
  SONDE_TRY(gate::remove_entry(options.store, *entry));
  fmt::print("{}@{} is removed\n", entry->name, entry->id);
  return {};
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<EntryOptions>();
  add_entry_options(command, *options);
  command.runs([options] {
    const Status done = remove(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace baseline_remove_cli

extern const Command baseline_remove_command;
const Command baseline_remove_command{"remove", "Remove an entry, pinned or not", "sonde baseline remove 8e1e4ab",
                                      baseline_remove_cli::set_up};

}  // namespace sonde
