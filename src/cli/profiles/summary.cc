#include "analyses/summary.h"

#include "base/system/parallel.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/json/diagnosis_json.h"
#include "report/json/kernel_metrics_json.h"
#include "report/json/measured_kernels_json.h"
#include "report/json/summary_json.h"
#include "report/text/diagnosis_text.h"
#include "report/text/log_text.h"
#include "report/text/measured_kernels_text.h"
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

/// The kernels of a kernel report instead of the events of a timeline.
std::string measured_text(const Trace& trace, const RenderOptions& render) {
  const Facts facts(trace);
  return measured_summary_text(facts, diagnose(facts), render) +
         (trace.log.empty() ? std::string() : "\n" + log_text(trace.log));
}

std::string measured_json(const Trace& trace, const RunSummary& summary) {
  const Facts facts(trace);
  nlohmann::ordered_json document = summary_document(trace, summary);
  document["kernel_metrics"] = kernel_metrics_json(trace);
  document["measured_kernels"] = measured_kernels_json(facts, diagnose(facts));
  return summary_json(document);
}

std::string text_of(const Trace& trace, std::optional<int64_t> step_ns, bool json) {
  RunSummary summary;
  std::optional<RecordedStep> recorder;
  run_together({[&] { recorder = step_without_recorder(trace, step_ns); }, [&] { summary = summarize(trace); }});
  if (is_kernel_report(trace)) return json ? measured_json(trace, summary) : measured_text(trace, terminal_options());
  if (json) {
    nlohmann::ordered_json document = summary_document(trace, summary);
    document["recorder"] = recorder ? recorder_json(*recorder) : nlohmann::ordered_json(nullptr);
    return summary_json(document);
  }
  return summary_text(trace, summary, terminal_options()) +
         (recorder ? '\n' + recorder_beside_text(*recorder, terminal_options()) : std::string());
}

Status run(const SummaryOptions& options) {
  const auto step_ns = true_step_ns(options.profile);
  if (!step_ns) return std::unexpected(step_ns.error());
  const auto trace = load(options.profile,
                          summary_fields() | kRecorderFields | Fields{Field::kernel_profiles, Field::metric_instances});
  if (!trace) return std::unexpected(trace.error());
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(text_of(*trace, *step_ns, options.json));
  return output->close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<SummaryOptions>();
  add_profile_options(command, options->profile);
  add_step_time_option(command, options->profile);
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
