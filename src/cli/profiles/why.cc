#include <limits>

#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/json/diagnosis_json.h"
#include "report/text/diagnosis_text.h"
#include "report/text/log_text.h"

namespace sonde {
namespace why_cli {
namespace {

struct Options {
  ProfileOptions profile;
  bool all = false;
  bool json = false;
  std::string output;
  bool force_overwrite = false;
  bool list_rules = false;
};

constexpr size_t kUsuallyShown = 5;

std::optional<KernelJoin> join_of(const JoinedProfiles& profiles) {
  if (!profiles.reports) return std::nullopt;
  return join_kernels(profiles.timeline, *profiles.reports);
}

/// What is printed of the run and of its other parts.
std::string text_of_run(Facts& facts, const Options& options) {
  const size_t most = options.all ? std::numeric_limits<size_t>::max() : kUsuallyShown;
  std::string text = diagnosis_text(facts, diagnose(facts), most, terminal_options());
  for (size_t i = 1; i < facts.parts.parts.size(); ++i) {
    facts.look_at(facts.parts.parts[i]);
    text += part_text(facts, diagnose(facts), most, terminal_options());
  }
  return text;
}

std::string json_of_run(Facts& facts) {
  nlohmann::ordered_json document = diagnosis_document(facts, diagnose(facts));
  for (size_t i = 1; i < facts.parts.parts.size(); ++i) {
    facts.look_at(facts.parts.parts[i]);
    document["other_parts"].push_back(part_document(facts, diagnose(facts)));
  }
  return diagnosis_json(document);
}

Status run(const Options& options) {
  const auto profiles = load_joined(options.profile, diagnosis_fields());
  if (!profiles) return std::unexpected(profiles.error());
  Facts facts(profiles->timeline, join_of(*profiles));
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(options.json ? json_of_run(facts) : text_of_run(facts, options));
  fmt::print(stderr, "{}{}", profiles->reports ? log_text(profiles->reports->log) : "",
             log_text(profiles->timeline.log));
  return output->close();
}

int list_rules() {
  for (const Rule* rule : rules()) fmt::print("{:<24}{}\n", rule->name, rule->description);
  return kDone;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile, kJoinedProfileHelp);
  command.flag("--all", options->all, "show all findings, not only the five with the highest cost");
  command.flag("--json", options->json, "print all findings as JSON");
  command.option("-o,--output", options->output, "FILE", "file to write");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.flag("--list-rules", options->list_rules, "list the rules");
  command.runs([options] {
    return options->list_rules ? list_rules() : finish(options->profile, [&] { return run(*options); });
  });
}

}  // namespace
}  // namespace why_cli

extern const Command why_command;
const Command why_command{"why", "Explain why a program is slow: findings, their maximum cost, and what to do",
                          "sonde why run.sqlite", why_cli::set_up, CommandGroup::explain};

}  // namespace sonde
