#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_entry_options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gate/store/baseline_store.h"

namespace sonde {
namespace baseline_pin_cli {

Status set_pinned(const EntryOptions& options, bool pinned) {
  const auto entry = find_entry(options);
  if (!entry) return std::unexpected(entry.error());
  SONDE_TRY(gate::set_pinned(options.store, *entry, pinned));
  fmt::print("{} is {}\n", entry_text(*entry), pinned ? "pinned" : "no longer pinned");
  return {};
}

template <bool kPinned>
void set_up(CommandLine& command) {
  auto options = std::make_shared<EntryOptions>();
  add_entry_options(command, *options);
  command.runs([options] {
    const Status done = set_pinned(*options, kPinned);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace baseline_pin_cli

extern const Command baseline_pin_command;
const Command baseline_pin_command{"pin", "Prefer an entry to all others, and never prune it",
                                   "sonde baseline pin 8e1e4ab", baseline_pin_cli::set_up<true>};

extern const Command baseline_unpin_command;
const Command baseline_unpin_command{"unpin", "Remove the pin of an entry", "sonde baseline unpin 8e1e4ab",
                                     baseline_pin_cli::set_up<false>};

}  // namespace sonde
