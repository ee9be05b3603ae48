#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/text/suggest.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/runs/run_records.h"
#include "gate/difference/comparable.h"
#include "report/json/difference_json.h"
#include "report/markdown/difference_markdown.h"
#include "report/text/difference_text.h"

namespace sonde {
namespace compare_cli {
namespace {

struct Options {
  std::vector<std::string> base;
  std::vector<std::string> changed;
  std::string format = "text";
  std::string output;
  bool force_overwrite = false;
  bool all = false;
};

using Records = std::vector<gate::RunRecord>;

bool is_kernel_report(const gate::RunRecord& record) {
  const auto kind = record.conditions.find("kind");
  return !record.measures.empty() || (kind != record.conditions.end() && kind->second == "kernel report");
}

/// A timeline says when kernels ran, a kernel report how fast each is by itself: there is nothing to compare.
Status check_kinds(const Records& base, const Records& changed) {
  Records all = base;
  all.insert(all.end(), changed.begin(), changed.end());
  const auto report = std::ranges::find_if(all, is_kernel_report);
  const auto timeline = std::ranges::find_if_not(all, is_kernel_report);
  if (report == all.end() || timeline == all.end()) return {};
  return fail(
      "{} is a kernel report and {} is a timeline; compare timelines with timelines (nsys, torch.profiler) and kernel "
      "reports with kernel reports (ncu)",
      report->source, timeline->source);
}

std::string rendered(const Comparison& comparison, const Options& options) {
  if (options.format == "json") return comparison_json(comparison);
  if (options.format == "markdown") return comparison_markdown(comparison, options.all);
  return comparison_text(comparison, options.all, options.output.empty() ? terminal_options() : RenderOptions());
}

/// Reads the profiles of a side again whose records are about another part than all sides have in common. Stored
/// records stay what they are.
Status take_part(const std::vector<std::string>& files, gate::PartOfRun part, Records& records) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (records[i].part == part) continue;
    auto other = load_parts(std::array{files[i]}, part);
    if (!other) return std::unexpected(other.error());
    other->front().has_unused_steps = records[i].steps > 0;
    records[i] = std::move(other->front());
  }
  return {};
}

Status run(const Options& options) {
  auto base = load_parts(options.base, gate::PartOfRun::steps);
  if (!base) return std::unexpected(base.error());
  auto changed = load_parts(options.changed, gate::PartOfRun::steps);
  if (!changed) return std::unexpected(changed.error());
  if (const Status kinds = check_kinds(*base, *changed); !kinds) return kinds;
  const gate::PartOfRun part = gate::common_part(*base, *changed);
  SONDE_TRY(take_part(options.base, part, *base));
  SONDE_TRY(take_part(options.changed, part, *changed));
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(rendered(comparison_of(*base, *changed), options));
  return output->close();
}

/// What is wrong with the command line, or nothing.
std::string usage_error(const Options& options) {
  const std::vector<std::string_view> formats = {"text", "json", "markdown"};
  if (options.base.empty()) return "--base FILE is missing; it is the profile to compare with";
  if (options.changed.empty()) return "--new FILE is missing; it is the profile to compare with the base";
  if (std::ranges::find(formats, options.format) == formats.end()) {
    return fmt::format("unknown format '{}'{}", options.format, did_you_mean(options.format, formats));
  }
  return {};
}

int compare(const Options& options) {
  if (const std::string wrong = usage_error(options); !wrong.empty()) {
    fmt::print(stderr, "sonde compare: {}\n", wrong);
    return kUsage;
  }
  const Status done = run(options);
  return done ? kDone : report_error(done.error());
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("--base", options->base, "FILE",
                 "baseline: a profile, a folder with the ranks of one run, or a stored record; several FILEs are "
                 "several runs, whose mean is compared");
  command.option("--new", options->changed, "FILE", "candidate, given in the same way");
  command.option("-f,--format", options->format, "FORMAT", "output format: text, json or markdown").shows_default();
  add_json_flag(command, options->format);
  command.option("-o,--output", options->output, "FILE", "file to write");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.flag("--all", options->all, "show every cause and row, not only the important ones");
  command.runs([options] { return compare(*options); });
}

}  // namespace
}  // namespace compare_cli

extern const Command compare_command;
const Command compare_command{
    "compare", "Explain what changed between two profiles; the parts add up to the difference",
    "sonde compare --base main.nsys-rep --new branch.nsys-rep", compare_cli::set_up, CommandGroup::explain};

}  // namespace sonde
