#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <malloc.h>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/suggest.h"
#include "cli/command.h"

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

/// What is wrong with a first word that is no command; empty for one that is.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string_view> known;
  for (const Command& c : kCommands) {
    if (c.name == argv[1]) return {};
    known.push_back(c.name);
  }
  return fmt::format("there is no command '{}'{}", argv[1], did_you_mean(argv[1], known));
}

/// nsys takes "--force-overwrite true" and "--help-reports NAME" with a blank; CLI11 gives flags a value after '='
/// only.
std::vector<std::string> with_joined_values(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {  // what follows is another program's
      words.insert(words.end(), argv + i, argv + argc);
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

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) {
    app.exit(error);  // --help and --version
    return kDone;
  }
  const auto chosen = app.get_subcommands();
  const std::string about = chosen.empty() ? "sonde" : "sonde " + chosen.front()->get_name();
  const std::string unknown = unknown_command(argc, argv);
  fmt::print(stderr, "sonde: {}\nTry '{} --help'.\n", unknown.empty() ? error.what() : unknown, about);
  return kUsage;
}

int run(int argc, char** argv) {
  CLI::App app{"Sonde reads GPU profiles and says what happened and why it is slow.", "sonde"};
  app.set_version_flag("--version", kVersion);
  int exit_code = kDone;
  add_commands(app, kCommands, exit_code);
  app.require_subcommand(1);
  try {
    app.parse(with_joined_values(argc, argv));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
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
    fmt::print(stderr, "sonde: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "sonde: internal error: {}\n", error.what());
  }
  return sonde::kCannot;
}
