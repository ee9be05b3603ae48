#include <memory>

#include <fmt/format.h>
#include <CLI/Config.hpp>

#include "cli/baseline/shared_entry_options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gate/store/baseline_store.h"

namespace sonde {
namespace {

Status set_pinned(const EntryOptions& options, bool pinned) {
  const auto entry = find_entry(options);
  if (!entry) return std::unexpected(entry.error());
  SONDE_TRY(gate::set_pinned(options.store, *entry, pinned));
  fmt::print("{} is {}\n", entry_text(*entry), pinned ? "pinned" : "no longer pinned");
  return {};
}

template <bool kPinned>
void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<EntryOptions>();
  add_entry_options(command, *options);
  command.callback([options, &exit_code] {
    const Status done = set_pinned(*options, kPinned);
    exit_code = done ? kDone : report_error(done.error());
  });
}

}  // namespace

extern const Command baseline_pin_command;
const Command baseline_pin_command{"pin", "Take an entry before all others, and never prune it",
                                   "sonde baseline pin 8e1e4ab", set_up<true>};

extern const Command baseline_unpin_command;
const Command baseline_unpin_command{"unpin", "Let an entry be one among others again", "sonde baseline unpin 8e1e4ab",
                                     set_up<false>};

}  // namespace sonde
