#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "cli/ci/shared_quoting.h"
#include "cli/ci/shared_written_files.h"
#include "cli/command.h"
#include "cli/output.h"

namespace sonde {
namespace ci_init_cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kTools = {"nsys", "sonde", "pytorch", "custom", "none"};
constexpr int kMostRuns = 1000;

struct InitArguments {
  std::string system;
  CiSettings settings = {.command = {}, .budget = "performance.yaml", .tool = "nsys", .branch = "main", .runs = 10};
  std::string folder = ".";
  bool overwrite = false;
};

/// What becomes of a file.
enum class Fate { written, replaced, same, kept, in_the_way };

std::string text_of(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Fate fate_of(const fs::path& path, const CiFile& file, bool overwrite) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return Fate::written;
  if (file.users) return Fate::kept;
  if (fs::is_regular_file(path, ignored) && text_of(path) == file.text) return Fate::same;
  return overwrite && !fs::is_directory(path, ignored) ? Fate::replaced : Fate::in_the_way;
}

std::string_view said_of(Fate fate) {
  switch (fate) {
    case Fate::written: return "wrote";
    case Fate::replaced: return "replaced";
    case Fate::same: return "unchanged";
    default: return "kept yours";
  }
}

Status write(const fs::path& path, const std::string& text) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) return fail("cannot create the folder {}: {}", path.parent_path().string(), error.message());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail("cannot write {}", path.string());
  return {};
}

/// Nothing is written unless all of it may be.
Status write_all(std::span<const CiFile> files, const InitArguments& arguments) {
  std::vector<Fate> fates;
  std::vector<std::string> in_the_way;
  for (const CiFile& file : files) {
    fates.push_back(fate_of(fs::path(arguments.folder) / file.path, file, arguments.overwrite));
    if (fates.back() == Fate::in_the_way) in_the_way.push_back(file.path);
  }
  if (!in_the_way.empty()) {
    return fail(
        "{} {} already, with other content; nothing was written (--force-overwrite replaces, -o FOLDER writes "
        "elsewhere)",
        fmt::join(in_the_way, ", "), in_the_way.size() == 1 ? "is" : "are");
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const fs::path path = fs::path(arguments.folder) / files[i].path;
    if (fates[i] == Fate::written || fates[i] == Fate::replaced) SONDE_TRY(write(path, files[i].text));
    fmt::print("{:<10} {}\n", said_of(fates[i]), path.lexically_normal().string());
  }
  return {};
}

Status check(const CiSettings& settings) {
  const fs::path budget = settings.budget;
  if (settings.command.find_first_not_of(" \n\t") == std::string::npos) return fail("the command is empty");
  if (!can_be_quoted(settings.command) || !can_be_quoted(settings.budget) || !can_be_quoted(settings.branch)) {
    return fail("--command, --budget and --branch must be UTF-8 without control characters");
  }
  if (settings.budget.empty() || budget.is_absolute() || *budget.lexically_normal().begin() == "..") {
    return fail("the budget '{}' must be in the repository; name it relative to the root", settings.budget);
  }
  if (std::ranges::find(kTools, settings.tool) == kTools.end()) {
    return fail("unknown tool '{}'{} (nsys, sonde, pytorch, custom, none)", settings.tool,
                did_you_mean(settings.tool, kTools));
  }
  if (settings.runs < 1 || settings.runs > kMostRuns) {
    return fail("--runs: {} is not a number from 1 to {}", settings.runs, kMostRuns);
  }
  return {};
}

std::string next_steps(const CiSystem& system, const CiSettings& settings) {
  std::string steps = fmt::format(
      "\nNext:\n  - Set the limits of the program in {}; `sonde gate --budget {} --validate` checks the file.\n",
      settings.budget, shell_word(settings.budget));
  if (settings.tool == "pytorch") {
    steps += "  - Let the program write its trace: prof.export_chrome_trace(os.environ[\"SONDE_PROFILE\"])\n";
  }
  if (settings.tool == "custom") {
    steps +=
        "  - Let the command write a profile whose path begins with $SONDE_PROFILE, such as $SONDE_PROFILE.nsys-rep\n";
  }
  steps += system.next_steps;
  constexpr std::string_view kBranch = "{branch}";
  const size_t at = steps.find(kBranch);
  return at == std::string::npos ? steps : steps.replace(at, kBranch.size(), settings.branch);
}

int run(const InitArguments& arguments) {
  const auto system = find_ci_system(arguments.system);
  Status done = system ? check(arguments.settings) : std::unexpected(system.error());
  if (!done) {
    report_error(done.error());
    return kUsage;
  }
  done = write_all(ci_files(**system, arguments.settings), arguments);
  if (!done) return report_error(done.error());
  fmt::print("{}", next_steps(**system, arguments.settings));
  return kDone;
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<InitArguments>();
  command.positional("SYSTEM", a->system, "CI system: github, jenkins or gitlab").required();
  command.option("--command", a->settings.command, "COMMAND", "command to measure, for bash").required();
  command.option("--budget", a->settings.budget, "FILE", "budget file; an initial one is written if it does not exist")
      .shows_default();
  command.option("--runs", a->settings.runs, "N", "number of runs of the command").shows_default();
  command
      .option(
          "--tool", a->settings.tool, "TOOL",
          "profiler: nsys, sonde (sonde record), pytorch (the command writes a trace itself), custom (it writes any "
          "profile itself) or none (wall time)")
      .shows_default();
  command.option("--branch", a->settings.branch, "BRANCH", "main branch, whose runs are the baseline").shows_default();
  command.option("-o,--output", a->folder, "FOLDER", "root folder of the repository").shows_default();
  command.flag("--force-overwrite", a->overwrite, "replace files that exist, except the budget");
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace ci_init_cli

extern const Command ci_init_command;
const Command ci_init_command{"init", "Write the files with which a CI system profiles a command and gates it",
                              "sonde ci init github --command 'python train.py' --budget performance.yaml",
                              ci_init_cli::set_up};

}  // namespace sonde
