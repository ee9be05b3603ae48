#include <memory>

#include <CLI/Config.hpp>

#include "cli/baseline/shared_entry_options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/baseline/baseline_report.h"

namespace sonde {
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

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  add_entry_options(command, options->choice);
  command.add_flag("--json", options->json, "as a JSON document (schema: docs/schemas/baseline_list.schema.json)");
  command.callback([options, &exit_code] {
    const Status done = show(*options);
    exit_code = done ? kDone : report_error(done.error());
  });
}

}  // namespace

extern const Command baseline_show_command;
const Command baseline_show_command{"show", "Show what an entry holds: conditions, runs, headline figures",
                                    "sonde baseline show latest", set_up};

}  // namespace sonde
