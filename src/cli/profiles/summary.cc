#include "analyses/summary.h"

#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/json/summary_json.h"
#include "report/text/summary_text.h"

namespace sonde {
namespace summary_cli {
namespace {

struct SummaryOptions {
  ProfileOptions profile;
  bool json = false;
  std::string output;
  bool force_overwrite = false;
};

Status run(const SummaryOptions& options) {
  const auto trace = load(options.profile, summary_fields());
  if (!trace) return std::unexpected(trace.error());
  const RunSummary summary = summarize(*trace);
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(options.json ? summary_json(*trace, summary) : summary_text(*trace, summary, terminal_options()));
  return output->close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<SummaryOptions>();
  add_profile_options(command, options->profile);
  command.flag("--json", options->json, "print JSON (schema: docs/schemas/summary.schema.json)");
  command.option("-o,--output", options->output, "FILE", "file to write");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.runs([options] { return finish(options->profile, [&] { return run(*options); }); });
}

}  // namespace
}  // namespace summary_cli

extern const Command summary_command;
const Command summary_command{"summary",
                              "Summarize a run on one screen: GPU busy and idle time, kernels, copies, API calls",
                              "sonde summary run.sqlite", summary_cli::set_up, CommandGroup::explain};

}  // namespace sonde
