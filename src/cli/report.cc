#include <chrono>

#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/log_text.h"
#include "report/page/page_html.h"
#include "report/page/report_document.h"

namespace sonde {
namespace {

struct Options {
  ProfileOptions profile;
  std::string title;
  std::string output;
  bool force_overwrite = false;
};

std::optional<KernelJoin> join_of(const JoinedProfiles& profiles) {
  if (!profiles.reports) return std::nullopt;
  return join_kernels(profiles.timeline, *profiles.reports);
}

Status run(const Options& options) {
  const auto profiles = load_joined(options.profile, report_fields());
  if (!profiles) return std::unexpected(profiles.error());
  const std::string& file = profiles->timeline.ranks.front().file;
  ReportSource source(file, profiles->timeline, join_of(*profiles));
  Blobs blobs;
  const auto document = report_document(options.title.empty() ? file : options.title, std::array{&source}, blobs);
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  write_page(document, blobs, output->sink());
  fmt::print(stderr, "{}", log_text(profiles->timeline.log));
  return output->close();
}

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile, kJoinedProfileHelp);
  command.add_option("--title", options->title, "the report's heading; the file's name unless said otherwise");
  command.add_option("-o,--output", options->output, "a file to write to");
  command.add_flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.callback([options, &exit_code] { exit_code = finish(options->profile, [&] { return run(*options); }); });
}

}  // namespace

extern const Command report_command;
const Command report_command{"report", "Write all of it into one HTML file that opens anywhere, offline",
                             "sonde report run.nsys-rep -o report.html", set_up};

}  // namespace sonde
