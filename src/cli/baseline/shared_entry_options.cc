#include "cli/baseline/shared_entry_options.h"

#include "cli/baseline/shared_store_option.h"

namespace sonde {

void add_entry_options(CommandLine& command, EntryOptions& options) {
  command
      .positional("ENTRY", options.entry,
                  "entry, label, beginning of a commit, or latest; NAME@ENTRY names the baseline too")
      .required();
  command.option("--name", options.name, "NAME", "baseline of the entry");
  add_store_option(command, options.store);
}

Result<gate::BaselineEntry> find_entry(const EntryOptions& options) {
  return gate::find_entry(options.store, options.name, options.entry);
}

}  // namespace sonde
