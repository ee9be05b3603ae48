#include <array>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/command_dump.h"
#include "cli/output.h"
#include "cli/overview.h"
#include "cli/version.h"
#include "cli/words/help_text.h"
#include "cli/words/other_words.h"
#include "cli/words/wrong_words.h"

namespace sonde {

#ifdef SONDE_SERVICE
#define SONDE_SERVICE_COMMAND(name) SONDE_COMMAND(name)
#else
#define SONDE_SERVICE_COMMAND(name)
#endif
#define SONDE_COMMAND(name) extern const Command name##_command;
#include "cli/list.inc"
#undef SONDE_COMMAND
#ifndef SONDE_SERVICE
#undef SONDE_SERVICE_COMMAND
#define SONDE_SERVICE_COMMAND(name) \
  Command{#name, "(not in this build; ./dev build has it)", "", nullptr, CommandGroup::operate},
#endif

namespace {

const std::array kCommands = {
#define SONDE_COMMAND(name) name##_command,
#include "cli/list.inc"
#undef SONDE_COMMAND
};
#undef SONDE_SERVICE_COMMAND

using Words = std::span<const std::string_view>;

/// The options of `sonde` itself.
struct ProgramOptions {
  bool version = false;
  bool json = false;
  bool dump_commands = false;
};

int run_program(const ProgramOptions& options) {
  if (options.version) {
    fmt::print("{}", options.json ? version_json() : version_text() + "\n");
    return kDone;
  }
  if (options.dump_commands) {
    fmt::print("{}", command_dump(kCommands));
    return kDone;
  }
  fmt::print("{}", introduction(kCommands));
  return kUsage;
}

CommandLine program_line(ProgramOptions& options) {
  CommandLine program("sonde", "");
  program.flag("--version", options.version, "print the version");
  program.flag("--json", options.json, "with --version: as JSON").hidden();
  program.flag("--dump-commands", options.dump_commands, "print all commands as JSON").hidden();
  program.runs([&options] { return run_program(options); });
  return program;
}

/// The words as the parser takes them. An error says what is wrong with them before that.
Result<std::vector<std::string>> parser_words(const ChosenCommand& chosen, Words words) {
  if (chosen.row == nullptr || !chosen.row->as_nsys) return with_joined_values(words);
  constexpr size_t kCommand = 1;
  auto parsed = with_program_apart(chosen.line, words.subspan(kCommand));
  if (parsed) parsed->insert(parsed->begin(), std::string(words.front()));
  return parsed;
}

int print_help(const ChosenCommand& chosen) {
  const std::string help = chosen.is_program() ? overview(kCommands) : chosen.line.help();
  fmt::print("{}", wrapped_help(help, help_width()));
  return kDone;
}

int usage_error(const ChosenCommand& chosen, std::string_view what) {
  complain(fmt::format("{}\nTry '{} --help'.", what, chosen.path));
  return kUsage;
}

int left_out(const ChosenCommand& chosen) {
  complain(fmt::format("this build has no '{}'; './dev build' makes build/release/sonde, which has it", chosen.path));
  return kCannot;
}

/// `sonde help COMMAND` is `sonde COMMAND --help`.
std::vector<std::string_view> without_help_command(Words words) {
  std::vector<std::string_view> all(words.begin(), words.end());
  if (!all.empty() && all.front() == "help") {
    all.erase(all.begin());
    all.emplace_back("--help");
  }
  return all;
}

/// Chooses the command, registers its options alone, parses the words, and runs its work.
int run(Words given) {
  const std::vector<std::string_view> words = without_help_command(given);
  ProgramOptions options;
  CommandLine program = program_line(options);
  const ChosenCommand chosen = choose_command(program, kCommands, words);
  if (const std::string mistyped = mistyped_command(chosen); !mistyped.empty()) return usage_error(chosen, mistyped);
  if (chosen.is_left_out()) return left_out(chosen);
  const auto accepted = parser_words(chosen, words);
  if (!accepted) return usage_error(chosen, accepted.error().message);
  const auto help_is_wanted = program.parse(*accepted);
  if (!help_is_wanted) return usage_error(chosen, wrong_words(chosen, help_is_wanted.error(), kCommands));
  return *help_is_wanted ? print_help(chosen) : program.exit_code();
}

/// Memory that is freed to the system must be faulted in again page by page when it is next needed, which took a third
/// of the time of a report: large columns are allocated and freed all the time. So memory is kept, in one arena, since
/// those of threads have no room for large columns.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int kLargestOwn = 1 << 30;
  // NOLINTBEGIN(concurrency-mt-unsafe): there are no threads yet.
  mallopt(M_MMAP_THRESHOLD, kLargestOwn);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
  // NOLINTEND(concurrency-mt-unsafe)
#endif
}

}  // namespace

}  // namespace sonde

int main(int argc, char** argv) {
  sonde::keep_memory();
  try {
    const std::vector<std::string_view> arguments(argv, argv + argc);
    return sonde::run(std::span(arguments).subspan(arguments.empty() ? 0 : 1));
  } catch (const std::bad_alloc&) {
    static_cast<void>(std::fputs("sonde: out of memory\n", stderr));
  } catch (const std::exception& error) {
    sonde::complain(fmt::format("internal error: {}", error.what()));
  }
  return sonde::kCannot;
}
