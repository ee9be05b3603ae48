#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/other_words.h"
#include "cli/output.h"
#include "cli/record/output_name.h"
#include "cli/study/choice.h"
#include "importers/importer.h"
#include "record/program.h"

namespace sonde {
namespace {

using record::Program;

struct StudyArguments {
  std::vector<std::string> words;
  std::string output = "study%n";
  bool overwrite = false;
  std::string metrics = "detailed";
  study::Bounds bounds;
  std::vector<std::string> recording;  ///< options of sonde record, for both runs
  std::vector<std::string> timeline;   ///< for the first alone
};

/// Options of sonde record that go on to it.
struct Passed {
  const char* name;
  bool first_run_only;  ///< of no use beside counters
};
constexpr auto kPassed = std::to_array<Passed>({{"-t,--trace", true},
                                                {"-s,--sample", true},
                                                {"--cudabacktrace", true},
                                                {"--cuda-memory-usage", true},
                                                {"--cuda-graph-trace", true},
                                                {"--sampling-frequency", true},
                                                {"--cpuctxsw", true},
                                                {"-b,--backtrace", true},
                                                {"--osrt-threshold", true},
                                                {"-y,--delay", false},
                                                {"-d,--duration", false},
                                                {"-c,--capture-range", false},
                                                {"--capture-range-end", false},
                                                {"--kill", false},
                                                {"-w,--show-output", false},
                                                {"-x,--stop-on-exit", false}});

struct Files {
  std::string timeline;
  std::string kernels;
  std::string page;
  std::string text;
};

/// As a shell runs it in the foreground; its exit status.
Result<int> run_in_foreground(std::vector<std::string> words, bool show_output) {
  constexpr int64_t kWaitNs = 1'000'000'000;
  auto program = Program::start({.words = std::move(words), .environment = {}, .show_output = show_output});
  if (!program) return std::unexpected(program.error());
  while (!program->ended()) program->wait(kWaitNs);
  return program->exit_code();
}

Result<int> run_self(std::vector<std::string> words, bool show_output = true) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail("sonde cannot find itself: {}", error.message());
  words.insert(words.begin(), self.string());
  return run_in_foreground(std::move(words), show_output);
}

Result<int> record_to(const std::string& file, const StudyArguments& arguments, std::vector<std::string> options) {
  std::vector<std::string> words = {"record", "-f", "-o", file};
  std::ranges::move(options, std::back_inserter(words));
  std::ranges::copy(arguments.recording, std::back_inserter(words));
  words.emplace_back("--");
  std::ranges::copy(arguments.words, std::back_inserter(words));
  return run_self(std::move(words));
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
  auto timeline = record_cli::output_name(arguments.output);
  if (!timeline) return std::unexpected(timeline.error());
  const std::string stem = timeline->substr(0, timeline->rfind('.'));
  Files files{*timeline, stem + ".kernels.sqlite", stem + ".html", stem + ".txt"};
  for (const std::string& file : {files.timeline, files.kernels, files.page, files.text}) {
    if (!arguments.overwrite && is_there(file)) {
      return fail("{} is there already; -f replaces it, -o names another", file);
    }
  }
  return files;
}

/// Absent, with the reason said, where there is nothing to measure.
std::optional<study::Choice> choose(const StudyArguments& arguments, const Files& files) {
  const std::array paths = {files.timeline};
  const auto timeline = import_run(paths, {study::choice_fields()});
  if (!timeline) {
    report_error(timeline.error());
    return std::nullopt;
  }
  study::Choice choice = study::choose_kernels(*timeline, arguments.bounds);
  if (choice.kernels.empty()) {
    complain(
        "no kernel was recorded on a GPU, so that there is nothing to measure: the report is of the timeline alone");
    return std::nullopt;
  }
  complain(study::text_of(choice, arguments.bounds, arguments.metrics));
  return choice;
}

bool has_kernels(const std::string& file) {
  const std::array paths = {file};
  const auto trace = import_run(paths, {Fields{Field::kernel_profiles}});
  return trace && !trace->kernel_profiles.empty();
}

/// The second run. Gives its exit status.
int measure(const StudyArguments& arguments, const Files& files, const study::Choice& choice) {
  complain("second run: the counters of these kernels");
  const auto code =
      record_to(files.kernels, arguments,
                {"-t", "nvtx", "--metrics", arguments.metrics, "--kernel-regex", study::expression_of(choice),
                 "--launches-each", fmt::format("{}", arguments.bounds.each)});
  if (!code) return report_error(code.error());
  if (*code != 0) complain(fmt::format("warning: the second run ended with {}", *code));
  if (!has_kernels(files.kernels)) {
    complain("warning: no counters could be had (see above): the report is of the timeline alone");
  }
  return *code;
}

/// Gives whether both reports are there.
bool report(const Files& files) {
  std::vector<std::string> sources = {files.timeline};
  if (is_there(files.kernels) && has_kernels(files.kernels)) sources.push_back(files.kernels);
  const auto made = [&](const char* command, const std::string& file) {
    std::vector<std::string> words = {command, "--force-overwrite", "-o", file};
    std::ranges::copy(sources, std::back_inserter(words));
    const auto code = run_self(words, false);  // standard output is the program's
    if (code && *code == 0) return true;
    complain(fmt::format("there is no {}: sonde {} failed; by hand it says why", file, fmt::join(words, " ")));
    return false;
  };
  const bool page = made("report", files.page);
  const bool text = made("why", files.text);
  if (page && text) complain(fmt::format("the report is {}, in words {}", files.page, files.text));
  return page && text;
}

int run(const StudyArguments& arguments) {
  if (arguments.words.empty()) {
    complain("there is no program to run; it stands after --, as in -- python train.py\nTry 'sonde study --help'.");
    return kUsage;
  }
  const auto files = files_of(arguments);
  if (!files) {
    report_error(files.error());
    return kUsage;
  }
  const auto before = written_at(files->timeline);
  complain("first run: the timeline");
  const auto first = record_to(files->timeline, arguments, arguments.timeline);
  if (!first) return report_error(first.error());
  if (written_at(files->timeline) == before) return *first == 0 ? kCannot : *first;
  std::error_code none;
  std::filesystem::remove(files->kernels, none);  // of an older timeline
  int code = *first;
  const auto choice = choose(arguments, *files);
  if (choice && code != 0) {
    complain(fmt::format("warning: the first run ended with {}: the program is not run again for its counters", code));
  } else if (choice) {
    code = measure(arguments, *files, *choice);
  }
  const bool reported = report(*files);
  return code != 0 || reported ? code : kCannot;
}

void add_passed(CLI::App& command, const std::shared_ptr<StudyArguments>& arguments) {
  for (const Passed& passed : kPassed) {
    const std::string names = passed.name;
    const std::string longest = names.substr(names.find("--"));
    const auto add = [arguments, longest, first = passed.first_run_only](const std::string& value) {
      auto& options = first ? arguments->timeline : arguments->recording;
      options.push_back(fmt::format("{}={}", longest, value));
    };
    command.add_option_function<std::string>(names, add, "as sonde record has it")->group("Recording");
  }
  command
      .add_flag_callback(
          "--torch-modules", [arguments] { arguments->recording.emplace_back("--torch-modules"); },
          "as sonde record has it")
      ->group("Recording");
}

void set_up(CLI::App& command, int& exit_code) {
  const auto a = std::make_shared<StudyArguments>();
  command.add_option("-o,--output", a->output, "NAME of NAME.html, NAME.txt, NAME.sqlite and NAME.kernels.sqlite")
      ->capture_default_str();
  command.add_flag("-f,--force-overwrite", a->overwrite, "replace what is there already");
  command.add_option("--metrics", a->metrics, "basic, detailed, or metrics with commas between")->capture_default_str();
  command.add_option("--kernels", a->bounds.kernels, "measure no more kernels than so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--launches-each", a->bounds.each,
                  "launches of each kernel, grid, block and place in the NVTX ranges that are measured")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_passed(command, a);
  command.add_option("COMMAND", a->words, "the program and its arguments; -- may stand before them; it runs twice")
      ->transform(unguarded_word);
  command.callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace

extern const Command study_command;
const Command study_command = {"study", "Run a program twice, timeline and counters of what matters, into one report",
                               "sonde study -o detr -- python infer.py", &set_up, true};

}  // namespace sonde
