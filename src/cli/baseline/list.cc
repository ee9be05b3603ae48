#include <memory>

#include <fmt/format.h>

#include "cli/baseline/shared_store_option.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/baseline/baseline_report.h"

namespace sonde {
namespace baseline_list_cli {
namespace {

struct Options {
  std::string store;
  std::string name;
  bool json = false;
};

Status list(const Options& options) {
  const auto listing = gate::list_baseline(options.store, options.name);
  if (!listing) return std::unexpected(listing.error());
  Output output;
  if (options.json) {
    output.write(baseline_list_json(*listing));
  } else if (!listing->entries.empty()) {
    const auto format = find_table_format("column");
    if (!format) return std::unexpected(format.error());
    RenderOptions render = terminal_options();
    render.absent = "-";
    (*format)->render(baseline_table(*listing), render, output.sink());
  } else {
    fmt::print(stderr, "No entry in {}; `sonde baseline add FILE...` adds one.\n", options.store);
  }
  for (const gate::BrokenEntry& broken : listing->broken) fmt::print(stderr, "Left out: {}\n", broken.message);
  return output.close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("--name", options->name, "NAME", "only entries of this baseline");
  command.flag("--json", options->json, "print JSON (schema: docs/schemas/baseline_list.schema.json)");
  add_store_option(command, options->store);
  command.runs([options] {
    const Status done = list(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace baseline_list_cli

extern const Command baseline_list_command;
const Command baseline_list_command{"list", "List the entries of the baselines", "sonde baseline list",
                                    baseline_list_cli::set_up};

}  // namespace sonde
