#include "gate/store/prune.h"

#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_store_option.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gate/history/time_text.h"
#include "gate/store/baseline_store.h"

namespace sonde {
namespace baseline_prune_cli {
namespace {

struct Options {
  std::string store;
  std::string name;
  std::optional<size_t> keep;
  std::string older_than;
  bool dry_run = false;
};

Result<gate::PruneRule> rule_of(const Options& options) {
  gate::PruneRule rule{.keep = options.keep};
  if (!options.older_than.empty()) {
    const auto before = gate::moment_or_age(options.older_than, now_s(), "--older-than");
    if (!before) return std::unexpected(before.error());
    rule.before_s = *before;
  }
  return rule;
}

Status prune(const Options& options) {
  const auto rule = rule_of(options);
  if (!rule) return std::unexpected(rule.error());
  const auto listing = gate::list_baseline(options.store, options.name);
  if (!listing) return std::unexpected(listing.error());
  const auto pruned = gate::entries_to_prune(listing->entries, *rule);
  for (const gate::BaselineEntry& entry : pruned) {
    if (!options.dry_run) SONDE_TRY(gate::remove_entry(options.store, entry));
    fmt::print("{}@{} {} removed\n", entry.name, entry.id, options.dry_run ? "would be" : "is");
  }
  fmt::print("{} of {} entries remain\n", listing->entries.size() - pruned.size(), listing->entries.size());
  for (const gate::BrokenEntry& broken : listing->broken) fmt::print(stderr, "Left out: {}\n", broken.message);
  return {};
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("--keep", options->keep, "N", "keep the newest N entries of each baseline, GPU and tool");
  command.option("--older-than", options->older_than, "DAY|AGE",
                 "remove only entries older than an age such as 30d or 12h, or a day such as 2026-01-31");
  command.option("--name", options->name, "NAME", "only entries of this baseline");
  command.flag("--dry-run", options->dry_run, "only print what would be removed");
  add_store_option(command, options->store);
  command.runs([options] {
    if (!options->keep && options->older_than.empty()) {
      complain("give --keep, --older-than or both\nTry 'sonde baseline prune --help'.");
      return int{kUsage};
    }
    const Status done = prune(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace baseline_prune_cli

extern const Command baseline_prune_command;
const Command baseline_prune_command{"prune", "Remove old entries, except pinned ones",
                                     "sonde baseline prune --keep 20 --older-than 30d", baseline_prune_cli::set_up};

}  // namespace sonde
