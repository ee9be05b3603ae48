#include <memory>

#include "cli/baseline/shared_entry_options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/baseline/baseline_report.h"

namespace sonde {
namespace baseline_show_cli {
namespace {

struct Options {
  EntryOptions choice;
  bool json = false;
};

Status show(const Options& options) {
  const auto entry = find_entry(options.choice);
  if (!entry) return std::unexpected(entry.error());
  const auto records = gate::load_entry(options.choice.store, *entry);
  if (!records) return std::unexpected(records.error());
  Output output;
  output.write(options.json ? baseline_entry_json(*entry, *records)
                            : baseline_entry_text(*entry, *records, terminal_options()));
  return output.close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_entry_options(command, options->choice);
  command.flag("--json", options->json, "print JSON (schema: docs/schemas/baseline_list.schema.json)");
  command.runs([options] {
    const Status done = show(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace baseline_show_cli

extern const Command baseline_show_command;
const Command baseline_show_command{"show", "Show an entry: conditions, runs, main metrics",
                                    "sonde baseline show latest", baseline_show_cli::set_up};

}  // namespace sonde
