#include "cli/baseline/shared_pinning.h"

#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_entry_options.h"
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

}  // namespace

void set_up_pinning(CommandLine& command, bool pinned) {
  auto options = std::make_shared<EntryOptions>();
  add_entry_options(command, *options);
  command.runs([options, pinned] {
    const Status done = set_pinned(*options, pinned);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace sonde
