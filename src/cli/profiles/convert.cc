#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "exporters/exporter.h"
#include "exporters/files/output_file.h"
#include "importers/importer.h"

namespace sonde {
namespace convert_cli {
namespace {

struct ConvertArguments {
  std::vector<std::string> files;  ///< the last is the output
  bool overwrite = false;
};

Status convert(const ConvertArguments& arguments) {
  const std::string& output = arguments.files.back();
  const std::vector<std::string> inputs(arguments.files.begin(), arguments.files.end() - 1);
  const auto exporter = exporter_for(output);
  if (!exporter) return std::unexpected(exporter.error());
  const auto progress = terminal_progress();
  const ExportOptions options{arguments.overwrite, inputs, progress.get()};
  SONDE_TRY(check_target(output, options));
  const auto trace = import_run(inputs, {(*exporter)->fields(), progress.get()});
  progress->end();
  if (!trace) return std::unexpected(trace.error());
  return (*exporter)->write(*trace, output, options);
}

int run(const ConvertArguments& arguments) {
  const Status done = convert(arguments);
  if (done) return 0;
  return report_error(done.error());
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<ConvertArguments>();
  command.positional("FILE", a->files, "profiles of one run, then the file to write: .sqlite, .json or .json.gz")
      .required()
      .values(2, -1);
  command.flag("--force-overwrite", a->overwrite, "replace an output file that exists");
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace convert_cli

extern const Command convert_command;
const Command convert_command{"convert", "Convert the profiles of a run to one file of another format",
                              "sonde convert trace.json.gz run.sqlite", convert_cli::set_up, CommandGroup::other};

}  // namespace sonde
