#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/words/help_text.h"
#include "cli/words/other_commands.h"
#include "cli/words/other_words.h"
#include "cli/words/wrong_words.h"

namespace sonde {

#define SONDE_COMMAND(name) extern const Command name##_command;
#include "cli/list.inc"
#undef SONDE_COMMAND

namespace {

const std::array kCommands = {
#define SONDE_COMMAND(name) name##_command,
#include "cli/list.inc"
#undef SONDE_COMMAND
};

constexpr const char* kVersion = "sonde " SONDE_VERSION;

/// The command that the first words name, and the word behind them where that should be one of its commands and is
/// none.
struct CommandWords {
  const CLI::App* command = nullptr;
  std::string path;             ///< "sonde baseline"
  std::string_view wrong = {};  ///< the word, or empty
  std::vector<std::string_view> known = {};
};

CommandWords command_words(const CLI::App& app, std::span<char* const> words) {
  CommandWords found{.command = &app, .path = "sonde"};
  for (const std::string_view word : words) {
    const auto commands = found.command->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || word.empty() || word.starts_with('-')) return found;
    const auto named = std::ranges::find(commands, word, [](const CLI::App* c) { return c->get_name(); });
    if (named == commands.end()) {
      for (const CLI::App* c : commands) found.known.emplace_back(c->get_name());
      found.wrong = word;
      return found;
    }
    found.command = *named;
    found.path += fmt::format(" {}", word);
  }
  return found;
}

/// Whether a command takes files beside its commands, so that a word that is none of these may be a file.
bool takes_files(const CLI::App& command) {
  return !command.get_options([](const CLI::Option* o) { return o->get_positional(); }).empty();
}

/// A command's name that is mistyped, empty for none: of a command that takes files a word that is near to one and
/// names no file.
std::string unknown_command(const CommandWords& words) {
  if (words.wrong.empty()) return {};
  const std::string_view known_elsewhere = words.path == "sonde" ? in_place_of(words.wrong) : "";
  if (!known_elsewhere.empty()) return fmt::format("there is no command '{}': {}", words.wrong, known_elsewhere);
  const std::string near = did_you_mean(words.wrong, words.known);
  if (takes_files(*words.command) && (near.empty() || std::filesystem::exists(words.wrong))) return {};
  const std::string_view of = std::string_view(words.path).substr(std::string_view("sonde").size());
  return fmt::format("there is no command '{}{}{}'{}", of.empty() ? "" : of.substr(1), of.empty() ? "" : " ",
                     words.wrong, near);
}

/// nsys takes "--force-overwrite true" and "--help-reports NAME" with a blank; CLI11 gives flags a value after '='
/// only.
std::vector<std::string> with_joined_values(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {  // what follows is another program's
      for (; i < argc; ++i) words.push_back(guarded_word(argv[i]));
      break;
    }
    const std::string_view next = i + 1 < argc ? argv[i + 1] : "";
    const bool boolean =
        (word == "--force-overwrite" || word == "--force-export") && (next == "true" || next == "false");
    const bool named = word == "--help-reports" && !next.empty() && !next.starts_with('-');
    words.emplace_back(word);
    if (!boolean && !named) continue;
    words.back() += fmt::format("={}", next);
    ++i;
  }
  std::ranges::reverse(words);  // as CLI::App::parse takes them
  return words;
}

/// As CLI::App::parse takes them: the last one first. An error says what is wrong with them before that.
Result<std::vector<std::string>> parsed_words(const CommandWords& found, int argc, char** argv) {
  const auto is_row = [&](const Command& row) {
    return row.as_nsys && found.path == fmt::format("sonde {}", row.name);
  };
  if (std::ranges::none_of(kCommands, is_row)) return with_joined_values(argc, argv);
  constexpr size_t kCommandAt = 1;
  const std::span<char* const> all(argv, static_cast<size_t>(argc));
  auto words = with_program_apart(*found.command, all.subspan(kCommandAt + 1));
  if (!words) return words;
  words->insert(words->begin(), all[kCommandAt]);
  std::ranges::reverse(*words);
  return words;
}

int say_usage(std::string_view what, std::string_view path) {
  complain(fmt::format("{}\nTry '{} --help'.", what, path));
  return kUsage;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, const CommandWords& words) {
  if (error.get_name() == "CallForHelp") {
    fmt::print("{}", wrapped_help(app.help(), help_width()));
    return kDone;
  }
  if (error.get_exit_code() == 0) {
    app.exit(error);  // --version
    return kDone;
  }
  const std::string unknown = unknown_command(words);
  return say_usage(unknown.empty() ? wrong_words(*words.command, words.path, error, kCommands) : unknown, words.path);
}

int run(int argc, char** argv) {
  CLI::App app{"Sonde reads GPU profiles and says what happened and why it is slow.", "sonde"};
  app.set_version_flag("--version", kVersion);
  int exit_code = kDone;
  add_commands(app, kCommands, exit_code);
  app.require_subcommand(1);
  const CommandWords words = command_words(app, std::span(argv, static_cast<size_t>(argc)).subspan(argc > 0 ? 1 : 0));
  // It would be taken for a file.
  if (takes_files(*words.command)) {
    if (const std::string unknown = unknown_command(words); !unknown.empty()) return say_usage(unknown, words.path);
  }
  auto parsed = parsed_words(words, argc, argv);
  if (!parsed) return say_usage(parsed.error().message, words.path);
  try {
    app.parse(std::move(*parsed));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, words);
  }
  return exit_code;
}

/// Memory that is given back to the system comes back page by page, which took a third of the time of a report: large
/// columns are made and dropped all the time. So what was taken is kept, in one arena, since the threads' own have room
/// for no large ones.
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
    return sonde::run(argc, argv);
  } catch (const std::bad_alloc&) {
    static_cast<void>(std::fputs("sonde: out of memory\n", stderr));
  } catch (const std::exception& error) {
    sonde::complain(fmt::format("internal error: {}", error.what()));
  }
  return sonde::kCannot;
}
