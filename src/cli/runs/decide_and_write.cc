#include "cli/runs/decide_and_write.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/ranges.h>

#include "base/files/file.h"
#include "base/text/suggest.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "gate/record/record_json.h"
#include "gate/store/choose_baseline.h"
#include "gate/verdict.h"

namespace sonde {
namespace {

std::vector<std::string_view> condition_names() {
  std::vector<std::string_view> names;
  for (const gate::ConditionInfo& condition : gate::condition_infos()) names.push_back(condition.name);
  return names;
}

Status check_condition(const std::string& name) {
  if (gate::find_condition(name) != nullptr) return {};
  const auto names = condition_names();
  return fail("unknown condition '{}'{} ({})", name, did_you_mean(name, names), fmt::join(names, ", "));
}

Result<std::vector<DecisionTarget>> targets_of(const DecideOutput& output) {
  std::vector<DecisionTarget> targets;
  for (const std::string& text : output.targets) {
    auto target = parse_decision_target(text);
    if (!target) return std::unexpected(target.error());
    targets.push_back(std::move(*target));
  }
  return targets;
}

std::string formats_help() {
  std::string text = "format of standard output:";
  for (const DecisionFormat* format : decision_formats()) {
    text += fmt::format("\n{}: {}", format->name, format->description);
  }
  return text;
}

/// The index of the run whose step (of a run without steps: the run itself) takes the median time.
size_t median_run(const std::vector<gate::RunRecord>& records) {
  std::vector<std::pair<double, size_t>> times;
  for (size_t i = 0; i < records.size(); ++i) {
    gate::TimedRun steps(records[i].step_ns.begin(), records[i].step_ns.end());
    if (steps.empty()) steps.push_back(static_cast<double>(records[i].wall_ns));
    times.emplace_back(centre_of(steps, gate::Centre::median), i);
  }
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2].second;
}

/// The profile of a side's median run.
class SideProfile {
 public:
  /// Leaves it empty where the run left no profile: a record has none.
  Status load(const DecideSide& side, std::string_view name, ReportParts parts) {
    if (side.records.empty() || side.files.size() != side.records.size()) return {};
    const std::string& file = side.files[median_run(side.records)];
    const auto head = read_head(file, kHeadBytes);
    if (file.empty() || (head && gate::is_record(*head))) return {};
    ProfileOptions options;
    options.files.push_back(file);
    auto profiles = load_joined(options, report_fields());
    if (!profiles) return std::unexpected(std::move(profiles).error());
    profiles_.emplace(std::move(*profiles));
    source_.emplace(std::string(name), profiles_->timeline, std::nullopt, parts);
    return {};
  }

  [[nodiscard]] ReportSource* source() { return source_ ? &*source_ : nullptr; }

 private:
  std::optional<JoinedProfiles> profiles_;
  std::optional<ReportSource> source_;
};

/// What the formats that are asked for want of the profiles.
ReportParts parts_of(std::span<const DecisionFormat* const> formats) {
  ReportParts parts;
  for (const DecisionFormat* format : formats) {
    parts.tables = parts.tables || format->parts.tables;
    parts.timeline = parts.timeline || format->parts.timeline;
  }
  return parts;
}

/// Whether that no entry was found only means that there is none yet, or none for these runs.
bool may_be_missing(const std::string& store, const std::string& name) {
  if (name.contains('@') || !gate::check_baseline_name(name)) return false;
  const auto listing = gate::list_baseline(store, name);
  return listing && listing->broken.empty();
}

/// A baseline without an entry, whose name is no slip of another's.
bool is_new(const std::string& store, const std::string& name) {
  const auto own = gate::list_baseline(store, name);
  const auto all = gate::list_baseline(store, {});
  if (!own || !all || !own->entries.empty()) return false;
  std::vector<std::string_view> names;
  for (const gate::BaselineEntry& entry : all->entries) names.push_back(entry.name);
  return did_you_mean(name, names).empty();
}

Status write_target(const gate::Decision& decision, const DecisionContext& context, const DecisionTarget& target,
                    bool overwrite) {
  auto file = Output::to_file(target.file, overwrite);
  if (!file) return std::unexpected(file.error());
  target.format->write(decision, context, file->sink());
  return file->close();
}

Status write_all(const gate::Decision& decision, const DecideSide& base, const DecideSide& changed,
                 const DecideOutput& output) {
  const auto format = find_decision_format(output.format);
  if (!format) return std::unexpected(format.error());
  const auto targets = targets_of(output);
  if (!targets) return std::unexpected(targets.error());
  std::vector<const DecisionFormat*> formats = {*format};
  for (const DecisionTarget& target : *targets) formats.push_back(target.format);
  SideProfile base_profile;
  SideProfile changed_profile;
  if (std::ranges::any_of(formats, &DecisionFormat::needs_profiles)) {
    SONDE_TRY(base_profile.load(base, "base", parts_of(formats)));
    SONDE_TRY(changed_profile.load(changed, "new", parts_of(formats)));
  }
  DecisionContext context{.budget_file = output.budget_file,
                          .title = output.title,
                          .render = {},
                          .base = base_profile.source(),
                          .changed = changed_profile.source()};
  for (const DecisionTarget& target : *targets) {
    SONDE_TRY(write_target(decision, context, target, output.force_overwrite));
  }
  context.render = terminal_options();
  Output standard;
  (*format)->write(decision, context, standard.sink());
  return standard.close();
}

}  // namespace

void add_decide_options(CommandLine& command, DecideOutput& output) {
  command.option("-f,--format", output.format, "FORMAT", formats_help()).shows_default();
  add_json_flag(command, output.format);
  command
      .option("-o,--output", output.targets, "[FORMAT:]FILE",
              "file to write in addition to standard output; the format is given by name or by the file's ending; "
              "repeatable")
      .repeatable();
  command.option("--title", output.title, "TITLE", "heading, for example of a comment on a pull request");
  command
      .option(
          "--allow", output.allowed_conditions, "CONDITION",
          fmt::format("condition that may differ between the runs; repeatable: {}", fmt::join(condition_names(), ", ")))
      .repeatable();
  command.flag("--force-overwrite", output.force_overwrite, "replace output files that exist");
}

Status check_names(const DecideOutput& output) {
  if (const auto format = find_decision_format(output.format); !format) return std::unexpected(format.error());
  const auto targets = targets_of(output);
  if (!targets) return std::unexpected(targets.error());
  for (const DecisionTarget& target : *targets) {
    if (!output.force_overwrite && access(target.file.c_str(), F_OK) == 0) {
      return fail("{} already exists; --force-overwrite replaces it", target.file);
    }
  }
  for (const std::string& name : output.allowed_conditions) SONDE_TRY(check_condition(name));
  return {};
}

Result<gate::Budget> load_budget(const std::string& file) {
  const auto text = MappedFile::open(file);
  if (!text) return std::unexpected(text.error());
  gate::BudgetReading reading = gate::read_budget(text->bytes());
  if (reading.problems.empty()) return std::move(reading.budget);
  std::string problems;
  for (const gate::BudgetProblem& problem : reading.problems) {
    problems += (problems.empty() ? "" : "\n") + gate::problem_text(file, problem);
  }
  return fail("{}", problems);
}

int budget_error(const std::string& file, const Error& error) {
  report_error(error);
  return MappedFile::open(file) ? gate::kUsageExit : gate::kErrorExit;
}

Result<DecideSide> baseline_side(const BaselineChoice& choice, std::span<const gate::RunRecord> changed,
                                 std::span<const std::string> allowed) {
  const std::string store = choice.store.empty() ? gate::default_store() : choice.store;
  auto chosen = gate::baseline_records(store, choice.name, gate::common_conditions(changed), allowed);
  if (!chosen && may_be_missing(store, choice.name)) {
    DecideSide side{.records = {}, .files = {}, .label = choice.name, .notes = {chosen.error().message}};
    if (is_new(store, choice.name)) side.earlier.emplace();
    return side;
  }
  if (!chosen) return std::unexpected(chosen.error());
  DecideSide side{
      .records = std::move(chosen->records), .files = {}, .label = gate::entry_text(chosen->entry), .notes = {}};
  side.earlier = std::move(chosen->earlier);
  if (!chosen->note.empty()) side.notes.push_back(chosen->note);
  return side;
}

int write_decision(const gate::Decision& decision, const DecideSide& base, const DecideSide& changed,
                   const DecideOutput& output) {
  const Status written = write_all(decision, base, changed, output);
  return written ? gate::exit_code(decision.combined.outcome) : gate_error(written.error());
}

int decide_and_write(const gate::Budget& budget, const DecideSide& base, const DecideSide& changed,
                     const gate::DecideOptions& options, const DecideOutput& output) {
  gate::DecideOptions with_sessions = options;
  if (base.earlier) with_sessions.earlier = &*base.earlier;
  gate::Decision decision = gate::decide(budget, base.records, changed.records, with_sessions);
  decision.base.label = base.label;
  decision.changed.label = changed.label;
  for (const DecideSide* side : {&base, &changed}) {
    decision.notes.insert(decision.notes.begin(), side->notes.begin(), side->notes.end());
  }
  return write_decision(decision, base, changed, output);
}

int gate_error(const Error& error) {
  report_error(error);
  return gate::kErrorExit;
}

int run_gate_command(const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return gate_error({"out of memory"});
  } catch (const std::exception& error) {
    return gate_error({fmt::format("internal error: {}", error.what())});
  }
}

}  // namespace sonde
