#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/suggest.h"
#include "cli/json_flag.h"
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
  std::string format = "text";
  std::string output;
  bool force_overwrite = false;
  bool list_rules = false;
};

constexpr size_t kUsuallyShown = 5;

std::optional<KernelJoin> join_of(const JoinedProfiles& profiles) {
  if (!profiles.reports) return std::nullopt;
  return join_kernels(profiles.timeline, *profiles.reports);
}

/// Exit code of an answer; a script needs not read the text.
int exit_code_of(Answer answer) {
  switch (answer) {
    case Answer::problems: return kDone;
    case Answer::nothing_found: return kNothingFound;
    case Answer::could_not_look: return kCouldNotLook;
  }
  return kCannot;
}

/// What is wrong with the command line, or nothing.
std::string usage_error(const Options& options) {
  const std::vector<std::string_view> formats = {"text", "json"};
  if (std::ranges::find(formats, options.format) != formats.end()) return {};
  return fmt::format("unknown format '{}'{}", options.format, did_you_mean(options.format, formats));
}

/// The answer to a run of several parts: problems before nothing, and nothing before what could not be looked at.
class Answers {
 public:
  Diagnosis added(Diagnosis diagnosis) {
    best_ = std::min(best_, diagnosis.answer);
    return diagnosis;
  }
  [[nodiscard]] int exit_code() const { return exit_code_of(best_); }

 private:
  Answer best_ = Answer::could_not_look;
};

/// What is printed of the run and of its other parts.
std::string text_of_run(Facts& facts, const Options& options, Answers& answers) {
  const size_t most = options.all ? kAllFindings : kUsuallyShown;
  std::string text = diagnosis_text(facts, answers.added(diagnose(facts)), most, terminal_options());
  for (size_t i = 1; i < facts.parts.parts.size(); ++i) {
    facts.look_at(facts.parts.parts[i]);
    text += part_text(facts, answers.added(diagnose(facts)), most, terminal_options());
  }
  return text;
}

std::string json_of_run(Facts& facts, Answers& answers) {
  nlohmann::ordered_json document = diagnosis_document(facts, answers.added(diagnose(facts)));
  for (size_t i = 1; i < facts.parts.parts.size(); ++i) {
    facts.look_at(facts.parts.parts[i]);
    document["other_parts"].push_back(part_document(facts, answers.added(diagnose(facts))));
  }
  return diagnosis_json(document);
}

Status run(const Options& options, int& exit_code) {
  const auto step_ns = true_step_ns(options.profile);
  if (!step_ns) return std::unexpected(step_ns.error());
  auto profiles = load_joined(options.profile, diagnosis_fields());
  if (!profiles) return std::unexpected(profiles.error());
  auto recorder = take_out_recorder(profiles->timeline, *step_ns);
  Facts facts(profiles->timeline, join_of(*profiles), std::move(recorder));
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  Answers answers;
  output->write(options.format == "json" ? json_of_run(facts, answers) : text_of_run(facts, options, answers));
  exit_code = answers.exit_code();
  note(
      fmt::format("{}{}", profiles->reports ? log_text(profiles->reports->log) : "", log_text(profiles->timeline.log)));
  return output->close();
}

int list_rules() {
  for (const Rule* rule : rules()) fmt::print("{:<24}{}\n", rule->name, rule->description);
  return kDone;
}

int why(const Options& options) {
  if (options.list_rules) return list_rules();
  if (const std::string wrong = usage_error(options); !wrong.empty()) {
    complain(wrong);
    return kUsage;
  }
  int exit_code = kDone;
  const int finished = finish(options.profile, [&] { return run(options, exit_code); });
  return finished == kDone ? exit_code : finished;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile, kJoinedProfileHelp);
  add_step_time_option(command, options->profile);
  command.flag("--all", options->all, "show all findings, not only the five with the highest cost");
  command.option("-f,--format", options->format, "FORMAT", "output format: text or json (all findings)")
      .shows_default();
  add_json_flag(command, options->format);
  command.option("-o,--output", options->output, "FILE", "file to write");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.flag("--list-rules", options->list_rules, "list the rules");
  command.runs([options] { return why(*options); });
}

}  // namespace
}  // namespace why_cli

extern const Command why_command;
const Command why_command{"why", "Explain why a program is slow: findings, their maximum cost, and what to do",
                          "sonde why run.sqlite", why_cli::set_up, CommandGroup::explain};

}  // namespace sonde
