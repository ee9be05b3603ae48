#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyses/kernels/kernel_join.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/kernel_list.h"
#include "cli/record/other_options.h"
#include "cli/record/output_name.h"
#include "cli/study/choice.h"
#include "cli/study/text.h"
#include "cli/words/other_words.h"
#include "importers/importer.h"
#include "record/program.h"
#include "record/record.h"

namespace sonde {

extern const Command record_command;

namespace study_cli {
namespace {

using record::Program;

struct StudyArguments {
  std::vector<std::string> words;
  std::string output = "study%n";
  bool overwrite = false;
  bool exact_names = false;
  std::string metrics = std::string(study::kUsualMetrics);
  study::Bounds bounds;
  std::vector<std::string> of_both;  ///< options of sonde record
  std::vector<std::string> of_timeline;
  std::vector<std::string> of_kernels;
  std::shared_ptr<record_cli::OtherOptions> others;
};

enum class For : uint8_t { both, timeline, kernels };

/// Options of sonde record that go on to it.
struct Passed {
  const char* name;
  For run = For::timeline;
};
constexpr auto kPassed = std::to_array<Passed>({{"-t,--trace"},
                                                {"-s,--sample"},
                                                {"--cudabacktrace"},
                                                {"--cuda-memory-usage", For::timeline},
                                                {"--cuda-um-cpu-page-faults", For::timeline},
                                                {"--cuda-um-gpu-page-faults", For::timeline},
                                                {"--cuda-graph-trace"},
                                                {"--cuda-flush-interval"},
                                                {"--nccl-trace"},
                                                {"--sampling-frequency"},
                                                {"--samples-per-backtrace"},
                                                {"--cpuctxsw"},
                                                {"--python-sampling"},
                                                {"--python-sampling-frequency"},
                                                {"-b,--backtrace"},
                                                {"--osrt-threshold"},
                                                {"--gpu-metrics-devices"},
                                                {"--gpu-metrics-frequency"},
                                                {"--gpu-metrics-set"},
                                                {"-y,--delay", For::both},
                                                {"-d,--duration", For::both},
                                                {"-c,--capture-range", For::both},
                                                {"--capture-range-end", For::both},
                                                {"-p,--nvtx-capture", For::both},
                                                {"--kill", For::both},
                                                {"--torch-modules", For::both},
                                                {"--self-test", For::both},
                                                {"-w,--show-output", For::both},
                                                {"-x,--stop-on-exit", For::both},
                                                {"-e,--env-var", For::both},
                                                {"--cuda-event-trace"},
                                                {"--sampling-interval", For::kernels},
                                                {"--section", For::kernels}});

struct Files {
  std::string timeline;
  std::string kernels;
  std::string list;  ///< of what is measured
  std::string page;
  std::string text;
};

/// As a shell runs it in the foreground; its exit status.
Result<int> run_in_foreground(std::vector<std::string> words, bool show_output) {
  constexpr int64_t kWaitNs = 1'000'000'000;
  auto program = Program::start({.words = std::move(words), .environment = {}, .show_output = show_output});
  if (!program) return std::unexpected(program.error());
  while (!program->ended()) {
    program->wait(kWaitNs);
    for (int signal = program->take_signal(); signal != 0; signal = program->take_signal()) program->send(signal);
  }
  return program->exit_code();
}

Result<int> run_self(std::vector<std::string> words, bool show_output = true) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail("cannot find the sonde program: {}", error.message());
  words.insert(words.begin(), self.string());
  return run_in_foreground(std::move(words), show_output);
}

std::vector<std::string> words_of(const StudyArguments& arguments, const std::string& file,
                                  const std::vector<std::string>& options) {
  std::vector<std::string> words = {"record", "-f", "-o", record_cli::pattern_of(file)};
  std::ranges::copy(options, std::back_inserter(words));
  std::ranges::copy(arguments.of_both, std::back_inserter(words));
  words.emplace_back("--");
  std::ranges::copy(arguments.words, std::back_inserter(words));
  return words;
}

/// What is said of options that are none of Sonde's stands in the timeline.
std::vector<std::string> timeline_options(const StudyArguments& arguments) {
  std::vector<std::string> options = arguments.of_timeline;
  std::ranges::copy(arguments.others->words, std::back_inserter(options));
  return options;
}

std::vector<std::string> kernel_options(const StudyArguments& arguments) {
  std::vector<std::string> options = {
      "-t", "nvtx", "--metrics", arguments.metrics, "--launches-each", fmt::format("{}", arguments.bounds.each)};
  std::ranges::copy(arguments.of_kernels, std::back_inserter(options));
  return options;
}

/// Both command lines, before an hour goes into the first run: their exit status. What is wrong has been said.
int try_both(const StudyArguments& arguments, const Files& files) {
  for (auto words : {words_of(arguments, files.timeline, timeline_options(arguments)),
                     words_of(arguments, files.kernels, kernel_options(arguments))}) {
    words.insert(words.begin() + 1, "--dry-run");
    const auto code = run_self(std::move(words));
    if (!code) return report_error(code.error());
    if (*code != 0) return *code;
  }
  return kDone;
}

bool is_there(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

/// When a file was written; absent where there is none.
std::optional<std::filesystem::file_time_type> written_at(const std::string& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

Result<Files> files_of(const StudyArguments& arguments) {
  auto timeline = record_cli::recording_name(arguments.output);
  if (!timeline) return std::unexpected(timeline.error());
  if (timeline->contains(record::kProcessMacro)) {
    return fail("-o {}: the program runs twice, as two processes, so %p is ambiguous; %n is the first free number",
                arguments.output);
  }
  const std::string stem = timeline->substr(0, timeline->rfind('.'));
  Files files{*timeline, stem + ".kernels.sqlite", stem + ".kernels.tsv", stem + ".html", stem + ".txt"};
  for (const std::string& file : {files.timeline, files.kernels, files.list, files.page, files.text}) {
    if (!arguments.overwrite && is_there(file)) {
      return fail("{} already exists; -f replaces it, -o names another file", file);
    }
  }
  return files;
}

/// The first run's timeline, and what of it is worth its counters.
struct Study {
  Trace timeline;
  study::Choice choice;
};

Result<Study> study_of(const StudyArguments& arguments, const Files& files) {
  const std::array paths = {files.timeline};
  auto timeline = import_run(paths, {study::choice_fields() | kernel_join_fields()});
  if (!timeline) return std::unexpected(timeline.error());
  Study study{*std::move(timeline), {}};
  study.choice = study::choose(study.timeline, arguments.bounds);
  return study;
}

/// Writes what the second run is to measure.
Status write_list(const Files& files, const Study& study) {
  auto output = Output::to_file(files.list, true);
  if (!output) return std::unexpected(output.error());
  output->write(
      "# A kernel, and the NVTX push/pop ranges around it from the outermost on: sonde record --kernels-from.\n");
  for (const record::ListedKernel& kernel : study::listed_kernels(study.timeline, study.choice)) {
    output->write(record_cli::kernel_list_line(kernel));
  }
  return output->close();
}

/// Whether the timeline is recorded with CUDA, as it is without -t.
bool traces_cuda(const StudyArguments& arguments) {
  constexpr std::string_view kTrace = "--trace=";
  const auto given = std::ranges::find_if(arguments.of_timeline.rbegin(), arguments.of_timeline.rend(),
                                          [&](const std::string& option) { return option.starts_with(kTrace); });
  return given == arguments.of_timeline.rend() || given->contains("cuda");
}

void tell_choice(const StudyArguments& arguments, const study::Choice& choice) {
  const study::Work& whole = choice.work.whole;
  if (whole.all_ns() > 0) complain(study::choice_text(choice));
  if (!choice.kernels.empty()) {
    complain(study::cost_text(choice, arguments.bounds, arguments.metrics));
  } else if (whole.graph_ns + whole.waiting_ns > 0) {
    complain("no kernel can be measured; the report covers the timeline only");
  } else {
    complain(fmt::format("no kernel was recorded on a GPU{}; the report covers the timeline only",
                         traces_cuda(arguments) ? "" : " (-t does not contain cuda)"));
  }
}

/// Whether there is something to measure. It is said, and written down. The timeline's memory is free again before the
/// program runs another time.
bool choose(const StudyArguments& arguments, const Files& files) {
  const auto study = study_of(arguments, files);
  if (!study) return report_error(study.error()) == kDone;
  tell_choice(arguments, study->choice);
  if (study->choice.kernels.empty()) return false;
  const Status written = write_list(files, *study);
  return written || report_error(written.error()) == kDone;
}

bool has_kernels(const std::string& file) {
  const std::array paths = {file};
  const auto trace = import_run(paths, {Fields{Field::kernel_profiles}});
  return trace && !trace->kernel_profiles.empty();
}

/// What the second run brought.
Status tell_counters(const StudyArguments& arguments, const Files& files) {
  const std::array paths = {files.kernels};
  const auto kernels = import_run(paths, {Fields{Field::kernel_profiles}});
  if (!kernels && is_there(files.kernels)) return std::unexpected(kernels.error());
  if (!kernels || kernels->kernel_profiles.empty()) {
    complain("warning: no counters were recorded (see above); the report covers the timeline only");
    return {};
  }
  const auto study = study_of(arguments, files);
  if (!study) return std::unexpected(study.error());
  const KernelJoin join = join_kernels(study->timeline, *kernels);
  complain(study::counters_text(study->choice, join));
  const std::string missed = study::missed_text(study->timeline, study->choice, join);
  if (!missed.empty()) complain("warning: " + missed);
  return {};
}

/// The second run. Gives its exit status.
int measure(const StudyArguments& arguments, const Files& files) {
  complain("second run: the counters of these kernels");
  std::vector<std::string> options = kernel_options(arguments);
  options.insert(options.end(), {"--kernels-from", files.list});
  const auto code = run_self(words_of(arguments, files.kernels, options));
  if (!code) return report_error(code.error());
  if (*code != 0) complain(fmt::format("warning: the second run exited with {}", *code));
  if (const Status told = tell_counters(arguments, files); !told) report_error(told.error());
  return *code;
}

/// Gives whether both reports are there.
bool report(const Files& files, bool exact_names) {
  std::vector<std::string> sources = {files.timeline};
  if (is_there(files.kernels) && has_kernels(files.kernels)) sources.push_back(files.kernels);
  const auto made = [&](const char* command, const std::string& file, bool by_exact_names) {
    std::vector<std::string> words = {command, "--force-overwrite", "-o", file};
    if (by_exact_names) words.emplace_back("--exact-names");
    std::ranges::copy(sources, std::back_inserter(words));
    const auto code = run_self(words, false);  // standard output is the program's
    if (code && why_answered(*code)) return true;
    complain(fmt::format("{} was not written: `sonde {}` failed. Run it by hand to see the error", file,
                         fmt::join(words, " ")));
    return false;
  };
  const bool page = made("report", files.page, exact_names);
  const bool text = made("why", files.text, false);
  if (page && text) complain(fmt::format("wrote the report {} and the findings {}", files.page, files.text));
  return page && text;
}

/// What is wrong with the command line itself, or the files that it names.
Result<Files> checked(const StudyArguments& arguments) {
  if (!arguments.others->refused.empty()) return fail("{}", arguments.others->refused);
  if (arguments.words.empty()) {
    return fail("no program given. Example: sonde study -- python train.py");
  }
  return files_of(arguments);
}

int run(const StudyArguments& arguments) {
  const auto files = checked(arguments);
  if (!files) {
    complain(fmt::format("{}\nTry 'sonde study --help'.", files.error().message));
    return kUsage;
  }
  if (const int wrong = try_both(arguments, *files); wrong != kDone) return wrong;
  const std::string ending = record_cli::word_of_ending("-o", arguments.output, files->timeline);
  if (!ending.empty()) complain(ending);
  const auto before = written_at(files->timeline);
  complain("first run: the timeline");
  const auto first = run_self(words_of(arguments, files->timeline, timeline_options(arguments)));
  if (!first) return report_error(first.error());
  if (written_at(files->timeline) == before) return *first == 0 ? kCannot : *first;
  std::error_code none;
  for (const std::string& old : {files->kernels, files->list}) std::filesystem::remove(old, none);
  int code = *first;
  const bool worth = choose(arguments, *files);
  if (worth && code != 0) {
    complain(fmt::format("warning: the first run exited with {}, so the second run for counters is skipped", code));
  } else if (worth) {
    code = measure(arguments, *files);
  }
  const bool reported = report(*files, arguments.exact_names);
  return code != 0 || reported ? code : kCannot;
}

std::vector<std::string>& options_for(StudyArguments& arguments, For run) {
  return run == For::both ? arguments.of_both : run == For::timeline ? arguments.of_timeline : arguments.of_kernels;
}

/// With the help that they have there.
void add_passed(CommandLine& command, const std::shared_ptr<StudyArguments>& arguments) {
  CommandLine recording("record", "");
  record_command.set_up(recording);
  for (const Passed& passed : kPassed) {
    const std::string names = passed.name;
    const std::string longest = names.substr(names.find("--"));
    const auto info = recording.find_option(longest).value_or(OptionInfo());
    const auto add = [arguments, longest, run = passed.run](const std::string& value) {
      options_for(*arguments, run).push_back(fmt::format("{}={}", longest, value));
    };
    CommandOption added = info.is_flag ? command.flag_taking(names, add, info.description)
                                       : command.option_taking(names, add, info.value, info.description);
    added.group("Recording");
  }
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<StudyArguments>();
  command
      .option("-o,--output", a->output, "NAME",
              "write NAME.html, NAME.txt, NAME.sqlite, NAME.kernels.sqlite and NAME.kernels.tsv")
      .shows_default();
  command.flag("-f,--force-overwrite", a->overwrite, "replace output files that exist");
  command.flag("--exact-names", a->exact_names,
               "do not merge modules of the report whose names differ only by a number");
  command
      .option("--metrics", a->metrics, "LIST",
              "counters to measure: basic, detailed, full, or metrics separated by commas")
      .shows_default("detailed, and bytes of DRAM and L2");
  command.option("--modules", a->bounds.modules, "N", "maximum number of modules whose kernels are measured")
      .above_zero()
      .shows_default();
  command.option("--kernels", a->bounds.kernels, "N", "maximum number of kernels measured per module")
      .above_zero()
      .shows_default();
  command
      .option("--launches-each", a->bounds.each, "N",
              "number of launches measured per kernel, grid and block in a module")
      .above_zero()
      .shows_default();
  add_passed(command, a);
  command
      .option_taking(
          "--set",
          [a](const std::string& set) { a->others->refused = fmt::format("--set: --metrics {} does the same", set); },
          "SET", "")
      .hidden();
  a->others = record_cli::add_other_options(command);
  command.positional("COMMAND", a->words, "program and its arguments, optionally after --; it runs twice")
      .converted(unguarded_word);
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace study_cli

extern const Command study_command;
const Command study_command{
    "study",
    "Run a program twice, for a timeline and for counters of its main kernels, and write one report",
    "sonde study -o detr -- python infer.py",
    study_cli::set_up,
    CommandGroup::record,
    {},
    true};

}  // namespace sonde
