#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_store_option.h"
#include "cli/baseline/shared_version.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/runs/run_records.h"
#include "gate/history/time_text.h"
#include "gate/store/baseline_store.h"

namespace sonde {
namespace baseline_add_cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string store;
  std::string name = "default";
  std::string commit;
  std::string branch;
  std::string label;
  std::string time;
  bool pin = false;
  bool new_level = false;
};

Result<gate::BaselineEntry> entry_of(const Options& options) {
  gate::BaselineEntry entry{.name = options.name,
                            .commit = options.commit,
                            .label = options.label,
                            .pinned = options.pin,
                            .new_level = options.new_level};
  entry.time_s = now_s();
  if (!options.time.empty()) {
    const auto time = gate::parse_time(options.time);
    if (!time) return fail("--time: '{}' is not a timestamp such as 2026-01-31T12:00:00Z", options.time);
    entry.time_s = *time;
  }
  if (options.commit.empty()) {
    Version version = version_here();
    entry.commit = std::move(version.commit);
    entry.branch = std::move(version.branch);
  }
  if (!options.branch.empty()) entry.branch = options.branch;
  return entry;
}

/// When the first of the runs started, where they tell.
void take_time(std::span<const gate::RunRecord> records, gate::BaselineEntry& entry) {
  const auto started = [](const gate::RunRecord& record) { return record.session.started_s; };
  const int64_t first = started(std::ranges::min(records, {}, started));
  if (first > 0) entry.time_s = first;
}

Status add(const Options& options) {
  SONDE_TRY(gate::check_baseline_name(options.name));
  auto entry = entry_of(options);
  if (!entry) return std::unexpected(entry.error());
  const auto records = load_records(options.files);
  if (!records) return std::unexpected(records.error());
  if (options.time.empty()) take_time(*records, *entry);
  const auto added = gate::add_baseline(options.store, std::move(*entry), *records);
  if (!added) return std::unexpected(added.error());
  fmt::print("{}@{}: {} {}{}{}\n", added->name, entry_number(*added), added->runs.size(),
             added->runs.size() == 1 ? "run" : "runs",
             added->commit.empty() ? ", commit unknown (--commit sets it)"
                                   : fmt::format(" of {}", gate::short_commit(added->commit)),
             added->pinned ? ", pinned" : "");
  return {};
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("FILE", options->files, "runs, one per FILE: a profile, a folder (ranks of one run), or a record")
      .required();
  command.option("--name", options->name, "NAME", "baseline of the entry").shows_default();
  command.option(
      "--commit", options->commit, "COMMIT",
      "version that was measured (default: of the git work tree, else GITHUB_SHA, GIT_COMMIT or CI_COMMIT_SHA)");
  command.option("--branch", options->branch, "BRANCH", "branch that was measured");
  command.option("--label", options->label, "NAME", "name of this entry, such as a release");
  command.option("--time", options->time, "TIME",
                 "time of the measurement, such as 2026-01-31T12:00:00Z (default: as the records say, else now)");
  command.flag("--pin", options->pin, "prefer this entry to others, and never prune it");
  command.flag("--new-level", options->new_level,
               "these runs are an accepted change: earlier entries no longer tell what to expect");
  add_store_option(command, options->store);
  command.runs([options] {
    const Status done = add(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace baseline_add_cli

extern const Command baseline_add_command;
const Command baseline_add_command{"add", "Add runs of one version as an entry",
                                   "sonde baseline add run1.nsys-rep run2.nsys-rep run3.nsys-rep",
                                   baseline_add_cli::set_up};

}  // namespace sonde
