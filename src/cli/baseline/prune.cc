#include "gate/store/prune.h"

#include <memory>

#include <fmt/format.h>
#include <CLI/Config.hpp>

#include "cli/baseline/shared_store_option.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gate/history/time_text.h"
#include "gate/store/baseline_store.h"

namespace sonde {
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
  fmt::print("{} of {} entries stay\n", listing->entries.size() - pruned.size(), listing->entries.size());
  for (const gate::BrokenEntry& broken : listing->broken) fmt::print(stderr, "Left out: {}\n", broken.message);
  return {};
}

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  auto* rules = command.add_option_group("rules", "Which entries go: those to which all of these apply");
  rules->add_option("--keep", options->keep, "the newest so many of each baseline, GPU and tool stay");
  rules->add_option("--older-than", options->older_than, "an age such as 30d or 12h, or a day such as 2026-01-31");
  rules->require_option(1, 2);
  command.add_option("--name", options->name, "entries of this baseline only");
  command.add_flag("--dry-run", options->dry_run, "only say what would be removed");
  add_store_option(command, options->store);
  command.callback([options, &exit_code] {
    const Status done = prune(*options);
    exit_code = done ? kDone : report_error(done.error());
  });
}

}  // namespace

extern const Command baseline_prune_command;
const Command baseline_prune_command{"prune", "Take old entries away; pinned ones stay",
                                     "sonde baseline prune --keep 20 --older-than 30d", set_up};

}  // namespace sonde
